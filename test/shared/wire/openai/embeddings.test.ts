// Every member of the embeddings request, as the official SDK declares it, and its answer.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Completed } from "../../../../shared/model/outcome.ts";
import { type ParsedEmbedding, embeddingsAnswer, parseEmbedding } from "../../../../shared/wire/openai/embeddings.ts";
import { sdkTypes } from "./sdk-types.ts";

const base = { model: "m", input: "a" };
const read = (more: object): ReturnType<typeof parseEmbedding> => parseEmbedding({ ...base, ...more });
const well = (more: object): ParsedEmbedding => {
  const parsed = read(more);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};
const said = (text: string): object => ({ role: "user", content: [{ type: "text", text }] });
const asked = { namedModel: { name: "m" }, modelPreferences: { hints: [{ name: "m" }] } };

const decided: { readonly [member: string]: () => void } = {
  input: () => {
    expect(well({}).request).toEqual({ kind: "embedding", ...asked, messages: [said("a")] });
    expect(well({ input: ["a", "b"] }).request.messages).toEqual([said("a"), said("b")]);
  },
  model: () => expect(well({ model: "auto" }).request).toEqual({ kind: "embedding", messages: [said("a")] }),
  dimensions: () => expect(read({ dimensions: 256 })).toMatchObject({ ok: true, value: { request: { dimensions: 256 }, notes: [] } }),
  encoding_format: () => expect(well({ encoding_format: "base64" }).encoding).toBe("base64"),
  user: () => expect(well({ user: "u" })).toMatchObject({ request: well({}).request, notes: ["Not passed on: /user."], ignored: ["user"] }),
};

test("the SDK declares no member that nobody decided about", () => {
  expect(sdkTypes("embeddings").members.get("EmbeddingCreateParams")?.toSorted()).toEqual(Object.keys(decided).toSorted());
});
test.each(Object.entries(decided))("%s", (_member, check) => check());

test.each<[unknown, string]>([
  [[1, 2], "/input"],
  [[[1, 2]], "/input"],
  ["", "/input/0"],
  [[], "/input"],
  [["a", ""], "/input/1"],
  [["a", 1], "/input/1"],
  [Array(2_049).fill("a"), "/input"],
  ["\ud800", "/input"],
  [undefined, "/input"],
])("an input that is no text or list of texts is refused: %j", (input, pointer) => {
  expect(read({ input })).toMatchObject({ ok: false, error: { errors: [{ pointer }] } });
});

test("a member that the API does not have is noted, and reviewers are not shown its name", () => {
  expect(well({ "<b>free text": 1 })).toMatchObject({ notes: ["Not passed on: /<b>free text."], ignored: ["other"] });
});

test("any value at all is read or refused", () => {
  fc.assert(fc.property(fc.anything(), (value) => void parseEmbedding(value)));
  fc.assert(fc.property(fc.record({ model: fc.jsonValue(), input: fc.jsonValue() }), (value) => void parseEmbedding(value)));
});

describe("the answer", () => {
  const vectors = [
    [0.5, -1],
    [2, 0],
  ];
  const outcome: Completed = {
    kind: "completed",
    answered: { kind: "embedding" },
    reply: { content: vectors.map((vector) => ({ type: "embedding", vector })), model: "vendor/m" },
    meta: {
      id: "run-1",
      model: { id: "m", why: "It was asked for." },
      edited: { request: false, response: false },
      usage: { inputTokens: 3, outputTokens: 0, costUsd: 0.5 },
    },
  };

  test("has the vectors in their order, and what they cost", () => {
    expect(embeddingsAnswer(outcome, { encoding: "float", notes: [] })).toEqual({
      object: "list",
      data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
      model: "vendor/m",
      usage: { prompt_tokens: 3, total_tokens: 3 },
      countersign: {
        run: "run-1",
        model: { id: "m", why: "It was asked for." },
        edited: { request: false, response: false },
        cost_usd: 0.5,
      },
    });
  });

  test("in base64 is their little-endian 32-bit floats", () => {
    const { data } = embeddingsAnswer(outcome, { encoding: "base64", notes: [] });
    const bytes = (data as { embedding: string }[]).map(({ embedding }) => Buffer.from(embedding, "base64"));
    expect(bytes.map((each) => [each.readFloatLE(0), each.readFloatLE(4)])).toEqual(vectors);
  });
});
