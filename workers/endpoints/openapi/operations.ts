// What the gateway answers over HTTP, as one list: every operation with its parameters, bodies and statuses. Says; does nothing.
//
// GET /openapi.json is made from it, and a test asks for each operation and holds the answers against it.

import type { JsonObject } from "../../../shared/encoding.ts";
import { endStates, openStates } from "../../../shared/record/record.ts";
import { paths } from "../../platform/urls.ts";

export type SchemaName =
  | "RpcRequest"
  | "RpcAnswer"
  | "Problem"
  | "Run"
  | "RunList"
  | "OperatorRun"
  | "KeyRequest"
  | "NewKey"
  | "KeyList"
  | "NoticeList"
  | "GrantList"
  | "Health"
  | "Diagnosis"
  | "Versions"
  | "Routing"
  | "Policy"
  | "Servers"
  | "Issuers"
  | "Envelope"
  | "ControlAnswer"
  | "Document"
  | "JsonSchema"
  | "Conflict"
  | "CutOff"
  | "ExplainRequest"
  | "Explanation"
  | "OpenApi";

export type Body = { readonly type: string; readonly schema?: SchemaName };

export type Answer = {
  readonly description: string;
  readonly bodies?: readonly Body[];
  readonly headers?: Readonly<Record<string, string>>;
};

export type Parameter = {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly description: string;
  readonly required?: boolean;
  readonly schema?: JsonObject;
};

/** `key`: an API key. `admin`: the operator. `either`: one of both. `link`: the token in the path. `control`: a key or token, also in the body. */
export type Auth = "key" | "control" | "admin" | "either" | "link" | "slack" | "none";

export type Operation = {
  readonly id: string;
  readonly method: "get" | "post" | "put" | "delete";
  /** As `urls.ts` writes it, with `:name` for a parameter. */
  readonly path: string;
  readonly summary: string;
  readonly auth: Auth;
  readonly parameters?: readonly Parameter[];
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Where the status may be any other too: an MCP server's own. */
  readonly otherwise?: Answer;
};

const json = (schema: SchemaName): readonly Body[] => [{ type: "application/json", schema }];
const html: readonly Body[] = [{ type: "text/html" }];
const rpcError = (description: string): Answer => ({ description, bodies: json("RpcAnswer") });
const problem = (description: string): Answer => ({ description, bodies: json("Problem") });
const controlAnswer = (description: string): Answer => ({ description, bodies: json("ControlAnswer") });
const page = (description: string): Answer => ({ description, bodies: html });

const inPath = (name: string, description: string): Parameter => ({ name, in: "path", description, required: true });
const ifMatch = (required: boolean): Parameter => ({
  name: "If-Match",
  in: "header",
  description: "The version that was read, as a number or an ETag",
  required,
});

const unauthorized = rpcError("-32014: no key, or one that is unknown, expired or revoked");
const flooded = { ...rpcError("-32013: rate limited"), headers: { "Retry-After": "Seconds" } };
const unconfigured = { ...rpcError("-32017: the gateway cannot read its configuration now"), headers: { "Retry-After": "Seconds" } };
const notOperator = problem("Not the operator");
const tooManyAttempts = problem("Too many wrong tokens from one address");
const asOperator = { 401: notOperator, 429: tooManyAttempts };
const cutOffKeys: Parameter = { name: "cutOffKeys", in: "query", description: "yes: write a policy although it cuts API keys off" };
const cutsOff = { description: "The policy would cut off these API keys; nothing was changed", bodies: json("CutOff") };
const withoutScope = rpcError("-32014: a key without the scope sampling");
const asKey = { 401: unauthorized, 403: withoutScope, 429: flooded };
const asEither = { 401: unauthorized, 429: flooded };

