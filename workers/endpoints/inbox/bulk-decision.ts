// Several reviews on one page, with every message uncut, and one form. Each is decided by itself,
// as if on its own page: with its own version, digest and nonce. Nothing is decided that its reader
// was not shown.

import { jsonOf } from "../../../shared/json/json-of.ts";
import { Hono } from "hono";
import { formFields, longestReason, plainLineEnds } from "../../../shared/review/form.ts";
import { parseReviewKey, reviewKey } from "../../../shared/review/inbox.ts";
import { alikeDigest } from "../../../shared/review/inbox-facts.ts";
import { judgeNonce } from "../../../shared/review/link.ts";
import { mayApprove, mayDecide } from "../../../shared/review/permissions.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { parseRunId } from "../../../shared/sealed-id.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { pathOfUrl, paths } from "../../platform/urls.ts";
import type { DecideAnswer, Submission } from "../../stubs/run-calls.ts";
import { runStub } from "../../stubs/stubs.ts";
import type { DoneOutcome, DoneReview } from "../../ui/inbox/done-page.tsx";
import type { BulkReview } from "../../ui/inbox/bulk-page.tsx";
import type { App, AppContext } from "../app-context.ts";
import { asPage, inQuery, pageRefusals, formRefusals } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { answerFault, isOpening, readView } from "../review/review.ts";
import { type Presented, nonceOf, readForm } from "../review/review-link.ts";
import { type AdmittedReader, admittedReader, presentedTo } from "./admitted.ts";
import type { Reader } from "./reader.ts";

export const bulkRoutes = new Hono<App>();

/**
 * Each costs up to three calls to its run's object, and a request may make 50 calls on the smallest
 * plan.
 */
const mostInBulk = 15;

const everywhere = {
  404: asPage("No PUBLIC_URL is configured"),
  ...pageRefusals,
};

const showBulk = describe("showBulk", {
  summary: `Up to ${mostInBulk} reviews of the signed-in reviewer on one page, each with its whole content`,
  parameters: [inQuery("pick", "The reviews, one parameter for each"), inQuery("do", "deny: the form to deny them is open")],
  200: asPage("The page; for whoever is not signed in, the page to sign in"),
  ...everywhere,
});

type PresentedReview = { readonly presented: Presented; readonly view: ReviewView };

bulkRoutes.get(paths.inboxBulk, showBulk, async (c) => {
  const reader = await admittedReader(c);
  if (reader instanceof Response) return reader;
  const picked = [...new Set(c.req.queries("pick") ?? [])].filter((key) => isReviewKey(reader, key));
  const found = await Promise.all(picked.slice(0, mostInBulk).map((key) => shownReview(c, reader, key)));
  const shown = found.filter((each) => each !== null && mayDecide(each.view) && each.view.subject !== "form") as PresentedReview[]; // no null is left
  const home = pathOfUrl(reader.home);
  const action = `${home}/together`;
  const isDenying = c.req.query("do") === "deny";
  const reviews = shown.map((each): BulkReview => {
    const key = keyOf(each);
    const others = shown.filter((other) => other !== each).map(keyOf);
    const query = new URLSearchParams([...others.map((other) => ["pick", other]), ...(isDenying ? [["do", "deny"]] : [])]);
    return {
      key,
      view: each.view,
      value: valueOf(each),
      path: each.presented.action,
      without: others.length === 0 ? home : `${action}?${query}`,
    };
  });
  const isAlike = new Set(shown.map(({ view }) => alikeDigest(view))).size <= 1;
  const input = {
    action,
    reviews,
    isAlike,
    // A reply that a reviewer wrote is shown on its own page alone, and a passkey is asked there.
    mayApprove: shown.every(({ view }) => mayApprove(view) && (view.written ?? null) === null && view.passkey !== true),
    over: found.length - shown.length,
    most: picked.length > mostInBulk ? mostInBulk : null,
    isDenying,
    reader: reader.person.name,
    inbox: { path: home, count: reader.count },
  };
  return answerPage(c, { kind: "bulk", input }, 200, { language: reader.person.language });
});

const isReviewKey = ({ settings }: Reader, key: string): boolean => parseRunId(settings.keys, parseReviewKey(key)?.run ?? "") !== undefined;

const keyOf = ({ presented: { run, gate } }: PresentedReview): string => reviewKey(run, gate);

async function shownReview(c: AppContext, reader: AdmittedReader, key: string): Promise<PresentedReview | null> {
  const review = parseReviewKey(key);
  const presented = review === undefined ? null : await presentedTo(c, reader, review);
  const view = presented === null ? null : await readView(c, presented, isOpening(c));
  return presented === null || view === null ? null : { presented, view };
}

/** What the form says of one review: which, in which version, with a nonce of its own. */
const valueOf = (shown: PresentedReview): string => {
  const { presented, view } = shown;
  return [keyOf(shown), view.version, view.digest, nonceOf(presented, view.version, view.digest)].join("~");
};

type Posted = { readonly key: string; readonly version: number; readonly digest: string; readonly nonce: string; readonly text: string };

function parseValue(reader: Reader, text: string): Posted | undefined {
  const [, key = "", version = "", digest = "", nonce = ""] =
    /^([a-z]+:[A-Za-z0-9_-]+)~([1-9][0-9]{0,8})~([A-Za-z0-9_-]{1,100})~([A-Za-z0-9_-]{1,300})$/.exec(text) ?? [];
  return isReviewKey(reader, key) ? { key, version: Number(version), digest, nonce, text } : undefined;
}

