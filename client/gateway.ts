// The gateway's client: calls that survive dropped connections, and notices that are sent in the
// background. Logs nothing; no prompt, reply or key is in any error.

import { type Members } from "../shared/json/values.ts";
import { type Attempt, type Listener, answerTo, decisionIn, readAttempt } from "./gateway-answer.ts";
import { type JsonRpcAnswer, type JsonRpcId, type JsonRpcRequest, RpcError } from "./rpc-messages.ts";
import type { FetchLike } from "./response-streams.ts";
import { backoffMilliseconds, type Timing, within } from "./timing.ts";

export type GatewaySettings = {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: FetchLike;
  readonly timing: Timing;
  /** From the first attempt to the last. */
  readonly deadlineMilliseconds: number;
  /**
   * The same while the gateway has sent nothing yet, not even a heartbeat: there is no review to
   * come back to.
   */
  readonly connectMilliseconds?: number | undefined;
  /**
   * The gateway sends something every 15 s while it waits; silence for this long is a dropped
   * connection.
   */
  readonly silenceMilliseconds: number;
  readonly onError: (error: Error) => void;
};

/**
 * The gateway did not answer in time. It should get a cancellation, because the caller no longer
 * waits.
 */
export class GaveUp extends RpcError {}

const NOTICE_ATTEMPTS = 4;
const NOTICE_MILLISECONDS = 20_000;
const NO_CONNECTION = "no connection";
/** The gateway's first bytes come at once; the host's own patience is often 60 s. */
const UNANSWERED_MILLISECONDS = 20_000;
/** After a connection that lived this long, the backoff begins again. */
const LIVED_MILLISECONDS = 30_000;

type CallOptions = Listener & {
  /** `MCP-Protocol-Version`: how the gateway reads the request and answers. */
  readonly revision?: string | undefined;
};

/** What is sent, again and again until it is answered. */
type Question = {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly answerIn: (message: unknown) => JsonRpcAnswer | undefined;
};

type Notice = {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What it is about may arrive after it: 404 is asked about again. */
  readonly mayComeLate?: boolean;
};

type Attempting = {
  readonly signal: AbortSignal;
  readonly listener: Listener;
  readonly leftMilliseconds: number;
  /** Called when the gateway has accepted the request. */
  readonly onReached: () => void;
  /** Called when nothing has come for so long that a developer should look. */
  readonly onUnanswered: () => void;
};

export class Gateway {
  readonly #settings: GatewaySettings;
  readonly #base: string;
  readonly #notices = new Set<Promise<void>>();

  constructor(settings: GatewaySettings) {
    this.#settings = settings;
    this.#base = settings.url.replace(/\/+$/, "");
  }

  /**
   * Sends one JSON-RPC request and returns its result. Where the connection drops, the same request
   * is sent again, which attaches to the one under way (design: repeats).
   * @throws RpcError with the gateway's own error, or with why there is no answer; the signal's
   *   reason when aborted.
   */
  call(request: JsonRpcRequest, signal: AbortSignal, { revision, ...listener }: CallOptions = {}): Promise<Members> {
    const headers = revision === undefined ? {} : { "mcp-protocol-version": revision };
    const question = { path: "/sampling", body: JSON.stringify(request), headers, answerIn: answerTo(request.id) };
    return this.#ask(question, signal, listener);
  }

  /**
   * Asks for a decision about a call, as `call` does. `id`: the same for each time that it is sent.
   */
  decide(call: Members, id: string, signal: AbortSignal, listener: Listener = {}): Promise<Members> {
    const question = { path: "/approvals", body: JSON.stringify(call), headers: { "idempotency-key": id }, answerIn: decisionIn };
    return this.#ask(question, signal, listener);
  }

  /** Brings what an approved call returned, as `decide` does. */
  bring(run: string, result: Members, signal: AbortSignal): Promise<Members> {
    const path = `/approvals/${encodeURIComponent(run)}/result`;
    return this.#ask({ path, body: JSON.stringify({ result }), headers: {}, answerIn: decisionIn }, signal, {});
  }

  /**
   * Withdraws what `decide` asks under this id, in the background. The request may still be on its
   * way to the gateway.
   */
  withdraw(id: string): void {
    this.#notice({ method: "DELETE", path: "/approvals", headers: { "idempotency-key": id }, mayComeLate: true });
  }

