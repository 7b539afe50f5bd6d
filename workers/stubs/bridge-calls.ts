// The calls of a BridgeObject and their values. It imports no object.

import type { JsonObject } from "../../shared/encoding.ts";
import type { JsonOf } from "../../shared/json/json-of.ts";
import type { BridgedClient } from "../../shared/relay/bridging.ts";
import type { ListenFilter } from "../../shared/relay/listening.ts";
import type { InputRequest } from "../../shared/relay/rounds.ts";
import type { RpcAnswer } from "../../shared/wire/json-rpc.ts";
import type { RequestFailure } from "../mcp-client/request-failure.ts";

/** The client that asks now. */
export type BridgeVisit = {
  /** JSON of its `KeyRecord`. */
  readonly key: string;
  /** The server's name in the servers document. */
  readonly server: string;
  /** The client's own credential for the server, where the entry passes it on. It is not stored. */
  readonly authorization: string | null;
  readonly client: JsonOf<BridgedClient>;
};

export type BridgeRequest = {
  readonly method: string;
  /** The params as text, without what belongs to one attempt at them (`restOf`). */
  readonly rest: string;
  /** The request's own `_meta`. */
  readonly meta: JsonOf<JsonObject>;
  /** What makes the request the same again. */
  readonly bound: string;
  readonly wantsProgress: boolean;
  /** The least level of the log messages that the client wants; null: none. */
  readonly logLevel: string | null;
};

/** Where a client's request stands. */
export type BridgeState =
  /** `failure`: the answer is the gateway's own. */
  | {
      readonly kind: "answered";
      readonly answer: JsonOf<RpcAnswer>;
      readonly told: readonly JsonOf<JsonObject>[];
      readonly failure?: RequestFailure;
    }
  | {
      readonly kind: "waiting";
      readonly call: string;
      /** What the server asks its client. */
      readonly questions: JsonOf<readonly InputRequest[]>;
      /** The notifications that came since the last time. */
      readonly told: readonly JsonOf<JsonObject>[];
    }
  /**
   * The server's own HTTP answer, where it began no session and did not do anything, or the
   * gateway's in its place. `body`: text. `failure`: as above.
   */
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: string;
      readonly failure?: RequestFailure;
    }
  /** The call is not known any more, or never was; or its key is revoked. */
  | { readonly kind: "gone" };

/**
 * What came of a client's wish to listen: the part of its filter that the server tells of, and the
 * server's result of `initialize`.
 */
export type BridgeListening =
  | BridgeState
  | { readonly kind: "listening"; readonly filter: JsonOf<ListenFilter>; readonly initialized: JsonOf<JsonObject> };

/** What a client that listens is told: changes as `changeOf` has them. */
export type BridgeHeard =
  | { readonly kind: "told"; readonly told: readonly string[] }
  /** The server's stream has ended, or the object was reset: the client has to ask again. */
  | { readonly kind: "over" }
  /** Its key is revoked. */
  | { readonly kind: "gone" };

/** The response stream of one request of the client, by a name of its own. */
export type BridgeStream = string;

export interface BridgeCalls extends Rpc.DurableObjectBranded {
  /**
   * What the server said of itself, its result of `initialize`: begins the session where there is
   * none.
   */
  discover(visit: BridgeVisit): Promise<BridgeState>;
  /** Sends a request that has no rounds, and waits for its answer. */
  ask(visit: BridgeVisit, request: BridgeRequest): Promise<BridgeState>;
  /**
   * Finds the same request, where it runs and no client waits for it, else sends it. `finds`: only
   * finds it. Waits up to `ms` for something to tell.
   */
  open(visit: BridgeVisit, request: BridgeRequest, stream: BridgeStream, finds: boolean, ms: number): Promise<BridgeState>;
  /**
   * Waits up to `ms` until there is something to tell the client: an answer, a question that is
   * open, a notification.
   */
  changed(visit: BridgeVisit, call: string, stream: BridgeStream, ms: number): Promise<BridgeState>;
  /**
   * Keeps the client's response (JSON) to a question, and then sends it to the server. The first
   * one counts: false for every other.
   */
  answer(visit: BridgeVisit, call: string, key: string, response: string): Promise<boolean>;
  /** This request of the client is over, or its connection is. */
  left(call: string, stream: BridgeStream): void;
  /** Listens for this request of the client, which has no end. */
  listen(visit: BridgeVisit, stream: BridgeStream, filter: JsonOf<ListenFilter>): Promise<BridgeListening>;
  /** Waits up to `ms` for something to tell it. */
  heard(visit: BridgeVisit, stream: BridgeStream, ms: number): Promise<BridgeHeard>;
  /** It listens no more. */
  unlisten(stream: BridgeStream): void;
  /** Its key was revoked: nothing is kept, now or ever. */
  keyRevoked(): Promise<void>;
}
