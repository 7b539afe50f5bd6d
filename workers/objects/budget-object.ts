// One amount of one budget: what was spent of it in each day or month, and what is reserved. The
// arithmetic is shared/budget/account.ts.
//
// Each change is written before its answer leaves, so no reset forgets money that is out. Its
// operators hear of 80 and 100 percent once in a period: by an event in the record, and by email to
// the addresses that the budget names.

import {
  type Account,
  type Held,
  type Settlement,
  emptyAccount,
  percentReached,
  reserve,
  settle,
  shareOf,
  usage,
  writeOff,
} from "../../shared/budget/account.ts";
import type { Allowance } from "../../shared/budget/budgets.ts";
import { periodOfAllowance } from "../../shared/budget/period.ts";
import { shareMs } from "../../shared/policy/share.ts";
import type { Env } from "../platform/env.ts";
import type { BudgetCalls, BudgetUsage, ReserveAnswer, ReserveInput } from "../stubs/budget-calls.ts";
import type { ObjectAlarm } from "./alarm.ts";
import { BudgetNotices } from "./budget-notices.ts";
import { budgetSchema } from "./schema/budget-schema.ts";
import { StoredObject } from "./stored-object.ts";

/** How often is looked for what nobody settles any more. */
const writeOffEveryMs = 60 * 60_000;

/**
 * What was spent of an allowance for once is kept so long after its end: a run that began with it
 * may wait for people for as long as a policy allows, which is seven days.
 */
const keptAfterEndMs = 8 * 24 * 60 * 60_000;

export class BudgetObject extends StoredObject implements BudgetCalls {
  readonly #alarm: ObjectAlarm;
  readonly #notices: BudgetNotices;
  #account: Account;
  #writeOffAt: number | null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, budgetSchema);
    this.#account = this.#stored();
    this.#writeOffAt = this.#account.held.length === 0 ? null : this.now() + writeOffEveryMs;
    this.#notices = new BudgetNotices(env, this.sql, {
      ...this.clock,
      background: (work) => this.ctx.waitUntil(work),
      exists: this.tables.exist,
    });
    this.#alarm = this.alarmFor({ nextDue: () => this.#nextDue(), failed: "budget.alarmFailed" });
    void this.#alarm.restore();
  }

  reserve({ allowance, id, amount, leaseMs, wanted }: ReserveInput): ReserveAnswer {
    const now = this.now();
    this.tables.create();
    const { startsAt, endsAt } = periodOfAllowance(allowance, now);
    this.#notices.know(allowance);
    const reserved = reserve(this.#account, { id, amount, startsAt, until: now + leaseMs }, allowance.limit);
    if (reserved === null) {
      this.#alarm.arm();
      this.#notices.refused(usage(this.#account, startsAt, now), amount);
      return { kind: "usedUp", endsAt };
    }
    const share = this.#share(reserved, { allowance, leaseMs, wanted }, startsAt, now);
    this.#write(share === null ? reserved : { ...reserved, held: [...reserved.held, share] });
    return { kind: "reserved", endsAt, share: share === null ? null : { id: share.id, amount: share.amount } };
  }

  #share(
    account: Account,
    { allowance, leaseMs, wanted }: Pick<ReserveInput, "allowance" | "leaseMs" | "wanted">,
    startsAt: number,
    now: number,
  ): Held | null {
    const amount = shareOf(account, wanted, allowance.limit, startsAt);
    return amount < 1 ? null : { id: crypto.randomUUID(), amount, startsAt, until: now + shareMs + leaseMs };
  }

  settle(settlements: readonly Settlement[]): void {
    if (this.tables.exist) this.#write(settlements.reduce(settle, this.#account));
  }

  usage(allowance: Allowance): BudgetUsage {
    const now = this.now();
    const period = periodOfAllowance(allowance, now);
    return { ...usage(this.#account, period.startsAt, now), ...period };
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      this.#write(writeOff(this.#account, this.now()));
      if (this.#isOver(this.now())) return this.#forget();
      await this.#notices.sendDue();
      this.#alarm.arm();
    });
  }

  /** Of an allowance for once: nothing is settled any more so long after its end. */
  #isOver(now: number): boolean {
    const { endsAt } = this.#notices;
    return endsAt !== null && now >= endsAt + keptAfterEndMs;
  }

  async #forget(): Promise<void> {
    this.#account = emptyAccount;
    this.#writeOffAt = null;
    this.#notices.forget();
    await this.deleteAll(this.#alarm);
  }

  #nextDue(): number | null {
    if (!this.tables.exist) return null;
    const { endsAt } = this.#notices;
    const times = [
      endsAt === null ? null : endsAt + keptAfterEndMs,
      this.#notices.nextDue(),
      this.#account.held.length === 0 ? null : this.#writeOffAt,
    ].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  #stored(): Account {
    if (!this.tables.exist) return emptyAccount;
    type HeldRow = { id: string; amount: number; starts_at: number; until: number };
    type UsedRow = { starts_at: number; spent: number; unaccounted: number };
    const held = this.sql.exec<HeldRow>("SELECT id, amount, starts_at, until FROM held").toArray();
    const used = this.sql.exec<UsedRow>("SELECT starts_at, spent, unaccounted FROM used ORDER BY starts_at").toArray();
    return {
      ...emptyAccount,
      held: held.map(({ starts_at: startsAt, ...each }) => ({ ...each, startsAt })),
      used: used.map(({ starts_at: startsAt, ...each }) => ({ ...each, startsAt })),
    };
  }

  /** Writes what differs, and notes what operators are to hear. */
  #write(account: Account): void {
    const before = this.#account;
    if (account === before) return;
    this.ctx.storage.transactionSync(() => {
      const [was, is] = [new Set(before.held), new Set(account.held)];
      for (const { id } of before.held.filter((each) => !is.has(each))) this.sql.exec("DELETE FROM held WHERE id = ?", id);
      for (const { id, amount, startsAt, until } of account.held.filter((each) => !was.has(each)))
        this.sql.exec("INSERT OR REPLACE INTO held (id, amount, starts_at, until) VALUES (?, ?, ?, ?)", id, amount, startsAt, until);
      if (account.used !== before.used) this.#writeUsed(before, account);
    });
    this.#account = account;
    this.#writeOffAt ??= this.now() + writeOffEveryMs;
    if (account.held.length === 0) this.#writeOffAt = null;
    this.#alarm.arm();
  }

  #writeUsed(before: Account, { used }: Account): void {
    for (const { startsAt } of before.used.filter((each) => !used.some((one) => one.startsAt === each.startsAt)))
      this.sql.exec("DELETE FROM used WHERE starts_at = ?", startsAt);
    for (const each of used.filter((one) => !before.used.includes(one))) {
      const { startsAt, spent, unaccounted } = each;
      this.sql.exec("INSERT OR REPLACE INTO used (starts_at, spent, unaccounted) VALUES (?, ?, ?)", startsAt, spent, unaccounted);
      this.#notices.reached(startsAt, (limit) => percentReached(each, limit));
    }
  }
}
