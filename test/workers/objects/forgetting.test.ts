// What must be nowhere: a denied reply at once, everything else when its time is over; and what
// still knocks afterwards.

import type { KnownBy } from "../../../shared/receipt/known.ts";
import { jsonOf } from "../../../shared/json/json-of.ts";
import type { Submission } from "../../../workers/stubs/run-calls.ts";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { originatingKey } from "../../../workers/pipeline/incoming/sampling-call.ts";
import { associateIn } from "../../../workers/stubs/session-calls.ts";
import { sessionStub } from "../../../workers/stubs/stubs.ts";
import { promptMarker, reasonMarker, replyMarker } from "../support/logs.ts";
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
  runOf,
  runReaches,
  sample,
  samplingMessage,
} from "../support/gateway.ts";
import { decide, pathOf, press } from "../support/reviewer.ts";
import { associateInput, crash, everything, kindsOf, later, quiet, recordOf, recordWith, ringAlarm, stubOf, tablesOf } from "./inside.ts";

const day = 24 * 3_600_000;

describe("a denied reply", () => {
  test("is nowhere afterwards: in no table of any object, not in the error, not on the page", async () => {
    const response = await sample({ server: "response-gate" });
    const notice = await openNotice("response");
    expect(await everything()).toContain(replyMarker);
    expect((await press(notice.link, "deny", (fields) => fields.set("reason", reasonMarker))).status).toBe(303);
    const answer = await answerOf(response);
    expect(answer.error).toMatchObject({ code: -1, data: { outcome: "rejected" } });
    await recordWith(notice.run, "finished");
    for (const text of [
      JSON.stringify(answer),
      await everything(),
      await (await gateway(pathOf(notice.link), { key: null })).text(),
      JSON.stringify(await runOf(notice.run)),
    ])
      expect(text).not.toContain(replyMarker);
    // The reviewer's words are for the run's own page, and never for the record.
    expect(JSON.stringify(answer)).not.toContain(reasonMarker);
    expect(JSON.stringify(await recordOf(notice.run))).not.toContain(reasonMarker);
  });

  test("takes along what somebody had edited it to", async () => {
    await configure("policy", {
      ...policy,
      rules: [{ name: "two", when: { server: "two" }, then: { request: "allow", response: "review", quorum: 2 } }],
      reviewers: { everyone: [{ name: "Ada" }, { name: "Grace" }] },
    });
    const response = await sample({ server: "two" });
    const open = await eventually("two notices", async () => {
      const sent = (await notices()).filter(({ state }) => state === "sent");
      return sent.length === 2 ? sent : null;
    });
    await press(open[0]?.link ?? "", "approve", (fields) => {
      const name = Array.from(fields).find(([, value]) => value.includes(replyMarker))?.[0] ?? "";
      fields.set(name, "EDITED-REPLY-77aa");
    });
    expect(await everything()).toContain("EDITED-REPLY-77aa");
    await press(open[1]?.link ?? "", "deny");
    expect((await answerOf(response)).error?.code).toBe(-1);
    const left = await everything();
    expect(left).not.toContain("EDITED-REPLY-77aa");
    expect(left).not.toContain(replyMarker);
  });
});

describe("a run whose time is over", () => {
  async function forgotten() {
    const message = samplingMessage({ server: "notes" });
    const response = await post(message);
    const { run, link } = await openNotice("request");
    await decide("request", "approve", run);
    await decide("response", "approve", run);
    await answerOf(response);
    await quiet(run);
    later(day);
    await ringAlarm(stubOf(run));
    return { message, run, link };
  }

  test("is gone with all its content, and the record stays", async () => {
    const { run, link } = await forgotten();
    expect(await tablesOf(stubOf(run))).toEqual({});
    expect(await everything()).not.toContain(promptMarker);
    expect(await everything()).not.toContain(replyMarker);
    expect((await gateway(pathOf(link), { key: null })).status).toBe(404);
    expect((await gateway(`/runs/${run}`)).status).toBe(404);
    expect(kindsOf(await recordOf(run)).at(-1)).toBe("finished");
  });

  test("is kept to the last millisecond of its time", async () => {
    const response = await sample({ server: "request-gate" });
    const { run } = await openNotice("request");
    await decide("request", "approve", run);
    await answerOf(response);
    const at = Number((await tablesOf(stubOf(run)))["schedule"]?.find(({ kind }) => kind === "forget")?.["dueAt"]);
    await runInDurableObject(stubOf(run), async (instance) => {
      instance.now = () => at - 1;
      await instance.alarm();
      expect(instance.snapshot()).not.toBeNull();
      instance.now = () => at;
      await instance.alarm();
      expect(instance.snapshot()).toBeNull();
    });
  });

  test("is not brought back by what still knocks: alarms, windows, decisions, cancellations, adoptions", async () => {
    const { run, link } = await forgotten();
    const stub = stubOf(run);
    await runInDurableObject(stub, async (instance, state) => {
      await instance.alarm();
      const [socket] = Object.values(new WebSocketPair());
      if (socket === undefined) throw new Error("no socket");
      instance.webSocketClose(socket, 1006, "");
      instance.webSocketError(socket);
      expect(await state.storage.getAlarm()).toBeNull();
    });
    expect(await stub.cancel("admin")).toBe(false);
    expect(await stub.withdraw("session", { session: "s", originating: "o", request: "r" })).toBe("unknown");
    const adoption = {
      requestRef: { session: "s", originating: "o", request: "r" },
      requestor: { server: "s", method: "tools/call", name: "n", provenance: "claimed" },
      endpoint: "sampling",
      stages: [],
      deciders: "d",
      waiting: null,
      isRetry: false,
    } as const;
    expect(await stub.adopt(adoption)).toBe("refused");
    expect(
      await stub.view({ gate: "request", reviewer: 0, link: "AAAAAAAAAAAAAAAA", isOpening: true, isFollowing: true, inbox: null }),
    ).toBeNull();
    const wish = {
      gate: "request",
      reviewer: 0,
      link: "AAAAAAAAAAAAAAAA",
      once: "n",
      words: "act=approve",
      known: jsonOf<KnownBy>({ how: "link" }),
      passkey: null,
      member: null,
    } as const;
    expect(await stub.decide({ ...wish, submission: jsonOf<Submission>({ act: "approve", version: 1, digest: "d", edits: [] }) })).toEqual({
      kind: "noSuchLink",
    });
    expect((await stub.fetch("https://run/", { headers: { Upgrade: "websocket" } })).status).toBe(404);
    expect((await gateway(pathOf(link), { key: null, method: "POST" })).status).not.toBe(303);
    expect(await tablesOf(stub)).toEqual({});
  });

  test("answers a late repeat that its reply is no longer kept, and asks nobody again", async () => {
    const { message } = await forgotten();
    // The session remembers for 24 hours that the request was answered.
    const error = await errorOf(post(message));
    expect([-32600, -32602]).toContain(error.code);
    expect((await notices()).filter(({ state }) => state === "sent")).toEqual([]);
    expect(model.calls).toHaveLength(1);
  });

  test("is not forgotten while a person may still decide", async () => {
    await configure("policy", { ...policy, default: { ...policy.default, deadlineSeconds: 3 * 24 * 3600 } });
    const response = await sample({ server: "notes" });
    const { run } = await openNotice("request");
    later(2 * day);
    await ringAlarm(stubOf(run));
    expect((await runOf(run)).status).toBe("working");
    await decide("request", "approve", run);
    await decide("response", "approve", run);
    expect((await answerOf(response)).result).toBeDefined();
    expect((await runReaches(run, "completed")).result).toBeDefined();
  });
});

