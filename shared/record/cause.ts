// Why a request got no reply: as its line has it, and as one sentence that tells an operator what went wrong and what to do. Kinds,
// numbers and our own names, nothing of the content. What the requestor is told is in describe.ts.

import type { LimitName, Gate } from "../model/gate.ts";
import type { Attempt, ProviderError, StopScope } from "../model/call.ts";
import { unreachable } from "../result.ts";
import type { CancelCause, CredentialError, FunctionError, NotAssociated, Refusal } from "../model/outcome.ts";
import type { RefusalFact } from "./refusal-fact.ts";

export type FailedAttempt = Pick<Attempt, "model" | "provider"> & Pick<ProviderError, "kind" | "status" | "detail">;

export type Cause =
  | { readonly kind: "refused"; readonly reason: RefusalFact }
  | { readonly kind: "refusedMany"; readonly reason: Refusal["kind"]; readonly count: number }
  | { readonly kind: "rejected"; readonly gate: Gate; readonly by: string }
  | { readonly kind: "expired" | "undeliverable"; readonly gate: Gate }
  | { readonly kind: "cancelled"; readonly cause: CancelCause }
  /** `tried`: the number of attempts. `last`: null where there was none. */
  | { readonly kind: "failed"; readonly tried: number; readonly last: FailedAttempt | null }
  | { readonly kind: "contentUnreadable" }
  | { readonly kind: "broken"; readonly quote: string };

export function failedCause(attempts: readonly Attempt[]): Cause {
  const last = attempts.at(-1);
  if (last === undefined) return { kind: "failed", tried: 0, last: null };
  const { model, provider, fault } = last;
  const { kind, status, detail } = fault;
  return {
    kind: "failed",
    tried: attempts.length,
    last: { model, provider, kind, ...(status === undefined ? {} : { status }), ...(detail === undefined ? {} : { detail }) },
  };
}

/** What went wrong and what to do about it, in one sentence for an operator. */
export function causeSentence(cause: Cause): string {
  switch (cause.kind) {
    case "refused":
      return refusalSentence(cause.reason);
    case "refusedMany":
      return `Refused ${cause.count} times more within a minute, each for the same reason (${cause.reason}); the earlier lines say what to do.`;
    case "rejected":
      return cause.gate === "request"
        ? `${cause.by} denied the request, so no model was asked.`
        : `${cause.by} denied the reply, so it was not delivered.`;
    case "expired":
      return `Nobody decided about the ${contentOf(cause.gate)} before its deadline; give the rule more reviewers, reminders or a longer deadlineSeconds at /admin/policy.`;
    case "undeliverable":
      return `No reviewer could be notified of the ${contentOf(cause.gate)}; run the doctor (POST /admin/doctor), which names the channel or address that fails.`;
    case "cancelled":
      return cancelledSentences[cause.cause];
    case "failed":
      return failedSentence(cause);
    case "contentUnreadable":
      return "Its stored content was encrypted with a key that is neither CONTENT_KEY nor CONTENT_KEY_PREVIOUS, so nothing more was sent or delivered; set the key that was in use as CONTENT_KEY_PREVIOUS until its runs are forgotten.";
    case "broken":
      return `The gateway failed; look in its logs for ${cause.quote}.`;
    default:
      return unreachable(cause);
  }
}

const contentOf = (gate: Gate): string => (gate === "request" ? "request" : "reply");

const cancelledSentences: Readonly<Record<CancelCause, string>> = {
  caller: "The requestor cancelled the request.",
  originatingRequest: "The client request that it served ended first.",
  session: "The session that it belonged to ended first.",
  admin: "An operator cancelled the request.",
  stopped: "An operator stopped sampling; see /admin/stops.",
  keyRevoked: "Its API key was revoked, which ends all requests of that key.",
  keyExpired: "Its API key expired, which ends all requests of that key; create keys with a later expiresAt if reviews take longer.",
};

function failedSentence({ tried, last }: Extract<Cause, { kind: "failed" }>): string {
  if (last === null) return "No model answered, and no attempt at one is recorded; look in the gateway's logs.";
  const [what, fix] = errorWords(last);
  const before = tried === 1 ? "Model" : `All ${tried} attempts failed; in the last one, model`;
  return `${before} "${last.model}" of provider "${last.provider}" ${what}; ${fix}.`;
}

