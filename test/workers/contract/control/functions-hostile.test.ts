// MCP servers that fail, lie or die while a function is called: it is called once, and the answer
// says what is known of it.

import { abortAllDurableObjects } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { envelopeIdentity } from "../../../../shared/wire/control/envelope-identity.ts";
import { associateIn } from "../../../../workers/stubs/session-calls.ts";
import { controlStub } from "../../../../workers/stubs/stubs.ts";
import ToolsWorker from "../../../../workers/tools/worker.ts";
import { newRunId } from "../../../../workers/pipeline/run-context.ts";
import { type ControlAnswer, asked, control, controlAnswerOf, envelopeOf, gates } from "../../support/control.ts";
import { admin, createKey, env, eventually, travel } from "../../support/gateway.ts";
import { loggedLines } from "../../support/logs.ts";
import { eventFor, streamOf, type UpstreamCall } from "../../support/mcp-server.ts";
import { decide } from "../../support/reviewer.ts";
import { type ToolServer, resultOf, scriptToolServer, textResult } from "../../support/tool-server.ts";

let server: ToolServer;

afterEach(() => void vi.restoreAllMocks());
beforeEach(async () => {
  await gates();
  server = await scriptToolServer();
});

const call = (members: object = {}) => envelopeOf("function_call", { function_call: { name: "sum", parameters: { a: 1, b: 2 } } }, members);

/** The fault of the one attempt that was made. */
const attemptIn = ({ error }: ControlAnswer): unknown => (error?.details?.["attempts"] as unknown[] | undefined)?.[0];

const died = (): Response => {
  throw new TypeError("the connection was cut");
};
const cutOff = (): Response =>
  new Response(
    new ReadableStream({
      pull: (controller) => controller.error(new Error("cut")),
    }),
    { headers: { "Content-Type": "application/json" } },
  );

describe("where the tools Worker fails", () => {
  const logged = (): number => loggedLines().filter((line) => line.includes('"tools.failed"')).length;

  test("before the tool was read: the function is unavailable, and nothing was called", async () => {
    const before = logged();
    vi.spyOn(ToolsWorker.prototype, "definition").mockRejectedValue(new Error("no such Worker"));
    const answer = await asked(call());
    expect(answer).toMatchObject({
      status: "failed",
      error: { code: -32_011, details: { function: "tools/sum", reason: "noToolsWorker" } },
    });
    expect(server.upstream.calls).toEqual([]);
    expect(logged()).toBe(before + 1);
  });

  test("while the tool may run: nobody knows what became of it, and it is not called again", async () => {
    const failing = vi.spyOn(ToolsWorker.prototype, "call").mockRejectedValue(new Error("it ran out of memory"));
    const envelope = call();
    const answer = await asked(envelope);
    expect(attemptIn(answer)).toMatchObject({ detail: "outcomeUnknown" });
    expect(await asked(envelope)).toEqual(answer);
    expect(failing).toHaveBeenCalledTimes(1);
  });

  test("it is given the server's address and credential with each call, and serves nothing over HTTP", async () => {
    const read = vi.spyOn(ToolsWorker.prototype, "definition");
    expect((await asked(call())).status).toBe("completed");
    expect(Object.keys(read.mock.calls[0]?.[0] ?? {}).toSorted()).toEqual(["credential", "server", "timeoutMs", "tool"]);
    expect((await env.TOOLS.fetch("https://tools.invalid/")).status).toBe(404);
  });
});

