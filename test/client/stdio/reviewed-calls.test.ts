import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../shared/encoding.ts";
import type { Approval, ApprovalRequest } from "../../../client/approval.ts";
import { ReviewedCalls } from "../../../client/stdio/reviewed-calls.ts";

/** Calls between nobody and nobody: what each side gets, and how the gateway decides. */
function reviewed(hold: Promise<void> = new Promise(() => {})) {
  const asked: {
    readonly call: ApprovalRequest;
    readonly id: string;
    readonly signal: AbortSignal;
    readonly decide: (decision: Approval) => void;
    readonly fail: () => void;
  }[] = [];
  const brought: {
    readonly run: string;
    readonly result: JsonObject;
    readonly deliver: (result: JsonObject) => void;
    readonly fail: () => void;
  }[] = [];
  const withdrawn: string[] = [];
  const server: string[] = [];
  const client: string[] = [];
  const calls = new ReviewedCalls({
    server: "notes",
    holdMilliseconds: 1,
    withdraw: (id) => withdrawn.push(id),
    decide: (call, id, signal) =>
      new Promise((resolve, reject) => {
        // Nobody changed what the fixture says nothing of.
        const decide = (decision: Approval): void => {
          const isSame = decision.decision === "approved" && decision.arguments === approval.arguments;
          resolve(isSame ? { ...decision, arguments: call.arguments } : decision);
        };
        asked.push({ call, id, signal, decide, fail: () => reject(new Error("no gateway")) });
      }),
    bring: (run, result, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", reject);
        brought.push({ run, result, deliver: (given) => resolve({ result: given }), fail: () => reject(new Error("no gateway")) });
      }),
    sleep: (milliseconds) => (milliseconds === 1 ? hold : new Promise(() => {})),
    approved: (line) => server.push(Buffer.from(line).toString()),
    toClient: (line) => client.push(line),
  });
  const send = (message: unknown): void => {
    const text = typeof message === "string" ? message : `${JSON.stringify(message)}\n`;
    const passed = calls.fromClient(Buffer.from(text));
    if (passed !== undefined) server.push(Buffer.from(passed).toString());
  };
  /** What the server calls the client's requests whose results are kept. */
  const own = new Map<string, unknown>();
  const named = (message: unknown): unknown => {
    if (Array.isArray(message)) return message.map(named);
    const { id } = message as { readonly id?: unknown }; // a message of these tests
    return { ...(message as object), ...(id === undefined ? {} : { id: own.get(String(id)) ?? id }) };
  };
  /** What the client gets of the server's lines now, which here have the ids of the client. */
  const answer = (...messages: readonly unknown[]): string[] =>
    messages.flatMap((message) => {
      const passed = calls.fromServer(Buffer.from(`${JSON.stringify(named(message))}\n`));
      return passed === undefined ? [] : [Buffer.from(passed).toString()];
    });
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  /** A call that is at the server, whose result is kept. */
  const atServer = async (text: string, more: Partial<Extract<Approval, { decision: "approved" }>> = {}): Promise<void> => {
    send(text);
    asked.at(-1)?.decide({ ...approval, returnsResult: true as const, ...more });
    await settle();
    const idIn = (said = "{}"): unknown => (JSON.parse(said) as { readonly id?: unknown }).id;
    own.set(String(idIn(text)), idIn(server.at(-1)));
  };
  return { own, calls, asked, brought, withdrawn, server, client, send, answer, atServer, settle };
}

const approval: Extract<Approval, { decision: "approved" }> = {
  decision: "approved",
  id: "run_1",
  mode: "human",
  arguments: {},
  edited: false,
};
const line = (params: string, id = "7"): string => `{ "jsonrpc":"2.0","id":${id}, "method":"tools/call","params":${params} }\n`;
const given = '{ "name":"delete", "arguments":{ "n":1.0, "ok":true } }';

