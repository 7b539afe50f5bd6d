// The session of a BridgeObject at its server: begun by `initialize`, used by every call, begun
// anew where the server does not know it.

import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { objectOf } from "../../../shared/json/values.ts";
import { initializeParams } from "../../../shared/relay/bridging.ts";
import type { RpcAnswer } from "../../../shared/wire/json-rpc.ts";
import type { BridgeState, BridgeVisit } from "../../stubs/bridge-calls.ts";
import type { ReportFailure } from "../../mcp-client/request-failure.ts";
import type { BridgeTables, SessionRow } from "./bridge-tables.ts";
import { type BridgeUpstream, type Session, answerIn, arrivalsOf, refusalOf } from "./bridge-upstream.ts";

type SessionDeps = {
  readonly upstream: BridgeUpstream;
  readonly tables: BridgeTables;
  readonly now: () => number;
  readonly over: AbortSignal;
  /** Writes together. */
  readonly atomically: (write: () => void) => void;
};

/** A session that nobody uses for so long is ended. */
const idleMs = 30 * 60_000;
/** So exactly the last use is written down. */
const usedMs = 5 * 60_000;

const noSession: BridgeState = { kind: "refused", status: 502, headers: [], body: "The MCP server gave no answer to initialize" };

export class BridgeSession {
  readonly #deps: SessionDeps;
  #beginning: Promise<SessionRow | BridgeState> | null = null;
  #usedAt = 0;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  get row(): SessionRow | null {
    return this.#deps.tables.session();
  }

  /** The session, which is begun where there is none; or what the server answered instead. */
  begun(visit: BridgeVisit): Promise<SessionRow | BridgeState> {
    const { row } = this;
    if (row !== null) {
      this.#used(row, visit);
      return Promise.resolve(row);
    }
    this.#beginning ??= this.#begin(visit).finally(() => (this.#beginning = null));
    return this.#beginning;
  }

  /** The server does not know this session: the next one, or what the server answered instead. */
  renewed(lost: Session, visit: BridgeVisit): Promise<SessionRow | BridgeState> {
    if (this.row?.id === lost.id) this.#deps.atomically(() => this.#deps.tables.endSession());
    return this.begun(visit);
  }

  /** When it is to be ended; null where there is none. */
  idleAt(): number | null {
    const { row } = this;
    return row === null ? null : Math.max(row.used_at, this.#usedAt) + idleMs;
  }

  /** It is in use, though nothing is sent. */
  touch(): void {
    this.#usedAt = this.#deps.now();
  }

  async end(): Promise<void> {
    const { row } = this;
    if (row === null) return;
    this.#deps.atomically(() => this.#deps.tables.endSession());
    await this.#deps.upstream.end(row);
  }

  /** Sets the session's level of log messages, where it is another. */
  async setLevel(level: string | null): Promise<void> {
    const { row } = this;
    if (row === null || level === null || row.log_level === level) return;
    const capabilities = objectOf(readJsonOf(this.#deps.tables.initialized())["capabilities"]);
    if (objectOf(capabilities?.["logging"]) === null) return;
    this.#deps.tables.update("log_level", level);
    const message = { jsonrpc: "2.0", id: "level", method: "logging/setLevel", params: { level } };
    const response = await this.#deps.upstream.post(row, JSON.stringify(message)).catch(() => null);
    await response?.body?.cancel().catch(() => {});
  }

  #used(row: SessionRow, { key }: BridgeVisit): void {
    this.#usedAt = this.#deps.now();
    if (row.key !== key) this.#deps.tables.update("key", key);
    if (this.#usedAt - row.used_at > usedMs) this.#deps.tables.update("used_at", this.#usedAt);
  }

  async #begin(visit: BridgeVisit): Promise<SessionRow | BridgeState> {
    const { upstream, tables, over } = this.#deps;
    const id = "initialize";
    const params = initializeParams(readJsonOf(visit.client));
    let lacksLogin = false;
    const report: ReportFailure = (failure) => void (lacksLogin = failure === "noLogin");
    const initialize = JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params });
    const response = await upstream.post(null, initialize, report).catch(() => null);
    if (response === null) return noSession;
    // Nothing of the client's was sent yet, whatever became of this.
    if (!response.ok) return (await refusalOf(response, lacksLogin ? "noLogin" : undefined)).state;
    const answer = await firstAnswer(response, id, over);
    if (answer === null) return noSession;
    if (!("result" in answer)) return { kind: "answered", answer: jsonOf(answer), told: [] };
    if (over.aborted) return { kind: "gone" };
    const { result } = answer;
    const sealed = response.headers.get("Mcp-Session-Id");
    const revision = result["protocolVersion"];
    if (sealed === null || typeof revision !== "string") return noSession;
    const { key, server, client, authorization } = visit;
    const own_credential = authorization === null ? 0 : 1;
    const used_at = this.#deps.now();
    this.#usedAt = used_at;
    const row: SessionRow = { id: sealed, revision, server, key, client, own_credential, log_level: null, event_id: null, used_at };
    this.#deps.atomically(() => tables.begin(row, jsonOf(result)));
    await upstream.tell(row, { jsonrpc: "2.0", method: "notifications/initialized" });
    return row;
  }
}

async function firstAnswer(response: Response, id: string, over: AbortSignal): Promise<RpcAnswer | null> {
  try {
    for await (const { messages } of arrivalsOf(response, over)) {
      const answer = messages.map((message) => answerIn(message, id)).find((each) => each !== null);
      if (answer !== undefined) return answer;
    }
  } catch {
    // It broke off.
  }
  return null;
}
