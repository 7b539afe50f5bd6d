// The official JSON Schemas of every revision as validators: the oracle of the protocol's tests.
// Knows nothing of our code.

import { readFileSync } from "node:fs";
import addFormats from "ajv-formats";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

export const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof revisions)[number];

const root = new URL("../../fixtures/mcp/", import.meta.url);

/** A fixture as parsed JSON; the path is relative to test/fixtures/mcp. */
export const fixture = (path: string): unknown => JSON.parse(readFileSync(new URL(path, root), "utf8"));

const compiled = new Map<Revision, { ajv: Ajv | Ajv2020; definitions: string }>();

function schemaOf(revision: Revision) {
  const known = compiled.get(revision);
  if (known !== undefined) return known;
  // The older schemas are draft-07 with `definitions`, from 2025-11-25 on 2020-12 with `$defs`.
  const isNew = revision >= "2025-11-25";
  const ajv = isNew ? new Ajv2020({ strict: false, allErrors: false }) : new Ajv({ strict: false });
  // `uri` is left an annotation, which is what JSON Schema makes of a format unless told otherwise.
  addFormats(ajv, ["byte"]);
  ajv.addFormat("uri", true).addFormat("uri-template", true);
  ajv.addSchema(fixture(`${revision}/schema.json`) as object, "mcp");
  const schema = { ajv, definitions: isNew ? "$defs" : "definitions" };
  compiled.set(revision, schema);
  return schema;
}

/**
 * The errors of a value against one definition of one revision's schema; empty where it is valid.
 */
export function officialErrors(revision: Revision, definition: string, value: unknown): string[] {
  const { ajv, definitions } = schemaOf(revision);
  const validate = ajv.getSchema(`mcp#/${definitions}/${definition}`);
  if (validate === undefined) throw new Error(`no ${definition} in ${revision}`);
  return validate(value) === true ? [] : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
}