/** What happened, and how to fix it. */
function errorWords({ kind, status, detail }: FailedAttempt): readonly [string, string] {
  const told = status === undefined ? "" : ` (status ${status})`;
  switch (kind) {
    case "connection":
      if (detail === "cancelled")
        return ["was still working when the requestor stopped waiting", "raise the requestor's timeout or choose a faster model"];
      if (detail === "outcomeUnknown")
        return ["was interrupted and may have taken effect", "check the server before you send the request again"];
      return ["could not be reached", "check the provider's baseUrl at /admin/routing and that it is up"];
    case "timeout":
      return detail === "outOfTime"
        ? ["was not asked, because the time for all models had run out", "raise MODEL_TIMEOUT_SECONDS or remove slow models"]
        : [`did not answer in time${told}`, "check the provider, or raise MODEL_TIMEOUT_SECONDS"];
    case "rateLimited":
      return [`refused for its rate limit${told}`, "raise the account's limit, or give the model a lane at /admin/routing"];
    case "overloaded":
      return [`was overloaded${told}`, "try again later, or add another model at /admin/routing"];
    case "refusedCredential":
      return [`refused the credential${told}`, "set the provider's secret again, and check that it may use this model"];
    case "badRequest":
      return [
        `refused the request as it was sent${told}`,
        "compare the model's entry at /admin/routing (accepts, tools, omits, tokenField) with what its API supports",
      ];
    case "providerError":
      return detail === "redirected"
        ? [`answered with a redirect${told}, which is not followed`, "correct the provider's baseUrl at /admin/routing"]
        : [`failed${told}`, "look at the provider's status, or add another model at /admin/routing"];
    case "brokenAnswer":
      return [
        `gave an answer that cannot be used (${detail ?? "not as its API specifies"})`,
        "ask another model, or look at the provider's status",
      ];
    case "noCredential":
      return ["has no credential at this gateway", "set the secret that the provider's entry at /admin/routing names"];
    case "queueFull":
      return ["had no room in its queue", "raise the lane's queue or concurrency at /admin/routing"];
    case "queueTimeout":
      return ["had no free slot in time", "raise the lane's concurrency at /admin/routing, or let the requestor wait longer"];
    case "overBudget":
      return detail === "unverified"
        ? ["was not asked, because its budget could not be read", "send the request again; look in the gateway's logs if it stays so"]
        : [
            "was not asked, because it may cost more than is left of a budget",
            "raise the budget at /admin/budgets, or wait until it begins anew",
          ];
    case "stopped":
      return detail === "unverified"
        ? [
            "was not asked, because it could not be found out whether sampling is stopped",
            "send the request again; look in the gateway's logs if it stays so",
          ]
        : ["was not asked, because an operator stopped sampling", "see /admin/stops"];
    default:
      return unreachable(kind);
  }
}

const stopSentences: Readonly<Record<StopScope, string>> = {
  everything: "An operator stopped all sampling",
  server: "An operator stopped the sampling of this MCP server",
  key: "An operator stopped the sampling of this API key",
};

function refusalSentence(reason: RefusalFact): string {
  switch (reason.kind) {
    case "notJson":
      return "The body is not JSON; fix the requestor's code.";
    case "notJsonType":
      return "The body was not sent as application/json; fix the requestor's code.";
    case "notSingleRequest":
      return "The body is not one JSON-RPC request; fix the requestor's code.";
    case "unknownMethod":
      return `The endpoint does not know the method ${reason.method}; fix the requestor's code.`;
    case "invalidParams":
      return `The params are wrong in ${reason.errors === 1 ? "one place" : `${reason.errors} places`}; the requestor's error names each.`;
    case "toolResultMissing":
    case "toolResultsMixed":
      return "The params break MCP's rules for tool results; the requestor's error says where.";
    case "tooLarge":
      if (reason.unknown === true)
        return `The body was over ${reason.limitBytes} bytes and had the credential in it; the requestor has to send the credential as a header.`;
      return `The body is over the key's limit of ${reason.limitBytes} bytes; send less, or create a key with a higher limits.bodyBytes.`;
    case "unauthorized":
      return credentialSentences[reason.why];
    case "wrongScope":
      return `The key lacks the scope "${reason.scope}"; create a key with it, or use an endpoint that this key may use.`;
    case "issuerUnavailable":
      return "The keys of the token's issuer could not be read; check jwksUrl at /admin/issuers.";
    case "configurationUnavailable":
      return "The configuration could be read neither from KV nor from the ConfigObject; see GET /healthz.";
    case "notAssociated":
      return associationSentences[reason.why];
    case "sameIdOtherParams":
      return "The request's id was used before with other params; the requestor has to use a new id.";
    case "noLongerKept":
      return "The request's id was used before and its reply is no longer kept; the requestor has to use a new id.";
    case "rateLimited":
      return limitSentences[reason.limit](reason.max);
    case "tooManyRounds":
      return `One client request had more than ${reason.max} sampling rounds; end the tool's loop, or create a key with a higher limits.roundsPerOriginatingRequest.`;
    case "flooded":
      return "Too many requests came from one address; wait a minute.";
    case "budgetUsedUp":
      return `What is left of the budget "${reason.budget}" is less than the request may cost; raise it at /admin/budgets, or wait until ${new Date(reason.resetsAt).toISOString()}.`;
    case "stopped":
      return `${stopSentences[reason.scope]}; DELETE at /admin/stops lets it go on.`;
    case "policyRefused":
      return `The policy refuses it (${reason.rule}); to allow it, change the policy at /admin/policy, the key or the server's entry.`;
    case "ownerUnknown":
      return `The key's owner is not a reviewer of the policy, and ${reason.rule === "default" ? "its default" : `its rule ${reason.rule}`} does not allow self-approval; create the key again with a reviewer's name or email as its owner.`;
    case "noModel": {
      const [first] = reason.reasons;
      const why = first === undefined ? "the routing table has none" : `"${first.model}": ${first.reason}`;
      const others = reason.models > 1 ? `, and ${reason.models - 1} more with other reasons` : "";
      return `No model can serve it (${why}${others}); change /admin/routing, or see POST /admin/routing/explain.`;
    }
    case "functionUnavailable":
      return `The function ${reason.function} cannot be run: ${functionSentences[reason.why]}.`;
    case "unknownTask":
      return "The task is unknown, another key's, or no longer kept; the requestor has to use a task of its own.";
    case "taskEnded":
      return `The task was already ${reason.status} and cannot be cancelled.`;
    case "broken":
      return `The gateway failed; look in its logs for ${reason.quote}.`;
    default:
      return unreachable(reason);
  }
}

