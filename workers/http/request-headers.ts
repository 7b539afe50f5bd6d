// What a request's headers ask of its response.

import type { Refusal } from "../../shared/model/outcome.ts";

/** RFC 7240: `respond-async` among the preferences. */
export const prefersAsync = (headers: Headers): boolean =>
  (headers.get("Prefer") ?? "").split(",").some((each) => each.split(";")[0]?.trim().toLowerCase() === "respond-async");

export const wantsEvents = (headers: Headers): boolean => /\btext\/event-stream\b/i.test(headers.get("Accept") ?? "");

/** The caller's id of the request; null where it has none, or one that cannot be one. */
export const idempotencyKeyOf = (headers: Headers): string | null => {
  const given = headers.get("Idempotency-Key");
  return given === null || !/^[\x21-\x7e]{1,255}$/.test(given) ? null : given;
};

/** Not left out: its sender relies on it to be asked, and to pay, once. */
export const badIdempotencyKey: Refusal = {
  kind: "invalidParams",
  errors: [{ pointer: "/Idempotency-Key", message: "must be 1 to 255 visible characters of ASCII" }],
};
