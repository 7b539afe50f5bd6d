// Callers who leave, come back, or ask again from elsewhere; sessions and client requests that end
// under a run.

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { RunObject } from "../../../workers/objects/run/run-object.ts";
import { SessionObject } from "../../../workers/objects/session/session-object.ts";
import { sessionStub } from "../../../workers/stubs/stubs.ts";
import { devKeyId } from "../../../workers/stores/keys.ts";
import { originatingKey } from "../../../workers/pipeline/incoming/sampling-call.ts";
import {
  answerOf,
  configure,
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
  samplingMessage,
} from "../support/gateway.ts";
import { decide, formOf, nonceFor, pathOf, postForm, press } from "../support/reviewer.ts";
import { Stream } from "../support/stream.ts";
import { crash, everything, kindsOf, later, quiet, recordOf, recordWith, ringAlarm, ringNextAlarm, stubOf, tablesOf } from "./inside.ts";

const params = { messages: [{ role: "user", content: { type: "text", text: "The very same question." } }] };
const asked = (session: string, more: object = {}) => samplingMessage({ server: "request-gate", session, params, ...more });

const openRuns = async (): Promise<string[]> => [
  ...new Set((await notices()).filter(({ state }) => state === "sent").map(({ run }) => run)),
];

/** A caller who asks and loses its connection. */
async function abandoned(session: string): Promise<{ run: string; link: string }> {
  const line = new Stream(await post(asked(session)));
  await line.next();
  const { run, link } = await openNotice("request");
  await windowsOf(run, 1);
  await line.leave();
  await recordWith(run, "requestorLeft");
  return { run, link };
}

const windowsOf = (run: string, count: number): Promise<boolean> =>
  eventually(`${count} windows`, async () => (await windowsHeld(run)) === count);

/** How many callers hold the line, as the object counts them. */
const windowsHeld = (run: string): Promise<number> =>
  runInDurableObject(stubOf(run), (_, state) => state.getWebSockets().filter(({ readyState }) => readyState === WebSocket.OPEN).length);

describe("a caller who leaves", () => {
  test("changes nothing but what the page says: the run goes on, and the record says once that the requestor left", async () => {
    const { run, link } = await abandoned("sess-1");
    expect(await (await gateway(pathOf(link), { key: null })).text()).toMatch(/gone|left|no longer/i);
    for (let i = 0; i < 4; i += 1) {
      await crash();
      await gateway(pathOf(link), { key: null });
      later(10_000);
      await ringAlarm(stubOf(run));
    }
    expect(kindsOf(await recordOf(run)).filter((kind) => kind.startsWith("requestor"))).toEqual(["requestorLeft"]);
    await press(link, "approve");
    expect((await runReaches(run, "completed")).result).toBeDefined();
  });

  test("and comes back by repeating the request is there again, and gets the answer", async () => {
    const message = asked("sess-1");
    const line = new Stream(await post(message));
    await line.next();
    const { run, link } = await openNotice("request");
    await windowsOf(run, 1);
    await line.leave();
    await recordWith(run, "requestorLeft");
    const again = answerOf(post(message));
    expect(kindsOf(await recordWith(run, "requestorBack")).filter((kind) => kind.startsWith("requestor"))).toEqual([
      "requestorLeft",
      "requestorBack",
    ]);
    await press(link, "approve");
    expect((await again).result).toBeDefined();
  });

  test("by a crash of everything comes back unseen: a reset is no leaving", async () => {
    const answer = answerOf(post(asked("sess-1")));
    const { run, link } = await openNotice("request");
    for (let i = 0; i < 3; i += 1) {
      await crash();
      await windowsOf(run, 1);
    }
    await press(link, "approve");
    await answer;
    expect(kindsOf(await recordOf(run)).filter((kind) => kind.startsWith("requestor"))).toEqual([]);
  });

  test("before the line was ever opened is noticed as well", async () => {
    vi.spyOn(RunObject.prototype, "fetch").mockImplementation(() => Promise.reject(new Error("never opened")));
    await post(asked("sess-1"));
    const { run } = await openNotice("request");
    later(4_000);
    await ringNextAlarm(stubOf(run));
    expect(kindsOf(await recordWith(run, "requestorLeft"))).toContain("requestorLeft");
  });
});

