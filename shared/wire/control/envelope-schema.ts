// The JSON Schema of each version of the envelope, for `/control/schema/{version}.json`: made of
// the fields that the endpoint reads by.

import type { JsonObject } from "../../encoding.ts";
import { envelopeField } from "./envelope-fields.ts";
import { versions } from "./envelope.ts";

/**
 * The schema (draft 2020-12) of "1.0", "2.0" or "2.1"; undefined for any other version. Whatever
 * the endpoint takes fits it. The endpoint also refuses what no schema can say: see
 * `parseEnvelope`.
 */
export function envelopeJsonSchema(version: string): JsonObject | undefined {
  const known = versions.find((each) => each === version);
  if (known === undefined) return undefined;
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `/control/schema/${known}.json`,
    title: `Model Control Protocol ${known}: request`,
    description:
      "An envelope as POST /control takes it. Members that are not named here are ignored. Beside what stands here, language tags must be valid BCP 47, names of functions must differ, schemas of functions must be usable, and text must hold no lone surrogates.",
    ...envelopeField(known).schema,
    allOf: [choosing],
  };
}

/** A model that chooses a function needs a prompt or a history to choose for. */
const choosing: JsonObject = {
  if: {
    properties: {
      task: { properties: { type: { const: "function_call" }, parameters: { type: "object", not: { required: ["function_call"] } } } },
    },
  },
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of JSON Schema
  then: {
    anyOf: [
      { properties: { task: { properties: { parameters: { required: ["prompt"] } } } } },
      { required: ["context"], properties: { context: { required: ["history"], properties: { history: { minItems: 1 } } } } },
    ],
  },
};
