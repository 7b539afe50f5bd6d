// A call that its caller sends itself, through the relay, once its review allows that. The caller
// that waits claims the approval, which is committed before anything is sent, and reports what came
// of the call. A caller that leaves in between has lost it: the call may have run, and is not sent
// again. One that makes the call elsewhere leaves, and brings the result in time.

import type { RecordFact } from "../../../../shared/record/record.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { ProviderError, Took } from "../../../../shared/model/call.ts";
import { isToolCall } from "../../../../shared/model/subject/subject.ts";
import { type ToolCall, toolName } from "../../../../shared/model/subject/tool-call.ts";
import { findRisks, highestRisk } from "../../../../shared/policy/risk.ts";
import { cancelledError, errorOfStatus, outcomeUnknownError } from "../../../../shared/provider/provider-error.ts";
import { isCurrentCall, isReleased, isUnclaimed } from "../../../../shared/run/lifecycle.ts";
import { maskedReply, mayMaskReply } from "../../../../shared/run/masked-reply.ts";
import { type RequestRef, nothingSpent, redactedFacts, requestDigest } from "../../../../shared/run/run-input.ts";
import { approvedRequest } from "../../../../shared/run/run-outcome.ts";
import { ranFact, returnedFact } from "../../../../shared/run/run-record.ts";
import { mayReviewReply } from "../../../../shared/run/stages.ts";
import { plainResult } from "../../../media/plain-reply.ts";
import { notStopped } from "../../../pipeline/spend/spending.ts";
import type { Claim, Returned, UnsentWhy } from "../../../stubs/run-calls.ts";
import { requestorGraceMs } from "../begin/run-requestor.ts";
import { currentRequest, receiptFactsOf } from "../deliver/run-account.ts";
import { type CurrentRun, type RunDeps, cancelRun } from "../run-deps.ts";
import { keyEndOf } from "./run-key.ts";
import { stoppableCall } from "./tool-stop.ts";

type Claimed = Extract<Claim, { readonly kind: "claimed" }>;

/** A tool's result that is brought later is not waited for. */
const bringMs = 3_600_000;

export class RunRelease {
  readonly #deps: RunDeps;

  constructor(deps: RunDeps) {
    this.#deps = deps;
  }

