// What the gateway knows to be wrong with itself, and what the doctor found when somebody last asked it. Opening a page asks nobody outside.

import type { Child } from "hono/jsx";
import { Icon } from "../../icons.tsx";
import { Time } from "../../names.tsx";
import { Plain } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import type { Visit } from "../page.ts";
import { FormToken } from "../shell.tsx";
import { type Check, type Diagnosis, monthBudget } from "./overview-api.ts";
import type { Parts } from "./overview-parts.ts";
import type { OverviewWords } from "./overview-words.ts";
import { monthOf, paceOf } from "./spend-chart.tsx";

/** Findings on the overview; the page of the health has all of them. */
const mostShown = 6;

export type Finding = { readonly of: "bad" | "mind"; readonly says: Child };

export const FindingItem = ({ of, children }: { of: "bad" | "mind" | "ok"; children: Child }) => (
  <li class={of}>
    <Icon of={of === "bad" ? "cross" : of === "mind" ? "warning" : "check"} />
    <span>{children}</span>
  </li>
);

/** What was checked, and what was found. Without a name: what the gateway says of itself. */
export const CheckText = ({ check, text }: { check: string; text: string }) => (
  <>
    {check === "" ? null : (
      <>
        <b>
          <Plain value={check} />
        </b>
        {": "}
      </>
    )}
    <Plain value={text} />
  </>
);

/** What the gateway knows of itself, as checks. What the doctor found, too, is left out: the last check says it. */
export function ownChecks(problems: readonly string[], checks: readonly Check[]): Check[] {
  const plain = (text: string): string => text.replace(/\.$/, "");
  const known = new Set(checks.map(({ text }) => plain(text)));
  return problems.filter((text) => !known.has(plain(text))).map((text) => ({ check: "", state: "fix", text }));
}

/** Problems first. */
export function findingsOf(problems: readonly string[], checks: readonly Check[]): Finding[] {
  return [...ownChecks(problems, checks), ...checks]
    .filter(({ state }) => state !== "good")
    .toSorted((a, b) => Number(a.state === "note") - Number(b.state === "note"))
    .map(({ check, state, text }) => ({ of: state === "fix" ? "bad" : "mind", says: <CheckText check={check} text={text} /> }));
}

export const CheckNow = ({ visit, texts: { health } }: { visit: Visit; texts: OverviewWords }) =>
  visit.may("decide") ? (
    <form method="post" action={visit.at("health")}>
      <FormToken visit={visit} />
      <button class="btn small" type="submit">
        {health.check}
      </button>
      <p class="soft">{health.checkSays}</p>
    </form>
  ) : null;

export const CheckedAt = ({ visit, texts: { health }, at }: { visit: Visit; texts: OverviewWords; at: string | null }) => (
  <span class="soft">{at === null ? health.never : fill(health.checked, { at: <Time at={Date.parse(at)} now={visit.now} /> })}</span>
);

/** The month's spend is on its way over its budget. */
function paceFinding({ visit, overview, texts: { health }, numbers }: Parts): Finding[] {
  const budget = monthBudget(overview.budgets);
  const since = Date.parse(overview.spend.since);
  const pace = budget === null ? null : paceOf(monthOf(overview, visit.now), since, visit.now);
  if (budget === null || pace === null || pace <= budget.limit) return [];
  const values = { month: numbers.month(since), total: numbers.dollars(pace), limit: numbers.dollars(budget.limit) };
  return [
    {
      of: "mind",
      says: (
        <>
          {fill(health.pace, values)} <a href={visit.at("budgets")}>{health.changeBudgets}</a>
        </>
      ),
    },
  ];
}

export const Health = ({ diagnosis: { at, checks }, ...parts }: Parts & { diagnosis: Diagnosis }) => {
  const { visit, overview, texts } = parts;
  const { health } = texts;
  const findings = [...findingsOf(overview.health.problems, checks), ...paceFinding(parts)];
  const problems = findings.filter(({ of }) => of === "bad").length;
  const notices = findings.length - problems;
  const good = checks.filter(({ state }) => state === "good").length;
  const heading = [
    ...(problems === 0 ? [] : [health.problems(problems)]),
    ...(notices === 0 ? [] : [health.notices(notices)]),
    ...(good === 0 ? [] : [health.pass(good)]),
  ];
  return (
    <section class="card" aria-labelledby="health">
      <div class="head">
        <h2 id="health">{heading.length === 0 ? health.title : fill(health.heading, { parts: heading.join(", ") })}</h2>
        <CheckedAt visit={visit} texts={texts} at={at} />
      </div>
      <ul class="findings">
        {findings.length === 0 ? <FindingItem of="ok">{at === null ? health.ownFine : health.fine}</FindingItem> : null}
        {findings.slice(0, mostShown).map(({ of, says }) => (
          <FindingItem of={of}>{says}</FindingItem>
        ))}
      </ul>
      {at === null ? <CheckNow visit={visit} texts={texts} /> : <a href={visit.at("health")}>{health.all}</a>}
    </section>
  );
};
