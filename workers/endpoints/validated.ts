// Queries and JSON bodies that are validated before the handler gets them, and described by the
// schema that validates them.

import { zValidator } from "@hono/zod-validator";
import type * as z from "zod";
import { onInvalid } from "../http/invalid.ts";
import { named } from "./answer-schema.ts";
import { jsonBody } from "./openapi/answers.ts";
import { saying } from "./openapi/describe.ts";

const refusal = { 400: "Not valid" };

/** A query of this shape; 400 for any other. */
export const validQuery = <Schema extends z.ZodObject>(schema: Schema) =>
  saying(zValidator("query", schema, onInvalid), { query: schema, ...refusal });

/** A JSON body of this shape, which the description has under the name; 400 for any other. */
export const validJson = <Schema extends z.ZodObject>(name: string, schema: Schema) =>
  saying(zValidator("json", schema, onInvalid), { body: jsonBody(named(name, () => schema)), ...refusal });
