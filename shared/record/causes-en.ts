// Why a request got no reply and what to do about it, in English: for the console, and for the
// `cause` of the operator's API.

import type { Gate, LimitName } from "../model/gate.ts";
import type { AnswerFault, StopScope } from "../model/call.ts";
import type { CancelCause, CredentialError, FunctionError, NotAssociated } from "../model/outcome.ts";
import { ownRules } from "../policy/own-rules.ts";
import { reasonsEn } from "../words/en/reasons-en.ts";
import type { FailureReason } from "./failed-models.ts";

/** What went wrong, and what to do about it. */
export type Told = readonly [what: string, fix: string];

const gates = { request: "request", response: "reply" } as const satisfies Readonly<Record<Gate, string>>;
const requestorsCode = "fix the requestor's code";
const broken = ["The gateway failed", "look in its logs for {quote}"] as const;

const cancelled = {
  caller: ["The requestor cancelled the request", "if it gives up too early, raise its timeout"],
  originatingRequest: ["The client request that it served ended first", "if the client gives up too early, raise its timeout"],
  session: [
    "The session that it belonged to ended first",
    "if the client closes sessions too early, keep them open until reviews are decided",
  ],
  admin: ["An operator cancelled the request", "send it again if it is still wanted"],
  dismissed: ["A reviewer put the form away without an answer", "let the server ask again if the answer is still wanted"],
  stopped: ["An operator stopped it", "to let new requests through, resume it at /admin/stops"],
  keyRevoked: ["Its API key was revoked, which ends all requests of that key", "use another key"],
  keyExpired: ["Its API key expired, which ends all requests of that key", "create keys with a later expiresAt if reviews take longer"],
} as const satisfies Readonly<Record<CancelCause, Told>>;

const sendAgain = "send the request again; look in the gateway's logs if it stays so";

/** What a model did, and how to fix it. */
const reasons = {
  unreachable: ["could not be reached", "check baseUrl at /admin/routing and that the provider is up"],
  abandoned: ["was still working when the requestor stopped waiting", "raise the requestor's timeout or choose a faster model"],
  outcomeUnknown: ["was interrupted and may have taken effect", "check the server before you send the request again"],
  timeout: ["did not answer in time", "check the provider, or raise MODEL_TIMEOUT_SECONDS"],
  outOfTime: ["was not asked, because the time for all models had run out", "raise MODEL_TIMEOUT_SECONDS or remove slow models"],
  rateLimited: ["refused for its rate limit", "raise the account's limit, or give the model a lane at /admin/routing"],
  overloaded: ["was overloaded", "try again later, or add another model at /admin/routing"],
  refusedCredential: ["refused the credential", "set the provider's secret again, and check that it may use this model"],
  badRequest: [
    "refused the request as it was sent",
    "compare the model's entry at /admin/routing (accepts, tools, omits, tokenField) with what its API supports",
  ],
  providerError: ["answered with an error", "look at the provider's status, or add another model at /admin/routing"],
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
  stopped: ["was not asked, because an operator stopped it", "see /admin/stops"],
  stopUnknown: ["was not asked, because it could not be found out whether sampling is stopped", sendAgain],
} as const satisfies Readonly<Record<FailureReason, Told>>;

const answerFaults = {
  notJson: "it is not JSON",
  tooLarge: "it is too large",
  errorInSuccess: "it is an error with a status of success",
  overLimit: "it is longer than was asked for",
  toolArguments: "its tool calls have broken arguments",
  empty: "it is empty",
  replyNotJson: "it is not the JSON that was asked for",
  cutOff: "it broke off",
  asksForMore: "it asks for more than arguments",
} as const satisfies Readonly<Record<AnswerFault, string>>;

const stopped = {
  everything: "An operator stopped everything",
  server: "An operator stopped this MCP server",
  key: "An operator stopped this API key",
  tool: "A reviewer stopped the calls of this tool",
} as const satisfies Readonly<Record<StopScope, string>>;

const unassociated = {
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
} as const satisfies Readonly<Record<NotAssociated, Told>>;

const functions = {
  noSuchTool: ["its MCP server has no such tool", "correct the entry at /admin/servers"],
  taskOnly: ["its MCP server runs it only as a task, which is not supported here", "use a tool that runs at once"],
  unreachable: ["its MCP server cannot be reached", "check its url at /admin/servers"],
  noCredential: ["the secret that its server's entry names is not set", "set it, or correct the entry at /admin/servers"],
  broken: ["its MCP server does not follow the MCP specification", "update the server"],
  uncheckableSchema: ["its MCP server declares a JSON Schema that this gateway cannot check", "declare a simpler schema in the server"],
  noToolsWorker: ["the tools Worker did not answer", "check that countersign-tools is deployed"],
} as const satisfies Readonly<Record<FunctionError, Told>>;

const sendKey = "the requestor has to send an API key";
const newToken = "the requestor has to get a new one";
const credentials = {
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
  accessToken: [
    "The OAuth access token is over, was revoked or is for another server",
    "the client has to refresh it, or its user to connect it again",
  ],
  credentialsDisagree: ["The credentials of the request belong to different keys", "the requestor has to send one of them"],
  scopedTokenUnknown: ["The token was not made by this gateway, or its signing key counts no more", newToken],
  scopedTokenExpired: ["The token has expired", newToken],
} as const satisfies Readonly<Record<CredentialError, Told>>;

