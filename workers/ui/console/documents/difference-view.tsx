// The difference between two versions of a document.

import type { Change } from "../../../../shared/review/difference.ts";
import type { DifferenceLine } from "../../../../shared/review/document-difference.ts";
import { useWords } from "../../language.ts";
import { SaidInline } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import { useTexts } from "../page.ts";
import { documentsWords } from "./documents-words.ts";

const Words = ({ change }: { change: Change }) => {
  const { diff } = useTexts(documentsWords);
  if (change.kind === "skipped") return null;
  const text = <SaidInline text={change.text} />;
  if (change.kind === "same") return text;
  const Marked = change.kind === "added" ? "ins" : "del";
  return (
    <Marked>
      <span class="sr">{diff[change.kind]}</span>
      {text}
    </Marked>
  );
};

const signs = { same: " ", removed: "−", added: "+", changed: "±" } as const;

const Line = ({ line }: { line: DifferenceLine }) => {
  const { diff } = useTexts(documentsWords);
  const { page } = useWords();
  if (line.kind === "skipped") return <span class="gap">{fill(page.changes.skipped, { n: line.lines })}</span>;
  if (line.kind === "cut") return <span class="gap">{fill(diff.cut, { n: line.lines.toLocaleString(page.lang) })}</span>;
  return (
    <span class={line.kind}>
      <span class="sign" aria-hidden="true">
        {signs[line.kind]}
      </span>
      {line.kind === "same" ? null : <span class="sr">{diff[line.kind]}</span>}
      {line.kind === "changed" ? line.changes.map((change) => <Words change={change} />) : <SaidInline text={line.text} />}
    </span>
  );
};

/** `label`: what it is the difference of, for those who do not see its heading. */
export const DifferenceView = ({ lines, label }: { lines: readonly DifferenceLine[]; label: string }) => (
  <div class="doc-diff" role="region" aria-label={label} tabindex={0}>
    {lines.map((line) => (
      <Line line={line} />
    ))}
  </div>
);

type CardProps = { readonly title: string; readonly lines: readonly DifferenceLine[]; readonly none: string };

export const DifferenceCard = ({ title, lines, none }: CardProps) => (
  <section class="card stack">
    <h2>{title}</h2>
    <DifferenceOr title={title} lines={lines} none={none} />
  </section>
);

/** `none`: what is said where there is no difference. */
export const DifferenceOr = ({ title, lines, none }: CardProps) =>
  lines.length === 0 ? <p class="soft">{none}</p> : <DifferenceView lines={lines} label={title} />;
