// Why a request got no reply and what to do about it, in English: for the console, and for the
// `cause` of the operator's API.

import type { LimitName, Gate } from "../model/gate.ts";
import type { AnswerFault, StopScope } from "../model/call.ts";
import type { CancelCause, CredentialError, FunctionError, NotAssociated } from "../model/outcome.ts";
import type { CauseWords, Explained } from "./cause.ts";
import type { FailureReason } from "./failed-models.ts";

const contentOf = (gate: Gate): string => (gate === "request" ? "request" : "reply");
const requestorsCode = "fix the requestor's code";
const inLogs = (quote: string): Explained => ["The gateway failed", `look in its logs for ${quote}`];

const cancelled: Readonly<Record<CancelCause, Explained>> = {
  caller: ["The requestor cancelled the request", "if it gives up too early, raise its timeout"],
  originatingRequest: ["The client request that it served ended first", "if the client gives up too early, raise its timeout"],
  session: [
    "The session that it belonged to ended first",
    "if the client closes sessions too early, keep them open until reviews are decided",
  ],
  admin: ["An operator cancelled the request", "send it again if it is still wanted"],
  stopped: ["An operator stopped sampling", "to let new requests through, resume it at /admin/stops"],
  keyRevoked: ["Its API key was revoked, which ends all requests of that key", "use another key"],
  keyExpired: ["Its API key expired, which ends all requests of that key", "create keys with a later expiresAt if reviews take longer"],
};

const addAnother = "add another model at /admin/routing";
const sendAgain = "send the request again; look in the gateway's logs if it stays so";

/** What a model did, and how to fix it. */
const reasons: Readonly<Record<FailureReason, Explained>> = {
  unreachable: ["could not be reached", "check baseUrl at /admin/routing and that the provider is up"],
  abandoned: ["was still working when the requestor stopped waiting", "raise the requestor's timeout or choose a faster model"],
  outcomeUnknown: ["was interrupted and may have taken effect", "check the server before you send the request again"],
  timeout: ["did not answer in time", "check the provider, or raise MODEL_TIMEOUT_SECONDS"],
  outOfTime: ["was not asked, because the time for all models had run out", "raise MODEL_TIMEOUT_SECONDS or remove slow models"],
  rateLimited: ["refused for its rate limit", "raise the account's limit, or give the model a lane at /admin/routing"],
  overloaded: ["was overloaded", `try again later, or ${addAnother}`],
  refusedCredential: ["refused the credential", "set the provider's secret again, and check that it may use this model"],
  badRequest: [
    "refused the request as it was sent",
    "compare the model's entry at /admin/routing (accepts, tools, omits, tokenField) with what its API supports",
  ],
  providerError: ["answered with an error", `look at the provider's status, or ${addAnother}`],
  redirected: ["answered with a redirect, which is not followed", "correct the provider's baseUrl at /admin/routing"],
  brokenAnswer: ["gave an answer that cannot be used", "ask another model, or look at the provider's status"],
  noCredential: ["has no credential at this gateway", "set the secret that the provider's entry at /admin/routing names"],
  queueFull: ["had no room in its queue", "raise the lane's queue or concurrency at /admin/routing"],
  queueTimeout: ["had no free slot in time", "raise the lane's concurrency at /admin/routing, or let the requestor wait longer"],
  overBudget: [
    "was not asked, because it may cost more than is left of a budget",
    "raise the budget at /admin/budgets, or wait until it begins anew",
  ],
  budgetUnknown: ["was not asked, because its budget could not be read", sendAgain],
  stopped: ["was not asked, because an operator stopped sampling", "see /admin/stops"],
  stopUnknown: ["was not asked, because it could not be found out whether sampling is stopped", sendAgain],
};

const answerFaults: Readonly<Record<AnswerFault, string>> = {
  notJson: "it is not JSON",
  tooLarge: "it is too large",
  errorInSuccess: "it is an error with a status of success",
  overLimit: "it is longer than was asked for",
  toolArguments: "its tool calls have broken arguments",
  empty: "it is empty",
  replyNotJson: "it is not the JSON that was asked for",
  cutOff: "it broke off",
  asksForMore: "it asks for more than arguments",
};

const allTried = (tried: number): string => (tried === 2 ? "Both attempts" : `All ${tried} attempts`);

const mostNamed = 3;
function named(models: readonly string[]): string {
  const names = models.slice(0, mostNamed).map((model) => `"${model}"`);
  const last = models.length > mostNamed ? `${models.length - mostNamed} more` : names.pop();
  return names.length === 0 ? `${last}` : `${names.join(", ")} and ${last}`;
}

const stopped: Readonly<Record<StopScope, string>> = {
  everything: "An operator stopped all sampling",
  server: "An operator stopped the sampling of this MCP server",
  key: "An operator stopped the sampling of this API key",
};

