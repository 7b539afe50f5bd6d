// Times as operators write and read them: ISO 8601 outside, Unix milliseconds inside.

import * as z from "zod";

const message = "must be a time in ISO 8601, such as 2026-11-22T09:30:00Z, or a day, such as 2026-11-22";

/** A time in a query, as Unix milliseconds; a day is its beginning in UTC. Refused: anything else. */
export const isoTime = z
  .string()
  // A plus sign that was not encoded in the address comes as a space.
  .transform((text) => text.replace(" ", "+"))
  .pipe(z.union([z.iso.datetime({ offset: true }), z.iso.date()], message))
  .transform((text) => Date.parse(text));

export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();
