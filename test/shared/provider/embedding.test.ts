import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fits } from "../../../shared/json/fields.ts";
import { samplingReply } from "../../../shared/model/sampling.ts";
import { embeddingReply, joinEmbeddings, textsToEmbed } from "../../../shared/provider/embedding.ts";
import { embeddingCalls, fromEmbeddings, toEmbeddings } from "../../../shared/provider/openai/openai-embeddings.ts";
import { embeddings } from "../../support/providers/openai-wire.ts";
import { candidate, text, user } from "../../support/providers/requests.ts";

const { model } = candidate("openai");

test("texts are sent as a list, and numbers are asked for", () => {
  expect(toEmbeddings(["a", "b"], model)).toEqual({ model: "vendor/model-1", input: ["a", "b"], encoding_format: "float" });
});

test("vectors come back in the texts' order, whatever order the provider used", () => {
  const data = [
    { index: 1, embedding: [3, 4] },
    { index: 0, embedding: [1, 2] },
  ];
  expect(fromEmbeddings({ data, model: "real", usage: { prompt_tokens: 9 } }, ["a", "b"], model)).toEqual({
    ok: true,
    value: {
      vectors: [
        [1, 2],
        [3, 4],
      ],
      model: "real",
      usage: { inputTokens: 9, outputTokens: 0 },
    },
  });
});

test.each([
  ["too few vectors", { data: [] }],
  [
    "two vectors for one text",
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    },
  ],
  [
    "vectors of different sizes",
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [1, 2] },
      ],
    },
  ],
  [
    "text in a vector",
    {
      data: [
        { index: 0, embedding: ["1"] },
        { index: 1, embedding: [1] },
      ],
    },
  ],
  [
    "base64 where numbers were asked for",
    {
      data: [
        { index: 0, embedding: "AAAA" },
        { index: 1, embedding: "AAAA" },
      ],
    },
  ],
  ["an error document", { error: { message: "no" } }],
  ["too many vectors", { data: [{ embedding: [1] }, { embedding: [1] }, { embedding: [1] }] }],
  ["no list", { data: { 0: { embedding: [1] }, 1: { embedding: [1] } } }],
  ["an empty vector", { data: [{ embedding: [] }, { embedding: [] }] }],
  ["a gap in a vector", { data: [{ embedding: [1, null] }, { embedding: [1, 2] }] }],
  ["a number that is too large for one", JSON.parse('{"data": [{"embedding": [1e999]}, {"embedding": [1]}]}')],
  [
    "a place that no text has",
    {
      data: [
        { index: 2, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    },
  ],
  [
    "a place that is none",
    {
      data: [
        { index: "0", embedding: [1] },
        { index: 1, embedding: [1] },
      ],
    },
  ],
  ["a place that only one says, and that another has", { data: [{ index: 1, embedding: [1] }, { embedding: [1] }] }],
])("%s is a broken answer", (_name, response) => {
  expect(fromEmbeddings(response, ["a", "b"], model)).toMatchObject({ ok: false, error: { kind: "brokenAnswer", then: "next" } });
});

test("vectors without places stand in the order that they came, and what is not counted is estimated", () => {
  const response = { data: [{ embedding: [1] }, { embedding: [2] }] };
  expect(fromEmbeddings(response, ["abcd", "efgh"], model)).toEqual({
    ok: true,
    value: { vectors: [[1], [2]], model: "vendor/model-1", usage: { inputTokens: 2, outputTokens: 0, estimated: true } },
  });
});

test("a broken answer tells what it cost", () => {
  expect(fromEmbeddings({ data: [], usage: { prompt_tokens: 9 } }, ["a"], model)).toMatchObject({
    ok: false,
    error: { usage: { inputTokens: 9, outputTokens: 0 } },
  });
});

describe("more texts than a call takes", () => {
  test("go out in several, each of at most a hundred, in order", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 450 }), (texts) => {
        const calls = embeddingCalls(texts);
        expect(calls.flat()).toEqual(texts);
        expect(calls.every(({ length }) => length > 0 && length <= 100)).toBe(true);
        expect(calls).toHaveLength(Math.ceil(texts.length / 100));
      }),
    );
  });

  const part = (vector: number[], estimated?: true) => ({
    vectors: [vector],
    model: "real",
    usage: { inputTokens: 2, outputTokens: 0, ...(estimated === undefined ? {} : { estimated }) },
  });

  test("come to one answer, with all tokens together", () => {
    expect(joinEmbeddings([part([1, 2]), part([3, 4], true)])).toEqual({
      ok: true,
      value: {
        vectors: [
          [1, 2],
          [3, 4],
        ],
        model: "real",
        usage: { inputTokens: 4, outputTokens: 0, estimated: true },
      },
    });
  });

  test("are of the size that was asked for, or come to none", () => {
    expect(toEmbeddings(["a"], model, 2)).toMatchObject({ dimensions: 2 });
    expect(joinEmbeddings([part([1, 2])], 2)).toMatchObject({ ok: true });
    expect(joinEmbeddings([part([1, 2, 3])], 2)).toMatchObject({ ok: false, error: { kind: "brokenAnswer", usage: { inputTokens: 2 } } });
  });

  test("come to none where the calls gave vectors of different sizes", () => {
    expect(joinEmbeddings([part([1, 2]), part([3])])).toMatchObject({
      ok: false,
      error: { kind: "brokenAnswer", usage: { inputTokens: 4 } },
    });
  });
});

test("whatever JSON a provider sends, nothing is thrown", () => {
  fc.assert(fc.property(fc.jsonValue(), (response) => void fromEmbeddings(response, ["a"], model)));
  expect(fromEmbeddings(embeddings("m", ["abc"]), ["abc"], model)).toMatchObject({ ok: true, value: { vectors: [[3, 0.5, -0.25]] } });
});

test("a request for vectors gives one text for each message, and its reply one block for each vector", () => {
  const messages = [user(text("Os"), text("lo")), user(text("Rome"))];
  expect(textsToEmbed({ kind: "embedding", messages })).toEqual(["Oslo", "Rome"]);
  const usage = { inputTokens: 2, outputTokens: 0 };
  const reply = embeddingReply({ vectors: [[1], [0.5]], model: "real", usage });
  expect(reply).toEqual({
    reply: {
      content: [
        { type: "embedding", vector: [1] },
        { type: "embedding", vector: [0.5] },
      ],
      model: "real",
    },
    usage,
    notes: [],
  });
  expect(fits(samplingReply, reply.reply)).toBe(true);
});
