// The review page and its form. GET and HEAD never decide, set no cookie and write nothing; a decision is one POST.

import { Hono } from "hono";
import { toBase64url } from "../../shared/encoding.ts";
import { applyReplyEdits, applyRequestEdits } from "../../shared/review/edit.ts";
import { replyChanges, requestChanges } from "../../shared/review/difference.ts";
import { type SubmittedForm, parseDecisionForm } from "../../shared/review/form.ts";
import { type LinkClaims, formNonce, judgeNonce, linkId, nonceRandomLength, parseLinkToken } from "../../shared/review/link.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { runIdOf } from "../../shared/sealed-id.ts";
import { errorClass, logEvent } from "../log.ts";
import { runStub } from "../objects/names.ts";
import type { DecideAnswer, Submission } from "../objects/run-contract.ts";
import { readBody } from "../pipeline/body.ts";
import { type Settings, settingsOf } from "../settings.ts";
import { renderNoSuchLinkPage, renderProblemPage } from "../ui/plain-pages.tsx";
import { type ReviewPageInput, renderReviewPage, reviewHeaders } from "../ui/review-page.tsx";
import { paths, reviewFormAction, reviewUrl } from "../urls.ts";
import { isFlooding } from "./auth.ts";
import type { App, AppContext } from "./context.ts";

/** A form repeats every text that may be edited, and URL encoding takes up to nine bytes a character: several times the largest prompt of text. */
const formLimitBytes = 30_000_000;

export const reviewRoutes = new Hono<App>();

reviewRoutes.get(paths.review, async (c) => {
  if (await isFlooding(c)) return problem(c, "tooMany", 429);
  const link = openLink(c);
  const view = link === null ? null : await readView(c, link);
  if (link === null || view === null) return noSuchLink(c);
  return page(c, link, view, {}, 200);
});

reviewRoutes.post(paths.review, async (c) => {
  if (await isFlooding(c)) return problem(c, "tooMany", 429);
  const link = openLink(c);
  if (link === null) return noSuchLink(c);
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header("Content-Type") ?? "")) return problem(c, "wrongType", 415);
  if (!isSameOrigin(c.req.raw.headers, link.settings.publicUrl)) return problem(c, "crossSite", 403);
  const body = await readBody(c.req.raw, formLimitBytes);
  if (body === "tooLarge") return problem(c, "tooLarge", 413);
  if (body === "notUtf8") return problem(c, "badRequest", 400);
  const form = parseDecisionForm(new URLSearchParams(body.text));
  if (!form.ok) return problem(c, "badRequest", 400);
  const view = await readView(c, link);
  if (view === null) return noSuchLink(c);
  return answerForm(c, link, view, form.value, body.text);
});

reviewRoutes.all(paths.review, (c) => problem(c, "badRequest", 405, { Allow: "GET, HEAD, POST" }));

// A person is here, who can do nothing with a JSON-RPC error.
reviewRoutes.onError((error, c) => {
  const quote = crypto.randomUUID();
  logEvent("request.failed", { quote, error: errorClass(error) });
  const cspNonce = freshCspNonce();
  return c.body(renderProblemPage({ problem: "fault", cspNonce, quote }), 500, reviewHeaders(cspNonce));
});

type OpenLink = {
  readonly token: string;
  readonly claims: LinkClaims;
  readonly run: string;
  readonly settings: Settings & { readonly publicUrl: string };
};

/** The link of the request's path where its token is genuine and has not expired: nothing is woken for any other. */
function openLink(c: AppContext): OpenLink | null {
  const settings = settingsOf(c.env);
  const token = c.req.param("token") ?? "";
  const claims = parseLinkToken(settings.keys, token);
  const { publicUrl } = settings;
  if (claims === undefined || publicUrl === undefined || Date.now() >= claims.expiresAtSeconds * 1000) return null;
  return { token, claims, run: runIdOf(settings.keys, claims.runRandom), settings: { ...settings, publicUrl } };
}

async function readView(c: AppContext, { claims, run }: OpenLink): Promise<ReviewView | null> {
  const text = await runStub(c.env, run).view(claims.gate, claims.reviewer, linkId(claims));
  return text === null ? null : (JSON.parse(text) as ReviewView); // written by RunObject.view
}

async function answerForm(c: AppContext, link: OpenLink, view: ReviewView, form: SubmittedForm, body: string): Promise<Response> {
  if (form.act === "preview") return page(c, link, view, preview(view, form), 200);
  const { token, claims, run, settings } = link;
  const nonce = judgeNonce(settings.keys, { token, version: form.version, digest: form.digest }, form.nonce, Date.now());
  if (nonce !== "good") {
    const isStale = form.version !== view.version || form.digest !== view.digest;
    return page(
      c,
      link,
      view,
      { problem: { title: nonceWords[nonce] }, ...(isStale ? {} : { kept: form }) },
      nonce === "forged" ? 403 : 409,
    );
  }
  const { nonce: once, edits, ...asked } = form;
  const submission: Submission = { ...asked, edits: [...edits] };
  const decided = await runStub(c.env, run).decide({
    gate: claims.gate,
    reviewer: claims.reviewer,
    link: linkId(claims),
    once,
    words: body,
    submission: JSON.stringify(submission),
    slackUser: null,
  });
  return afterDecision(c, link, view, form, decided);
}

