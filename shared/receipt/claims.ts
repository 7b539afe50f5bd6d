// What a receipt says: what was decided about one request, and by whom. The gateway signs it, and a
// server checks it offline. No clock, no keys, and no package of others, which the client package
// does not carry.

import { type Members, isObject } from "../json/values.ts";
import type { SignInWay } from "./known.ts";
import type { PasskeyProof } from "./passkey-proof.ts";

/** The header's `typ`: a token of another kind is no receipt. */
export const receiptType = "countersign-receipt+jwt";

/** The member of `_meta` with the receipt; and of `error.data`, where there is no result. */
export const receiptKey = "countersign/receipt";

/** A receipt is good for so long after what it is about was sent. */
export const receiptSeconds = 3_600;

/**
 * Who decided. `human`: a person, about this very request. `grant`: a person allowed such requests
 * before. `bypass`: an operator suspended the review. `policy`: the rules, or nobody in time.
 */
const receiptModes = ["human", "grant", "policy", "bypass"] as const;
export type ReceiptMode = (typeof receiptModes)[number];

/** Only `approved` lets anything be done. */
export const receiptDecisions = ["approved", "denied", "expired", "undeliverable", "cancelled"] as const;
export type ReceiptDecision = (typeof receiptDecisions)[number];

/**
 * How the gateway knew the reviewer. `link`: whoever had the link that was sent to them.
 * `webauthn`: signed in, and their passkey signed this decision.
 */
type ReceiptAmr = "link" | "inbox" | "slack" | "webauthn";

/** By the channel through which they decided. */
export const amrOf = (channel: string): ReceiptAmr => (channel === "inbox" || channel === "slack" ? channel : "link");

export type ReceiptReviewer = {
  /** The same person has another id for each audience. */
  readonly id: string;
  readonly gate: string;
  readonly decision: "approved" | "denied";
  /** Unix seconds. */
  readonly at: number;
  readonly amr: ReceiptAmr;
  /** Of one who was signed in: by a link to their email address, by Access, or at an issuer. */
  readonly signIn?: SignInWay["how"];
  /** With `webauthn`: what their passkey signed. Its id and key are in the record alone. */
  readonly passkey?: Omit<PasskeyProof, "credential">;
};

/** Digests are SHA-256, as base64url. */
export type RequestDigests = {
  /** Of `requestText` of what the audience has: what it sent, or a call that it gets. */
  readonly jcs?: string;
  /** Of the bytes of a call's `arguments`, as they are sent. */
  readonly raw?: string;
  /** As `jcs`, of the call as its client wanted it, where a reviewer changed it. */
  readonly proposed?: string;
  /**
   * Of the `canonicalText` of what the client answers its server with this attempt at a call
   * (2026-07-28), by key. What the gateway answers itself beside that is not in it.
   */
  readonly inputResponses?: Readonly<Record<string, string>>;
  /** The gateway's own digest of what the page showed, as the record has it. */
  readonly shown?: string;
};

export type ReplyDigests = {
  /** Of `replyText` of the result that the audience gets. */
  readonly jcs?: string;
  readonly shown?: string;
};

/** Where the record has the decision: `leaf` is the hash of the entry. */
export type ReceiptPlace = { readonly shard: number; readonly index: number; readonly leaf: string };

export type ReceiptClaims = {
  /** The gateway's PUBLIC_URL. */
  readonly iss: string;
  /** The server, by its name at the gateway. */
  readonly aud: string;
  /** Unix seconds. */
  readonly iat: number;
  readonly exp: number;
  /** The run: a receipt is used once. */
  readonly jti: string;
  readonly v: 1;
  /** Of the request that was decided; `name`: the tool, or the client request that is served. */
  readonly method: string;
  readonly name: string;
  /** The caller's API key, by another id for each audience. */
  readonly key: string;
  readonly policy: { readonly rule: string; readonly version: number };
  readonly mode: ReceiptMode;
  readonly decision: ReceiptDecision;
  readonly edited: { readonly request: boolean; readonly reply: boolean };
  readonly reviewers: readonly ReceiptReviewer[];
  readonly request: RequestDigests;
  readonly reply?: ReplyDigests;
  /** The digest of the tool's definition, as a reviewer was shown it. */
  readonly tool?: string;
  readonly log?: ReceiptPlace;
};

