// The message of a call as it is sent, once it may be: what changes in it beside its receipt.

import { fromUtf8, utf8ToBytes } from "../../../../shared/encoding.ts";
import { type Edit, edited, withoutMember } from "../../../../shared/json/spans.ts";
import { parseJson } from "../../../../shared/json/values.ts";
import { type ToolCall, argumentsJsonOf, inputResponsesJsonOf } from "../../../../shared/model/subject/tool-call.ts";
import { argumentEdits, inputResponsesIn } from "../../../../shared/relay/call-notices.ts";
import { paramsIn, withId, withoutTasksEdits } from "../../../../shared/relay/message-bytes.ts";
import { toRequestId } from "../../../../shared/wire/json-rpc.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";

/** The message with edits made; itself where there are none. */
export function changed(message: PostedMessage, edits: readonly Edit[]): PostedMessage {
  if (edits.length === 0) return message;
  const body = edited(message.body, edits);
  return { body, value: parseJson(fromUtf8(body)) };
}

/**
 * The message with the arguments and the client's answers that were approved; byte for byte as it
 * came where they are the same.
 */
export function asApproved(message: PostedMessage, came: ToolCall, approved: ToolCall): PostedMessage {
  const [before, after] = [argumentsJsonOf(came), argumentsJsonOf(approved)];
  const [given, sent] = [inputResponsesJsonOf(came), inputResponsesJsonOf(approved)];
  if ((given === null) !== (sent === null)) throw new Error("an approval of other answers");
  const span = inputResponsesIn(message.body);
  return changed(message, [
    ...(before === after ? [] : argumentEdits(message.body, after)),
    ...(sent === null || given === sent || span === undefined ? [] : [{ ...span, text: sent }]),
  ]);
}

/**
 * A call whose result the gateway has to have does not become a task of its server: that would give
 * its result to another request.
 * @param isHeld of a session whose revision has no tasks: its server may know the word even so.
 */
export const withoutTasksIn = (message: PostedMessage, isHeld: boolean): PostedMessage =>
  changed(message, [...(isHeld ? withoutMember(message.body, paramsIn(message.body), "task") : []), ...withoutTasksEdits(message.body)]);

/**
 * A call whose result the gateway keeps, under an id of the gateway's own. The requests of a
 * session share their ids: a client that asked for something else with this call's id could get the
 * result as the answer to that.
 */
export function underOwnId(message: PostedMessage): PostedMessage {
  const body = withId(message.body, JSON.stringify(crypto.randomUUID()));
  return { body, value: parseJson(fromUtf8(body)) };
}

/** Tells the server of a call that nobody waits for it any more. */
export const cancellationOf = (id: unknown, reason: string): PostedMessage =>
  writtenMessage({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: toRequestId(id), reason } });

/** A message of the gateway's own to a client's server. */
export function writtenMessage(message: object): PostedMessage {
  const text = JSON.stringify(message);
  return { value: JSON.parse(text) as unknown, body: utf8ToBytes(text) };
}
