// The messages of revision 2026-07-28 as lines: what a request says, the line that its server gets,
// and the lines of later attempts at it.

import { objectOf } from "../../shared/json/values.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import { edited, elementsOf, memberOf, type Span, textAt, withMembers, withoutMember } from "../../shared/json/spans.ts";
import { attemptOf, type InputResponses, responsesIn, restOf } from "../../shared/relay/rounds.ts";
import { clientCapabilitiesKey, protocolVersionKey, revision2026, tasksExtension } from "../../shared/wire/mcp-2026/meta-keys.ts";
import { asRequest, isId, type JsonRpcId } from "../rpc-messages.ts";
import { declaringEdits } from "./capability-edits.ts";

/**
 * A request that says the revision and its client's capabilities. `rawId`: as the client wrote it,
 * because a parser would round a long number.
 */
export type StatelessRequest = {
  readonly id: JsonRpcId;
  readonly rawId: string;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly capabilities: JsonObject;
};

/**
 * The request that a message is; undefined for one of another revision, and for one without what
 * the revision requires.
 */
export function statelessRequest(line: Uint8Array, span: Span, message: unknown): StatelessRequest | undefined {
  const request = asRequest(message);
  const params = objectOf(request?.params);
  const meta = objectOf(params?.["_meta"]);
  const capabilities = objectOf(meta?.[clientCapabilitiesKey]);
  if (request === undefined || params === null || meta === null || capabilities === null) return undefined;
  if (meta[protocolVersionKey] !== revision2026 || request.method === "initialize") return undefined;
  const { id, method } = request;
  return { id, rawId: rawIdIn(line, span, id), method, params, meta, capabilities };
}

/** The id of a message as it was written. */
export function rawIdIn(line: Uint8Array, span: Span, id: JsonRpcId): string {
  const at = memberOf(line, span, "id");
  return at === undefined ? JSON.stringify(id) : textAt(line, at);
}

export const whole = (line: Uint8Array): Span => ({ from: 0, to: line.length });

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
export const decoded = (bytes: Uint8Array): string => decoder.decode(bytes);

const paramsIn = (line: Uint8Array): Span => memberOf(line, whole(line), "params") ?? whole(line);

/**
 * The line with these members, and our extensions where they are added, among the client's
 * capabilities; every other byte stays.
 */
export function withCapabilities(line: Uint8Array, { experimental, ...added }: JsonObject): Uint8Array {
  const meta = memberOf(line, paramsIn(line), "_meta");
  const capabilities = meta === undefined ? undefined : memberOf(line, meta, clientCapabilitiesKey);
  if (capabilities === undefined) return line;
  return edited(line, (experimental === undefined ? withMembers : declaringEdits)(line, capabilities, added));
}

/**
 * The line of a request without the tasks extension: its server's task would give its result to
 * another request.
 */
export function withoutTasks(line: Uint8Array): Uint8Array {
  const meta = memberOf(line, paramsIn(line), "_meta");
  const capabilities = meta === undefined ? undefined : memberOf(line, meta, clientCapabilitiesKey);
  const extensions = capabilities === undefined ? undefined : memberOf(line, capabilities, "extensions");
  return extensions === undefined ? line : edited(line, withoutMember(line, extensions, tasksExtension));
}

/** The request's params, without what belongs to one attempt. */
export const restIn = (line: Uint8Array): string => restOf(line, paramsIn(line));

/** The client's answers in a request, each as it was written. */
export const answersIn = (line: Uint8Array): InputResponses | null => responsesIn(line, paramsIn(line));

/** The line with these params in place of its own. */
export function withParams(line: Uint8Array, params: string): Uint8Array {
  const { from, to } = paramsIn(line);
  return edited(line, [{ from, to, text: params }]);
}

/** The line with another id. */
export function withId(line: Uint8Array, rawId: string): Uint8Array {
  const at = memberOf(line, whole(line), "id");
  return at === undefined ? line : edited(line, [{ from: at.from, to: at.to, text: rawId }]);
}

/** A `notifications/cancelled` that names another request; every other byte stays. */
export function cancelling(line: Uint8Array, requestId: JsonRpcId): Uint8Array {
  const at = memberOf(line, paramsIn(line), "requestId");
  return at === undefined ? line : edited(line, [{ from: at.from, to: at.to, text: JSON.stringify(requestId) }]);
}

/** The same of each message of a line, where `otherOf` has another request for its own. */
export function cancellingOthers(line: Uint8Array, value: unknown, otherOf: (id: JsonRpcId) => JsonRpcId | undefined): Uint8Array {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  const spans = Array.isArray(value) ? elementsOf(line, whole(line)) : [whole(line)];
  const edits = spans.flatMap((span, at) => {
    const { method, params } = objectOf(messages[at]) ?? {};
    const id = objectOf(params)?.["requestId"];
    const other = method === "notifications/cancelled" && isId(id) ? otherOf(id) : undefined;
    const within = other === undefined ? undefined : memberOf(line, span, "params");
    const place = within === undefined ? undefined : memberOf(line, within, "requestId");
    return place === undefined ? [] : [{ ...place, text: JSON.stringify(other) }];
  });
  return edits.length === 0 ? line : edited(line, edits);
}

type Attempt = {
  /** As JSON. */
  readonly id: string;
  readonly method: string;
  readonly rest: string;
  readonly meta: JsonObject;
  readonly state: string | null;
  readonly responses: InputResponses | null;
};

/** The line of an attempt at a request. */
export const attemptLine = ({ id, method, rest, meta, state, responses }: Attempt): string =>
  `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${attemptOf(rest, meta, state, responses)}}`;
