// The calls of a key that rules' jurors were asked about: how many they let pass in an hour, and
// which they did not.
//
// Part of the KeyObject. A call counts as passed before its juror is asked, so that calls at the
// same time never pass beyond the bound; an isolate that is lost meanwhile costs one. What a juror
// had people asked about once it is not asked about again: a model that is asked often enough says
// yes in the end.

import type { JurorCase, JurorCaseAnswer } from "../../stubs/key-calls.ts";

const hourMs = 3_600_000;

export class KeyJurors {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  open({ run, rule, call, perHour }: JurorCase, now: number): JurorCaseAnswer {
    this.#sql.exec("DELETE FROM juror_case WHERE at <= ?", now - hourMs);
    const { raised, passed } = this.#sql
      .exec<{ raised: number; passed: number }>(
        "SELECT COALESCE(SUM(passed = 0 AND call = ?), 0) AS raised, COALESCE(SUM(passed), 0) AS passed FROM juror_case WHERE rule = ?",
        call,
        rule,
      )
      .one();
    if (raised > 0) return "raisedBefore";
    if (perHour !== null && passed >= perHour) return "passesUsedUp";
    this.#sql.exec("INSERT OR REPLACE INTO juror_case (run, rule, call, at, passed) VALUES (?, ?, ?, ?, 1)", run, rule, call, now);
    return "open";
  }

  raised(run: string): void {
    this.#sql.exec("UPDATE juror_case SET passed = 0 WHERE run = ?", run);
  }
}
