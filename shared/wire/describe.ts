// What a caller is told of a refusal or an outcome: one exhaustive switch each.
//
// Codes and statuses are the table of the HTTP contract. Nothing here ever carries a prompt, a
// reply or a key.

import type { LimitName, KeyEnd } from "../model/gate.ts";
import type { JsonObject } from "../encoding.ts";
import type { Attempt, StopScope } from "../model/call.ts";
import { isUnasked, unsentBecause } from "../provider/provider-error.ts";
import { unreachable } from "../result.ts";
import { reasonText } from "../words/reasons.ts";
import type { Completed, Ran, Described, FunctionError, NotAssociated, Outcome, Refusal } from "../model/outcome.ts";

const rejectedMessage = "User rejected sampling request";

/** About as long as the gateway waits before it asks an issuer again that did not answer. */
const issuerRetryMs = 10_000;
const configurationRetryMs = 5_000;

/** Where a setting of the server's entry would allow the request, the error names it. */
const notAssociatedWhy: Readonly<Record<NotAssociated, string>> = {
  noSession: ': send the name of the host\'s session as _meta["countersign/session"]',
  noOriginatingRequest: ': send the client request that it serves as _meta["countersign/originatingRequest"]',
  originatingRequestEnded: "",
  unknownTask:
    ": it came on the response stream of a request about a task that this session does not know; ask on the response stream of the request that it serves",
  sessionEnded: "",
  nothingShown:
    ': it came on no response stream of a request that may sample and names no task, and this server\'s entry says "association": "strict"; ask on the response stream of the request that is served, or have the gateway\'s operator set "auto"',
  noneInFlight:
    ": it came on no response stream of a request that may sample, and no tools/call, resources/read, prompts/get or resources/subscribe is in flight; ask before the request that is served is answered",
  severalInFlight:
    ': several requests are in flight, and nothing shows which one it serves; ask on the response stream of the request that is served, or have the gateway\'s operator set "association": "inFlight" in this server\'s entry, which takes the newest',
};

/** The longest pointer in a sentence: its steps may be names that the request made up. */
const longestPointer = 200;

/** With the first error in it: many MCP clients and servers pass on an error's message alone. */
function invalidParams([first, ...more]: Extract<Refusal, { kind: "invalidParams" }>["errors"]): string {
  if (first === undefined) return "Invalid params";
  const pointer = first.pointer === "" || first.pointer.length > longestPointer ? "" : `${first.pointer} `;
  return `Invalid params: ${pointer}${first.message}${more.length === 0 ? "" : ` (errors lists ${more.length} more)`}`;
}

