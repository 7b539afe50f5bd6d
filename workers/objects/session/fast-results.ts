// Outcomes of the fast path: kept for repeats for ten minutes, and given to the repeats that wait
// for them now.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { portions } from "../../../shared/portions.ts";
import type { Outcome } from "../../../shared/model/outcome.ts";
import { resultKeptMs } from "../../../shared/association/session.ts";
import type { SessionRequest, Settled } from "../../stubs/session-calls.ts";
import { outcomesForgottenAt, resultName } from "./session-tables.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { UnrecordedRequests } from "./unrecorded-requests.ts";

/** In UTF-16 code units: a repeat reads a text to its end to find its outcome. */
const longestText = 400_000;

export class FastResults {
  readonly #deps: SessionDeps;
  readonly #unrecorded: UnrecordedRequests;
  readonly #waiting = new Map<string, Set<(result: JsonOf<Outcome> | null) => void>>();

  constructor(deps: SessionDeps, unrecorded: UnrecordedRequests) {
    this.#deps = deps;
    this.#unrecorded = unrecorded;
  }

  /**
   * Keeps the outcomes that come together in one text: a row for each would cost more than
   * everything else in the session.
   */
  settle(answers: readonly Settled[]): void {
    if (!this.#deps.tables.exist) return;
    const now = this.#deps.now();
    const { recorded = [], others = [] } = Object.groupBy(answers, ({ isRecorded }) => (isRecorded ? "recorded" : "others"));
    for (const list of [recorded, others])
      for (const some of portions(list, longestText, ({ result }) => result.length)) this.#keep(some, list === recorded, now);
  }

  #keep(answers: readonly Settled[], isRecorded: boolean, now: number): void {
    const name = crypto.randomUUID();
    const asked = answers.map(({ originating, request, run }) => [originating, request, run]);
    const settled = this.#deps.ctx.storage.transactionSync(() => {
      const rows = this.#deps.sql.exec<SessionRequest>(markSettled, now, name, isRecorded ? 1 : 0, JSON.stringify(asked)).toArray();
      if (rows.length > 0) this.#deps.tables.results.write(name, jsonOf(answers));
      // A repeat brought the outcome before the record had its line.
      if (isRecorded && rows.length < answers.length) this.#unrecorded.recorded(answers);
      return new Set(rows.map(resultName));
    });
    if (settled.size > 0) this.#deps.alarmBy(outcomesForgottenAt(now + resultKeptMs));
    for (const answer of answers) if (settled.has(resultName(answer))) this.release(resultName(answer), answer.result);
  }

  /** The outcome that is kept for a request. */
  resultOf({ originating, request }: SessionRequest): JsonOf<Outcome> | null {
    const [row] = this.#deps.sql
      .exec<{ run: string; kept: string | null }>(
        "SELECT run, kept FROM sampling WHERE originating = ? AND request = ?",
        originating,
        request,
      )
      .toArray();
    const text = row?.kept == null ? undefined : this.#deps.tables.results.read(row.kept);
    if (text === undefined) return null;
    const answers = readJsonOf(text as JsonOf<readonly Settled[]>); // what #keep wrote, from a table that knows only text
    return answers.find((each) => each.run === row?.run)?.result ?? null;
  }

  async awaitResult(originating: string, request: string, waitMs: number): Promise<JsonOf<Outcome> | null> {
    if (!this.#deps.tables.exist) return null;
    const name = resultName({ originating, request });
    const known = this.resultOf({ originating, request });
    if (known !== null) return known;
    // Refused meanwhile, or adopted by a run: no fast-path caller is getting an answer.
    const fast = this.#deps.sql
      .exec("SELECT 1 FROM sampling WHERE originating = ? AND request = ? AND state = 'fast'", originating, request)
      .toArray();
    if (fast.length === 0) return null;
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiters);
      const done = (result: JsonOf<Outcome> | null): void => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiting.delete(name);
        resolve(result);
      };
      const timer = setTimeout(() => done(null), waitMs);
      waiters.add(done);
    });
  }

  /** Ends every wait for a request: with its result, or null where it will have none here. */
  release(name: string, result: JsonOf<Outcome> | null): void {
    for (const done of this.#waiting.get(name) ?? []) done(result);
  }
}

const markSettled = `UPDATE sampling SET state = 'settled', settled_at = ?, kept = ?, unrecorded = CASE ? WHEN 1 THEN NULL ELSE unrecorded END WHERE state = 'fast' AND (originating, request, run) IN
  (SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(?)) RETURNING originating, request`;