const limits = {
  requestsPerMinute: [
    "The key made more than {max} requests a minute",
    "send fewer, or create a key with a higher limits.requestsPerMinute",
  ],
  concurrent: [
    "The key had {max} requests in progress, which is its limit",
    "let some end, or create a key with a higher limits.concurrent",
  ],
  heldStreams: ["The key held {max} responses open, which is its limit", "close some, or create a key with a higher limits.heldStreams"],
  sessions: ["The key had {max} sessions, which is its limit", "end sessions that are over, or create a key with a higher limits.sessions"],
  callsPerMinute: ["The key sent more than {max} messages a minute", "send fewer, or create a key with a higher limits.callsPerMinute"],
} as const satisfies Readonly<Record<LimitName, Told>>;

const ownersKey = "create the key again with a reviewer's name or email as its owner";
const otherReviewers = "to have others decide, change the rule's reviewers at /admin/policy";
const newId = "the requestor has to use a new id";

export const causesEn = {
  lang: "en-GB",
  /** Why a model could not serve it. */
  modelReasons: reasonsEn,
  gates,
  broken,
  cancelled,
  stopped,
  unassociated,
  functions,
  credentials,
  limits,
  causes: {
    refusedMany: ["Refused {count} times more within a minute, each for the same reason ({reason})", "the earlier lines say what to do"],
    rejected: {
      request: ["{by} denied the request, so no model was asked", otherReviewers],
      response: ["{by} denied the reply, so it was not delivered", otherReviewers],
    },
    expired: [
      "Nobody decided about the {content} before its deadline",
      "give the rule more reviewers, reminders or a longer deadlineSeconds at /admin/policy",
    ],
    undeliverable: [
      "No reviewer could be notified of the {content}",
      "run the doctor (POST /admin/doctor), which names the channel or address that fails",
    ],
    contentUnreadable: [
      "Its stored content was encrypted with a key that is neither CONTENT_KEY nor CONTENT_KEY_PREVIOUS, so nothing more was sent or delivered",
      "set the key that was in use as CONTENT_KEY_PREVIOUS until its runs are forgotten",
    ],
    outcomeUnknown: [
      "The gateway was cut off before it wrote what became of the request: its caller may have a reply, and a model may have been paid",
      "ask the caller, and the provider for what it billed at that time",
    ],
  },
  /** `what`: what a model did, which stands after its name. */
  failed: {
    reasons,
    answerFaults,
    /** An answer that has no fault of its own name. */
    notAsSpecified: "not as its API specifies",
    about: " (status {status})",
    because: " ({fault})",
    /** Between what one model did, and between models. */
    then: ", then ",
    between: ", ",
    first: 'Model "{model}" of provider "{provider}" {what}',
    one: 'model "{model}" of provider "{provider}" {what}',
    both: "Both attempts failed: {what}",
    all: "All {tried} attempts failed: {what}",
    models: "{names} {what}",
    fixOf: "for {names}, {fix}",
    name: '"{model}"',
    comma: ", ",
    /** `n`: how many there are, `more`: without those that are named. */
    more: "{names} and {more} more{n, }",
    none: ["No model answered, and no attempt at one is recorded", "look in the gateway's logs"],
  },
  ownRules,
  refusals: {
    notJson: ["The body is not JSON", requestorsCode],
    notJsonType: ["The body was not sent as application/json", requestorsCode],
    notSingleRequest: ["The body is not one JSON-RPC request", requestorsCode],
    unknownMethod: ["The endpoint does not know the method {method}", requestorsCode],
    invalidParams: ["The params are wrong in {errors, one place/# places}", "the requestor's error names each"],
    toolResultMissing: ["The params break MCP's rules for tool results", "the requestor's error says where"],
    toolResultsMixed: ["The params break MCP's rules for tool results", "the requestor's error says where"],
    tooLarge: ["The body is over the key's limit of {limitBytes} bytes", "send less, or create a key with a higher limits.bodyBytes"],
    tooLargeUnknown: [
      "The body was over {limitBytes} bytes and had the credential in it",
      "the requestor has to send the credential as a header",
    ],
    wrongScope: ['The key lacks the scope "{scope}"', "create a key with it, or use an endpoint that this key may use"],
    issuerUnavailable: ["The keys of the token's issuer could not be read", "check jwksUrl at /admin/issuers"],
    configurationUnavailable: ["The configuration could be read neither from KV nor from the ConfigObject", "see GET /healthz"],
    sameIdOtherParams: ["The request's id was used before with other params", newId],
    noLongerKept: ["The request's id was used before and its reply is no longer kept", newId],
    tooManyRounds: [
      "One client request had more than {max} sampling rounds",
      "end the tool's loop, or create a key with a higher limits.roundsPerOriginatingRequest",
    ],
    flooded: ["Too many requests came from one address", "wait a minute"],
    budgetUsedUp: [
      'What is left of the budget "{budget}" is less than the request may cost',
      "raise it at /admin/budgets, or wait until {resetsAt}",
    ],
    resume: "DELETE at /admin/stops lets it go on",
    policyRefused: ["The policy refuses it ({rule})", "to allow it, change the policy at /admin/policy, the key or the server's entry"],
    ownerUnknown: ["The key's owner is not a reviewer of the policy, and its rule {rule} does not allow self-approval", ownersKey],
    ownerUnknownDefault: ["The key's owner is not a reviewer of the policy, and its default does not allow self-approval", ownersKey],
    noModel: ["No model can serve it ({why})", "change /admin/routing, or see POST /admin/routing/explain"],
    noModelAtAll: "the routing table has none",
    modelReason: '"{model}": {reason}',
    moreModels: ", and {n} more with other reasons",
    functionUnavailable: "The function {name} cannot be run: {what}",
    unknownTask: ["The task is unknown, another key's, or no longer kept", "the requestor has to use a task of its own"],
    taskEnded: ["The task was already {status} and cannot be cancelled", "ask for its result"],
  },
} as const;