describe("a call whose outcome nobody knows", () => {
  test.each<[string, () => Response]>([
    ["the server died", died],
    ["the answer broke off", cutOff],
    ["a stream ended without the answer", () => streamOf(": nothing\n\n")],
    ["a proxy lost it", () => new Response("bad gateway", { status: 502 })],
    ["it took too long for a proxy", () => new Response(null, { status: 504 })],
  ])("%s: the answer says that it may have run, and neither we nor a repeat calls again", async (_name, fault) => {
    server.result = fault;
    const envelope = call();
    const answer = await asked(envelope);
    expect(answer).toMatchObject({ status: "failed", error: { code: -32_011 } });
    expect(attemptIn(answer)).toMatchObject({ detail: "outcomeUnknown" });
    server.result = () => textResult("3");
    expect(await asked(envelope)).toEqual(answer);
    // Not even where the server cannot be reached any more, and nothing is known of its tools.
    server.instead = died;
    travel(120_000);
    expect(await asked(envelope)).toEqual(answer);
    expect(server.ran()).toHaveLength(1);
  });

  test("the object that called is gone: what it did is not known, and it is not called again", async () => {
    server.result = () => new Promise<Response>(() => {});
    const envelope = call();
    const first = asked(envelope).catch(() => null);
    await eventually("the call", async () => server.ran().length === 1);
    await abortAllDurableObjects();
    await first;
    expect(attemptIn(await asked(envelope))).toMatchObject({ detail: "outcomeUnknown" });
    expect(server.ran()).toHaveLength(1);
  });

  test("the time of the request is over", async () => {
    server.result = () => new Promise<Response>(() => {});
    const envelope = call({ control: { timeout: 2_000 } });
    const answer = await asked(envelope);
    expect(attemptIn(answer)).toMatchObject({ detail: "outcomeUnknown" });
    expect(await asked(envelope)).toEqual(answer);
    expect(server.ran()).toHaveLength(1);
  });
});

