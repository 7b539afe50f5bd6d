// What a client is told of its `tools/call` in the place of the tool's result, where a person had
// to decide about it: a model reads that, so it is one sentence that it can act on. And the edits
// that give a call the arguments that were approved, and its response a word about them.

import type { Json, JsonObject } from "../encoding.ts";
import { membersIn } from "../json/exact-json.ts";
import { type Edit, type Span, edited, elementsOf, memberIn, memberOf, textAt, withMembers } from "../json/spans.ts";
import { objectOf } from "../json/values.ts";

export const callMethod = "tools/call";

/**
 * Whether the reason of a cancellation says that the client's own timeout passed. Clients have no
 * other way to say so: "McpError: MCP error -32001: Request timed out" (TypeScript's SDK),
 * "TimeoutError: …" (LangChain), "request timeout" (Rust's), "context deadline exceeded" (Go's).
 */
export const saysTimeout = (reason: unknown): boolean => typeof reason === "string" && /timed?[ -]?out|deadline exceeded/i.test(reason);

export const argumentsIn = (bytes: Uint8Array): Span | undefined => memberIn(bytes, "params", "arguments");

/** What its client answers to a round of its server, in the bytes of a call. */
export const inputResponsesIn = (bytes: Uint8Array): Span | undefined => memberIn(bytes, "params", "inputResponses");

/** The edits that give a message these arguments, as JSON, and change nothing else. */
export function argumentEdits(bytes: Uint8Array, after: string): readonly Edit[] {
  const [params, span] = [memberIn(bytes, "params"), argumentsIn(bytes)];
  if (span !== undefined) return [{ ...span, text: after }];
  return params === undefined ? [] : withMembers(bytes, params, { arguments: JSON.parse(after) });
}

/** What is said to a model of a call, with `_meta`; the tool itself has said nothing of it. */
type Notice = { readonly text: string; readonly run: string | null; readonly what: string };

/**
 * A tool's result of the gateway's own. It is an error also where the call only waits: a client
 * that knows the tool's output schema takes no other result without structured content.
 */
export const noticeResult = ({ text, run, what }: Notice): JsonObject => ({
  content: [{ type: "text", text }],
  isError: true,
  _meta: { "countersign/call": what, ...(run === null ? {} : { "countersign/run": { id: run } }) },
});

export const waitingNotice = (run: string | null, at: "request" | "response"): JsonObject =>
  noticeResult({
    run,
    what: "waiting",
    text:
      at === "request"
        ? "This call waits for a person's approval and has not run yet. Call it again with the same arguments to go on waiting; other arguments ask anew."
        : "This call has run, and its result waits for a person's review. Call it again with the same arguments to get the result; it does not run again.",
  });

/** What a notice says. */
export function noticeText({ content }: JsonObject): string {
  const [block] = Array.isArray(content) ? content : [];
  return String(objectOf(block)?.["text"] ?? "");
}

export const takenNotice = (run: string): JsonObject =>
  noticeResult({
    run,
    what: "taken",
    text: "The same call was made a second time, and the second one got the approval. This one was not run.",
  });

export const unknownNotice = (run: string | null): JsonObject => noticeResult({ run, what: "unknown", text: unknownText });

export const unknownText =
  "The connection to the server broke after the call was sent: it may have run or not. It is not sent again; check its effect before you call it again.";

const mostNamed = 5;
const longestNamed = 200;

/** What a reviewer changed, in a sentence for the model. */
function editedText(before: string, after: string): string {
  const [old, next] = [membersIn(before), membersIn(after)];
  const changed = [...new Set([...old.keys(), ...next.keys()])].filter((name) => old.get(name) !== next.get(name));
  const words = changed.slice(0, mostNamed).map((name) => changeWords(name, old.get(name), next.get(name)));
  const more = changed.length > mostNamed ? `, and ${changed.length - mostNamed} more` : "";
  return `A reviewer changed the arguments of this call: ${words.join(", ")}${more}. This is what ran.`;
}

function changeWords(name: string, before: string | undefined, after: string | undefined): string {
  const label = `\`${cut(name)}\``;
  if (after === undefined) return `${label} was removed`;
  return before === undefined ? `${label} was added as ${cut(after)}` : `${label} from ${cut(before)} to ${cut(after)}`;
}

const cut = (text: string): string => (text.length > longestNamed ? `${text.slice(0, longestNamed).toWellFormed()}…` : text);

/** The arguments of a call as they came and as they ran, each as JSON. */
export type ArgumentChange = { readonly before: string; readonly after: string };

/**
 * A response that says what a reviewer changed of its call: a text block more, and `_meta`. All
 * else keeps its bytes.
 */
export function withEditedNotice(bytes: Uint8Array, { before, after }: ArgumentChange): Uint8Array {
  const result = memberIn(bytes, "result");
  if (result === undefined || before === after) return bytes;
  const block = { type: "text", text: editedText(before, after) };
  const meta = memberOf(bytes, result, "_meta");
  const content = memberOf(bytes, result, "content");
  const said = { "countersign/edited": { arguments: JSON.parse(after) as Json } };
  const isList = content !== undefined && textAt(bytes, content).startsWith("[");
  const members = { ...(isList ? {} : { content: [block] }), ...(meta === undefined ? { _meta: said } : {}) };
  const at = content === undefined ? 0 : content.to - 1;
  const comma = isList && elementsOf(bytes, content).length > 0 ? "," : "";
  return edited(bytes, [
    ...withMembers(bytes, result, members),
    ...(meta === undefined ? [] : withMembers(bytes, meta, said)),
    ...(isList ? [{ from: at, to: at, text: comma + JSON.stringify(block) }] : []),
  ]);
}
