import { describe, expect, test } from "vitest";
import type { AssociationMode } from "../../client/sampling-connection.ts";
import { type Evidence, InFlight, type Origin } from "../../client/open-requests.ts";

function inFlight() {
  const ended: Origin["id"][] = [];
  const requests = new InFlight((origin) => ended.push(origin.id));
  return {
    requests,
    ended,
    call: (id: number | string, name = "t", params: Record<string, unknown> = {}) =>
      requests.sent({ jsonrpc: "2.0", id, method: "tools/call", params: { name, ...params } }),
    send: (id: number, method: string, params: Record<string, unknown> = {}) => requests.sent({ jsonrpc: "2.0", id, method, params }),
    answer: (id: number | string, result: Record<string, unknown> = {}) => requests.received({ jsonrpc: "2.0", id, result }),
    place: (evidence: Partial<Evidence> = {}, mode: AssociationMode = "auto") => {
      const association = requests.associate({ params: {}, ...evidence }, mode);
      return association.ok ? { id: association.origin.id, inferred: association.inferred } : association.reason;
    },
  };
}

describe("the requests in flight", () => {
  test("are those that a server may sample for, with the name that policy goes by", () => {
    for (const [method, params, name] of [
      ["tools/call", { name: "summarize" }, "summarize"],
      ["prompts/get", { name: "greet" }, "greet"],
      ["resources/read", { uri: "file:///a" }, "file:///a"],
    ] as const) {
      const { requests, send } = inFlight();
      send(1, method, params);
      const association = requests.associate({ params: {} }, "auto");
      expect(association).toMatchObject({ ok: true, origin: { id: 1, method, name } });
    }
    const { send, place } = inFlight();
    for (const method of ["ping", "tools/list", "initialize", "completion/complete", "logging/setLevel"]) send(1, method, { name: "x" });
    expect(place()).toBe("none-in-flight");
  });

  test.each<[string, (on: ReturnType<typeof inFlight>) => void]>([
    ["a result", ({ answer }) => answer(1)],
    ["an error", ({ requests }) => requests.received({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "x" } })],
    ["its cancellation", ({ requests }) => requests.sent({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })],
    ["a transport that could not send it", ({ requests }) => requests.abandoned(1)],
    ["the connection's end", ({ requests }) => requests.closed()],
  ])("end with %s, once, and are then no origin", (_name, end) => {
    const on = inFlight();
    on.call(1);
    const association = on.requests.associate({ params: {} }, "auto");
    end(on);
    end(on);
    expect(on.ended).toEqual([1]);
    expect(association.ok && association.origin.ended.aborted).toBe(true);
    expect(on.place()).toBe("none-in-flight");
  });

  test("keep an id's JSON type", () => {
    const { call, answer, place, ended } = inFlight();
    call(1);
    call("1");
    answer("1");
    expect(ended).toEqual(["1"]);
    expect(place()).toEqual({ id: 1, inferred: true });
  });

  test("are placed by the response stream, also while others are newer", () => {
    const { call, place } = inFlight();
    call(1);
    call(2);
    expect(place({ streamOf: 1 })).toEqual({ id: 1, inferred: false });
    expect(place({ streamOf: 1 }, "inFlight")).toEqual({ id: 1, inferred: false });
  });

  test("are not guessed where the stream shows a request that has ended, even when one other is open", () => {
    const { call, answer, place } = inFlight();
    call(1);
    call(2);
    answer(1);
    expect(place({ streamOf: 1 })).toBe("ended");
    expect(place({ streamOf: 1 }, "inFlight")).toBe("ended");
  });

  test("of several, unseen, none is taken and in inFlight mode the newest; one alone is taken but in strict mode; both are inferred", () => {
    const { call, answer, place } = inFlight();
    call(1);
    call(2);
    call(3);
    expect(place()).toBe("ambiguous");
    expect(place({}, "inFlight")).toEqual({ id: 3, inferred: true });
    answer(3);
    expect(place({}, "inFlight")).toEqual({ id: 2, inferred: true });
    answer(2);
    expect(place({}, "inFlight")).toEqual({ id: 1, inferred: true });
    expect(place()).toEqual({ id: 1, inferred: true });
    expect(place({}, "strict")).toBe("not-shown");
  });
});

