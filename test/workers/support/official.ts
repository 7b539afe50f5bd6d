// The official JSON Schema of revision 2025-11-25 as a validator inside workerd: the oracle for what the gateway sends.

import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import schema from "../../fixtures/mcp/2025-11-25/schema.json";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(schema, "mcp");

/** Fails where the value is not one of the schema's `definition`. */
export function expectOfficial(definition: string, value: unknown): void {
  const validate = ajv.getSchema(`mcp#/$defs/${definition}`);
  if (validate === undefined) throw new Error(`no ${definition} in the schema`);
  validate(value);
  expect(validate.errors ?? [], definition).toEqual([]);
}
