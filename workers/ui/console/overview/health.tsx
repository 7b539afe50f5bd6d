// What the gateway knows to be wrong with itself, what failed in the last hour, and what the doctor
// found last, of which versions of the documents. Opening a page asks nobody outside.

import type { Child } from "hono/jsx";
import type { CheckedDocument, DoctorCheck, LastDiagnosis } from "../../../endpoints/admin/answers/doctor.ts";
import type { Failures, HealthIssue, Overview } from "../../../endpoints/admin/answers/overview.ts";
import type { WaitingTools } from "../../../endpoints/admin/answers/server-tools.ts";
import { Icon } from "../../icons.tsx";
import { Time } from "../../names.tsx";
import { Name, Plain } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { numbersOf } from "../numbers.ts";
import { documentsWords } from "../documents/documents-words.ts";
import { type Visit, useTexts } from "../page.ts";
import { usePhrases } from "../phrases.ts";
import { Fix, useCause } from "../requests/request-pieces.tsx";
import { type OverviewContext, changedIn, monthBudget } from "./overview-parts.ts";
import type { OverviewWords } from "./overview-words.ts";
import { Names, Press } from "../pieces.tsx";
import { toolsWords } from "../servers/tools-words.ts";
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
export const CheckText = ({ check, title, text, says }: Omit<DoctorCheck, "state">) => {
  const inWords = usePhrases();
  return (
    <>
      {check === "" ? null : (
        <>
          <b>
            <Plain value={inWords(title, check)} />
          </b>
          {": "}
        </>
      )}
      <Plain value={inWords(says, text)} />
    </>
  );
};

/**
 * What the gateway knows of itself, as checks. What the doctor found, too, is left out: the last
 * check says it.
 */
export function ownChecks(issues: readonly HealthIssue[], checks: readonly DoctorCheck[]): DoctorCheck[] {
  const plain = (text: string): string => text.replace(/\.$/, "");
  const known = new Set(checks.map(({ text }) => plain(text)));
  return issues.filter(({ text }) => !known.has(plain(text))).map((issue) => ({ ...issue, check: "", state: "fix" }));
}

/** Problems first. */
function findingsOf(issues: readonly HealthIssue[], checks: readonly DoctorCheck[]): Finding[] {
  return [...ownChecks(issues, checks), ...checks]
    .filter(({ state }) => state !== "good")
    .toSorted((a, b) => Number(a.state === "note") - Number(b.state === "note"))
    .map(({ state, ...said }) => ({ of: state === "fix" ? "bad" : "mind", says: <CheckText {...said} /> }));
}

type InWords = { readonly visit: Visit; readonly texts: OverviewWords };

const FailureText = ({ visit, texts: { health }, failures }: InWords & { failures: Failures }) => {
  const { provider, model, requests, servers, lastAt, causeFacts } = failures;
  const {
    what,
    fixes: [fix = ""],
  } = useCause(causeFacts);
  const state = causeFacts.kind === "undeliverable" ? "undeliverable" : "failed";
  const facts: Child[] = [
    ...(model === null || provider === null
      ? []
      : [fill(health.failedAt, { model: <Name value={model} />, provider: <Name value={provider} /> })]),
    ...(servers.length === 0 ? [] : [fill(health.failedFrom, { servers: <Names of={servers} /> })]),
  ];
  const last = {
    at: <Time at={Date.parse(lastAt)} now={visit.now} />,
    what: <Plain value={what} />,
    fix: <Fix text={fix} visit={visit} />,
  };
  return (
    <>
      <b>{fill(health.failed, { n: requests })}</b>
      {facts.map((fact) => [" · ", fact])}
      <br />
      {fill(health.failedLast, last)} <a href={visit.at("requests", { state, model })}>{health.showFailed}</a>
    </>
  );
};

/** What failed in the last hour: a problem, whatever the checks found. */
export const failureFindings = ({ visit, texts }: InWords, { by, isPartial }: Overview["health"]["failures"]): Finding[] => [
  ...by.map((failures): Finding => ({ of: "bad", says: <FailureText visit={visit} texts={texts} failures={failures} /> })),
  ...(isPartial ? [{ of: "bad", says: texts.health.failedPartial } as const] : []),
];

/** Documents by name and version: "routing 4, policy 2". */
const documentsIn = (visit: Visit, documents: readonly CheckedDocument[], sentence: string): string =>
  documents
    .map(({ document, checked, current }) =>
      fillText(sentence, { document: documentsWords[visit.language].names[document], version: String(current), checked: String(checked) }),
    )
    .join(", ");