async function afterDecision(
  c: AppContext,
  link: OpenLink,
  before: ReviewView,
  form: SubmittedForm,
  decided: DecideAnswer,
): Promise<Response> {
  switch (decided.kind) {
    case "decided":
    case "repeated":
      return c.redirect(reviewUrl(link.settings.publicUrl, link.token), 303);
    case "invalidEdit":
      return page(
        c,
        link,
        before,
        { problem: { title: "Some of your changes cannot be sent. Nothing was decided.", fields: decided.faults }, kept: form },
        422,
      );
    case "cannotGiveUp":
      return again(c, link, `The review stays with you (${decided.why}).`, 409);
    case "noGrant":
      return again(c, link, "What was to be allowed in future is not on offer. Nothing was decided.", 409);
    case "onceUsed":
      return again(c, link, "This form was sent before. Nothing more was decided; look at what is here now.", 409);
    case "noSuchLink":
      return noSuchLink(c);
    case "verdict":
      switch (decided.verdict.kind) {
        case "closed":
          return again(c, link, "This was decided before your answer came. Your answer did not count.", 409);
        case "stale":
          return again(
            c,
            link,
            "The content changed while you were reading. This is the new version; please read it before you decide.",
            412,
          );
        case "late":
          return again(c, link, "The deadline has passed. Your answer did not count.", 409);
        case "notAllowed":
          return again(
            c,
            link,
            decided.verdict.why === "ownRequest"
              ? "You may not approve your own request. Somebody else has to."
              : "You are not among the reviewers of this request.",
            403,
          );
        default:
          return decided.verdict satisfies never;
      }
    default:
      return decided satisfies never;
  }
}

const nonceWords = {
  early: "That was quicker than a person reads. Nothing was decided; press the button again when you have read everything.",
  late: "This page was open for more than half an hour. Nothing was decided; your changes are still here. Look again, then decide.",
  forged: "This form was not made for this page. Nothing was decided; look again, then decide.",
} as const;

/** What the reviewer's changes would make of the content, or what is wrong with them. Decides nothing. */
function preview(view: ReviewView, form: SubmittedForm): Partial<ReviewPageInput> {
  if (form.version !== view.version || form.digest !== view.digest) {
    return {
      problem: { title: "The content changed while you were reading. This is the new version; your changes were for the old one." },
    };
  }
  if (view.gate === "response" && view.reply !== null) {
    const applied = applyReplyEdits(view.reply, form.edits);
    if (!applied.ok) return { kept: form, problem: { title: "Some of your changes cannot be delivered.", fields: applied.error } };
    return { kept: form, preview: replyChanges(view.reply, applied.value.value) };
  }
  const applied = applyRequestEdits(view.request, form.edits);
  if (!applied.ok) return { kept: form, problem: { title: "Some of your changes cannot be sent.", fields: applied.error } };
  return { kept: form, preview: requestChanges(view.request, applied.value.value) };
}

/** The page as it stands now, with a word on why nothing was decided. */
async function again(c: AppContext, link: OpenLink, title: string, status: 403 | 409 | 412): Promise<Response> {
  const view = await readView(c, link);
  return view === null ? noSuchLink(c) : page(c, link, view, { problem: { title } }, status);
}

function page(
  c: AppContext,
  { token, settings }: OpenLink,
  view: ReviewView,
  extra: Partial<ReviewPageInput>,
  status: 200 | 403 | 409 | 412 | 422,
): Response {
  const subject = { token, version: view.version, digest: view.digest };
  const nonce = formNonce(settings.keys, subject, Date.now(), crypto.getRandomValues(new Uint8Array(nonceRandomLength)));
  const cspNonce = freshCspNonce();
  const html = renderReviewPage({ view, action: reviewFormAction(settings.publicUrl, token), nonce, cspNonce, ...extra });
  return c.body(html, status, reviewHeaders(cspNonce));
}

/** One page for every token that opens nothing: forged, damaged, revoked or forgotten. */
function noSuchLink(c: AppContext): Response {
  const cspNonce = freshCspNonce();
  return c.body(renderNoSuchLinkPage({ cspNonce }), 404, reviewHeaders(cspNonce));
}

function problem(
  c: AppContext,
  kind: Parameters<typeof renderProblemPage>[0]["problem"],
  status: 400 | 403 | 405 | 413 | 415 | 429,
  headers: Record<string, string> = {},
): Response {
  const cspNonce = freshCspNonce();
  return c.body(renderProblemPage({ problem: kind, cspNonce }), status, { ...reviewHeaders(cspNonce), ...headers });
}

/**
 * Whether a form was sent from our own page: by `Sec-Fetch-Site`, which no page can set, or else by `Origin`. Neither, or
 * `Origin: null`, is a no.
 */
function isSameOrigin(headers: Headers, publicUrl: string): boolean {
  const site = headers.get("Sec-Fetch-Site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("Origin");
  return origin !== null && origin === new URL(publicUrl).origin;
}

const freshCspNonce = (): string => toBase64url(crypto.getRandomValues(new Uint8Array(16)));
