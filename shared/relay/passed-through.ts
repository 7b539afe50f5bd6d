// The id under which a sampling request is stored that passed through to the client's own sampling,
// in case the client declines it. The id follows from the session and the request, so that the
// client's response leads to it and nothing on the wire changes.

import { macOf, utf8ToBytes } from "../encoding.ts";
import { idKey, type RequestId } from "../wire/json-rpc.ts";
import { type SigningKeys, runIdOf, runRandomLength } from "../sealed-id.ts";

const domain = "countersign/relay-forwarded/v1";

/**
 * One id for each live signing key, the one for new requests first. `session` is the relay
 * session's random name.
 */
export const forwardedIds = (keys: SigningKeys, session: string, request: RequestId): string[] =>
  keys.map((key) => {
    const random = macOf(key.bytes, domain, utf8ToBytes(JSON.stringify([session, idKey(request)]))).subarray(0, runRandomLength);
    return runIdOf([key], random);
  });
