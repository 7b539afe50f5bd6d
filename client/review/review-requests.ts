// What a terminal asks of a gateway about reviews: which wait, what one shows, what edits would
// change, and a decision. It uses a review's own link, nonce and form, and leaves to the gateway
// what an edit may be, as the page without its script does.

import { approveAct, editField, formFields } from "../../shared/review/form.ts";
import type { FieldChange } from "../../shared/review/difference.ts";
import type { EditIssue } from "../../shared/review/edit.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { Unasked } from "../subcommand.ts";
import { type Notice, openNotices } from "./notices.ts";

/** A review that waits, with its link. */
type Waiting = Notice & { readonly link: string };

export type OpenReview = {
  readonly link: string;
  readonly view: ReviewView;
  readonly form: { readonly action: string; readonly nonce: string; readonly version: number; readonly digest: string };
  /** When it was read, by `performance.now()`: a form is accepted a second later. */
  readonly readAt: number;
};

/** What edits would change, and the mark by which an approval says that this was shown. */
export type Draft = { readonly edits: ReadonlyMap<string, string>; readonly changes: readonly FieldChange[]; readonly shown: string };

export type Decision =
  | { readonly act: "approve"; readonly draft: Draft | null }
  | { readonly act: "deny" | "denyStop"; readonly reason: string };

/**
 * Why the gateway did not do what a form asked. `why`: the name of the page's sentence. `issues`:
 * what is wrong with the edits.
 */
type Undone = { readonly kind: "undone"; readonly why: string; readonly issues: readonly EditIssue[] };

/** The gateway's answer to a form, in place of its page. */
type FormAnswer = {
  readonly page?: string;
  readonly form?: { readonly shown?: string };
  readonly changes?: readonly FieldChange[];
  readonly problem?: { readonly why: unknown; readonly issues?: readonly EditIssue[] };
  readonly error?: string;
};

const timeoutMs = 30_000;
const soonestMs = 1_100;

/**
 * One link for each review, the oldest first. Links are listed where the gateway has an outbox
 * (`npm start`, or OUTBOX).
 */
export async function waitingReviews(url: string, adminToken: string): Promise<Waiting[]> {
  const notices = await openNotices(url, adminToken).catch((error: unknown) => {
    const told = error instanceof Error && error.message.includes("the gateway answered") ? error.message : "nothing answers there";
    throw new Unasked(`the reviews of ${url} could not be listed (${told}): check the address and ADMIN_TOKEN`);
  });
  const each = new Map<string, Waiting>();
  for (const notice of notices) {
    if (notice.link !== null) each.set(`${notice.run} ${notice.gate} ${notice.reviewer}`, { ...notice, link: notice.link });
  }
  return [...each.values()];
}

/** The review of a link; null where the link opens nothing any more. */
export async function readReview(link: string): Promise<OpenReview | null> {
  const response = await fetch(link, {
    headers: { Accept: "application/json" },
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => {
    throw new Unasked(`nothing answers at ${new URL(link).origin}: check that the gateway is running`);
  });
  const answer = (await response.json().catch(() => null)) as { page?: string; review: ReviewView; form: OpenReview["form"] } | null;
  if (answer?.page === undefined) throw new Unasked(`the gateway answered ${response.status} and no review: try again`);
  return answer.page === "review" ? { link, view: answer.review, form: answer.form, readAt: performance.now() } : null;
}

/** Asks what edits would change. Decides nothing. */
export async function previewEdits(review: OpenReview, edits: ReadonlyMap<string, string>): Promise<Draft | Undone> {
  const fields = formOf(review, "preview");
  for (const [path, text] of edits) fields.set(editField(path), text);
  const { status, answer } = await post(review.link, fields);
  const { changes, form } = answer;
  if (status !== 200 || answer.problem !== undefined || changes === undefined || form?.shown === undefined) return undone(status, answer);
  return { edits, changes, shown: form.shown };
}

/** Posts the form of a review, as its page would. @returns null where it counted. */
export async function postDecision(review: OpenReview, decision: Decision): Promise<Undone | null> {
  const { draft } = decision.act === "approve" ? decision : { draft: null };
  const fields = formOf(review, decision.act === "approve" ? approveAct(draft?.changes.length ?? 0) : decision.act);
  if (decision.act !== "approve") fields.set(formFields.reason, decision.reason);
  if (draft !== null) fields.set(formFields.shown, draft.shown);
  for (const [path, text] of draft?.edits ?? []) fields.set(editField(path), text);
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, soonestMs - (performance.now() - review.readAt))));
  const { status, answer } = await post(review.link, fields);
  return status === 303 ? null : undone(status, answer);
}

const formOf = ({ form }: OpenReview, act: string): URLSearchParams =>
  new URLSearchParams({
    [formFields.nonce]: form.nonce,
    [formFields.version]: String(form.version),
    [formFields.digest]: form.digest,
    [formFields.act]: act,
  });

async function post(link: string, fields: URLSearchParams): Promise<{ readonly status: number; readonly answer: FormAnswer }> {
  const response = await fetch(link, {
    method: "POST",
    body: fields,
    headers: { Accept: "application/json", Origin: new URL(link).origin },
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => {
    throw new Unasked(`nothing answers at ${new URL(link).origin}: check that the gateway is running, and whether the review is decided`);
  });
  return { status: response.status, answer: ((await response.json().catch(() => null)) as FormAnswer | null) ?? {} };
}

function undone(status: number, { problem, error, page }: FormAnswer): Undone {
  const why = problem?.why ?? error ?? page ?? status;
  const said = typeof why === "object" && why !== null ? Object.values(why).join() : String(why);
  return { kind: "undone", why: said, issues: problem?.issues ?? [] };
}
