// The platform drops an alarm that failed six times, and nothing but the object sets it again:
// whatever was due then, it is done once anybody comes, and by the gateway's own sweep where nobody
// does.

import { jsonOf } from "../../../shared/json/json-of.ts";
import { createScheduledController, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import worker from "../../../workers/index.ts";
import { LedgerObject } from "../../../workers/objects/ledger/ledger-object.ts";
import { cacheStub, configStub, conversationStub, ledgerShardOf, ledgerStub, sessionStub } from "../../../workers/stubs/stubs.ts";
import { NoticeQueue } from "../../../workers/objects/run/notices/notice-queue.ts";
import { RunObject } from "../../../workers/objects/run/run-object.ts";
import { newRunId } from "../../../workers/pipeline/run-context.ts";
import {
  type Notice,
  configure,
  env,
  eventually,
  gateway,
  model,
  openNotice,
  policy,
  post,
  runOf,
  samplingMessage,
} from "../support/gateway.ts";
import {
  RelayClient,
  type Upstream,
  configureServers,
  eventFor,
  samplingRequest,
  scriptUpstream,
  streamOf,
} from "../support/mcp-server.ts";
import { pathOf, press } from "../support/reviewer.ts";
import { changeRunRow, crash, keptReply, kindsOf, later, outboxOf, quiet, recordOf, ringAlarm, stubOf, tablesOf } from "./inside.ts";

const day = 24 * 3_600_000;
const detached = { headers: { Prefer: "respond-async" } };

type AnyStub = DurableObjectStub;
/** Whatever its class is: only its storage and its alarm are touched. */
const anyStub = (stub: object): AnyStub => stub as AnyStub;
const alarmOf = (stub: AnyStub): Promise<number | null> => runInDurableObject(stub, (_, state) => state.storage.getAlarm());

/** The platform drops the alarm, after whatever was under way. */
async function loseAlarm(stub: AnyStub): Promise<void> {
  await eventually("an alarm that stays lost", () =>
    runInDurableObject(stub, async (_, state) => {
      await state.storage.deleteAlarm();
      await state.storage.sync();
      return (await state.storage.getAlarm()) === null;
    }),
  );
}

/** One tick of the cron trigger. */
async function sweep(): Promise<void> {
  await worker.scheduled(createScheduledController({ cron: "*/5 * * * *", scheduledTime: new Date() }), env);
}

type Reached = { readonly run: string; readonly link: string; readonly message: ReturnType<typeof samplingMessage> };
type Phase = {
  /** Brings a run there, with everything done that can be done by then. */
  readonly reach: () => Promise<Reached>;
  /** The alarm is lost, and nobody comes for so long. */
  readonly awayMs: number;
  /** What is there once the run has gone on. */
  readonly goesOn: (reached: Reached) => Promise<unknown>;
  /** Nobody comes with a repeat: the session has forgotten the request. */
  readonly unasked?: true;
  /** The object is gone too. */
  readonly reset?: true;
};

/** A request that nobody waits for: no caller's connection wakes its run. */
async function asked(server: string, gate: Notice["gate"] = "request"): Promise<Reached> {
  const message = samplingMessage({ server });
  await post(message, detached);
  const { run, link } = await openNotice(gate);
  return { run, link, message };
}

const recorded = async (run: string, kind: string, why?: string): Promise<boolean> =>
  (await recordOf(run)).some(({ fact }) => fact.kind === kind && (why === undefined || ("why" in fact && fact.why === why)));

const fails = (): never => {
  throw new Error("the ledger is down");
};

let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({ "response-gate": { url: "https://notes.example.com/mcp", mode: "fallback" } });
  await configure("policy", {
    ...policy,
    rules: policy.rules.map((rule) => ({
      ...rule,
      then: { ...rule.then, remindAtSeconds: [100], escalate: { afterSeconds: 200, to: ["lead"] } },
    })),
    reviewers: { everyone: [{ name: "Ada" }], lead: [{ name: "Lea" }] },
  });
});
afterEach(() => vi.restoreAllMocks());

