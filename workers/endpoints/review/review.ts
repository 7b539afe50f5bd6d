// The review page, its form, and its live window. GET and HEAD never decide and set no cookie; the
// first GET records that the link was opened. A decision is one POST.

import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { windowHeader, type DecideAnswer, type Submission } from "../../stubs/run-calls.ts";
import { Hono } from "hono";
import { changedReply, changedRequest } from "../../../shared/review/changes.ts";
import type { FieldChange } from "../../../shared/review/difference.ts";
import type { EditIssue } from "../../../shared/review/edit.ts";
import { type SubmittedForm, allowAct, formFields, parseDecisionForm } from "../../../shared/review/form.ts";
import { formAnswerOf } from "../../../shared/review/form-answer.ts";
import { answerChange, writtenReply } from "../../../shared/review/written.ts";
import { judgeNonce } from "../../../shared/review/link.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { type Result, ok } from "../../../shared/result.ts";
import { replyRuleOf } from "../../../shared/run/reply-rule.ts";
import { isSignInSetUp } from "../../channels/sign-in-ways.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { runStub } from "../../stubs/stubs.ts";
import type { KeptGrant } from "../../ui/grant-offer.tsx";
import type { Problem, ProblemWhy } from "../../ui/problem.tsx";
import type { ReviewPageInput } from "../../ui/review-page.tsx";
import { inboxUrl, pathOfUrl, paths } from "../../platform/urls.ts";
import type { App, AppContext } from "../app-context.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { inPath, asPage, pageRefusals, formRefusals } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { followOn, isFollowing } from "./following.ts";
import { confirmationIn } from "./passkey-confirmation.ts";
import { answerExpiredForm, expiredLinkPage } from "./expired-link.ts";
import { type Presented, admittedLink, noSuchLink, nonceOf, originOf, readForm } from "./review-link.ts";

export const reviewRoutes = new Hono<App>();

const linkIsOver = asPage("The link's time is over; a new one can be asked for");
const everywhere = {
  404: asPage("The token opens nothing"),
  ...pageRefusals,
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
  return link.isOver ? expiredLinkPage(c, link) : showPresented(c, link);
});

/** The page. That a person opens it is recorded once. */
export async function showPresented(c: AppContext, link: Presented): Promise<Response> {
  const view = await readView(c, link, isOpening(c));
  return view === null ? noSuchLink(c) : page(c, link, view, {}, 200);
}

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
  422: asPage("Changes, a grant or a reviewer that is not allowed here"),
  ...everywhere,
  ...formRefusals,
  429: asPage("Too many requests from one address, or too many new links"),
});

reviewRoutes.post(paths.review, decideReview, async (c) => {
  const link = await admittedLink(c);
  if (link instanceof Response) return link;
  const body = await readForm(c, link);
  if (body instanceof Response) return body;
  return link.isOver ? answerExpiredForm(c, link, body.text) : answerPresented(c, link, body);
});

/** Answers the page's form, whose sender was checked. */
export async function answerPresented(c: AppContext, link: Presented, body: { readonly text: string }): Promise<Response> {
  const fields = new URLSearchParams(body.text);
  const form = parseDecisionForm(fields);
  const readable = form.ok ? form.value : withoutGrant(fields, form.error.field);
  if (readable === null) return errorPage(c, "badRequest", 400);
  const keep = keeping(readable, fields);
  if (!form.ok) return again(c, link, { why: "uses" }, 422, keep);
  return answerForm(c, { link, form: form.value, keep, body: body.text });
}

reviewRoutes.all(paths.review, (c) => errorPage(c, "badRequest", 405, { Allow: "GET, HEAD, POST" }));

const watchReview = describe("watchReview", {
  summary: "A WebSocket that tells an open page the state of its review, without the content. It decides nothing",
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
  return link.isOver ? noSuchLink(c) : watchPresented(c, link);
});