describe("a session", () => {
  /** A stub is of no use after a crash: a fresh one each time. */
  const session = () => sessionStub(env, "key_dev", "sess-9");
  const claim = (request: string, run: string, at: number) => associateInput({ originating: originatingKey("open", at), request, run });

  test("lets go of a fast-path result after ten minutes, though its object was reset and other results came since", async () => {
    const held = async (): Promise<string> => JSON.stringify(await tablesOf(session() as unknown as DurableObjectStub));
    for (const [index, text] of ["FIRST-RESULT", "SECOND-RESULT"].entries()) {
      await associateIn(session(), claim(`r${index}`, `run${index}`, 7));
      await session().settle(
        jsonOf([
          {
            originating: originatingKey("open", 7),
            request: `r${index}`,
            run: `run${index}`,
            result: jsonOf({ kind: "broken", quote: text } as const),
            isRecorded: true,
          },
        ]),
      );
      await crash();
      later(6 * 60_000);
    }
    expect(await held()).toContain("FIRST-RESULT");
    const alarmAt = await runInDurableObject(session(), (_, state) => state.storage.getAlarm());
    // Not ten minutes after the second: the first one's ten minutes are over.
    expect(alarmAt).toBeLessThanOrEqual(Date.now());
    await ringAlarm(session() as unknown as DurableObjectStub);
    expect(await held()).not.toContain("FIRST-RESULT");
    expect(await held()).toContain("SECOND-RESULT");
  });

  test("a request that was reserved and refused is no round and may come again", async () => {
    for (let i = 0; i < 10; i += 1) {
      expect(await associateIn(session(), claim("r", `run${i}`, 7))).toEqual({ kind: "fresh", takenOver: false });
      await session().forget({ originating: originatingKey("open", 7), request: "r", run: `run${i}` }, null, false);
    }
    for (let i = 0; i < 3; i += 1) expect((await associateIn(session(), claim(`r${i}`, `run-${i}`, 7))).kind).toBe("fresh");
    expect(await associateIn(session(), claim("r4", "run-4", 7))).toEqual({ kind: "tooManyRounds", limit: 3 });
  });

  test("what one request gives up is not another's: forgetting names the run", async () => {
    await associateIn(session(), claim("r", "run-a", 7));
    await session().forget({ originating: originatingKey("open", 7), request: "r", run: "run-b" }, null, false);
    expect(await associateIn(session(), claim("r", "run-c", 7))).toMatchObject({ kind: "repeat", run: "run-a" });
  });

  test("a holder that vanished is replaced after its lease, and its late answer is not taken", async () => {
    await associateIn(session(), claim("r", "run-a", 7));
    later(30_000);
    expect(await associateIn(session(), claim("r", "run-b", 7))).toEqual({ kind: "fresh", takenOver: true });
    await session().settle(
      jsonOf([
        {
          originating: originatingKey("open", 7),
          request: "r",
          run: "run-a",
          result: jsonOf({ kind: "broken", quote: "late" } as const),
          isRecorded: true,
        },
      ]),
    );
    expect(await associateIn(session(), claim("r", "run-c", 7))).toMatchObject({ kind: "repeat", run: "run-b", result: null });
  });
});