const phases: Record<string, Phase> = {
  "in a request review whose deadline passes": {
    reach: () => asked("request-gate"),
    awayMs: 900_000,
    goesOn: async ({ run }) => (await runOf(run)).state === "expired" && (await recorded(run, "finished")),
  },
  "in a response review whose deadline passes": {
    reach: () => asked("response-gate", "response"),
    awayMs: 900_000,
    goesOn: async ({ run }) => (await runOf(run)).state === "expired" && (await recorded(run, "finished")),
  },
  "before a reminder": {
    reach: () => asked("request-gate"),
    awayMs: 190_000,
    goesOn: ({ run }) => recorded(run, "noticed", "reminder"),
  },
  "before an escalation": {
    reach: () => asked("request-gate"),
    awayMs: 400_000,
    goesOn: ({ run }) => recorded(run, "askedAlso", "escalated"),
  },
  "with rows in its outbox": {
    reach: async () => {
      const reached = await asked("request-gate");
      await quiet(reached.run);
      const down = vi.spyOn(LedgerObject.prototype, "append").mockImplementation(fails);
      expect((await press(reached.link, "deny")).status).toBe(303);
      await eventually("an attempt", async () => down.mock.calls.length > 0);
      down.mockRestore();
      return reached;
    },
    awayMs: 600_000,
    goesOn: ({ run }) => recorded(run, "finished"),
  },
  "while the model is called": {
    reach: async () => {
      model.script({ until: new Promise(() => {}), step: {} });
      const reached = await asked("request-gate");
      expect((await press(reached.link, "approve")).status).toBe(303);
      await eventually("the call", async () => model.calls.length === 1);
      return reached;
    },
    awayMs: 600_000,
    goesOn: async ({ run }) => (await runOf(run)).state === "completed" && model.calls.length === 2,
    reset: true,
  },
  "when it is over and its answer not let out": {
    reach: async () => {
      const reached = await asked("request-gate");
      await quiet(reached.run);
      const down = vi.spyOn(LedgerObject.prototype, "append").mockImplementation(fails);
      expect((await press(reached.link, "approve")).status).toBe(303);
      await eventually("the end", async () => (await outboxOf(reached.run)).includes("deliver"));
      down.mockRestore();
      return reached;
    },
    awayMs: 600_000,
    goesOn: async ({ run }) => (await runOf(run)).state === "completed",
  },
  "when it is to be forgotten": {
    reach: async () => {
      const reached = await asked("request-gate");
      expect((await press(reached.link, "deny")).status).toBe(303);
      await eventually("the end", () => recorded(reached.run, "finished"));
      await quiet(reached.run);
      return reached;
    },
    awayMs: day + 600_000,
    unasked: true,
    goesOn: async ({ run }) => Object.keys(await tablesOf(stubOf(run))).length === 0,
  },
};

const repeat = "a repeat of the request";
const comers: Record<string, (reached: Reached) => Promise<unknown>> = {
  "a look at its page": ({ link }) => gateway(pathOf(link), { key: null }),
  [repeat]: ({ message }) => post(message, detached),
  "the sweep": sweep,
};

describe("a run that lost its alarm", () => {
  for (const [phase, { reach, awayMs, goesOn, reset, unasked }] of Object.entries(phases)) {
    const here = Object.keys(comers).filter((comer) => unasked !== true || comer !== repeat);
    describe(phase, () =>
      test.each(here)("goes on after %s", async (comer) => {
        const reached = await reach();
        const { run } = reached;
        await loseAlarm(stubOf(run));
        if (reset === true) await crash();
        later(awayMs);
        await comers[comer]?.(reached);
        await eventually(phase, async () => {
          await ringAlarm(stubOf(run));
          return goesOn(reached);
        });
      }),
    );
  }

  test.each(Object.keys(comers).filter((comer) => comer !== repeat))(
    "while an MCP server waits for its answer posts it after %s",
    async (comer) => {
      const client = new RelayClient("response-gate");
      await client.connect({ sampling: {} });
      upstream.answer = ({ message }) => (message.id === "call" ? streamOf(eventFor(samplingRequest("s1", "Summarize this."))) : undefined);
      await (await client.call("call")).text();
      await client.post({ jsonrpc: "2.0", id: "s1", error: { code: -32603, message: "no" } });
      const { run, link } = await openNotice("response");
      upstream.answer = ({ message }) => (message.id === "s1" ? new Response(null, { status: 503 }) : undefined);
      expect((await press(link, "approve")).status).toBe(303);
      await eventually("a post that failed", async () => upstream.answersTo("s1").length === 1);
      upstream.answer = () => undefined;
      await loseAlarm(stubOf(run));
      later(600_000);
      await comers[comer]?.({ run, link, message: samplingMessage() });
      await eventually("the answer", async () => {
        await ringAlarm(stubOf(run));
        return upstream.answersTo("s1").length === 2;
      });
      expect(upstream.answersTo("s1")[1]?.result).toBeDefined();
    },
  );

  test("is swept again without effect: nobody is asked, told or called twice", async () => {
    const { run } = await asked("request-gate");
    await quiet(run);
    await loseAlarm(stubOf(run));
    later(900_000);
    await Promise.all([sweep(), sweep()]);
    await sweep();
    await eventually("the end", () => recorded(run, "finished"));
    later(900_000);
    await sweep();
    const kinds = kindsOf(await recordOf(run));
    expect(kinds.filter((kind) => kind === "expired" || kind === "finished")).toEqual(["expired", "finished"]);
    expect(model.calls).toEqual([]);
  });
});