test("an approved call passes byte for byte, once it is approved", async () => {
  const { asked, server, client, send, settle } = reviewed();
  send(line(given));
  await settle();
  expect([server, client]).toEqual([[], []]);
  expect(asked.map(({ call }) => call)).toEqual([{ tool: "delete", server: "notes", arguments: { n: 1, ok: true }, returnsResult: true }]);
  asked[0]?.decide(approval);
  await settle();
  expect(server).toEqual([line(given)]);
});

test("what a rule masked passes masked, although no reviewer changed it", async () => {
  const { asked, server, send, settle } = reviewed();
  send(line('{"name":"delete","arguments":{"key":"sk-abc"},"_meta":{"n":1.0}}'));
  asked[0]?.decide({ ...approval, arguments: { key: "[redacted: keys]" } });
  await settle();
  expect(server).toEqual([line('{"name":"delete","arguments":{"key":"[redacted: keys]"},"_meta":{"n":1.0}}')]);
});

describe("what the client answers to a round of its server", () => {
  const answering = (responses: string): string =>
    line(`{"name":"delete","arguments":{},"inputResponses":${responses},"requestState":"s"}`);

  test("is asked about with the call, and passes byte for byte", async () => {
    const { asked, server, send, settle } = reviewed();
    const text = answering('{ "ok":{"action":"accept","content":{"n":1.0}} }');
    send(text);
    const inputResponses = { ok: { action: "accept", content: { n: 1 } } };
    expect(asked[0]?.call).toMatchObject({ arguments: {}, inputResponses });
    asked[0]?.decide({ ...approval, inputResponses });
    await settle();
    expect(server).toEqual([text]);
  });

  test("passes as it was approved, and not at all where the gateway says nothing of it", async () => {
    const { asked, server, send, settle } = reviewed();
    send(answering('{"ok":{"content":{"key":"sk-abc"}}}'));
    asked[0]?.decide({ ...approval, inputResponses: { ok: { content: { key: "[redacted: keys]" } } } });
    await settle();
    send(answering('{"ok":{"content":{"key":"sk-abc"}}}'));
    asked[1]?.decide(approval);
    await settle();
    expect(server).toEqual([answering('{"ok":{"content":{"key":"[redacted: keys]"}}}'), answering("{}")]);
  });

  test("is refused where two readers could see two answers in it", () => {
    const { asked, server, client, send } = reviewed();
    for (const responses of ['{"ok":1,"ok":2}', '{"ok":{"n":12345678901234567890}}', '["ok"]']) send(answering(responses));
    expect([asked, server, client.length]).toEqual([[], [], 3]);
  });
});

test("a changed call passes with other arguments, and its response says so", async () => {
  const { calls, asked, server, send, settle } = reviewed();
  send(line(given));
  asked[0]?.decide({ ...approval, arguments: { n: 2 }, edited: true });
  await settle();
  expect(server).toEqual([line('{ "name":"delete", "arguments":{"n":2} }')]);
  const answer = '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}],"n":1.0}}\n';
  const told = Buffer.from(calls.fromServer(Buffer.from(answer)) ?? []).toString();
  expect(told).toContain("`n` from 1.0 to 2, `ok` was removed. This is what ran.");
  expect(told).toContain('"n":1.0}}');
  expect(Buffer.from(calls.fromServer(Buffer.from(answer)) ?? []).toString()).toBe(answer);
});

test.each<[string, Approval]>([
  ["denied", { decision: "denied", id: "run_1", message: "A reviewer denied this call." }],
  ["expired", { decision: "expired", message: "Nobody decided about this call in time, and nobody declined it." }],
])("a call that is %s is answered, and the server hears nothing of it", async (what, decision) => {
  const { asked, server, client, send, settle } = reviewed();
  send(line(given, '"seven"'));
  asked[0]?.decide(decision);
  await settle();
  expect(server).toEqual([]);
  expect(client.map((each) => JSON.parse(each) as unknown)).toEqual([
    expect.objectContaining({
      id: "seven",
      result: expect.objectContaining({ isError: true, _meta: expect.objectContaining({ "countersign/call": what }) }),
    }),
  ]);
});

