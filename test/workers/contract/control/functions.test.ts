// Functions that are tools of configured MCP servers: what a person approves is what the server is
// sent, once.

import { beforeEach, describe, expect, test } from "vitest";
import { listedTool } from "../../../../shared/relay/tool-definition.ts";
import { toolsStub } from "../../../../workers/stubs/stubs.ts";
import { asked, control, controlAnswerOf, envelopeOf, gates, prompt } from "../../support/control.ts";
import { configure, createKey, env, eventually, gateway, model, notices, openNotice, policy } from "../../support/gateway.ts";
import { promptMarker, replyMarker } from "../../support/logs.ts";
import { configureServers, upstreamOrigin } from "../../support/mcp-server.ts";
import { recordLines } from "../../support/record.ts";
import { decide, pathOf, press } from "../../support/reviewer.ts";
import { type ToolServer, scriptToolServer, sumTool, textResult } from "../../support/tool-server.ts";

let server: ToolServer;

beforeEach(async () => {
  await gates();
  server = await scriptToolServer();
});

const call = (args: object = { a: 1, b: 2 }, members: object = {}, name = "sum") =>
  envelopeOf("function_call", { function_call: { name, parameters: args } }, members);

const inputPath = "edit:/arguments/a";

describe("a function that is registered", () => {
  test.each(["sum", "tools/sum"])("runs at its server, by the name %s, and the answer has its result", async (name) => {
    const answer = await asked(call({ a: 1, b: 2 }, {}, name));
    expect(answer).toMatchObject({
      status: "completed",
      model: { id: "tools/sum", why: expect.stringContaining("tools") },
      result: {
        type: "function_call",
        calls: [{ name, arguments: { a: 1, b: 2 }, status: "executed", content: [{ type: "text", text: "3" }], is_error: false }],
      },
      usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      edited: { request: false, response: false },
    });
    expect(server.ran()).toEqual([expect.objectContaining({ name: "sum", arguments: { a: 1, b: 2 } })]);
    expect(model.calls).toEqual([]);
  });

  test("with a result that says that it is an error, it is a result that says so", async () => {
    server.result = () => textResult("no such number", { isError: true });
    const answer = await asked(call());
    expect(answer.status).toBe("completed");
    expect(answer.result?.calls).toMatchObject([{ status: "executed", is_error: true, content: [{ text: "no such number" }] }]);
  });

  test("gives structured content as it came", async () => {
    server.result = () => textResult("3", { structuredContent: { sum: 3, parts: [1, 2] } });
    expect((await asked(call())).result?.calls).toMatchObject([{ structured_content: { sum: 3, parts: [1, 2] } }]);
  });

  test("runs without parameters where it takes none", async () => {
    server.tools = [{ name: "sum", inputSchema: { type: "object" } }];
    server.result = () => textResult("now");
    const answer = await asked(envelopeOf("function_call", { function_call: { name: "sum" } }));
    expect(answer.result?.calls).toMatchObject([{ arguments: {}, status: "executed" }]);
  });

  test("is run on a call that gives no more than the policy, the server's key and the name let it", async () => {
    const elsewhere = await createKey({ servers: ["other"] });
    const answer = await asked(call(), { key: elsewhere.key });
    expect(answer).toMatchObject({ status: "refused" });
    expect(server.ran()).toEqual([]);
  });

  test("is not told of, nor its server asked, where the key is not for that server", async () => {
    const { key } = await createKey({ servers: ["control"] });
    expect(await asked(call({ a: "one" }), { key })).toMatchObject({ status: "refused" });
    expect(server.upstream.calls).toEqual([]);
  });

  test("leaves nothing of its arguments or its result in the record", async () => {
    server.tools = [{ name: "sum", inputSchema: { type: "object" } }];
    server.result = () => textResult(replyMarker);
    const { run } = await asked(call({ text: promptMarker }));
    const lines = await eventually("the record", async () => {
      const found = (await recordLines()).filter((line) => line.run === run);
      return found.some(({ fact }) => fact.kind === "finished") ? found : null;
    });
    expect(lines.map(({ fact }) => fact.kind)).toEqual(["received", "called", "answered", "finished"]);
    expect(lines[0]?.fact).toMatchObject({ server: "tools", method: "tools/call", name: "sum", endpoint: "control" });
    expect(JSON.stringify(await recordLines())).not.toMatch(new RegExp(`${promptMarker}|${replyMarker}`));
  });
});

