// A budget's arithmetic: never more is spent than there is, whatever is lost; and nothing is
// counted twice.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Account,
  type Settlement,
  emptyAccount,
  left,
  isTooLittle,
  percentReached,
  reserve,
  settle,
  shareOf,
  usage,
  writeOff,
} from "../../../shared/budget/account.ts";
import { HeldBudgetShare } from "../../../shared/budget/held-share.ts";
import { shareMs } from "../../../shared/policy/share.ts";

const startsAt = 1_790_000_000_000;
const now = startsAt + 1_000;
const until = now + 60_000;
const endsAt = startsAt + 86_400_000;

function reserved(account: Account, id: string, amount: number, limit = 100): Account {
  const after = reserve(account, { id, amount, startsAt, until }, limit);
  if (after === null) throw new Error("not reserved");
  return after;
}
const done = (id: string, spent: number, unaccounted = 0): Settlement => ({ id, spent, unaccounted, underWay: [] });

describe("an amount", () => {
  test("is taken out of the budget when it is reserved, and what was not spent comes back", () => {
    const account = reserved(emptyAccount, "a", 60);
    expect(left(account, 100, startsAt)).toBe(40);
    expect(reserve(account, { id: "b", amount: 41, startsAt, until }, 100)).toBeNull();
    expect(left(settle(account, done("a", 10)), 100, startsAt)).toBe(90);
  });

  test("is reserved and settled once, however often that is asked", () => {
    const account = reserved(reserved(emptyAccount, "a", 60), "a", 60);
    expect(left(account, 100, startsAt)).toBe(40);
    expect(reserve(account, { id: "a", amount: 61, startsAt, until }, 100)).toBeNull();
    const settled = settle(settle(account, done("a", 60)), done("a", 60));
    expect(usage(settled, startsAt, now)).toEqual({ spent: 60, unaccounted: 0, reserved: 0 });
  });

  test("of one period is not another's", () => {
    const account = reserved(emptyAccount, "a", 100);
    expect(left(account, 100, endsAt)).toBe(100);
    expect(settle(account, done("a", 100)).used).toEqual([{ startsAt, spent: 100, unaccounted: 0 }]);
  });

  test("that nobody settles counts as spent, is believed for an hour when it is settled late, and never afterwards", () => {
    const account = reserved(emptyAccount, "a", 60);
    expect(usage(account, startsAt, until)).toEqual({ spent: 0, unaccounted: 60, reserved: 0 });
    expect(writeOff(account, until + 3_599_999)).toBe(account);
    expect(usage(settle(account, done("a", 5)), startsAt, until)).toEqual({ spent: 5, unaccounted: 0, reserved: 0 });
    const off = writeOff(account, until + 3_600_000);
    expect(settle(off, done("a", 5))).toBe(off);
    expect(usage(off, startsAt, until)).toEqual({ spent: 0, unaccounted: 60, reserved: 0 });
  });

  test("a share's report leaves what is under way held, by itself", () => {
    const account = reserved(emptyAccount, "share", 50);
    const reported = settle(account, { id: "share", spent: 10, unaccounted: 5, underWay: [{ id: "x", amount: 20 }] });
    expect(usage(reported, startsAt, now)).toEqual({ spent: 10, unaccounted: 5, reserved: 20 });
    expect(usage(reported, startsAt, until)).toEqual({ spent: 10, unaccounted: 25, reserved: 0 });
    expect(usage(settle(reported, done("x", 3)), startsAt, now)).toEqual({ spent: 13, unaccounted: 5, reserved: 0 });
  });

  test("a share is a quarter of what is left at most", () => {
    expect(shareOf(emptyAccount, 1_000, 100, startsAt)).toBe(25);
    expect(shareOf(emptyAccount, 8, 100, startsAt)).toBe(8);
    expect(shareOf(reserved(emptyAccount, "a", 98), 8, 100, startsAt)).toBe(0);
  });
});

describe("a share of 25 in an isolate's hands", () => {
  const shareOf25 = (): HeldBudgetShare => new HeldBudgetShare({ id: "share", amount: 25 }, now, endsAt);
  const attempts = (cost: Pick<Settlement, "spent" | "unaccounted">): number => {
    const share = shareOf25();
    let count = 0;
    for (let id = share.reserve(10, now); id !== null && count < 100; id = share.reserve(10, now)) {
      share.settle({ id, ...cost });
      count += 1;
    }
    return count;
  };

  test.each([
    ["what was spent", { spent: 10, unaccounted: 0 }, 2],
    ["what may have been spent", { spent: 0, unaccounted: 10 }, 2],
    ["a part of each", { spent: 2, unaccounted: 3 }, 4],
  ])("%s is not free again", (_what, cost, count) => {
    expect(attempts(cost)).toBe(count);
  });
});

