// The examples of the Model Control Protocol's own description, on a fresh checkout: npm start, the
// demo model, both gates closed.
//
// Each is sent as it stands in test/fixtures/control, by a key of its own, since several have one
// request_id; `auth` gets that key.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { devVars } from "../../../scripts/dev-vars.ts";
import { freePort } from "../../../scripts/local-gateway.ts";
import { operatorOf } from "../../../scripts/operator.ts";
import { decideByLink } from "../../../scripts/page-form.ts";
import { answerJsonSchema } from "../../../shared/wire/control/answer-schema.ts";
import { eventually, type Program, startProgram } from "../../outside/support/program.ts";

type Envelope = {
  readonly protocol_version: string;
  readonly request_id: string;
  readonly auth?: object;
  readonly task: { readonly parameters: object };
};
type Answer = { readonly status: string; readonly result: Readonly<Record<string, unknown>>; readonly error?: unknown };

const example = (name: string): Envelope =>
  JSON.parse(readFileSync(new URL(`../../fixtures/control/${name}.json`, import.meta.url), "utf8"));

const vars = devVars();
const folder = mkdtempSync(join(tmpdir(), "countersign-control-"));
let program: Program;
let url: string;

beforeAll(async () => {
  const port = await freePort();
  program = startProgram("scripts/start.ts", [], { PORT: String(port), PERSIST_TO: folder });
  url = `http://localhost:${port}`;
  // Its own walk's review is there, and will not be taken for one of an example.
  await program.prints(/^ {2}http:\/\/localhost:\d+\/r\//m);
});
afterAll(async () => {
  program.signal("SIGTERM");
  await program.exited;
  rmSync(folder, { recursive: true, force: true });
});

async function newKey(): Promise<string> {
  const answer = await fetch(`${url}/admin/keys`, {
    method: "POST",
    headers: { Authorization: `Bearer ${vars.ADMIN_TOKEN}`, "Content-Type": "application/json" },
    body: JSON.stringify({ name: "an example's" }),
  });
  return ((await answer.json()) as { key: string }).key;
}

/** Sends it with a key of its own, in its `auth` where it has one, else in the header. */
async function send(envelope: Envelope): Promise<Response> {
  const key = await newKey();
  const inBody = envelope.auth !== undefined;
  return fetch(`${url}/control`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(inBody ? {} : { Authorization: `Bearer ${key}` }) },
    body: JSON.stringify(inBody ? { ...envelope, auth: { api_key: key } } : envelope),
  });
}

const decided = new Set<string>();

/**
 * What comes of it while a reviewer approves whatever waits at the gates; how often they did is
 * told too.
 */
async function approved(envelope: Envelope): Promise<{ readonly text: string; readonly approvals: number }> {
  const operator = operatorOf(url, vars.ADMIN_TOKEN);
  for (const { link } of await operator.waiting()) decided.add(link ?? "");
  let text: string | null = null;
  let failed: unknown = null;
  send(envelope)
    .then((response) => response.text())
    .then(
      (whole) => (text = whole),
      (error: unknown) => (failed = error),
    );
  let approvals = 0;
  await eventually("the answer", async () => {
    if (failed !== null) throw failed;
    for (const { link } of await operator.waiting()) {
      if (link === null || decided.has(link)) continue;
      decided.add(link);
      expect((await decideByLink(link, "approve")).status).toBe(303);
      approvals += 1;
    }
    return text !== null;
  });
  return { text: text ?? "", approvals };
}

const ajv = new Ajv2020();
(addFormatsModule as unknown as (ajv: Ajv2020) => void)(ajv);
const isAnswer = ajv.compile(answerJsonSchema);

function answerIn(text: string, { request_id }: Envelope): Answer {
  const answer = JSON.parse(text) as Answer;
  isAnswer(answer);
  expect(isAnswer.errors ?? []).toEqual([]);
  expect(answer).toMatchObject({ status: "completed", request_id });
  return answer;
}

const theDemoSays = "This is the gateway's built-in demo, not a model.";

describe("an example of the source is answered by the demo, each gate passed by a person:", () => {
  test("section 3, the complete one", async () => {
    const envelope = example("complete");
    const { text, approvals } = await approved(envelope);
    const { result } = answerIn(text, envelope);
    expect(approvals).toBe(2);
    expect(result["text"]).toContain(`${theDemoSays} It received 3 messages.`);
  });

  test("section 2, translation", async () => {
    const envelope = example("translation");
    const { text, approvals } = await approved(envelope);
    expect(approvals).toBe(2);
    expect(answerIn(text, envelope).result).toMatchObject({ type: "translation", source_lang: "en", target_lang: "zh-CN" });
  });

  test("section 2, embedding", async () => {
    const envelope = example("embedding");
    const { text, approvals } = await approved(envelope);
    expect(approvals).toBe(2);
    const { result } = answerIn(text, envelope);
    const [first] = result["embeddings"] as { vector: number[] }[];
    expect(first?.vector).toHaveLength(result["dimensions"] as number);
    expect(Math.hypot(...(first?.vector ?? []))).toBeCloseTo(1);
  });

  test("section 2, function call: handed back, so nobody is asked", async () => {
    const envelope = example("function-call");
    const { text, approvals } = await approved(envelope);
    expect(approvals).toBe(0);
    expect(answerIn(text, envelope).result).toEqual({
      type: "function_call",
      calls: [{ name: "weather_query", arguments: { city: "上海", date: "2025-10-30" }, status: "validated" }],
    });
  });

  test.each(["text-generation", "all-members"])(
    "section 2, %s: a stream that says how it goes, and the reviewed text at its end",
    async (name) => {
      const envelope = example(name);
      const { text, approvals } = await approved(envelope);
      expect(approvals).toBe(2);
      const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data = ""]) => ({ event, data }));
      const names = events.map(({ event }) => event);
      expect(names.filter((event, index) => event !== names[index - 1])).toEqual(["progress", "delta", "result"]);
      const { result } = answerIn(events.at(-1)?.data ?? "", envelope);
      const deltas = events.filter(({ event }) => event === "delta").map(({ data }) => (JSON.parse(data) as { text: string }).text);
      expect(deltas.join("")).toBe(result["text"]);
      expect(result["json"]).toEqual(JSON.parse(result["text"] as string));
    },
  );

  test("section 2, multimodal: an address of a host that nobody listed is not fetched, and the rest is answered", async () => {
    const envelope = example("multimodal-generation");
    const refused = await send(envelope);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      status: "invalid",
      error: { details: { errors: [{ pointer: "/task/parameters/images/0/value", message: expect.stringContaining("imageHosts") }] } },
    });
    const { images } = envelope.task.parameters as { images: { type: string }[] };
    const given = {
      ...envelope,
      task: { ...envelope.task, parameters: { ...envelope.task.parameters, images: images.filter(({ type }) => type === "base64") } },
    };
    const { text, approvals } = await approved(given);
    expect(approvals).toBe(2);
    expect(answerIn(text, envelope).result["text"]).toContain(theDemoSays);
  });
});
