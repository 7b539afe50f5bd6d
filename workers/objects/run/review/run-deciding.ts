// A reviewer's decision, by any channel: it identifies the reviewer by the link, applies the edits,
// and decides the review. Synchronous from the first read to the last write, so that of several
// decisions one counts.

import { readJsonOf } from "../../../../shared/json/json-of.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import { sha256Hex } from "../../../../shared/encoding.ts";
import type { RecordFact } from "../../../../shared/record/record.ts";
import type { Reviewer } from "../../../../shared/policy/evaluate.ts";
import type { Grant } from "../../../../shared/policy/grant.ts";
import { grantFrom, grantedFact } from "../../../../shared/run/granting.ts";
import { isPromised } from "../../../../shared/review/changes.ts";
import type { Answer, AnyReview, Verdict } from "../../../../shared/review/decision.ts";
import type { KnownBy } from "../../../../shared/receipt/known.ts";
import type { PasskeyProof } from "../../../../shared/receipt/passkey-proof.ts";
import { type RunState, type Step, step } from "../../../../shared/run/lifecycle.ts";
import { grantOffer } from "../deliver/run-account.ts";
import type { DecideAnswer, DecideInput, Submission } from "../../../stubs/run-calls.ts";
import { type ToolStop, reachOf, toolStopFrom } from "../../../../shared/policy/stops.ts";
import { isRoom } from "../../../../shared/notice-channels.ts";
import { callIn, queueLastCall } from "../act/last-call.ts";
import { queueStop, stoppableCall } from "../act/tool-stop.ts";
import { type EditedContent, editedContent, liftedContent } from "./run-edit.ts";
import { passkeyFor } from "./passkey-gate.ts";
import type { RunDeps, CurrentRun } from "../run-deps.ts";
import type { ReviewAccess } from "./run-reviewers.ts";

/** A submission with everything that decides on it. `use` marks its nonce as used. */
type DecisionInput = CurrentRun & {
  readonly link: ReviewAccess;
  readonly gate: Gate;
  readonly by: Reviewer;
  readonly submission: Submission;
  readonly member: string | null;
  readonly known: KnownBy;
  readonly passkey: PasskeyProof | null;
  readonly use: () => void;
};

/** A decision that counts, with the step that it makes. */
type Counted = {
  readonly next: Step;
  readonly verdict: Extract<Verdict, { kind: "voted" | "approved" | "denied" | "dismissed" }>;
  readonly edit: EditedContent;
  readonly grant: Grant | null;
  readonly stop: ToolStop | null;
};

/**
 * Whether an approval has changes that its page did not show. Slack's dialog shows each text as it
 * will be sent.
 */
function hasUnseenChanges(edit: EditedContent, { edits, promised = { count: 0 } }: Submission): boolean {
  if (edit.kind !== "same" && edit.kind !== "edited") return false;
  return promised !== "typed" && !isPromised(edit.kind === "edited" ? edit.changes : [], promised, new Map(edits));
}

/** For the answer: the reply that its reviewer wrote. */
const writtenIn = ({ written }: Extract<EditedContent, { kind: "edited" }>): Pick<Answer, "written"> =>
  written === undefined ? {} : { written: { reply: written.reply, risk: written.risk } };

/** The state with the grant that was given, or the stop that was made, with the decision. */
function withMore(state: RunState, gate: Gate, more: Pick<AnyReview, "given" | "stopped">): RunState {
  const review = state.reviews[gate];
  return review === null ? state : { ...state, reviews: { ...state.reviews, [gate]: { ...review, ...more } } };
}

