// Times as operators write and read them: ISO 8601 outside, Unix milliseconds inside.

import * as z from "zod";

const message = "must be a time in ISO 8601, such as 2026-11-22T09:30:00Z, or a day, such as 2026-11-22";

/**
 * A time in a query, to Unix milliseconds; a day is its beginning in UTC. Anything else is refused.
 */
export const isoTime = z
  .string()
  // An unencoded plus sign arrives as a space.
  .transform((text) => text.replace(" ", "+"))
  .pipe(z.union([z.iso.datetime({ offset: true }), z.iso.date()], message))
  .transform((text) => Date.parse(text));

export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();