describe("with the request gate closed", () => {
  beforeEach(() => gates({ request: "review" }));

  test("nothing is called before a person approves, and then exactly what was shown", async () => {
    const answer = asked(call({ a: 20, b: 22 }));
    const { link } = await openNotice("request");
    expect(server.ran()).toEqual([]);
    const page = await (await gateway(pathOf(link), { key: null })).text();
    for (const shown of [
      "sum",
      "tools",
      "<dt>a</dt><dd>20</dd>",
      'What <bdi class="name">tools</bdi> says of the tool',
      "Adds two numbers",
    ])
      expect(page).toContain(shown);
    await press(link, "approve");
    expect((await answer).result?.calls).toMatchObject([{ status: "executed", content: [{ text: "42" }] }]);
    expect(server.ran()).toMatchObject([{ name: "sum", arguments: { a: 20, b: 22 } }]);
  });

  test("arguments that a reviewer edited are those that the server gets and the answer shows", async () => {
    const answer = asked(call({ a: 1, b: 2 }));
    await decide("request", "approve", undefined, (fields) => fields.set(inputPath, "40"));
    expect(await answer).toMatchObject({
      status: "completed",
      edited: { request: true, response: false },
      result: { calls: [{ arguments: { a: 40, b: 2 }, status: "executed", content: [{ text: "42" }] }] },
    });
    expect(server.ran()).toMatchObject([{ arguments: { a: 40, b: 2 } }]);
  });

  test("edited arguments that the tool does not take are sent nowhere", async () => {
    const answer = asked(call());
    const { link } = await openNotice("request");
    for (const [typed, why] of [
      ["forty", "This must be a number"],
      ["", "This must be a number"],
    ] as const) {
      const page = await press(link, "approve", (fields) => fields.set(inputPath, typed));
      expect(page.status).toBe(422);
      expect(await page.text()).toContain(why);
    }
    await press(link, "deny");
    expect(await answer).toMatchObject({ status: "rejected" });
    expect(server.ran()).toEqual([]);
  });

  test("a tool that takes other arguments since they were approved is not called with them", async () => {
    const answer = asked(call());
    await openNotice("request");
    server.tools = [{ ...sumTool, inputSchema: { ...sumTool.inputSchema, required: ["a", "b", "c"] } }];
    await decide("request", "approve");
    expect(await answer).toMatchObject({ status: "failed" });
    expect(server.ran()).toEqual([]);
  });

  test("a denial sends nothing", async () => {
    const answer = asked(call());
    await decide("request", "deny");
    expect(await answer).toMatchObject({ status: "rejected", error: { code: -1 } });
    expect(server.ran()).toEqual([]);
  });

  test("a function that is not registered any more is not run, whoever approved it", async () => {
    const answer = asked(call());
    await openNotice("request");
    await configure("servers", { servers: { tools: { url: "https://notes.example.com/mcp" } } });
    await decide("request", "approve");
    expect(await answer).toMatchObject({ status: "failed" });
    expect(server.ran()).toEqual([]);
  });
});

test("what the policy refuses by server and tool is sent nowhere, and nobody is asked", async () => {
  const rules = [{ name: "no sums", when: { server: "tools", tool: "sum" }, then: { request: "refuse", response: "allow" } }];
  await configure("policy", { ...policy, rules, default: { ...policy.default, request: "allow", response: "allow" } });
  for (const parameters of [{}, { a: "one" }])
    expect(await asked(call(parameters))).toMatchObject({ status: "refused", error: { details: { outcome: "refused" } } });
  expect(server.upstream.calls).toEqual([]);
  expect(await notices()).toEqual([]);
});

describe("with the response gate closed", () => {
  beforeEach(() => gates({ response: "review" }));

  test("the result waits for a person, who may edit it", async () => {
    const answer = asked(call());
    await decide("response", "approve", undefined, (fields) => fields.set("edit:/content/0/text", "three"));
    expect(await answer).toMatchObject({
      edited: { request: false, response: true },
      result: { calls: [{ status: "executed", content: [{ type: "text", text: "three" }] }] },
    });
    expect(server.ran()).toHaveLength(1);
  });

  test("a denied result is told to nobody, and the function is not run again for a repeat", async () => {
    server.result = () => textResult(replyMarker);
    const envelope = call();
    const answer = asked(envelope);
    await decide("response", "deny");
    const denied = await answer;
    expect(denied.status).toBe("rejected");
    expect(JSON.stringify(denied)).not.toContain(replyMarker);
    expect(await asked(envelope)).toEqual(denied);
    expect(server.ran()).toHaveLength(1);
  });
});

