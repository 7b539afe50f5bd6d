// Digests by which a repeated sampling request is recognized. Params only: the caller adds key,
// session, server and id.

import { isObject } from "../json/values.ts";
import { digestOf } from "../encoding.ts";
import { responseFormatKey } from "./extension-keys.ts";

/**
 * The digest by which a repeat in the same session is recognized: of the whole params as they came,
 * without `_meta.progressToken` and `task`, which say how the requestor wants to wait and not what
 * it asks. An absent and an empty `_meta` are equal. Takes params that `parseSampling` accepted;
 * throws where they are not canonical JSON, which that has ruled out.
 */
export function samplingIdentity(params: unknown): string {
  const { _meta, task: _task, ...asked } = membersOf(params);
  const { progressToken: _token, ...meta } = membersOf(_meta);
  return digestOf("countersign/params/v2", { asked, meta });
}

/**
 * The digest by which an identical request of any session is recognized: as above, and without
 * `_meta` but for the format of the reply, since a reply in prose does not answer a request for
 * JSON.
 */
export function contentIdentity(params: unknown): string {
  const { _meta, task: _task, ...asked } = membersOf(params);
  const { [responseFormatKey]: format } = membersOf(_meta);
  return digestOf("countersign/content/v1", { ...asked, ...(format === undefined ? {} : { _meta: { [responseFormatKey]: format } }) });
}

const membersOf = (value: unknown) => (isObject(value) ? value : {});
