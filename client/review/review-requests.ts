// What a terminal asks of a gateway about reviews: which wait, what one shows, and a decision. It uses a review's own link, nonce and form.

import { approveAct, editField, formFields } from "../../shared/review/form.ts";
import type { FieldChange } from "../../shared/review/difference.ts";
import type { EditIssue } from "../../shared/review/edit.ts";
import { shownDigest } from "../../shared/review/changes.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { Unasked } from "../cli/subcommand.ts";
import { type Notice, openNotices } from "./notices.ts";

/** A review that waits, with its link. */
export type Waiting = Notice & { readonly link: string };

export type OpenReview = {
  readonly link: string;
  readonly view: ReviewView;
  readonly form: { readonly action: string; readonly nonce: string; readonly version: number; readonly digest: string };
  /** When it was read, by `performance.now()`: a form is accepted a second later. */
  readonly readAt: number;
};

export type Decision =
  | { readonly act: "approve"; readonly edits: ReadonlyMap<string, string>; readonly changes: readonly FieldChange[] }
  | { readonly act: "deny"; readonly reason: string };

/** What came of a decision. `why`: the name of the page's sentence. `issues`: what is wrong with the edits. */
export type Decided =
  | { readonly kind: "decided" }
  | { readonly kind: "undecided"; readonly why: string; readonly issues: readonly EditIssue[] };

/** The gateway's answer to a decision that did not count. */
type Undecided = {
  readonly problem?: { readonly why: unknown; readonly issues?: readonly EditIssue[] };
  readonly error?: string;
  readonly page?: string;
};

const timeoutMs = 30_000;
const soonestMs = 1_100;

/** One link for each review, the oldest first. Links are listed where the gateway has an outbox (`npm start`, or OUTBOX). */
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

/** Posts the form of a review, as its page would. */
export async function postDecision({ link, form, readAt }: OpenReview, decision: Decision): Promise<Decided> {
  const fields = new URLSearchParams({
    [formFields.nonce]: form.nonce,
    [formFields.version]: String(form.version),
    [formFields.digest]: form.digest,
  });
  if (decision.act === "deny") {
    fields.set(formFields.act, "deny");
    fields.set(formFields.reason, decision.reason);
  } else {
    fields.set(formFields.act, approveAct(decision.changes.length));
    fields.set(formFields.shown, shownDigest(decision.changes));
    for (const [path, text] of decision.edits) fields.set(editField(path), text);
  }
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, soonestMs - (performance.now() - readAt))));
  const response = await fetch(link, {
    method: "POST",
    body: fields,
    headers: { Accept: "application/json", Origin: new URL(link).origin },
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status === 303) return { kind: "decided" };
  const answer = (await response.json().catch(() => null)) as Undecided | null;
  const why = answer?.problem?.why ?? answer?.error ?? answer?.page ?? response.status;
  return {
    kind: "undecided",
    why: typeof why === "object" && why !== null ? Object.values(why).join() : String(why),
    issues: answer?.problem?.issues ?? [],
  };
}
