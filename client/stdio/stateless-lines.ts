// The messages of revision 2026-07-28 as lines: what a request says, the line that its server gets,
// and the lines of later attempts at it.

import { type Members, objectOf } from "../../shared/json/values.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import { edited, memberIn, memberOf, type Span, textAt, withMembers } from "../../shared/json/spans.ts";
import { messagesIn, paramsIn } from "../../shared/relay/message-bytes.ts";
import { paramsOf } from "../../shared/relay/messages.ts";
import { attemptOf, type InputResponses } from "../../shared/relay/rounds.ts";
import { clientCapabilitiesKey, protocolVersionKey, revision2026 } from "../../shared/wire/mcp-2026/meta-keys.ts";
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

/** A response to a request whose id is as it was written. */
export function responseLine(rawId: string, answer: { readonly result: Members } | { readonly error: object }): string {
  const [[name, value] = []] = Object.entries(answer);
  return `{"jsonrpc":"2.0","id":${rawId},"${name}":${JSON.stringify(value)}}`;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
export const decoded = (bytes: Uint8Array): string => decoder.decode(bytes);

/**
 * The line with these members, and our extensions where they are added, among the client's
 * capabilities; every other byte stays.
 */
export function withCapabilities(line: Uint8Array, { experimental, ...added }: JsonObject): Uint8Array {
  const capabilities = memberIn(line, "params", "_meta", clientCapabilitiesKey);
  if (capabilities === undefined) return line;
  return edited(line, (experimental === undefined ? withMembers : declaringEdits)(line, capabilities, added));
}

/** The line with these params in place of its own. */
export const withParams = (line: Uint8Array, params: string): Uint8Array => edited(line, [{ ...paramsIn(line), text: params }]);

/** A `notifications/cancelled` that names another request; every other byte stays. */
export function cancelling(line: Uint8Array, requestId: JsonRpcId): Uint8Array {
  const at = memberIn(line, "params", "requestId");
  return at === undefined ? line : edited(line, [{ ...at, text: JSON.stringify(requestId) }]);
}

/** The same of each message of a line, where `otherOf` has another request for its own. */
export function cancellingOthers(line: Uint8Array, value: unknown, otherOf: (id: JsonRpcId) => JsonRpcId | undefined): Uint8Array {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  const edits = messagesIn(line).flatMap((span, at) => {
    const id = paramsOf(messages[at])?.["requestId"];
    const other = objectOf(messages[at])?.["method"] === "notifications/cancelled" && isId(id) ? otherOf(id) : undefined;
    const params = other === undefined ? undefined : memberOf(line, span, "params");
    const place = params === undefined ? undefined : memberOf(line, params, "requestId");
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