const sampling: readonly Operation[] = [
  {
    id: "sampling",
    method: "post",
    path: paths.sampling,
    summary: "One JSON-RPC message: sampling/createMessage, tasks/get, tasks/result, tasks/cancel, or notifications/cancelled",
    auth: "key",
    parameters: [
      { name: "Accept", in: "header", description: "text/event-stream for server-sent events; anything else for one JSON value" },
      { name: "Prefer", in: "header", description: "respond-async: 202 and a run to ask about" },
    ],
    body: { type: "application/json", schema: "RpcRequest" },
    answers: {
      200: {
        description: "The response, a result or an error. It may be held for as long as a person needs: white space or comments meanwhile",
        bodies: [...json("RpcAnswer"), { type: "text/event-stream" }],
      },
      202: {
        description: "Asynchronous: the task that was made; empty for a notification",
        bodies: json("RpcAnswer"),
        headers: { Location: "The run, where one was made", "Preference-Applied": "respond-async, where a run was made" },
      },
      400: rpcError("-32700: not JSON; -32600: not a single JSON-RPC request"),
      ...asKey,
      413: rpcError("-32015: over the key's limit of bytes"),
      415: rpcError("-32016: not application/json"),
      503: unconfigured,
    },
  },
  {
    id: "endOriginatingRequest",
    method: "delete",
    path: paths.sessionRequest,
    summary: "The client's own request ended: its open runs are cancelled, later sampling for it is refused",
    auth: "key",
    parameters: [
      inPath("session", "The session's name: 1 to 128 visible ASCII characters, not beginning with mcp:"),
      inPath("id", "The request's JSON-RPC id as JSON: 7 or %22a%22"),
      { name: "server", in: "query", description: "The MCP server that the request was for", required: true },
    ],
    answers: { 204: { description: "It has ended" }, 400: problem("A name or id that cannot be one"), ...asKey },
  },
  {
    id: "endSession",
    method: "delete",
    path: paths.sessions,
    summary: "The session ended: its open runs are cancelled, its kept conversation is forgotten, and its name stays ended",
    auth: "key",
    parameters: [inPath("session", "The session's name")],
    answers: { 204: { description: "It has ended" }, 400: problem("A name that cannot be one"), ...asKey },
  },
  {
    id: "control",
    method: "post",
    path: paths.control,
    summary:
      "One request of the Model Control Protocol: an envelope, answered whole or, where it asks for a stream, with server-sent events",
    auth: "control",
    body: { type: "application/json", schema: "Envelope" },
    answers: {
      200: {
        description: "The answer. It may be held for as long as a person needs: white space or comments meanwhile",
        bodies: [...json("ControlAnswer"), { type: "text/event-stream" }],
      },
      400: controlAnswer("invalid: not JSON, or faults of the envelope with a pointer to each"),
      401: controlAnswer("unauthorized: no credential, or one that is not good"),
      402: controlAnswer("over_budget: the key's budget is used up"),
      403: controlAnswer("refused by policy; rejected by a person; or unauthorized: a key without the scope control"),
      409: controlAnswer("conflict: the request_id was used before with another body; or cancelled"),
      413: controlAnswer("invalid: over the key's limit of bytes"),
      415: controlAnswer("invalid: not application/json"),
      422: controlAnswer("no_model: the routing table has no model for it"),
      429: { ...controlAnswer("rate_limited"), headers: { "Retry-After": "Seconds" } },
      500: controlAnswer("error: a fault of the gateway, with an id to quote"),
      502: controlAnswer("failed: every model failed, or a registered function's server cannot be asked"),
      503: {
        ...controlAnswer(
          "unavailable: what is needed to check the credential, or the gateway's configuration, cannot be read now; or undeliverable: no reviewer could be reached",
        ),
        headers: { "Retry-After": "Seconds, where it is unavailable" },
      },
      504: controlAnswer("expired: nobody decided in time, told of a request whose end was known before anything was sent"),
    },
  },
  {
    id: "controlSchema",
    method: "get",
    path: paths.controlSchema,
    summary: "The JSON Schema of the envelope",
    auth: "none",
    parameters: [inPath("file", "1.0.json, 2.0.json or 2.1.json")],
    answers: {
      200: { description: "The schema", bodies: [{ type: "application/schema+json", schema: "JsonSchema" }] },
      404: problem("No such version"),
    },
  },
  {
    id: "forgetControlSession",
    method: "delete",
    path: paths.controlSession,
    summary: "What was kept of a session's conversation at the control endpoint is deleted; its name may be used again",
    auth: "key",
    parameters: [inPath("session", "context.session_id")],
    answers: {
      204: { description: "Nothing is kept" },
      400: problem("A name that cannot be one"),
      ...asKey,
      403: rpcError("-32014: a key without the scope control"),
      503: {
        ...rpcError("-32017: the keys of the token's issuer, or the gateway's configuration, cannot be read now"),
        headers: { "Retry-After": "Seconds" },
      },
    },
  },
  {
    id: "getRun",
    method: "get",
    path: paths.run,
    summary: "How a run stands, and its result or error once it may be told",
    auth: "either",
    parameters: [inPath("id", "The run's id")],
    answers: { 200: { description: "The run", bodies: json("Run") }, ...asEither, 404: problem("No such run of this key") },
  },
  {
    id: "cancelRun",
    method: "delete",
    path: paths.run,
    summary: "Cancels a run",
    auth: "either",
    parameters: [inPath("id", "The run's id")],
    answers: {
      204: { description: "It is cancelled" },
      ...asEither,
      404: problem("No such run of this key"),
      409: problem("The run is over"),
    },
  },
];

