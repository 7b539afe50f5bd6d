// The message of a call as it is sent, once it may be: what changes in it beside its receipt.

import { paramsIn } from "../../../../shared/relay/rounds.ts";
import { fromUtf8, utf8ToBytes } from "../../../../shared/encoding.ts";
import { type Edit, edited, memberOf, withMembers, withoutMember } from "../../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { type ToolCall, argumentsJsonOf, inputResponsesJsonOf } from "../../../../shared/model/subject/tool-call.ts";
import { argumentEdits, inputResponsesIn } from "../../../../shared/relay/call-notices.ts";
import { toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { clientCapabilitiesKey } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import { declaresTasks, withoutTasks } from "../stateless/call-tasks.ts";

export function changed({ body }: PostedMessage, edits: readonly Edit[]): PostedMessage {
  const bytes = edited(body, edits);
  return { body: bytes, value: parseJson(fromUtf8(bytes)) };
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
  const edits = [
    ...(before === after ? [] : argumentEdits(message.body, after)),
    ...(sent === null || given === sent || span === undefined ? [] : [{ ...span, text: sent }]),
  ];
  return edits.length === 0 ? message : changed(message, edits);
}

/**
 * A call whose result the gateway has to have does not become a task of its server: that would give
 * its result to another request.
 * @param isHeld of a session whose revision has no tasks: its server may know the word even so.
 */
export function withoutTasksIn(came: PostedMessage, isHeld: boolean): PostedMessage {
  const word = isHeld ? withoutMember(came.body, paramsIn(came.body), "task") : [];
  const message = word.length === 0 ? came : changed(came, word);
  const meta = memberOf(message.body, paramsIn(message.body), "_meta");
  const declared = objectOf(objectOf(objectOf(message.value)?.["params"])?.["_meta"]);
  if (meta === undefined || declared === null || !declaresTasks(objectOf(declared[clientCapabilitiesKey]) ?? {})) return message;
  return changed(message, withMembers(message.body, meta, { [clientCapabilitiesKey]: withoutTasks(declared)[clientCapabilitiesKey] }));
}

/**
 * A call whose result the gateway keeps, under an id of the gateway's own. The requests of a
 * session share their ids: a client that asked for something else with this call's id could get the
 * result as the answer to that.
 */
export function underOwnId(message: PostedMessage): PostedMessage {
  const id = memberOf(message.body, { from: 0, to: message.body.length }, "id");
  return id === undefined ? message : changed(message, [{ ...id, text: JSON.stringify(crypto.randomUUID()) }]);
}

/** Tells the server of a call that nobody waits for it any more. */
export const cancellationOf = (id: unknown, reason: string): PostedMessage =>
  writtenMessage({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: toRequestId(id), reason } });

/** A message of the gateway's own to a client's server. */
export function writtenMessage(message: object): PostedMessage {
  const text = JSON.stringify(message);
  return { value: JSON.parse(text) as unknown, body: utf8ToBytes(text) };
}
