// Reviews in a terminal: lists those that wait, and reads, edits, approves or denies them.
// `countersign review`, and `npm run review`.

import { createInterface } from "node:readline/promises";
import type { EditIssue } from "../../shared/review/edit.ts";
import { isOpen, reviewFacts, callIn } from "../../shared/review/review-facts.ts";
import { mayApprove, mayDecide } from "../../shared/review/permissions.ts";
import { inEditor } from "./editor.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { type Decision, type Draft, type OpenReview, postDecision, previewEdits, readReview, waitingReviews } from "./review-requests.ts";
import {
  changeLines,
  endedLine,
  editableFields,
  inEnglish,
  isShownWhole,
  keysLine,
  listLine,
  mayApproveHere,
  placeOf,
  reviewLines,
} from "./screen.ts";
import { editErrorWords } from "../../shared/channels/content-words.ts";

const say = (text = ""): void => void process.stdout.write(`${text}\n`);

type Ask = (question: string) => Promise<string>;

const issueLines = (view: ReviewView, issues: readonly EditIssue[]): string[] =>
  issues.map(({ field, fault }) => `${placeOf(view, field)}: ${editErrorWords(fault, inEnglish)}`);

/** Chooses a text, opens it in the editor, and shows what changed. */
async function edit(review: OpenReview, draft: Draft | null, ask: Ask): Promise<Draft | null> {
  const fields = [...editableFields(review.view)];
  for (const [i, [path]] of fields.entries()) say(`${String(i + 1).padStart(3)}  ${placeOf(review.view, path)}`);
  const chosen = fields.length === 1 ? fields[0] : fields[Number(await ask("Which text? ")) - 1];
  if (chosen === undefined) return draft;
  const [path, text] = chosen;
  const saved = inEditor(draft?.edits.get(path) ?? text);
  if (saved === null) {
    say("The editor ended with an error: nothing was changed.");
    return draft;
  }
  const next = await previewEdits(review, new Map([...(draft?.edits ?? []), [path, saved]]));
  if ("kind" in next) {
    for (const issue of issueLines(review.view, next.issues)) say(`That cannot be sent. ${issue}`);
    if (next.issues.length === 0) say(`The gateway does not say what that would change (${next.why}). Read it again.`);
    return draft;
  }
  say(next.changes.length === 0 ? "Nothing is changed." : "Your changes:");
  for (const line of changeLines(review.view, next.changes)) say(line);
  return next;
}

/** What approving means now, as the page's button says it. */
function approveWords({ view }: OpenReview, changes: number): string {
  const { quorum, risks } = reviewFacts(view);
  const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`;
  return [
    "Approve",
    ...(quorum === null ? [] : [`(${quorum.votes + 1} of ${quorum.needed})`]),
    ...(changes === 0 ? [] : [`with ${count(changes, "change")}`]),
    ...(risks.length === 0 ? [] : [`despite ${count(risks.length, "warning")}`]),
  ].join(" ");
}

async function decide(review: OpenReview, draft: Draft | null, act: Decision["act"], ask: Ask): Promise<boolean> {
  if (act === "approve") {
    if (!isShownWhole(review.view)) {
      say(`A terminal cannot show all of it. Open the page to approve it: ${review.link}`);
      return false;
    }
    if ((await ask(`${approveWords(review, draft?.changes.length ?? 0)}? [y/N] `)).trim().toLowerCase() !== "y") return false;
  }
  const isForm = review.view.subject === "form";
  const decision =
    act === "approve" ? ({ act, draft } as const) : ({ act, reason: isForm ? "" : await ask("Reason (optional): ") } as const);
  const undone = await postDecision(review, decision);
  if (undone !== null) {
    for (const issue of issueLines(review.view, undone.issues)) say(`That cannot be sent. ${issue}`);
    say(`Nothing was decided (${undone.why}). Read it again.`);
    return false;
  }
  say(act === "approve" ? "Approved." : isForm ? "Declined." : act === "deny" ? "Denied." : "Denied, and the tool is stopped.");
  return true;
}

/** One review, until it is decided or left. */
async function attend(link: string, ask: Ask): Promise<void> {
  for (;;) {
    const review = await readReview(link);
    if (review === null) return say("This link opens nothing (any more).");
    for (const line of reviewLines(review.view)) say(line);
    say();
    if (!isOpen(review.view.state) || !mayDecide(review.view)) return say(endedLine(review.view));
    if (review.view.subject === "form") say(`Open the page to answer it: ${review.link}`);
    else if (!mayApprove(review.view)) say("You cannot approve this; you can deny it.");
    if ((await attendVersion(review, ask)) === "left") return;
  }
}

/** `again`: it is to be read again. */
async function attendVersion(review: OpenReview, ask: Ask): Promise<"left" | "again"> {
  let draft: Draft | null = null;
  for (;;) {
    const answer = (await ask(`${keysLine(review.view)} > `)).trim().toLowerCase();
    if (answer === "b" || answer === "q") return "left";
    if (answer === "r") return "again";
    if (answer === "e" && mayApproveHere(review.view)) draft = await edit(review, draft, ask);
    if (answer === "a" && mayApproveHere(review.view) && (await decide(review, draft, "approve", ask))) return "left";
    if (answer === "d" && (await decide(review, draft, "deny", ask))) return "left";
    if (answer === "s" && callIn(review.view).mayStop != null && (await decide(review, draft, "denyStop", ask))) return "left";
  }
}

async function list(url: string, adminToken: string, ask: Ask): Promise<void> {
  for (;;) {
    const found = await Promise.all((await waitingReviews(url, adminToken)).map(({ link }) => readReview(link)));
    const reviews = found.filter((review) => review !== null && mayDecide(review.view)).map((review) => review as OpenReview);
    reviews.sort((a, b) => a.view.deadlineAt - b.view.deadlineAt);
    if (reviews.length === 0) say("Nothing waits for a decision.");
    for (const [i, { view }] of reviews.entries()) say(listLine(view, i + 1));
    const answer = (await ask("A number to read one · Enter to look again · q to quit > ")).trim();
    if (answer === "q") return;
    const chosen = reviews[Number(answer) - 1];
    if (chosen !== undefined) await attend(chosen.link, ask);
  }
}

/** Whether an address can be a review's link. */
export const isReviewLink = (link: string): boolean => URL.canParse(link) && new URL(link).pathname.includes("/r/");

/**
 * Shows the review of a link, until it is decided or left. @throws Unasked where the gateway does
 * not answer.
 */
export const reviewLink = (link: string): Promise<void> => inTerminal((ask) => attend(link, ask));

/**
 * Lists the reviews that wait at a gateway, and shows the one that is chosen, until the user quits.
 * @throws Unasked where they cannot be listed.
 */
export const reviewWaiting = (url: string, adminToken: string): Promise<void> => inTerminal((ask) => list(url, adminToken, ask));

async function inTerminal(work: (ask: Ask) => Promise<void>): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<string>((resolve) => {
    lines.once("close", () => resolve("q"));
  });
  try {
    // The end of the input quits, as q does.
    await work((question) => Promise.race([lines.question(question), closed]));
  } finally {
    lines.close();
  }
}
