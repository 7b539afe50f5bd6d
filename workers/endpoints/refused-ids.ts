// The JSON-RPC ids of a request that is refused before its body is read: a client waits for an
// answer with its id.

import { type RefusedIds, refusedIds } from "../../shared/wire/json-rpc.ts";
import { readBytes } from "../http/body.ts";
import type { AppContext } from "./app-context.ts";

/** In bytes: the caller may be unauthenticated. */
const mostRead = 16_384;

/**
 * The ids in the body of a POST; null where they cannot be read, or the body is longer than
 * `mostRead` or of unknown length.
 */
export async function idsOf(c: AppContext): Promise<RefusedIds> {
  const known = c.get("ids");
  if (known !== undefined) return known;
  const { raw } = c.req;
  // A body of unknown length may never end.
  if (c.req.method !== "POST" || raw.bodyUsed || !raw.headers.has("Content-Length")) return null;
  const body = await readBytes(raw, mostRead);
  if (body === "tooLarge") return null;
  try {
    return refusedIds(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return null;
  }
}
