// Which operators were given which reviewers' links by GET /admin/notices: part of the
// ConfigObject. The first giving of a link to an operator is an event in the record; a program that
// lists the same notices again writes nothing.

import type { Operator, OperatorFact } from "../../shared/record/record.ts";
import type { GivenLink } from "../stubs/config-calls.ts";

/** As long as the ledger has the notices. */
const keptMs = 400 * 24 * 3_600_000;

export class GivenLinks {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /**
   * Inside the transaction that records it: the events of those that this operator was not given
   * before.
   */
  give(links: readonly GivenLink[], by: Operator, now: number): OperatorFact[] {
    this.#sql.exec("DELETE FROM link_given WHERE at <= ?", now - keptMs);
    return links.flatMap(({ id, run, gate, reviewer }): OperatorFact[] =>
      this.#isFirst(id, by, now) ? [{ kind: "linkGiven", by, run, gate, reviewer }] : [],
    );
  }

  #isFirst(link: string, by: Operator, now: number): boolean {
    const operator = by.kind === "adminToken" ? by.fingerprint : by.email;
    const made = this.#sql.exec("INSERT OR IGNORE INTO link_given (link, operator, at) VALUES (?, ?, ?) RETURNING 1", link, operator, now);
    return made.toArray().length > 0;
  }
}