test.each([
  [0, 79, 100, 0],
  [0, 80, 100, 80],
  [50, 30, 100, 80],
  [100, 0, 100, 100],
  [0, 0, 0, 100],
])("spent %i and unaccounted %i of %i reach %i percent", (spent, unaccounted, limit, percent) => {
  expect(percentReached({ spent, unaccounted }, limit)).toBe(percent);
});

/**
 * An object that holds the account and is reset at will (what it answered is stored), and isolates
 * that reserve for attempts from shares or one by one, send to the provider, lose calls and
 * answers, and are cut off with everything that they hold.
 */
class World {
  account: Account = emptyAccount;
  /** What the provider was really paid. */
  paid = 0;
  at = now;
  #ids = 0;
  readonly limit: number;
  readonly isolates = [new Isolate(), new Isolate(), new Isolate()];

  constructor(limit: number) {
    this.limit = limit;
  }

  readonly id = (): string => `${(this.#ids += 1)}`;

  reserve(id: string, amount: number, wanted: number): { readonly share: { readonly id: string; readonly amount: number } | null } | null {
    const reservedNow = reserve(this.account, { id, amount, startsAt, until: this.at + 60_000 }, this.limit);
    if (reservedNow === null) return null;
    this.account = reservedNow;
    const size = shareOf(this.account, wanted, this.limit, startsAt);
    if (size < 1) return { share: null };
    const share = { id: this.id(), amount: size };
    this.account = { ...this.account, held: [...this.account.held, { ...share, startsAt, until: this.at + 60_000 }] };
    return { share };
  }
}

type Attempt = { readonly id: string; readonly worst: number; readonly cost: number; readonly share: HeldBudgetShare | null };

class Isolate {
  held: HeldBudgetShare | null = null;
  running: Attempt[] = [];
  settlements: Settlement[] = [];

  /** The isolate is gone, with everything that it knew. */
  die(): void {
    [this.held, this.running, this.settlements] = [null, [], []];
  }
}

type Step =
  | {
      readonly kind: "begin";
      readonly isolate: number;
      readonly worst: number;
      readonly cost: number;
      readonly answer: "arrives" | "lost" | "twice";
    }
  | { readonly kind: "end"; readonly isolate: number; readonly how: "answered" | "failed" | "unknown" }
  | { readonly kind: "report"; readonly isolate: number }
  | { readonly kind: "flush"; readonly isolate: number; readonly arrives: "once" | "twice" | "never" }
  | { readonly kind: "die"; readonly isolate: number }
  | { readonly kind: "wait"; readonly ms: number };

function take(world: World, step: Step): void {
  if (step.kind === "wait") {
    world.at += step.ms;
    world.account = writeOff(world.account, world.at);
    return;
  }
  const isolate = world.isolates[step.isolate];
  if (isolate === undefined) return;
  switch (step.kind) {
    case "begin":
      return begin(world, isolate, step);
    case "end": {
      const attempt = isolate.running.shift();
      if (attempt === undefined) return;
      const spent =
        step.how === "answered"
          ? { spent: attempt.cost, unaccounted: 0 }
          : { spent: 0, unaccounted: step.how === "unknown" ? attempt.worst : 0 };
      if (step.how !== "failed") world.paid += attempt.cost;
      if (attempt.share !== null && isolate.held === attempt.share && attempt.share.settle({ id: attempt.id, ...spent })) return;
      isolate.settlements.push({ id: attempt.id, ...spent, underWay: [] });
      return;
    }
    case "report":
      if (isolate.held === null) return;
      isolate.settlements.push(isolate.held.report());
      isolate.held = null;
      return;
    case "flush": {
      const sent = isolate.settlements;
      const times = { once: 1, twice: 2, never: 0 }[step.arrives];
      for (let i = 0; i < times; i += 1) world.account = sent.reduce(settle, world.account);
      // What did not arrive is sent again.
      if (times > 0) isolate.settlements = [];
      return;
    }
    case "die":
      // What it had sent goes on and is paid, though nobody hears of it.
      for (const { cost } of isolate.running) world.paid += cost;
      isolate.die();
      return;
    default:
      return step satisfies never;
  }
}

