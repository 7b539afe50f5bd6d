// A client's call whose connection is held while people decide. Only the approval that this request
// claims lets the call go on. A client that is not held long enough calls again: the same call
// finds its review.

import { type JsonObject, fromUtf8, utf8ToBytes } from "../../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import type { Outcome } from "../../../../shared/model/outcome.ts";
import type { Took } from "../../../../shared/model/call.ts";
import { argumentsJsonOf } from "../../../../shared/model/subject/tool-call.ts";
import { takenNotice, unknownNotice, waitingNotice, withEditedNotice } from "../../../../shared/relay/call-notices.ts";
import type { RunProgress } from "../../../../shared/review/view.ts";
import { callResult } from "../../../../shared/run/relayed-tool-call.ts";
import { within } from "../../../http/keep-alive.ts";
import { type MissingLogin, loginFor } from "../../../mcp-client/ask-upstream.ts";
import { watchKey } from "../../../pipeline/wait/key-watch.ts";
import { awaitRun, isCallerLeft } from "../../../pipeline/wait/wait.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import { settingsOf } from "../../../platform/settings.ts";
import type { Claim, Returned } from "../../../stubs/run-calls.ts";
import { runStub } from "../../../stubs/stubs.ts";
import { loginNotice, refusedForLogin } from "../login-notice.ts";
import { intoCell } from "../into-cell.ts";
import { type CallClient, type Claimed, sendApproved } from "./approved-call.ts";
import { passAnew, responseText } from "./call-answer.ts";
import { type HeldResponse, type HeldSink, heldResponse, responseWith } from "./gateway-response.ts";
import type { ReviewedCall } from "./read-call.ts";
import { cancellationOf, underOwnId } from "./sent-call.ts";
import { comeBack, contentOf, mostTimes } from "./waiting-state.ts";

/** Holds the client while people decide. */
export const held = (read: ReviewedCall, run: string): Response => heldResponse(read, (sink) => new HeldCall(read, run, sink).response());

const toldMs = 5_000;

/** A claimed call that was not sent, or not run. `login`: null where it was withdrawn. */
type Unsent = { readonly call: number; readonly took: Took; readonly login: MissingLogin | null };

/** One request of the client that waits for a run. */
class HeldCall {
  readonly #read: ReviewedCall;
  readonly #run: string;
  readonly #sink: HeldSink;
  readonly #watching = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The state that the run was in last. */
  #state: RunProgress = "waiting";
  #keepsOn = false;

  constructor(read: ReviewedCall, run: string, sink: HeldSink) {
    this.#read = read;
    this.#run = run;
    this.#sink = sink;
  }

