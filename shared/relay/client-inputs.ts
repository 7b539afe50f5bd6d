// The requests by which the relay asks a client of a 2025 revision for what a round of its server
// needs, and the ids by which the client's responses find their call.

import { type JsonObject, fromBase64url, fromUtf8, toBase64url, utf8ToBytes } from "../encoding.ts";
import { parseJson } from "../json/values.ts";
import { type RequestId, toRequestId } from "../wire/json-rpc.ts";
import type { InputRequest } from "./rounds.ts";
import { inputParams2025 } from "./translation.ts";

const ownIds = "countersign/input/";

/**
 * One part of a round: the client's request, the attempt at it, the round, and the part's place in
 * it.
 */
export type InputPlace = { readonly request: RequestId; readonly attempt: string; readonly round: number; readonly index: number };

/**
 * No secret, and anybody can write one: it names a request of the session in which it comes, and no
 * call of another.
 */
export const inputId = ({ request, attempt, round, index }: InputPlace): string =>
  ownIds + toBase64url(utf8ToBytes(JSON.stringify([request, attempt, round, index])));

/** The place that an id of ours names; null for any other. */
export function inputPlace(id: RequestId): InputPlace | null {
  const bytes = typeof id === "string" && id.startsWith(ownIds) ? fromBase64url(id.slice(ownIds.length)) : undefined;
  const fields = bytes === undefined ? undefined : parseJson(textOf(bytes));
  if (!Array.isArray(fields)) return null;
  const [given, attempt, round, index] = fields as unknown[];
  const request = toRequestId(given);
  if (request === undefined || typeof attempt !== "string" || typeof round !== "number" || typeof index !== "number") return null;
  return { request, attempt, round, index };
}

/** A client may send any bytes. */
function textOf(bytes: Uint8Array): string {
  try {
    return fromUtf8(bytes);
  } catch {
    return "";
  }
}

export const clientRequest = (place: InputPlace, { method, params }: InputRequest): JsonObject => ({
  jsonrpc: "2.0",
  id: inputId(place),
  method,
  ...(params === null ? {} : { params: inputParams2025(method, params, `${place.attempt}.${place.round}.${place.index}`) }),
});
