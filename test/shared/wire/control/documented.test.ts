// docs/control.md against the code: its request is taken, and its answers are answers of this
// endpoint.

import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { describe, expect, test } from "vitest";
import { answerJsonSchema } from "../../../../shared/wire/control/answer-schema.ts";
import { taskTypes, versions } from "../../../../shared/wire/control/envelope.ts";
import { parseEnvelope } from "../../../../shared/wire/control/read-envelope.ts";
import { statuses } from "../../../../shared/wire/status.ts";

const text = readFileSync(new URL("../../../../docs/control.md", import.meta.url), "utf8");
const answers = [...text.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(
  ([, block = ""]) => JSON.parse(block) as { status: string; result?: { type: string } },
);

const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;
const ajv = new Ajv2020();
addFormats(ajv);
const validate = ajv.compile(answerJsonSchema);

test("every answer that it shows fits the answer's schema", () => {
  for (const answer of answers) {
    validate(answer);
    expect(validate.errors ?? []).toEqual([]);
  }
});

test("an answer that is none does not fit", () => {
  expect(validate({ ...answers[0], surprise: 1 })).toBe(false);
});

test("there is an answer for each task but those that answer much as text generation does, and one that is refused", () => {
  const shown = new Set(answers.flatMap(({ result }) => result?.type ?? []));
  expect(taskTypes.filter((type) => !shown.has(type))).toEqual(["translation", "multimodal_generation"]);
  expect(answers.map(({ status }) => status)).toContain("invalid");
});

test("the request that it begins with is taken as it stands", () => {
  const [, body = ""] = /-d '\n(\{[\s\S]*?\})'\n/.exec(text) ?? [];
  expect(parseEnvelope(JSON.parse(body)).ok).toBe(true);
});

describe("it has", () => {
  test("each status, by the table of errors, and no other", () => {
    const contract = readFileSync(new URL("../../../../docs/http-contract.md", import.meta.url), "utf8");
    const listed = [...contract.matchAll(/ \| `(\w+)` \d{3} \| \d{3} /g)].map(([, status = ""]) => status);
    expect([...new Set(["completed", ...listed])].toSorted()).toEqual([...statuses].toSorted());
    expect(text).toContain("`status` is `completed`");
  });

  test("a heading for each task, and each version's schema", () => {
    for (const type of taskTypes) expect(text).toContain(`\n### ${type}\n`);
    for (const version of versions) expect(text).toContain(`${version}.json`);
  });
});