describe("the sweep", () => {
  const shardOf = (run: string) => ledgerStub(env, ledgerShardOf(run));

  test("goes on behind a run that cannot be asked, and comes back to it", async () => {
    const { run } = await asked("request-gate");
    await quiet(run);
    await loseAlarm(stubOf(run));
    later(900_000);
    const broken = vi.spyOn(RunObject.prototype, "sweep").mockImplementation(() => {
      throw new Error("the object is gone");
    });
    await sweep();
    await sweep();
    expect(broken.mock.calls).toHaveLength(1);
    broken.mockRestore();
    later(1_800_000);
    await sweep();
    expect((await runOf(run)).state).toBe("expired");
  });

  test("takes the longest overdue first, so many at a time, and in the next tick the next", async () => {
    const runs = Array.from({ length: 30 }, (_, i) => `run_never-${i}`);
    const first = ledgerStub(env, 0);
    await first.append(jsonOf(runs.map((run, i) => ({ events: [], summary: null, expected: { run, dueAt: 1_000 + i } }))));
    const seen: string[] = [];
    for (;;) {
      const overdue = await first.overdue(Date.now(), 12);
      expect(overdue.length).toBeLessThanOrEqual(12);
      if (overdue.length === 0) break;
      for (const each of overdue) {
        seen.push(each.run);
        await first.lookedAfter(each, null);
      }
    }
    expect(seen).toEqual(runs);
  });

  test("believes what a run says by itself over what it said when it was asked, and forgets a run that is gone", async () => {
    const { run } = await asked("request-gate");
    await quiet(run);
    const ledger = shardOf(run);
    const [was] = await ledger.overdue(Number.MAX_SAFE_INTEGER, 1);
    if (was === undefined) throw new Error("the ledger knows of no run");
    await ledger.append(jsonOf([{ events: [], summary: null, expected: { run, dueAt: was.dueAt + 5 } }]));
    await ledger.lookedAfter(was, null);
    expect(await ledger.overdue(Number.MAX_SAFE_INTEGER, 1)).toEqual([{ run, dueAt: was.dueAt + 5 }]);
    await runInDurableObject(stubOf(run), (_, state) => state.storage.deleteAll());
    await crash();
    later(900_000);
    await sweep();
    expect(await shardOf(run).overdue(Number.MAX_SAFE_INTEGER, 1)).toEqual([]);
  });

  test("finds nothing of a run that was forgotten in its time: the ledger heard of it", async () => {
    const { run, link } = await asked("request-gate");
    expect((await press(link, "deny")).status).toBe(303);
    await eventually("the end", () => recorded(run, "finished"));
    await quiet(run);
    expect(await shardOf(run).overdue(Number.MAX_SAFE_INTEGER, 1)).toMatchObject([{ run }]);
    later(day);
    await ringAlarm(stubOf(run));
    expect(await shardOf(run).overdue(Number.MAX_SAFE_INTEGER, 1)).toEqual([]);
  });
});

describe("what cannot be done holds back nothing else", () => {
  test("a reminder that throws: the escalation and the deadline come in their time, and it is tried later each time", async () => {
    const { run } = await asked("request-gate");
    await quiet(run);
    const told = vi.spyOn(NoticeQueue.prototype, "tellAgain").mockImplementation(() => {
      throw new Error("broken");
    });
    const waits: number[] = [];
    let at = Date.now() + 150_000;
    for (let i = 0; i < 4; i += 1) {
      await runInDurableObject(stubOf(run), async (instance) => {
        instance.now = () => at;
        instance.random = () => 0.5;
        await instance.alarm();
      });
      const row = (await tablesOf(stubOf(run)))["schedule"]?.find(({ kind }) => kind === "remind0:request");
      waits.push(Number(row?.["dueAt"]) - at);
      at += 10_000;
    }
    expect(told.mock.calls).toHaveLength(4);
    expect(waits).toEqual([750, 1_500, 3_000, 6_000]);
    await crash();
    later(300_000);
    await ringAlarm(stubOf(run));
    await eventually("the escalation", () => recorded(run, "askedAlso", "escalated"));
    later(600_000);
    await ringAlarm(stubOf(run));
    expect((await runOf(run)).state).toBe("expired");
  });

  test("a row of the outbox that cannot be read: the answer is let out all the same", async () => {
    const { run, link } = await asked("request-gate");
    await quiet(run);
    const broken = "json_object('id', 0, 'chain', 'broken', 'kind', 'grant', 'detail', '{', 'attempts', 0, 'dueAt', 0)";
    await changeRunRow(run, "outbox", `json_insert(outbox, '$.rows[#]', ${broken})`);
    expect((await press(link, "approve")).status).toBe(303);
    await eventually("the answer", async () => (await runOf(run)).state === "completed");
    await eventually("nothing else that is left", async () => (await outboxOf(run)).join() === "grant");
  });

  test("a run that cannot be read: its object lives, its alarm stays set, and its content is forgotten in its time", async () => {
    const { run } = await asked("request-gate");
    await quiet(run);
    await runInDurableObject(stubOf(run), (_, state) => state.storage.sql.exec("UPDATE content SET text = '{' WHERE name = 'input'"));
    await crash();
    await loseAlarm(stubOf(run));
    for (let i = 0; i < 9; i += 1) {
      await runInDurableObject(stubOf(run), (instance) => instance.alarm());
      expect(await alarmOf(stubOf(run))).not.toBeNull();
    }
    later(day);
    await sweep();
    expect(await tablesOf(stubOf(run))).toEqual({});
  });
});

