// The message of a call as it is sent, once it may be: what changes in it beside its receipt.

import { fromUtf8, utf8ToBytes } from "../../../../shared/encoding.ts";
import { type Edit, edited, memberOf, withMembers } from "../../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { argumentEdits } from "../../../../shared/relay/call-notices.ts";
import { clientCapabilitiesKey } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import { declaresTasks, withoutTasks } from "../stateless/call-tasks.ts";
import { paramsIn } from "./waiting-state.ts";

export function changed({ body }: PostedMessage, edits: readonly Edit[]): PostedMessage {
  const bytes = edited(body, edits);
  return { body: bytes, value: parseJson(fromUtf8(bytes)) };
}

/** The message with these arguments; byte for byte as it came where they are the same. */
export const withArguments = (message: PostedMessage, before: string, after: string): PostedMessage =>
  before === after ? message : changed(message, argumentEdits(message.body, after));

/**
 * A call whose result the gateway has to have does not become a task of its server: that would give
 * its result to another request.
 */
export function withoutTasksIn(message: PostedMessage): PostedMessage {
  const meta = memberOf(message.body, paramsIn(message.body), "_meta");
  const declared = objectOf(objectOf(objectOf(message.value)?.["params"])?.["_meta"]);
  if (meta === undefined || declared === null || !declaresTasks(objectOf(declared[clientCapabilitiesKey]) ?? {})) return message;
  return changed(message, withMembers(message.body, meta, { [clientCapabilitiesKey]: withoutTasks(declared)[clientCapabilitiesKey] }));
}

/** A message of the gateway's own to a client's server. */
export function writtenMessage(message: object): PostedMessage {
  const text = JSON.stringify(message);
  return { value: JSON.parse(text) as unknown, body: utf8ToBytes(text) };
}
