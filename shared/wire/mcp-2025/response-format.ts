// The format that a server requires of a reply: an extension, since MCP's sampling has none. It is
// a member of the request's `_meta`, where clients that do not know it ignore it.

import { type Field, anyObject, object, oneOf, optional } from "../../json/fields.ts";
import { isObject } from "../../json/values.ts";
import { readSchema } from "../../json-schema/read-schema.ts";
import type { ChatRequest } from "../../model/sampling.ts";

export type ResponseFormat = NonNullable<ChatRequest["responseFormat"]>;

/**
 * A schema that replies can be checked by. Refused: what `readSchema` refuses, each error at its
 * place in the schema.
 */
const schema: Field<ResponseFormat["schema"] & object> = {
  read(value, at, issues) {
    const given = anyObject.read(value, at, issues);
    const ready = readSchema(given, at);
    if (!ready.ok) for (const { pointer, message } of ready.error) issues.add(pointer, message);
    return given;
  },
  schema: anyObject.schema,
};

const members = { type: oneOf(["json"]), schema: optional(schema) };
const known = object(members);

/**
 * The format as a request says it. Refused beside a schema that cannot be checked: other members,
 * because a server that spells `schema` in another way would get replies that nobody checked.
 */
export const responseFormat: Field<ResponseFormat> = {
  read(value, at, issues) {
    const read = known.read(value, at, issues);
    if (isObject(value) && Object.keys(value).some((name) => !Object.hasOwn(members, name)))
      issues.add(at, `must have no members other than ${Object.keys(members).join(" and ")}`);
    return read;
  },
  schema: { ...known.schema, additionalProperties: false },
};