const associationSentences: Readonly<Record<NotAssociated, string>> = {
  noSession: "The request names no session; the host has to send countersign/session in _meta.",
  noOriginatingRequest:
    "The request serves no client request that may use sampling; the host has to name a tools/call, resources/read or prompts/get, or the server has to ask on the response stream of one.",
  originatingRequestEnded: "The client request that it serves has ended; the server asked too late.",
  sessionEnded: "Its session has ended; the host has to begin a new one.",
  nothingShown:
    'Its server did not show which client request it serves, and its entry says "association": "strict"; set "auto" at /admin/servers to associate by the requests in flight.',
  noneInFlight: "Its server did not show which client request it serves, and none was in flight.",
  severalInFlight:
    'Its server did not show which client request it serves, and several were in flight; set "association": "inFlight" in its entry at /admin/servers to take the newest.',
};

const functionSentences: Readonly<Record<FunctionError, string>> = {
  noSuchTool: "its MCP server has no such tool; correct the entry at /admin/servers",
  taskOnly: "its MCP server runs it only as a task, which is not supported here",
  unreachable: "its MCP server cannot be reached; check its url at /admin/servers",
  noCredential: "the secret that its server's entry names is not set",
  broken: "its MCP server does not follow the MCP specification",
  uncheckableSchema: "its MCP server declares a JSON Schema that this gateway cannot check",
  noToolsWorker: "the tools Worker did not answer; check that countersign-tools is deployed",
};

const credentialSentences: Readonly<Record<CredentialError, string>> = {
  missing: "No API key was sent.",
  missingBesideAuthorization: "No X-Countersign-Key was sent, and Authorization belongs to the MCP server here.",
  missingAtControl: "No credential was sent.",
  unknown: "The API key is not known; create one at /admin/keys.",
  revoked: "The key was revoked and is still in use; give its user another key, or find out who uses it.",
  expired: "The key has expired; create another one at /admin/keys.",
  tokenInvalid: "The token cannot be read or is not signed by its issuer.",
  tokenExpired: "The token has expired.",
  tokenWithoutExpiry: "The token does not say when it expires.",
  tokenLongLived: "The token is valid for more than a day; its issuer has to issue shorter ones.",
  tokenTooEarly: "The token is not valid yet.",
  tokenIssuer: "The token's issuer is not configured at /admin/issuers.",
  tokenAudience: "The token is for another audience.",
  tokenSubject: "The token's subject is mapped to no key at /admin/issuers.",
  credentialsDisagree: "The credentials of the request belong to different keys.",
  scopedTokenUnknown: "The token was not made by this gateway, or its signing key counts no more.",
  scopedTokenExpired: "The token has expired.",
};

const limitSentences: Readonly<Record<LimitName, (max: number) => string>> = {
  requestsPerMinute: (max) =>
    `The key made more than ${max} requests a minute; send fewer, or create a key with a higher limits.requestsPerMinute.`,
  concurrent: (max) =>
    `The key had ${max} requests in progress, which is its limit; let some end, or create a key with a higher limits.concurrent.`,
  heldStreams: (max) =>
    `The key held ${max} responses open, which is its limit; close some, or create a key with a higher limits.heldStreams.`,
  sessions: (max) =>
    `The key had ${max} sessions, which is its limit; end sessions that are over, or create a key with a higher limits.sessions.`,
  callsPerMinute: (max) =>
    `The key sent more than ${max} messages a minute; send fewer, or create a key with a higher limits.callsPerMinute.`,
};