const unassociated: Readonly<Record<NotAssociated, Explained>> = {
  noSession: ["The request names no session", "the host has to send countersign/session in _meta"],
  noOriginatingRequest: [
    "The request serves no client request that may use sampling",
    "the host has to name a tools/call, resources/read or prompts/get",
  ],
  originatingRequestEnded: ["The client request that it serves has ended", "the server asked too late"],
  sessionEnded: ["Its session has ended", "the host has to begin a new one"],
  unknownTask: [
    "Its server asked on the stream of a request about a task that its session does not know",
    "let the server ask on the response stream of the request that it serves",
  ],
  nothingShown: [
    'Its server did not show which client request it serves, and its entry says "association": "strict"',
    'set "auto" at /admin/servers to associate by the requests in flight',
  ],
  noneInFlight: [
    "Its server did not show which client request it serves, and none was in flight",
    "let the server ask while it works on a request",
  ],
  severalInFlight: [
    "Its server did not show which client request it serves, and several were in flight",
    'set "association": "inFlight" in its entry at /admin/servers to take the newest',
  ],
};

const functions: Readonly<Record<FunctionError, Explained>> = {
  noSuchTool: ["its MCP server has no such tool", "correct the entry at /admin/servers"],
  taskOnly: ["its MCP server runs it only as a task, which is not supported here", "use a tool that runs at once"],
  unreachable: ["its MCP server cannot be reached", "check its url at /admin/servers"],
  noCredential: ["the secret that its server's entry names is not set", "set it, or correct the entry at /admin/servers"],
  broken: ["its MCP server does not follow the MCP specification", "update the server"],
  uncheckableSchema: ["its MCP server declares a JSON Schema that this gateway cannot check", "declare a simpler schema in the server"],
  noToolsWorker: ["the tools Worker did not answer", "check that countersign-tools is deployed"],
};

const sendKey = "the requestor has to send an API key";
const newToken = "the requestor has to get a new one";
const credentials: Readonly<Record<CredentialError, Explained>> = {
  missing: ["No API key was sent", sendKey],
  missingBesideAuthorization: ["No X-Countersign-Key was sent, and Authorization belongs to the MCP server here", sendKey],
  missingAtControl: ["No credential was sent", "the requestor has to send an API key or a token"],
  unknown: ["The API key is not known", "create one at /admin/keys"],
  revoked: ["The key was revoked and is still in use", "give its user another key, or find out who uses it"],
  expired: ["The key has expired", "create another one at /admin/keys"],
  tokenInvalid: ["The token cannot be read or is not signed by its issuer", newToken],
  tokenExpired: ["The token has expired", newToken],
  tokenWithoutExpiry: ["The token does not say when it expires", "its issuer has to add exp"],
  tokenLongLived: ["The token is valid for more than a day", "its issuer has to issue shorter ones"],
  tokenTooEarly: ["The token is not valid yet", "compare its issuer's clock"],
  tokenIssuer: ["The token's issuer is not configured", "add it at /admin/issuers"],
  tokenAudience: ["The token is for another audience", "correct the audience at /admin/issuers, or the issuer's"],
  tokenSubject: ["The token's subject is mapped to no key", "map it at /admin/issuers"],
  credentialsDisagree: ["The credentials of the request belong to different keys", "the requestor has to send one of them"],
  scopedTokenUnknown: ["The token was not made by this gateway, or its signing key counts no more", newToken],
  scopedTokenExpired: ["The token has expired", newToken],
};

const limits: Readonly<Record<LimitName, (max: number) => Explained>> = {
  requestsPerMinute: (max) => [
    `The key made more than ${max} requests a minute`,
    "send fewer, or create a key with a higher limits.requestsPerMinute",
  ],
  concurrent: (max) => [
    `The key had ${max} requests in progress, which is its limit`,
    "let some end, or create a key with a higher limits.concurrent",
  ],
  heldStreams: (max) => [
    `The key held ${max} responses open, which is its limit`,
    "close some, or create a key with a higher limits.heldStreams",
  ],
  sessions: (max) => [
    `The key had ${max} sessions, which is its limit`,
    "end sessions that are over, or create a key with a higher limits.sessions",
  ],
  callsPerMinute: (max) => [
    `The key sent more than ${max} messages a minute`,
    "send fewer, or create a key with a higher limits.callsPerMinute",
  ],
};

const newId = "the requestor has to use a new id";