export class RunDeciding {
  readonly #deps: RunDeps;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  /** `RunCalls.decide`. */
  decide(input: DecideInput): DecideAnswer {
    const { gate, once, words } = input;
    const found = this.#deps.reviewers.access(input);
    if (found === null) return { kind: "noSuchLink" };
    const submission = readJsonOf(input.submission);
    const used = this.#deps.store.usedNonce(once);
    // The very same submission again, as a double click sends it, is the same decision.
    if (used !== null) return { kind: used === sha256Hex(words) ? "repeated" : "onceUsed" };
    const passkey = passkeyFor(this.#deps.store, found.input, input, submission);
    if (passkey === "needsPasskey") return { kind: "needsPasskey" };
    const asked: DecisionInput = {
      ...found,
      gate,
      by: found.reviewer,
      submission,
      member: input.member,
      known: readJsonOf(input.known),
      passkey,
      use: () => {
        this.#deps.store.useNonce(once, sha256Hex(words));
        if (passkey !== null) this.#deps.store.useNonce(passkey.signed.nonce, "");
      },
    };
    switch (submission.act) {
      case "approve":
      case "answer":
      case "askModel":
      case "fill":
        return this.#answer(asked, "approve");
      case "deny":
      case "denyStop":
      case "dismiss":
        return this.#answer(asked, submission.act === "dismiss" ? submission.act : "deny");
      case "handOver":
      case "notMine":
        return this.#recuse(asked, submission.act === "handOver" ? (submission.to ?? "") : null);
      case "lift":
        return this.#lift(asked);
      case "undoGrant":
        return this.#undoGrant(asked);
      case "undoStop":
        return this.#undoStop(asked);
      case "preview":
        return { kind: "noSuchLink" };
      default:
        return submission.act satisfies never;
    }
  }

  #answer(asked: DecisionInput, act: Answer["act"]): DecideAnswer {
    const { input, state, link, gate, by, submission, known, passkey } = asked;
    const edit = editedContent(this.#deps.store, input, state, { gate, by, form: submission });
    if (edit.kind === "invalid") return { kind: "invalidEdit", issues: edit.issues };
    if (edit.kind === "twoChoices") return { kind: "twoChoices" };
    // A grant covers the request or reply as it came, never an edited one.
    if (edit.kind === "edited" && submission.grant !== undefined) return { kind: "noGrant" };
    if (hasUnseenChanges(edit, submission)) return { kind: "unseenChanges" };
    const now = this.#deps.now();
    const { version, digest, reason } = submission;
    const answer = {
      act,
      reviewer: by.name,
      channel: link.channel,
      known,
      ...(passkey === null ? {} : { passkey }),
      version,
      digest,
      ...(edit.kind === "edited" ? { editedDigest: edit.digest, ...writtenIn(edit) } : {}),
      ...(reason === undefined ? {} : { reason }),
    };
    const next = step(state, { kind: "answered", gate, answer }, now);
    const { verdict } = next;
    if (verdict === null) throw new Error("an answer without a verdict");
    switch (verdict.kind) {
      case "repeated":
        return { kind: "repeated" };
      case "closed":
      case "stale":
      case "late":
      case "notAllowed":
        return { kind: "verdict", verdict };
      case "voted":
      case "approved":
      case "denied":
      case "dismissed": {
        const grant = act === "approve" ? this.#grantOf(asked, now) : null;
        if (grant === "notOffered") return { kind: "noGrant" };
        const stop = submission.act === "denyStop" ? this.#stopOf(asked, now) : null;
        this.#commitAnswer(asked, { next, verdict, edit, grant, stop }, now);
        return { kind: "decided" };
      }
      default:
        return verdict satisfies never;
    }
  }

  /**
   * Commits a decision that counts: its nonce, edit, grant and next state, with their facts, in one
   * transaction.
   */
  #commitAnswer(
    { link, gate, by, submission, member, known, passkey, use }: DecisionInput,
    { next, verdict, edit, grant, stop }: Counted,
    now: number,
  ): void {
    const who = { gate, by: by.name, channel: link.channel };
    const { version, digest } = verdict.review;
    const facts: RecordFact[] = [];
    this.#deps.store.transaction(() => {
      use();
      if ("edited" in verdict && verdict.edited && edit.kind === "edited") {
        edit.write(version, by.name, now);
        const change = { ...who, version, digestBefore: submission.digest, digestAfter: digest };
        const { written } = edit;
        facts.push(
          written === undefined
            ? { kind: "edited", ...change }
            : { kind: "replyWritten", ...change, reply: written.reply, risks: written.risks },
        );
      }
      const reasonGiven = submission.reason !== undefined;
      facts.push({
        kind: verdict.kind,
        ...who,
        known,
        version,
        digest,
        reasonGiven,
        ...(member === null ? {} : { member }),
        ...(passkey === null ? {} : { passkey }),
      });
      if (grant !== null) {
        facts.push(grantedFact(grant));
        this.#queueGrant(grant, now);
      }
      if (verdict.kind === "denied") this.#deleteDenied(gate);
      if (stop !== null) {
        const { tool, until } = stop;
        facts.push({ kind: "toolStopped", ...who, tool, reach: reachOf(stop), until: new Date(until).toISOString() });
        queueStop(this.#deps.store, stop, false, now);
      }
      if (verdict.kind === "approved" && gate === "request" && callIn(this.#deps.store) !== null) queueLastCall(this.#deps.store, now);
      const more = { ...(grant === null ? {} : { given: grant }), ...(stop === null ? {} : { stopped: { ...stop, liftedAt: null } }) };
      this.#deps.commit({ ...next, state: withMore(next.state, gate, more) }, now, facts);
    });
    this.#deps.flush();
  }

  /**
   * Puts one masked part back: a new version, which nobody has approved. Only for those whom the
   * policy names.
   */
  #lift({ input, state, link, gate, by, submission, use }: DecisionInput): DecideAnswer {
    const { version, digest, lift: mark = 0 } = submission;
    if (input.redaction?.mayLift.includes(by.name) !== true) return { kind: "cannotLift" };
    const form = { ...submission, act: "approve" } as const;
    const edit = editedContent(this.#deps.store, input, state, { gate, by, form });
    // The reviewer's own changes would be lost.
    if (edit.kind === "edited" || edit.kind === "twoChoices") return { kind: "twoChoices" };
    const content = liftedContent(this.#deps.store, input, state, gate, mark);
    if (content === null) return { kind: "cannotLift" };
    const now = this.#deps.now();
    const request = { reviewer: by.name, version, digest, mark, liftedDigest: content.digest };
    const next = step(state, { kind: "lifted", gate, lift: request }, now);
    const { lifting } = next;
    if (lifting === undefined) throw new Error("a lift without a verdict");
    if (lifting.kind !== "lifted") return { kind: "verdict", verdict: lifting };
    const { rule, label } = content.mark;
    const fact: RecordFact = {
      kind: "redactionLifted",
      gate,
      by: by.name,
      channel: link.channel,
      version: lifting.review.version,
      digestBefore: digest,
      digestAfter: content.digest,
      rule,
      label,
    };
    this.#deps.store.transaction(() => {
      use();
      content.write(lifting.review.version, by.name, now);
      this.#deps.commit(next, now, [fact]);
    });
    this.#deps.flush();
    return { kind: "decided" };
  }