  async response(): Promise<HeldResponse> {
    const { env } = this.#read.c;
    const approved = Promise.withResolvers<"approved">();
    // A juror may have taken a part of what its client waits for.
    this.#hold(Date.now() - this.#read.cameAt);
    // Once the call is sent, its result is the run's also where its client leaves.
    this.#sink.left.addEventListener("abort", () => this.#keepsOn || this.#watching.abort("left"), { once: true });
    if (this.#sink.left.aborted) this.#watching.abort("left");
    const outcome = awaitRun(env, this.#run, (state) => this.#reached(state, approved.resolve), this.#watching.signal);
    outcome.catch(() => {});
    try {
      const first = await Promise.race([outcome, approved.promise]);
      return first === "approved" ? await this.#released(outcome) : this.#ended(first, false);
    } catch (error) {
      const { aborted, reason } = this.#watching.signal;
      if (!aborted && !isCallerLeft(error)) throw error;
      // Nobody reads what is said to a client that has left.
      if (reason !== "held") return { response: null };
      // A client of 2026-07-28 comes back by itself.
      return this.#comesBack() ?? this.#says(waitingNotice(this.#run, this.#state === "responseReview" ? "response" : "request"));
    } finally {
      clearTimeout(this.#timer);
    }
  }

  #hold(spentMs = 0): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#watching.abort("held"), Math.max(0, settingsOf(this.#read.c.env).holdMs - spentMs));
  }

  #reached(state: RunProgress, approved: (value: "approved") => void): void {
    if (state === "responseReview" && this.#state !== state) this.#hold();
    this.#state = state;
    this.#sink.say(state);
    if (state === "generating") approved("approved");
  }

  /** Null where its client does not come back with what this attempt had for the server. */
  #comesBack(): HeldResponse | null {
    const { c, relay, id, message, times, isStateless } = this.#read;
    if (!isStateless || times >= mostTimes) return null;
    const call = { id, message, content: contentOf(relay, message.body), times };
    return { response: comeBack(settingsOf(c.env).keys, "review", call) };
  }

  #says(result: JsonObject): HeldResponse {
    return { response: responseWith(this.#read, result) };
  }

  #ended(outcome: Outcome, sent: boolean): HeldResponse {
    const response = responseWith(this.#read, callResult(outcome, this.#run, sent));
    const [before, after] = [argumentsJsonOf(this.#read.call), outcome.kind === "ran" ? argumentsJsonOf(outcome.call) : null];
    if (after === null || after === before) return { response };
    return { response: objectOf(parseJson(fromUtf8(withEditedNotice(utf8ToBytes(JSON.stringify(response)), { before, after })))) };
  }

  /** Claims the approval, sends the call, and reports what came of it. */
  async #released(outcome: Promise<Outcome>): Promise<HeldResponse> {
    const { c, relay, incoming } = this.#read;
    clearTimeout(this.#timer);
    // An approval is not claimed for a client that has left: it finds it when it calls again.
    if (!(await this.#sink.reachesClient())) return { response: null };
    // Nor for one whose login is no longer the one that was shown.
    const login = await loginFor(c.env, relay.server);
    if (login.kind !== "ready") return this.#withoutLogin(login.kind);
    const claim: Claim = readJsonOf(await runStub(c.env, this.#run).claim(incoming.association.requestRef));
    switch (claim.kind) {
      case "taken":
        return this.#says(takenNotice(this.#run));
      case "ended":
        return this.#ended(await outcome, false);
      case "running":
        this.#hold();
        return this.#ended(await outcome, true);
      case "claimed":
        return this.#sent(claim, outcome);
      default:
        return claim satisfies never;
    }
  }

  async #sent(claim: Claimed, outcome: Promise<Outcome>): Promise<HeldResponse> {
    const { c, relay, sharesIds } = this.#read;
    const { keepsResult } = claim;
    const message = keepsResult && sharesIds ? underOwnId(this.#read.message) : this.#read.message;
    const at = Date.now();
    // Until it is sent, the run keeps the approval of a client that leaves.
    this.#keepsOn = true;
    const watch = watchKey(c.env, c.var.key);
    const over = keepsResult ? watch.over : AbortSignal.any([watch.over, this.#sink.left]);
    try {
      const sending = sendApproved({ ...this.#read, message, relay: { ...relay, over } }, claim, this.#client(keepsResult));
      if (message !== this.#read.message) this.#cancelWith(outcome, sending, objectOf(message.value)?.["id"]);
      const answer = await sending;
      const took = { at, durationMs: Date.now() - at };
      if (answer.kind === "unsent") return await this.#unsent({ call: claim.call, took, login: answer.login }, outcome);
      const { returned, response } = answer;
      await this.#report(claim.call, { ...returned, took });
      if (keepsResult && response === null) return this.#ended(await outcome, true);
      // What its client hears from here the run has to know, or it would tell the same call.
      const ended = await within(outcome, toldMs);
      if (response !== null) return { response: responseText(response, this.#sink) };
      return ended === null ? this.#says(unknownNotice(this.#run)) : this.#ended(ended, true);
    } finally {
      watch.done();
    }
  }

  /** Its server knows the call by another id than its client, and hears that it was cancelled. */
  #cancelWith(outcome: Promise<Outcome>, sending: Promise<unknown>, id: unknown): void {
    const { c, relay } = this.#read;
    const isCancelled = Promise.race([outcome.then(({ kind }) => kind === "cancelled"), sending.then(() => false)]);
    const told = isCancelled.then((is) => (is ? intoCell(c, relay, cancellationOf(id, "The call was cancelled")) : null));
    c.executionCtx.waitUntil(told.then((answer) => answer?.body?.cancel()).catch(() => {}));
  }

  /**
   * Nothing was done. The approval is not spent: it waits for the same call, unless that was
   * withdrawn.
   */
  async #unsent({ call, took, login }: Unsent, outcome: Promise<Outcome>): Promise<HeldResponse> {
    await runStub(this.#read.c.env, this.#run).unsent(call, jsonOf(took), login === null ? "withdrawn" : "login");
    if (this.#sink.left.aborted) this.#watching.abort("left");
    if (login === null) return this.#sink.left.aborted ? { response: null } : this.#ended(await outcome, false);
    return this.#withoutLogin(login, refusedForLogin);
  }

  /**
   * The approval waits for the same attempt, which a client of 2026-07-28 would not make again:
   * after a result it forgets what the server gave it for its next one. So it comes back, and is
   * told to sign in as one that comes without a login is.
   */
  #withoutLogin(login: MissingLogin, became?: string): HeldResponse {
    const { c, relay } = this.#read;
    return (login === "none" ? this.#comesBack() : null) ?? this.#says(loginNotice(c.env, relay, login, became));
  }

  /** It hears the server's messages: as they came, or anew where none may be had a second time. */
  #client(keepsResult: boolean): CallClient {
    return {
      isWithdrawn: async () => {
        const { state } = (await runStub(this.#read.c.env, this.#run).snapshot()) ?? {};
        if (this.#sink.left.aborted || state !== "generating") return true;
        this.#keepsOn = keepsResult;
        return false;
      },
      heard: async (event) => (keepsResult ? passAnew(event, this.#sink) : this.#sink.pass?.(event)),
      // What the server wants to know first is the client's to answer, with a call of its own.
      next: async () => null,
      keepsRound: () => false,
    };
  }

  /** Where this does not reach the run, the call counts as lost when this request ends. */
  async #report(call: number, returned: Returned): Promise<void> {
    try {
      await runStub(this.#read.c.env, this.#run).returned(call, jsonOf(returned));
    } catch (error) {
      logEvent("request.failed", { quote: "", error: errorClass(error) });
    }
  }
}
