// A part of a budget in the hands of an isolate, which reserves from it without asking the budget's
// object.

import { isShareOver } from "../policy/share.ts";
import type { Settlement } from "./account.ts";

export class HeldBudgetShare {
  readonly #id: string;
  /** What is not reserved. */
  #free: number;
  #spent = 0;
  #unaccounted = 0;
  readonly #underWay = new Map<string, number>();
  /** Unix milliseconds by the holder's clock. */
  readonly #askedAt: number;
  /** The end of the period that it is for. */
  readonly #endsAt: number;
  #attempts = 0;
  #reservedInAll = 0;

  /**
   * `askedAt`: before the share was asked for, by the holder's clock. `endsAt`: of its day or
   * month.
   */
  constructor({ id, amount }: { readonly id: string; readonly amount: number }, askedAt: number, endsAt: number) {
    this.#id = id;
    this.#free = amount;
    this.#askedAt = askedAt;
    this.#endsAt = endsAt;
  }

  /**
   * Reserves for one attempt, and names it; null where the share has too little left, or is over.
   */
  reserve(amount: number, now: number): string | null {
    if (this.isOver(now) || amount > this.#free) return null;
    this.#attempts += 1;
    const id = `${this.#id}/${this.#attempts}`;
    this.#free -= amount;
    this.#reservedInAll += amount;
    this.#underWay.set(id, amount);
    return id;
  }

  isOver(now: number): boolean {
    return isShareOver(this.#askedAt, now) || now >= this.#endsAt;
  }

  /**
   * Settles an attempt; false where this share did not reserve for it. What was not spent may be
   * reserved again.
   */
  settle({ id, spent, unaccounted }: Pick<Settlement, "id" | "spent" | "unaccounted">): boolean {
    const amount = this.#underWay.get(id);
    if (amount === undefined) return false;
    this.#underWay.delete(id);
    this.#spent += spent;
    this.#unaccounted += unaccounted;
    this.#free += Math.max(0, amount - spent - unaccounted);
    return true;
  }

  /** How much was reserved from it altogether: what the next share is to have. */
  get reservedInAll(): number {
    return this.#reservedInAll;
  }

  /** The holder must not reserve from the share after this. */
  report(): Settlement {
    const underWay = [...this.#underWay].map(([id, amount]) => ({ id, amount }));
    return { id: this.#id, spent: this.#spent, unaccounted: this.#unaccounted, underWay };
  }
}
