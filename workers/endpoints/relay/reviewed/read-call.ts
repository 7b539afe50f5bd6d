// A client's `tools/call` as it is read before anything is decided about it: which call it is, what
// is known of its tool, and the request of the pipeline that it makes.

import type { LoginAccount } from "../../../../shared/credential/login-account.ts";
import { digestOf, toBase64url } from "../../../../shared/encoding.ts";
import { objectOf } from "../../../../shared/json/values.ts";
import type { CallFacts } from "../../../../shared/model/judged-request.ts";
import { type ToolCall, definitionOf } from "../../../../shared/model/subject/tool-call.ts";
import { once } from "../../../../shared/once.ts";
import { hintsOf } from "../../../../shared/policy/tool-hints.ts";
import { callMethod } from "../../../../shared/relay/call-notices.ts";
import { relayedCall } from "../../../../shared/run/relayed-tool-call.ts";
import { type RequestId, failure, idKey, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { strayParamHeader } from "../../../../shared/wire/mcp-2026/param-headers.ts";
import { headerMismatchCode, isStateless, readStateless } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { jsonResponse } from "../../../http/json-response.ts";
import { originatingKey } from "../../../pipeline/incoming/sampling-call.ts";
import type { Association, PipelineRequest } from "../../../pipeline/pipeline-request.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { knownTool } from "../../../stores/tools.ts";
import { sessionStub } from "../../../stubs/stubs.ts";
import type { AppContext } from "../../app-context.ts";
import { intoCell } from "../into-cell.ts";
import { type WatchedRelayRequest, refuseWith } from "../relay-request.ts";
import { associationSession } from "../sampling/relay-sampling.ts";
import { type PostedMessage, sessionOf } from "../sessions/session-relay.ts";
import { isTranslated } from "../translated/translated-relay.ts";
import type { CameCall } from "./approved-call.ts";
import { type TaskWish, taskWishOf } from "./tasked-call.ts";
import { attemptOf, broughtBack, contentOf } from "./waiting-state.ts";

/** A call that a rule may be about, with all that goes on with it. */
export type ReviewedCall = CameCall & {
  readonly id: RequestId;
  /** How often its client came back with it. */
  readonly times: number;
  /** Unix milliseconds. */
  readonly cameAt: number;
  /** The client takes no other result than a task of 2025-11-25. */
  readonly wantsTask: boolean;
  /** Null: it wants no task. */
  readonly wish: TaskWish | null;
  /** The session that the held response ends with; empty: its key alone. */
  readonly endsWith: string;
  /** Its server tells the requests of a session apart by the client's ids alone. */
  readonly sharesIds: boolean;
  readonly incoming: PipelineRequest;
};

/** The call, or the response where its cell would refuse it anyway. */
export async function readCall(c: AppContext, relay: WatchedRelayRequest, came: PostedMessage): Promise<ReviewedCall | Response> {
  const stateless = isStateless(came.value, c.req.raw.headers);
  if (stateless && !readStateless(came.value, c.req.raw.headers).ok) return intoCell(c, relay, came);
  const message = stateless ? broughtBack(settingsOf(c.env).keys, "review", relay, came) : { ...came, times: 0 };
  if (message === null) return refuseWith(c, 400, "Invalid params: this requestState is not one of this call", {}, -32_602);
  const { value, body, times } = message;
  const session = stateless ? null : await sessionOf(c, relay);
  if (session instanceof Response) return session;
  const id = toRequestId(objectOf(value)?.["id"]);
  if (id === undefined) return refuseWith(c, 400, "A tools/call needs an id: a text or a whole number");
  const call = relayedCall(body, value, relay.name);
  if (!call.ok) return jsonResponse(failure(id, { code: -32_602, message: call.error }), stateless ? 400 : 200);
  const { definition, facts } = await toolOf(c, relay, call.value);
  const stray = stateless ? strayParamHeader(c.req.raw.headers, call.value.arguments, definition?.inputSchema ?? null) : null;
  if (stray !== null) {
    const message = `Header mismatch: ${stray} does not repeat an argument of this call`;
    return jsonResponse(failure(id, { code: headerMismatchCode, message }), 400);
  }
  const name = session === null ? "" : associationSession(session);
  // No request repeats another: the same call finds its review by what it is.
  const request = `call.${toBase64url(crypto.getRandomValues(new Uint8Array(refLength)))}`;
  const association: Association =
    session === null
      ? { kind: "unrepeatable", requestRef: { session: null, originating: callMethod, request } }
      : ((stub) => ({
          kind: "clientRequest" as const,
          session: stub,
          requestRef: { session: stub.id.toString(), originating: callKey(relay.name, id), request },
        }))(sessionStub(c.env, c.var.key.id, name));
  const { account } = relay.server.login ?? {};
  const sentContent = once(() => (account === undefined ? contentOf(relay, body) : ofAccount(contentOf(relay, body), account)));
  const attempt = attemptOf(body);
  const incoming: PipelineRequest = {
    ...plannedBy(c, relay, { ...call.value, ...(definition === null ? {} : { definition }) }, facts),
    requestId: idKey(id),
    act: "release",
    association,
    digest: request,
    content: attempt === null ? sentContent : once(() => ofAttempt(sentContent(), attempt)),
    ...(attempt === null ? {} : { sentContent }),
    responseMode: { kind: "sync" },
    isRetry: true,
    signal: new AbortController().signal,
  };
  const wish = taskWishOf(message, session);
  return {
    c,
    relay,
    message,
    call: call.value,
    isStateless: stateless,
    id,
    times,
    cameAt: Date.now(),
    wantsTask: !stateless && wish !== null,
    wish,
    endsWith: name,
    sharesIds: session !== null && !isTranslated(session),
    incoming,
  };
}

const refLength = 16;

/** A call for one account is another call than the same for another: it gets another review. */
const ofAccount = (content: string, account: LoginAccount): string => digestOf("countersign/call-of-account/v1", { content, account });

/**
 * What the server gets with one attempt alone was shown and decided with it: the same call with
 * other answers, or without any, gets a review of its own.
 */
const ofAttempt = (content: string, attempt: string): string => digestOf("countersign/attempt-at-call/v1", { content, attempt });

/** The client's request as its session knows it, apart from what is sampled for it. */
export const callKey = (server: string, id: RequestId): string => `call.${originatingKey(server, id)}`;

/** What is known of the tool beside its name: what a reviewer is shown, and what rules judge. */
export async function toolOf(c: AppContext, relay: WatchedRelayRequest, { tool }: ToolCall) {
  const known = await knownTool(c.env, relay, tool, c.var.key.id);
  const facts: CallFacts = {
    hints: hintsOf(known.annotations ?? undefined, relay.server.trustAnnotations),
    firstUse: known.isFirstUse,
    ...(known.state === "unknown" ? {} : { definitionChanged: known.state !== "accepted" }),
  };
  return { definition: known.definition === null ? null : definitionOf(known.definition), facts };
}

export const plannedBy = (c: AppContext, relay: WatchedRelayRequest, call: ToolCall, facts: CallFacts) => ({
  env: c.env,
  ctx: c.executionCtx,
  key: c.var.key,
  endpoint: "relay" as const,
  requestor: {
    server: relay.name,
    method: callMethod,
    name: call.tool,
    provenance: "observed" as const,
    ...(relay.server.login?.account === undefined ? {} : { account: relay.server.login.account }),
  },
  request: call,
  call: facts,
  receipts: relay.server.receipts,
});