describe("an identical request", () => {
  test("of another session takes over the run that nobody waits for: nobody is asked twice, the model is paid once", async () => {
    const { run, link } = await abandoned("sess-1");
    const answer = answerOf(post(asked("sess-2")));
    await recordWith(run, "adopted");
    expect(await openRuns()).toEqual([run]);
    await press(link, "approve");
    expect((await answer).result?._meta?.["countersign/run"]?.id).toBe(run);
    expect(model.calls).toHaveLength(1);
  });

  test("takes the reply that came after its requestor had left, for an hour, and the next one asks anew", async () => {
    const { run, link } = await abandoned("sess-1");
    await press(link, "approve");
    await runReaches(run, "completed");
    later(3_500_000);
    expect((await answerOf(post(asked("sess-2")))).result?._meta?.["countersign/run"]?.id).toBe(run);
    expect(model.calls).toHaveLength(1);
    await eventually("the index", async () => !(await everything()).includes('"identical":[{'));
    await post(asked("sess-3"));
    await eventually("another run", async () => (await openRuns()).length === 1 && (await openRuns())[0] !== run);
  });

  test("more than an hour later asks anew", async () => {
    const { run, link } = await abandoned("sess-1");
    await press(link, "approve");
    await runReaches(run, "completed");
    await quiet(run);
    later(3_700_000);
    await post(asked("sess-2"));
    await eventually("another run", async () => (await openRuns()).some((each) => each !== run));
    expect(kindsOf(await recordOf(run))).not.toContain("adopted");
  });

  test("while the first one's caller is there is a request of its own", async () => {
    const first = answerOf(post(asked("sess-1")));
    const { run } = await openNotice("request");
    await windowsOf(run, 1);
    const second = answerOf(post(asked("sess-2")));
    const runs = await eventually("two runs", async () => ((await openRuns()).length === 2 ? openRuns() : null));
    for (const each of runs) await decide("request", "approve", each);
    const ids = [await first, await second].map(({ result }) => result?._meta?.["countersign/run"]?.id);
    expect(new Set(ids)).toEqual(new Set(runs));
  });

  test("at the very same time is a request of its own: a requestor who is yet to hold the line is not gone", async () => {
    const answers = ["sess-1", "sess-2", "sess-3"].map((session) => answerOf(post(asked(session))));
    const runs = await eventually("three runs", async () => ((await openRuns()).length === 3 ? openRuns() : null));
    for (const run of runs) await decide("request", "approve", run);
    expect(new Set((await Promise.all(answers)).map(({ result }) => result?._meta?.["countersign/run"]?.id)).size).toBe(3);
  });

  test("while the first one's caller has yet to open its window is a request of its own", async () => {
    const { promise: opening, resolve: open } = Promise.withResolvers<void>();
    const fetched = RunObject.prototype.fetch;
    vi.spyOn(RunObject.prototype, "fetch").mockImplementationOnce(async function (this: RunObject, request) {
      await opening;
      return fetched.call(this, request);
    });
    const first = answerOf(post(asked("sess-1")));
    const { run } = await openNotice("request");
    const second = answerOf(post(asked("sess-2")));
    const runs = await eventually("two runs", async () => ((await openRuns()).length === 2 ? openRuns() : null));
    open();
    for (const each of runs) await decide("request", "approve", each);
    expect((await first).result?._meta?.["countersign/run"]?.id).toBe(run);
    expect((await second).result).toBeDefined();
  });

  test("just after a crash, while the first one's caller is on its way back, is a request of its own", async () => {
    const first = answerOf(post(asked("sess-1")));
    const { run } = await openNotice("request");
    await windowsOf(run, 1);
    await crash();
    const second = answerOf(post(asked("sess-2")));
    const runs = await eventually("two runs", async () => ((await openRuns()).length === 2 ? openRuns() : null));
    for (const each of runs) await decide("request", "approve", each);
    expect((await first).result?._meta?.["countersign/run"]?.id).toBe(run);
    expect((await second).result).toBeDefined();
  });

  test("under a policy with other gates than the run's is asked about by the new policy", async () => {
    const { run } = await abandoned("sess-1");
    // The same rule and the same people: the gates alone are others.
    const rule = { name: "request gate", when: { server: "request-gate" }, then: { request: "review", response: "review" } };
    await configure("policy", { ...policy, rules: [rule] });
    await post(asked("sess-2"));
    await eventually("another run", async () => (await openRuns()).some((each) => each !== run));
  });

  test("that took a run over repeats onto it even where the Worker died before its session knew", async () => {
    const { run, link } = await abandoned("sess-1");
    const cutOff = (): never => {
      throw new Error("cut off");
    };
    // The Worker's own call and the run's first one, in whichever order.
    const told = vi.spyOn(SessionObject.prototype, "adopted").mockImplementationOnce(cutOff).mockImplementationOnce(cutOff);
    const message = asked("sess-2");
    expect((await post(message)).status).toBe(500);
    await eventually("the run telling the session again", async () => told.mock.results.some(({ type }) => type === "return"));
    await eventually("the session knowing", async () =>
      (await tablesOf(sessionStub(env, devKeyId, "sess-2") as unknown as DurableObjectStub))["sampling"]?.some((row) => row["run"] === run),
    );
    const again = answerOf(post(message));
    await press(link, "approve");
    expect((await again).result?._meta?.["countersign/run"]?.id).toBe(run);
    expect(await openRuns()).toEqual([]);
    expect(model.calls).toHaveLength(1);
  });
});

