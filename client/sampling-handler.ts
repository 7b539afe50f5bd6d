// What an MCP host imports: one call that gives its client sampling, reviewed by a person at a
// Countersign gateway. It depends on the platform's fetch alone, and imports no MCP SDK.

import { ourExtensions } from "../shared/wire/extension-keys.ts";
import { Connection } from "./connection.ts";
import { Gateway, checkGateway, platformFetch } from "./gateway.ts";
import {
  ASSOCIATION_MODES,
  type AssociationMode,
  type ServerSamplingRequest,
  type SamplingConnection,
  type SamplingProgress,
  type SamplingWaiting,
} from "./sampling-connection.ts";
import { type FetchLike, ResponseStreams } from "./response-streams.ts";
import { type ClientLike, joinClient, observe, type SamplingCapabilities, type TransportLike } from "./sdk-client.ts";
import { platformTiming, type Timing } from "./timing.ts";
import type { V1TokenAllowance } from "./v1-token.ts";
import { quiet, reportError } from "./warnings.ts";

export type {
  ServerSamplingRequest,
  AssociationMode,
  ClientLike,
  FetchLike,
  SamplingCapabilities,
  SamplingConnection,
  SamplingProgress,
  SamplingWaiting,
};
export type { Timing, TransportLike, V1TokenAllowance };
export {
  type Approval,
  type ApprovalOptions,
  type ApprovalRequest,
  type ResultDelivery,
  requestApproval,
  returnResult,
  withdrawApproval,
} from "./approval.ts";
export {
  type ReceiptClaims,
  type ReceiptDecision,
  type ReceiptExpectation,
  type ReceiptError,
  type ReceiptJwk,
  type ReceiptMode,
  type ReceiptVerdict,
  receiptKey,
  verifyReceipt,
} from "./verify-receipt.ts";
export { RpcError } from "./rpc-messages.ts";

export type SamplingHandlerOptions = {
  /** The gateway's base address, `https://…`; a path before `/sampling` is kept. */
  readonly url: string;
  /** An API key of the gateway. Sent to `url` only, and never in an error. */
  readonly apiKey: string;
  /**
   * The session's name, 1-120 visible ASCII characters; by default random. A session is one
   * connection, so the second and later connections of this handler append `.2`, `.3` and so on. A
   * caller with the API key and the name can end the session: choose one that cannot be guessed, or
   * none.
   */
  readonly session?: string;
  /**
   * What a sampling request counts for where the transport cannot show which open request it serves
   * (stdio, or a server that samples outside the response stream). `auto`, the default: the only
   * one that is open; while several are it is refused with -32602. `inFlight`: the newest; the
   * reviewer may then see a wrong tool's name, and the run is cancelled when that tool's call ends.
   * `strict`: it is refused. The gateway gets an association that is not shown as inferred.
   */
  readonly association?: AssociationMode;
  /**
   * Whether a server may ask for sampling as a task (2025-11-25); by default true. Set false where
   * the client has a `taskStore`.
   */
  readonly tasks?: boolean;
  /** Called with what the gateway waits for. */
  readonly onProgress?: (progress: SamplingProgress) => void;
  /**
   * Called when the gateway shows that it is still there while a request waits: at least every 15
   * s.
   */
  readonly onHeartbeat?: (waiting: SamplingWaiting) => void;
  /**
   * Called with errors for the host's developer, such as a gateway that is down, a refused key or a
   * request without association; by default a line on stderr. Never has content.
   */
  readonly onError?: (error: Error) => void;
  /**
   * For one call, in milliseconds; by default 15 minutes. Longer than the policy's deadline, or
   * replies are lost.
   */
  readonly deadlineMilliseconds?: number;
  /**
   * The same until the gateway accepts the request; by default as long. With a shorter time the
   * server hears sooner of a gateway that is down.
   */
  readonly connectMilliseconds?: number;
  /**
   * Silence of the gateway that counts as a dropped connection; by default 60 s, four of its
   * heartbeats.
   */
  readonly silenceMilliseconds?: number;
  /** For the gateway only; by default the platform's. */
  readonly fetch?: FetchLike;
  /** For tests. */
  readonly timing?: Timing;
};

export type AttachedClient = {
  /**
   * Give this to the Streamable HTTP transport: it shows which request a sampling request belongs
   * to.
   */
  readonly fetch: FetchLike;
};

