// The reviews that wait for one reviewer, as their runs told. A run may tell twice and out of
// order: the newest of each run counts. It has nothing of a review's content. The table is
// in objects/schema/inbox-schema.ts.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { once } from "../../../shared/once.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import { reviewKey } from "../../../shared/review/inbox.ts";
import type { InboxFacts } from "../../../shared/review/inbox-facts.ts";
import {
  type InboxFilter,
  type InboxGrouping,
  type InboxItem,
  type InboxList,
  type InboxQuery,
  inboxFilters,
} from "../../../shared/review/inbox-list.ts";
import type { ToldInput } from "../../stubs/inbox-calls.ts";
import type { ContentSeal } from "../content-seal.ts";

/** An older telling that comes later than this is of a run that told more since. */
const keptMs = 3_600_000;
const pageLength = 50;

type Row = {
  readonly run: string;
  readonly gate: Gate;
  readonly deadline_at: number;
  readonly alike: string;
  readonly warnings: number;
  readonly is_last: number;
  readonly facts: JsonOf<InboxFacts>;
};

/** Of one address, and not over. */
const waitsFor = "FROM waiting WHERE gate IS NOT NULL AND address = ? AND deadline_at > ?";

export type Change = { readonly what: "waits" | "over"; readonly key: string };

export const emptyList: InboxList = { counts: { all: 0, prompts: 0, replies: 0, warnings: 0, last: 0 }, page: 1, pages: 1, items: [] };

export class WaitingReviews {
  readonly #sql: SqlStorage;
  readonly #seal: ContentSeal;

  constructor(sql: SqlStorage, seal: ContentSeal) {
    this.#sql = sql;
    this.#seal = seal;
  }

  /** Stores what a run tells. Null where nothing of the list changed. */
  tell({ run, seq, address, entry: text }: ToldInput, now: number): Change | null {
    const [known] = this.#sql.exec<{ seq: number; gate: Gate | null }>("SELECT seq, gate FROM waiting WHERE run = ?", run).toArray();
    if (known !== undefined && known.seq > seq) return null;
    const entry = text === null ? null : readJsonOf(text);
    const forgetAt = Math.max(now, entry?.deadlineAt ?? 0) + keptMs;
    this.#sql.exec(
      "INSERT OR REPLACE INTO waiting (run, seq, gate, address, deadline_at, alike, warnings, is_last, facts, forget_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      run,
      seq,
      entry?.gate ?? null,
      address,
      entry?.deadlineAt ?? 0,
      entry?.alike ?? "",
      entry?.warnings ?? 0,
      entry?.isLast === true ? 1 : 0,
      jsonOf(entry === null ? null : this.#sealed(run, entry.facts)),
      forgetAt,
    );
    if (entry !== null) return { what: "waits", key: reviewKey(run, entry.gate) };
    return known === undefined || known.gate === null ? null : { what: "over", key: reviewKey(run, known.gate) };
  }

  /**
   * The earliest deadline first. One that has passed is over, whether its run has told so or not.
   */
  #rows(address: string, now: number): Row[] {
    return this.#sql
      .exec<Row>(`SELECT run, gate, deadline_at, alike, warnings, is_last, facts ${waitsFor} ORDER BY deadline_at, run`, address, now)
      .toArray();
  }

  count(address: string, now: number): number {
    return this.#sql.exec<{ n: number }>(`SELECT COUNT(*) AS n ${waitsFor}`, address, now).one().n;
  }

  /** The names of the first ones, for an open page to compare with its own. */
  keys(address: string, now: number, most: number): string[] {
    return this.#sql
      .exec<Pick<Row, "run" | "gate">>(`SELECT run, gate ${waitsFor} ORDER BY deadline_at, run LIMIT ?`, address, now, most)
      .toArray()
      .map(({ run, gate }) => reviewKey(run, gate));
  }

  /**
   * One page of the list. Those of one group stand together, where the first of them would.
   */
  list(address: string, { filter, sort, group, page: wanted }: InboxQuery, now: number): InboxList {
    const all = this.#rows(address, now);
    const counts = Object.fromEntries(
      inboxFilters.map((each) => [each, all.filter((row) => isIn(row, each)).length]),
    ) as InboxList["counts"]; // each filter is in it
    const some = all.filter((row) => isIn(row, filter)).map((row): Waiting => ({ row, facts: once(() => readJsonOf(row.facts)) }));
    if (sort === "risk") some.sort((a, b) => riskOf(b) - riskOf(a) || b.row.warnings - a.row.warnings);
    const groups = [...Map.groupBy(some, (each) => groupOf(each, group)).values()];
    const rows = groups.flatMap((each) => each.map((waiting, i) => ({ ...waiting, size: each.length, i })));
    const pages = Math.max(1, Math.ceil(rows.length / pageLength));
    const page = Math.min(Math.max(1, wanted), pages);
    const shown = rows.slice((page - 1) * pageLength, page * pageLength);
    const items = shown.map(({ row, facts, size, i }, at): InboxItem => ({
      run: row.run,
      gate: row.gate,
      deadlineAt: row.deadline_at,
      warnings: row.warnings,
      facts: this.#opened(row.run, facts()),
      groupSize: (i === 0 || at === 0) && size > 1 ? size : null,
      isGrouped: size > 1,
    }));
    return { counts, page, pages, items };
  }

  /** Facts as they are stored: what they have of the content is sealed. */
  #sealed(run: string, facts: InboxFacts): InboxFacts {
    return facts.excerpt === undefined ? facts : { ...facts, excerpt: this.#seal.sealText(facts.excerpt, excerptOf(run)) };
  }

  #opened(run: string, { excerpt, ...facts }: InboxFacts): InboxFacts {
    const text = excerpt === undefined ? null : this.#seal.openText(excerpt, excerptOf(run));
    return text === null ? facts : { ...facts, excerpt: text };
  }

  nextForget(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT MIN(forget_at) AS at FROM waiting").one().at;
  }

  forget(now: number): void {
    this.#sql.exec("DELETE FROM waiting WHERE forget_at <= ?", now);
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM waiting LIMIT 1").toArray().length === 0;
  }
}

/** Where a sealed excerpt is read again. */
const excerptOf = (run: string): string => `excerpt ${run}`;

/** `facts`: parsed where an order, a group or the page needs them. */
type Waiting = { readonly row: Row; readonly facts: () => InboxFacts };

const riskRanks = { low: 1, medium: 2, high: 3 } as const;
const riskOf = ({ facts }: Waiting): number => Math.max(0, ...facts().risks.map(({ level }) => riskRanks[level]));

function groupOf({ row, facts }: Waiting, group: InboxGrouping): string {
  switch (group) {
    case "alike":
      return row.alike;
    case "server":
      return facts().server;
    case "key":
      return facts().client;
    case "none":
      return row.run;
  }
}

function isIn({ gate, warnings, is_last: isLast }: Row, filter: InboxFilter): boolean {
  switch (filter) {
    case "all":
      return true;
    case "prompts":
      return gate === "request";
    case "replies":
      return gate === "response";
    case "warnings":
      return warnings > 0;
    case "last":
      return isLast === 1;
  }
}