  /** The approved call, for the caller that waits now: once. */
  async claim(requestRef: RequestRef, brings: boolean): Promise<JsonOf<Claim>> {
    await this.#endWhereStopped();
    return jsonOf(this.#claimNow(requestRef, brings));
  }

  /**
   * The call that was claimed, for the run that sends it and goes on after a reset; null where it
   * may not go on.
   */
  async again(): Promise<Claimed | null> {
    await this.#endWhereStopped();
    const current = this.#deps.current();
    const call = current?.state.call?.number;
    if (current === null || call === undefined || !isReleased(current.state)) return null;
    const request = this.#approved(current);
    return request === null ? null : this.#claimed(current, call, request);
  }

  /** Ends the run where its key has ended, or an operator stopped such calls. */
  async #endWhereStopped(): Promise<void> {
    const asked = this.#deps.current();
    if (asked === null || asked.state.end !== null) return;
    const { env, waitUntil, now } = this.#deps;
    const { key, requestor } = asked.input;
    const keyEnd = await keyEndOf(env, asked.input, now());
    if (keyEnd !== null) cancelRun(this.#deps, keyEnd);
    const permitted = await notStopped({
      env,
      ctx: { waitUntil },
      key,
      server: requestor.server,
      call: stoppableCall(this.#deps.store, asked.input),
    });
    if (!permitted.ok && permitted.error.detail === "unverified") throw new Error("it is not known whether calls are stopped");
    if (!permitted.ok) cancelRun(this.#deps, "stopped");
  }

  /** Synchronous from the first read to the last write. */
  #claimNow(requestRef: RequestRef, brings: boolean): Claim {
    const current = this.#deps.current();
    if (current === null || current.state.end !== null) return { kind: "ended" };
    const { input, state } = current;
    const isHolder = isSameRef(input.requestRef, requestRef);
    const keepsResult = keepsResultOf(current);
    // One that brings the result may have lost the answer, and asks again with the same id.
    const isAgain = brings && isReleased(state);
    if (isReleased(state) && isHolder && keepsResult && !brings) return { kind: "running" };
    const call = state.call?.number;
    const request = isHolder && (isUnclaimed(state) || isAgain) ? this.#approved(current) : null;
    if (request === null || call === undefined) return { kind: "taken" };
    const now = this.#deps.now();
    if (!isAgain)
      this.#deps.store.transaction(() => {
        if (brings) {
          // As of a task: no window shows whether its caller is still there.
          this.#deps.store.writeInput({ ...input, mode: "task" });
          this.#deps.store.schedule.drop("requestor");
          this.#deps.store.schedule.set("claim", now + bringMs);
        } else {
          this.#deps.store.schedule.drop("claim");
          // A claim that comes without its caller's window is lost as one whose window closes.
          this.#deps.store.markRequestor(false);
          if (input.mode === "sync") this.#deps.store.schedule.set("requestor", now + requestorGraceMs);
        }
        if (input.sentDigest !== undefined) this.#deps.store.outbox.queue("index", "index", null, now);
        this.#deps.apply({ kind: "claimed", call }, now, [
          { kind: "called", call, models: [], digest: state.content.digest, again: false },
        ]);
      });
    return this.#claimed({ ...current, state: this.#deps.store.state() ?? state }, call, request);
  }

  /** The call that was approved; null where there is none. */
  #approved({ input, state }: CurrentRun): ToolCall | null {
    const content = currentRequest(this.#deps.store, state);
    if (content === null || !isToolCall(content.request)) return null;
    // What is sent is what was approved, or nothing.
    if (requestDigest(content, input.work) !== state.content.digest) throw new Error("a released call other than the approved one");
    return content.request;
  }

  /** As it is sent. `claimed`: the run once it is: its receipt says that the call goes out. */
  #claimed(claimed: CurrentRun, call: number, request: ToolCall): Claimed {
    const { input, state } = claimed;
    const receipt = receiptFactsOf(this.#deps.store, state, input);
    if (receipt === null) throw new Error("a claimed call without its content");
    const approved = approvedRequest(input, request, state.reviews.request);
    return { kind: "claimed", call, approved, keepsResult: keepsResultOf(claimed), receipt };
  }

  /**
   * What came of the call that was claimed. `response`: as a task's client gets it, where nobody
   * reviews it.
   */
  async returned(known: number | null, text: JsonOf<Returned>, response: string | null = null): Promise<void> {
    const returned = readJsonOf(text);
    const keep = (): void => (response === null ? undefined : this.#deps.store.writePassed(response));
    const current = this.#deps.current();
    const call = known ?? current?.state.call?.number ?? 0;
    const content = current === null ? null : currentRequest(this.#deps.store, current.state);
    if (current === null || content === null || !isToolCall(content.request)) return;
    const { request } = content;
    const { took } = returned;
    const attempt = { model: toolName(request), provider: request.server, at: took.at };
    const failed = (fault: ProviderError): void =>
      this.#apply(
        current,
        { kind: "callFailed", call },
        { kind: "callFailed", call, attempts: [{ ...attempt, ...took, fault }] },
        [],
        keep,
      );
    if (returned.kind === "failed") return failed(returned.fault);
    const facts = { candidate: attempt.model, usage: nothingSpent, notes: [] };
    if (returned.kind === "passed") {
      // What was not kept cannot be reviewed any more.
      if (keepsResultOf(current)) return failed(outcomeUnknownError);
      const fact = returnedFact(call, request, returned);
      const write = (): void => (this.#deps.store.writeModelFacts(facts), keep());
      return this.#apply(current, { kind: "generated", call, replyDigest: fact.digest, risk: "none" }, fact, [], write);
    }
    const { result: plain, ...images } = await plainResult(this.#deps.env, returned.result);
    // Of two results that are brought, the first counts.
    if (known === null && this.#deps.store.replyVersion(1) !== null) return;
    const masked = maskedReply(current.input, request, { reply: plain, usage: nothingSpent }, attempt);
    const [fault] = masked.ok ? [] : masked.error;
    if (!masked.ok) return failed(fault?.fault ?? outcomeUnknownError);
    const { value: result, redaction } = masked.value;
    const risks = findRisks(result);
    const fact = ranFact(
      call,
      request,
      { result, notes: [], took, ...images },
      risks.map(({ kind }) => kind),
    );
    const event = { kind: "generated", call, replyDigest: fact.digest, risk: highestRisk(risks) } as const;
    this.#apply(current, event, fact, redactedFacts("response", redaction), () => {
      this.#deps.store.writeReplyVersion(1, result, null, this.#deps.now());
      if (redaction !== null) this.#deps.store.writeRedaction("response", redaction);
      this.#deps.store.writeModelFacts(facts);
    });
  }

  /**
   * The claimed call was not sent, or its server refused the login before it did anything: the
   * approval is good again, for as long as it would have been.
   */
  unsent(call: number, took: Took, why: UnsentWhy): void {
    const current = this.#deps.current();
    if (current === null) return;
    const { input, state } = current;
    const { requestor, gatePolicy, createdAt } = input;
    const attempt = {
      model: toolName({ server: requestor.server, tool: requestor.name }),
      provider: requestor.server,
      ...took,
      fault: why === "login" ? errorOfStatus(401) : cancelledError,
    };
    const fact: RecordFact = { kind: "callFailed", call, attempts: [attempt] };
    if (!isCurrentCall(state, call)) {
      this.#deps.record(this.#deps.now(), [fact]);
      return this.#deps.flush();
    }
    this.#deps.store.transaction(() => {
      const since = state.reviews.request?.closing?.at ?? createdAt;
      this.#deps.store.schedule.set("claim", since + gatePolicy.deadlineSeconds * 1000);
      this.#deps.apply({ kind: "unsent", call }, this.#deps.now(), [fact]);
    });
  }

  /** No caller is connected: a call that was claimed is lost with its caller. */
  lost(): void {
    const current = this.#deps.current();
    const call = current?.state.call;
    if (current === null || call === null || call === undefined || !isReleased(current.state)) return;
    const { requestor } = current.input;
    const at = call.startedAt ?? this.#deps.now();
    const attempt = {
      model: toolName({ server: requestor.server, tool: requestor.name }),
      provider: requestor.server,
      at,
      durationMs: this.#deps.now() - at,
      fault: outcomeUnknownError,
    };
    this.#apply(current, { kind: "callLost", call: call.number }, { kind: "callFailed", call: call.number, attempts: [attempt] }, []);
  }

  #apply(
    { state: before }: CurrentRun,
    event: Extract<Parameters<RunDeps["apply"]>[0], { readonly call: number }>,
    fact: RecordFact,
    more: readonly RecordFact[],
    write: () => void = () => {},
  ): void {
    const now = this.#deps.now();
    if (!isCurrentCall(this.#deps.store.state() ?? before, event.call)) {
      // Cancelled or lost meanwhile: what became of it is in the record all the same.
      this.#deps.record(now, [fact]);
      return this.#deps.flush();
    }
    this.#deps.store.transaction(() => {
      this.#deps.store.schedule.drop("claim");
      write();
      if (fact.kind === "callFailed")
        this.#deps.store.writeModelFacts({ candidate: null, usage: nothingSpent, notes: [], attempts: fact.attempts });
      this.#deps.apply(event, now, [fact, ...more]);
    });
  }
}

/** Whether the call's result is reviewed or masked, so that the run has to have it. */
export const keepsResultOf = ({ input, state }: CurrentRun): boolean => mayReviewReply(state.stages) || mayMaskReply(input);

export const isSameRef = (one: RequestRef, other: RequestRef): boolean =>
  one.session === other.session && one.originating === other.originating && one.request === other.request;