const token = inPath("token", "The link's token");
const noSuchLink = page("The token opens nothing");
const faultPage = page("A fault of the gateway, with an id to quote");
const linkIsOver = page("The link's time is over; a new one can be asked for");

const review: readonly Operation[] = [
  {
    id: "showReview",
    method: "get",
    path: paths.review,
    summary: "The review page. GET and HEAD decide nothing; of a GET remains that the link was opened",
    auth: "link",
    parameters: [token],
    answers: {
      200: page("The page"),
      404: noSuchLink,
      410: linkIsOver,
      429: page("Too many requests from one address"),
      500: faultPage,
    },
  },
  {
    id: "watchReview",
    method: "get",
    path: paths.reviewLive,
    summary: "A WebSocket on which an open page hears how its review stands, without the content. It decides nothing",
    auth: "link",
    parameters: [token],
    answers: {
      101: { description: "It is told at once how the review stands, and again at each change" },
      403: page("From a page of another site"),
      404: noSuchLink,
      426: { description: "Not a WebSocket" },
      429: page("Too many requests from one address"),
      500: faultPage,
      503: { description: "Too many pages of this review listen already" },
    },
  },
  {
    id: "decideReview",
    method: "post",
    path: paths.review,
    summary: "The page's form: approve, deny, see what changes would do, hand the review over, give it up, or ask for a new link",
    auth: "link",
    parameters: [token],
    body: { type: "application/x-www-form-urlencoded" },
    answers: {
      200: page("A preview; or a new link was sent"),
      303: { description: "Done; the page shows what came of it", headers: { Location: "The page" } },
      400: page("Not the page's form"),
      403: page("From another site, with a nonce of another form, or by somebody who may not decide"),
      404: noSuchLink,
      409: page("Too early, too late, sent before, or decided by somebody else"),
      410: linkIsOver,
      412: page("The content changed; the new version is shown"),
      413: page("Too large"),
      415: page("Not a form"),
      422: page("Changes, a grant or a reviewer that is not allowed here"),
      429: page("Too many requests from one address, or too many new links"),
      500: faultPage,
    },
  },
];