test("a fast-path reply that is kept for an identical request goes on with the record that the fast path began", async () => {
  let answerNow = (): void => {};
  const held = new Promise<void>((resolve) => {
    answerNow = resolve;
  });
  model.script({ until: held, step: {} });
  const message = samplingMessage({ server: "open", session: "sess-1", params });
  const line = new Stream(await post(message, { headers: { Accept: "text/event-stream" } }));
  await eventually("the call", async () => model.calls.length === 1);
  await line.leave();
  answerNow();
  await eventually("the kept run", async () => (await everything()).includes('"identical":[{'));
  const { result } = await answerOf(post(samplingMessage({ server: "open", session: "sess-2", params })));
  const run = result?._meta?.["countersign/run"]?.id ?? "";
  expect(kindsOf(await recordWith(run, "adopted"))).toEqual(["received", "called", "answered", "finished", "adopted"]);
  expect(model.calls).toHaveLength(1);
});

const endRequest = (session: string, originating = 7): Promise<Response> =>
  gateway(`/sessions/${session}/requests/${originating}?server=request-gate`, { method: "DELETE" });

describe("what ends under a run", () => {
  test.each([
    ["the session", () => gateway("/sessions/sess-1", { method: "DELETE" }), "session"],
    ["the originating request", () => endRequest("sess-1"), "originatingRequest"],
  ])("%s: the waiting run is cancelled, its caller and its reviewer are told, and a decision comes too late", async (_, end, cause) => {
    const answer = answerOf(post(asked("sess-1")));
    const { run, link } = await openNotice("request");
    const form = await formOf(link);
    form.set("act", "approve:0");
    form.set("nonce", nonceFor(link, form, 5_000));
    expect((await end()).status).toBe(204);
    expect((await answer).error?.code).toBe(-32800);
    expect((await recordOf(run)).map(({ fact }) => fact)).toContainEqual({ kind: "cancelled", cause });
    const html = await (await gateway(pathOf(link), { key: null })).text();
    expect(html).not.toContain('value="approve:');
    expect((await postForm(link, form)).status).toBe(409);
    expect(model.calls).toHaveLength(0);
    expect((await errorOf(post(asked("sess-1")))).code).toBe(-32602);
  });

  test("one of two sessions that share a run: it goes on for the other", async () => {
    const { run, link } = await abandoned("sess-1");
    const answer = answerOf(post(asked("sess-2")));
    await recordWith(run, "adopted");
    expect((await gateway("/sessions/sess-1", { method: "DELETE" })).status).toBe(204);
    expect((await runOf(run)).status).toBe("working");
    await press(link, "approve");
    expect((await answer).result).toBeDefined();
  });

  test("one of two client requests of one session that share a run, then the other", async () => {
    const { run } = await abandoned("sess-1");
    const answer = answerOf(post(asked("sess-1", { originating: 8 })));
    await recordWith(run, "adopted");
    await endRequest("sess-1", 7);
    expect((await runOf(run)).status).toBe("working");
    await endRequest("sess-1", 8);
    expect((await answer).error?.code).toBe(-32800);
  });

  test("a withdrawn request does not take along the one that took its run over", async () => {
    const first = samplingMessage({ server: "request-gate", session: "sess-1", id: "first", params });
    const line = new Stream(await post(first));
    await line.next();
    const { run, link } = await openNotice("request");
    await windowsOf(run, 1);
    await line.leave();
    await recordWith(run, "requestorLeft");
    const second = answerOf(post(samplingMessage({ server: "request-gate", session: "sess-1", id: "second", params })));
    await recordWith(run, "adopted");
    // As a server does that gave up on its first request and has sent the next.
    const meta = { "countersign/session": "sess-1" };
    expect((await post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "first", _meta: meta } })).status).toBe(
      202,
    );
    expect((await runOf(run)).status).toBe("working");
    await press(link, "approve");
    expect((await second).result).toBeDefined();
  });

  test("a client request that ends between the reservation and the opening of its run: the run is withdrawn as soon as it is there", async () => {
    let go = (): void => {};
    const opened = new Promise<void>((resolve) => {
      go = resolve;
    });
    const open = RunObject.prototype.open;
    vi.spyOn(RunObject.prototype, "open").mockImplementation(async function (this: RunObject, input) {
      await opened;
      await open.call(this, input);
    }); // a Worker that is slow to get there
    const answer = answerOf(post(asked("sess-1")));
    const session = sessionStub(env, "key_dev", "sess-1");
    await eventually("the reservation", async () => (await everything()).includes('"state":"durable"'));
    await session.endOriginating([originatingKey("request-gate", 7)], "originatingRequest", true);
    go();
    expect((await answer).error?.code).toBe(-32800);
    expect(model.calls).toHaveLength(0);
  });

  test("a run whose object cannot be reached is withdrawn by the session's alarm", async () => {
    const answer = answerOf(post(asked("sess-1")));
    await openNotice("request");
    const broken = vi.spyOn(RunObject.prototype, "withdraw").mockImplementationOnce(() => {
      throw new Error("out of reach");
    });
    await gateway("/sessions/sess-1", { method: "DELETE" });
    await eventually("an attempt", async () => broken.mock.calls.length === 1);
    await crash();
    expect((await answer).error?.code).toBe(-32800);
  });
});

test("a task that is cancelled twice is cancelled once", async () => {
  const task = await answerOf(post({ ...asked("sess-1"), params: { ...asked("sess-1").params, task: { ttl: 60_000 } } }));
  const { taskId: id } = (task.result ?? {})["task"] as { taskId: string }; // a CreateTaskResult of the protocol
  const answers = await Promise.all([rpc("tasks/cancel", { taskId: id }), rpc("tasks/cancel", { taskId: id })].map(answerOf));
  expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(1);
  expect(kindsOf(await recordWith(id, "finished")).filter((kind) => kind === "cancelled")).toHaveLength(1);
});

test("an asynchronous run has no requestor to leave", async () => {
  const response = await sample({ server: "request-gate", params }, { headers: { Prefer: "respond-async" } });
  const run = (response.headers.get("Location") ?? "").slice("/runs/".length);
  await openNotice("request", run);
  await crash();
  later(10_000);
  await ringAlarm(stubOf(run));
  expect(kindsOf(await recordOf(run))).not.toContain("requestorLeft");
});
