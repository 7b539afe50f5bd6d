// The calls of a CallObject and their values. It imports no object.

import type { LoginAccount } from "../../shared/credential/login-account.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import type { JsonOf } from "../../shared/json/json-of.ts";
import type { InputMethod, InputRequest, Round, RoundMethod } from "../../shared/relay/rounds.ts";
import type { RpcAnswer } from "../../shared/wire/json-rpc.ts";

/** A client's request whose server asked for input, and what the server needs to be asked again. */
export type CallStart = {
  readonly keyId: string;
  /** The server's name in the servers document. */
  readonly server: string;
  readonly method: RoundMethod;
  /** What `Mcp-Name` repeats. */
  readonly name: string | null;
  /** Random: names this call among those of the same object. */
  readonly attempt: string;
  /** The params as text, without what belongs to one attempt at them (`restOf`). */
  readonly rest: string;
  /** The `Mcp-Param-…` headers of the request. */
  readonly headers: readonly (readonly [string, string])[];
  /** The first one. */
  readonly round: JsonOf<Round>;
  /** What the gateway answers, in the client's place. */
  readonly ours: readonly InputMethod[];
  /** How many rounds there may be. */
  readonly mostRounds: number;
};

export type CallStatus =
  | {
      readonly kind: "waiting";
      readonly attempt: string;
      readonly method: RoundMethod;
      /** From 1. */
      readonly round: number;
      readonly requests: JsonOf<readonly InputRequest[]>;
      readonly answered: readonly string[];
      /** The keys that the gateway answers: the client's answers to them do not count. */
      readonly gateway: readonly string[];
    }
  /** `answer`: the server's last word; with `isLost` the gateway's, which knows of none. */
  | { readonly kind: "ended"; readonly attempt: string; readonly answer: JsonOf<RpcAnswer>; readonly isLost: boolean };

/** One attempt's own part of a request. */
export type Attempt = {
  /** The params' `_meta`. */
  readonly meta: JsonOf<JsonObject>;
  /** The client's own credential for the server, where the entry passes it on. It is not stored. */
  readonly authorization: string | null;
  /** The key's owner, whose own login an entry may want. */
  readonly owner?: string | undefined;
  /** Whose account at the server it is for, where that is known. */
  readonly account?: LoginAccount | undefined;
  /** Gets the text of each notification that the server sends meanwhile. */
  readonly tell?: (message: string) => void;
};

export interface CallCalls extends Rpc.DurableObjectBranded {
  /** The call that waits, where there is one, else a new one. Null where the key is revoked. */
  open(start: CallStart): Promise<CallStatus | null>;
  /**
   * The same for a client that is back: the call goes on waiting for another day. Null also where
   * the key is revoked.
   */
  touch(attempt: string, keyId: string): Promise<CallStatus | null>;
  /** The call of this attempt; null where it is not known any more. */
  look(attempt: string): CallStatus | null;
  /**
   * Waits up to `ms` until more than so many keys are answered or the gateway's, or the round ends.
   */
  changed(attempt: string, round: number, known: number, ms: number): Promise<CallStatus | null>;
  /**
   * Keeps the client's answer (JSON) to one part of the round that it was asked. The first one
   * counts: false for every other.
   */
  answer(attempt: string, round: number, key: string, response: string): boolean;
  /** The same for the gateway's. */
  reply(attempt: string, round: number, key: string, response: string): boolean;
  /** The client declined a part of the round that the gateway may answer. */
  decline(attempt: string, round: number, key: string): void;
  /**
   * Once all parts are answered: sends the request upstream once more, with the answers; once,
   * however often this is called. A call that was cut off while the server had the request ends
   * with an error, because the request is not sent twice.
   */
  proceed(attempt: string, round: number, how: Attempt): Promise<CallStatus | null>;
  /** Ends the call with this answer, where it waits in this round. */
  end(attempt: string, round: number, answer: JsonOf<RpcAnswer>): CallStatus | null;
  /**
   * Waits up to `ms`: whether the client has cancelled its request. For the call of a session,
   * whose object is one request's.
   */
  cancelled(ms: number): Promise<boolean>;
  /** The client cancelled its request: the server is no longer asked. */
  cancel(attempt: string | null): Promise<void>;
  /** Its key was revoked: nothing is kept, now or ever. */
  keyRevoked(): Promise<void>;
}
