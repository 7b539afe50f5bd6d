// Delivers the outcome: to the callers that wait at a window, and to the MCP server that waits for
// it.

import { jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { RunDeps, CurrentRun } from "../run-deps.ts";
import { RunWindows, endedMessage } from "./run-windows.ts";
import { RunLedger } from "../record/run-ledger.ts";
import { hasTelemetry } from "../record/run-telemetry.ts";
import type { OutboxRow } from "../tables/outbox-rows.ts";
import type { StoredInput } from "../tables/run-store.ts";
import { keyEndOf } from "../act/run-key.ts";
import { type RunState, withheld } from "../../../../shared/run/lifecycle.ts";
import type { KeyEnd } from "../../../../shared/model/gate.ts";
import { outcomeOf } from "./run-account.ts";
import type { WaitingServer } from "../../../../shared/run/run-input.ts";
import { signedOutcome } from "../../../pipeline/receipts.ts";
import { serversOf } from "../../../stores/documents.ts";
import type { CancelCause } from "../../../../shared/model/outcome.ts";
import { reachedBy } from "../../../../shared/relay/servers.ts";
import { postToServer } from "../../../mcp-client/answer-server.ts";
import { responseOf } from "../../../../shared/wire/json-rpc.ts";
import { mcpCodec } from "../../../../shared/wire/mcp-codecs.ts";

/**
 * How often the outcome is posted to an MCP server that does not accept it: for about four minutes.
 */
const postAttempts = 10;

export class RunDelivery {
  readonly #deps: RunDeps;
  readonly #windows: RunWindows;
  readonly #ledger: RunLedger;

  constructor(deps: RunDeps, windows: RunWindows, ledger: RunLedger) {
    this.#deps = deps;
    this.#windows = windows;
    this.#ledger = ledger;
  }

  /**
   * True where the outcome is delivered, which the ledger knows of before; false to post it again
   * later.
   */
  async deliver({ id, attempts }: OutboxRow, current: CurrentRun): Promise<boolean> {
    const { input, state: before } = current;
    const { mode, waiting } = input;
    const [keyEnd] = await Promise.all([
      before.end?.kind === "completed" ? keyEndOf(this.#deps.env, input, this.#deps.now()) : null,
      this.#ledger.send(current),
    ]);
    const state = keyEnd === null ? before : await this.#withhold(input, before, keyEnd);
    // In callback mode a window only shows progress to the server's client.
    let receivers = mode === "callback" ? 0 : this.#windows.callers();
    if (waiting !== undefined && !this.#deps.store.isRequestorGone()) {
      const posted = await this.#post(waiting, state);
      if (posted === "failed" && attempts + 1 < postAttempts) return false;
      receivers = posted === "accepted" ? 1 : 0;
    }
    const now = this.#deps.now();
    this.#deps.store.transaction(() => {
      this.#deps.store.markDelivered(now, receivers);
      this.#deps.store.outbox.done(id);
      // With it the key hears whether an identical request may still find the reply.
      this.#deps.store.outbox.queue("settle", "settle", null, now);
      if (hasTelemetry(this.#deps.env, input)) this.#deps.store.outbox.queue("telemetry", "telemetry", null, now);
    });
    this.#windows.tellCallers(endedMessage(this.#deps.store.outcome()));
    return true;
  }

  /**
   * The key ended between the last decision and the delivery: the outcome says so, and has no
   * reply.
   */
  async #withhold(input: StoredInput, state: RunState, cause: KeyEnd): Promise<RunState> {
    const next = withheld(state, cause);
    this.#deps.store.transaction(() => {
      this.#deps.store.writeState(next);
      this.#deps.store.writeOutcome(jsonOf(outcomeOf(this.#deps.store, next, input)));
      this.#deps.record(this.#deps.now(), [{ kind: "cancelled", cause }]);
    });
    await this.#ledger.send({ input, state: next });
    return next;
  }

  /**
   * Posts the outcome to the server. A request that the requestor's side withdrew gets no response.
   */
  async #post(
    { server: name, session, revision, id, owner }: WaitingServer,
    { end }: RunState,
  ): Promise<"accepted" | "refused" | "failed"> {
    const text = this.#deps.store.outcome();
    if (text === undefined || (end?.kind === "cancelled" && withdrawn.has(end.cause))) return "refused";
    const { servers } = await serversOf(this.#deps.env, this.#deps.now(), this.#deps.waitUntil);
    const server = servers[name];
    if (server === undefined) return "refused";
    const { encode } = mcpCodec(revision);
    const outcome = await signedOutcome(this.#deps.env, readJsonOf(text), encode);
    return postToServer(
      this.#deps.env,
      { server: reachedBy(server, name, owner), session, revision, authorization: null },
      responseOf(id, encode(outcome)),
    );
  }
}

/** The causes that come from the requestor's side. */
const withdrawn: ReadonlySet<CancelCause> = new Set(["caller", "originatingRequest", "session"]);
