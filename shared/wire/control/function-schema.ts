// Whether a function's schema is one that arguments can be checked by, without taking more from it than it says.

import type { PointedError } from "../../model/outcome.ts";
import { readSchema } from "../../json-schema/read-schema.ts";

/**
 * Why arguments cannot be checked by this schema, each fault at its pointer (`at` is the schema's own); none where they can. 50 at most. Never
 * throws, whatever `schema` is.
 *
 * Taken: drafts 04, 07, 2019-09 and 2020-12, which is what a schema without `$schema` is. Unknown keywords and unknown formats are annotations.
 * Refused: keywords of the wrong type; keywords that would be passed over in silence where they stand (`then` without `if`, checks beside
 * `$ref` in the old drafts); references out of the schema, to nothing, or back to themselves without going into the value;
 * `$dynamicRef` and `$recursiveRef`; more than 2,000 subschemas or 64 levels; patterns that are none (ECMA-262, flag `u`), that need backtracking
 * (backreferences, lookbehind, lookahead other than at the beginning), or that are too large, alone or together (`compilePattern`).
 */
export function schemaErrors(schema: unknown, at: string): PointedError[] {
  const read = readSchema(schema, at);
  return read.ok ? [] : [...read.error];
}
