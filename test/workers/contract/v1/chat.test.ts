// Chat completions through the official SDK: text, streams, tools, reviews at each gate, denials
// and errors.

import { APIError, BadRequestError, type OpenAI } from "openai";
import { beforeEach, describe, expect, test } from "vitest";
import { everyKind, gates } from "../../support/control.ts";
import { configure, createKey, eventually, gateway, model, openNotice } from "../../support/gateway.ts";
import { decide, pathOf } from "../../support/reviewer.ts";
import { recordLines } from "../../support/record.ts";
import { chatOf, clientOf, postV1, runIn } from "../../support/v1.ts";

beforeEach(async () => {
  await gates();
  await configure("routing", everyKind);
});

test("a completion has the reply, the usage and what the gateway knows of it", async () => {
  model.script({ text: "Paris." });
  const answer = await clientOf().chat.completions.create(chatOf("Capital of France?", { seed: 7 }));
  expect(answer).toMatchObject({
    object: "chat.completion",
    model: "vendor/first",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Paris.", refusal: null } }],
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    countersign: { model: { id: "first" }, edited: { request: false, response: false }, notes: ["Not passed on: /seed."] },
  });
  expect(model.calls[0]?.body).toMatchObject({ max_tokens: 100, messages: [{ role: "user", content: "Capital of France?" }] });
});

test("what the provider's cache saved is in the usage as OpenAI has it, whole and streamed", async () => {
  const usage = { input: 1_000, output: 5, cached: 600, written: 300 };
  const expected = {
    prompt_tokens: 1_000,
    completion_tokens: 5,
    total_tokens: 1_005,
    prompt_tokens_details: { cached_tokens: 600, cache_write_tokens: 300 },
  };
  model.script({ usage }, { usage });
  expect((await clientOf().chat.completions.create(chatOf("Capital?"))).usage).toEqual(expected);
  const stream = await clientOf().chat.completions.create({
    ...chatOf("Capital of Norway?"),
    stream: true,
    stream_options: { include_usage: true },
  });
  let last;
  for await (const chunk of stream) last = chunk;
  expect(last?.usage).toEqual(expected);
});

test("a stream comes as the model writes", async () => {
  model.script({ pieces: ["Par", "is."] });
  const texts: string[] = [];
  const stream = await clientOf().chat.completions.create({
    ...chatOf("Capital?"),
    stream: true,
    stream_options: { include_usage: true },
  });
  let last;
  for await (const chunk of stream) {
    texts.push(chunk.choices[0]?.delta.content ?? "");
    last = chunk;
  }
  expect(texts.join("")).toBe("Paris.");
  expect(texts.filter((text) => text !== "")).toHaveLength(2);
  expect(last).toMatchObject({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5 } });
});

test.each([false, true])("a loop of tools, with two calls at once (stream: %s)", async (stream) => {
  model.script(
    {
      calls: [
        { id: "a", name: "add", input: { x: 1 } },
        { id: "b", name: "add", input: { x: 2 } },
      ],
    },
    { text: "3" },
  );
  const tools = [{ type: "function" as const, function: { name: "add", parameters: { type: "object" } } }];
  const runner = clientOf().chat.completions;
  const asked = { ...chatOf("1 + 2?"), tools };
  const first = stream ? await runner.stream(asked).finalChatCompletion() : await runner.create(asked);
  const [choice] = first.choices;
  expect(choice?.finish_reason).toBe("tool_calls");
  const calls = choice?.message.tool_calls ?? [];
  expect(calls.map((call) => ("function" in call ? call.function : null))).toMatchObject([
    { name: "add", arguments: '{"x":1}' },
    { name: "add", arguments: '{"x":2}' },
  ]);
  const second = await runner.create({
    ...asked,
    messages: [
      ...asked.messages,
      { role: "assistant", content: null, tool_calls: calls },
      ...calls.map(({ id }) => ({ role: "tool" as const, tool_call_id: id, content: "ok" })),
    ],
  });
  expect(second.choices[0]?.message.content).toBe("3");
  expect(model.calls[1]?.body["messages"]).toMatchObject([{ role: "user" }, { role: "assistant" }, { role: "tool" }, { role: "tool" }]);
});

describe("reviews", () => {
  test.each(["request", "response"] as const)("an edit at the %s gate counts", async (gate) => {
    await gates({ [gate]: "review" });
    model.script({ text: "Paris." });
    const asked = clientOf().chat.completions.create(chatOf("Capital?"));
    await decide(gate, "approve");
    const answer = await asked;
    expect(answer.choices[0]?.message.content).toBe("Paris.");
  });

  test.each([false, true])("a denial is an error that is not sent again (stream: %s)", async (stream) => {
    await gates({ request: "review" });
    const client = clientOf(undefined, { maxRetries: 2 });
    const asked = client.chat.completions.create({ ...chatOf("Capital?"), stream }).then(async (answer) => {
      if (Symbol.asyncIterator in answer) for await (const _chunk of answer);
    });
    const caught = asked.catch((error: unknown) => error);
    await decide("request", "deny");
    const error = await caught;
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: "review_denied", type: "permission_error", ...(stream ? {} : { status: 403 }) });
    expect(model.calls).toHaveLength(0);
  });
});

