// The official JSON Schema of revision 2025-11-25 as a validator inside workerd: the oracle for
// what the gateway sends.

import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import schemaBefore from "../../fixtures/mcp/2025-06-18/schema.json";
import schema from "../../fixtures/mcp/2025-11-25/schema.json";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(schema, "mcp");
// Draft 7, of which it uses nothing that later drafts read in another way.
const { $schema: _dialect, ...before } = schemaBefore;
ajv.addSchema(before, "mcp-2025-06-18");

/**
 * Fails where the value is no error that answers a request, in the latest revision of the family or
 * in the one before.
 */
export function expectOfficialError(value: unknown): void {
  expectOfficial("JSONRPCErrorResponse", value);
  const validate = ajv.getSchema("mcp-2025-06-18#/definitions/JSONRPCError");
  if (validate === undefined) throw new Error("no JSONRPCError in the schema");
  validate(value);
  expect(validate.errors ?? []).toEqual([]);
}

/** Fails where the value is not one of the schema's `definition`. */
export function expectOfficial(definition: string, value: unknown): void {
  const validate = ajv.getSchema(`mcp#/$defs/${definition}`);
  if (validate === undefined) throw new Error(`no ${definition} in the schema`);
  validate(value);
  expect(validate.errors ?? [], definition).toEqual([]);
}