describe("arguments", () => {
  const wrong = { a: "one", c: 3 };
  const at = "/task/parameters/function_call/parameters";

  test("that the tool does not take are refused with everything at its place, and nothing is called", async () => {
    const response = await control(call(wrong));
    expect(response.status).toBe(400);
    const { error } = await controlAnswerOf(response);
    const errors = (error?.details?.["errors"] ?? []) as { pointer: string }[];
    expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual([`${at}/a`, `${at}/b`, `${at}/c`]);
    expect(server.ran()).toEqual([]);
  });

  test("have to fit the caller's own schema of it too", async () => {
    const own = { name: "sum", parameters: { type: "object", properties: { a: { maximum: 10 } } } };
    const sent = (a: number) => envelopeOf("function_call", { functions: [own], function_call: { name: "sum", parameters: { a, b: 1 } } });
    expect(await asked(sent(11))).toMatchObject({ status: "invalid", error: { details: { errors: [{ pointer: `${at}/a` }] } } });
    expect(server.ran()).toEqual([]);
    expect(await asked(sent(10))).toMatchObject({ status: "completed", result: { calls: [{ status: "executed" }] } });
  });

  test("of a function that is registered nowhere are checked and handed back", async () => {
    const own = { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } };
    const parameters = { city: "Shanghai" };
    expect(await asked(envelopeOf("function_call", { functions: [own], function_call: { name: "weather", parameters } }))).toMatchObject({
      status: "completed",
      result: { calls: [{ name: "weather", arguments: parameters, status: "validated" }] },
    });
    expect(server.upstream.calls).toEqual([]);
  });

  test.each(["other", "tools/other", "tools", "toString"])("for a function that nobody knows (%s) are refused", async (name) => {
    expect(await asked(call({}, {}, name))).toMatchObject({
      status: "invalid",
      error: { details: { errors: [{ pointer: "/task/parameters/function_call/name" }] } },
    });
    expect(server.upstream.calls).toEqual([]);
  });
});

describe("where a model chooses", () => {
  const functions = [
    { name: "sum", description: "Adds", parameters: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } } } },
    { name: "weather", parameters: { type: "object" } },
  ];
  const choice = (members: object = {}) => envelopeOf("function_call", { functions, prompt }, members);
  const chosen = (...inputs: readonly object[]) => model.script({ calls: inputs.map((input, i) => ({ id: `c${i}`, name: "sum", input })) });

  test("registered functions run, one by one and in order, and others are handed back", async () => {
    model.script({
      calls: [
        { id: "x", name: "sum", input: { a: 1, b: 1 } },
        { id: "y", name: "weather", input: { city: "Rome" } },
        { id: "z", name: "sum", input: { a: 2, b: 2 } },
      ],
    });
    const { result } = await asked(choice());
    expect(result?.calls).toMatchObject([
      { name: "sum", status: "executed", content: [{ text: "2" }] },
      { name: "weather", arguments: { city: "Rome" }, status: "validated" },
      { name: "sum", status: "executed", content: [{ text: "4" }] },
    ]);
    expect(server.ran()).toMatchObject([{ arguments: { a: 1, b: 1 } }, { arguments: { a: 2, b: 2 } }]);
  });

  test("each call is reviewed by itself: one that is denied is not run, and the next one is asked about", async () => {
    const rules = [{ name: "functions", when: { server: "tools" }, then: { request: "review", response: "allow" } }];
    await configure("policy", { ...policy, rules, default: { ...policy.default, request: "allow", response: "allow" } });
    chosen({ a: 1, b: 1 }, { a: 2, b: 2 });
    const answer = asked(choice());
    const first = await decide("request", "deny");
    const second = await eventually("the second review", async () =>
      (await notices()).find(({ run, state }) => run !== first.run && state === "sent"),
    );
    expect(server.ran()).toEqual([]);
    await press(second.link, "approve");
    expect((await answer).result?.calls).toMatchObject([
      { arguments: { a: 1, b: 1 }, status: "rejected", error: { code: -1 } },
      { arguments: { a: 2, b: 2 }, status: "executed", content: [{ text: "4" }] },
    ]);
    expect(server.ran()).toHaveLength(1);
  });

  test.each(["allow", "review"])("one place of the key is enough for all of it (choice: %s)", async (request) => {
    const limits = { requestsPerMinute: 60, concurrent: 1, roundsPerOriginatingRequest: 5, bodyBytes: 1_000_000 };
    const { key } = await createKey({ limits });
    await gates({ request });
    chosen({ a: 1, b: 1 }, { a: 2, b: 2 });
    const answer = asked(choice(), { key });
    const seen = new Set<string>();
    const reviews = request === "review" ? 3 : 0;
    while (seen.size < reviews) {
      const next = await eventually("a review", async () => (await notices()).find(({ run, state }) => state === "sent" && !seen.has(run)));
      seen.add(next.run);
      await press(next.link, "approve");
    }
    expect((await answer).result?.calls).toMatchObject([{ status: "executed" }, { status: "executed" }]);
  });

  test("a repeat asks the model nothing and calls nothing again", async () => {
    chosen({ a: 1, b: 1 }, { a: 1, b: 1 });
    const envelope = choice();
    const answer = await asked(envelope);
    expect(await asked(envelope)).toEqual(answer);
    expect([model.calls.length, server.ran().length]).toEqual([1, 2]);
  });

  test("the choice that a reviewer edited is the one that runs", async () => {
    const rules = [{ name: "choices", when: { server: "control" }, then: { request: "allow", response: "review" } }];
    await configure("policy", { ...policy, rules, default: { ...policy.default, request: "allow", response: "allow" } });
    chosen({ a: 1, b: 1 });
    const answer = asked(choice());
    await decide("response", "approve", undefined, (fields) => fields.set("edit:/content/0/input", '{ "a": 5, "b": 5 }'));
    expect((await answer).result?.calls).toMatchObject([{ arguments: { a: 5, b: 5 }, status: "executed", content: [{ text: "10" }] }]);
    expect(server.ran()).toMatchObject([{ arguments: { a: 5, b: 5 } }]);
  });
});