function begin(world: World, isolate: Isolate, { worst, cost, answer }: Extract<Step, { kind: "begin" }>): void {
  const id = world.id();
  const real = Math.min(cost, worst);
  const heldId = isolate.held?.reserve(worst, world.at) ?? null;
  if (heldId !== null) {
    isolate.running.push({ id: heldId, worst, cost: real, share: isolate.held });
    return;
  }
  if (isolate.held !== null) {
    isolate.settlements.push(isolate.held.report());
    isolate.held = null;
  }
  let answered = world.reserve(id, worst, 8 * worst);
  // A call that is made again has the same id, and the share of the first answer is lost.
  if (answer === "twice") answered = world.reserve(id, worst, 8 * worst);
  if (answered === null || answer === "lost") return;
  if (answered.share !== null) isolate.held = new HeldBudgetShare(answered.share, world.at, endsAt);
  isolate.running.push({ id, worst, cost: real, share: null });
}

const isolate = fc.nat({ max: 2 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("begin" as const),
        isolate,
        worst: fc.integer({ min: 1, max: 40 }),
        cost: fc.nat({ max: 40 }),
        answer: fc.constantFrom("arrives" as const, "arrives" as const, "lost" as const, "twice" as const),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("end" as const),
        isolate,
        how: fc.constantFrom("answered" as const, "failed" as const, "unknown" as const),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("report" as const), isolate }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("flush" as const),
        isolate,
        arrives: fc.constantFrom("once" as const, "twice" as const, "never" as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("die" as const), isolate }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, shareMs, 30_000, 3_600_000) }) },
  ),
  { maxLength: 120 },
);

test("in any history, no more is paid than the budget has, and in the end nothing is reserved", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 }), steps, (limit, history) => {
      const world = new World(limit);
      for (const step of history) {
        take(world, step);
        expect(world.paid).toBeLessThanOrEqual(limit);
      }
      // Everybody comes to an end: what runs is answered, what is known is sent, and time passes.
      for (const [number, each] of world.isolates.entries()) {
        while (each.running.length > 0) take(world, { kind: "end", isolate: number, how: "answered" });
        take(world, { kind: "report", isolate: number });
        take(world, { kind: "flush", isolate: number, arrives: "once" });
      }
      take(world, { kind: "wait", ms: 2 * 3_600_000 });
      const end = usage(world.account, startsAt, world.at);
      expect(end.reserved).toBe(0);
      expect(world.account.held).toEqual([]);
      expect(world.paid).toBeLessThanOrEqual(end.spent + end.unaccounted);
      expect(end.spent + end.unaccounted).toBeLessThanOrEqual(limit);
    }),
    { numRuns: 2_000 },
  );
});

test("without losses nothing is unaccounted, and what is spent is what was paid", () => {
  const world = new World(1_000_000);
  for (let i = 0; i < 500; i += 1) {
    take(world, { kind: "begin", isolate: i % 3, worst: 40, cost: i % 40, answer: "arrives" });
    take(world, { kind: "end", isolate: i % 3, how: i % 7 === 0 ? "failed" : "answered" });
    if (i % 20 === 0) take(world, { kind: "report", isolate: i % 3 });
    if (i % 30 === 0) take(world, { kind: "flush", isolate: i % 3, arrives: "twice" });
  }
  for (const [number] of world.isolates.entries()) {
    take(world, { kind: "report", isolate: number });
    take(world, { kind: "flush", isolate: number, arrives: "once" });
  }
  expect(usage(world.account, startsAt, world.at)).toEqual({ spent: world.paid, unaccounted: 0, reserved: 0 });
});

test.each<[string, number, number, number, boolean]>([
  ["all of it is spent", 100, 100, 1, true],
  ["more than all of it is", 110, 100, 1, true],
  ["it is empty from the beginning", 0, 0, 1, true],
  ["less is left than is wanted", 60, 100, 41, true],
  ["just as much is left", 60, 100, 40, false],
  ["more is wanted than the whole budget", 60, 100, 101, false],
])("a budget has too little where %s", (_, spent, limit, wanted, is) =>
  expect(isTooLittle({ spent, unaccounted: 0 }, limit, wanted)).toBe(is),
);
