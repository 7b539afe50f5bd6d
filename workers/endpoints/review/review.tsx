// The review page, its form, and its live window. GET and HEAD never decide and set no cookie; the first GET records that the link was
// opened. A decision is one POST.

import { windowHeader, type DecideAnswer, type Submission } from "../../stubs/run-calls.ts";
import { Hono } from "hono";
import { pageWords, reviewWords } from "../../../shared/channels/words/words.ts";
import { changedReply, changedRequest } from "../../../shared/review/changes.ts";
import type { FieldChange } from "../../../shared/review/difference.ts";
import type { EditIssue } from "../../../shared/review/edit.ts";
import { type SubmittedForm, allowAct, formFields, mostGrantUses, parseDecisionForm } from "../../../shared/review/form.ts";
import { judgeNonce, linkId } from "../../../shared/review/link.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { type Result, ok } from "../../../shared/result.ts";
import { replyRuleOf } from "../../../shared/run/reply-rule.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { runStub } from "../../stubs/stubs.ts";
import type { KeptGrant } from "../../ui/grant-offer.tsx";
import { renderErrorPage } from "../../ui/plain-pages.tsx";
import { type FieldProblem, type ReviewPageInput, isLive, renderReviewPage, reviewHeaders } from "../../ui/review-page.tsx";
import { paths, reviewUrl } from "../../platform/urls.ts";
import type { App, AppContext } from "../app-context.ts";
import { inPath, asPage } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerExpiredForm, expiredLinkPage } from "./expired-link.ts";
import {
  type PresentedLink,
  actionOf,
  admittedLink,
  freshCspNonce,
  noSuchLink,
  nonceOf,
  originOf,
  errorPage,
  readForm,
} from "./review-link.ts";

const words = pageWords.answers;

export const reviewRoutes = new Hono<App>();

const linkIsOver = asPage("The link's time is over; a new one can be asked for");
const everywhere = {
  404: asPage("The token opens nothing"),
  429: asPage("Too many requests from one address"),
  500: asPage("A fault of the gateway, with an id to quote"),
};
const parameters = [inPath("token", "The link's token")];

const showReview = describe("showReview", {
  summary: "The review page. GET and HEAD decide nothing; of a GET remains that the link was opened",
  parameters,
  200: asPage("The page"),
  ...everywhere,
  410: linkIsOver,
});

reviewRoutes.get(paths.review, showReview, async (c) => {
  const link = await admittedLink(c);
  if (link instanceof Response) return link;
  if (link.isOver) return expiredLinkPage(c, link);
  const view = await readView(c, link, isOpening(c));
  return view === null ? noSuchLink(c) : page(c, link, view, {}, 200);
});

const decideReview = describe("decideReview", {
  summary: "The page's form: approve, deny, see what changes would do, hand the review over, give it up, or ask for a new link",
  parameters,
  body: { type: "application/x-www-form-urlencoded" },
  200: asPage("A preview; or a new link was sent"),
  303: { description: "Done; the page shows what came of it", headers: { Location: "The page" } },
  400: asPage("Not the page's form"),
  403: asPage("From another site, with a nonce of another form, or by somebody who may not decide"),
  409: asPage("Too early, too late, sent before, or decided by somebody else"),
  410: linkIsOver,
  412: asPage("The content changed; the new version is shown"),
  413: asPage("Too large"),
  415: asPage("Not a form"),
  422: asPage("Changes, a grant or a reviewer that is not allowed here"),
  ...everywhere,
  429: asPage("Too many requests from one address, or too many new links"),
});

reviewRoutes.post(paths.review, decideReview, async (c) => {
  const link = await admittedLink(c);
  if (link instanceof Response) return link;
  const body = await readForm(c, link);
  if (body instanceof Response) return body;
  if (link.isOver) return answerExpiredForm(c, link, body.text);
  const fields = new URLSearchParams(body.text);
  const form = parseDecisionForm(fields);
  const readable = form.ok ? form.value : withoutGrant(fields, form.error.field);
  if (readable === null) return errorPage(c, "badRequest", 400);
  const view = await readView(c, link);
  if (view === null) return noSuchLink(c);
  const keep = keeping(readable, fields);
  if (!form.ok) return page(c, link, view, { ...keep, error: usesError() }, 422);
  return answerForm(c, { link, view, form: form.value, keep, body: body.text });
});

reviewRoutes.all(paths.review, (c) => errorPage(c, "badRequest", 405, { Allow: "GET, HEAD, POST" }));

const watchReview = describe("watchReview", {
  summary: "A WebSocket on which an open page hears how its review stands, without the content. It decides nothing",
  parameters,
  101: "It is told at once how the review stands, and again at each change",
  403: asPage("From a page of another site"),
  ...everywhere,
  426: { description: "Not a WebSocket" },
  503: { description: "Too many pages of this review listen already" },
});

