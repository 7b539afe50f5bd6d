// The digest by which a repeated envelope is known: the same request_id with another one is refused.

import { isObject } from "../../json/values.ts";
import { digestOf } from "../../encoding.ts";

/**
 * Of the whole envelope as it came, without `auth`: a token is renewed between two tries of the same request. Members that are ignored count,
 * so that nothing is taken for the same that a later version would tell apart. Takes what `parseEnvelope` accepted; throws where it is not
 * canonical JSON, which that has ruled out.
 */
export function envelopeIdentity(value: unknown): string {
  const { auth: _auth, ...asked } = isObject(value) ? value : {};
  return digestOf("countersign/envelope/v1", asked);
}
