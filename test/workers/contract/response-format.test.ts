// `countersign/responseFormat` at every endpoint that MCP servers reach: what the model is told,
// what a reply has to be, and what reviewers see.

import { beforeEach, describe, expect, test } from "vitest";
import { jsonSentence } from "../../../shared/wire/json-sentence.ts";
import { ringNextAlarm, stubOf } from "../objects/inside.ts";
import { answerOf, configure, eventually, gateway, model, openNotice, routing, runReaches, sample, travel } from "../support/gateway.ts";
import { promptMarker, replyMarker } from "../support/logs.ts";
import {
  type Message,
  RelayClient,
  type Upstream,
  configureServers,
  eventFor,
  openStream,
  responseTo,
  samplingRequest,
  scriptUpstream,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { recordLines } from "../support/record.ts";
import { decide, pathOf, press } from "../support/reviewer.ts";
import { StatelessClient, samplesOnce, samplingInput } from "../support/stateless.ts";

const key = "countersign/responseFormat";
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const json = { [key]: { type: "json", schema } };
const paris = `{"city":"Paris ${replyMarker}"}`;
const bodyOf = (call = 0): Record<string, unknown> => model.calls[call]?.body ?? {};

describe("at /sampling", () => {
  test("the model is told in its API's own way and in words, and the reply is the JSON", async () => {
    model.script({ text: paris });
    const { result } = await answerOf(sample({ meta: json, params: { systemPrompt: "Be brief." } }));
    expect(result).toMatchObject({ content: { type: "text", text: paris } });
    expect(bodyOf()["response_format"]).toEqual({ type: "json_schema", json_schema: { name: "reply", schema, strict: false } });
    const [system] = bodyOf()["messages"] as { role: string; content: string }[];
    expect(system?.content).toBe(`Be brief.\n\n${jsonSentence} The value must fit this JSON Schema: ${JSON.stringify(schema)}`);
  });

  test("a fence around the JSON is removed", async () => {
    model.script({ text: `\`\`\`json\n${paris}\n\`\`\`` });
    expect((await answerOf(sample({ meta: json }))).result).toMatchObject({ content: { text: paris } });
  });

  test("a reply that does not fit goes to the next candidate", async () => {
    model.script({ text: `It is Paris. ${replyMarker}` }, { text: paris });
    const { result } = await answerOf(sample({ meta: json }));
    expect(result).toMatchObject({ content: { text: paris }, model: "vendor/second" });
    expect(model.calls).toHaveLength(2);
  });

  test("where no candidate's reply fits, the answer is -32011 and has nothing of the replies", async () => {
    model.script({ text: `It is Paris. ${replyMarker}` }, { text: `{"town":"Paris ${replyMarker}"}` });
    const { error } = await answerOf(sample({ meta: json }));
    expect(error).toMatchObject({ code: -32011, data: { attempts: [{ detail: "replyNotJson" }, { detail: "replyNotJson" }] } });
    expect(JSON.stringify(error)).not.toContain("Paris");
  });

  test("a call of a tool is no answer yet, and need not be JSON", async () => {
    const weather = { name: "weather", inputSchema: { type: "object" } };
    model.script({ calls: [{ id: "call_1", name: "weather", input: { city: "Oslo" } }] });
    const { result } = await answerOf(sample({ meta: json, params: { tools: [weather] } }));
    expect(result).toMatchObject({ stopReason: "toolUse", content: { type: "tool_use", name: "weather" } });
  });

  test("a model of Anthropic's is told in the system prompt", async () => {
    const [first] = routing.models;
    await configure("routing", {
      providers: { scripted: { ...routing.providers.scripted, kind: "anthropic" } },
      models: [first],
    });
    model.script({ text: paris });
    expect((await answerOf(sample({ meta: json }))).result).toMatchObject({ content: { text: paris } });
    expect(String(bodyOf()["system"])).toContain(JSON.stringify(schema));
  });

  test.each<[string, unknown, string]>([
    ["a type that is not there", { type: "xml" }, "/_meta/countersign~1responseFormat/type"],
    ["a schema that is none", { type: "json", schema: { type: "city" } }, "/_meta/countersign~1responseFormat/schema/type"],
    ["a member that is not known", { type: "json", strict: true }, "/_meta/countersign~1responseFormat"],
  ])("%s is -32602 with its pointer, and no model is called", async (_what, format, pointer) => {
    const { error } = await answerOf(sample({ meta: { [key]: format } }));
    expect(error).toMatchObject({ code: -32602, data: { errors: [{ pointer }] } });
    expect(model.calls).toEqual([]);
    const refused = await eventually("the refusal in the record", async () =>
      (await recordLines()).find(({ fact }) => fact.kind === "refused"),
    );
    expect(refused.fact).toMatchObject({ server: "open", name: "summarize" });
  });

  test("the same id with another format is another request, and is refused", async () => {
    model.script({ text: paris });
    const request = { id: 7, originating: "formats" };
    expect((await answerOf(sample({ ...request, meta: json }))).result).toBeDefined();
    const text = await answerOf(sample(request));
    expect(text.error).toMatchObject({ code: -32600 });
    // The same format is the same request.
    expect((await answerOf(sample({ ...request, meta: json }))).result).toMatchObject({ content: { text: paris } });
    expect(model.calls).toHaveLength(1);
  });
});

describe("for reviewers", () => {
  test("the page shows the format with its schema, and whose words the system prompt has", async () => {
    model.script({ text: paris });
    const waiting = sample({ server: "request-gate", meta: json });
    const { link } = await openNotice("request");
    const page = await (await gateway(pathOf(link), { key: null })).text();
    for (const words of [
      "The reply must be JSON that fits this schema:",
      "with Countersign’s words for the format of the reply",
      "Answer with one JSON value and nothing else",
    ])
      expect(page).toContain(words);
    await decide("request", "approve");
    expect((await answerOf(waiting)).result).toMatchObject({ content: { text: paris } });
  });

  test("an edit of the reply has to fit, and says so where it does not", async () => {
    model.script({ text: paris });
    const waiting = sample({ server: "response-gate", meta: json });
    const { link } = await openNotice("response");
    const edit = "edit:/content/0/text";
    for (const text of ["Lyon", '{"town":"Lyon"}']) {
      const refused = await press(link, "approve", (fields) => fields.set(edit, text));
      expect(refused.status).toBe(422);
      expect(await refused.text()).toContain("This must stay JSON that matches the schema in the prompt, as requested.");
    }
    await decide("response", "approve", undefined, (fields) => fields.set(edit, '{"city":"Lyon"}'));
    expect((await answerOf(waiting)).result).toMatchObject({ content: { text: '{"city":"Lyon"}' } });
  });

  test("a reply that they write has to fit too", async () => {
    const waiting = sample({ server: "request-gate", meta: json });
    const { link } = await openNotice("request");
    expect((await press(link, "answer", (fields) => fields.set("answer", "Lyon"))).status).toBe(422);
    expect((await press(link, "answer", (fields) => fields.set("answer", '{"city":"Lyon"}'))).status).toBe(303);
    expect((await answerOf(waiting)).result).toMatchObject({ model: "human", content: { text: '{"city":"Lyon"}' } });
    expect(model.calls).toEqual([]);
  });
});

describe("at the relay", () => {
  const url = `${upstreamOrigin}/mcp`;
  let upstream: Upstream;
  beforeEach(async () => {
    upstream = scriptUpstream();
    await configureServers({ open: { url }, "open-modern": { url, protocol: "2026" } });
  });

  /** What the server is told of a sampling request that it asks while it handles a call. */
  async function answerTo(params: object, revision: string): Promise<Message> {
    const client = new RelayClient();
    await client.connect({}, revision);
    const stream = openStream();
    upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
    stream.say(eventFor(samplingRequest("ask-1", `${promptMarker} Where?`, params)));
    const call = client.call(1);
    const answer = await eventually("an answer to ask-1", async () => upstream.answersTo("ask-1")[0]);
    stream.say(eventFor(responseTo(1)));
    stream.end();
    await (await call).text();
    return answer;
  }

  test.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("of %s the format is the server's own", async (revision) => {
    model.script({ text: paris });
    expect((await answerTo({ _meta: json }, revision)).result).toMatchObject({ content: { type: "text", text: paris } });
    expect(bodyOf()["response_format"]).toMatchObject({ json_schema: { schema } });
  });

  test.each(["2025-06-18", "2025-11-25"])("of %s a format that cannot be checked is -32602 with its pointer", async (revision) => {
    const { error } = await answerTo({ _meta: { [key]: { type: "json", schema: { type: 1 } } } }, revision);
    expect(error).toMatchObject({ code: -32602, data: { errors: [{ pointer: "/_meta/countersign~1responseFormat/schema/type" }] } });
  });

  test("of 2026-07-28 the reply among the answers is the JSON", async () => {
    model.script({ text: paris });
    upstream.answer = samplesOnce({ reply: samplingInput("Where?", { _meta: json }) });
    const { result } = await new StatelessClient("open-modern").callToEnd();
    expect(JSON.stringify(result)).toContain("Paris");
    expect(bodyOf()["response_format"]).toMatchObject({ json_schema: { schema } });
  });

  test("of 2026-07-28 a format that cannot be checked ends the call", async () => {
    upstream.answer = samplesOnce({ reply: samplingInput("Where?", { _meta: { [key]: { type: "yaml" } } }) });
    const { result } = await new StatelessClient("open-modern").callToEnd();
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^Invalid params: /) }] });
    expect(model.calls).toEqual([]);
  });
});

test("a reply in prose that was kept for an identical request does not answer one that requires JSON", async () => {
  const left = await sample({ server: "request-gate" });
  const { run, link } = await openNotice("request");
  await left.body?.cancel();
  await eventually("the requestor gone", async () =>
    (await (await gateway(pathOf(link), { key: null })).text()).includes("has disconnected"),
  );
  // Past the moment in which a dropped connection may come back.
  travel(3_500);
  await ringNextAlarm(stubOf(run));
  model.script({ text: `It is Paris. ${replyMarker}` }, { text: paris });
  await decide("request", "approve", run);
  await runReaches(run, "completed");
  const again = { session: "sess-2", server: "request-gate", originating: "another" };
  const waiting = sample({ ...again, meta: json });
  await decide("request", "approve");
  expect((await answerOf(waiting)).result).toMatchObject({ content: { text: paris } });
  // The reply in prose is still there, for a request that takes one.
  expect((await answerOf(sample(again))).result).toMatchObject({ content: { text: expect.stringContaining("It is Paris.") as string } });
  expect(model.calls).toHaveLength(2);
});