/** Opens the page's window on its run. */
export async function watchPresented(c: AppContext, presented: Presented): Promise<Response> {
  const { run, gate, reviewer, link, settings } = presented;
  const refusal = await refusedUpgrade(c, settings.publicUrl);
  if (refusal !== null) return refusal;
  const query = new URLSearchParams({ gate, reviewer: String(reviewer), link });
  if (isFollowing(c, presented)) query.set("follows", "yes");
  const opened = await runStub(c.env, run).fetch(`https://run/live?${query}`, {
    headers: { Upgrade: "websocket", [windowHeader]: "page" },
  });
  return opened.status === 404 ? noSuchLink(c) : opened;
}

/** The answer to anything but a WebSocket from a page of ours; null for such a one. */
export async function refusedUpgrade(c: AppContext, publicUrl: string): Promise<Response | null> {
  if (c.req.header("Upgrade")?.toLowerCase() !== "websocket") return c.body(null, 426, { Upgrade: "websocket", Connection: "Upgrade" });
  const origin = c.req.header("Origin");
  return origin !== undefined && origin !== originOf(publicUrl) ? errorPage(c, "crossSite", 403) : null;
}

reviewRoutes.all(paths.reviewLive, (c) => errorPage(c, "badRequest", 405, { Allow: "GET" }));

// A reviewer gets a page, not a JSON-RPC error.
export function answerFault(error: Error, c: AppContext): Promise<Response> {
  const quote = crypto.randomUUID();
  logEvent("request.failed", { quote, error: errorClass(error) });
  return answerPage(c, { kind: "error", input: { error: "fault", quote } }, 500);
}
reviewRoutes.onError(answerFault);

/** Whether a person opens the page: not for a HEAD, nor where a browser prefetches it. */
export const isOpening = (c: AppContext): boolean => c.req.method === "GET" && !/\bprefetch\b/i.test(c.req.header("Sec-Purpose") ?? "");

export async function readView(c: AppContext, presented: Presented, isOpening = false): Promise<ReviewView | null> {
  const { run, gate, reviewer, link } = presented;
  const text = await runStub(c.env, run).view({
    gate,
    reviewer,
    link,
    isOpening,
    isFollowing: isFollowing(c, presented),
    inbox: presented.inbox?.path ?? null,
  });
  return text === null ? null : readJsonOf(text);
}

/** What the reviewer wrote and chose, to show it again. */
type Keeping = { readonly kept: SubmittedForm; readonly keptGrant?: KeptGrant };

function keeping(form: SubmittedForm, fields: URLSearchParams): Keeping {
  const [grant, hours, uses] = [formFields.grant, formFields.grantHours, formFields.grantUses].map((name) => fields.get(name));
  const isAsked = fields.get(formFields.act) === allowAct;
  return { kept: form, ...(grant == null || hours == null || uses == null ? {} : { keptGrant: { grant, hours, uses, isAsked } }) };
}

/**
 * The form without its grant, where only the number of uses, which people type, is unreadable; null
 * for any other field.
 */
function withoutGrant(fields: URLSearchParams, unreadable: string): SubmittedForm | null {
  if (unreadable !== formFields.grantUses) return null;
  const form = parseDecisionForm([...fields].filter(([name]) => name !== formFields.act));
  return form.ok ? form.value : null;
}

type Answering = {
  readonly link: Presented;
  readonly form: SubmittedForm;
  readonly keep: Keeping;
  readonly body: string;
};