test("a gateway that cannot be asked lets no call pass", async () => {
  const { asked, server, client, send, settle } = reviewed();
  send(line(given));
  asked[0]?.fail();
  await settle();
  expect(server).toEqual([]);
  expect(client[0]).toContain("cannot be asked");
});

test("a call that waits too long is told to come back, and a decision after that sends nothing", async () => {
  const { asked, server, client, send, settle } = reviewed(Promise.resolve());
  send(line(given));
  await settle();
  expect(client[0]).toContain("has not run yet");
  expect(asked[0]?.signal.aborted).toBe(true);
  asked[0]?.decide(approval);
  await settle();
  expect(server).toEqual([]);
});

test("a cancelled call, and one whose side has closed, is sent and answered no more", async () => {
  const { calls, asked, withdrawn, server, client, send, settle } = reviewed();
  send(line(given));
  send(line(given, "8"));
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n';
  send(cancel);
  calls.closed();
  for (const each of asked) each.decide(approval);
  await settle();
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  expect([server, client]).toEqual([[cancel], []]);
  // Nobody has to decide about either any more.
  expect(withdrawn).toEqual(asked.map(({ id }) => id));
});

test("the review of a client that only waited too long goes on, until the same call is cancelled", async () => {
  const hold = Promise.withResolvers<void>();
  const { asked, withdrawn, send, settle } = reviewed(hold.promise);
  const cancel = (requestId: number, reason?: string): void =>
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, reason } });
  send(line(given));
  cancel(7, "Request timed out");
  send(line(given, "8"));
  hold.resolve();
  await settle();
  expect(withdrawn).toEqual([]);
  send(line('{"name":"other"}', "9"));
  send(line(given, "10"));
  cancel(10);
  expect(withdrawn).toEqual([0, 1, 3].map((at) => asked[at]?.id));
});

test("the result of a call that has run is dropped when a side has closed, and counted before", async () => {
  const { calls, brought, client, answer, atServer, settle } = reviewed();
  expect(calls.undelivered).toBe(0);
  await atServer(line(given));
  answer({ jsonrpc: "2.0", id: 7, result: { content: [] } });
  expect([calls.undelivered, brought.length]).toEqual([1, 1]);
  calls.closed();
  brought[0]?.deliver({ content: [] });
  await settle();
  expect([calls.undelivered, client]).toEqual([0, []]);
});

test("no call hides in a batch, without an id, in arguments that are read in two ways, or under the id of one that waits", async () => {
  const { asked, server, client, send, settle } = reviewed();
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "delete" } };
  send([call, { jsonrpc: "2.0", id: 2, method: "ping" }]);
  send({ jsonrpc: "2.0", method: "tools/call", params: { name: "delete" } });
  send(call);
  send(call);
  send({ jsonrpc: "2.0", id: 3, method: "ping" });
  send(line('{"name":"delete","arguments":{"id":12345678901234567890}}'));
  send(line('{"name":"delete","arguments":{"a":1,"a":2}}'));
  await settle();
  expect(asked).toHaveLength(1);
  expect(server).toEqual(['{"jsonrpc":"2.0","id":3,"method":"ping"}\n']);
  expect(client).toHaveLength(5);
});

