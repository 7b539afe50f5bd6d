// The `requestState` that the relay gives to a client of revision 2026-07-28: what the relay has to
// know when the client comes back, and the server's own state. Encrypted, because a server may rely
// on its state being read by nobody else than its client's software, and bound to the request: with
// another key, server, method or params it does not open. It also says whose the call is, which the
// relay compares. Source: basic/patterns/mrtr, "Server Requirements".

import { concatBytes, fromBase64url, macOf, toBase64url, utf8ToBytes } from "../../shared/encoding.ts";
import type { CallOwner } from "../../shared/credential/call-owner.ts";
import type { SigningKey, SigningKeys } from "../../shared/sealed-id.ts";

export type RelayedState = {
  /** The attempt of a CallObject; null where the server's state is all that there is. */
  readonly attempt: string | null;
  /** The round that the client answers, from 1. */
  readonly round: number;
  /** The server's state, byte for byte; null where it gave none, or the CallObject has it. */
  readonly state: string | null;
  /**
   * What the client was asked for. Without a CallObject, the server's keys: the client answers
   * nothing else. With one, the addresses of reviews that it was offered: each is offered once.
   */
  readonly keys: readonly string[];
  /**
   * The BridgeObject that has the call, for a server with sessions: then `attempt` is a call of
   * that object.
   */
  readonly bridge?: string;
  /** Whose the call is; null where no credential passes on to the server. */
  readonly owner: CallOwner | null;
};

type Sealed = [attempt: string | null, round: number, state: string | null, keys: string[], bridge: string | null, owner: CallOwner | null];

const domain = "countersign/request-state/v2";
const nonceLength = 12;
/** Unix milliseconds fit into it. */
const expiryLength = 8;

/**
 * One byte of the signing key's id, the nonce, and AES-256-GCM of the state; base64url. `bound`:
 * what the request has to be.
 */
export async function sealState(keys: SigningKeys, bound: string, state: RelayedState, expiresAt: number): Promise<string> {
  const nonce = crypto.getRandomValues(new Uint8Array(nonceLength));
  const expiry = new Uint8Array(expiryLength);
  new DataView(expiry.buffer).setBigUint64(0, BigInt(expiresAt));
  const text = concatBytes(
    expiry,
    utf8ToBytes(JSON.stringify([state.attempt, state.round, state.state, state.keys, state.bridge ?? null, state.owner])),
  );
  const sealed = await crypto.subtle.encrypt(parametersOf(nonce, bound), await keyOf(keys[0], ["encrypt"]), text);
  return toBase64url(concatBytes(Uint8Array.of(keys[0].id), nonce, new Uint8Array(sealed)));
}

/**
 * The state that was sealed for this very request and has not expired at `now`; undefined for
 * anything else.
 */
export async function openState(keys: SigningKeys, bound: string, text: string, now: number): Promise<RelayedState | undefined> {
  const bytes = fromBase64url(text);
  if (bytes === undefined || bytes.length < 1 + nonceLength) return undefined;
  const [nonce, sealed] = [bytes.subarray(1, 1 + nonceLength), bytes.subarray(1 + nonceLength)];
  for (const key of keys) {
    if (key.id !== bytes[0]) continue;
    try {
      const opened = new Uint8Array(await crypto.subtle.decrypt(parametersOf(nonce, bound), await keyOf(key, ["decrypt"]), sealed));
      const expiresAt = Number(new DataView(opened.buffer).getBigUint64(0));
      const fields = JSON.parse(new TextDecoder().decode(opened.subarray(expiryLength))) as Sealed; // sealed above
      const [attempt, round, own, asked, bridge, owner] = fields;
      return expiresAt <= now ? undefined : { attempt, round, state: own, keys: asked, ...(bridge === null ? {} : { bridge }), owner };
    } catch {
      // Not made with this key, or not for this request.
    }
  }
  return undefined;
}

const parametersOf = (nonce: Uint8Array, bound: string) => ({
  name: "AES-GCM",
  iv: nonce,
  additionalData: utf8ToBytes(`${domain}\0${bound}`),
});

const keyOf = (key: SigningKey, uses: ("encrypt" | "decrypt")[]): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", macOf(key.bytes, domain, utf8ToBytes("key")), "AES-GCM", false, uses);