const decideBulk = describe("decideBulk", {
  summary: "The form of that page: approves or denies each review that it showed, each by itself",
  body: { type: "application/x-www-form-urlencoded" },
  200: asPage("What came of each"),
  303: { description: "A button that decides nothing: the page again", headers: { Location: "The page" } },
  400: asPage("Not the page's form"),
  403: asPage("From another site, or not signed in"),
  ...everywhere,
  ...formRefusals,
});

bulkRoutes.post(paths.inboxBulk, decideBulk, async (c) => {
  const reader = await admittedReader(c);
  if (reader instanceof Response) return reader;
  const body = await readForm(c, reader, 100_000);
  if (body instanceof Response) return body;
  const fields = new URLSearchParams(body.text);
  const home = pathOfUrl(reader.home);
  const posted = fields.getAll("review").map((text) => parseValue(reader, text));
  const keys = new Set(posted.map((each) => each?.key));
  const acts = fields.getAll(formFields.act);
  const reason = plainLineEnds(fields.get(formFields.reason) ?? "").trim();
  const picked = new Set(fields.getAll("pick").filter((key) => isReviewKey(reader, key)));
  const together = (some: Iterable<string>) => `together?${new URLSearchParams([...some].map((key) => ["pick", key]))}`;
  const isReadable = !posted.includes(undefined) && keys.size === posted.length && posted.length <= mostInBulk && acts.length <= 1;
  if (!isReadable || (posted.length === 0 && picked.size === 0) || reason.length > longestReason) return errorPage(c, "badRequest", 400);
  const [act] = acts;
  // Any other button decides nothing: the page is made again, with what is true by now.
  const isDecision = act === "approve:0" || act === "deny" || act === "denyStop";
  const shown = picked.size > 0 ? picked : posted.flatMap((each) => each?.key ?? []);
  if (!isDecision || posted.length === 0) return c.redirect(`${reader.home}/${together(shown)}`, 303);
  const asked = { act: act === "approve:0" ? "approve" : act, reason } as const;
  const reviews = await Promise.all(posted.flatMap((each) => (each === undefined ? [] : [decideOne(c, reader, each, asked)])));
  const left = [...picked].filter((key) => !keys.has(key));
  const rest = left.length === 0 ? null : { n: left.length, path: `${home}/${together(left)}` };
  const input = { reviews, rest, reader: reader.person.name, inbox: { path: home, count: reader.count } };
  return answerPage(c, { kind: "bulkDone", input }, 200, { language: reader.person.language });
});

type BulkDecision = { readonly act: "approve" | "deny" | "denyStop"; readonly reason: string };

/**
 * One decision, as a press on the review's own page. What fails for one says nothing of the others.
 */
async function decideOne(c: AppContext, reader: AdmittedReader, posted: Posted, asked: BulkDecision): Promise<DoneReview> {
  const review = parseReviewKey(posted.key);
  try {
    const presented = review === undefined ? null : await presentedTo(c, reader, review);
    if (presented === null) return { key: posted.key, path: null, view: null, outcome: "notAllowed" };
    const outcome = await outcomeOf(c, presented, posted, asked);
    return { key: posted.key, path: presented.action, view: await readView(c, presented), outcome };
  } catch (error) {
    logEvent("request.failed", { error: errorClass(error) });
    return { key: posted.key, path: null, view: null, outcome: "failed" };
  }
}

async function outcomeOf(c: AppContext, presented: Presented, posted: Posted, { act, reason }: BulkDecision): Promise<DoneOutcome> {
  const { version, digest, nonce } = posted;
  const judged = judgeNonce(presented.settings.keys, { token: presented.token, version, digest }, nonce, Date.now());
  if (judged !== "good") return judged === "late" ? "lateForm" : judged;
  const submission: Submission = {
    act,
    version,
    digest,
    // The page has no field for a change.
    ...(act === "approve" ? { promised: { count: 0 } } : {}),
    ...(reason === "" || act === "approve" ? {} : { reason }),
    edits: [],
  };
  const decided = await runStub(c.env, presented.run).decide({
    gate: presented.gate,
    reviewer: presented.reviewer,
    link: presented.link,
    once: nonce,
    words: JSON.stringify([posted.text, submission]),
    submission: jsonOf(submission),
    known: jsonOf(presented.known),
    passkey: null,
    member: null,
  });
  return wordOf(decided, act);
}

function wordOf(decided: DecideAnswer, act: BulkDecision["act"]): DoneOutcome {
  switch (decided.kind) {
    case "decided":
      return act === "approve" ? "approved" : "denied";
    case "repeated":
      return "repeated";
    case "onceUsed":
      return "sentBefore";
    case "needsPasskey":
      return "needsPasskey";
    case "verdict":
      return decided.verdict.kind;
    case "invalidEdit":
    case "unseenChanges":
    case "twoChoices":
    case "noGrant":
    case "cannotLift":
    case "cannotRecuse":
    case "noSuchLink":
      return "notAllowed";
    default:
      return decided satisfies never;
  }
}

bulkRoutes.all(paths.inboxBulk, (c) => errorPage(c, "badRequest", 405, { Allow: "GET, HEAD, POST" }));
bulkRoutes.onError(answerFault);
