// Association: what ended stays ended, what ran under it is cancelled and says so, and no key
// reaches another's.

import { describe, expect, test } from "vitest";
import {
  type Asked,
  answerOf,
  configure,
  createKey,
  devKey,
  env,
  errorOf,
  eventually,
  gateway,
  model,
  notices,
  openNotice,
  policy,
  post,
  rpc,
  runOf,
  runReaches,
  sample,
  travel,
} from "../support/gateway.ts";
import { control, controlErrorOf, textEnvelope } from "../support/control.ts";
import { decide, formOf, pathOf, press } from "../support/reviewer.ts";
import { idsOf } from "../support/scope.ts";

const endRequest = (id: unknown, server = "notes", key: string = devKey, session = "sess-1"): Promise<Response> =>
  gateway(`/sessions/${session}/requests/${encodeURIComponent(JSON.stringify(id))}?server=${encodeURIComponent(server)}`, {
    method: "DELETE",
    key,
  });

const endSession = (session = "sess-1", key: string = devKey): Promise<Response> =>
  gateway(`/sessions/${encodeURIComponent(session)}`, { method: "DELETE", key });

const notAssociated = (reason: string) => ({
  code: -32602,
  message: "Sampling request is not associated with a client request",
  data: { reason },
});

async function waiting(
  asked: Asked = {},
  key: string = devKey,
): Promise<{ answer: ReturnType<typeof answerOf>; run: string; link: string }> {
  const before = new Set((await notices()).map(({ run }) => run));
  const answer = answerOf(sample({ server: "notes", ...asked }, { key }));
  const notice = await eventually("the notice", async () => (await notices()).find(({ run }) => !before.has(run)));
  return { answer, run: notice.run, link: notice.link };
}

const page = async (link: string): Promise<string> => (await gateway(pathOf(link), { key: null })).text();

test("a session whose name is the relay's is refused wherever one can be named, and wakes no object", async () => {
  await configure("policy", { ...policy, rules: [], default: { ...policy.default, request: "allow", response: "allow" } });
  const session = "mcp:0123456789";
  const sessions = async (): Promise<number> => (await idsOf(env.SESSION)).length;
  const before = await sessions();
  const errors = [{ pointer: "/_meta/countersign~1session", message: expect.stringContaining("mcp:") }];
  expect(await errorOf(sample({ session }))).toMatchObject({ code: -32602, data: { errors } });
  const meta = {
    _meta: { "countersign/session": session, "countersign/originatingRequest": { id: 7, method: "tools/call", name: "a", server: "open" } },
  };
  const notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, ...meta } };
  expect((await post(notification)).status).toBe(202);
  expect((await endRequest(7, "open", devKey, session)).status).toBe(400);
  expect((await endSession(session)).status).toBe(400);
  expect((await gateway(`/control/sessions/${session}`, { method: "DELETE" })).status).toBe(400);
  const envelope = textEnvelope({}, { context: { session_id: session } });
  expect((await controlErrorOf(control(envelope))).details).toMatchObject({ errors: [{ pointer: "/context/session_id" }] });
  expect(await sessions()).toBe(before);
  // What only looks like it is the host's own.
  expect(await answerOf(sample({ session: "xmcp:0123456789" }))).toHaveProperty("result");
});

describe("the end of an originating request", () => {
  test("cancels its open runs, tells the caller and the reviewer, and later sampling for it is refused", async () => {
    const { answer, run, link } = await waiting({ originating: 7 });
    const fields = await formOf(link);
    expect((await endRequest(7)).status).toBe(204);
    expect((await answer).error).toMatchObject({ code: -32800, data: { outcome: "cancelled" } });
    expect((await runReaches(run, "cancelled")).status).toBe("cancelled");
    expect(await page(link)).toContain("The client request that it served has ended.");
    // A page that was open meanwhile decides nothing.
    await expect(press(link, "approve", () => {}).then(({ status }) => status)).rejects.toThrow();
    expect(fields.get("digest")).toBeTruthy();
    expect(await errorOf(sample({ server: "notes", originating: 7 }))).toEqual(notAssociated("originatingRequestEnded"));
    expect(model.calls).toHaveLength(0);
  });

  test("is the end of that one only: its JSON type and its server count", async () => {
    const [number, text, elsewhere] = [
      await waiting({ originating: 7 }),
      await waiting({ originating: "7" }),
      await waiting({ originating: 7, server: "other" }),
    ];
    await endRequest("7");
    await runReaches(text.run, "cancelled");
    expect([(await runOf(number.run)).state, (await runOf(elsewhere.run)).state]).toEqual(["waiting", "waiting"]);
    expect(await answerOf(sample({ server: "open", originating: 7 }))).toHaveProperty("result");
  });

  test("before its first sampling request refuses that one", async () => {
    await endRequest(7, "open");
    expect(await errorOf(sample({ originating: 7 }))).toEqual(notAssociated("originatingRequestEnded"));
  });

  test("may be told twice", async () => {
    await waiting({ originating: 7 });
    expect([(await endRequest(7)).status, (await endRequest(7)).status]).toEqual([204, 204]);
  });

  test("refuses even a repeat of what was answered", async () => {
    await sample({ id: 1, originating: 7 });
    await endRequest(7, "open");
    expect(await errorOf(sample({ id: 1, originating: 7 }))).toEqual(notAssociated("originatingRequestEnded"));
  });

  test("an idle one lapses after a day", async () => {
    await sample({ originating: 7 });
    travel(24 * 3_600_000);
    expect(await errorOf(sample({ originating: 7 }))).toEqual(notAssociated("originatingRequestEnded"));
  });

  test.each<[string, string]>([
    ["an id that is no JSON", "/sessions/s/requests/abc?server=notes"],
    ["an id that is no request id", "/sessions/s/requests/null?server=notes"],
    ["an id of another shape", "/sessions/s/requests/%7B%7D?server=notes"],
    ["no server", "/sessions/s/requests/7"],
    ["an empty server", "/sessions/s/requests/7?server="],
    ["a session that no host can have", "/sessions/s%20s/requests/7?server=notes"],
    ["a session that is too long", `/sessions/${"s".repeat(129)}`],
  ])("%s is 400 and says what is wanted", async (_name, path) => {
    const response = await gateway(path, { method: "DELETE" });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringMatching(/./) });
  });

  test("needs a key", async () => {
    for (const path of ["/sessions/s", "/sessions/s/requests/7?server=notes"]) {
      expect((await gateway(path, { method: "DELETE", key: null })).status).toBe(401);
      expect((await gateway(path, { method: "DELETE", key: "csk_wrong" })).status).toBe(401);
    }
  });
});