/** What the caller is told of a refusal. */
export function describeRefusal(refusal: Refusal): Described {
  switch (refusal.kind) {
    case "notJson":
      return { status: 400, code: -32700, message: "Parse error: the body is not JSON" };
    case "notSingleRequest":
      return { status: 400, code: -32600, message: `Invalid request: ${refusal.why}` };
    case "unauthorized":
      return { status: 401, code: -32014, message: unauthorizedMessages[refusal.why] };
    case "wrongScope":
      return {
        status: 403,
        code: -32014,
        message: `This API key is not for this endpoint: it needs the scope "${refusal.scope}"; ask the operator for a key that has it`,
        data: { scope: refusal.scope },
      };
    case "issuerUnavailable":
      // Neither 401, after which a caller would fetch another token in vain, nor 500: a retry is
      // right, and soon.
      return {
        status: 503,
        code: -32017,
        message:
          "The keys of this token's issuer cannot be read at the moment, so the token cannot be verified; try again in a few seconds",
        data: { retryAfterMs: issuerRetryMs },
        retryAfterMs: issuerRetryMs,
      };
    case "configurationUnavailable":
      return {
        status: 503,
        code: -32017,
        message: "The gateway cannot read its configuration at the moment; try again in a few seconds",
        data: { retryAfterMs: configurationRetryMs },
        retryAfterMs: configurationRetryMs,
      };
    case "tooLarge":
      return {
        status: 413,
        code: -32015,
        message:
          refusal.unknown === true
            ? `The body is over ${refusal.limitBytes} bytes, the limit for a body that holds the credential; send the key as Authorization: Bearer`
            : `The body is over the limit of ${refusal.limitBytes} bytes; send a shorter prompt or smaller media`,
        data: { limitBytes: refusal.limitBytes },
      };
    case "notJsonType":
      return { status: 415, code: -32016, message: "The body must be sent as Content-Type: application/json" };
    case "unknownMethod":
      return {
        status: 200,
        code: -32601,
        message:
          "Method not found; this endpoint supports sampling/createMessage, tasks/get, tasks/result, tasks/cancel and notifications/cancelled",
      };
    case "invalidParams":
      return {
        status: 200,
        code: -32602,
        message: invalidParams(refusal.errors),
        data: { errors: refusal.errors.map(({ pointer, message }) => ({ pointer, message })) },
      };
    case "toolResultMissing":
      return { status: 200, code: -32602, message: "Tool result missing in request", data: { pointer: refusal.pointer } };
    case "toolResultsMixed":
      return { status: 200, code: -32602, message: "Tool results mixed with other content", data: { pointer: refusal.pointer } };
    case "notAssociated":
      return {
        status: 200,
        code: -32602,
        message: `Sampling request is not associated with a client request${notAssociatedWhy[refusal.why]}`,
        data: { reason: refusal.why },
      };
    case "sameIdOtherParams":
      return { status: 200, code: -32600, message: "Invalid request: this id was used before with other params; use a new id" };
    case "rateLimited":
      return {
        status: 429,
        code: -32013,
        message: `Rate limited: ${limitMessages[refusal.limit](refusal.max)}`,
        data: { limit: refusal.limit, max: refusal.max, retryAfterMs: refusal.retryAfterMs },
        retryAfterMs: refusal.retryAfterMs,
      };
    case "tooManyRounds":
      return {
        status: 429,
        code: -32013,
        message: `Rate limited: one client request may have ${refusal.max} sampling rounds; end the tool loop`,
        data: { limit: "roundsPerOriginatingRequest", max: refusal.max },
      };
    case "flooded":
      return {
        status: 429,
        code: -32013,
        message: "Rate limited: too many requests from this address; wait a minute",
        data: { limit: "flood", retryAfterMs: 60_000 },
        retryAfterMs: 60_000,
      };
    case "budgetUsedUp":
      return {
        status: 200,
        code: -32012,
        message:
          "Budget used up: what is left is less than this request may cost; wait until it begins anew, send a smaller maxTokens, or ask the operator",
        data: { budget: refusal.budget, resetsAt: new Date(refusal.resetsAt).toISOString() },
      };
    case "stopped":
      return {
        status: 200,
        code: -1,
        message: stopMessages[refusal.scope],
        data: { outcome: "refused", stopped: refusal.scope },
      };
    case "policyRefused":
      return { status: 200, code: -1, message: "Sampling request refused by policy", data: { outcome: "refused" } };
    case "ownerUnknown":
      return {
        status: 200,
        code: -1,
        message:
          "Sampling request refused by policy: it does not allow self-approval, and the owner of this API key is not a reviewer; ask the operator for a key whose owner is a reviewer's name or email",
        data: { outcome: "refused", reason: "keyOwner" },
      };
    case "noModel":
      return {
        status: 200,
        code: -32010,
        message:
          refusal.named === true
            ? "Neither a model with the requested name nor one of its equivalents can serve this request; models lists why each was passed over. The operator's routing table lists the names"
            : "No model can serve this request; models lists why each was passed over",
        data: { models: refusal.reasons.map(({ model, why }) => ({ model, reason: reasonText(why) })) },
      };
    case "functionUnavailable":
      return {
        status: 200,
        code: -32011,
        message: `The function cannot be run: ${functionErrors[refusal.why]}`,
        data: { function: refusal.function, reason: refusal.why },
      };
    case "unknownTask":
      return { status: 200, code: -32602, message: "Invalid params: no such task of this key" };
    case "noLongerKept":
      return {
        status: 200,
        code: -32600,
        message: "Invalid request: this id was used before and its reply is no longer kept; use a new id",
      };
    case "taskEnded":
      return { status: 200, code: -32602, message: `Invalid params: the task is already ${refusal.status} and cannot be cancelled` };
    case "broken":
      return broken(refusal.quote);
    default:
      return unreachable(refusal);
  }
}

const functionErrors: Readonly<Record<FunctionError, string>> = {
  noSuchTool: "its MCP server has no such tool; ask the operator",
  taskOnly: "its MCP server runs it only as a task, which this endpoint does not support",
  unreachable: "its MCP server cannot be reached; try again",
  noCredential: "the credential of its MCP server is not set; ask the operator",
  broken: "its MCP server does not follow the MCP specification; ask the operator",
  uncheckableSchema:
    "its MCP server declares a JSON Schema that this gateway cannot check, and unchecked arguments are not sent; ask the operator",
  noToolsWorker: "the gateway could not ask its MCP server; try again",
};

/**
 * What the caller is told of an outcome without a reply. It never has anything of a denied
 * response.
 */
export function describeOutcome(outcome: Exclude<Outcome, Completed | Ran>): Described {
  switch (outcome.kind) {
    case "refused":
      return describeRefusal(outcome.refusal);
    case "rejected": {
      const data: JsonObject = { outcome: "rejected", ...(outcome.reason === null ? {} : { reason: outcome.reason }) };
      return { status: 200, code: -1, message: rejectedMessage, data };
    }
    case "undeliverable":
      return {
        status: 200,
        code: -1,
        message: "Sampling request refused: no reviewer could be reached",
        data: { outcome: "undeliverable" },
      };
    case "expired":
      return { status: 200, code: -1, message: "Sampling request expired: nobody decided in time", data: { outcome: "expired" } };
    case "cancelled":
      // No code of MCP's own; -32800 is the one that JSON-RPC protocols with cancellation use.
      return {
        status: 200,
        code: -32800,
        message: `Sampling request cancelled${outcome.key === undefined ? "" : keyEnds[outcome.key]}`,
        data: { outcome: "cancelled", ...(outcome.key === undefined ? {} : { reason: outcome.key }) },
      };
    case "failed":
      return describeFailed(outcome.attempts);
    case "approved":
      throw new Error("an approved call as the answer of a wire that asks a model");
    case "broken":
      return broken(outcome.quote);
    case "elicited":
      throw new Error("the answer to a form where a reply was asked for");
    default:
      return unreachable(outcome);
  }
}

