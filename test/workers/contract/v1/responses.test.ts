// Responses through the official SDK: a second spelling of chat completions, with the same reviews,
// budgets, limits, tokens and record.

import { APIError, BadRequestError } from "openai";
import { zodResponsesFunction, zodTextFormat } from "openai/helpers/zod";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { images } from "../../../support/image-files.ts";
import { everyKind, gates } from "../../support/control.ts";
import { configure, createKey, eventually, gateway, jsonBody, model, openNotice } from "../../support/gateway.ts";
import { answerAt } from "../../support/provider.ts";
import { decide } from "../../support/reviewer.ts";
import { recordLines } from "../../support/record.ts";
import { chatOf, clientOf, inputOf, postV1, runIn } from "../../support/v1.ts";

const responses = () => clientOf().responses;

beforeEach(async () => {
  await gates();
  await configure("routing", everyKind);
});

test("a response has the reply, the usage and what the gateway knows of it", async () => {
  model.script({ text: "Paris.", usage: { input: 12, output: 5, cached: 6, written: 3 } });
  const answer = await responses().create(inputOf("Capital of France?", { instructions: "Be brief.", user: "u" }));
  expect(answer).toMatchObject({
    object: "response",
    status: "completed",
    model: "vendor/first",
    output_text: "Paris.",
    output: [{ type: "message", role: "assistant", status: "completed" }],
    usage: { input_tokens: 12, input_tokens_details: { cached_tokens: 6, cache_write_tokens: 3 }, output_tokens: 5, total_tokens: 17 },
    store: false,
    countersign: { model: { id: "first" }, edited: { request: false, response: false }, notes: ["Not passed on: /user."] },
  });
  expect(model.calls[0]?.body).toMatchObject({
    max_tokens: 100,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Capital of France?" },
    ],
  });
});

test("a stream comes as the model writes", async () => {
  model.script({ pieces: ["Par", "is."] });
  const types: string[] = [];
  const stream = responses().stream(inputOf("Capital?"));
  for await (const event of stream) types.push(event.type);
  expect(types).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  expect((await stream.finalResponse()).output_text).toBe("Paris.");
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
  const tools = [zodResponsesFunction({ name: "add", parameters: z.object({ x: z.number() }) })];
  const asked = { ...inputOf("1 + 2?"), tools };
  const first = stream ? await responses().stream(asked).finalResponse() : await responses().parse(asked);
  const calls = first.output.flatMap((item) => (item.type === "function_call" ? [item] : []));
  expect(calls).toMatchObject([
    { call_id: "a", name: "add", parsed_arguments: { x: 1 } },
    { call_id: "b", name: "add", parsed_arguments: { x: 2 } },
  ]);
  const second = await responses().create({
    ...asked,
    input: [
      { role: "user", content: "1 + 2?" },
      ...calls,
      ...calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: "ok" })),
    ],
  });
  expect(second).toMatchObject({ output_text: "3", countersign: { notes: ["Not passed on: /tools/0/strict."] } });
  expect(model.calls[1]?.body["messages"]).toMatchObject([{ role: "user" }, { role: "assistant" }, { role: "tool" }, { role: "tool" }]);
});

test("a reply by a schema is parsed", async () => {
  model.script({ text: '{"city":"Paris"}' });
  const format = zodTextFormat(z.object({ city: z.string() }), "capital");
  const answer = await responses().parse(inputOf("Capital?", { text: { format } }));
  expect(answer.output_parsed).toEqual({ city: "Paris" });
});

