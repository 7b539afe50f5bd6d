// The shares of budgets that this isolate holds: while it has one, it reserves for an attempt
// without asking the budget's object.
//
// A budget that is asked again within a second gets a share, of twice what the last one was used
// for. What is settled goes back to the object in the order in which it happened, one call at a
// time, so that nothing is settled before the report of the share that it belongs to.

import type { Settlement } from "../../../shared/budget/account.ts";
import type { Allowance } from "../../../shared/budget/budgets.ts";
import { HeldBudgetShare } from "../../../shared/budget/held-share.ts";
import type { Env } from "../../platform/env.ts";
import { isolateState } from "../../platform/isolate.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { ReserveAnswer } from "../../stubs/budget-calls.ts";
import { budgetStub } from "../../stubs/stubs.ts";

/** A budget that was asked for no longer ago than this gets a share. */
const busyMs = 1_000;
/** The first share is for so many attempts like the one that asks. */
const firstAttempts = 8;
const mostBudgets = 10_000;
/** A call that takes longer was cut off with its request: what it was to settle is sent again. */
const abandonedAfterMs = 5_000;

type OfBudget = {
  readonly allowance: Pick<Allowance, "budget" | "part" | "unit">;
  held: HeldBudgetShare | null;
  /** Unix milliseconds. */
  askedAt: number;
  usedAt: number;
  /** A call that asks for a share is on its way. */
  isAsking: boolean;
  /** What the last share was used for. */
  lastUse: number;
  settled: Settlement[];
  /** The call that is under way, and since when in Unix milliseconds. */
  sending: { readonly settled: readonly Settlement[]; readonly since: number } | null;
};

/** What an attempt takes from one budget: the most that it may cost, in the budget's unit. */
export type Part = { readonly allowance: Allowance; readonly amount: number };
type Settle = (spent: Pick<Settlement, "spent" | "unaccounted">) => void;
/** `settle` is called once, when the attempt is over. */
export type ReservedPart = Part & { readonly settle: Settle };
export type ReserveResult = { readonly kind: "reserved"; readonly settle: Settle } | { readonly kind: "usedUp"; readonly endsAt: number };

class BudgetShares {
  readonly #env: Env;
  readonly #budgets = new Map<string, OfBudget>();

  constructor(env: Env) {
    this.#env = env;
  }

  /**
   * Reserves from the shares that are held, in all budgets or in none; null where an object has to
   * be asked.
   */
  reserveHeld(parts: readonly Part[], now: number): ReservedPart[] | null {
    const reserved: ReservedPart[] = [];
    for (const part of parts) {
      const budget = this.#of(part.allowance);
      const id = budget.held?.reserve(part.amount, now) ?? null;
      if (budget.held === null || id === null) {
        for (const { settle } of reserved) settle({ spent: 0, unaccounted: 0 });
        return null;
      }
      budget.usedAt = now;
      reserved.push({ ...part, settle: this.#settling(budget, id, budget.held) });
    }
    return reserved;
  }

  /**
   * Asks the object. `mayShare`: more requests like this one may follow in this isolate. Rejects
   * where it cannot be asked.
   */
  async reserve(
    { allowance, amount }: Part,
    { leaseMs, mayShare }: { readonly leaseMs: number; readonly mayShare: boolean },
    now: number,
  ): Promise<ReserveResult> {
    const id = crypto.randomUUID();
    const budget = this.#of(allowance);
    this.#endHeld(budget, now);
    const isWanted = mayShare && budget.held === null && !budget.isAsking && now - budget.askedAt < busyMs;
    budget.askedAt = now;
    budget.isAsking ||= isWanted;
    const wanted = isWanted ? Math.max(firstAttempts * amount, 2 * budget.lastUse) : 0;
    try {
      const call = async (): Promise<ReserveAnswer> => budgetStub(this.#env, allowance).reserve({ allowance, id, amount, leaseMs, wanted });
      const answer = await twice(call);
      if (answer.kind === "usedUp") return answer;
      if (answer.share !== null) budget.held = new HeldBudgetShare(answer.share, now, answer.endsAt);
      budget.usedAt = now;
      return { kind: "reserved", settle: this.#settling(budget, id, null) };
    } finally {
      if (isWanted) budget.isAsking = false;
    }
  }

  /** `share`: that it was reserved from. While that is held nothing is to be sent. */
  #settling(budget: OfBudget, id: string, share: HeldBudgetShare | null): Settle {
    return ({ spent, unaccounted }) => {
      if (share !== null && budget.held === share && share.settle({ id, spent, unaccounted })) return;
      budget.settled.push({ id, spent, unaccounted, underWay: [] });
    };
  }

  /** Ends the share where it is over, or was not used since `idleSince`. */
  #endHeld(budget: OfBudget, now: number, idleSince = Number.NEGATIVE_INFINITY): void {
    const { held } = budget;
    if (held === null || !(held.isOver(now) || budget.usedAt <= idleSince)) return;
    budget.lastUse = held.reservedInAll;
    budget.settled.push(held.report());
    budget.held = null;
  }

  /** Whether a share is held, or something is to be settled. */
  get isPending(): boolean {
    return [...this.#budgets.values()].some(({ held, settled, sending }) => held !== null || settled.length > 0 || sending !== null);
  }

  /**
   * Ends the shares that were not used since `idleSince`, and sends what is settled. Never rejects:
   * what fails is sent with the next.
   */
  async flush(now: number, idleSince: number): Promise<void> {
    const budgets = [...this.#budgets.values()];
    for (const budget of budgets) this.#endHeld(budget, now, idleSince);
    await Promise.all(budgets.map((budget) => this.#send(budget, now)));
  }

  /**
   * One call after the other, so that a report comes before what it has under way. Settling twice
   * is the same as once.
   */
  async #send(budget: OfBudget, now: number): Promise<void> {
    const last = budget.sending;
    if (last !== null && now - last.since < abandonedAfterMs) return;
    const settled = [...(last?.settled ?? []), ...budget.settled];
    if (settled.length === 0) return;
    const sending = { settled, since: now };
    budget.settled = [];
    budget.sending = sending;
    try {
      await twice(async () => budgetStub(this.#env, budget.allowance).settle(settled));
    } catch (error) {
      logEvent("writeBehind.flushFailed", { error: errorClass(error) });
      if (budget.sending === sending) budget.settled = [...settled, ...budget.settled];
    } finally {
      if (budget.sending === sending) budget.sending = null;
    }
  }

  #of(allowance: Allowance): OfBudget {
    const { budget: name, part, unit } = allowance;
    const label = `${unit} ${name} ${part ?? ""}`;
    let budget = this.#budgets.get(label);
    if (budget === undefined) {
      if (this.#budgets.size >= mostBudgets)
        for (const [each, { held, settled, isAsking }] of this.#budgets)
          if (held === null && settled.length === 0 && !isAsking) this.#budgets.delete(each);
      budget = {
        allowance: { budget: name, part, unit },
        held: null,
        askedAt: Number.NEGATIVE_INFINITY,
        usedAt: 0,
        isAsking: false,
        lastUse: 0,
        settled: [],
        sending: null,
      };
      this.#budgets.set(label, budget);
    }
    return budget;
  }
}

/** Once more where the object was reset: each id counts once. */
const twice = <T>(call: () => Promise<T>): Promise<T> => call().catch(call);

export const budgetSharesOf = isolateState((env) => new BudgetShares(env));
