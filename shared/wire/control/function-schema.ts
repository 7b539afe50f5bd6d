// Whether arguments can be checked by a function's schema, with nothing that it says passed over.

import type { PointedError } from "../../model/outcome.ts";
import { readSchema } from "../../json-schema/read-schema.ts";

/**
 * Why arguments cannot be checked by this schema, each error at its pointer (`at` is the schema's
 * own), 50 at most; none where they can. Never throws, whatever `schema` is.
 *
 * Supported: drafts 04, 07, 2019-09 and 2020-12, which is what a schema without `$schema` is.
 * Unknown keywords and unknown formats are annotations. Refused: keywords of the wrong type;
 * keywords that would have no effect where they stand (`then` without `if`, checks beside `$ref` in
 * the old drafts); references out of the schema, to nothing, or back to themselves without going
 * into the value; `$dynamicRef` and `$recursiveRef`; more than 2,000 subschemas or 64 levels;
 * patterns that are none (ECMA-262, flag `u`), that need backtracking (backreferences, lookbehind,
 * lookahead other than at the beginning), or that are too large, alone or together
 * (`compilePattern`).
 */
export function schemaErrors(schema: unknown, at: string): PointedError[] {
  const read = readSchema(schema, at);
  return read.ok ? [] : [...read.error];
}
