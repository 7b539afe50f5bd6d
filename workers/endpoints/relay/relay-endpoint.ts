// The MCP relay, Streamable HTTP: a client without sampling talks to its server through it. Client
// and server may speak different families of revisions: those with sessions (until 2025-11-25), and
// those without (since 2026-07-28). Each pair has a folder:
//
//   sessions     both with sessions: bytes pass as they came
//   stateless    both without
//   translated   a client with sessions, at a server without
//   bridged      a client without, at a server with sessions
//
// calls/ has the rounds of a call, which the last three share; sampling/ how the gateway answers a
// server's sampling in all four; reviewed/ how a client's call of a tool waits for a person before.

import { Hono } from "hono";
import { readClientMessage } from "../../../shared/relay/client-message.ts";
import { keyEndRefusal } from "../../../shared/model/outcome.ts";
import { defaultLimits, mostInBatch } from "../../../shared/policy/limits.ts";
import { isLaterRevision } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { refusedIds } from "../../../shared/wire/json-rpc.ts";
import { readBytes } from "../../http/body.ts";
import { watchKey } from "../../pipeline/wait/key-watch.ts";
import { paths } from "../../platform/urls.ts";
import { named } from "../answer-schema.ts";
import type { App, AppContext } from "../app-context.ts";
import { refuseKnown } from "../auth.ts";
import { inHeader, inPath, jsonBody, noGoodKey, rateLimited, rpcError, tooLarge } from "../openapi/answers.ts";
import { type Description, describe, saying } from "../openapi/describe.ts";
import { forPages } from "./mcp-origin.ts";
import { endSession, listenInSession } from "./sessions/session-relay.ts";
import { throughLogin } from "./own-login.ts";
import { withOwnResponses } from "./own-responses.ts";
import { declaringTasks } from "./reviewed/declared-tasks.ts";
import { throughReview } from "./reviewed/reviewed-call.ts";
import { taskAnswer } from "./reviewed/task-requests.ts";
import { refusedToolCall, withShownTools } from "./shown-tools.ts";
import { type WatchedRelayRequest, authorizeRelayRequest, refuseWith, sessionHeader } from "./relay-request.ts";

export const mcpRoutes = new Hono<App>();

/** A handler that runs once `authorizeRelayRequest` has let the client in. */
const withRelayAccess = (handle: (c: AppContext, relay: WatchedRelayRequest) => Promise<Response>) =>
  saying(async (c: AppContext): Promise<Response> => {
    const relay = await authorizeRelayRequest(c);
    if (relay instanceof Response) return relay;
    // A server may answer after the key ended, and its answer is dropped then. A stream watches its
    // key by itself.
    const watch = watchKey(c.env, c.var.key);
    const answer = handle(c, { ...relay, over: watch.over, slow: watch.slow })
      .then((given) => withOwnResponses(c, relay, given))
      .then((given) => withShownTools(c, relay, given));
    const first = await Promise.race([answer, watch.ended]);
    if (typeof first !== "string") {
      watch.done();
      return first;
    }
    c.executionCtx.waitUntil(answer.then(({ body }) => body?.cancel()).catch(() => {}));
    return refuseKnown(c, "relay", keyEndRefusal(first), { server: relay.name });
  }, ofRelay);

const ofRelay: Description = {
  auth: "key",
  parameters: [inPath("server", "The server's name in the servers document")],
  401: noGoodKey,
  403: rpcError("The key lacks the scope sampling or is not for this server, or a page of this origin may not use it"),
  404: rpcError("No such server, or the session is not one of this key and server: begin a new one"),
  429: rateLimited,
  502: rpcError("The server cannot be reached, answered with a redirect, or its secret is not set"),
  otherwise: "The MCP server's own answer, with its status",
};

const passed = {
  description: "The server's answer, as it came",
  bodies: [{ type: "application/json" }, { type: "text/event-stream" }],
};
const session = inHeader(sessionHeader, "As initialize answered it", true);

const mcpMessages = named("McpMessages", () => ({
  type: ["object", "array"],
  description: "A JSON-RPC message; a batch of them where the revision has batches",
}));