reviewRoutes.get(paths.reviewLive, watchReview, async (c) => {
  const link = await admittedLink(c);
  if (link instanceof Response) return link;
  if (link.isOver) return noSuchLink(c);
  if (c.req.header("Upgrade")?.toLowerCase() !== "websocket") return c.body(null, 426, { Upgrade: "websocket", Connection: "Upgrade" });
  const origin = c.req.header("Origin");
  if (origin !== undefined && origin !== originOf(link.settings.publicUrl)) return errorPage(c, "crossSite", 403);
  const { claims, run } = link;
  const query = new URLSearchParams({ gate: claims.gate, reviewer: String(claims.reviewer), link: linkId(claims) });
  const opened = await runStub(c.env, run).fetch(`https://run/live?${query}`, {
    headers: { Upgrade: "websocket", [windowHeader]: "page" },
  });
  return opened.status === 404 ? noSuchLink(c) : opened;
});

reviewRoutes.all(paths.reviewLive, (c) => errorPage(c, "badRequest", 405, { Allow: "GET" }));

// A reviewer gets a page, not a JSON-RPC error.
reviewRoutes.onError((error, c) => {
  const quote = crypto.randomUUID();
  logEvent("request.failed", { quote, error: errorClass(error) });
  const cspNonce = freshCspNonce();
  return c.body(renderErrorPage({ error: "fault", cspNonce, quote }), 500, reviewHeaders(cspNonce));
});

/** Whether a person opens the page: not for a HEAD, nor where a browser prefetches it. */
const isOpening = (c: AppContext): boolean => c.req.method === "GET" && !/\bprefetch\b/i.test(c.req.header("Sec-Purpose") ?? "");

async function readView(c: AppContext, { claims, run }: PresentedLink, opens = false): Promise<ReviewView | null> {
  const text = await runStub(c.env, run).view(claims.gate, claims.reviewer, linkId(claims), opens);
  return text === null ? null : (JSON.parse(text) as ReviewView); // written by RunObject.view
}

/** What the reviewer wrote and chose, to show it again. */
type Keeping = { readonly kept: SubmittedForm; readonly keptGrant?: KeptGrant };

function keeping(form: SubmittedForm, fields: URLSearchParams): Keeping {
  const [grant, hours, uses] = [formFields.grant, formFields.grantHours, formFields.grantUses].map((name) => fields.get(name));
  const isAsked = fields.get(formFields.act) === allowAct;
  return { kept: form, ...(grant == null || hours == null || uses == null ? {} : { keptGrant: { grant, hours, uses, isAsked } }) };
}

/** The form without its grant, where only the number of uses, which people type, is unreadable; null for any other field. */
function withoutGrant(fields: URLSearchParams, unreadable: string): SubmittedForm | null {
  if (unreadable !== formFields.grantUses) return null;
  const form = parseDecisionForm([...fields].filter(([name]) => name !== formFields.act));
  return form.ok ? form.value : null;
}

const usesError = () => ({ title: words.uses.title, fields: [{ field: "", message: words.uses.message(mostGrantUses) }] });

type Answering = {
  readonly link: PresentedLink;
  readonly view: ReviewView;
  readonly form: SubmittedForm;
  readonly keep: Keeping;
  readonly body: string;
};

async function answerForm(c: AppContext, answering: Answering): Promise<Response> {
  const { link, view, form, keep, body } = answering;
  if (form.act === "preview") return previewPage(c, answering);
  const { token, claims, run, settings } = link;
  const { nonce, edits, ...rest } = form;
  const judged = judgeNonce(settings.keys, { token, version: form.version, digest: form.digest }, nonce, Date.now());
  if (judged !== "good") {
    const status = judged === "forged" ? 403 : 409;
    return page(c, link, view, { error: { title: words.nonce[judged] }, ...(isFor(view, form) ? keep : {}) }, status);
  }
  const submission: Submission = { ...rest, edits: [...edits] };
  const decided = await runStub(c.env, run).decide({
    gate: claims.gate,
    reviewer: claims.reviewer,
    link: linkId(claims),
    once: nonce,
    words: body,
    submission: JSON.stringify(submission),
    member: null,
  });
  return afterDecision(c, answering, decided);
}

