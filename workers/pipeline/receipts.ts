// Signs the receipt of an outcome, once it is known what is sent.

import { fromBase64url, macOf, sha256Of, toBase64url, utf8ToBytes } from "../../shared/encoding.ts";
import type { Outcome } from "../../shared/model/outcome.ts";
import { type ReceiptClaims, type ReceiptPlace, receiptSeconds, replyText } from "../../shared/receipt/claims.ts";
import type { ReceiptFacts } from "../../shared/receipt/facts.ts";
import { type ReceiptCrypto, signReceipt } from "../../shared/receipt/token.ts";
import { textDigest } from "../../shared/run/run-receipt.ts";
import type { RpcAnswer } from "../../shared/wire/json-rpc.ts";
import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { settingsOf } from "../platform/settings.ts";
import { receiptSigner } from "../stores/receipt-keys.ts";
import { ledgerShardOf, ledgerStub } from "../stubs/stubs.ts";

/** What is sent beside what the facts say. */
type Sent = {
  /** The result that the audience gets. */
  readonly result?: unknown;
  /** The bytes of a call's arguments. */
  readonly raw?: Uint8Array | undefined;
  /** Where the record has it; absent: the record is asked. */
  readonly place?: ReceiptPlace | null;
};

/** Null where no key can sign: what is sent goes without. */
export async function receiptOf(env: Env, facts: ReceiptFacts, sent: Sent): Promise<string | null> {
  try {
    const [signer, log] = await Promise.all([receiptSigner(env, Date.now()), sent.place === undefined ? placeOf(env, facts) : sent.place]);
    return await signReceipt(claimsOf(env, facts, sent, log), signer, toBase64url);
  } catch (error) {
    logEvent("receipt.failed", { run: facts.run, error: errorClass(error) });
    return null;
  }
}

function claimsOf(env: Env, facts: ReceiptFacts, { result, raw }: Sent, log: ReceiptPlace | null): ReceiptClaims {
  const { run, at, server, key, reviewers, reply: shown, request, ...said } = facts;
  const { keys, publicUrl } = settingsOf(env);
  const pairwise = (kind: string, name: string): string =>
    toBase64url(macOf(keys[0].bytes, `countersign/receipt-${kind}/v1`, utf8ToBytes(JSON.stringify([server, name]))).subarray(0, idLength));
  const iat = Math.floor(at / 1000);
  const reply = { ...(result === undefined ? {} : { jcs: textDigest(replyText(result)) }), ...shown };
  return {
    iss: publicUrl ?? "countersign",
    aud: server,
    iat,
    exp: iat + receiptSeconds,
    jti: run,
    v: 1,
    ...said,
    key: pairwise("key", key),
    reviewers: reviewers.map(({ name, at: decidedAt, ...reviewer }) => ({
      id: pairwise("reviewer", name),
      ...reviewer,
      at: Math.floor(decidedAt / 1000),
    })),
    request: { ...request, ...(raw === undefined ? {} : { raw: toBase64url(sha256Of(raw)) }) },
    ...(Object.keys(reply).length === 0 ? {} : { reply }),
    ...(log === null ? {} : { log }),
  };
}

const idLength = 16;

/** Null where the record does not have it yet: it is written behind what nobody decided. */
async function placeOf(env: Env, { run, reviewers }: ReceiptFacts): Promise<ReceiptPlace | null> {
  if (reviewers.length === 0) return null;
  const shard = ledgerShardOf(run);
  const place = await ledgerStub(env, shard)
    .place(run)
    .catch(() => null);
  return place === null ? null : { shard, ...place };
}

/** The outcome with its receipt, for this encoding of it. */
export async function signedOutcome(env: Env, outcome: Outcome, encode: (outcome: Outcome) => RpcAnswer): Promise<Outcome> {
  const { receiptFacts, ...given } = outcome;
  if (receiptFacts === undefined) return outcome;
  const receipt = await receiptOf(env, receiptFacts, repliedIn(given, encode));
  return receipt === null ? given : { ...given, receipt };
}

/** The result that the audience gets; nothing of a call's, which the audience made itself. */
export function repliedIn(outcome: Outcome, encode: (outcome: Outcome) => RpcAnswer): Pick<Sent, "result"> {
  const answer = outcome.kind === "completed" || outcome.kind === "elicited" ? encode(outcome) : null;
  return answer !== null && "result" in answer ? { result: answer.result } : {};
}

/** The gateway checks a receipt of its own as everybody else does. */
export const receiptCrypto: ReceiptCrypto = {
  toBase64url,
  fromBase64url,
  sha256: async (bytes) => sha256Of(bytes),
  verify: async (key, signature, text) => {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    const imported = await crypto.subtle.importKey("jwk", { ...key }, algorithm, false, ["verify"]);
    return crypto.subtle.verify({ name: "ECDSA", hash: "SHA-256" }, imported, signature, text);
  },
};
