// A client's `tools/call` on its way through the relay, as it is reviewed, and what its client is
// told in the place of the tool's result. A model reads that: one sentence that it can act on.

import type { Json, JsonObject } from "../encoding.ts";
import { checkJson } from "../json/json-rules.ts";
import { IssueCollector } from "../json/issue-collector.ts";
import { checkExact } from "../json/exact.ts";
import { membersIn } from "../json/exact-json.ts";
import { type Edit, type Span, elementsOf, memberOf, textAt, withMembers } from "../json/spans.ts";
import { objectOf } from "../json/values.ts";
import type { Outcome, Refusal } from "../model/outcome.ts";
import { type ToolCall, type ToolResult, argumentsOf } from "../model/subject/tool-call.ts";
import { type Result, err, ok } from "../result.ts";

export const callMethod = "tools/call";

/**
 * The call that a message makes, or what is wrong with it: a reviewer would be shown another call
 * than the one that the server reads.
 * @param bytes The message, in which the arguments stand as they were written.
 */
export function relayedCall(bytes: Uint8Array, value: unknown, server: string): Result<ToolCall, string> {
  const params = objectOf(objectOf(value)?.["params"]);
  const { name, arguments: given = {} } = params ?? {};
  const input = objectOf(given);
  if (typeof name !== "string" || input === null) return err("Invalid params: name is a text, and arguments an object");
  const issues = new IssueCollector();
  checkJson(params, issues);
  const span = argumentsIn(bytes);
  if (issues.found.length === 0 && span !== undefined) checkExact(textAt(bytes, span), issues, { digits: false });
  const [issue] = issues.found;
  if (issue !== undefined) return err(`Invalid params: ${issue.pointer} ${issue.message}`);
  return ok({ kind: "toolCall", server, tool: name, ...(span === undefined ? { arguments: input } : argumentsOf(textAt(bytes, span))) });
}

const paramsIn = (bytes: Uint8Array): Span | undefined => memberOf(bytes, { from: 0, to: bytes.length }, "params");

function argumentsIn(bytes: Uint8Array): Span | undefined {
  const params = paramsIn(bytes);
  return params === undefined ? undefined : memberOf(bytes, params, "arguments");
}

/** The edits that give a message these arguments, as JSON, and change nothing else. */
export function argumentEdits(bytes: Uint8Array, after: string): readonly Edit[] {
  const params = paramsIn(bytes);
  const span = argumentsIn(bytes);
  if (span !== undefined) return [{ ...span, text: after }];
  return params === undefined ? [] : withMembers(bytes, params, { arguments: JSON.parse(after) });
}

/** What is said to a model of a call, with `_meta`; the tool itself has said nothing of it. */
type Notice = { readonly text: string; readonly run: string | null; readonly what: string };

/**
 * A tool's result of the gateway's own. It is an error also where the call only waits: a client
 * that knows the tool's output schema takes no other result without structured content.
 */
const noticeResult = ({ text, run, what }: Notice): JsonObject => ({
  content: [{ type: "text", text }],
  isError: true,
  _meta: { "countersign/call": what, ...(run === null ? {} : { "countersign/run": { id: run } }) },
});

export const waitingNotice = (run: string, at: "request" | "response"): JsonObject =>
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

export const taskNotice: JsonObject = noticeResult({
  run: null,
  what: "refused",
  text: "What this tool returns is reviewed, so that it cannot run as a task. It was not run; call it without one.",
});

export const takenNotice = (run: string): JsonObject =>
  noticeResult({
    run,
    what: "taken",
    text: "The same call was made a second time, and the second one got the approval. This one was not run.",
  });

export const unknownNotice = (run: string | null): JsonObject => noticeResult({ run, what: "unknown", text: unknownText });

const unknownText =
  "The connection to the server broke after the call was sent: it may have run or not. It is not sent again; check its effect before you call it again.";

const refusals: { readonly [Kind in Refusal["kind"]]?: string } = {
  policyRefused: "The gateway's policy does not allow this call. It was not run, and calling it again does not help.",
  ownerUnknown:
    "This call needs a person's approval, and the gateway does not know whose call it is. It was not run; ask the operator to name the API key's owner.",
  stopped: "An operator has stopped calls like this one. It was not run; ask the user before you call it again.",
  configurationUnavailable: "The gateway cannot read its policy now, so the call was not run. Call it again later.",
};