async function afterDecision(c: AppContext, { link, view, keep }: Answering, decided: DecideAnswer): Promise<Response> {
  switch (decided.kind) {
    case "decided":
    case "repeated":
      return c.redirect(reviewUrl(link.settings.publicUrl, link.token), 303);
    case "invalidEdit":
      return page(c, link, view, { error: { title: words.invalidEdit, fields: problemsOf(decided.issues) }, ...keep }, 422);
    case "unseenChanges":
      return again(c, link, words.unseenChanges, 409, keep);
    case "noGrant":
      return page(c, link, view, { error: noGrantError, ...keep }, 422);
    case "cannotRecuse": {
      const { title, status } = recusalWords[decided.why];
      return again(c, link, title, status, keep);
    }
    case "onceUsed":
      return again(c, link, words.sentBefore, 409);
    case "noSuchLink":
      return noSuchLink(c);
    case "verdict": {
      const { title, status } = verdictWords[decided.verdict.kind === "notAllowed" ? decided.verdict.why : decided.verdict.kind];
      return again(c, link, title, status);
    }
    default:
      return decided satisfies never;
  }
}

type Words = { readonly title: string; readonly status: 403 | 409 | 412 | 422 };

const verdictWords = {
  closed: { title: reviewWords.uncounted.closed, status: 409 },
  stale: { title: words.stale, status: 412 },
  late: { title: reviewWords.uncounted.late, status: 409 },
  ownRequest: { title: reviewWords.uncounted.ownRequest, status: 403 },
  notAReviewer: { title: words.notAReviewer, status: 403 },
  left: { title: reviewWords.uncounted.left, status: 403 },
} as const satisfies Record<string, Words>;

const recusalWords = {
  notAReviewer: { title: words.notAReviewer, status: 403 },
  ownRequest: { title: words.giveUp.ownRequest, status: 403 },
  left: { title: words.giveUp.left, status: 409 },
  hasApproved: { title: words.giveUp.hasApproved, status: 409 },
  isAskedAlready: { title: words.giveUp.isAskedAlready, status: 409 },
  noSuchReviewer: { title: words.giveUp.noSuchReviewer, status: 422 },
  unreachable: { title: words.giveUp.unreachable, status: 422 },
} as const satisfies Record<Extract<DecideAnswer, { kind: "cannotRecuse" }>["why"], Words>;

const noGrantError = { title: words.noGrant.title, fields: [{ field: "", message: words.noGrant.message }] };

/** The page with the reviewer's changes applied, or with what is wrong with them. Decides nothing. */
function previewPage(c: AppContext, { link, view, form, keep }: Answering): Response {
  if (!isFor(view, form)) {
    return page(c, link, view, { error: { title: words.staleChanges } }, 200);
  }
  const pending = pendingChanges(view, form);
  if (pending.ok) return page(c, link, view, { ...keep, preview: true }, 200);
  return page(c, link, view, { ...keep, error: { title: words.cannotBe[view.gate], fields: problemsOf(pending.error) } }, 200);
}

const problemsOf = (issues: readonly EditIssue[]): FieldProblem[] =>
  issues.map(({ field, fault }) => ({ field, message: reviewWords.editFault(fault) }));

/** Whether a form is for the current content. */
const isFor = (view: ReviewView, form: Pick<SubmittedForm, "version" | "digest">): boolean =>
  form.version === view.version && form.digest === view.digest;

/** What the form would change, computed as the RunObject computes it. */
function pendingChanges(view: ReviewView, form: SubmittedForm): Result<readonly FieldChange[], readonly EditIssue[]> {
  const changed =
    view.gate === "request"
      ? changedRequest({ request: view.request, models: view.models.map(({ id }) => id) }, form)
      : view.reply === null
        ? null
        : changedReply(view.reply, form.edits, replyRuleOf(view.request));
  if (changed === null) return ok([]);
  return changed.ok ? ok(changed.value.changes) : changed;
}

/** The current page, with why nothing was decided. What the reviewer wrote is shown again where it is for the current content. */
async function again(c: AppContext, link: PresentedLink, title: string, status: Words["status"], keep?: Keeping): Promise<Response> {
  const view = await readView(c, link);
  if (view === null) return noSuchLink(c);
  return page(c, link, view, { error: { title }, ...(keep !== undefined && isFor(view, keep.kept) ? keep : {}) }, status);
}

/** The page, with what the reviewer wrote before: their edits are shown as changes, and counted on the button. */
function page(
  c: AppContext,
  link: PresentedLink,
  view: ReviewView,
  extra: Partial<ReviewPageInput>,
  status: 200 | Words["status"],
): Response {
  const cspNonce = freshCspNonce();
  const pending = extra.kept !== undefined && isFor(view, extra.kept) ? pendingChanges(view, extra.kept) : ok([]);
  const changes = pending.ok ? pending.value : [];
  const action = actionOf(link);
  const nonce = nonceOf(link, view.version, view.digest);
  const html = renderReviewPage({ view, action, nonce, cspNonce, live: `${action}/live`, changes, ...extra });
  return c.body(html, status, reviewHeaders(cspNonce, true, isLive(view)));
}
