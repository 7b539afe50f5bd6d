// All that the doctor found, and the button that asks it again. Asking is recorded, and asks providers, channels and servers; looking does not.

import type { ApiError } from "../api.ts";
import type { ConsolePage, Shown, Visit } from "../page.ts";
import { Note, Refused } from "../pieces.tsx";
import { CheckNow, CheckText, CheckedAt, FindingItem, ownChecks } from "./health.tsx";
import type { Check, Diagnosis, Overview } from "./overview-api.ts";
import { overviewWords } from "./overview-words.ts";

const groups = [
  ["fix", "bad"],
  ["note", "mind"],
  ["good", "ok"],
] as const;

const Group = ({ title, of, checks }: { title: string; of: "bad" | "mind" | "ok"; checks: readonly Check[] }) =>
  checks.length === 0 ? null : (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <ul class="findings">
        {checks.map(({ check, text }) => (
          <FindingItem of={of}>
            <CheckText check={check} text={text} />
          </FindingItem>
        ))}
      </ul>
    </section>
  );

async function healthShown(visit: Visit, failure?: ApiError): Promise<Shown> {
  const [{ health: own }, { at, checks }] = await Promise.all([
    visit.api.read<Pick<Overview, "health">>("/admin/overview"),
    visit.api.read<Diagnosis>("/admin/doctor"),
  ]);
  const texts = overviewWords[visit.language];
  const { health } = texts;
  const all = [...ownChecks(own.problems, checks), ...checks];
  return {
    kind: "page",
    title: health.title,
    ...(failure === undefined ? {} : { status: 422 }),
    body: () => (
      <>
        <div class="head">
          <h1>{health.title}</h1>
          <CheckedAt visit={visit} texts={texts} at={at} />
        </div>
        {failure === undefined ? null : <Refused failure={failure} />}
        {visit.query.get("done") === "checked" ? <Note of="ok">{health.done}</Note> : null}
        {all.every((each) => each.state === "good") ? <p>{health.fine}</p> : null}
        {groups.map(([state, of]) => (
          <Group title={health.groups[state]} of={of} checks={all.filter((each) => each.state === state)} />
        ))}
        <CheckNow visit={visit} texts={texts} />
        <p>
          <a href={visit.at("")}>{health.back}</a>
        </p>
      </>
    ),
  };
}

async function check(visit: Visit): Promise<Shown> {
  const asked = await visit.api.send("POST", "/admin/doctor");
  return asked.ok ? { kind: "redirect", to: visit.at("health", { done: "checked" }) } : healthShown(visit, asked.error);
}

export const healthPage: ConsolePage = { path: "health", get: (visit) => healthShown(visit), post: check };
