// Slack's interactions: a member presses a button of ours or submits a modal. It answers at once
// and never waits for Slack's own API: the RunObject decides, and messages go through its outbox.

import { jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import { Hono } from "hono";
import { digestOf } from "../../shared/encoding.ts";
import { longestReason, plainLineEnds } from "../../shared/review/form.ts";
import type { PressWords } from "../../shared/channels/press-words.ts";
import { type SlackReference, parseSlackReference, slackReference } from "../../shared/channels/slack/slack-reference.ts";
import { isSignedBySlack } from "../../shared/channels/slack/slack-signature.ts";
import { editsFrom, inputAction, reasonBlock, stopBlock } from "../../shared/channels/slack/slack-submission.ts";
import { languageFor } from "../../shared/channels/words/languages.ts";
import type { KnownBy } from "../../shared/receipt/known.ts";
import { runIdOf } from "../../shared/sealed-id.ts";
import { callSlack } from "../channels/slack/api.ts";
import { type SlackPress, type SlackSubmission, parseInteraction } from "../channels/slack/interaction.ts";
import { type SlackApp, slackSettings } from "../channels/slack/slack-settings.ts";
import { type Deciding, permissionOf } from "../channels/slack/press-permission.ts";
import { isolateMap } from "../platform/isolate.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { runStub } from "../stubs/stubs.ts";
import type { RunCalls, DecideAnswer, PressTarget, Submission } from "../stubs/run-calls.ts";
import { readBytes } from "../http/body.ts";
import { settingsOf } from "../platform/settings.ts";
import { paths } from "../platform/urls.ts";
import type { App, AppContext } from "./app-context.ts";
import { inHeader, asText } from "./openapi/answers.ts";
import { describe } from "./openapi/describe.ts";

const bodyLimitBytes = 1_000_000;
/** A trigger opens one modal, within three seconds of the press. */
const openTimeoutMs = 2_500;

export const slackRoutes = new Hono<App>();

const interactions = describe("slackInteractions", {
  summary: "Takes from Slack what somebody pressed or submitted in a dialog",
  parameters: [
    inHeader("X-Slack-Signature", "v0= and 64 hexadecimal digits, over the timestamp and the body", true),
    inHeader("X-Slack-Request-Timestamp", "Unix seconds, within 300 of now", true),
  ],
  body: { type: "application/x-www-form-urlencoded" },
  200: asText("application/json", "Heard, whatever came of it; empty, or JSON that changes the dialog"),
  400: asText("text/plain", "Signed, and not an interaction"),
  401: asText("text/plain", "Not signed by Slack, or not just now"),
  404: asText("text/plain", "Slack is not set up as an app here"),
  413: asText("text/plain", "Over a megabyte"),
  500: asText("text/plain", "A fault of the gateway, with an id to quote"),
});

slackRoutes.post(paths.slackInteractions, interactions, async (c) => {
  const { settings: app } = slackSettings(c.env);
  if (app?.mode !== "app") return c.text("Slack is not set up here.", 404);
  const body = await readBytes(c.req.raw, bodyLimitBytes);
  if (body === "tooLarge") return c.text("Too large.", 413);
  const signature = c.req.header("X-Slack-Signature") ?? null;
  const timestamp = c.req.header("X-Slack-Request-Timestamp") ?? null;
  const now = Date.now();
  if (signature === null || !isSignedBySlack(app.signingSecret, { signature, timestamp, body }, now))
    return c.text("Not signed by Slack, or not within the last five minutes.", 401);

  const text = new TextDecoder().decode(body);
  const form = new URLSearchParams(text);
  if (form.get("ssl_check") === "1") return c.body(null, 200);
  const interaction = parseInteraction(form.get("payload") ?? "");
  if (interaction === null) return c.text("Not an interaction.", 400);
  if (interaction.type === "other") return c.body(null, 200);
  const heard: Heard = {
    c,
    app,
    words: text,
    once: digestOf("countersign/slack-request/v1", signature),
    isAgain: seenBefore(signature, now),
  };
  return interaction.type === "block_actions" ? answerPress(heard, interaction) : answerSubmission(heard, interaction);
});

slackRoutes.onError((error, c) => {
  const quote = crypto.randomUUID();
  logEvent("request.failed", { quote, error: errorClass(error) });
  // Slack shows the member that the press failed, and the member can press again.
  return c.text(`The gateway failed. Quote ${quote} to the operator of this gateway.`, 500);
});

type Heard = {
  readonly c: AppContext;
  readonly app: SlackApp;
  readonly words: string;
  /** A digest of the signature: each decides once. */
  readonly once: string;
  /**
   * A repeat of a request: it opens no dialog and sends no message. The RunObject sees to it that
   * it decides nothing.
   */
  readonly isAgain: boolean;
};

/** A review that an interaction is about. */
type Review = { readonly run: DurableObjectStub<RunCalls>; readonly target: PressTarget; readonly reference: SlackReference };

async function answerPress(heard: Heard, press: SlackPress): Promise<Response> {
  const { c, app } = heard;
  // Our payloads have one action. A button that only opens a link has no value.
  const review = await reviewOf(c, press.actions.length === 1 ? (press.actions[0]?.value ?? "") : "");
  if (review === null) return c.body(null, 200);
  const permission = permissionOf(app, review.target, review.reference.link, press);
  if (permission.kind === "foreign") return c.body(null, 200);
  if (permission.kind === "mayNot") return tell(heard, review, press, permission.why, false);
  if (isExpired(review)) return tell(heard, review, press, "oldMessage", permission.as.member === null);
  const isPerson = permission.as.member === null;
  switch (review.reference.act) {
    case "approve": {
      const answer = await decide(heard, review, permission.as, { act: "approve", promised: { count: 0 }, edits: [] });
      const words = wordsOf(answer);
      return words === null ? c.body(null, 200) : tell(heard, review, press, words, isPerson && words === "invalidEdit");
    }
    case "deny":
    case "edit": {
      const { view } = review.target;
      if (view.state.kind !== "open" && view.state.kind !== "voted") return tell(heard, review, press, "alreadyDecided", false);
      if (view.version !== review.reference.version || view.digest !== review.reference.digest)
        return tell(heard, review, press, "stale", false);
      return openModal(heard, review, press, review.reference.act, isPerson);
    }
    case "submitDenial":
    case "submitEdit":
      return c.body(null, 200);
    default:
      return review.reference.act satisfies never;
  }
}

/** Opens the dialog after the answer, which does not wait for it. */
async function openModal(heard: Heard, review: Review, press: SlackPress, act: "deny" | "edit", isPerson: boolean): Promise<Response> {
  const { c, app } = heard;
  if (heard.isAgain) return c.body(null, 200);
  const { view, excerpt } = review.target;
  if (act === "edit" && excerpt === "none") return tell(heard, review, press, "openPersonalLink", isPerson);
  const reference = slackReference(settingsOf(c.env).keys, { ...review.reference, act: act === "deny" ? "submitDenial" : "submitEdit" });
  const modal = await c.env.PAGES.channels.slack.renderers.modal(
    { kind: act, view, reference },
    languageFor(review.target.reviewer.language),
  );
  if (modal === null) return tell(heard, review, press, "tooLongToEdit", isPerson);
  const open = async (): Promise<void> => {
    const answer = await callSlack(app, "views.open", { trigger_id: press.trigger_id ?? "", view: modal }, openTimeoutMs);
    if (answer.kind !== "ok") await tell(heard, review, press, "dialogFailed", isPerson);
  };
  c.executionCtx.waitUntil(open());
  return c.body(null, 200);
}

async function answerSubmission(heard: Heard, submission: SlackSubmission): Promise<Response> {
  const { c, app } = heard;
  const review = await reviewOf(c, submission.view.private_metadata);
  if (review === null || (review.reference.act !== "submitDenial" && review.reference.act !== "submitEdit")) {
    return instead(c, "oldMessage", review?.target.reviewer);
  }
  const { reviewer } = review.target;
  const permission = permissionOf(app, review.target, review.reference.link, submission);
  if (permission.kind !== "may") return instead(c, permission.kind === "foreign" ? "notYours" : permission.why, reviewer);
  if (isExpired(review)) return instead(c, "oldMessage", reviewer);

  const values = valuesOf(submission);
  const reason = plainLineEnds(values.get(reasonBlock) ?? "").trim();
  if (reason.length > longestReason) {
    return c.json({
      response_action: "errors",
      errors: await c.env.PAGES.channels.slack.renderers.errors({ kind: "longReason" }, languageFor(reviewer.language)),
    });
  }
  const answer = await decide(
    heard,
    review,
    permission.as,
    review.reference.act === "submitDenial"
      ? { act: values.has(stopBlock) ? "denyStop" : "deny", edits: [], ...(reason === "" ? {} : { reason }) }
      : { act: "approve", promised: "typed", edits: editsFrom(review.target.view, values) },
  );
  const errors =
    answer.kind === "invalidEdit"
      ? await c.env.PAGES.channels.slack.renderers.errors({ ...answer, view: review.target.view }, languageFor(reviewer.language))
      : null;
  if (errors !== null) return c.json({ response_action: "errors", errors });
  const words = wordsOf(answer);
  return words === null ? c.body(null, 200) : instead(c, words, reviewer);
}

/** Replaces the dialog with a sentence. */
async function instead(c: AppContext, said: PressWords, reviewer: PressTarget["reviewer"] | undefined): Promise<Response> {
  const view = await c.env.PAGES.channels.slack.renderers.modal({ kind: "outcome", said }, languageFor(reviewer?.language));
  return c.json({ response_action: "update", view });
}

/** An expired link's buttons do nothing; its page offers a new link. */
const isExpired = ({ target }: Review): boolean => Date.now() >= target.expiresAtSeconds * 1_000;

/** What was typed, by block, and what was chosen; a box that is not checked is left out. */
const valuesOf = ({ view }: SlackSubmission): Map<string, string> =>
  new Map(
    Object.entries(view.state.values).flatMap(([block, inputs]) => {
      const { value, selected_options: chosen } = inputs[inputAction] ?? {};
      if (chosen == null && block !== stopBlock) return [[block, value ?? ""] as const];
      return (chosen ?? []).map((option) => [block, option.value] as const);
    }),
  );

/**
 * The review that a genuine reference names, while its run is kept. A forged reference wakes no
 * object.
 */
async function reviewOf(c: AppContext, text: string): Promise<Review | null> {
  const { keys } = settingsOf(c.env);
  const reference = parseSlackReference(keys, text);
  if (reference === undefined) return null;
  const run = runStub(c.env, runIdOf(keys, reference.runRandom));
  const target = await run.pressTarget("slack", reference.gate, reference.link);
  return target === null ? null : { run, reference, target: readJsonOf(target) };
}

const decide = (
  { once, words }: Heard,
  { run, reference }: Review,
  { link, place, member }: Deciding,
  what: Pick<Submission, "act" | "promised" | "edits" | "reason">,
): Promise<DecideAnswer> => {
  const submission: Submission = { version: reference.version, digest: reference.digest, ...what };
  const known = jsonOf<KnownBy>({ how: "slack" });
  return run.decide({
    gate: reference.gate,
    reviewer: place,
    link,
    once,
    words,
    submission: jsonOf(submission),
    known,
    passkey: null,
    member,
  });
};

/** What the member is told of a decision; null where it counts, or is a repeat. */
function wordsOf(answer: DecideAnswer): PressWords | null {
  switch (answer.kind) {
    case "decided":
    case "repeated":
    case "onceUsed":
      return null;
    case "invalidEdit":
      return "invalidEdit";
    case "noSuchLink":
    case "noGrant":
    case "twoChoices":
    case "cannotLift":
    case "unseenChanges":
    case "cannotRecuse":
    case "needsPasskey":
      return "oldMessage";
    case "verdict":
      switch (answer.verdict.kind) {
        case "closed":
          return "alreadyDecided";
        case "stale":
          return "stale";
        case "late":
          return "late";
        case "notAllowed":
          return answer.verdict.why === "notAReviewer" ? "notYours" : answer.verdict.why;
        default:
          return answer.verdict satisfies never;
      }
    default:
      return answer satisfies never;
  }
}

/** Has the run send the member a private message, and answers Slack now. */
async function tell(
  heard: Heard,
  { run, reference }: Review,
  { user }: SlackPress,
  words: PressWords,
  withLink: boolean,
): Promise<Response> {
  const { gate, link } = reference;
  if (!heard.isAgain) await run.tell({ gate, link, user: user.id, words, withLink });
  return heard.c.body(null, 200);
}

/**
 * The signatures that this isolate has seen, with their times. Slack's are valid for five minutes
 * on either side.
 */
const seen = isolateMap<string, number>();
const mostSeen = 10_000;

function seenBefore(signature: string, now: number): boolean {
  for (const [each, at] of seen) {
    if (now - at <= 600_000 && seen.size <= mostSeen) break;
    seen.delete(each);
  }
  const known = seen.has(signature);
  seen.set(signature, now);
  return known;
}