export type SamplingHandler = {
  /** What `attach` declares to the server. */
  readonly capabilities: SamplingCapabilities;
  /**
   * Makes an SDK client (1.x or 2.x) answer sampling. Call it before `client.connect`.
   * @param options.server The server's name, as policy and the review page show it.
   * @param options.fetch The fetch to wrap, where the host's transport has its own.
   * @param options.v1Tokens Lets the server have tokens for the gateway's /v1; by default it gets
   *   none.
   */
  attach(
    client: ClientLike,
    options: { readonly server: string; readonly fetch?: FetchLike; readonly v1Tokens?: V1TokenAllowance },
  ): AttachedClient;
  /** For a client of neither SDK: call the connection with each message, and let it answer. */
  connection(options: {
    readonly server: string;
    readonly fetch?: FetchLike;
    readonly transport?: TransportLike;
    readonly v1Tokens?: V1TokenAllowance;
  }): AttachedClient & {
    readonly connection: SamplingConnection;
  };
  /** Resolves when the gateway has every notice of what ended; await it before `process.exit`. */
  flush(): Promise<void>;
};

/**
 * Gives MCP clients sampling with review.
 * @throws TypeError where an option cannot work; the message names it.
 */
export function createSamplingHandler(options: SamplingHandlerOptions): SamplingHandler {
  checkOptions(options);
  const timing = options.timing ?? platformTiming;
  const onError = quiet(options.onError ?? reportError);
  const onProgress = quiet(options.onProgress);
  const onHeartbeat = quiet(options.onHeartbeat);
  const gateway = new Gateway({
    url: options.url,
    apiKey: options.apiKey,
    fetch: options.fetch ?? platformFetch,
    timing,
    deadlineMilliseconds: options.deadlineMilliseconds ?? 15 * 60_000,
    connectMilliseconds: options.connectMilliseconds,
    silenceMilliseconds: options.silenceMilliseconds ?? 60_000,
    onError,
  });
  const capabilities: SamplingCapabilities = {
    sampling: { tools: {} },
    experimental: { ...ourExtensions },
    ...(options.tasks === false ? {} : { tasks: { cancel: {}, requests: { sampling: { createMessage: {} } } } }),
  };
  let sessions = 0;
  const nextSession = (): string => {
    sessions += 1;
    if (options.session === undefined) return `host-${crypto.randomUUID()}`;
    return sessions === 1 ? options.session : `${options.session}.${sessions}`;
  };
  const open = (server: string, streams: ResponseStreams, v1Tokens: V1TokenAllowance | undefined): Connection => {
    streams.clear();
    return new Connection({
      server,
      session: nextSession(),
      association: options.association ?? "auto",
      gateway,
      streams,
      timing,
      v1Tokens,
      onProgress,
      onHeartbeat,
      onError,
    });
  };

  return {
    capabilities,
    attach(client, { server, fetch = platformFetch, v1Tokens }) {
      checkServer(server);
      const streams = new ResponseStreams();
      joinClient(client, capabilities, () => open(server, streams, v1Tokens));
      return { fetch: streams.wrap(fetch) };
    },
    connection({ server, fetch = platformFetch, transport, v1Tokens }) {
      checkServer(server);
      const streams = new ResponseStreams();
      const connection = open(server, streams, v1Tokens);
      if (transport !== undefined) observe(transport, connection);
      return { connection, fetch: streams.wrap(fetch) };
    },
    flush: () => gateway.flush(),
  };
}

function checkOptions(options: SamplingHandlerOptions): void {
  const { session, association, deadlineMilliseconds, connectMilliseconds, silenceMilliseconds } = options;
  checkGateway(options);
  if (session !== undefined && !/^[\x21-\x7e]{1,120}$/.test(session))
    throw new TypeError("session must be 1-120 visible ASCII characters.");
  if (association !== undefined && !ASSOCIATION_MODES.includes(association))
    throw new TypeError('association must be "auto", "strict" or "inFlight".');
  for (const [name, value] of Object.entries({ deadlineMilliseconds, connectMilliseconds, silenceMilliseconds })) {
    if (value !== undefined && !(value > 0)) throw new TypeError(`${name} must be a number of milliseconds above 0.`);
  }
}

function checkServer(server: string): void {
  if (typeof server === "string" && server.length > 0 && server.length <= 512 && !/\p{Cc}/u.test(server)) return;
  throw new TypeError("server must be the server's name, as policy and the review page are to show it: 1-512 characters on one line.");
}
