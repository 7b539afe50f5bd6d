import { expect, test } from "vitest";
import type { Approval, ApprovalRequest } from "../../../client/approval.ts";
import { ReviewedCalls } from "../../../client/stdio/reviewed-calls.ts";

/** Calls between nobody and nobody: what each side gets, and how the gateway decides. */
function reviewed(hold: Promise<void> = new Promise(() => {})) {
  const asked: {
    readonly call: ApprovalRequest;
    readonly signal: AbortSignal;
    readonly decide: (decision: Approval) => void;
    readonly fail: () => void;
  }[] = [];
  const server: string[] = [];
  const client: string[] = [];
  const calls = new ReviewedCalls({
    server: "notes",
    holdMilliseconds: 1,
    decide: (call, signal) =>
      new Promise((resolve, reject) => asked.push({ call, signal, decide: resolve, fail: () => reject(new Error("no gateway")) })),
    sleep: () => hold,
    approved: (line) => server.push(Buffer.from(line).toString()),
    toClient: (line) => client.push(line),
  });
  const send = (message: unknown): void => {
    const text = typeof message === "string" ? message : `${JSON.stringify(message)}\n`;
    const passed = calls.fromClient(Buffer.from(text));
    if (passed !== undefined) server.push(Buffer.from(passed).toString());
  };
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { calls, asked, server, client, send, settle };
}

const approval: Approval = { decision: "approved", id: "run_1", mode: "human", arguments: {}, edited: false };
const line = (params: string, id = "7"): string => `{ "jsonrpc":"2.0","id":${id}, "method":"tools/call","params":${params} }\n`;
const given = '{ "name":"delete", "arguments":{ "n":1.0, "ok":true } }';

test("an approved call passes byte for byte, once it is approved", async () => {
  const { asked, server, client, send, settle } = reviewed();
  send(line(given));
  await settle();
  expect([server, client]).toEqual([[], []]);
  expect(asked.map(({ call }) => call)).toEqual([{ tool: "delete", server: "notes", arguments: { n: 1, ok: true } }]);
  asked[0]?.decide(approval);
  await settle();
  expect(server).toEqual([line(given)]);
});

test("a changed call passes with other arguments, and its response says so", async () => {
  const { calls, asked, server, send, settle } = reviewed();
  send(line(given));
  asked[0]?.decide({ ...approval, arguments: { n: 2 }, edited: true });
  await settle();
  expect(server).toEqual([line('{ "name":"delete", "arguments":{"n":2} }')]);
  const answer = '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"done"}],"n":1.0}}\n';
  const told = Buffer.from(calls.fromServer(Buffer.from(answer))).toString();
  expect(told).toContain("`n` from 1.0 to 2, `ok` was removed. This is what ran.");
  expect(told).toContain('"n":1.0}}');
  expect(Buffer.from(calls.fromServer(Buffer.from(answer))).toString()).toBe(answer);
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
  const { calls, asked, server, client, send, settle } = reviewed();
  send(line(given));
  send(line(given, "8"));
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n';
  send(cancel);
  calls.closed();
  for (const each of asked) each.decide(approval);
  await settle();
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  expect([server, client]).toEqual([[cancel], []]);
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
