// Why the last form decided nothing, on top of the page: a sentence, and what is wrong with single
// fields.

import type { Gate } from "../../shared/model/gate.ts";
import type { EditIssue } from "../../shared/review/edit.ts";
import { mostGrantUses } from "../../shared/review/form.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import type { Child } from "hono/jsx";
import { fieldsOfForm } from "../../shared/review/form-answer.ts";
import { useWords } from "./language.ts";
import { editErrorWords } from "../../shared/channels/content-words.ts";
import { Plain, PlaceName } from "./outside-text.tsx";
import { controlId } from "./place-id.ts";
import { fillText } from "./sentence.tsx";

type Answers = Words["page"]["answers"];

/**
 * `uncounted`: a decision came too late or from somebody who may not. `giveUp`: a hand-over or a
 * recusal was refused.
 */
export type ProblemWhy =
  | "sentBefore"
  | "stale"
  | "staleChanges"
  | "notAReviewer"
  | "invalidEdit"
  | "cannotBe"
  | "unseenChanges"
  | "twoChoices"
  | "cannotLift"
  | "noGrant"
  | "uses"
  | { readonly nonce: keyof Answers["nonce"] }
  | { readonly passkey: keyof Answers["passkey"] }
  | { readonly uncounted: keyof Words["review"]["uncounted"] }
  | { readonly giveUp: keyof Answers["giveUp"] };

export type Problem = { readonly why: ProblemWhy; readonly issues?: readonly EditIssue[] };

/** `field` is the path of the field, empty for the whole; `message` is a sentence of ours. */
type FieldProblem = { readonly field: string; readonly message: string };

/** The sentence of a problem. */
export function problemTitle(why: ProblemWhy, gate: Gate, { page: { answers }, review }: Words): string {
  if (typeof why !== "string") {
    if ("nonce" in why) return answers.nonce[why.nonce];
    if ("passkey" in why) return answers.passkey[why.passkey];
    return "giveUp" in why ? answers.giveUp[why.giveUp] : review.uncounted[why.uncounted];
  }
  if (why === "cannotBe") return answers.cannotBe[gate];
  return why === "noGrant" || why === "uses" ? answers[why].title : answers[why];
}

/** What is wrong with each field. */
export function fieldProblems({ why, issues = [] }: Problem, words: Words): FieldProblem[] {
  const { answers } = words.page;
  if (why === "noGrant") return [{ field: "", message: answers.noGrant.message }];
  if (why === "uses") return [{ field: "", message: fillText(answers.uses.message, { most: mostGrantUses }) }];
  return issues.map(({ field, fault }) => ({ field, message: editErrorWords(fault, words) }));
}

/** What a field is called: in a form as its server calls it. */
function fieldNameOf(path: string, { subject, request }: ReviewView): Child {
  const field = subject === "form" ? fieldsOfForm(request).find((each) => each.pointer === path) : undefined;
  return field === undefined ? <PlaceName path={path} kind={request.kind} /> : <Plain value={field.title} />;
}

/** `open`: the review still waits for this reviewer. */
export const ProblemSummary = ({ problem, view, open }: { problem: Problem; view: ReviewView; open: boolean }) => {
  const words = useWords();
  const { page, review } = words;
  const fields = fieldProblems(problem, words);
  return (
    <section class="note bad problem" role="alert" tabindex={-1} id="problem" autofocus>
      <div>
        <h2>{view.subject === "form" && fields.length > 0 ? page.form.invalid : problemTitle(problem.why, view.gate, words)}</h2>
        {open ? <p>{page.problem.still}</p> : null}
        {fields.length === 0 ? null : (
          <ul>
            {fields.map(({ field, message }) =>
              field === "" ? (
                <li>{message}</li>
              ) : (
                <li>
                  <a href={`#${controlId(field)}`}>{fieldNameOf(field, view)}</a>
                  {review.marks.colon}
                  {message}
                </li>
              ),
            )}
          </ul>
        )}
      </div>
    </section>
  );
};