describe("an object of another kind", () => {
  const hasAlarm = (stub: AnyStub): Promise<boolean> =>
    eventually("an alarm", () => runInDurableObject(stub, async (_, state) => (await state.storage.getAlarm()) !== null));
  const held = newRunId(env);

  /** Each with something to do later, and what makes its tables unreadable to its alarm. */
  const kinds: Record<string, { readonly stub: () => AnyStub; readonly fill: () => Promise<unknown>; readonly breaks: string }> = {
    "that keeps a reply": {
      stub: () => anyStub(cacheStub(env, "key_dev", "d")),
      fill: () => cacheStub(env, "key_dev", "d").put("key_dev", keptReply, Date.now(), day),
      breaks: "ALTER TABLE kept RENAME COLUMN expires_at TO broken",
    },
    "that keeps a conversation": {
      stub: () => anyStub(conversationStub(env, "key_dev", "s")),
      fill: () =>
        conversationStub(env, "key_dev", "s").append({ keyId: "key_dev", turnId: "t", turns: jsonOf([]), base: "kept", ttlMs: day }),
      breaks: "ALTER TABLE kept RENAME COLUMN expires_at TO broken",
    },
    "that holds a request for its client": {
      stub: () => anyStub(stubOf(held)),
      fill: () => stubOf(held).park("{}"),
      breaks: "ALTER TABLE parked RENAME COLUMN text TO broken",
    },
    "of a session": {
      stub: () => anyStub(sessionStub(env, "key_dev", "s")),
      fill: () => sessionStub(env, "key_dev", "s").reserveRequestId("id", "digest"),
      breaks: "ALTER TABLE request_id RENAME COLUMN at TO broken",
    },
    "of the ledger": {
      stub: () => anyStub(ledgerStub(env, 3)),
      fill: () =>
        ledgerStub(env, 3).append(
          jsonOf([
            {
              events: [],
              summary: null,
              notices: [
                { id: "n", at: Date.now(), channel: "outbox", reviewer: "Ada", run: "r", gate: "request", state: "sent", link: null },
              ],
            },
          ]),
        ),
      breaks: "ALTER TABLE notice RENAME COLUMN at TO broken",
    },
    "of the configuration": {
      stub: () => anyStub(configStub(env)),
      fill: () =>
        runInDurableObject(configStub(env), async (_, state) => {
          state.storage.sql.exec(
            "INSERT INTO unpublished (kv_key, value, attempts, due_at) VALUES ('marker', '{}', 0, ?)",
            Date.now() + 600_000,
          );
          await state.storage.setAlarm(Date.now() + 600_000);
        }),
      breaks: "ALTER TABLE unpublished RENAME COLUMN due_at TO broken",
    },
  };

  for (const [kind, { stub, fill, breaks }] of Object.entries(kinds)) {
    test(`${kind} that lost its alarm has one again when it wakes`, async () => {
      await fill();
      await hasAlarm(stub());
      await loseAlarm(stub());
      await crash();
      expect(await hasAlarm(stub())).toBe(true);
    });

    test(`${kind} whose alarm throws nine times has one still, later each time`, async () => {
      await fill();
      await runInDurableObject(stub(), (_, state) => state.storage.sql.exec(breaks));
      const waits: number[] = [];
      for (let i = 0; i < 9; i += 1) {
        await loseAlarm(stub());
        await runInDurableObject(stub(), (instance) => instance.alarm?.());
        waits.push(((await alarmOf(stub())) ?? 0) - Date.now());
      }
      expect(waits.at(-1)).toBeGreaterThan(60_000);
    });
  }

  test("of the configuration that lost its alarm publishes with the sweep", async () => {
    await kinds["of the configuration"]?.fill();
    await loseAlarm(anyStub(configStub(env)));
    later(600_000);
    await sweep();
    expect((await tablesOf(anyStub(configStub(env))))["unpublished"]).toEqual([]);
  });
});