describe("an answer that is none", () => {
  const huge = "x".repeat(8_100_000);
  const json = (text: string): Response => new Response(text, { headers: { "Content-Type": "application/json" } });

  test.each<[string, ToolServer["result"]]>([
    ["more than there is room for", () => json(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${huge}"}]}}`)],
    ["more than there is room for, as a stream", () => streamOf(`data: ${huge}\n\n`)],
    ["no JSON", () => json("<html>")],
    ["the answer to another request", () => Response.json(resultOf({ id: 4_711 }, textResult("3")))],
    ["content of no known type", () => ({ content: [{ type: "hologram", data: "…" }] })],
    ["content that is no list", () => ({ content: "3" })],
    ["an image that is no base64", () => ({ content: [{ type: "image", data: "not base64!", mimeType: "image/png" }] })],
    [
      "structured content that is nested without end",
      () => textResult("3", { structuredContent: JSON.parse(`${'{"a":'.repeat(100)}1${"}".repeat(100)}`) }),
    ],
    ["a page", () => new Response("<html>", { headers: { "Content-Type": "text/html" } })],
    ["an error", ({ message }) => Response.json({ jsonrpc: "2.0", id: message.id, error: { code: -32_602, message: "secret words" } })],
    ["a refusal", () => new Response("secret words", { status: 403 })],
    ["a way elsewhere", () => new Response(null, { status: 307, headers: { Location: "https://elsewhere.example.com/mcp" } })],
    ["that the session is over", () => new Response(null, { status: 404 })],
    ["a question of its own", ({ message }) => Response.json(resultOf(message, { resultType: "input_required", inputRequests: {} }))],
  ])("%s: the answer is an error that every client can read, and nothing is called twice", async (_name, result) => {
    server.result = result;
    const envelope = call();
    const response = await control(envelope);
    const answer = await controlAnswerOf(response);
    expect(answer).toMatchObject({ status: "failed", error: { code: -32_011 } });
    expect(attemptIn(answer)).toBeDefined();
    expect(JSON.stringify(answer)).not.toContain("secret words");
    expect(await asked(envelope)).toEqual(answer);
    expect(server.ran()).toHaveLength(1);
    // Any other address is a fault of the test: `scriptModel` throws.
    expect(server.upstream.calls.every(({ url }) => url === "https://notes.example.com/mcp")).toBe(true);
  });
});

describe("a server that cannot be asked what its tool takes", () => {
  test.each<[string, ToolServer["instead"], string]>([
    ["it is down", died, "unreachable"],
    ["it answers nothing but errors", () => new Response(null, { status: 503 }), "unreachable"],
    [
      "it leads elsewhere",
      () => new Response(null, { status: 302, headers: { Location: "https://elsewhere.example.com/" } }),
      "unreachable",
    ],
    ["it speaks no MCP", () => Response.json({ hello: "world" }), "unreachable"],
    [
      "its tools are none",
      ({ message }) => (message.method === "tools/list" ? Response.json(resultOf(message, { tools: 7 })) : undefined),
      "broken",
    ],
    [
      "it has no such tool",
      ({ message }) => (message.method === "tools/list" ? Response.json(resultOf(message, { tools: [] })) : undefined),
      "noSuchTool",
    ],
    [
      "its list goes round",
      ({ message }) => (message.method === "tools/list" ? Response.json(resultOf(message, { tools: [], nextCursor: "again" })) : undefined),
      "noSuchTool",
    ],
  ])("%s: the function is unavailable, which a later try may find changed", async (_name, instead, reason) => {
    server.instead = instead;
    const envelope = call();
    const response = await control(envelope);
    const answer = await controlAnswerOf(response);
    expect(answer.error).toMatchObject({ code: -32_011, details: { function: "tools/sum", reason } });
    expect(server.ran()).toEqual([]);
    server.instead = () => undefined;
    expect(await asked(envelope)).toMatchObject({ status: "completed", result: { calls: [{ status: "executed" }] } });
  });

  test("its credential is not set: it is not asked at all", async () => {
    server = await scriptToolServer({ secret: "NO_SUCH_SECRET" });
    expect((await asked(call())).error).toMatchObject({ details: { reason: "noCredential" } });
    expect(server.upstream.calls).toEqual([]);
  });

  test("a key that is over its limit, or revoked, does not have it asked", async () => {
    const limits = { requestsPerMinute: 1, concurrent: 5, roundsPerOriginatingRequest: 5, bodyBytes: 1_000_000 };
    const { key, id } = await createKey({ limits });
    server.instead = () => new Response(null, { status: 500 });
    expect(await asked(call(), { key })).toMatchObject({ status: "failed" });
    const before = server.upstream.calls.length;
    expect(before).toBeGreaterThan(0);
    expect(await asked(call(), { key })).toMatchObject({ status: "rate_limited" });
    await admin(`/keys/${id}`, { method: "DELETE" });
    expect(await asked(call(), { key })).toMatchObject({ status: "unauthorized" });
    expect(server.upstream.calls).toHaveLength(before);
  });

  test("is asked no more often than a key's limits let it come in, also at once", async () => {
    const limits = { requestsPerMinute: 2, concurrent: 20, roundsPerOriginatingRequest: 5, bodyBytes: 1_000_000 };
    const { key } = await createKey({ limits });
    server.instead = () => new Response(null, { status: 500 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => asked(call(), { key })));
    expect(answers.filter(({ status }) => status === "failed")).toHaveLength(2);
    expect(new Set(server.upstream.calls.map(({ message }) => message.method)).size).toBeGreaterThan(0);
    for (const method of ["server/discover", "initialize"]) expect(server.count(method)).toBeLessThanOrEqual(2);
  });

  test("a call that was reserved and is yet to be opened is refused for what is in its way, and not as if its answer were gone", async () => {
    const envelope = call();
    const id = String(envelope["request_id"]);
    await associateIn(controlStub(env, "key_dev", id), {
      originating: "control",
      request: JSON.stringify(id),
      digest: envelopeIdentity(envelope),
      run: newRunId(env),
      leaseMs: 1_000,
      roundsLimit: 1,
      alone: true,
      reservation: id,
      reserve: true,
      durable: true,
      facts: null,
      settled: [],
    });
    server.instead = died;
    expect(await asked(envelope)).toMatchObject({ status: "failed", error: { details: { reason: "unreachable" } } });
    server.instead = () => undefined;
    expect(await asked(envelope)).toMatchObject({ status: "completed" });
    expect(server.ran()).toHaveLength(1);
  });

  test("it runs the tool as a task alone", async () => {
    server.tools = [{ ...server.tools[0], execution: { taskSupport: "required" } }];
    expect((await asked(call())).error).toMatchObject({ details: { reason: "taskOnly" } });
  });

  test("its schema would take without end to check: it is checked within bounds, or not at all", async () => {
    const twice = (to: string) => ({ allOf: [{ $ref: `#/$defs/${to}` }, { $ref: `#/$defs/${to}` }] });
    const $defs = Object.fromEntries([...Array.from({ length: 40 }, (_, i) => [`d${i}`, twice(`d${i + 1}`)]), ["d40", {}]]);
    server.tools = [{ name: "sum", inputSchema: { type: "object", $defs, properties: { a: { $ref: "#/$defs/d0" } } } }];
    expect(await asked(call())).toHaveProperty("error");
    expect(server.ran()).toEqual([]);
  });
});

describe("however it answers", () => {
  test.each(
    (["2025-03-26", "2025-06-18", "2025-11-25"] as const).flatMap((revision) =>
      (["json", "stream"] as const).map((framing) => [revision, framing] as const),
    ),
  )("a server of revision %s that answers as %s is called with its session and its revision", async (revision, framing) => {
    server.revision = revision;
    server.framing = framing;
    expect(await asked(call())).toMatchObject({ status: "completed", result: { calls: [{ content: [{ text: "3" }] }] } });
    const sent = server.upstream.calls.find(({ message }) => message.method === "tools/call");
    expect(sent?.headers.get("Mcp-Session-Id")).toBe(server.upstream.session);
    expect(sent?.headers.get("MCP-Protocol-Version")).toBe(revision);
    // Each session that was begun is ended.
    expect(server.upstream.calls.filter(({ method }) => method === "DELETE")).toHaveLength(server.count("initialize"));
  });

  test("what the server asks on the way is not answered with anything of ours", async () => {
    server.result = ({ message }) =>
      streamOf(
        eventFor({ jsonrpc: "2.0", id: "mine", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } }),
        eventFor({ jsonrpc: "2.0", id: "roots", method: "roots/list" }),
        eventFor(resultOf(message, textResult("3"))),
      );
    expect(await asked(call())).toMatchObject({ status: "completed" });
    for (const id of ["mine", "roots"]) {
      for (const answer of server.upstream.answersTo(id)) expect(answer).toMatchObject({ error: { code: expect.any(Number) } });
    }
  });

  test.each<[string, (call: UpstreamCall) => Response]>([
    [
      "asks for it",
      ({ message }) =>
        streamOf(
          eventFor({ jsonrpc: "2.0", id: "mine", method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } }),
          eventFor(resultOf(message, textResult("no reply"))),
        ),
    ],
    [
      "does not ask, as its client declares none",
      ({ message }) => {
        const said = [{ type: "text", text: "Client does not support sampling (required for sampling/createMessage)" }];
        return Response.json(resultOf(message, { content: said, isError: true }));
      },
    ],
  ])("a tool that needs sampling and %s: the answer says that functions have none", async (_how, result) => {
    server.result = result;
    const answer = await asked(call());
    expect(JSON.stringify(answer)).toContain("The tool requires sampling from its caller, which a function call does not offer.");
  });

  test("a tool on a later page of the list is found", async () => {
    server.instead = ({ message }) => {
      if (message.method !== "tools/list" || message.params?.["cursor"] !== undefined) return undefined;
      return Response.json(resultOf(message, { tools: [{ name: "other", inputSchema: { type: "object" } }], nextCursor: "2" }));
    };
    expect(await asked(call())).toMatchObject({ status: "completed" });
  });
});

describe("the same envelope again", () => {
  test("is answered as before, at any time while the answer is kept", async () => {
    const envelope = call();
    const answer = await asked(envelope);
    travel(60 * 60_000);
    expect(await asked(envelope)).toEqual(answer);
    expect(server.ran()).toHaveLength(1);
  });

  test("twenty at once are one call and one answer", async () => {
    const envelope = call();
    const answers = await Promise.all(Array.from({ length: 20 }, () => asked(envelope)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(server.ran()).toHaveLength(1);
  });

  test("while a person thinks is the same review", async () => {
    await gates({ request: "review" });
    const envelope = call({ context: { session_id: "s-1" } });
    const both = [asked(envelope), asked(envelope)];
    await decide("request", "approve");
    const [first, second] = await Promise.all(both);
    expect(first).toEqual(second);
    expect(server.ran()).toHaveLength(1);
  });

  test("an equal call under another id is a call of its own", async () => {
    await asked(call());
    await asked(call());
    expect(server.ran()).toHaveLength(2);
  });
});