describe("a result that a rule is about", () => {
  const result = { content: [{ type: "text", text: "sk-abcdef" }] };
  const response = { jsonrpc: "2.0", id: 7, result };
  const released = { content: [{ type: "text", text: "hidden" }], _meta: { "countersign/run": { id: "run_1" } } };
  const parsed = (lines: readonly string[]) => lines.map((each) => JSON.parse(each) as unknown);

  test("goes to the gateway, and the client gets what comes back", async () => {
    const { brought, client, answer, atServer, settle } = reviewed();
    await atServer(line(given), { arguments: { n: 2 }, edited: true });
    expect(answer(response)).toEqual([]);
    expect(brought).toMatchObject([{ run: "run_1", result }]);
    brought[0]?.deliver(released);
    await settle();
    const [said] = parsed(client);
    expect(said).toMatchObject({ id: 7, result: { content: [{ text: "hidden" }, { text: expect.stringContaining("This is what ran") }] } });
  });

  test("is in no other line, while its review waits", async () => {
    const { brought, client, answer, atServer, settle } = reviewed();
    await atServer(line(given));
    const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "1" } };
    const other = { jsonrpc: "2.0", id: 8, result: {} };
    expect(parsed(answer(log, [other, response], { ...response, id: "7" }, response, { ...response, method: "x" }))).toEqual([
      log,
      [other],
    ]);
    expect(brought).toHaveLength(1);
    expect(client).toEqual([]);
    brought[0]?.deliver(released);
    await settle();
    expect(parsed(client)).toEqual([{ jsonrpc: "2.0", id: 7, result: released }]);
  });

  test("is not read in a line that cannot be read, or is too long", async () => {
    const { own, calls, brought, atServer } = reviewed();
    await atServer(line(given));
    expect(calls.keepsResults).toBe(true);
    expect(calls.fromServer(Buffer.from('{"jsonrpc":"2.0","id":7,"result":NaN}\n'))).toBeUndefined();
    calls.tooLong(own.get("7") as string); // its only call
    expect(brought).toMatchObject([{ run: "run_1", result: { isError: true } }]);
  });

  test("is under an id of the gateway's own at the server, which no other request of its client has", async () => {
    const { own, calls, server, client, brought, answer, send, atServer, settle } = reviewed();
    await atServer(line(given));
    const ping = { jsonrpc: "2.0", id: 7, method: "ping" };
    send(ping);
    expect(server.slice(1).map((each) => JSON.parse(each) as unknown)).toEqual([ping]);
    const pong = '{"jsonrpc":"2.0","id":7,"result":{}}\n';
    expect(Buffer.from(calls.fromServer(Buffer.from(pong)) ?? "").toString()).toBe(pong);
    expect(brought).toEqual([]);
    expect(answer(response)).toEqual([]);
    expect(brought).toHaveLength(1);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
    const other = { ...cancel, params: { requestId: 8 } };
    for (const message of [cancel, [other, cancel]]) send(message);
    const renamed = { ...cancel, params: { requestId: own.get("7") } };
    expect(server.slice(2).map((each) => JSON.parse(each) as unknown)).toEqual([renamed, [other, renamed]]);
    await settle();
    expect(client).toEqual([]);
  });

  test("is a server's error too, as a text that is reviewed", async () => {
    const { brought, answer, atServer } = reviewed();
    await atServer(line(given));
    expect(answer({ jsonrpc: "2.0", id: 7, error: { code: -1, message: "sk-abcdef" } })).toEqual([]);
    expect(brought).toMatchObject([{ result: { isError: true, content: [{ text: "sk-abcdef" }] } }]);
  });

  test("is lost where the gateway cannot be asked about it: nothing of it is delivered", async () => {
    const { brought, client, answer, atServer, settle } = reviewed();
    await atServer(line(given));
    answer(response);
    brought[0]?.fail();
    await settle();
    expect(client[0]).toContain("This call has run");
    expect(client[0]).not.toContain("sk-abcdef");
  });

  test("waits for a client that calls again, where its review takes too long", async () => {
    const hold = Promise.withResolvers<void>();
    const { brought, asked, server, client, answer, send, atServer, settle } = reviewed(hold.promise);
    await atServer(line(given));
    answer(response);
    hold.resolve();
    await settle();
    expect(client[0]).toContain("its result waits for a person's review");
    brought[0]?.deliver(released);
    await settle();
    send(line('{ "name":"delete", "arguments":{ "ok":true, "n":1 } }', "9"));
    await settle();
    expect(parsed(client.slice(1))).toEqual([{ jsonrpc: "2.0", id: 9, result: released }]);
    expect([asked.length, server.length]).toEqual([1, 1]);
    send(line(given, "10"));
    await settle();
    expect([asked.length, server.length]).toEqual([2, 1]);
  });

  test("waits for the call with the answers that it ran with, or without any, and not with others", async () => {
    const meta = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}';
    const attempt = (ok: boolean, id: string, state = "s"): string =>
      line(`{"name":"delete","inputResponses":{"ok":${ok}},"requestState":"${state}",${meta}}`, id);
    for (const again of [attempt(true, "9"), line(`{"name":"delete",${meta}}`, "9")]) {
      const hold = Promise.withResolvers<void>();
      const { brought, asked, client, answer, send, atServer, settle } = reviewed(hold.promise);
      await atServer(attempt(true, "7"), { inputResponses: { ok: true } });
      answer(response);
      hold.resolve();
      await settle();
      expect(client[0]).toContain("its result waits");
      brought[0]?.deliver(released);
      for (const other of [attempt(false, "8"), attempt(true, "8", "t")]) {
        send(other);
        await settle();
      }
      expect([asked.length, client.length]).toEqual([3, 3]);
      send(again);
      await settle();
      expect(parsed(client.slice(3))).toEqual([{ jsonrpc: "2.0", id: 9, result: { resultType: "complete", ...released } }]);
      expect(asked).toHaveLength(3);
    }
  });

  test.each([
    ["Request timed out", 1],
    ["the user pressed stop", 2],
  ])("that its client cancelled (%s) is told to nobody, and asked about %i times", async (reason, times) => {
    const { brought, asked, withdrawn, client, answer, send, atServer, settle } = reviewed();
    await atServer(line(given));
    send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7, reason } });
    answer(response);
    brought[0]?.deliver(released);
    await settle();
    expect(client).toEqual([]);
    expect(withdrawn).toEqual(times === 1 ? [] : [asked[0]?.id]);
    send(line(given, "9"));
    await settle();
    expect(asked).toHaveLength(times);
  });

  const round = { jsonrpc: "2.0", id: 7, result: { resultType: "input_required", inputRequests: {}, requestState: "s" } };

  test("passes where it asks the client for more", async () => {
    const { brought, answer, atServer } = reviewed();
    await atServer(line('{ "name":"delete", "_meta":{ "io.modelcontextprotocol/protocolVersion":"2026-07-28" } }'));
    expect(parsed(answer(round))).toEqual([round]);
    expect(brought).toMatchObject([{ result: round.result }]);
  });

  test("of a session passes by no word that only 2026-07-28 takes for a question", async () => {
    const { brought, answer, atServer } = reviewed();
    await atServer(line(given));
    expect(answer(round)).toEqual([]);
    expect(brought).toMatchObject([{ result: round.result }]);
  });

  test("is of no task: the gateway is asked about a task as one, and no task is declared", async () => {
    const { own, asked, server, client, send, atServer, settle } = reviewed();
    send(line('{ "name":"delete", "task":{} }'));
    expect(asked.map(({ call }) => call)).toEqual([{ tool: "delete", server: "notes", arguments: {}, asTask: true }]);
    asked[0]?.decide({ decision: "denied", mode: "policy", message: "It cannot run as a task." });
    await settle();
    expect(server).toEqual([]);
    // A result would be no task.
    expect(parsed(client)).toEqual([{ jsonrpc: "2.0", id: 7, error: { code: -1, message: "It cannot run as a task. It was not run." } }]);
    const meta = (extensions: string): string =>
      `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{${extensions}}}}`;
    await atServer(line(`{"name":"delete","_meta":${meta('"io.modelcontextprotocol/tasks":{}, "x":{}')}}`, "8"));
    expect(server).toEqual([line(`{"name":"delete","_meta":${meta(' "x":{}')}}`, JSON.stringify(own.get("8")))]);
  });
});
