// Requests that were answered and came to no line: what their session tells the record, and the
// setting with which a line comes before its answer.

import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { numberEvents } from "../../../shared/record/record.ts";
import { type ReservedFacts, unknownOutcome } from "../../../shared/run/unknown-outcome.ts";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import { newRunId } from "../../../workers/pipeline/run-context.ts";
import { associateIn } from "../../../workers/stubs/session-calls.ts";
import { appendToLedger, ledgerShardOf, ledgerStub, sessionStub } from "../../../workers/stubs/stubs.ts";
import { devKeyId } from "../../../workers/stores/keys.ts";
import type { SessionObject } from "../../../workers/objects/session/session-object.ts";
import type { Env } from "../../../workers/platform/env.ts";
import { type RpcAnswer, devKey, env, eventually, gatewayWith, jsonBody, model, samplingMessage } from "../support/gateway.ts";
import { recordLines } from "../support/record.ts";
import { asObject, associateInput, crash, later, ringNextAlarm, tablesIn } from "./inside.ts";

const session = () => asObject<SessionObject>(sessionStub(env, devKeyId, "sess-1"));
const facts: ReservedFacts = { key: devKeyId, endpoint: "sampling", server: "open", method: "sampling/createMessage", name: "ask" };
const lineOf = async (run: string): Promise<RunSummary | null> => {
  const line = await ledgerStub(env, ledgerShardOf(run)).line(run);
  return line === null ? null : readJsonOf(line);
};
const kindsOf = async (run: string): Promise<string[]> => (await recordLines({ run })).map(({ fact }) => fact.kind);
/** What the session would tell the record of yet. */
const unrecorded = (): Promise<unknown[]> =>
  runInDurableObject(session(), (object, { storage }) => {
    object.associationSigns(null); // Writes what waits for its answer.
    const { sampling = [], unrecorded: others = [] } = tablesIn(storage);
    return [...sampling.filter(({ unrecorded: each }) => each !== null), ...others].map(({ run }) => run);
  });

/** The Worker's bindings, without a record that takes anything from it. */
const withoutRecord: Pick<Env, "LEDGER"> = {
  LEDGER: new Proxy(env.LEDGER, {
    get: (ledger, name) =>
      name === "getByName" ? () => ({ append: () => Promise.reject(new Error("away")) }) : Reflect.get(ledger, name, ledger),
  }),
};
const ask = async (variables: Partial<Env>, id: number): Promise<RpcAnswer> => {
  const message = samplingMessage({ id });
  const answer = await gatewayWith(variables, "/sampling", { key: devKey, ...jsonBody("POST", message) });
  return answer.json<RpcAnswer>();
};
const runIn = ({ result }: RpcAnswer): string => result?._meta?.["countersign/run"]?.id ?? "";

describe("an answered request without a line", () => {
  test("is told by its session's alarm, when its Worker's time is over: once, and as unknown", async () => {
    model.script({ text: "Paris." });
    const run = runIn(await ask(withoutRecord, 1));
    await eventually("its outcome for repeats", async () => ((await unrecorded()).includes(run) ? true : null));
    await crash();
    await ringNextAlarm(session());
    expect(await lineOf(run)).toBeNull();
    later(200_000);
    for (let times = 0; times < 2; times += 1) await ringNextAlarm(session());
    expect(await lineOf(run)).toMatchObject({ key: devKeyId, server: "open", state: "failed", cause: { kind: "outcomeUnknown" } });
    expect(await kindsOf(run)).toEqual(["outcomeUnknown"]);
    expect(await unrecorded()).toEqual([]);
  });

  test("that was taken over, or released with an answer, is told too; one that was refused is not", async () => {
    const [lost, again, released, refused] = [newRunId(env), newRunId(env), newRunId(env), newRunId(env)];
    const input = (request: string, run: string) => associateInput({ request, run, facts, roundsLimit: 9 });
    for (const [request, run] of [
      ["1", lost],
      ["2", released],
      ["3", refused],
    ] as const)
      await associateIn(session(), input(request, run));
    const { originating } = associateInput();
    await session().forget({ originating, request: "2", run: released }, null, true);
    await session().forget({ originating, request: "3", run: refused }, null, false);
    later(30_000);
    expect(await associateIn(session(), input("1", again))).toEqual({ kind: "fresh", takenOver: true });
    expect(new Set(await unrecorded())).toEqual(new Set([again, released, lost]));
    await crash();
    await ringNextAlarm(session());
    for (const run of [lost, released]) expect(await lineOf(run)).toMatchObject({ cause: { kind: "outcomeUnknown" } });
    for (const run of [again, refused]) expect(await lineOf(run)).toBeNull();
    expect(await unrecorded()).toEqual([again]);
  });

  test("stays with its session while the record is away", async () => {
    const run = newRunId(env);
    await associateIn(session(), associateInput({ run, facts }));
    later(48 * 3_600_000);
    await runInDurableObject(session(), async (object) => {
      const own = object as unknown as { env: Env }; // The object's bindings, which only a test changes.
      const bindings = own.env;
      const { LEDGER } = bindings;
      Object.defineProperty(bindings, "LEDGER", { value: withoutRecord.LEDGER, configurable: true });
      await object.alarm();
      Object.defineProperty(bindings, "LEDGER", { value: LEDGER, configurable: true });
    });
    expect(await unrecorded()).toEqual([run]);
    await ringNextAlarm(session());
    expect(await lineOf(run)).toMatchObject({ cause: { kind: "outcomeUnknown" } });
  });
});

test("a request with its line is not told again, whether or not its session heard of the line", async () => {
  model.script({ text: "Paris." });
  const heard = runIn(await ask({}, 1));
  await eventually("its line", () => lineOf(heard));
  await eventually("its session", async () => ((await unrecorded()).length === 0 ? true : null));
  const unheard = newRunId(env);
  await associateIn(session(), associateInput({ request: "other", run: unheard, facts }));
  const { summary } = unknownOutcome({ run: unheard, at: Date.now(), facts }, Date.now());
  const events = numberEvents(unheard, null, Date.now(), [{ kind: "finished", outcome: "completed" }]);
  await appendToLedger(env, unheard, { events, summary: { ...summary, state: "completed", cause: null } });
  later(200_000);
  await ringNextAlarm(session());
  expect(await lineOf(unheard)).toMatchObject({ state: "completed", cause: null });
  expect(await kindsOf(unheard)).toEqual(["finished"]);
  expect(await unrecorded()).toEqual([]);
});

describe("with RECORD=before", () => {
  test("a request's line is in the record when its answer comes", async () => {
    model.script({ text: "Paris." });
    const run = runIn(await ask({ RECORD: "before" }, 1));
    expect(await lineOf(run)).toMatchObject({ state: "completed" });
    expect(await kindsOf(run)).toEqual(["received", "called", "answered", "finished"]);
  });

  test("one whose line cannot be written has no reply", async () => {
    model.script({ text: "Paris." });
    const answer = await ask({ RECORD: "before", ...withoutRecord }, 1);
    expect(answer.result).toBeUndefined();
    expect(JSON.stringify(answer)).not.toContain("Paris");
  });
});
