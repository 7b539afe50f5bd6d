// The JSON Schema of a document: what an operator may write, for editors and for the docs.

import * as z from "zod";
import type { JsonObject } from "../encoding.ts";

/**
 * What a document may be, as the zod schema reads it. What only code can check (names that refer to
 * each other) is not in it.
 */
export const jsonSchemaOf = (document: z.ZodType): JsonObject =>
  JSON.parse(JSON.stringify(z.toJSONSchema(document, { io: "input" }))) as JsonObject; // a schema is an object