function describeFailed(attempts: readonly Attempt[]): Described {
  const unsent = unsentBecause(attempts);
  if (unsent !== null) return describeRefusal(unsent);
  if (isUnasked(attempts) && attempts.some(({ fault: { kind } }) => kind === "queueFull" || kind === "queueTimeout"))
    return noFreeSlot(attempts);
  return {
    status: 200,
    code: -32011,
    message: "Every model that could serve this request failed; attempts lists how",
    data: { attempts: attempts.map(describeAttempt) },
  };
}

const stopMessages: Readonly<Record<StopScope, string>> = {
  everything: "This is stopped by an operator: no request is served now",
  server: "This is stopped by an operator: no request of this MCP server is served now",
  key: "This is stopped by an operator: no request of this API key is served now",
  tool: "A reviewer has stopped the calls of this tool: ask the user before you call it again",
};

const keyEnds: Readonly<Record<KeyEnd, string>> = { keyRevoked: ": its API key was revoked", keyExpired: ": its API key expired" };

/**
 * A slot becomes free when a call ends, at an unknown time: short enough for a caller that wants to
 * retry.
 */
const queueRetryMs = 5_000;

const noFreeSlot = (attempts: readonly Attempt[]): Described => ({
  status: 429,
  code: -32013,
  message: attempts.some(({ fault }) => fault.kind === "queueTimeout")
    ? "Rate limited: the model is at its concurrency limit, and no slot became free in time; try again with a longer timeout or a higher priority"
    : "Rate limited: the model is at its concurrency limit and its queue is full; wait and try again",
  data: { limit: "modelQueue", retryAfterMs: queueRetryMs, attempts: attempts.map(describeAttempt) },
  retryAfterMs: queueRetryMs,
});

const describeAttempt = ({ model, provider, durationMs, fault }: Attempt): JsonObject => ({
  model,
  provider,
  durationMs,
  fault: fault.kind,
  ...(fault.detail === undefined ? {} : { detail: fault.detail }),
  ...(fault.status === undefined ? {} : { status: fault.status }),
});

const broken = (quote: string): Described => ({
  status: 500,
  code: -32603,
  message: `Internal error; quote ${quote} to the operator`,
  data: { quote },
});

const unauthorizedMessages: Readonly<Record<Extract<Refusal, { kind: "unauthorized" }>["why"], string>> = {
  missing: "No API key: send Authorization: Bearer <key>",
  missingBesideAuthorization: "No API key: send X-Countersign-Key: <key>; Authorization is passed on to the server here",
  missingAtControl: "No credential: send an API key as auth.api_key, a token as auth.token, or either as Authorization: Bearer",
  unknown: "This API key is not known; check it, or ask the operator for one",
  revoked: "This API key was revoked; ask the operator for another",
  expired: "This API key has expired; ask the operator for another",
  tokenInvalid: "This token is not valid: send a JWT of at most 8 KiB, signed by its issuer with the configured algorithm and key",
  tokenExpired: "This token has expired; ask its issuer for a new one",
  tokenWithoutExpiry: "This token does not say when it expires; ask its issuer for one with exp, a number of seconds",
  tokenLongLived:
    "This token is valid for more than a day; ask its issuer for one whose exp is at most 86400 seconds after its iat, and after now",
  tokenTooEarly: "This token is not valid yet (nbf); wait, or correct the issuer's clock",
  tokenIssuer: "The issuer of this token (iss) is not configured here; ask the operator, who writes it at /admin/issuers",
  tokenAudience: "This token is not for this gateway (aud); ask its issuer for one with the audience that the operator configured",
  tokenSubject: "The subject of this token (sub) has no API key here; ask the operator, who maps it at /admin/issuers",
  scopedTokenUnknown: "This token is not known; ask for a new one with the next client request",
  scopedTokenExpired: "This token has expired; ask for a new one with the next client request",
  accessToken: "This access token is not known for this server, or is over: refresh it, or connect again",
  credentialsDisagree: "The credentials of this request belong to different API keys; send one of them, or several of the same key",
};

/** Which limit was exceeded, and what to do. */
const limitMessages: Readonly<Record<LimitName, (max: number) => string>> = {
  requestsPerMinute: (max) => `this key may make ${max} requests a minute; wait and try again`,
  concurrent: (max) => `${max} requests of this key are in progress; wait for one to end`,
  heldStreams: (max) => `${max} responses of this key are held open; close one`,
  sessions: (max) => `this key has ${max} sessions; end one that is over, with DELETE /sessions/{session}`,
  callsPerMinute: (max) => `this key may send ${max} messages a minute, of any kind; wait and try again`,
};
