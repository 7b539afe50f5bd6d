// Which requests a run answers: an identical request of another session may adopt the run, and a
// withdrawn request leaves it.

import { type RunDeps, cancelRun } from "../run-deps.ts";
import { RunWindows } from "../deliver/run-windows.ts";
import type { Adoption } from "../../../stubs/run-calls.ts";
import { type End, type RunState, isReleased } from "../../../../shared/run/lifecycle.ts";
import { closedGates, haveSameReviews, isEdited } from "../../../../shared/run/stages.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import { decidersDigest, adoptedFact, type WaitingServer, type RequestRef } from "../../../../shared/run/run-input.ts";
import { type SeenRisk, highestRisk, findRisks } from "../../../../shared/policy/risk.ts";
import { callersAct } from "../../../../shared/run/work.ts";
import { isSameRef, keepsResultOf } from "../act/run-release.ts";
import type { StoredInput } from "../tables/run-store.ts";
import { requestorGraceMs } from "./run-requestor.ts";
import type { WithdrawCause } from "../../../../shared/model/outcome.ts";

/**
 * For so long after its outcome, a run answers a retry that came after it. OpenAI's SDKs wait for 8
 * seconds at most before they ask again.
 */
export const retriedMs = 60_000;

/** People said no, or nobody decided in time. */
const isDecidedAgainst = ({ kind }: End): boolean => kind === "rejected" || kind === "expired" || kind === "undeliverable";

/**
 * A person denied a call that its caller makes. Where nobody was told, the next identical call is,
 * and the person is not asked again.
 */
export const isDenialOfCall = ({ work }: Pick<StoredInput, "work">, end: End | null): boolean =>
  callersAct(work) !== null && end?.kind === "rejected";

const isApproved = ({ reviews: { request, response } }: RunState): boolean =>
  request?.closing?.how === "approved" || response?.closing?.how === "approved";

export class RunAdoption {
  readonly #deps: RunDeps;
  readonly #windows: RunWindows;
  /** Ends a call whose caller left while its server had it. */
  readonly #callLost: () => void;

  constructor(deps: RunDeps, windows: RunWindows, callLost: () => void) {
    this.#deps = deps;
    this.#windows = windows;
    this.#callLost = callLost;
  }

