// How a JSON body is described: by a schema that is made when somebody asks for the description, so
// that no isolate makes one when it starts. OpenAPI, the type of whoever sends or reads the answer,
// and the check of every answer in the tests come from it.

import * as z from "zod";
import type { JsonObject } from "../../shared/json-types.ts";
import { isObject } from "../../shared/json/values.ts";

/** A schema with its name in the description. A name stands for one schema. */
export type NamedSchema<Schema = z.ZodType | JsonObject> = { readonly name: string; readonly schema: () => Schema };

export const named = <Schema extends z.ZodType | JsonObject>(name: string, schema: () => Schema): NamedSchema<Schema> => ({ name, schema });

/** The value that a schema describes. */
export type AnswerOf<Described extends NamedSchema<z.ZodType> | (() => z.ZodType)> =
  Described extends NamedSchema<infer Schema> ? z.infer<Schema> : Described extends () => infer Schema ? z.infer<Schema> : never;

const has = (value: unknown, member: string, type: "string" | "number"): boolean => isObject(value) && typeof value[member] === type;

/**
 * One of several facts that shared/ has the types of;
 * the description says only that it has a kind.
 */
export const fact = <Fact extends { readonly kind: string }>() =>
  z
    .custom<Fact>((value) => has(value, "kind", "string"))
    .meta({ type: "object", properties: { kind: { type: "string" } }, required: ["kind"] });

/** JSON with a version, whose other members have a schema of their own. */
export const versioned = <Document extends { readonly version: number }>() =>
  z
    .custom<Document>((value) => has(value, "version", "number"))
    .meta({ type: "object", properties: { version: { type: "integer" } }, required: ["version"] });
