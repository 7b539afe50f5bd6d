// The relay refuses a client's message that two JSON libraries could read as two messages, before
// anything in it is read or judged.
//
// The attack: a server whose library takes a name in any case reads `InputResponses` as
// `inputResponses`, or the last of two members `name`. A client could so answer its server's
// sampling itself, or run another tool than the one that was judged. Libraries for Go and .NET
// ignore case, Go's also folds U+017F to s and U+212A to k, and pydantic takes `input_responses`
// for `inputResponses`.

import { type Span, elementsOf, membersOf, whole } from "../json/spans.ts";

/** A member that a server may read as the protocol's `meant`. */
type AmbiguousName = { readonly pointer: string; readonly written: string; readonly meant: string };

/** A name as the most lenient of readers sees it: its letters and digits, in one case. */
export const foldedName = (name: string): string =>
  name
    .toLowerCase()
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "");

const byFolded = (names: readonly string[]): ReadonlyMap<string, string> => new Map(names.map((name) => [foldedName(name), name]));
const ofMessage = byFolded(["jsonrpc", "id", "method", "params", "result", "error"]);
const ofParams = byFolded(["_meta", "inputResponses", "requestState", "name", "uri", "arguments", "task", "taskId"]);

/**
 * The first member of a message, or of its params, that is there twice or is written otherwise than
 * the protocol writes it; of a batch, in any of its messages. Null where there is none.
 * @param body bytes that JSON.parse accepts, without a byte order mark.
 */
export function ambiguousName(body: Uint8Array): AmbiguousName | null {
  const messages = elementsOf(body, whole(body));
  for (const [index, message] of (messages.length === 0 ? [whole(body)] : messages).entries()) {
    const found = inMessage(body, message);
    if (found !== null) return messages.length === 0 ? found : { ...found, pointer: `/${index}${found.pointer}` };
  }
  return null;
}

function inMessage(body: Uint8Array, message: Span): AmbiguousName | null {
  const members = membersOf(body, message);
  const params = members.find(({ name }) => name === "params");
  return among(members, ofMessage, "") ?? (params === undefined ? null : among(membersOf(body, params), ofParams, "/params"));
}

function among(members: readonly { readonly name: string }[], known: ReadonlyMap<string, string>, pointer: string): AmbiguousName | null {
  const seen = new Set<string>();
  for (const { name: written } of members) {
    const meant = known.get(foldedName(written));
    if (meant === undefined) continue;
    if (written !== meant || seen.has(meant)) return { pointer: `${pointer}/${written}`, written, meant };
    seen.add(meant);
  }
  return null;
}

/** What a client is told: which member, and what to send. */
export const ambiguousNameMessage = ({ pointer, written, meant }: AmbiguousName): string =>
  written === meant
    ? `Invalid Request: ${pointer} is there more than once, and servers differ in which one they read; send it once`
    : `Invalid Request: some servers read ${pointer} as ${JSON.stringify(meant)}; send it under that name, once, or leave it out`;
