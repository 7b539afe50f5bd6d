// A client's call that is a task: no client waits, so its run claims the approval and sends the
// call, through the relay, in the client's place. Once: a call whose instance is gone may have run,
// and is lost.

import { jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { JsonObject } from "../../../../shared/encoding.ts";
import { outcomeUnknownError } from "../../../../shared/provider/provider-error.ts";
import { type RunState, isCalling, isReleased } from "../../../../shared/run/lifecycle.ts";
import { reachedBy } from "../../../../shared/relay/servers.ts";
import type { RelayedRequest } from "../../../../shared/run/work.ts";
import { loginFor } from "../../../mcp-client/ask-upstream.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import { serversOf } from "../../../stores/documents.ts";
import type { KeyRecord } from "../../../stores/keys.ts";
import type { Claim } from "../../../stubs/run-calls.ts";
import { type ApprovedAnswer, sendApproved } from "../../../stubs/inside-relay.ts";
import type { RunWindows } from "../deliver/run-windows.ts";
import type { RunDeps } from "../run-deps.ts";
import type { RunRelease } from "./run-release.ts";

/** Of what a server sends while nobody listens, the newest are kept. */
const mostUnheard = 100;

type Question = { readonly requests: JsonObject; readonly answer: (responses: JsonObject) => void };

export class RunTask {
  readonly #deps: RunDeps;
  readonly #release: RunRelease;
  readonly #windows: RunWindows;
  /** The call that this instance is sending; aborted where its run ends. */
  #sending: AbortController | null = null;
  /** The client's own credential, as it came with its last request: it is stored nowhere. */
  #authorization: string | null = null;
  /** What the server asks of the client, which answers by `tasks/update`. */
  #question: Question | null = null;
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
    if (isReleased(state)) {
      this.#release.lost();
      return true;
    }
    // Its client is asked for its credential when it comes next.
    if (relayed.owner !== null && this.#authorization === null) return true;
    // No approval is used up for a call that the server would refuse.
    if (!(await this.#isSignedIn(relayed))) return false;
    const sending = new AbortController();
    this.#sending = sending;
    this.#deps.waitUntil(
      this.#send(sending.signal)
        .catch((error: unknown) => logEvent("run.effectFailed", { effect: "call", error: errorClass(error) }))
        .finally(() => {
          this.#sending = null;
          this.#authorization = null;
          this.#question = null;
        }),
    );
    return false;
  }

  /** What an approved call waited for is there: it is sent. */
  resume(authorization: string | null): void {
    const state = this.#deps.current()?.state;
    if (state === undefined || !isCalling(state) || isReleased(state) || this.#sending !== null) return;
    if (authorization !== null) this.#authorization = authorization;
    const { now, store, flush } = this.#deps;
    if (store.outbox.has(({ kind }) => kind === "call")) store.outbox.runNow("call", now());
    else store.outbox.queue("call", "call", { call: state.call?.number ?? 0 }, now());
    flush();
  }

  /** What the server asks of the client; null: nothing. */
  asks(): JsonObject | null {
    return this.#question?.requests ?? (this.#unheard.length > 0 ? {} : null);
  }

  answer(responses: JsonObject): void {
    this.#question?.answer(responses);
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
    const { servers } = await serversOf(env, now(), waitUntil);
    const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
    const { owner } = JSON.parse(key) as KeyRecord; // written by the relay
    return server === undefined || (await loginFor(env, reachedBy(server, name, owner, account))).kind === "ready";
  }

  async #send(over: AbortSignal): Promise<void> {
    const input = this.#deps.current()?.input;
    const relayed = this.#deps.store.relayed();
    if (input === undefined || relayed === null) return;
    const claim: Claim = readJsonOf(await this.#release.claim(input.requestRef, false));
    if (claim.kind !== "claimed") return;
    const { env, now, waitUntil } = this.#deps;
    const at = now();
    const visit = {
      env,
      ctx: { waitUntil },
      key: JSON.parse(relayed.key) as KeyRecord, // written by the relay
      server: input.requestor.server,
      authorization: this.#authorization,
      over,
    };
    const lost: ApprovedAnswer = { kind: "sent", returned: { kind: "failed", fault: outcomeUnknownError }, response: null };
    const answer = await sendApproved(visit, relayed, claim, {
      tell: (event, isQuestion) => this.#tell(event, isQuestion),
      ask: (requests) => this.#ask(requests),
    }).catch((error: unknown) => {
      logEvent("run.effectFailed", { effect: "call", error: errorClass(error) });
      return lost;
    });
    const took = { at, durationMs: now() - at };
    // Looked at again: the owner is asked to sign in.
    if (answer.kind === "unsent") return this.#release.unsent(claim.call, took);
    await this.#release.returned(claim.call, jsonOf({ ...answer.returned, took }), answer.response);
  }

  #tell(event: string, isQuestion: boolean): void {
    if (this.#windows.callers() > 0) return this.#windows.passOn(event);
    if (isQuestion) this.#unheard = [...this.#unheard, event].slice(-mostUnheard);
  }

  #ask(requests: JsonObject): Promise<JsonObject> {
    const { promise, resolve } = Promise.withResolvers<JsonObject>();
    let missing = requests;
    let given: JsonObject = {};
    const answer = (responses: JsonObject): void => {
      const known = Object.entries(responses).filter(([key]) => Object.hasOwn(missing, key));
      given = { ...given, ...Object.fromEntries(known) };
      missing = Object.fromEntries(Object.entries(missing).filter(([key]) => !Object.hasOwn(given, key)));
      if (Object.keys(missing).length > 0) this.#question = { requests: missing, answer };
      else {
        this.#question = null;
        resolve(given);
      }
    };
    this.#question = { requests, answer };
    return promise;
  }
}
