// A client's call that is a task: no client waits, so its run claims the approval and sends the
// call, through the relay, in the client's place. Once: a call whose instance is gone while the
// server had it may have run, and is lost.
//
// In 2026-07-28 a server that asks its client has nothing of the call meanwhile. Its question and
// the client's answers are kept, so that another instance goes on with them.

import { jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { JsonObject } from "../../../../shared/encoding.ts";
import { outcomeUnknownError } from "../../../../shared/provider/provider-error.ts";
import { type RunState, isCalling, isReleased, isUnclaimed } from "../../../../shared/run/lifecycle.ts";
import { reachedBy } from "../../../../shared/relay/servers.ts";
import type { RelayedRequest } from "../../../../shared/run/work.ts";
import { loginFor } from "../../../mcp-client/ask-upstream.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import { serverEntry } from "../../../stores/documents.ts";
import type { KeyRecord } from "../../../stores/keys.ts";
import type { Claim } from "../../../stubs/run-calls.ts";
import { type AbsentClient, type ApprovedAnswer, type CallRound, type KeptRound, sendApproved } from "../../../stubs/inside-relay.ts";
import type { RunWindows } from "../deliver/run-windows.ts";
import type { RunDeps } from "../run-deps.ts";
import type { RunRelease } from "./run-release.ts";

/** Of what a server sends while nobody listens, the newest are kept. */
const mostUnheard = 100;

/** As long as a state is good for with which the call goes on (`stateMs` of the relay). */
const answerMs = 24 * 3_600_000;

/** No key is asked twice in the life of a task: each has its round before it. */
const keyIn = ({ count }: CallRound, key: string): string => `${count}.${key}`;

/** What nobody has answered yet, by the keys of the task. */
function openIn(round: KeptRound): JsonObject {
  const open = round.isSent ? [] : Object.entries(round.asks ?? {}).filter(([key]) => !Object.hasOwn(round.answers, key));
  return Object.fromEntries(open.map(([key, request]) => [keyIn(round, key), request]));
}

const isOpen = (round: KeptRound): boolean => Object.keys(openIn(round)).length > 0;

export class RunTask {
  readonly #deps: RunDeps;
  readonly #release: RunRelease;
  readonly #windows: RunWindows;
  /** The call that this instance is sending; aborted where its run ends. */
  #sending: AbortController | null = null;
  /** The client's own credential, as it came with its last request: it is stored nowhere. */
  #authorization: string | null = null;
  /** Gives this instance's call the answers to its round, once they are all there. */
  #answered: ((answers: JsonObject) => void) | null = null;
  /** The server's messages that no caller has had. */
  #unheard: string[] = [];

  constructor(deps: RunDeps, release: RunRelease, windows: RunWindows) {
    this.#deps = deps;
    this.#release = release;
    this.#windows = windows;
  }

  /** True where there is nothing left to do; false: it is looked at again. */
  async watch(state: RunState): Promise<boolean> {
    if (!isCalling(state)) return true;
    if (this.#sending !== null) return false;
    const relayed = this.#deps.store.relayed();
    if (relayed === null) return true;
    const round = isReleased(state) ? this.#deps.store.callRound() : null;
    if (isReleased(state) && round === null) {
      this.#release.lost();
      return true;
    }
    // Its client answers first.
    if (round !== null && isOpen(round)) return true;
    const { schedule } = this.#deps.store;
    // Whoever it waits for may never come.
    if (round !== null && !schedule.has("claim")) schedule.set("claim", this.#deps.now() + answerMs);
    // Its client is asked for its credential when it comes next.
    if (relayed.owner !== null && this.#authorization === null) return true;
    // No approval is used up for a call that the server would refuse.
    if (!(await this.#isSignedIn(relayed))) return false;
    const sending = new AbortController();
    this.#sending = sending;
    this.#deps.waitUntil(
      this.#send(round, sending.signal)
        .catch((error: unknown) => logEvent("run.effectFailed", { effect: "call", error: errorClass(error) }))
        .finally(() => {
          this.#sending = null;
          this.#authorization = null;
          this.#answered = null;
        }),
    );
    return false;
  }

  /** What an approved call waited for is there: it is sent. */
  resume(authorization: string | null): void {
    const state = this.#deps.current()?.state;
    if (state === undefined || !this.mayResume(state)) return;
    if (authorization !== null) this.#authorization = authorization;
    this.#deps.store.transaction(() => this.#queue(state));
    this.#deps.flush();
  }

  mayResume(state: RunState): boolean {
    if (!isCalling(state) || this.#sending !== null) return false;
    return isUnclaimed(state) || this.#deps.store.callRound() !== null;
  }

  #queue({ call }: RunState): void {
    const { now, store } = this.#deps;
    if (store.outbox.has(({ kind }) => kind === "call")) store.outbox.runNow("call", now());
    else store.outbox.queue("call", "call", { call: call?.number ?? 0 }, now());
  }

  asks(): JsonObject | null {
    const round = this.#deps.current()?.state.end === null ? this.#deps.store.callRound() : null;
    if (round !== null && isOpen(round)) return openIn(round);
    return this.#unheard.length > 0 ? {} : null;
  }

  /** Keeps what the client answers before it is told so; of two answers to one key the first. */
  answer(responses: JsonObject): void {
    const { store, flush } = this.#deps;
    const state = this.#deps.current()?.state;
    const round = store.callRound();
    if (state === undefined || !isCalling(state) || round === null || !isOpen(round)) return;
    const open = openIn(round);
    const given = Object.keys(round.asks ?? {}).flatMap((key) => {
      const named = keyIn(round, key);
      const response = Object.hasOwn(open, named) && Object.hasOwn(responses, named) ? responses[named] : undefined;
      return response === undefined ? [] : [[key, response] as const];
    });
    if (given.length === 0) return;
    const next: KeptRound = { ...round, answers: { ...round.answers, ...Object.fromEntries(given) } };
    store.transaction(() => {
      store.writeCallRound(next);
      if (isOpen(next)) return;
      store.schedule.drop("claim");
      if (this.#sending === null) this.#queue(state);
    });
    if (!isOpen(next)) this.#answered?.(next.answers);
    flush();
  }

  /** What a caller that comes now has missed. */
  unheard(): readonly string[] {
    const missed = this.#unheard;
    this.#unheard = [];
    return missed;
  }

  /** The run has ended. */
  stop(): void {
    this.#sending?.abort();
  }

  /**
   * Whether the owner of the key is signed in at the server, where it wants that, with the account
   * that the call is for.
   */
  async #isSignedIn({ key, account }: RelayedRequest): Promise<boolean> {
    const { env, now, waitUntil, current } = this.#deps;
    const name = current()?.input.requestor.server ?? "";
    const server = await serverEntry(env, name, now(), waitUntil);
    const { owner } = JSON.parse(key) as KeyRecord; // written by the relay
    return server === undefined || (await loginFor(env, reachedBy(server, name, owner, account))).kind === "ready";
  }

  /** `from`: the round with which it goes on. */
  async #send(from: KeptRound | null, over: AbortSignal): Promise<void> {
    const { input, state } = this.#deps.current() ?? {};
    const relayed = this.#deps.store.relayed();
    if (input === undefined || relayed === null) return;
    const claim: Claim | null =
      from === null ? readJsonOf(await this.#release.claim(input.requestRef, false)) : await this.#release.again();
    if (claim?.kind !== "claimed") return;
    const { env, now, waitUntil, store } = this.#deps;
    const at = state?.call?.startedAt ?? now();
    if (from !== null)
      store.transaction(() => {
        store.schedule.drop("claim");
        store.writeCallRound({ ...from, isSent: true });
      });
    const visit = {
      env,
      ctx: { waitUntil },
      key: JSON.parse(relayed.key) as KeyRecord, // written by the relay
      server: input.requestor.server,
      authorization: this.#authorization,
      over,
    };
    const lost: ApprovedAnswer = { kind: "sent", returned: { kind: "failed", fault: outcomeUnknownError }, response: null };
    const client: AbsentClient = {
      tell: (event, isQuestion) => this.#tell(event, isQuestion),
      round: (round) => this.#round(round),
    };
    const answer = await sendApproved(visit, relayed, claim, client, from).catch((error: unknown) => {
      logEvent("run.effectFailed", { effect: "call", error: errorClass(error) });
      return lost;
    });
    const took = { at, durationMs: now() - at };
    // Looked at again: the owner is asked to sign in.
    if (answer.kind === "unsent")
      return answer.why === "login" && this.#keepRound() ? undefined : this.#release.unsent(claim.call, took, answer.why);
    await this.#release.returned(claim.call, jsonOf({ ...answer.returned, took }), answer.response);
  }

  /**
   * The server refused the attempt that had gone for its login: it has nothing of it, and the call
   * goes on with it. The call itself was sent before, and is not sent again. False: no round was.
   */
  #keepRound(): boolean {
    const { store, now } = this.#deps;
    const round = store.callRound();
    if (round === null) return false;
    store.transaction(() => {
      store.writeCallRound({ ...round, isSent: false });
      store.schedule.set("claim", now() + answerMs);
    });
    return true;
  }

  #tell(event: string, isQuestion: boolean): void {
    if (this.#windows.callers() > 0) return this.#windows.passOn(event);
    if (isQuestion) this.#unheard = [...this.#unheard, event].slice(-mostUnheard);
  }

  async #round(round: CallRound): Promise<JsonObject> {
    const { store, now, arm } = this.#deps;
    const kept: KeptRound = { ...round, answers: {}, isSent: false };
    if (isOpen(kept)) {
      const { promise, resolve } = Promise.withResolvers<JsonObject>();
      this.#answered = resolve;
      store.transaction(() => {
        store.writeCallRound(kept);
        store.schedule.set("claim", now() + answerMs);
      });
      arm();
      await promise;
      this.#answered = null;
    }
    const answers = store.callRound()?.count === round.count ? (store.callRound()?.answers ?? {}) : {};
    store.transaction(() => store.writeCallRound({ ...kept, answers, isSent: true }));
    return answers;
  }
}
