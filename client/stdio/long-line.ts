// What can be told of a line that is too long to be read: which request of the client it answers. So that the request counts as
// ended and the next sampling is not held to be ambiguous. A guess from its two ends, never from what is between them.

import { parseJson } from "../../shared/json/values.ts";
import { isId, type JsonRpcId } from "../rpc-messages.ts";

/** How much of each end is looked at. */
export const END_BYTES = 1_024;

const ID = String.raw`("(?:[^"\\]|\\.)*"|-?\d+)`;
/** The members that stand before a result or an error in what JSON-RPC libraries write. */
const RESPONSE = new RegExp(String.raw`^\s*\{\s*((?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*|"id"\s*:\s*${ID}\s*,\s*)*)"(?:result|error)"\s*:`);
const ID_BEFORE = new RegExp(String.raw`"id"\s*:\s*${ID}`);
const ID_AT_END = new RegExp(String.raw`"id"\s*:\s*${ID}\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`);

/** The id of the request that this line answers, where it is a response and says so at one of its ends. */
export function answeredByLong(head: string, tail: string): JsonRpcId | undefined {
  const response = RESPONSE.exec(head);
  if (response === null) return undefined;
  const id = parseJson(ID_BEFORE.exec(response[1] ?? "")?.[1] ?? ID_AT_END.exec(tail)?.[1] ?? "");
  return isId(id) ? id : undefined;
}
