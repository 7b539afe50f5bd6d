// The digest by which a repeated envelope is recognized: a request_id that comes again with another
// digest is refused.

import { isObject } from "../../json/values.ts";
import { digestOf } from "../../encoding.ts";

/**
 * The digest of the whole envelope as it came, without `auth`: a token may be renewed between two
 * tries of a request. Ignored members count, so that two envelopes that a later version
 * distinguishes are never the same. Takes what `parseEnvelope` accepted; throws where it is not
 * canonical JSON, which that has ruled out.
 */
export function envelopeIdentity(value: unknown): string {
  const { auth: _auth, ...asked } = isObject(value) ? value : {};
  return digestOf("countersign/envelope/v1", asked);
}