/**
 * Configuration that nobody checked is a notice: a check of what was there before says nothing
 * about it.
 */
export function changeFindings({ visit, texts }: InWords, diagnosis: LastDiagnosis): Finding[] {
  const changed = changedIn(diagnosis);
  const { health } = texts;
  if (changed.length === 0) return [];
  const documents = documentsIn(visit, changed, health.changedVersion);
  return [{ of: "mind", says: `${fillText(health.changed, { n: changed.length, documents })} ${health.checkComes}` }];
}

export const CheckedVersions = ({ visit, texts, diagnosis: { documents } }: InWords & { diagnosis: LastDiagnosis }) =>
  documents.length === 0 ? null : (
    <p class="soft">
      {fillText(texts.health.versions, {
        documents: documentsIn(
          visit,
          documents.map((each) => ({ ...each, current: each.checked })),
          texts.health.version,
        ),
      })}
    </p>
  );

export const CheckNow = ({ visit, texts: { health }, isAgain }: InWords & { isAgain: boolean }) =>
  visit.may("decide") ? (
    <div>
      <Press visit={visit} to={visit.at("health")} fields={{}}>
        {isAgain ? health.checkAgain : health.check}
      </Press>
      <p class="soft">{health.checkSays}</p>
    </div>
  ) : null;

export const CheckedAt = ({ visit, texts: { health }, diagnosis }: InWords & { diagnosis: LastDiagnosis }) => {
  if (diagnosis.at === null) return <span class="soft">{health.never}</span>;
  const at = Date.parse(diagnosis.at);
  const span = numbersOf(visit.language).span(Math.max(0, visit.now - at));
  return <span class="soft">{fill(health.checked, { at: <Time at={at} now={visit.now} />, span })}</span>;
};

/** The month's spend is on its way over its budget. */
function paceFinding({ visit, overview, texts: { health }, numbers }: OverviewContext): Finding[] {
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

/** Tools that changed at their servers and wait for an operator. */
const toolFindings = ({ visit }: OverviewContext, { servers }: WaitingTools, { row }: (typeof toolsWords)["en"]): Finding[] =>
  servers
    .filter(({ waiting }) => waiting > 0)
    .map(({ server, waiting }) => ({
      of: "mind",
      says: (
        <>
          <b>
            <Name value={server} />
          </b>
          {": "}
          <a href={visit.at(`servers/${server}`)}>{fill(row.waiting, { n: waiting })}</a>
        </>
      ),
    }));

type HealthProps = OverviewContext & { readonly diagnosis: LastDiagnosis; readonly tools: WaitingTools };

export const Health = ({ diagnosis, tools, ...parts }: HealthProps) => {
  const { visit, overview, texts } = parts;
  const { health } = texts;
  const { at, checks } = diagnosis;
  const changes = changeFindings(parts, diagnosis);
  const findings = [
    ...failureFindings(parts, overview.health.failures),
    ...changes,
    ...toolFindings(parts, tools, useTexts(toolsWords)),
    ...findingsOf(overview.health.issues, checks),
    ...paceFinding(parts),
  ];
  const problems = findings.filter(({ of }) => of === "bad").length;
  const notices = findings.length - problems;
  // What passed before a change is not said to pass.
  const good = changes.length > 0 ? 0 : checks.filter(({ state }) => state === "good").length;
  const heading = [
    ...(problems === 0 ? [] : [fillText(health.problems, { n: problems })]),
    ...(notices === 0 ? [] : [fillText(health.notices, { n: notices })]),
    ...(good === 0 ? [] : [fillText(health.pass, { n: good })]),
  ];
  return (
    <section class="card" aria-labelledby="health">
      <div class="head">
        <h2 id="health">{heading.length === 0 ? health.title : fill(health.heading, { parts: heading.join(", ") })}</h2>
        <CheckedAt visit={visit} texts={texts} diagnosis={diagnosis} />
      </div>
      <ul class="findings">
        {findings.length === 0 ? <FindingItem of="ok">{at === null ? health.ownFine : health.fine}</FindingItem> : null}
        {findings.slice(0, mostShown).map(({ of, says }) => (
          <FindingItem of={of}>{says}</FindingItem>
        ))}
      </ul>
      <CheckedVersions visit={visit} texts={texts} diagnosis={diagnosis} />
      {at === null || changes.length > 0 ? <CheckNow visit={visit} texts={texts} isAgain={at !== null} /> : null}
      {at === null ? null : <a href={visit.at("health")}>{health.all}</a>}
    </section>
  );
};
