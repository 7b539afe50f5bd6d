// The gateway's own response to a client's call: a result that a model reads, in the way that the
// client takes it; and how a response is held until there is one.

import type { JsonObject } from "../../../../shared/encoding.ts";
import { objectOf } from "../../../../shared/json/values.ts";
import type { Refusal } from "../../../../shared/model/outcome.ts";
import type { ToolCall } from "../../../../shared/model/subject/tool-call.ts";
import { callMethod, noticeText } from "../../../../shared/relay/call-notices.ts";
import { metaOf, paramsOf } from "../../../../shared/relay/messages.ts";
import type { RunProgress } from "../../../../shared/review/view.ts";
import { refusedNotice } from "../../../../shared/run/relayed-tool-call.ts";
import { failure, responseMessage, success, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { isStateless } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { jsonResponse } from "../../../http/json-response.ts";
import { keepAliveJson, keptAlive } from "../../../http/keep-alive.ts";
import { recordRefusal } from "../../../pipeline/record/refusals.ts";
import { settingsOf } from "../../../platform/settings.ts";
import type { AppContext } from "../../app-context.ts";
import { refuseKnown } from "../../auth.ts";
import { ResponseStream, eventResponse } from "../calls/response-stream.ts";
import type { WatchedRelayRequest } from "../relay-request.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import type { AnswerSink } from "./call-answer.ts";
import type { ReviewedCall } from "./read-call.ts";

/** What the gateway's own response to a call depends on. */
type AnsweredCall = Pick<ReviewedCall, "c" | "relay" | "id" | "isStateless" | "wantsTask">;

/** A result of the gateway's own as the whole response. */
export const answered = (call: AnsweredCall, result: JsonObject): Response => jsonResponse(responseWith(call, result));

/** The response with a result of the gateway's own. */
export function responseWith({ id, isStateless: stateless, wantsTask }: AnsweredCall, result: JsonObject): JsonObject {
  // The only result that a client takes here is a task.
  if (wantsTask) return responseMessage(id, { error: { code: -1, message: noticeText(result), data: objectOf(result["_meta"]) ?? {} } });
  return { ...success(id, stateless ? { resultType: "complete", ...result } : result) };
}

/** Refuses a message that has calls, before they are read. */
export function refusedUnread(
  c: AppContext,
  relay: WatchedRelayRequest,
  { value }: PostedMessage,
  refusal: Refusal,
): Promise<Response> | Response {
  const params = paramsOf(value);
  const tool = typeof params?.["name"] === "string" ? params["name"].slice(0, longestName).toWellFormed() : "";
  const id = toRequestId(objectOf(value)?.["id"]);
  if (id === undefined) return refuseKnown(c, "relay", refusal, { server: relay.name, method: callMethod });
  const stateless = isStateless(value, c.req.raw.headers);
  const wantsTask = !stateless && params?.["task"] !== undefined;
  return refused({ c, relay, id, isStateless: stateless, wantsTask, call: { tool } }, refusal);
}

const longestName = 512;

/** Refuses a call, and records that. */
export function refused(read: AnsweredCall & { readonly call: Pick<ToolCall, "tool"> }, refusal: Refusal): Promise<Response> | Response {
  const { c, relay, call } = read;
  const about = { server: relay.name, method: callMethod, name: call.tool };
  const result = refusedNotice(refusal);
  if (result === null) return refuseKnown(c, "relay", refusal, about);
  recordRefusal(c.env, c.executionCtx, { key: c.var.key.id, endpoint: "relay", ...about }, refusal);
  return answered(read, result);
}

/** Where a held response goes: events as they come, and the response last. */
export type HeldSink = AnswerSink & {
  readonly say: (state: RunProgress) => void;
  readonly left: AbortSignal;
  /** Whether its client is still there. */
  readonly reachesClient: () => Promise<boolean>;
};
/** Null: it is written already. */
export type HeldResponse = { readonly response: JsonObject | string | null };

/** What a call waits for, for its client. */
const progressWords: Readonly<Record<RunProgress, string>> = {
  waiting: "Waiting for a person to review the call",
  generating: "The call is running",
  responseReview: "Waiting for a person to review the result",
  completed: "Delivering the result",
  rejected: "Delivering the decision",
  expired: "Nobody decided in time",
  cancelled: "The call was withdrawn",
  failed: "The call failed",
};

/** A response that is held: as events where the client takes them, else as one JSON value. */
export function heldResponse(
  { c, id, message, endsWith }: Pick<ReviewedCall, "c" | "id" | "message" | "endsWith">,
  work: (sink: HeldSink) => Promise<HeldResponse>,
  words = progressWords,
): Response {
  const broken = (quote: string): JsonObject => ({
    ...failure(id, { code: -32_603, message: `Something went wrong at the gateway (${quote})` }),
  });
  if (!/text\/event-stream/i.test(c.req.header("Accept") ?? ""))
    return keepAliveJson(
      keptAlive<HeldResponse>(c.req.raw.signal, {
        work: (say, left) => work({ say, left, pass: null, reachesClient: async () => !left.aborted }),
        encode: ({ response }) => (typeof response === "string" ? response : JSON.stringify(response)),
        broken: (quote) => ({ response: broken(quote) }),
        heartbeatMs: settingsOf(c.env).heartbeatMs,
      }),
    );
  const stream = new ResponseStream(c, {
    id,
    progressToken: toRequestId(metaOf(message.value)?.["progressToken"]),
    session: endsWith,
    // An approval that comes before a heartbeat would be claimed for nobody.
    disconnected: c.req.raw.signal,
  });
  stream.run(async () => {
    const { response } = await work({
      say: (state) => stream.say(state, words),
      left: stream.left,
      pass: (event) => stream.write(event),
      reachesClient: () => stream.reachesClient(),
    });
    if (typeof response !== "string") return response;
    await stream.write(response);
    return null;
  });
  return eventResponse(stream);
}