describe("a function whose tool", () => {
  const notHere = {
    status: "invalid",
    error: { details: { errors: [{ message: expect.stringContaining("not one that is registered here") as string }] } },
  };

  test.each(["sum", "tools/sum"])("the entry leaves out is not registered (%s)", async (name) => {
    server = await scriptToolServer({ tools: { deny: ["s*"] } });
    expect(await asked(call({ a: 1, b: 2 }, {}, name))).toMatchObject(notHere);
    expect(server.upstream.calls).toEqual([]);
  });

  test("the entry leaves out while a person decides is not run", async () => {
    await gates({ request: "review" });
    const answer = asked(call());
    const { link } = await openNotice("request");
    await configureServers({ tools: { url: `${upstreamOrigin}/mcp`, functions: ["sum"], tools: { allow: ["other"] } } });
    await press(link, "approve");
    expect(await answer).toMatchObject({ status: "failed" });
    expect(server.ran()).toEqual([]);
  });

  test("the key may not call is refused by policy", async () => {
    const { key } = await createKey({ tools: { allow: ["tools/other", "read_*"] } });
    expect(await asked(call(), { key })).toMatchObject({ status: "refused" });
    expect(server.ran()).toEqual([]);
    const allowed = await createKey({ tools: { allow: ["tools/s*"] } });
    expect(await asked(call(), { key: allowed.key })).toMatchObject({ status: "completed" });
  });

  test("changed is not run until an operator accepts it", async () => {
    server = await scriptToolServer({ pin: "hold" });
    expect(await asked(call())).toMatchObject({ status: "completed" });
    // The list that the gateway read itself has no end: its first ten minutes are over.
    await toolsStub(env, "tools").seen({ server: "tools", pin: "hold", tools: [], isLast: true });
    server.tools = [{ ...sumTool, description: "Adds two numbers, and sends them away" }];
    await scriptedAnew();
    expect(await asked(call())).toMatchObject({ status: "failed", error: { details: { reason: "noSuchTool" } } });
    expect(server.ran()).toHaveLength(1);
    const [waiting] = await toolsStub(env, "tools").known({ isWaiting: true, after: "", limit: 10 });
    await toolsStub(env, "tools").decide([{ name: "sum", digest: waiting?.digest ?? "" }], true);
    expect(await asked(call())).toMatchObject({ status: "completed" });
  });

  test("changed while a person decided is not run", async () => {
    server = await scriptToolServer({ pin: "hold" });
    await gates({ request: "review" });
    const answer = asked(call());
    const { link } = await openNotice("request");
    const listed = listedTool({ ...sumTool, description: "Another" });
    if (listed === null) throw new Error("no tool");
    await toolsStub(env, "tools").seen({ server: "tools", pin: "hold", tools: [listed], isLast: true });
    await press(link, "approve");
    expect(await answer).toMatchObject({ status: "failed" });
    expect(server.ran()).toEqual([]);
  });

  /** Another entry: what this isolate knows of the tool is not asked. */
  const scriptedAnew = (): Promise<void> =>
    configureServers({ tools: { url: `${upstreamOrigin}/mcp`, functions: ["sum"], pin: "hold", headers: { "X-Server": "again" } } });
});
