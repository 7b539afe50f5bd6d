// An originating request that has ended stays ended, however it is kept: against a plain model, in
// any order of events.

import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { originatingKey } from "../../../workers/pipeline/incoming/sampling-call.ts";
import type { SessionObject } from "../../../workers/objects/session/session-object.ts";
import type { AssociateAnswer } from "../../../workers/stubs/session-calls.ts";
import { sessionStub } from "../../../workers/stubs/stubs.ts";
import { devKeyId } from "../../../workers/stores/keys.ts";
import { env } from "../support/gateway.ts";
import { asObject, associateInput, crash, tablesIn } from "./inside.ts";

const hour = 3_600_000;
const minute = 60_000;
/** So late that no alarm comes by itself. */
const begun = Date.now() + 400 * 24 * hour;
let sessions = 0;

/** A new session, with a clock of its own. */
function newSession() {
  sessions += 1;
  const name = `ended-${sessions}`;
  let now = begun;
  let requests = 0;
  const inside = <T>(work: (object: SessionObject, storage: DurableObjectStorage) => T | Promise<T>): Promise<T> =>
    runInDurableObject(asObject<SessionObject>(sessionStub(env, devKeyId, name)), async (object, { storage }) => {
      object.now = () => now;
      const result = await work(object, storage);
      // A crash then forgets nothing of it: a read of the tables writes what was to be written
      // after the answer.
      object.associationSigns(null);
      await storage.sync();
      return result;
    });
  return {
    now: () => now,
    pass: (milliseconds: number) => void (now += milliseconds),
    sample: (originating: string): Promise<AssociateAnswer> => {
      const request = String((requests += 1));
      return inside((object) => {
        const answer = readJsonOf(object.associate(jsonOf(associateInput({ originating, request, run: request, roundsLimit: 1_000 }))));
        const settled = { originating, request, run: request, result: jsonOf({ kind: "broken", quote: "" } as const), isRecorded: true };
        if (answer.kind === "fresh" && requests % 3 > 0) object.settle(jsonOf([settled]));
        return answer;
      });
    },
    end: (keys: readonly string[]) => inside((object) => object.endOriginating(keys, "originatingRequest", true)),
    /** Writes marks of nothing in particular, which are known for so long. */
    fill: (count: number, milliseconds: number) =>
      inside((_, { sql }) => {
        const inRow = 4_096;
        for (let from = 0; from < count; from += inRow) {
          const marks = BigUint64Array.from({ length: inRow }, (__, n) => BigInt(from + n));
          sql.exec("INSERT INTO ended (id, until, marks) VALUES (?, ?, ?)", from / inRow, now + milliseconds, marks.buffer);
        }
      }),
    sweep: () => inside((object) => object.alarm()),
    rows: () => inside((_, storage) => tablesIn(storage)),
  };
}

const ids = [0, 1, 2, 1e15, -3, 0.5, "1", "2", "a", "\u{1f600}"];
const pool = ["notes", "mail"].flatMap((server) => ids.map((id) => originatingKey(server, id)));
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("sample" as const), key: fc.constantFrom(...pool) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("end" as const), key: fc.constantFrom(...pool) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("endMany" as const), count: fc.integer({ min: 1, max: 600 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("pass" as const), minutes: fc.constantFrom(1, 11, 600, 1_439, 1_440, 2_879) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom("sweep" as const, "crash" as const) }) },
);

/** What a plain model knows of one: the last use or end, and whether it ended. */
type Modelled = { readonly at: number; readonly ended: boolean };