describe("errors", () => {
  test("have OpenAI's shape and point at the member", async () => {
    const error = await clientOf()
      .chat.completions.create(chatOf("?", { n: 2 }))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param: "n", code: "invalid_value", type: "invalid_request_error" });
  });

  test("a key without the scope, an unknown key, an unknown model", async () => {
    const { key } = await createKey({ scopes: ["sampling"] });
    const statusOf = (client: OpenAI, more: object = {}): Promise<unknown> =>
      client.chat.completions.create(chatOf("?", more)).then(
        () => 200,
        (error: unknown) => (error instanceof APIError ? [error.status, error.code] : error),
      );
    expect(await statusOf(clientOf(key))).toEqual([403, "wrong_scope"]);
    expect(await statusOf(clientOf("csk_wrong"))).toEqual([401, "invalid_api_key"]);
    expect(await statusOf(clientOf(), { model: "gpt-9" })).toEqual([404, "model_not_found"]);
  });

  test("other paths name what there is", async () => {
    const answer = await postV1("/completions", {});
    expect([answer.status, await answer.json()]).toMatchObject([
      404,
      { error: { message: expect.stringContaining("/v1/chat/completions") } },
    ]);
  });
});

test("a body that is longer than its key's limit is refused, and its record says so", async () => {
  const { key, id } = await createKey({ limits: { bodyBytes: 1_024 } });
  const answer = await postV1("/chat/completions", chatOf("x".repeat(1_024)), {}, key);
  expect(answer.status).toBe(413);
  expect((await postV1("/chat/completions", chatOf("x"), {}, key)).status).toBe(200);
  await eventually("the record", async () =>
    (await recordLines()).some(({ fact }) => fact.kind === "refused" && fact.key === id && JSON.stringify(fact).includes("1024")),
  );
});

test("the same Idempotency-Key is the same request: it is paid once", async () => {
  model.script({ text: "once" });
  const headers = { "Idempotency-Key": "abc" };
  const first = await clientOf().chat.completions.create(chatOf("?"), { headers });
  const second = await clientOf().chat.completions.create(chatOf("?"), { headers });
  expect(runIn(second)).toBe(runIn(first));
  expect(model.calls).toHaveLength(1);
  const other = await postV1("/chat/completions", chatOf("!"), headers);
  expect(other.status).toBe(409);
});

test("the same Idempotency-Key of another key is another request: nobody gets its answer", async () => {
  const headers = { "Idempotency-Key": "of-two-keys" };
  const { key } = await createKey({ scopes: ["v1"] });
  const first = await clientOf().chat.completions.create(chatOf("?"), { headers });
  const second = await clientOf(key).chat.completions.create(chatOf("?"), { headers });
  expect(runIn(second)).not.toBe(runIn(first));
  expect(model.calls).toHaveLength(2);
  expect((await postV1("/chat/completions", chatOf("!"), headers, key)).status).toBe(409);
});

test("the same Idempotency-Key at another endpoint is another request, also with the same body", async () => {
  await configure("routing", everyKind);
  const both = { ...chatOf("?"), model: "auto", input: "?" };
  const headers = { "Idempotency-Key": "both" };
  expect((await postV1("/chat/completions", both, headers)).status).toBe(200);
  expect((await postV1("/embeddings", both, headers)).status).toBe(409);
});

test("the record has the request as one of this endpoint", async () => {
  const answer = await clientOf().chat.completions.create(chatOf("?"));
  const [first] = await eventually("the record", async () => {
    const lines = await recordLines({ run: runIn(answer) });
    return lines.length === 0 ? null : lines;
  });
  expect(first).toMatchObject({ fact: { kind: "received", endpoint: "v1", server: "v1", name: "chat.completions", provenance: "own" } });
});

test("embeddings come as numbers and as the SDK asks for them", async () => {
  await configure("routing", everyKind);
  const { data } = await clientOf().embeddings.create({ model: "vectors", input: ["a", "b"] });
  const plain = await clientOf().embeddings.create({ model: "vectors", input: ["a", "b"], encoding_format: "float" });
  expect(data).toHaveLength(2);
  for (const [i, { embedding }] of data.entries())
    for (const [j, value] of embedding.entries()) expect(value).toBeCloseTo(plain.data[i]?.embedding[j] ?? Number.NaN, 5);
});

test("the size of embeddings is asked of models that take it, shown to reviewers, and checked", async () => {
  const sized = (size: number) => clientOf().embeddings.create({ model: "vectors", input: "a", dimensions: size });
  await expect(sized(3)).rejects.toMatchObject({
    status: 404,
    error: {
      details: {
        models: expect.arrayContaining([{ model: "vectors", reason: expect.stringContaining("dimensions") as string }]) as unknown,
      },
    },
  });
  const models = everyKind.models.map((each) =>
    "tasks" in each && each.tasks?.[0] === "embedding" ? { ...each, takes: ["dimensions"] } : each,
  );
  await configure("routing", { ...everyKind, models });
  await gates({ request: "review" });
  const asked = sized(3).then(({ data }) => data[0]?.embedding.length);
  const { link } = await openNotice("request");
  expect(await (await gateway(pathOf(link), { key: null })).text()).toMatch(/Dimensions<[^]{0,40}>3</);
  await decide("request", "approve");
  expect(await asked).toBe(3);
  expect(model.calls[0]?.body).toMatchObject({ dimensions: 3 });
  await gates();
  await expect(sized(4)).rejects.toMatchObject({ status: 502 });
});

test("the models are those that the key may use", async () => {
  const { key } = await createKey({ models: ["first", "vectors"] });
  const ids = (await clientOf(key).models.list()).data.map(({ id }) => id);
  expect(ids).toEqual(["auto", "first", "vectors"]);
  expect(await clientOf(key).models.retrieve("first")).toMatchObject({ id: "first", owned_by: "scripted" });
  await expect(clientOf(key).models.retrieve("second")).rejects.toMatchObject({ status: 404 });
});
