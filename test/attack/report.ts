// What `npm run attack` ends with: one object, and the same as a table.

import type { Judged } from "./kills/judge.ts";

export type Tried = {
  readonly area: string;
  /** What is tried in this area. */
  readonly about: string;
  readonly isFault: boolean;
  readonly isHeld: boolean;
};

export type Report = {
  readonly commit: string;
  readonly date: string;
  readonly seed: number;
  /** Attacks that were tried, without faults. */
  readonly attacks: number;
  /** Of these, the ones that were refused or withstood. */
  readonly refused: number;
  /** Faults of what the gateway depends on, and resets of its objects, that were tried. */
  readonly faults: number;
  /** Of these, the ones that were withstood. */
  readonly withstood: number;
  readonly kills: number;
  /** Requests under way around the kills. */
  readonly requests: number;
  readonly lost: number;
  readonly doubled: number;
  readonly paidTwiceUnrecorded: number;
  readonly beforeConfirmation: number;
  readonly answeredUnrecorded: number;
  readonly paidAgainRecorded: number;
  readonly gaveUp: number;
  readonly unknownOutcomes: number;
  readonly areas: readonly { readonly name: string; readonly about: string; readonly tried: number; readonly held: number }[];
  /** Everything that was not as it must be, as sentences. */
  readonly failures: readonly string[];
};

/** What the kills came to; the seed repeats them. */
export type Kills = Judged & { readonly seed: number };

const noKills: Kills = {
  seed: 0,
  kills: 0,
  requests: 0,
  lost: [],
  doubled: [],
  paidTwiceUnrecorded: [],
  beforeConfirmation: 0,
  answeredUnrecorded: 0,
  paidAgainRecorded: 0,
  gaveUp: 0,
  unknownOutcomes: 0,
};

type Given = Pick<Report, "commit" | "date" | "failures">;

export function reportOf(given: Given, tried: readonly Tried[], kills: Kills = noKills): Report {
  const count = (isFault: boolean, isHeld?: true): number =>
    tried.filter((each) => each.isFault === isFault && (isHeld === undefined || each.isHeld)).length;
  const { lost, doubled, paidTwiceUnrecorded, ...counts } = kills;
  return {
    ...given,
    attacks: count(false),
    refused: count(false, true),
    faults: count(true),
    withstood: count(true, true),
    ...counts,
    lost: lost.length,
    doubled: doubled.length,
    paidTwiceUnrecorded: paidTwiceUnrecorded.length,
    areas: [...Map.groupBy(tried, ({ area }) => area)].map(([name, own]) => ({
      name,
      about: own[0]?.about ?? "",
      tried: own.length,
      held: own.filter(({ isHeld }) => isHeld).length,
    })),
  };
}

/** A report in sentences, as docs/security.md has it. */
export function summaryOf(report: Report): string {
  const kills: readonly [number, string][] = [
    [report.lost, "lost (without an answer, or a decision that did not count)"],
    [report.doubled, "doubled (asked, decided, delivered or continued twice)"],
    [report.paidTwiceUnrecorded, "paid twice without a line in the record"],
    [report.beforeConfirmation, "paid twice because the process died before the first reservation was confirmed"],
    [report.answeredUnrecorded, "answered at once, and killed before the line was written"],
    [report.paidAgainRecorded, "paid again, with a line that says so"],
    [report.gaveUp, "failed, because kills cut off all three calls that a run may make"],
    [report.unknownOutcomes, 'ended with "the outcome is unknown" at the relay'],
  ];
  return [
    `At ${report.commit}, ${report.date}: ${report.attacks} attacks, ${report.refused} refused; ${report.faults} faults and resets, ${report.withstood} withstood.`,
    ...(report.kills === 0
      ? []
      : [
          "",
          `Under ${report.kills} kills of the whole process tree (seed ${report.seed}), of ${report.requests} requests at /sampling, the relay and /control:`,
          "",
          ...kills.map(([number, what]) => `- ${number} ${what}`),
        ]),
  ].join("\n");
}

/** What each area came to, as a table on standard output. */
export function tableOf({ areas }: Report): string {
  const rows = areas.map(({ name, about, tried, held }) => `| ${name} | ${about} | ${tried} | ${held} |`);
  return ["| area | what is tried | tried | refused or withstood |", "|---|---|---|---|", ...rows].join("\n");
}
