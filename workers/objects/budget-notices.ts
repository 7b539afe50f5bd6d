// What the operators of a budget hear: that 80 and 100 percent of it are used, once each in a day
// or month.
//
// Part of the BudgetObject. What is to be said is written with the amount itself, and sent until it
// is recorded and each email is on its way.

import { type Backoff, backoffMs } from "../../shared/backoff.ts";
import { type Usage, isTooLittle } from "../../shared/budget/account.ts";
import type { Allowance } from "../../shared/budget/budgets.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import { sendEmail } from "../channels/email/email-channel.ts";
import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { hasAlerts } from "../stores/look-for-alerts.ts";
import type { UsedUp } from "../stubs/alert-calls.ts";
import { alertStub, configStub } from "../stubs/stubs.ts";

const retry: Backoff = { firstMs: 2_000, mostMs: 10 * 60_000 };
/** An address that cannot be reached is given up after so many attempts: some three hours. */
const mostAttempts = 20;

/** While requests go on being refused, the AlertObject hears no more often. */
const refusedEveryMs = 60_000;

type BudgetNoticeDeps = {
  readonly now: () => number;
  readonly random: () => number;
  readonly background: (work: Promise<unknown>) => void;
};
/** In place of an address: whom the policy's `alerts` names. */
const toAlerts = "alerts";
/** `address`: of an email; empty for the event in the record; or `alerts`. */
type Row = { starts_at: number; percent: number; address: string; attempts: number };

export class BudgetNotices {
  readonly #env: Env;
  readonly #sql: SqlStorage;
  readonly #deps: BudgetNoticeDeps;
  #allowance: Allowance | null;
  #text: JsonOf<Allowance> | null;
  #refusedAt = 0;

  /** `exists`: whether there are tables. */
  constructor(env: Env, sql: SqlStorage, { exists, ...deps }: BudgetNoticeDeps & { readonly exists: boolean }) {
    this.#env = env;
    this.#sql = sql;
    this.#deps = deps;
    this.#text = exists ? (sql.exec<{ text: JsonOf<Allowance> }>("SELECT text FROM allowance").toArray()[0]?.text ?? null) : null;
    this.#allowance = this.#text === null ? null : readJsonOf(this.#text);
  }

  /** The object deletes its tables. */
  forget(): void {
    this.#allowance = null;
    this.#text = null;
  }

  /** When an allowance for once ends, in Unix milliseconds; null for one of days or months. */
  get endsAt(): number | null {
    return this.#allowance?.endsAt ?? null;
  }

  /** The allowance as the newest reservation has it. */
  know(allowance: Allowance): void {
    const text = jsonOf(allowance);
    if (text === this.#text) return;
    this.#sql.exec("INSERT OR REPLACE INTO allowance (one, text) VALUES (1, ?)", text);
    this.#text = text;
    this.#allowance = allowance;
  }

  /**
   * Inside the transaction of the amount: notes what is to be said of it. `percentOf`: how much of
   * a limit is reached.
   */
  reached(startsAt: number, percentOf: (limit: number) => number): void {
    if (this.#allowance === null || this.#allowance.endsAt !== undefined) return;
    const percent = percentOf(this.#allowance.limit);
    const told = this.#sql.exec<{ percent: number }>("SELECT percent FROM told WHERE starts_at = ?", startsAt).toArray()[0]?.percent ?? 0;
    if (percent <= told) return;
    this.#sql.exec("DELETE FROM told WHERE starts_at <= ?", startsAt);
    this.#sql.exec("INSERT INTO told (starts_at, percent) VALUES (?, ?)", startsAt, percent);
    for (const address of ["", ...(percent >= 100 ? [toAlerts] : []), ...this.#allowance.notify])
      this.#sql.exec(
        "INSERT OR IGNORE INTO telling (starts_at, percent, address, attempts, due_at) VALUES (?, ?, ?, 0, ?)",
        startsAt,
        percent,
        address,
        this.#deps.now(),
      );
  }

  /**
   * An amount was refused: whom alerts are for hears, soon, where it is what was spent that leaves
   * too little. Nothing is stored: the next refusal says it again.
   */
  refused(used: Usage, wanted: number): void {
    const [allowance, now] = [this.#allowance, this.#deps.now()];
    if (allowance === null || allowance.endsAt !== undefined || !isTooLittle(used, allowance.limit, wanted)) return;
    if (Math.abs(now - this.#refusedAt) < refusedEveryMs) return;
    this.#refusedAt = now;
    this.#deps.background(this.#tellAlerts({ ...allowance, wanted }).catch((error: unknown) => void this.#failed(error)));
  }

  async #tellAlerts(used: UsedUp): Promise<void> {
    if (await hasAlerts(this.#env, this.#deps.now(), this.#deps.background)) await alertStub(this.#env).usedUp(jsonOf(used));
  }

  nextDue(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT MIN(due_at) AS at FROM telling").one().at;
  }

  /** For the object's alarm. Never throws: what fails is due again later. */
  async sendDue(): Promise<void> {
    const rows = this.#sql
      .exec<Row>("SELECT starts_at, percent, address, attempts FROM telling WHERE due_at <= ? ORDER BY address", this.#deps.now())
      .toArray();
    for (const row of rows) await this.#send(row);
  }

  async #send(row: Row): Promise<void> {
    const isDone = this.#allowance === null || (await this.#tell(row, this.#allowance).catch((error: unknown) => this.#failed(error)));
    const where = [row.starts_at, row.percent, row.address] as const;
    if (isDone || row.attempts + 1 >= mostAttempts) {
      this.#sql.exec("DELETE FROM telling WHERE starts_at = ? AND percent = ? AND address = ?", ...where);
      return;
    }
    const dueAt = this.#deps.now() + backoffMs(retry, row.attempts, this.#deps.random());
    this.#sql.exec(
      "UPDATE telling SET attempts = attempts + 1, due_at = ? WHERE starts_at = ? AND percent = ? AND address = ?",
      dueAt,
      ...where,
    );
  }

  #failed(error: unknown): false {
    logEvent("budget.noticeFailed", { error: errorClass(error) });
    return false;
  }

  /** True where it was said, or can never be. */
  async #tell({ starts_at: startsAt, percent, address }: Row, allowance: Allowance): Promise<boolean> {
    const { budget, part, unit, limit, per } = allowance;
    const since = new Date(startsAt).toISOString();
    if (address === toAlerts) {
      await this.#tellAlerts({ ...allowance, wanted: 1 });
      return true;
    }
    if (address === "") {
      await configStub(this.#env).record({ kind: "budgetReached", budget, part, unit, limit, per, since, percent });
      return true;
    }
    const asked = { kind: "budget", budget, part, unit, limit, per, since, percent } as const;
    const sent = await sendEmail(this.#env, address, asked, `budget ${budget} ${part ?? ""} ${unit} ${since} ${percent} ${address}`);
    if (sent.kind === "failed") logEvent("budget.noticeFailed", { error: sent.why });
    return sent.kind !== "again";
  }
}
