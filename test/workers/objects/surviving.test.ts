// A run whose object is evicted, reset or killed at every place where it can be: nothing is lost,
// nothing is asked twice.

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { describe, expect, test, vi } from "vitest";
import { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import { EventRows } from "../../../workers/objects/run/tables/event-rows.ts";
import { OutboxRows } from "../../../workers/objects/run/tables/outbox-rows.ts";
import { NoticeSender } from "../../../workers/objects/run/notices/notice-sender.ts";
import { RunStore } from "../../../workers/objects/run/tables/run-store.ts";
import { ScheduleRows } from "../../../workers/objects/run/tables/schedule-rows.ts";
import { replyMarker } from "../support/logs.ts";
import {
  type Asked,
  answerOf,
  configure,
  eventually,
  model,
  notices,
  openNotice,
  policy,
  runOf,
  runReaches,
  sample,
  samplingMessage,
  post,
} from "../support/gateway.ts";
import { decide, formOf, nonceFor, postForm, press } from "../support/reviewer.ts";
import { crash, instanceOf, kindsOf, later, recordOf, recordWith, ringAlarm, ringNextAlarm, stubOf, tablesOf } from "./inside.ts";

const both = { server: "notes" };

/** Asks, holds the line, and waits for the first notice. */
async function waiting(asked: Asked, gate: "request" | "response" = "request") {
  const response = await sample(asked);
  const notice = await openNotice(gate);
  return { answer: answerOf(response), notice, run: notice.run };
}

/** A promise and what settles it. */
function latch(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe("while a caller waits", () => {
  test("the object sleeps, and the decision of a person still reaches the caller", async () => {
    const { answer, notice, run } = await waiting({ server: "request-gate" });
    const first = await instanceOf(run);
    // Waits for what is under way: a caller that kept the object awake would keep this from ending.
    await evictDurableObject(stubOf(run));
    expect(await instanceOf(run)).not.toBe(first);
    await evictDurableObject(stubOf(run));
    expect((await press(notice.link, "approve")).status).toBe(303);
    expect((await answer).result).toMatchObject({ content: { type: "text" }, _meta: { "countersign/run": { id: run } } });
    expect(kindsOf(await recordOf(run))).toEqual([
      "received",
      "reviewOpened",
      "noticed",
      "opened",
      "approved",
      "called",
      "answered",
      "finished",
    ]);
  });

  test.each(["request", "response"] as const)(
    "a crash at the %s gate loses nothing: the old link works and the caller gets the answer",
    async (gate) => {
      const { answer, notice, run } = await waiting({ server: `${gate}-gate` }, gate);
      const before = await formOf(notice.link);
      await crash();
      // The very form of the page that was open before.
      before.set("act", "approve:0");
      before.set("nonce", nonceFor(notice.link, before, 5_000));
      expect((await postForm(notice.link, before)).status).toBe(303);
      expect((await answer).result).toMatchObject({ role: "assistant" });
      expect(model.calls).toHaveLength(1);
      expect((await notices()).filter((each) => each.run === run)).toHaveLength(1);
    },
  );

  test("crash after crash, through both gates, asks each question once", async () => {
    const { answer, run } = await waiting(both);
    await crash();
    await decide("request", "approve", run);
    // A call that a crash cuts off is made again: that is the next tests' subject.
    await openNotice("response", run);
    await crash();
    await decide("response", "approve", run);
    await crash();
    expect((await answer).result).toBeDefined();
    expect(model.calls).toHaveLength(1);
    const kinds = kindsOf(await recordOf(run)).filter((kind) => !["requestorLeft", "requestorBack"].includes(kind));
    expect(kinds).toEqual([
      "received",
      "reviewOpened",
      "noticed",
      "opened",
      "approved",
      "called",
      "answered",
      "reviewOpened",
      "noticed",
      "opened",
      "approved",
      "finished",
    ]);
  });

  test("a caller that comes back by repeating its request attaches to the same run, before and after the end", async () => {
    const message = samplingMessage({ server: "request-gate", id: "again" });
    const first = answerOf(post(message));
    const { run } = await openNotice("request");
    const second = answerOf(post(message));
    await crash();
    const third = answerOf(post(message));
    await decide("request", "approve", run);
    const answers = [await first, await second, await third, await answerOf(post(message))];
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.result?._meta?.["countersign/run"]?.id).toBe(run);
    expect(model.calls).toHaveLength(1);
  });
});

describe("between the commit and what follows from it", () => {
  test("a crash before any notice went out: it goes out by itself", async () => {
    const append = vi.spyOn(LedgerObject.prototype, "append").mockImplementation(() => {
      throw new Error("the ledger is down");
    });
    const answer = answerOf(sample({ server: "request-gate" }));
    await eventually("an attempt", async () => append.mock.calls.length > 0);
    await crash();
    append.mockRestore();
    const { run, link } = await openNotice("request");
    expect((await press(link, "approve")).status).toBe(303);
    expect((await answer).result?._meta?.["countersign/run"]?.id).toBe(run);
  });

  test("a crash between a decision and the model call: the call is made without anybody asking again", async () => {
    const { answer, notice, run } = await waiting({ server: "request-gate" });
    // The decision is committed and nothing of what follows is begun.
    const due = vi.spyOn(OutboxRows.prototype, "due").mockReturnValue([]);
    expect((await press(notice.link, "approve")).status).toBe(303);
    await crash();
    expect(model.calls).toHaveLength(0);
    due.mockRestore();
    expect((await answer).result).toBeDefined();
    expect(model.calls).toHaveLength(1);
    const called = (await recordOf(run)).flatMap(({ fact }) => (fact.kind === "called" ? [fact] : []));
    expect(called).toMatchObject([{ call: 1, again: false }]);
  });

  test("a crash after the model answered and before the second gate was told of: the reply is kept, and the model is not asked again", async () => {
    const { answer, notice, run } = await waiting(both);
    const blocked = vi.spyOn(LedgerObject.prototype, "append").mockImplementation(() => {
      throw new Error("the ledger is down");
    });
    await press(notice.link, "approve");
    await eventually("the response review", async () => (await tablesOf(stubOf(run)))["versions"]?.some(({ gate }) => gate === "response"));
    await crash();
    blocked.mockRestore();
    await decide("response", "approve", run);
    expect(JSON.stringify((await answer).result)).toContain(replyMarker);
    expect(model.calls).toHaveLength(1);
  });

  test("a crash between the last decision and the delivery: the caller gets the answer, and the record has one end", async () => {
    const { answer, notice, run } = await waiting({ server: "response-gate" }, "response");
    const due = vi.spyOn(OutboxRows.prototype, "due").mockReturnValue([]);
    await press(notice.link, "approve");
    await crash();
    due.mockRestore();
    expect((await answer).result).toBeDefined();
    expect(kindsOf(await recordOf(run)).filter((kind) => kind === "finished")).toHaveLength(1);
  });
});

describe("during the model call", () => {
  test("a crash has the call made again, and the record says that it may have been paid twice", async () => {
    const never = latch();
    model.script({ until: never.opened, step: {} });
    const { answer, notice, run } = await waiting({ server: "request-gate" });
    await press(notice.link, "approve");
    await eventually("the first call", async () => model.calls.length === 1);
    await crash();
    expect((await answer).result).toBeDefined();
    never.open();
    expect(model.calls).toHaveLength(2);
    expect(model.calls[1]?.body).toEqual(model.calls[0]?.body);
    const events = await recordOf(run);
    expect(events.flatMap(({ fact }) => (fact.kind === "called" ? [[fact.call, fact.again]] : []))).toEqual([
      [1, false],
      [2, true],
    ]);
    expect(kindsOf(events).filter((kind) => kind === "approved")).toHaveLength(1);
  });

  test("a call that takes its object down each time is made three times and then fails, with an answer for the caller", async () => {
    const never = latch();
    for (let i = 0; i < 3; i += 1) model.script({ until: never.opened, step: {} });
    const { answer, notice, run } = await waiting({ server: "request-gate" });
    await press(notice.link, "approve");
    for (let calls = 1; calls <= 3; calls += 1) {
      await eventually(`call ${calls}`, async () => model.calls.length === calls);
      await crash();
    }
    expect((await answer).error?.code).toBe(-32011);
    never.open();
    expect(model.calls).toHaveLength(3);
    expect(kindsOf(await recordOf(run)).at(-1)).toBe("finished");
  });

  test("alarms that fire meanwhile start no second call", async () => {
    const slow = latch();
    model.script({ until: slow.opened, step: {} });
    const { answer, notice, run } = await waiting({ server: "request-gate" });
    await press(notice.link, "approve");
    await eventually("the call", async () => model.calls.length === 1);
    for (let i = 0; i < 4; i += 1) {
      later(30_000);
      await ringAlarm(stubOf(run));
    }
    slow.open();
    expect((await answer).result).toBeDefined();
    expect(model.calls).toHaveLength(1);
  });

  test("a run that is cancelled during the call delivers nothing, whatever the model says later, and the record has what that cost", async () => {
    const slow = latch();
    model.script({ until: slow.opened, step: {} });
    const { answer, notice, run } = await waiting({ server: "request-gate" });
    await press(notice.link, "approve");
    await eventually("the call", async () => model.calls.length === 1);
    expect(await stubOf(run).cancel("caller")).toBe(true);
    expect((await answer).error?.code).toBe(-32800);
    slow.open();
    const paid = (await recordWith(run, "answered")).flatMap(({ fact }) => (fact.kind === "answered" ? [fact.usage] : []));
    expect(paid).toEqual([{ inputTokens: 12, outputTokens: 5 }]);
    expect(JSON.stringify(await tablesOf(stubOf(run)))).not.toContain(replyMarker);
    expect((await runOf(run)).state).toBe("cancelled");
  });
});

describe("alarms", () => {
  test("a deadline fires by itself, and again without effect", async () => {
    await configure("policy", { ...policy, default: { ...policy.default, deadlineSeconds: 5 } });
    // Its notice may come after that on a busy machine: it is looked for afterwards, in any state.
    const { error } = await answerOf(sample(both));
    expect(error).toMatchObject({ code: -1, data: { outcome: "expired" } });
    const { run } = await eventually("its notice", async () => (await notices())[0]);
    await runInDurableObject(stubOf(run), async (instance) => {
      await Promise.all([instance.alarm(), instance.alarm()]);
      await instance.alarm();
    });
    expect(kindsOf(await recordWith(run, "finished")).filter((kind) => kind === "expired" || kind === "finished")).toEqual([
      "expired",
      "finished",
    ]);
  });

  test("a deadline that passed while the object was away ends the run at once, and an approval of that moment is late", async () => {
    const { answer, notice, run } = await waiting(both);
    const form = await formOf(notice.link);
    form.set("act", "approve:0");
    later(600_000);
    form.set("nonce", nonceFor(notice.link, form, 5_000));
    await crash();
    expect((await postForm(notice.link, form)).status).toBe(409);
    await ringNextAlarm(stubOf(run));
    expect((await answer).error).toMatchObject({ data: { outcome: "expired" } });
    expect(model.calls).toHaveLength(0);
  });

  test("an alarm that throws seven times and more sets itself again, and the run goes on where it was", async () => {
    const { answer, notice, run } = await waiting({ server: "request-gate" });
    const broken = vi.spyOn(ScheduleRows.prototype, "isForgetDue").mockImplementation(() => {
      throw new Error("broken");
    });
    for (let i = 0; i < 9; i += 1)
      expect(
        await runInDurableObject(stubOf(run), async (instance, state) => {
          await instance.alarm();
          return (await state.storage.getAlarm()) !== null;
        }),
      ).toBe(true);
    broken.mockRestore();
    await press(notice.link, "approve");
    expect((await answer).result).toBeDefined();
  });

  test("a ledger that fails for minutes holds up the answer and loses neither it nor an event", async () => {
    const { answer, notice, run } = await waiting({ server: "request-gate" });
    let failures = 0;
    const append = vi.spyOn(LedgerObject.prototype, "append").mockImplementation(() => {
      failures += 1;
      throw new Error("the ledger is down");
    });
    await press(notice.link, "approve");
    await eventually("the model's answer", async () => (await tablesOf(stubOf(run)))["versions"]?.length === 2);
    for (let i = 0; i < 8; i += 1) {
      later(61_000);
      await ringAlarm(stubOf(run));
    }
    expect(failures).toBeGreaterThanOrEqual(8);
    // Written before it is told: until the record has it, it is under way.
    expect((await runOf(run)).status).toBe("working");
    append.mockRestore();
    later(61_000);
    await ringAlarm(stubOf(run));
    expect((await answer).result).toBeDefined();
    expect(kindsOf(await recordOf(run)).at(-1)).toBe("finished");
  });

  test("a slow channel holds up its own notices and nothing else", async () => {
    const slow = latch();
    const send = NoticeSender.prototype.send;
    let sent = 0;
    const spy = vi.spyOn(NoticeSender.prototype, "send").mockImplementation(async function (this: NoticeSender, row) {
      sent += 1;
      if (sent === 1) await slow.opened;
      return send.call(this, row);
    });
    await configure("policy", { ...policy, reviewers: { everyone: [{ name: "Grace" }, { name: "Ada" }] } });
    const response = await sample({ server: "request-gate" });
    const notice = await eventually("Ada's notice", async () => (await notices()).find(({ reviewer }) => reviewer === "Ada"));
    await press(notice.link, "approve");
    expect((await answerOf(response)).result).toBeDefined();
    expect((await notices()).some(({ reviewer, state }) => reviewer === "Grace" && state === "sent")).toBe(false);
    slow.open();
    spy.mockRestore();
  });

  test("an alarm never moves a deadline, whatever else happens before it", async () => {
    const { run } = await waiting(both);
    const due = async (): Promise<number> =>
      Number((await tablesOf(stubOf(run)))["schedule"]?.find(({ kind }) => kind === "deadline:request")?.["dueAt"]);
    const alarmAt = (): Promise<number | null> => runInDurableObject(stubOf(run), (_, state) => state.storage.getAlarm());
    const deadline = await due();
    // A moment before the deadline everything else is done, and the alarm is for the deadline's
    // very millisecond.
    // Time stands still: a busy machine takes longer than that moment.
    const clock = vi.spyOn(Date, "now").mockReturnValue(deadline - 300);
    await runInDurableObject(stubOf(run), (instance) => instance.alarm());
    await stubOf(run).fetch("https://run/", { headers: { Upgrade: "websocket" } });
    await runInDurableObject(stubOf(run), (instance) => instance.alarm());
    expect(await due()).toBe(deadline);
    expect(await alarmAt()).toBe(deadline);
    clock.mockReturnValue(deadline);
    await ringNextAlarm(stubOf(run));
    expect((await runReaches(run, "expired")).error).toMatchObject({ data: { outcome: "expired" } });
  });
});

describe("a commit that fails", () => {
  const failOnce = (): never => {
    throw new Error("the disk is full");
  };

  test("while a run is opened leaves nothing behind, and the repeat opens it", async () => {
    vi.spyOn(EventRows.prototype, "append").mockImplementationOnce(failOnce);
    const message = samplingMessage({ server: "request-gate" });
    expect((await post(message)).status).toBe(500);
    expect(await notices()).toEqual([]);
    const answer = answerOf(post(message));
    const { run } = await decide("request", "approve");
    expect((await answer).result?._meta?.["countersign/run"]?.id).toBe(run);
    expect(kindsOf(await recordOf(run)).slice(0, 2)).toEqual(["received", "reviewOpened"]);
  });

  test("while somebody decides has decided nothing and begun nothing: the very same form counts afterwards", async () => {
    const { answer, notice, run } = await waiting({ server: "request-gate" });
    const fields = await formOf(notice.link);
    fields.set("act", "approve:0");
    fields.set("nonce", nonceFor(notice.link, fields, 5_000));
    await recordWith(run, "noticed");
    vi.spyOn(EventRows.prototype, "append").mockImplementationOnce(failOnce);
    expect((await postForm(notice.link, fields)).status).toBe(500);
    await ringAlarm(stubOf(run));
    expect(model.calls).toHaveLength(0);
    expect((await runOf(run)).state).toBe("waiting");
    expect((await postForm(notice.link, fields)).status).toBe(303);
    expect((await answer).result).toBeDefined();
    expect(kindsOf(await recordOf(run)).filter((kind) => kind === "approved")).toHaveLength(1);
  });

  test("while the model's answer is taken down is a call that is made again, and says so", async () => {
    const { answer, notice, run } = await waiting({ server: "notes" });
    const write = vi.spyOn(RunStore.prototype, "writeReplyVersion").mockImplementationOnce(failOnce);
    await press(notice.link, "approve");
    await eventually("the answer", async () => write.mock.calls.length === 1);
    later(21_000);
    await ringAlarm(stubOf(run));
    await decide("response", "approve", run);
    expect((await answer).result).toBeDefined();
    const called = (await recordOf(run)).flatMap(({ fact }) => (fact.kind === "called" ? [fact.again] : []));
    expect(called).toEqual([false, true]);
  });
});