const documents: readonly Operation[] = (["routing", "policy", "servers", "issuers"] as const).flatMap((name): Operation[] => {
  const schema = ({ routing: "Routing", policy: "Policy", servers: "Servers", issuers: "Issuers" } as const)[name];
  return [
    {
      id: `get-${name}`,
      method: "get",
      path: paths.admin[name],
      summary: `The ${name} document; version 0 is the built-in one`,
      auth: "admin",
      answers: { 200: { description: "The document", bodies: json("Document"), headers: { ETag: "Its version" } }, ...asOperator },
    },
    {
      id: `put-${name}`,
      method: "put",
      path: paths.admin[name],
      summary: `Replaces the ${name} document whole`,
      auth: "admin",
      parameters: [ifMatch(true), ...(name === "policy" ? [cutOffKeys] : [])],
      body: { type: "application/json", schema },
      answers: {
        200: { description: "What serves now", bodies: json("Document"), headers: { ETag: "Its version" } },
        400: problem("Not a valid document; nothing was changed"),
        ...asOperator,
        ...(name === "policy" ? { 409: cutsOff } : {}),
        412: { description: "Somebody was faster; the current document", bodies: json("Conflict") },
        413: problem("Over a megabyte"),
        428: problem("Without a version"),
      },
    },
  ];
});

const document = inPath("document", "routing, policy, servers or issuers");
const noVersion = problem("No such version; the last 20 are kept");