describe("a tool call that became a task", () => {
  const related = (taskId: string): Evidence => ({ params: { _meta: { "io.modelcontextprotocol/related-task": { taskId } } } });

  test("stays open after its answer, and sampling that names the task belongs to it", () => {
    const { call, answer, place, ended } = inFlight();
    call(1);
    call(2);
    answer(1, { task: { taskId: "t1", status: "working" } });
    expect(ended).toEqual([]);
    expect(place(related("t1"))).toEqual({ id: 1, inferred: false });
  });

  test("owns what comes on the response stream of tasks/result, and ends with its answer", () => {
    const { call, answer, send, place, ended } = inFlight();
    call(1);
    answer(1, { task: { taskId: "t1", status: "working" } });
    call(2);
    send(3, "tasks/result", { taskId: "t1" });
    expect(place({ streamOf: 3 })).toEqual({ id: 1, inferred: false });
    answer(3, { content: [] });
    expect(ended).toEqual([1]);
  });

  test.each<[string, (on: ReturnType<typeof inFlight>) => void]>([
    [
      "tasks/get says that it is over",
      ({ send, answer }) => (send(2, "tasks/get", { taskId: "t1" }), answer(2, { taskId: "t1", status: "failed" })),
    ],
    [
      "tasks/cancel was answered",
      ({ send, answer }) => (send(2, "tasks/cancel", { taskId: "t1" }), answer(2, { taskId: "t1", status: "cancelled" })),
    ],
    [
      "the server says that it is over",
      ({ requests }) =>
        requests.received({ jsonrpc: "2.0", method: "notifications/tasks/status", params: { taskId: "t1", status: "completed" } }),
    ],
    ["it was over at once", ({ call, answer }) => (call(9), answer(9, { task: { taskId: "t9", status: "completed" } }))],
  ])("ends when %s", (_name, over) => {
    const on = inFlight();
    on.call(1);
    on.answer(1, { task: { taskId: "t1", status: "working" } });
    over(on);
    expect(on.ended).toHaveLength(1);
  });

  test("does not end when a poll says that it works, or when asking about it is given up", () => {
    const { call, answer, send, requests, ended } = inFlight();
    call(1);
    answer(1, { task: { taskId: "t1", status: "working" } });
    send(2, "tasks/get", { taskId: "t1" });
    answer(2, { taskId: "t1", status: "working" });
    send(3, "tasks/result", { taskId: "t1" });
    requests.sent({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } });
    expect(ended).toEqual([]);
  });
});

describe("a request that needs input (2026-07-28)", () => {
  const needs = (key: string, text: string, requestState: string) => ({
    resultType: "input_required",
    inputRequests: { [key]: { method: "sampling/createMessage", params: { text, deep: { a: 1, b: 2 } } } },
    requestState,
  });

  test("stays open over all its rounds, and ends with the last", () => {
    const { call, answer, requests, ended } = inFlight();
    call(1, "t");
    answer(1, needs("k", "x", "s1"));
    expect(requests.associate({ params: {}, inputKey: "k" }, "strict")).toMatchObject({ ok: true, origin: { id: 1 } });
    call(2, "t", { inputResponses: { k: {} }, requestState: "s1" });
    answer(2, { resultType: "input_required", requestState: "s2" });
    call(3, "t", { requestState: "s2" });
    expect(ended).toEqual([]);
    answer(3, { content: [] });
    expect(ended).toEqual([1]);
  });

  test("is told by its params from another that uses the same name, in whatever order their members come", () => {
    const { call, answer, place } = inFlight();
    call(1, "t");
    call(2, "t");
    answer(1, needs("k", "one", "s1"));
    answer(2, needs("k", "two", "s2"));
    expect(place({ inputKey: "k", params: { deep: { b: 2, a: 1 }, text: "one" } })).toEqual({ id: 1, inferred: false });
    expect(place({ inputKey: "k", params: { deep: { b: 2, a: 1 }, text: "two" } })).toEqual({ id: 2, inferred: false });
  });
});