  /** What was denied is deleted, a reply that a reviewer wrote as well. */
  #deleteDenied(gate: Gate): void {
    const { store } = this.#deps;
    if (gate === "response") store.deleteReplies();
    else store.deleteWrittenReplies();
  }

  #queueGrant(grant: Grant, now: number): void {
    this.#deps.store.outbox.queue("grant", "grant", JSON.parse(JSON.stringify(grant)), now);
  }

  /** Ends the grant that this reviewer gave here. Again is the same answer. */
  #undoGrant({ state, link, gate, by, use }: DecisionInput): DecideAnswer {
    const given = state.reviews[gate]?.given;
    if (given === undefined || given.by !== by.name) return { kind: "noGrant" };
    if (given.revokedAt !== null) return { kind: "repeated" };
    const now = this.#deps.now();
    const ended = { ...given, revokedAt: now };
    this.#deps.store.transaction(() => {
      use();
      this.#queueGrant(ended, now);
      const fact: RecordFact = { kind: "grantUndone", gate, by: by.name, channel: link.channel, grant: given.id };
      this.#deps.commit({ state: withMore(state, gate, { given: ended }), effects: [], verdict: null }, now, [fact]);
    });
    this.#deps.flush();
    return { kind: "decided" };
  }

  /** The stop that comes with a denial: of the call's session, or of its key where it has none. */
  #stopOf({ input, gate, by }: DecisionInput, now: number): ToolStop | null {
    const call = stoppableCall(this.#deps.store, input);
    if (call === undefined || gate === "response" || isRoom(by)) return null;
    return toolStopFrom({ key: input.key.id, server: input.requestor.server, ...call, by: by.name }, now);
  }

  /** Lets go on what this reviewer stopped here. Again is the same answer. */
  #undoStop({ state, link, gate, by, use }: DecisionInput): DecideAnswer {
    const stopped = state.reviews[gate]?.stopped;
    if (stopped === undefined || stopped.by !== by.name) return { kind: "noGrant" };
    if (stopped.liftedAt !== null) return { kind: "repeated" };
    const now = this.#deps.now();
    const { liftedAt: _at, ...stop } = stopped;
    this.#deps.store.transaction(() => {
      use();
      queueStop(this.#deps.store, stop, true, now);
      const fact: RecordFact = { kind: "toolResumed", gate, by: by.name, channel: link.channel, tool: stop.tool };
      const lifted = withMore(state, gate, { stopped: { ...stop, liftedAt: now } });
      this.#deps.commit({ state: lifted, effects: [], verdict: null }, now, [fact]);
    });
    this.#deps.flush();
    return { kind: "decided" };
  }

  /** The grant that the reviewer gives with an approval; null where they give none. */
  #grantOf({ input, state, gate, by, submission }: DecisionInput, now: number): Grant | null | "notOffered" {
    const { grant } = submission;
    if (grant === undefined) return null;
    const request = this.#deps.store.requestVersion(1)?.request;
    const offer = grantOffer(this.#deps.store, input, state, gate, by);
    if (request === undefined || offer === null || !offer.scopes.includes(grant.scope)) return "notOffered";
    const reply = gate === "response" ? this.#deps.store.replyVersion(1) : null;
    return grantFrom({ input, request, gate, reply, by: by.name }, grant, now);
  }

  /**
   * A reviewer recuses themself: hands the review over to a person whom the plan names and a
   * channel reaches, or declines (`to`: null).
   */
  #recuse({ input, state, link, gate, by, submission: { note }, use }: DecisionInput, to: string | null): DecideAnswer {
    if (to !== null && this.#deps.reviewers.people(input).every(({ name }) => name !== to))
      return { kind: "cannotRecuse", why: "noSuchReviewer" };
    const now = this.#deps.now();
    const recusalAsked = { reviewer: by.name, to, ...(note === undefined ? {} : { note }) };
    const next = step(state, { kind: "recused", gate, recusal: recusalAsked }, now);
    const { recusal } = next;
    if (recusal === undefined) throw new Error("a recusal without a verdict");
    switch (recusal.kind) {
      case "repeated":
        return { kind: "repeated" };
      case "closed":
      case "late":
        return { kind: "verdict", verdict: recusal };
      case "notAllowed":
        return { kind: "cannotRecuse", why: recusal.why };
      case "recused": {
        if (to !== null && !this.#deps.reviewers.handOverCandidates(input).includes(to))
          return { kind: "cannotRecuse", why: "unreachable" };
        const who = { gate, by: by.name, channel: link.channel };
        this.#deps.store.transaction(() => {
          use();
          this.#deps.commit(next, now, [to === null ? { kind: "declined", ...who } : { kind: "handedOver", ...who, to }]);
        });
        this.#deps.flush();
        return { kind: "decided" };
      }
      default:
        return recusal satisfies never;
    }
  }
}