describe("reviews", () => {
  test.each(["request", "response"] as const)("an edit at the %s gate counts", async (gate) => {
    await gates({ [gate]: "review" });
    model.script({ text: "Paris." });
    const asked = responses().create(inputOf("Capital of France?"));
    await decide(gate, "approve", undefined, (fields) => {
      for (const [name, value] of fields)
        if (name.startsWith("edit:")) fields.set(name, value.replace("France", "Norway").replace("Paris", "Oslo"));
    });
    expect(await asked).toMatchObject({ output_text: gate === "request" ? "Paris." : "Oslo.", countersign: { edited: { [gate]: true } } });
    expect(JSON.stringify(model.calls[0]?.body)).toContain(gate === "request" ? "Norway" : "France");
  });

  test("no part of a stream's reply is sent before it is approved; the response is in progress until then", async () => {
    await gates({ response: "review" });
    model.script({ pieces: ["Par", "is."] });
    const answer = await postV1("/responses", inputOf("Capital?", { stream: true }));
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    let sent = "";
    const { link } = await openNotice("response");
    while (!sent.includes("response.in_progress")) sent += (await reader?.read())?.value ?? "";
    expect(link).not.toBe("");
    expect([...sent.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual(["response.created", "response.in_progress"]);
    expect(sent).not.toContain("Par");
    await decide("response", "approve");
    for (let piece = await reader?.read(); piece !== undefined && !piece.done; piece = await reader?.read()) sent += piece.value;
    expect(
      [...sent.matchAll(/^event: response\.output_text\.delta\ndata: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data) as object),
    ).toMatchObject([{ delta: "Paris." }]);
  });

  test.each([false, true])("a denial is an error that is not sent again (stream: %s)", async (stream) => {
    await gates({ request: "review" });
    const asked = clientOf(undefined, { maxRetries: 2 })
      .responses.create({ ...inputOf("Capital?"), stream })
      .then(async (answer) => {
        if (Symbol.asyncIterator in answer) for await (const _event of answer);
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
  test.each<[object, string | null, string]>([
    [{ store: true }, "store", "must be false"],
    [{ previous_response_id: "resp_1" }, "previous_response_id", "send the whole conversation in input"],
    [{ background: true }, "background", "must be false"],
    [{ conversation: "conv_1" }, "conversation", "not stored"],
    [{ tools: [{ type: "web_search" }] }, "tools[0].type", "no reviewer sees what they send out"],
    [{ input: [{ type: "item_reference", id: "msg_1" }] }, "input[0]", "send the item itself"],
  ])("have OpenAI's shape and say what to do: %j", async (more, param, sentence) => {
    const error = await responses()
      .create(inputOf("?", more))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ param, code: "invalid_value", message: expect.stringContaining(sentence) });
  });

  test("a key without the scope, an unknown model, a budget that is used up, a body over the key's limit", async () => {
    const statusOf = (key: string | undefined, more: object = {}): Promise<unknown> =>
      clientOf(key)
        .responses.create(inputOf("?", more))
        .then(
          () => 200,
          (error: unknown) => (error instanceof APIError ? [error.status, error.code] : error),
        );
    expect(await statusOf((await createKey({ scopes: ["sampling"] })).key)).toEqual([403, "wrong_scope"]);
    expect(await statusOf(undefined, { model: "gpt-9" })).toEqual([404, "model_not_found"]);
    expect(await statusOf((await createKey({ budget: { tokens: 10, per: "month" } })).key)).toEqual([402, "insufficient_quota"]);
    const { key } = await createKey({ limits: { bodyBytes: 1_024 } });
    expect(await statusOf(key, { input: "x".repeat(1_024) })).toEqual([413, "invalid_value"]);
  });

  test("a response that is asked for by its id is at no path", async () => {
    await expect(responses().retrieve("resp_1")).rejects.toMatchObject({ status: 404, code: "unknown_url" });
  });
});

test("the same Idempotency-Key is the same request here, and another one at chat completions", async () => {
  const headers = { "Idempotency-Key": "of-responses" };
  const first = await responses().create(inputOf("?"), { headers });
  const second = await responses().create(inputOf("?"), { headers });
  expect(runIn(second)).toBe(runIn(first));
  expect(model.calls).toHaveLength(1);
  expect((await postV1("/responses", inputOf("!"), headers)).status).toBe(409);
  const both = { ...chatOf("?"), ...inputOf("?") };
  expect((await postV1("/responses", both, { "Idempotency-Key": "both" })).status).toBe(200);
  expect((await postV1("/chat/completions", both, { "Idempotency-Key": "both" })).status).toBe(409);
});

test("a scoped token asks for its client request, and its models alone", async () => {
  const { key } = await createKey();
  const originatingRequest = { id: 1, method: "tools/call", name: "summarize", server: "open" };
  const made = await gateway("/tokens", { key, ...jsonBody("POST", { session: "s", originatingRequest, maxUsd: 1, models: ["first"] }) });
  const { token } = await made.json<{ token: string }>();
  const run = runIn(await clientOf(token).responses.create(inputOf("?")));
  await expect(clientOf(token).responses.create(inputOf("?", { model: "second" }))).rejects.toMatchObject({ status: 404 });
  const [line] = await eventually("the record", async () => {
    const lines = await recordLines({ run });
    return lines.length === 0 ? null : lines;
  });
  expect(line).toMatchObject({ fact: { kind: "received", endpoint: "v1", server: "open", name: "summarize" } });
});

test("the record has the request as one of this endpoint", async () => {
  const answer = await responses().create(inputOf("?"));
  const [first] = await eventually("the record", async () => {
    const lines = await recordLines({ run: runIn(answer) });
    return lines.length === 0 ? null : lines;
  });
  expect(first).toMatchObject({ fact: { kind: "received", endpoint: "v1", server: "v1", name: "responses", provenance: "own" } });
});

test("an image by its address is fetched from a listed host, and one that is not there is refused where it stands", async () => {
  answerAt("https://images.example.com", (request) =>
    request.url.endsWith("/a.png")
      ? new Response(images["image/png"], { headers: { "Content-Type": "image/png" } })
      : new Response("", { status: 404 }),
  );
  await gates({}, { imageHosts: ["images.example.com"] });
  const about = (path: string) =>
    inputOf("", {
      input: [{ role: "user", content: [{ type: "input_image", detail: "auto", image_url: `https://images.example.com${path}` }] }],
    });
  await responses().create(about("/a.png"));
  expect(JSON.stringify(model.calls[0]?.body)).toContain("data:image/png;base64,");
  await expect(responses().create(about("/gone.png"))).rejects.toMatchObject({ status: 400, param: "input[0].content[0].image_url" });
});

test("an SDK's retry waits for the review of its first attempt", async () => {
  await gates({ request: "review" });
  const first = postV1("/responses", inputOf("?"));
  await openNotice("request");
  const second = postV1("/responses", inputOf("?"), { "X-Stainless-Retry-Count": "1" });
  await decide("request", "approve");
  const runs = await Promise.all([first, second].map(async (answer) => runIn(await (await answer).json<object>())));
  expect(new Set(runs).size).toBe(1);
  expect(model.calls).toHaveLength(1);
});