  adopt({ requestRef, requestor, endpoint, stages, deciders, waiting, isRetry }: Adoption): "refused" | "adopted" | "posts" {
    const current = this.#deps.current();
    if (current === null || current.input.mode === "task") return "refused";
    const { input, state } = current;
    const isRelease = callersAct(input.work) === "release";
    // A call under way is its caller's own, unless that caller left. Then the run has its result,
    // or its outcome is unknown and told now: asked anew, people would approve it a second time.
    // One that ran is answered once: the same call is another one then.
    if (isRelease && isReleased(state)) {
      if (this.#windows.callers() > 0) return "refused";
      if (!keepsResultOf(current)) {
        this.#callLost();
        return this.#answerAgain({ requestor, endpoint, requestRef });
      }
    }
    // What was lifted was lifted for this request alone.
    if (state.reviews.request?.lifted !== undefined || state.reviews.response?.lifted !== undefined) return "refused";
    if (input.mode === "sync" && !isRetry && this.#windows.callers() > 0) return "refused";
    // The run is about to tell the MCP server that waits.
    if (input.mode === "callback" && state.end !== null && this.#deps.store.delivery() === null) return "refused";
    // Where the policy or the grants changed since, the request is reviewed as they are now, unless
    // reviewers have seen as much already.
    const asItIsNow = haveSameReviews(state.stages, stages);
    const risk = state.end === null ? "high" : this.#replyRisk(state); // a reply that does not exist yet may have any risk
    const closed = closedGates(stages, { isEdited: isEdited(state), risk });
    const seen = (gate: Gate): boolean => !closed[gate] || state.reviews[gate] !== null;
    const delivery = this.#deps.store.delivery();
    const isUnheard = isRelease && delivery?.to === 0;
    const isSoonAfter = isRetry && delivery !== null && this.#deps.now() - delivery.at <= retriedMs;
    if (isUnheard && state.end?.kind === "failed") return this.#answerAgain({ requestor, endpoint, requestRef });
    if ((isSoonAfter || isUnheard) && state.end !== null && isDecidedAgainst(state.end))
      return this.#answerAgain({ requestor, endpoint, requestRef });
    if (state.end === null ? !asItIsNow : !seen("request") || !seen("response")) return "refused";
    // Earlier reviews count only where the same people would be asked now.
    if ((closed.request || closed.response) && deciders !== decidersDigest(input.gatePolicy)) return "refused";
    // Where a rule wants a passkey, what was confirmed for one requestor serves no other. A call's
    // decision is claimed once as it is, by the call that was shown.
    if (input.gatePolicy.passkey === true && callersAct(input.work) === null && !isRetry && isApproved(state)) return "refused";
    // A requestor that has yet to open its window, or to open it again after a reset, is not gone.
    if (state.end === null && !isRetry && !this.#deps.store.isRequestorGone()) return "refused";
    const isKept = (state.end?.kind === "completed" && (!isRelease || keepsResultOf(current))) || isDenialOfCall(input, state.end);
    if (state.end !== null && (!isKept || ((!isSoonAfter || isRelease) && (delivery?.to ?? 0) > 0))) return "refused";
    const now = this.#deps.now();
    this.#deps.store.transaction(() => {
      this.#deps.store.addRequestRef(requestRef);
      this.#deps.record(now, [adoptedFact(requestor, endpoint, requestRef)]);
      if (state.end === null) {
        this.#answerTo(isRelease ? { ...input, requestRef } : input, waiting, now);
        this.#deps.store.outbox.queue("adopted", "settle", { ...requestRef }, now);
      } else {
        this.#deps.store.markReceived();
        this.#deps.store.outbox.queue("settle", "settle", null, now);
      }
    });
    this.#deps.flush();
    return state.end === null && waiting !== null ? "posts" : "adopted";
  }

  /** A retry of what people said no to gets that answer: they are not asked again. */
  #answerAgain({ requestor, endpoint, requestRef }: Pick<Adoption, "requestor" | "endpoint" | "requestRef">): "adopted" {
    const now = this.#deps.now();
    this.#deps.store.transaction(() => {
      this.#deps.store.addRequestRef(requestRef);
      this.#deps.store.markReceived();
      this.#deps.record(now, [adoptedFact(requestor, endpoint, requestRef)]);
      this.#deps.store.outbox.queue("settle", "settle", null, now);
    });
    this.#deps.flush();
    return "adopted";
  }

  /** The highest risk of the reply as it would be delivered; `high` where that is not known. */
  #replyRisk(state: RunState): SeenRisk {
    const reply = this.#deps.store.replyVersion(state.reviews.response?.version ?? 1);
    return reply === null ? (this.#deps.store.modelFacts()?.replyRisk ?? "high") : highestRisk(findRisks(reply));
  }

  /**
   * From now on the new requestor waits: an MCP server for its callback, or a caller at a window.
   */
  #answerTo({ waiting: _before, ...input }: StoredInput, waiting: WaitingServer | null, now: number): void {
    this.#deps.store.writeInput(waiting === null ? { ...input, mode: "sync" } : { ...input, mode: "callback", waiting });
    this.#deps.store.markRequestor(false);
    if (waiting === null) this.#deps.store.schedule.set("requestor", now + requestorGraceMs);
  }

  abandon(): boolean {
    const current = this.#deps.current();
    if (current?.input.mode !== "callback") return false;
    if (current.state.end !== null || this.#deps.store.isRequestorGone()) return true;
    this.#deps.store.transaction(() => {
      this.#deps.store.markRequestor(true);
      this.#deps.record(this.#deps.now(), [{ kind: "requestorLeft" }]);
    });
    this.#deps.flush();
    return true;
  }

  withdraw(cause: WithdrawCause, requestRef: RequestRef): "unknown" | "over" | "kept" | "cancelled" {
    const current = this.#deps.current();
    if (current === null) return "unknown";
    const { input, state } = current;
    if (state.end !== null) return "over";
    const mayComeBack = cause === "timedOut" && callersAct(input.work) === "release" && !isReleased(state);
    const isHolder = mayComeBack && isSameRef(input.requestRef, requestRef);
    // Its stream may still be open: an approval is not for it, and no decision is told to it.
    if (isHolder) this.#windows.dismissCallers();
    return this.#deps.store.transaction(() => {
      if (isHolder) this.#deps.store.writeInput({ ...input, requestRef: { ...requestRef, request: "" } });
      this.#deps.store.removeRequestRef(requestRef);
      // An approval is for the latest of identical calls alone: those before it wait for nothing.
      const isLastCall = callersAct(input.work) === "release" && isSameRef(input.requestRef, requestRef);
      if (mayComeBack || (!isLastCall && this.#deps.store.requestRefs().length > 0)) return "kept";
      cancelRun(this.#deps, cause === "timedOut" ? "originatingRequest" : cause);
      return "cancelled";
    });
  }
}