const relayMessage = describe("relayMessage", {
  summary: "The MCP relay: messages of the client to its server, Streamable HTTP with sessions (until 2025-11-25) or without (2026-07-28)",
  parameters: [
    inHeader(sessionHeader, "As initialize answered it; with every message after that. None in 2026-07-28"),
    inHeader("MCP-Protocol-Version", "2026-07-28, with Mcp-Method and Mcp-Name, for a request that stands for itself"),
  ],
  body: jsonBody(mcpMessages),
  200: passed,
  202: "Taken, where there is nothing to answer",
  400: rpcError("Without a session id; in 2026-07-28 also -32020, -32021, -32022, and -32602 for _meta or a requestState"),
  413: tooLarge,
});

const relayListen = describe("relayListen", {
  summary: "The server's stream that belongs to no request, or one that is resumed with Last-Event-ID",
  parameters: [session, inHeader("Last-Event-ID", "An event id of this session")],
  200: passed,
  400: rpcError("Without a session id, or an event id of another session"),
});

const relayEnd = describe("relayEnd", {
  summary: "Ends the session, here and at the server: its reviews are withdrawn",
  parameters: [session],
  200: "The server's answer",
  400: rpcError("Without a session id"),
});

/** There is neither a stream to listen to nor a session to end since 2026-07-28. */
const inSession =
  (handle: (c: AppContext, relay: WatchedRelayRequest) => Promise<Response>) =>
  async (c: AppContext, relay: WatchedRelayRequest): Promise<Response> =>
    isLaterRevision(c.req.header("MCP-Protocol-Version"))
      ? refuseWith(c, 405, "Use POST: this revision of the protocol has no sessions", { Allow: "POST" })
      : handle(c, relay);

mcpRoutes.use(paths.mcp, forPages);
mcpRoutes.post(paths.mcp, relayMessage, withRelayAccess(post));
mcpRoutes.get(paths.mcp, relayListen, withRelayAccess(inSession(listenInSession)));
mcpRoutes.delete(paths.mcp, relayEnd, withRelayAccess(inSession(endSession)));
mcpRoutes.all(paths.mcp, (c) => refuseWith(c, 405, "Use POST, GET or DELETE", { Allow: "POST, GET, DELETE" }));

async function post(c: AppContext, relay: WatchedRelayRequest): Promise<Response> {
  // Servers that decode by the charset (Express, the TypeScript SDK) read other JSON in UTF-7:
  // `+ACI-` is a quotation mark there.
  if (namesOtherCharset(c.req.header("Content-Type")))
    return refuseWith(c, 400, "Parse error: send JSON in UTF-8; Content-Type names another charset", {}, -32_700);
  const { bodyBytes } = c.var.key.limits ?? defaultLimits;
  const body = await readBytes(c.req.raw, bodyBytes);
  if (body === "tooLarge") return refuseKnown(c, "relay", { kind: "tooLarge", limitBytes: bodyBytes }, { server: relay.name, id: null });
  const read = readClientMessage(body);
  const value = read.ok ? read.value : read.error.value;
  c.set("ids", refusedIds(value));
  if (!read.ok) return refuseWith(c, 400, read.error.message, {}, read.error.code);
  // Before any message of it is looked at: each cancellation asks the session's object.
  if (Array.isArray(value) && value.length > mostInBatch) return refuseWith(c, 400, `Send at most ${mostInBatch} messages in a batch`);
  const refused = await refusedToolCall(c, relay, value);
  if (refused !== null) return refused;
  const came = { value, body };
  const ofTask = await taskAnswer(c, relay, came);
  if (ofTask !== null) return ofTask;
  const answer = await throughLogin(c, relay, came, (message, watched) => throughReview(c, watched, message));
  return declaringTasks(c, relay, came, answer);
}

const namesOtherCharset = (contentType = ""): boolean =>
  /charset/i.test(contentType) && !/^[^;]*;\s*charset=("?)utf-?8\1\s*$/i.test(contentType);