describe("the end of a session", () => {
  test("cancels all its open runs, and its name stays ended", async () => {
    const [one, two] = [await waiting({ originating: 1 }), await waiting({ originating: 2, server: "other" })];
    expect((await endSession()).status).toBe(204);
    for (const { answer, run, link } of [one, two]) {
      expect((await answer).error?.code).toBe(-32800);
      await runReaches(run, "cancelled");
      expect(await page(link)).toContain("session has ended.");
    }
    expect(await errorOf(sample({ originating: 3 }))).toEqual(notAssociated("sessionEnded"));
    travel(48 * 3_600_000);
    expect(await errorOf(sample({ originating: 4 }))).toEqual(notAssociated("sessionEnded"));
    expect(await answerOf(sample({ session: "sess-2" }))).toHaveProperty("result");
  });

  test("leaves what had ended as it was", async () => {
    const { answer, run } = await waiting({ server: "request-gate" });
    await decide("request", "approve", run);
    await answer;
    await endSession();
    expect((await runOf(run)).state).toBe("completed");
  });

  test("while the model is at work: its reply is delivered nowhere", async () => {
    let answerNow = (): void => {};
    model.script({ until: new Promise<void>((resolve) => (answerNow = resolve)), step: {} });
    const { answer, run } = await waiting({ server: "request-gate" });
    await decide("request", "approve", run);
    await eventually("the call", async () => model.calls.length === 1);
    await endSession();
    answerNow();
    expect((await answer).error?.code).toBe(-32800);
    expect((await runOf(run)).result).toBeUndefined();
  });
});

describe("two keys", () => {
  test("with sessions of one name never meet", async () => {
    const other = await createKey();
    const mine = await waiting();
    await endSession("sess-1", other.key);
    await endRequest(7, "notes", other.key);
    await cancel("request", other.key);
    expect((await runOf(mine.run)).state).toBe("waiting");
    expect(await errorOf(sample({ session: "sess-1" }, { key: other.key }))).toEqual(notAssociated("sessionEnded"));
    expect(await answerOf(sample({ server: "open" }))).toHaveProperty("result");
  });
});

/** notifications/cancelled, with the session in its metadata. */
function cancel(requestId: unknown, key: string = devKey, meta: object = { "countersign/session": "sess-1" }): Promise<Response> {
  return gateway("/sampling", {
    method: "POST",
    key,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId, reason: "changed my mind", _meta: meta },
    }),
  });
}

describe("notifications/cancelled", () => {
  test("with the same session is 202 and empty, and cancels the run", async () => {
    const { answer, run } = await waiting({ id: 11 });
    const response = await cancel(11);
    expect([response.status, await response.text()]).toEqual([202, ""]);
    expect((await answer).error).toMatchObject({ code: -32800 });
    await runReaches(run, "cancelled");
  });

  test.each<[string, unknown, object]>([
    ["another JSON type of the id", "11", { "countersign/session": "sess-1" }],
    ["another session", 11, { "countersign/session": "sess-2" }],
    ["no session", 11, {}],
    ["an unknown id", 12, { "countersign/session": "sess-1" }],
    ["no id", undefined, { "countersign/session": "sess-1" }],
    ["a session that no host can have", 11, { "countersign/session": "sess 1" }],
  ])("with %s is 202 too, and cancels nothing", async (_name, id, meta) => {
    const { run } = await waiting({ id: 11 });
    const response = await cancel(id, devKey, meta);
    expect([response.status, await response.text()]).toEqual([202, ""]);
    expect((await runOf(run)).state).toBe("waiting");
  });

  test("for an id that two open requests have cancels only the one whose originating request it names", async () => {
    const [one, two] = [await waiting({ id: 11, originating: 1 }), await waiting({ id: 11, originating: 2 })];
    await cancel(11);
    expect([(await runOf(one.run)).state, (await runOf(two.run)).state]).toEqual(["waiting", "waiting"]);
    await cancel(11, devKey, {
      "countersign/session": "sess-1",
      "countersign/originatingRequest": { id: 2, method: "tools/call", name: "summarize", server: "notes" },
    });
    await runReaches(two.run, "cancelled");
    expect((await runOf(one.run)).state).toBe("waiting");
  });

  test("any other notification is taken and ignored", async () => {
    for (const method of ["notifications/initialized", "sampling/createMessage", "tasks/cancel"]) {
      const response = await gateway("/sampling", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", method }),
      });
      expect([response.status, await response.text()]).toEqual([202, ""]);
    }
    expect(model.calls).toHaveLength(0);
  });
});

test("a task is cancelled with its session as any run is", async () => {
  await sample({ server: "notes", params: { task: {} } });
  const { run: taskId } = await openNotice("request");
  await endSession();
  expect((await answerOf(rpc("tasks/get", { taskId }))).result).toMatchObject({ status: "cancelled" });
});