  async #ask(question: Question, signal: AbortSignal, listener: Listener): Promise<Members> {
    const { timing, deadlineMilliseconds } = this.#settings;
    const until = timing.now() + deadlineMilliseconds;
    const connectUntil = timing.now() + (this.#settings.connectMilliseconds ?? Infinity);
    let reached = false;
    let hasReported = false;
    const onReached = (): void => void (reached = true);
    // A dropped connection is made again without a message. A wrong url, or a gateway that is down
    // or silent, is reported once.
    const report = (what: string): void => {
      if (!hasReported) this.#settings.onError(new Error(`${what} Is its url right, and does it run?`));
      hasReported = true;
    };
    const onUnanswered = (): void => report("The sampling gateway has sent nothing for 20 s; still waiting.");
    for (let failures = 0; ; failures += 1) {
      const startedAt = timing.now();
      const attempt = await this.#attempt(question, { signal, listener, leftMilliseconds: until - startedAt, onReached, onUnanswered });
      signal.throwIfAborted();
      if (attempt.kind === "answered") {
        if ("error" in attempt.answer) throw attempt.answer.error;
        return attempt.answer.result;
      }
      if (attempt.kind === "refused") {
        this.#settings.onError(attempt.error);
        throw attempt.error;
      }
      if (attempt.kind === "dropped" && attempt.why === NO_CONNECTION) report("The sampling gateway cannot be reached; asking again.");
      if (timing.now() - startedAt >= LIVED_MILLISECONDS) failures = 0;
      const named = attempt.kind === "busy" ? attempt.waitMilliseconds : undefined;
      const wait = named ?? backoffMilliseconds(failures, timing);
      if (timing.now() + wait >= until) throw this.#gaveUp(attempt);
      if (!reached && timing.now() + wait >= connectUntil) throw this.#notReached(attempt);
      await timing.sleep(wait, signal);
      signal.throwIfAborted();
    }
  }

  /** Sends a notification, such as `notifications/cancelled`, in the background, with retries. */
  notify(method: string, params: Members): void {
    this.#notice({ method: "POST", path: "/sampling", body: JSON.stringify({ jsonrpc: "2.0", method, params }) });
  }

  /**
   * A token for /v1, from POST /tokens; undefined where the gateway gives none, which `onError`
   * hears.
   */
  async token(asked: Members): Promise<unknown> {
    const { timing, onError } = this.#settings;
    const sent = this.#fetch("POST", "/tokens", AbortSignal.timeout(NOTICE_MILLISECONDS), JSON.stringify(asked)).catch(() => undefined);
    const response = await within(sent, NOTICE_MILLISECONDS, timing);
    if (response !== "late" && response?.status === 201) return response.json();
    onError(
      new Error(`The sampling gateway gave no token for /v1 (${typeof response === "object" ? `HTTP ${response.status}` : "no answer"}).`),
    );
    return undefined;
  }

  requestEnded(session: string, server: string, id: JsonRpcId): void {
    const path = `/sessions/${encodeURIComponent(session)}/requests/${encodeURIComponent(JSON.stringify(id))}`;
    this.#notice({ method: "DELETE", path: `${path}?server=${encodeURIComponent(server)}` });
  }

  sessionEnded(session: string): void {
    this.#notice({ method: "DELETE", path: `/sessions/${encodeURIComponent(session)}` });
  }