async function answerForm(c: AppContext, answering: Answering): Promise<Response> {
  const { link, form, keep, body } = answering;
  if (form.act === "preview") return previewPage(c, answering);
  const { token, run, settings } = link;
  const { nonce } = form;
  const judged = judgeNonce(settings.keys, { token, version: form.version, digest: form.digest }, nonce, Date.now());
  if (judged !== "good") return again(c, link, { why: { nonce: judged } }, judged === "forged" ? 403 : 409, keep);
  const submission = submissionOf(form);
  const passkey = await confirmationIn(c, link, submission, new URLSearchParams(body));
  if (passkey === "late" || passkey === "unreachable")
    return again(c, link, { why: { passkey } }, passkey === "unreachable" ? 503 : 403, keep);
  const decided = await runStub(c.env, run).decide({
    gate: link.gate,
    reviewer: link.reviewer,
    link: link.link,
    once: nonce,
    words: body,
    submission: jsonOf(submission),
    known: jsonOf(link.known),
    // The very same form sent again has a signature that counted before: the run knows the form.
    passkey: passkey === null || passkey === "failed" ? null : jsonOf(passkey),
    member: null,
  });
  if (passkey === "failed" && decided.kind === "needsPasskey") return again(c, link, { why: { passkey } }, 403, keep);
  return afterDecision(c, answering, decided);
}

/** What a form asks for, without its own nonce. */
export const submissionOf = ({ nonce: _nonce, edits, ...rest }: SubmittedForm): Submission => ({ ...rest, edits: [...edits] });

/** The acts after which the browser is led on to the review of the reply. */
const follows: ReadonlySet<SubmittedForm["act"]> = new Set(["approve", "answer", "askModel"]);

async function afterDecision(c: AppContext, { link, form, keep }: Answering, decided: DecideAnswer): Promise<Response> {
  switch (decided.kind) {
    case "decided":
    case "repeated":
      if (follows.has(form.act) && link.gate === "request") followOn(c, link);
      return c.redirect(link.url, 303);
    case "invalidEdit":
      return again(c, link, { why: "invalidEdit", issues: decided.issues }, 422, keep);
    case "unseenChanges":
      return again(c, link, { why: "unseenChanges" }, 409, keep);
    case "twoChoices":
      return again(c, link, { why: "twoChoices" }, 409, keep);
    case "cannotLift":
      return again(c, link, { why: "cannotLift" }, 403, keep);
    case "noGrant":
      return again(c, link, { why: "noGrant" }, 422, keep);
    case "cannotRecuse": {
      const { why, status } = recusalProblems[decided.why];
      return again(c, link, { why }, status, keep);
    }
    case "needsPasskey":
      return again(c, link, { why: { passkey: link.passkeys?.count === 0 ? "none" : "missing" } }, 403, keep);
    case "onceUsed":
      return again(c, link, { why: "sentBefore" }, 409);
    case "noSuchLink":
      return noSuchLink(c);
    case "verdict": {
      const { why, status } = verdictProblems[decided.verdict.kind === "notAllowed" ? decided.verdict.why : decided.verdict.kind];
      return again(c, link, { why }, status);
    }
    default:
      return decided satisfies never;
  }
}

type Refusal = { readonly why: ProblemWhy; readonly status: 403 | 409 | 412 | 422 | 503 };

const verdictProblems = {
  closed: { why: { uncounted: "closed" }, status: 409 },
  stale: { why: "stale", status: 412 },
  late: { why: { uncounted: "late" }, status: 409 },
  ownRequest: { why: { uncounted: "ownRequest" }, status: 403 },
  ownReply: { why: { uncounted: "ownReply" }, status: 403 },
  notAReviewer: { why: "notAReviewer", status: 403 },
  left: { why: { uncounted: "left" }, status: 403 },
} as const satisfies Record<string, Refusal>;

const recusalProblems = {
  notAReviewer: { why: "notAReviewer", status: 403 },
  ownRequest: { why: { giveUp: "ownRequest" }, status: 403 },
  ownReply: { why: { giveUp: "ownReply" }, status: 403 },
  left: { why: { giveUp: "left" }, status: 409 },
  hasApproved: { why: { giveUp: "hasApproved" }, status: 409 },
  isAskedAlready: { why: { giveUp: "isAskedAlready" }, status: 409 },
  noSuchReviewer: { why: { giveUp: "noSuchReviewer" }, status: 422 },
  unreachable: { why: { giveUp: "unreachable" }, status: 422 },
} as const satisfies Record<Extract<DecideAnswer, { kind: "cannotRecuse" }>["why"], Refusal>;

