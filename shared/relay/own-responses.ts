// Which responses a client may get where people review what its calls return: those to the requests
// of the same exchange. Clients match a response by its id on whatever stream it comes, so a server
// could hand over by another one what waits for its review.

import { type Span, membersOf, textAt } from "../json/spans.ts";
import { parseJson } from "../json/values.ts";
import { idKey, toRequestId } from "../wire/json-rpc.ts";
import { foldedName } from "./member-names.ts";
import { messagesIn } from "./message-bytes.ts";

/** Whether a text may hold a response, in any case. An escape may hide any word. */
export const mayRespond = (text: string): boolean => /result|error|\\u/iu.test(text);

/**
 * A server's text, one message or a batch, without responses to other requests than `own` (the
 * `idKey` of each). Undefined: it passes as it is. Null: nothing of it passes.
 */
export function withoutOtherResponses(text: string, own: ReadonlySet<string>): string | null | undefined {
  if (!mayRespond(text)) return undefined;
  // Some clients read more than JSON (`NaN`).
  if (parseJson(text) === undefined) return null;
  const bytes = new TextEncoder().encode(text);
  const messages = messagesIn(bytes);
  const left = messages.filter((message) => !isOther(bytes, message, own));
  if (left.length === messages.length) return undefined;
  return left.length === 0 ? null : `[${left.map((message) => textAt(bytes, message)).join(",")}]`;
}

/** Whether some client may read a response in it, to another request. */
function isOther(bytes: Uint8Array, message: Span, own: ReadonlySet<string>): boolean {
  const members = membersOf(bytes, message).map((member) => ({ ...member, name: foldedName(member.name) }));
  const isThere = (wanted: string): boolean => members.some(({ name }) => name === wanted);
  if (!isThere("RESULT") && !isThere("ERROR")) return false;
  const [id, ...more] = members.filter(({ name }) => name === "ID").map((member) => parseJson(textAt(bytes, member)));
  // The error of a message that could not be read answers no request.
  if (!isThere("RESULT") && more.length === 0 && (id === undefined || id === null)) return false;
  const request = toRequestId(id);
  return more.length > 0 || request === undefined || !own.has(idKey(request));
}
