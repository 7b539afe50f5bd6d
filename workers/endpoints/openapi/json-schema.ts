// Schemas as the description has them.

import * as z from "zod";
import type { JsonObject } from "../../../shared/encoding.ts";

/**
 * The JSON Schema of a validator's input, before it fills in defaults. Members that it does not
 * name are allowed, unless it is strict.
 */
export const jsonSchemaOf = (validator: z.ZodType): JsonObject =>
  inside(JSON.parse(JSON.stringify(z.toJSONSchema(validator, { io: "input", unrepresentable: "any", override: plain }))) as JsonObject); // a schema is JSON

/** Without what its format says already, and without how our code may use the value. */
function plain({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  delete jsonSchema.readOnly;
}

/**
 * A schema inside the description: its dialect is OpenAPI 3.1's too, whose name stands once, at the
 * top.
 */
export function inside({ $schema: _dialect, $id: _address, ...schema }: JsonObject): JsonObject {
  return schema;
}
