// Finds which request of the client a line that is too long to be parsed answers, so that the
// request counts as ended and later sampling is not ambiguous. A guess from the line's two ends.

import { parseJson } from "../../shared/json/values.ts";
import { isId, type JsonRpcId } from "../rpc-messages.ts";

/** Of each end. */
export const END_BYTES = 1_024;

const ID = String.raw`("(?:[^"\\]|\\.)*"|-?\d+)`;
/**
 * A response's beginning: the members that JSON-RPC libraries write before a result or an error.
 */
const RESPONSE = new RegExp(String.raw`^\s*\{\s*((?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*|"id"\s*:\s*${ID}\s*,\s*)*)"(?:result|error)"\s*:`);
const ID_BEFORE = new RegExp(String.raw`"id"\s*:\s*${ID}`);
const ID_AT_END = new RegExp(String.raw`"id"\s*:\s*${ID}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/**
 * The id of the request that this line answers, where the line is a response with its id at one of
 * the ends.
 */
export function answeredByLong(head: string, tail: string): JsonRpcId | undefined {
  const response = RESPONSE.exec(head);
  if (response === null) return undefined;
  const id = parseJson(ID_BEFORE.exec(response[1] ?? "")?.[1] ?? ID_AT_END.exec(tail)?.[1] ?? "");
  return isId(id) ? id : undefined;
}