const operator: readonly Operation[] = [
  ...documents,
  {
    id: "getSchema",
    method: "get",
    path: paths.admin.schema,
    summary: "The JSON Schema of a document",
    auth: "admin",
    parameters: [document],
    answers: { 200: { description: "The schema", bodies: json("JsonSchema") }, ...asOperator, 404: problem("No such document") },
  },
  {
    id: "listVersions",
    method: "get",
    path: paths.admin.versions,
    summary: "The last 20 versions of a document, newest first",
    auth: "admin",
    parameters: [document],
    answers: { 200: { description: "Versions and times", bodies: json("Versions") }, ...asOperator, 404: problem("No such document") },
  },
  {
    id: "getVersion",
    method: "get",
    path: paths.admin.version,
    summary: "One version of a document",
    auth: "admin",
    parameters: [document, inPath("version", "Its number")],
    answers: { 200: { description: "The document as it was", bodies: json("Document") }, ...asOperator, 404: noVersion },
  },
  {
    id: "restoreVersion",
    method: "post",
    path: paths.admin.restore,
    summary: "Writes an old version again, as the newest",
    auth: "admin",
    parameters: [document, inPath("version", "Its number"), ifMatch(false), cutOffKeys],
    answers: {
      200: { description: "What serves now", bodies: json("Document"), headers: { ETag: "Its version" } },
      400: problem("No longer valid"),
      ...asOperator,
      404: noVersion,
      409: cutsOff,
      412: { description: "Somebody was faster; the current document", bodies: json("Conflict") },
    },
  },
  {
    id: "explainRouting",
    method: "post",
    path: paths.admin.explain,
    summary: "Which model would answer, and why. Calls no model",
    auth: "admin",
    body: { type: "application/json", schema: "ExplainRequest" },
    answers: { 200: { description: "The choice", bodies: json("Explanation") }, 400: problem("Not valid"), ...asOperator },
  },
  {
    id: "createKey",
    method: "post",
    path: paths.admin.keys,
    summary: "Makes an API key; the key itself is in this answer and never again",
    auth: "admin",
    body: { type: "application/json", schema: "KeyRequest" },
    answers: {
      201: { description: "The key", bodies: json("NewKey") },
      400: problem("Not valid"),
      409: problem("A rule bars own requests, and the owner is no reviewer of the policy"),
      ...asOperator,
    },
  },
  {
    id: "listKeys",
    method: "get",
    path: paths.admin.keys,
    summary: "All keys, without the keys themselves",
    auth: "admin",
    answers: { 200: { description: "The keys", bodies: json("KeyList") }, ...asOperator },
  },
  {
    id: "revokeKey",
    method: "delete",
    path: paths.admin.key,
    summary: "Revokes a key at once",
    auth: "admin",
    parameters: [inPath("id", "The key's id")],
    answers: { 204: { description: "It is revoked" }, ...asOperator, 404: problem("No such key") },
  },
  {
    id: "listRuns",
    method: "get",
    path: paths.admin.runs,
    summary: "A line for each request, refused ones too, newest first; the cause says why there is no reply",
    auth: "admin",
    parameters: [
      {
        name: "state",
        in: "query",
        description: "open: whatever has not ended; or one state alone",
        schema: { type: "string", enum: ["all", "open", ...openStates, ...endStates] },
      },
      { name: "server", in: "query", description: "An MCP server's name; control for what came by POST /control" },
      { name: "key", in: "query", description: "A key's id" },
      { name: "since", in: "query", description: "Begun then or later: a time or a day in ISO 8601" },
      { name: "after", in: "query", description: "`next` of the answer before: the lines that follow" },
      {
        name: "limit",
        in: "query",
        description: "1 to 500, 100 where it is not given",
        schema: { type: "integer", minimum: 1, maximum: 500 },
      },
    ],
    answers: { 200: { description: "The lines, and where to go on", bodies: json("RunList") }, 400: problem("Not valid"), ...asOperator },
  },
  {
    id: "getOperatorRun",
    method: "get",
    path: paths.admin.run,
    summary: "One request, whether it waits, was answered at once or was refused: without what was asked or answered",
    auth: "admin",
    parameters: [inPath("id", "Its id in GET /admin/runs")],
    answers: { 200: { description: "The request", bodies: json("OperatorRun") }, ...asOperator, 404: problem("No such request") },
  },
  {
    id: "listNotices",
    method: "get",
    path: paths.admin.notices,
    summary: "Notices to reviewers, newest last; links of the outbox channel only",
    auth: "admin",
    parameters: [
      { name: "state", in: "query", description: "open: of reviews that still wait", schema: { type: "string", enum: ["open", "all"] } },
      { name: "before", in: "query", description: "Older notices: a time or a day in ISO 8601" },
      { name: "limit", in: "query", description: "1 to 500", schema: { type: "integer", minimum: 1, maximum: 500 } },
    ],
    answers: { 200: { description: "The notices", bodies: json("NoticeList") }, 400: problem("Not valid"), ...asOperator },
  },
  {
    id: "listGrants",
    method: "get",
    path: paths.admin.grants,
    summary: "What reviewers allowed for later requests, key by key, the newest of each key first",
    auth: "admin",
    parameters: [
      { name: "key", in: "query", description: "A key's id: the grants of that key alone" },
      { name: "after", in: "query", description: "`next` of the answer before: the keys that follow" },
      { name: "state", in: "query", description: "live: those that may still be used", schema: { type: "string", enum: ["live", "all"] } },
    ],
    answers: {
      200: { description: "The grants of up to 40 keys, and where to go on", bodies: json("GrantList") },
      400: problem("Not valid"),
      ...asOperator,
    },
  },
  {
    id: "revokeGrant",
    method: "delete",
    path: paths.admin.grant,
    summary: "Ends a grant at once: the next request is asked about",
    auth: "admin",
    parameters: [inPath("id", "The grant's id")],
    answers: { 204: { description: "It has ended" }, ...asOperator, 404: problem("No such grant") },
  },
  {
    id: "exportRecord",
    method: "get",
    path: paths.admin.record,
    summary: "The record, a line an event, each run's events in order. That it was exported is an event itself",
    auth: "admin",
    parameters: [{ name: "run", in: "query", description: "The events of this request, or of this chain of operators' acts, alone" }],
    answers: {
      200: { description: "The record", bodies: [{ type: "application/x-ndjson" }] },
      400: problem("Not valid"),
      ...asOperator,
    },
  },
  {
    id: "doctor",
    method: "post",
    path: paths.admin.doctor,
    summary: "Checks the configuration, providers and channels by asking them too, and says what to mend; changes nothing",
    auth: "admin",
    answers: { 200: { description: "The checks", bodies: json("Diagnosis") }, ...asOperator },
  },
];

const open: readonly Operation[] = [
  {
    id: "health",
    method: "get",
    path: paths.health,
    summary: "Whether the gateway can serve, and what to mend",
    auth: "none",
    answers: { 200: { description: "It serves", bodies: json("Health") }, 503: { description: "It does not", bodies: json("Health") } },
  },
  {
    id: "openapi",
    method: "get",
    path: paths.openapi,
    summary: "This description",
    auth: "none",
    answers: { 200: { description: "OpenAPI 3.1", bodies: json("OpenApi") } },
  },
];