  /** Resolves when every notice under way has arrived or failed for good. Never rejects. */
  async flush(): Promise<void> {
    while (this.#notices.size > 0) await Promise.all(this.#notices);
  }

  async #attempt(question: Question, { signal, listener, leftMilliseconds, onReached, onUnanswered }: Attempting): Promise<Attempt> {
    const { path, body, headers, answerIn } = question;
    const { timing } = this.#settings;
    const connection = new AbortController();
    const silenceMilliseconds = Math.max(0, Math.min(this.#settings.silenceMilliseconds, leftMilliseconds));
    const both = AbortSignal.any([signal, connection.signal]);
    const answered = new AbortController();
    const unanswered = AbortSignal.any([both, answered.signal]);
    void timing.sleep(UNANSWERED_MILLISECONDS, unanswered).then(() => unanswered.aborted || onUnanswered());
    try {
      const sent = this.#fetch("POST", path, both, body, { accept: "application/json, text/event-stream", ...headers });
      const response = await within(
        sent.catch(() => undefined),
        silenceMilliseconds,
        timing,
        signal,
      );
      answered.abort();
      if (response === undefined || response === "late") return { kind: "dropped", why: NO_CONNECTION };
      if (response.status === 200) onReached();
      // The attempt ends at the deadline even while heartbeats come; the reader watches for
      // silence.
      const read = readAttempt(response, { answerIn, silenceMilliseconds, timing, listener, signal: both });
      const attempt = await within(read, Math.max(0, leftMilliseconds), timing, signal);
      return attempt === "late" ? { kind: "dropped", why: "no answer before the deadline" } : attempt;
    } finally {
      connection.abort();
    }
  }

  async #fetch(
    method: string,
    path: string,
    signal: AbortSignal,
    body?: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return this.#settings.fetch(`${this.#base}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#settings.apiKey}`,
        accept: "application/json",
        ...more,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      // A redirect would carry the key to another address.
      redirect: "manual",
      signal,
      ...(body === undefined ? {} : { body }),
    });
  }

  #notice(notice: Notice): void {
    const sent = this.#deliver(notice).finally(() => this.#notices.delete(sent));
    this.#notices.add(sent);
  }

  async #deliver({ method, path, body, headers, mayComeLate = false }: Notice): Promise<void> {
    const { timing, onError } = this.#settings;
    for (let failures = 0; failures < NOTICE_ATTEMPTS; failures += 1) {
      if (failures > 0) await timing.sleep(backoffMilliseconds(failures - 1, timing));
      const connection = new AbortController();
      const response = await within(
        this.#fetch(method, path, connection.signal, body, headers).catch(() => undefined),
        NOTICE_MILLISECONDS,
        timing,
      );
      if (response === "late") connection.abort();
      else await response?.body?.cancel().catch(() => undefined);
      if (response === "late" || response === undefined || response.status === 429 || response.status >= 500) continue;
      if (response.status === 404 && mayComeLate && failures + 1 < NOTICE_ATTEMPTS) continue;
      // Any other status means that the notice arrived; 404 is the answer for what is not known, or
      // over.
      if (response.status >= 400 && response.status !== 404)
        onError(new Error(`The sampling gateway refused ${method} ${path.split("/")[1]} (HTTP ${response.status}).`));
      return;
    }
    onError(
      new Error("The sampling gateway could not be told that a request ended; a review that is open for it ends at its own deadline."),
    );
  }

  /** Not a `GaveUp`: nothing is under way at the gateway, so there is nothing to cancel. */
  #notReached(attempt: Extract<Attempt, { kind: "busy" | "dropped" }>): RpcError {
    return attempt.kind === "busy" ? attempt.error : new RpcError(-32001, "The sampling gateway cannot be reached.");
  }

  #gaveUp(attempt: Extract<Attempt, { kind: "busy" | "dropped" }>): GaveUp {
    if (attempt.kind === "busy") return new GaveUp(attempt.error.code, attempt.error.message, attempt.error.data);
    const minutes = Math.round(this.#settings.deadlineMilliseconds / 60_000);
    const error = new GaveUp(-32001, `The sampling gateway did not answer within ${minutes} minutes (${attempt.why}).`);
    this.#settings.onError(error);
    return error;
  }
}

/** Looked up at each call, so that a later replacement of the global (a proxy, a test) is used. */
export const platformFetch: FetchLike = (input, init) => globalThis.fetch(input, init);

/** @throws TypeError where these are no address and no key; the message names which. */
export function checkGateway({ url, apiKey }: Pick<GatewaySettings, "url" | "apiKey">): void {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.search !== "" || parsed.hash !== "" || parsed.username !== "") {
    throw new TypeError(
      "url must be the gateway's base address, such as https://countersign.example.com, without query, fragment or user.",
    );
  }
  if (typeof apiKey !== "string" || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError("apiKey must be an API key of the gateway: visible ASCII characters, no spaces. Is its environment variable set?");
  }
}