/** Null: a refusal that says nothing of the call itself, and is told as a JSON-RPC error. */
export function refusedNotice({ kind }: Refusal): JsonObject | null {
  const text = refusals[kind];
  return text === undefined ? null : noticeResult({ text, run: null, what: "refused" });
}

const decisions = {
  request: {
    rejected: "A person declined this call. It was not run.",
    expired: "Nobody decided about this call in time, so it was not run. Call it again to ask again.",
    undeliverable: "No reviewer of this call could be reached, so it was not run. Ask the operator.",
  },
  response: {
    rejected: "This call has run, and a person declined to release its result.",
    expired: "This call has run, and nobody decided about its result in time. Calling it again runs it again.",
    undeliverable: "This call has run, and no reviewer of its result could be reached. Ask the operator.",
  },
} as const;

/** What the outcome of a call's run is to its client. `sent`: this very call was sent. */
export function callResult(outcome: Outcome, run: string, sent: boolean): JsonObject {
  const notice = (text: string, what: string = outcome.kind): JsonObject => noticeResult({ text, run, what });
  switch (outcome.kind) {
    case "ran":
      return { ...shownResult(outcome.result), _meta: { "countersign/run": { id: run } } };
    case "rejected": {
      const said = decisions[outcome.gate].rejected;
      return notice(outcome.reason === null ? said : `${said} The reason: ${outcome.reason}`);
    }
    case "expired":
    case "undeliverable":
      return notice(decisions[outcome.gate][outcome.kind]);
    case "cancelled":
      return notice(sent ? unknownText : "This call was withdrawn before it ran.");
    case "failed": {
      const fault = outcome.attempts.at(-1)?.fault;
      if (fault?.detail === "outcomeUnknown" || fault === undefined) return unknownNotice(run);
      return notice("The server did not run this call, or its result cannot be passed on. Check its effect before you call it again.");
    }
    case "refused":
      return refusedNotice(outcome.refusal) ?? notice("The gateway refused this call. It was not run.");
    case "broken":
      return notice(`Something went wrong at the gateway (${outcome.quote}). ${sent ? unknownText : "The call was not run."}`);
    case "approved":
    case "completed":
      throw new Error("an outcome that is no end of a call");
    default:
      return outcome satisfies never;
  }
}

/** A reviewed result as `CallToolResult` has it: what was shown, and nothing else. */
export const shownResult = ({ kind: _kind, ...result }: ToolResult): JsonObject => result as unknown as JsonObject; // read from JSON

/** The server's error in the place of a result, as a result that can be reviewed. */
export const errorResult = (error: JsonObject): JsonObject => ({
  content: [{ type: "text", text: typeof error["message"] === "string" ? error["message"] : "The server answered with an error" }],
  isError: true,
});

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

/**
 * The edits that make a response say what a reviewer changed of its call: a text block more, and
 * `_meta`. Everything else keeps its bytes.
 */
export function editedNotice(bytes: Uint8Array, before: string, after: string): readonly Edit[] {
  const result = memberOf(bytes, { from: 0, to: bytes.length }, "result");
  if (result === undefined) return [];
  const block = { type: "text", text: editedText(before, after) };
  const meta = memberOf(bytes, result, "_meta");
  const content = memberOf(bytes, result, "content");
  const said = { "countersign/edited": { arguments: JSON.parse(after) as Json } };
  const isList = content !== undefined && textAt(bytes, content).startsWith("[");
  const members = { ...(isList ? {} : { content: [block] }), ...(meta === undefined ? { _meta: said } : {}) };
  const at = content === undefined ? 0 : content.to - 1;
  const comma = isList && elementsOf(bytes, content).length > 0 ? "," : "";
  return [
    ...withMembers(bytes, result, members),
    ...(meta === undefined ? [] : withMembers(bytes, meta, said)),
    ...(isList ? [{ from: at, to: at, text: comma + JSON.stringify(block) }] : []),
  ];
}
