// What fails now, what failed in the last hour, all that the doctor found, and the button that asks
// it again. Asking is recorded, and asks providers, channels and servers; looking does not.

import type { DoctorCheck } from "../../../endpoints/admin/answers/doctor.ts";
import { paths } from "../../../platform/urls.ts";
import type { ApiError } from "../api.ts";
import type { ConsolePage, PageAnswer, Visit } from "../page.ts";
import { Done, Refused } from "../pieces.tsx";
import {
  CheckNow,
  CheckText,
  CheckedAt,
  CheckedVersions,
  type Finding,
  FindingItem,
  changeFindings,
  failureFindings,
  ownChecks,
} from "./health.tsx";
import { NowHealth } from "./now.tsx";
import { nowScript } from "./now-script.ts";
import { overviewWords } from "./overview-words.ts";

const groups = [
  ["fix", "bad"],
  ["note", "mind"],
  ["good", "ok"],
] as const;

type GroupProps = {
  readonly title: string;
  readonly of: "bad" | "mind" | "ok";
  readonly findings: readonly Finding[];
  readonly checks: readonly DoctorCheck[];
};

const Group = ({ title, of, findings, checks }: GroupProps) =>
  findings.length + checks.length === 0 ? null : (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <ul class="findings">
        {findings.map(({ says }) => (
          <FindingItem of={of}>{says}</FindingItem>
        ))}
        {checks.map((said) => (
          <FindingItem of={of}>
            <CheckText {...said} />
          </FindingItem>
        ))}
      </ul>
    </section>
  );

async function renderHealth(visit: Visit, failure?: ApiError): Promise<PageAnswer> {
  const [{ health: own }, outcomes, diagnosis] = await Promise.all([
    visit.api.read(paths.admin.overview),
    visit.api.read(paths.admin.outcomes),
    visit.api.read(paths.admin.doctor),
  ]);
  const texts = overviewWords[visit.language];
  const { health } = texts;
  const { at, checks } = diagnosis;
  const all = [...ownChecks(own.issues, checks), ...checks];
  const changes = changeFindings({ visit, texts }, diagnosis);
  const findings = [...failureFindings({ visit, texts }, own.failures), ...changes];
  const isStale = changes.length > 0;
  return {
    kind: "page",
    title: health.title,
    script: nowScript,
    ...(failure === undefined ? {} : { status: 422 }),
    body: () => (
      <>
        <div class="head">
          <h1>{health.title}</h1>
          <CheckedAt visit={visit} texts={texts} diagnosis={diagnosis} />
        </div>
        {failure === undefined ? null : <Refused failure={failure} />}
        <Done visit={visit} texts={{ checked: health.done }} />
        {at !== null && findings.length === 0 && all.every((each) => each.state === "good") ? <p>{health.fine}</p> : null}
        <NowHealth visit={visit} outcomes={outcomes} />
        {groups.map(([state, of]) => (
          <Group
            title={isStale && state === "good" ? health.passedBefore : health.groups[state]}
            of={of}
            findings={findings.filter((each) => each.of === of)}
            checks={all.filter((each) => each.state === state)}
          />
        ))}
        <CheckedVersions visit={visit} texts={texts} diagnosis={diagnosis} />
        <CheckNow visit={visit} texts={texts} isAgain={at !== null} />
        <p>
          <a href={visit.at("")}>{health.back}</a>
        </p>
      </>
    ),
  };
}

async function check(visit: Visit): Promise<PageAnswer> {
  const asked = await visit.api.send("POST", paths.admin.doctor);
  return asked.ok ? { kind: "redirect", to: visit.at("health", { done: "checked" }) } : renderHealth(visit, asked.error);
}

export const healthPage: ConsolePage = { path: "health", get: (visit) => renderHealth(visit), post: check };