const plain = (description: string): Answer => ({ description, bodies: [{ type: "text/plain" }] });

const slack: readonly Operation[] = [
  {
    id: "slackInteractions",
    method: "post",
    path: paths.slackInteractions,
    summary: "What Slack sends when somebody presses a button of a review's message or submits a dialog",
    auth: "slack",
    parameters: [
      {
        name: "X-Slack-Signature",
        in: "header",
        description: "v0= and 64 hexadecimal digits, over the timestamp and the body",
        required: true,
      },
      { name: "X-Slack-Request-Timestamp", in: "header", description: "Unix seconds, within 300 of now", required: true },
    ],
    body: { type: "application/x-www-form-urlencoded" },
    answers: {
      200: { description: "Heard, whatever came of it; empty, or JSON that changes the dialog", bodies: [{ type: "application/json" }] },
      400: plain("Signed, and not an interaction"),
      401: plain("Not signed by Slack, or not just now"),
      404: plain("Slack is not set up as an app here"),
      413: plain("Over a megabyte"),
      500: plain("A fault of the gateway, with an id to quote"),
    },
  },
];

const server = inPath("server", "The server's name in the servers document");
const relaySession = { name: "Mcp-Session-Id", in: "header", description: "As initialize answered it", required: true } as const;
const rpcFault = (description: string): Answer => ({ description, bodies: json("RpcAnswer") });
const passed = { description: "The server's answer, as it came", bodies: [{ type: "application/json" }, { type: "text/event-stream" }] };
/** Whatever it is, it goes on as it came. */
const serversOwn: Answer = { description: "The MCP server's own answer, with its status" };
const relayAnswers = {
  401: unauthorized,
  403: rpcFault("The key lacks the scope sampling or is not for this server, or a page of this origin may not use it"),
  404: rpcFault("No such server, or the session is not one of this key and server: begin a new one"),
  429: flooded,
  502: rpcFault("The server cannot be reached, answered with a redirect, or its secret is not set"),
};

const relay: readonly Operation[] = [
  {
    id: "relayMessage",
    method: "post",
    path: paths.mcp,
    summary: "The MCP relay: messages of the client to its server, Streamable HTTP of the 2025 revisions",
    auth: "key",
    parameters: [server, { ...relaySession, required: false, description: "As initialize answered it; with every message after that" }],
    body: { type: "application/json" },
    answers: {
      200: passed,
      202: { description: "Taken, where there is nothing to answer" },
      400: rpcFault("Without a session id"),
      ...relayAnswers,
      413: rpcFault("-32015: over the key's limit of bytes"),
    },
    otherwise: serversOwn,
  },
  {
    id: "relayListen",
    method: "get",
    path: paths.mcp,
    summary: "The server's stream that belongs to no request, or one that is resumed with Last-Event-ID",
    auth: "key",
    parameters: [server, relaySession, { name: "Last-Event-ID", in: "header", description: "An event id of this session" }],
    answers: { 200: passed, 400: rpcFault("Without a session id, or an event id of another session"), ...relayAnswers },
    otherwise: serversOwn,
  },
  {
    id: "relayEnd",
    method: "delete",
    path: paths.mcp,
    summary: "Ends the session, here and at the server: its reviews are withdrawn",
    auth: "key",
    parameters: [server, relaySession],
    answers: { 200: { description: "The server's answer" }, 400: rpcFault("Without a session id"), ...relayAnswers },
    otherwise: serversOwn,
  },
];

/** What the review page's, the control endpoint's and Slack's operations say in their own form, and every other one as JSON-RPC does. */
const fault = rpcError("-32603: a fault of the gateway, with an id to quote");

export const operations: readonly Operation[] = [...sampling, ...relay, ...review, ...slack, ...operator, ...open].map((operation) => ({
  ...operation,
  answers: { 500: fault, ...operation.answers },
}));