export const causesEn: CauseWords = {
  causes: {
    refusedMany: ({ count, reason }) => [
      `Refused ${count} times more within a minute, each for the same reason (${reason})`,
      "the earlier lines say what to do",
    ],
    rejected: ({ gate, by }) => [
      gate === "request" ? `${by} denied the request, so no model was asked` : `${by} denied the reply, so it was not delivered`,
      "to have others decide, change the rule's reviewers at /admin/policy",
    ],
    expired: ({ gate }) => [
      `Nobody decided about the ${contentOf(gate)} before its deadline`,
      "give the rule more reviewers, reminders or a longer deadlineSeconds at /admin/policy",
    ],
    undeliverable: ({ gate }) => [
      `No reviewer could be notified of the ${contentOf(gate)}`,
      "run the doctor (POST /admin/doctor), which names the channel or address that fails",
    ],
    cancelled: ({ cause }) => cancelled[cause],
    contentUnreadable: () => [
      "Its stored content was encrypted with a key that is neither CONTENT_KEY nor CONTENT_KEY_PREVIOUS, so nothing more was sent or delivered",
      "set the key that was in use as CONTENT_KEY_PREVIOUS until its runs are forgotten",
    ],
    broken: ({ quote }) => inLogs(quote),
  },
  failed: {
    reasons,
    answerFaults,
    notAsSpecified: "not as its API specifies",
    about: (status) => ` (status ${status})`,
    because: (fault) => ` (${fault})`,
    then: ", then ",
    between: ", ",
    one: (model, provider, what) => `Model "${model}" of provider "${provider}" ${what}`,
    oneOften: (tried, model, provider, what) => `${allTried(tried)} failed: model "${model}" of provider "${provider}" ${what}`,
    several: (tried, what) => `${allTried(tried)} failed: ${what}`,
    models: (names, what) => `${named(names)} ${what}`,
    fixOf: (names, fix) => `for ${named(names)}, ${fix}`,
    none: ["No model answered, and no attempt at one is recorded", "look in the gateway's logs"],
  },
  refusals: {
    notJson: () => ["The body is not JSON", requestorsCode],
    notJsonType: () => ["The body was not sent as application/json", requestorsCode],
    notSingleRequest: () => ["The body is not one JSON-RPC request", requestorsCode],
    unknownMethod: ({ method }) => [`The endpoint does not know the method ${method}`, requestorsCode],
    invalidParams: ({ errors }) => [
      `The params are wrong in ${errors === 1 ? "one place" : `${errors} places`}`,
      "the requestor's error names each",
    ],
    toolResultMissing: () => ["The params break MCP's rules for tool results", "the requestor's error says where"],
    toolResultsMixed: () => ["The params break MCP's rules for tool results", "the requestor's error says where"],
    tooLarge: ({ unknown, limitBytes }) =>
      unknown === true
        ? [`The body was over ${limitBytes} bytes and had the credential in it`, "the requestor has to send the credential as a header"]
        : [`The body is over the key's limit of ${limitBytes} bytes`, "send less, or create a key with a higher limits.bodyBytes"],
    unauthorized: ({ why }) => credentials[why],
    wrongScope: ({ scope }) => [`The key lacks the scope "${scope}"`, "create a key with it, or use an endpoint that this key may use"],
    issuerUnavailable: () => ["The keys of the token's issuer could not be read", "check jwksUrl at /admin/issuers"],
    configurationUnavailable: () => ["The configuration could be read neither from KV nor from the ConfigObject", "see GET /healthz"],
    notAssociated: ({ why }) => unassociated[why],
    sameIdOtherParams: () => ["The request's id was used before with other params", newId],
    noLongerKept: () => ["The request's id was used before and its reply is no longer kept", newId],
    rateLimited: ({ limit, max }) => limits[limit](max),
    tooManyRounds: ({ max }) => [
      `One client request had more than ${max} sampling rounds`,
      "end the tool's loop, or create a key with a higher limits.roundsPerOriginatingRequest",
    ],
    flooded: () => ["Too many requests came from one address", "wait a minute"],
    budgetUsedUp: ({ budget, resetsAt }) => [
      `What is left of the budget "${budget}" is less than the request may cost`,
      `raise it at /admin/budgets, or wait until ${new Date(resetsAt).toISOString()}`,
    ],
    stopped: ({ scope }) => [stopped[scope], "DELETE at /admin/stops lets it go on"],
    policyRefused: ({ rule }) => [
      `The policy refuses it (${rule})`,
      "to allow it, change the policy at /admin/policy, the key or the server's entry",
    ],
    ownerUnknown: ({ rule }) => [
      `The key's owner is not a reviewer of the policy, and ${rule === "default" ? "its default" : `its rule ${rule}`} does not allow self-approval`,
      "create the key again with a reviewer's name or email as its owner",
    ],
    noModel: ({ reasons: [first], models }) => {
      const why = first === undefined ? "the routing table has none" : `"${first.model}": ${first.reason}`;
      const others = models > 1 ? `, and ${models - 1} more with other reasons` : "";
      return [`No model can serve it (${why}${others})`, "change /admin/routing, or see POST /admin/routing/explain"];
    },
    functionUnavailable: ({ function: name, why }) => {
      const [what, fix] = functions[why];
      return [`The function ${name} cannot be run: ${what}`, fix];
    },
    unknownTask: () => ["The task is unknown, another key's, or no longer kept", "the requestor has to use a task of its own"],
    taskEnded: ({ status }) => [`The task was already ${status} and cannot be cancelled`, "ask for its result"],
    broken: ({ quote }) => inLogs(quote),
  },
};
