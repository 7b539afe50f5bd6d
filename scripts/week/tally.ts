// What people had to do with the requests of some days, by reviewer and by rule. Pure.

import * as z from "zod";

/** A line of GET /admin/runs, as far as it is read here. */
export const line = z.looseObject({
  state: z.string(),
  rule: z.string().nullable(),
  endedAt: z.string().nullable(),
  review: z.looseObject({ by: z.array(z.string()), people: z.array(z.string()), edits: z.number(), waitedMs: z.number() }).nullable(),
});
export type Line = z.infer<typeof line>;

export type Sum = {
  readonly name: string;
  /** Requests that ended with a decision of people. */
  readonly decided: number;
  readonly denied: number;
  readonly changed: number;
  /** Requests that were asked about and that nobody decided in time. */
  readonly expired: number;
  /** Approved unchanged less than `atOnceMs` after the asking, over both gates together. */
  readonly atOnce: number;
  /** From the asking to the decision, in milliseconds; null where nothing was decided. */
  readonly median: number | null;
  readonly slowest: number | null;
};

export const atOnceMs = 5_000;
/** Fewer decisions than this say nothing about a rule. */
const enough = 10;

export type Week = { readonly reviewers: readonly Sum[]; readonly rules: readonly Sum[] };

export function tallyWeek(lines: readonly Line[]): Week {
  const asked = lines.filter(({ review, endedAt }) => review !== null && endedAt !== null);
  const sumOf = (name: string, own: readonly Line[]): Sum => {
    const decided = own.filter((each) => isDecided(each));
    const times = decided.map(({ review }) => review?.waitedMs ?? 0).toSorted((one, other) => one - other);
    const isChanged = ({ review }: Line): boolean => (review?.edits ?? 0) > 0;
    return {
      name,
      decided: decided.length,
      denied: decided.filter(isDenied).length,
      changed: decided.filter(isChanged).length,
      expired: own.filter(({ state }) => state === "expired").length,
      atOnce: decided.filter((each) => !isDenied(each) && !isChanged(each) && (each.review?.waitedMs ?? 0) < atOnceMs).length,
      median: times[Math.floor((times.length - 1) / 2)] ?? null,
      slowest: times[Math.ceil(times.length * 0.9) - 1] ?? null,
    };
  };
  const grouped = (namesOf: (each: Line) => readonly string[]): Sum[] => {
    const groups = new Map<string, Line[]>();
    for (const each of asked)
      for (const name of new Set(namesOf(each))) {
        const group = groups.get(name);
        if (group === undefined) groups.set(name, [each]);
        else group.push(each);
      }
    return [...groups].map(([name, own]) => sumOf(name, own)).toSorted((one, other) => other.decided - one.decided);
  };
  return {
    // What nobody decided in time is of all who were asked.
    reviewers: grouped((each) => (each.state === "expired" ? (each.review?.people ?? []) : (each.review?.by ?? []))),
    rules: grouped(({ rule }) => [rule ?? "(none)"]),
  };
}

const isDenied = ({ state }: Line): boolean => state === "rejected";
const isDecided = ({ state, review }: Line): boolean => state !== "expired" && (review?.by.length ?? 0) > 0;

/** What to do about a rule, in one sentence; null where there is nothing to say. */
export function adviceOf({ decided, denied, changed, expired, atOnce }: Sum): string | null {
  if (decided >= enough && atOnce * 2 > decided)
    return "more than half were approved within 5 s: are they read? Let them pass, or give the rule fewer of them to ask about";
  if (decided >= enough && denied + changed === 0)
    return 'nobody denied or changed one: try a draft with "allow" on the Policy page of the console';
  if (expired > 0 && expired >= decided)
    return "most were not decided in time: give it more reviewers, a reminder or a longer deadlineSeconds";
  return null;
}
