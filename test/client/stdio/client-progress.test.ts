import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClientProgress } from "../../../client/stdio/client-progress.ts";

const call = (id: number | string, progressToken?: number | string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "t", ...(progressToken === undefined ? {} : { _meta: { progressToken } }) },
});
const serverSays = (progressToken: number | string, progress: number, total?: number) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken, progress, ...(total === undefined ? {} : { total }) },
});
const paramsOf = (notification: object | undefined) => (notification as { params: { progress: number } } | undefined)?.params;

describe("what the client is told while a person is waited for", () => {
  test("comes with the client's token and says what is waited for", () => {
    const progress = new ClientProgress();
    progress.sent(call(1, "p"));
    expect(progress.tell(1, "Waiting for a person", 5)).toEqual({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: "p", progress: 0.000001, message: "Waiting for a person" },
    });
  });

  test("is nothing where the client gave no token, and nothing once its request is answered or cancelled", () => {
    const progress = new ClientProgress();
    progress.sent(call(1));
    expect(progress.tell(1, "x", 0)).toBeUndefined();
    progress.sent(call(2, "p"));
    progress.received({ jsonrpc: "2.0", id: 2, result: {} });
    expect(progress.tell(2, "x", 0)).toBeUndefined();
    progress.sent(call(3, "p"));
    progress.ended(3);
    expect(progress.tell(3, "x", 0)).toBeUndefined();
  });

  test("goes on for a request that was answered with a task", () => {
    const progress = new ClientProgress();
    progress.sent(call(1, "p"));
    progress.received({ jsonrpc: "2.0", id: 1, result: { task: { taskId: "a", status: "working" } } });
    expect(paramsOf(progress.tell(1, "x", 0))).toMatchObject({ progressToken: "p" });
  });

  test("tells 7 from '7', as ids and as tokens", () => {
    const progress = new ClientProgress();
    progress.sent(call(7, "7"));
    progress.received(serverSays(7, 100));
    expect(progress.tell("7" as never, "x", 0)).toBeUndefined();
    expect(paramsOf(progress.tell(7, "x", 0))?.progress).toBeLessThan(1);
  });

  test("always grows, beyond whatever the server said last, and leaves room for the server's next whole step", () => {
    const step = fc.oneof(fc.constant("ours" as const), fc.double({ min: 0, max: 1e15, noNaN: true }), fc.integer({ min: 0, max: 1_000 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const progress = new ClientProgress();
        progress.sent(call(1, "p"));
        let highest = -1;
        for (const each of steps) {
          if (each !== "ours") {
            progress.received(serverSays("p", each));
            highest = Math.max(highest, each);
            continue;
          }
          const told = paramsOf(progress.tell(1, "x", 0))?.progress ?? Number.NaN;
          expect(told).toBeGreaterThan(highest);
          if (highest >= 0 && highest < 1e9) expect(told).toBeLessThan(highest + 1);
          highest = told;
        }
      }),
    );
  });

  test("repeats the server's total while it is not passed", () => {
    const progress = new ClientProgress();
    progress.sent(call(1, "p"));
    progress.received(serverSays("p", 2, 5));
    expect(paramsOf(progress.tell(1, "x", 0))).toEqual({ progressToken: "p", progress: 2.000001, total: 5, message: "x" });
    progress.received(serverSays("p", 5, 5));
    expect(paramsOf(progress.tell(1, "x", 0))).toEqual({ progressToken: "p", progress: 5.000001, message: "x" });
  });

  test("is said again after ten seconds, and not before anything was said", () => {
    const progress = new ClientProgress();
    progress.sent(call(1, "p"));
    expect(progress.remind(1, 1_000_000)).toBeUndefined();
    progress.tell(1, "Waiting", 1_000_000);
    expect(progress.remind(1, 1_009_999)).toBeUndefined();
    expect(paramsOf(progress.remind(1, 1_010_000))).toEqual({ progressToken: "p", progress: 0.000002, message: "Waiting" });
    expect(progress.remind(1, 1_010_001)).toBeUndefined();
  });

  test("forgets the oldest of very many requests that nothing ended", () => {
    const progress = new ClientProgress();
    for (let id = 0; id <= 1_000; id += 1) progress.sent(call(id, `p${id}`));
    expect(progress.tell(0, "x", 0)).toBeUndefined();
    expect(progress.tell(1, "x", 0)).toBeDefined();
  });
});