test("one that ended or lapsed is refused for as long as it is known, and any other is let pass", async () => {
  let others = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
      const session = newSession();
      const model = new Map<string, Modelled>();
      for (const each of commands)
        switch (each.kind) {
          case "sample": {
            const known = model.get(each.key);
            const idle = session.now() - (known?.at ?? 0);
            const { kind } = await session.sample(each.key);
            const isOver = known !== undefined && (known.ended || idle >= 24 * hour);
            // After 48 hours it may be forgotten, and need not be.
            if (!isOver || idle < 48 * hour) expect(kind).toBe(isOver ? "ended" : "fresh");
            if (kind === "fresh") model.set(each.key, { at: session.now(), ended: false });
            break;
          }
          case "end": {
            await session.end([each.key]);
            const known = model.get(each.key);
            // One that ended before is known from its first end on.
            if (known?.ended !== true || session.now() - known.at >= 48 * hour) model.set(each.key, { at: session.now(), ended: true });
            break;
          }
          case "endMany":
            await session.end(Array.from({ length: each.count }, () => originatingKey("many", (others += 1))));
            break;
          case "pass":
            session.pass(each.minutes * minute);
            break;
          case "sweep":
            await session.sweep();
            break;
          default:
            await crash();
        }
    }),
    { numRuns: 60 },
  );
});

describe("the rows of ended ones", () => {
  test("are few, whatever their ids are, and are forgotten", async () => {
    const session = newSession();
    const keys = Array.from({ length: 10_000 }, (_, n) => originatingKey("notes", n % 2 === 0 ? n : `id ${n}`));
    for (let from = 0; from < keys.length; from += 100) {
      await session.end(keys.slice(from, from + 100));
      expect((await session.rows())["originating"]?.length).toBeLessThanOrEqual(256);
    }
    session.pass(hour);
    await session.sweep();
    const { originating, ended } = await session.rows();
    expect([originating?.length, ended?.length]).toEqual([0, 3]);
    await crash();
    for (const key of [keys[0], keys[9_999], keys[5_000]]) expect(await session.sample(key ?? "")).toMatchObject({ kind: "ended" });
    expect(await session.sample(originatingKey("notes", 10_000))).toMatchObject({ kind: "fresh" });
    session.pass(72 * hour);
    await session.sweep();
    expect(await session.rows()).toEqual({});
  });

  test("are written at the end itself: a crash after the answer forgets none", async () => {
    const session = newSession();
    const keys = Array.from({ length: 300 }, (_, n) => originatingKey("notes", n));
    for (const key of keys) await session.end([key]);
    await crash();
    for (const key of keys) expect(await session.sample(key)).toMatchObject({ kind: "ended", what: "originatingRequest" });
  });
});

test("a session with two million ended ones opens no more, goes on with the open ones, and opens again when the others are forgotten", async () => {
  const session = newSession();
  const open = originatingKey("notes", "open");
  await session.sample(open);
  await session.fill(2_000_000, 10 * hour);
  await crash();
  expect(await session.sample(originatingKey("notes", "new"))).toEqual({ kind: "ended", what: "session" });
  expect(await session.sample(open)).toMatchObject({ kind: "fresh" });
  await session.end([open]);
  expect(await session.sample(open)).toEqual({ kind: "ended", what: "originatingRequest" });
  session.pass(10 * hour);
  await session.sweep();
  expect(await session.sample(originatingKey("notes", "new"))).toMatchObject({ kind: "fresh" });
});

test("rounds are counted on, when the rows of the first are deleted", async () => {
  const session = newSession();
  const key = originatingKey("notes", 1);
  const sampled = (roundsLimit: number, request: string): Promise<AssociateAnswer> =>
    runInDurableObject(asObject<SessionObject>(sessionStub(env, devKeyId, `ended-${sessions}`)), (object) => {
      object.now = session.now;
      return readJsonOf(object.associate(jsonOf(associateInput({ originating: key, request, run: request, roundsLimit }))));
    });
  for (let times = 0; times < 6; times += 1) expect(await session.sample(key)).toMatchObject({ kind: "fresh" });
  session.pass(12 * minute);
  await session.sweep();
  await crash();
  expect((await session.rows())["sampling"]?.length).toBeLessThan(6);
  expect(await sampled(6, "seventh")).toEqual({ kind: "tooManyRounds", limit: 6 });
  expect(await sampled(7, "seventh")).toMatchObject({ kind: "fresh" });
  expect(await sampled(7, "eighth")).toEqual({ kind: "tooManyRounds", limit: 7 });
});