/**
 * The page with the reviewer's changes applied, or with what is wrong with them. Decides nothing.
 */
async function previewPage(c: AppContext, { link, form, keep }: Answering): Promise<Response> {
  const view = await readView(c, link);
  if (view === null) return noSuchLink(c);
  if (!isFor(view, form)) return page(c, link, view, { problem: { why: "staleChanges" } }, 200);
  const pending = pendingChanges(view, form);
  if (pending.ok) return page(c, link, view, { ...keep, preview: true }, 200);
  return page(c, link, view, { ...keep, problem: { why: "cannotBe", issues: pending.error } }, 200);
}

/** Whether a form is for the current content. */
const isFor = (view: ReviewView, form: Pick<SubmittedForm, "version" | "digest">): boolean =>
  form.version === view.version && form.digest === view.digest;

/** What the form would change, computed as the RunObject computes it. */
function pendingChanges(view: ReviewView, form: SubmittedForm): Result<readonly FieldChange[], readonly EditIssue[]> {
  if (view.subject === "form") {
    const answer = formAnswerOf(view.request, form.edits);
    return answer.ok ? ok([]) : answer;
  }
  const changed =
    view.gate === "request"
      ? changedRequest({ request: view.request, models: view.subject === "message" ? view.models.map(({ id }) => id) : [] }, form)
      : view.reply === null
        ? null
        : changedReply(view.reply, form.edits, replyRuleOf(view.request));
  if (changed === null) return ok([]);
  if (!changed.ok) return changed;
  const { changes } = changed.value;
  const { answer } = form;
  if (answer === undefined || view.gate !== "request") return ok(changes);
  const reply = writtenReply(view.request, answer, { model: view.mayWrite?.model ?? "", rule: replyRuleOf(view.request) });
  return reply.ok ? ok([...changes, answerChange(answer)]) : reply;
}

/**
 * The current page, with why nothing was decided. What the reviewer wrote is shown again where it
 * is for the current content.
 */
async function again(c: AppContext, link: Presented, problem: Problem, status: Refusal["status"], keep?: Keeping): Promise<Response> {
  const view = await readView(c, link);
  if (view === null) return noSuchLink(c);
  return page(c, link, view, { problem, ...(keep !== undefined && isFor(view, keep.kept) ? keep : {}) }, status);
}

/**
 * What leads the reader of a page that a token opened to their inbox. The page shows nothing of it.
 */
async function signingIn(c: AppContext, link: Presented, view: ReviewView): Promise<Pick<ReviewPageInput, "inbox">> {
  // Without it the page is whole all the same.
  const isSetUp = (): Promise<boolean> => isSignInSetUp(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work)).catch(() => false);
  const canSignIn = view.hasInbox === true && (await isSetUp());
  return canSignIn ? { inbox: { path: pathOfUrl(inboxUrl(link.settings.publicUrl)), count: null } } : {};
}

/**
 * The page, with what the reviewer wrote before: their edits are shown as changes, and counted on
 * the button.
 */
async function page(
  c: AppContext,
  link: Presented,
  view: ReviewView,
  extra: Partial<ReviewPageInput>,
  status: 200 | Refusal["status"],
): Promise<Response> {
  const pending = extra.kept !== undefined && isFor(view, extra.kept) ? pendingChanges(view, extra.kept) : ok([]);
  const changes = pending.ok ? pending.value : [];
  const { action, inbox, known, language = view.language } = link;
  const nonce = nonceOf(link, view.version, view.digest);
  const who = inbox === null ? await signingIn(c, link, view) : { inbox };
  const passkeys =
    link.passkeys === null || inbox === null ? {} : { passkeys: { count: link.passkeys.count, path: `${inbox.path}/passkeys` } };
  const input = { view, action, nonce, live: `${action}/live`, changes, known, ...who, ...passkeys, ...extra };
  return answerPage(c, { kind: "review", input }, status, {
    language,
  });
}