const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

/**
 * RFC 8785: JSON.stringify writes numbers and strings as it says, and names are sorted by UTF-16
 * code units. Members that are `undefined` are left out. Throws for what is no JSON.
 */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (isObject(value)) {
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    return `{${names
      .toSorted()
      .map((name) => `${canonicalText(name)}:${canonicalText(value[name])}`)
      .join(",")}}`;
  }
  const isWellFormed = typeof value === "string" && value.isWellFormed();
  if (!isWellFormed && value !== null && typeof value !== "boolean" && !Number.isFinite(value))
    throw new Error("canonicalText: not a JSON value");
  return JSON.stringify(value);
}

/**
 * What a request's digest is of: method and params without what says how it travels. Of a call its
 * name and arguments alone, which is what the SDKs hand to a tool.
 */
export function requestText(method: string, params: unknown): string {
  const { _meta, task: _task, ...asked } = membersOf(params);
  if (method !== "tools/call") return canonicalText({ method, params: asked });
  return canonicalText({ method, params: { name: asked["name"], arguments: asked["arguments"] ?? {} } });
}

/** The answer of this key in a call's `inputResponses`; undefined where it has none. */
export function inputResponseOf(params: unknown, key: string): unknown {
  const answers = membersOf(membersOf(params)["inputResponses"]);
  return Object.hasOwn(answers, key) ? answers[key] : undefined;
}

/** What a reply's digest is of: the result without `_meta`. */
export function replyText(result: unknown): string {
  const { _meta, resultType: _type, ...said } = membersOf(result);
  return canonicalText(said);
}

const isText = (value: unknown): value is string => typeof value === "string";
const isTime = (value: unknown): value is number => Number.isSafeInteger(value);
const isDigest = (value: unknown): boolean => value === undefined || isText(value);
const isDigests = (value: unknown): boolean => value === undefined || (isObject(value) && Object.values(value).every(isText));
const hasFlags = (value: unknown): boolean => ["request", "reply"].every((name) => typeof membersOf(value)[name] === "boolean");

const isReviewer = (value: unknown): boolean => {
  const { id, gate, decision, at, amr } = membersOf(value);
  return isText(id) && isText(gate) && (decision === "approved" || decision === "denied") && isTime(at) && isText(amr);
};

/** Members that later versions may add are not looked at. */
const isClaims = (value: unknown): value is ReceiptClaims => {
  const claims = membersOf(value);
  const [policy, request, reply] = [membersOf(claims["policy"]), membersOf(claims["request"]), membersOf(claims["reply"])];
  return (
    claims["v"] === 1 &&
    ["iss", "aud", "jti", "method", "name", "key"].every((name) => isText(claims[name])) &&
    ["iat", "exp"].every((name) => isTime(claims[name])) &&
    receiptModes.some((mode) => mode === claims["mode"]) &&
    receiptDecisions.some((decision) => decision === claims["decision"]) &&
    isText(policy["rule"]) &&
    isTime(policy["version"]) &&
    hasFlags(claims["edited"]) &&
    Array.isArray(claims["reviewers"]) &&
    claims["reviewers"].every(isReviewer) &&
    isObject(claims["request"]) &&
    ["jcs", "raw", "proposed", "shown"].every((name) => isDigest(request[name])) &&
    isDigests(request["inputResponses"]) &&
    ["jcs", "shown"].every((name) => isDigest(reply[name])) &&
    isDigest(claims["tool"])
  );
};

/** The claims of a token's payload; undefined where it is no receipt of this version. */
export const readClaims = (value: unknown): ReceiptClaims | undefined => (isClaims(value) ? value : undefined);
