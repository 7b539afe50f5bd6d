// One connection of the host to one MCP server, as the helper's users and its parts see it.

import type { Members } from "../shared/json/values.ts";
import type { JsonRpcId } from "./rpc-messages.ts";

/** What the gateway says of a request that waits. */
export type Progress = { readonly progress: number; readonly total?: number; readonly message?: string };

/**
 * Which open request a sampling request counts for where the wire does not show it, as in the
 * relay's servers document. `auto`: the only one; `strict`: none; `inFlight`: the one opened last.
 */
export const ASSOCIATION_MODES = ["auto", "strict", "inFlight"] as const;
export type AssociationMode = (typeof ASSOCIATION_MODES)[number];

/** A sampling request that waits at the gateway, and the host's request that it serves. */
export type SamplingWaiting = {
  readonly server: string;
  readonly requestId: JsonRpcId;
  readonly origin: { readonly id: JsonRpcId; readonly method: string; readonly name: string };
};

/** The gateway's progress: what a request waits for. */
export type SamplingProgress = Progress & SamplingWaiting;

/** A request of the server. */
export type ServerSamplingRequest = {
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params: Members;
  /** Aborted when the server cancelled it. */
  readonly signal?: AbortSignal | undefined;
  /** Sends a notification to the server. */
  readonly notify?: ((notification: { method: string; params: Members }) => unknown) | undefined;
  /** Its name among the `inputRequests` of a result (revision 2026-07-28). */
  readonly inputKey?: string | undefined;
  /** The client's request that this result answered, where the caller knows it. */
  readonly inputOf?: JsonRpcId | undefined;
  /** The client's request that it serves, where the caller knows it. */
  readonly serves?: JsonRpcId | undefined;
  /**
   * The revision in which the gateway reads the params and answers; by default the newest before
   * 2026-07-28.
   */
  readonly revision?: string | undefined;
};

/** It is called with every message that passes, and with the requests to answer. */
export interface SamplingConnection {
  /** Call with each message before the client sends it. */
  sent(message: unknown): void;
  /** Call where a request could not be sent, or was dropped without a `notifications/cancelled`. */
  abandoned(id: JsonRpcId): void;
  /**
   * Call where the request that the client began with this id has ended, and no message shows it.
   */
  ended(id: JsonRpcId): void;
  /** Call with each message of the server before the client handles it. */
  received(message: unknown): void;
  /** Call when the connection has closed. Its session ends; a new connection is a new session. */
  closed(): void;
  /** Whether this connection answers a request of the server. */
  answers(method: string, params: Members): boolean;
  /**
   * Answers `sampling/createMessage`, `tasks/…` for a task that it became, and
   * `elicitation/create`. @throws RpcError, which the server gets.
   */
  answer(asked: ServerSamplingRequest): Promise<Members>;
}
