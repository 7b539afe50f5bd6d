// What the bodies of OpenAI's endpoints have in common: members that are refused or noted, images,
// the arguments of a call, what a tool takes, metadata.

import {
  type Field,
  type ReadOf,
  anyObject,
  integerWithin,
  list,
  object,
  oneOf,
  optional,
  parsed,
  refined,
  text,
} from "../../json/fields.ts";
import { IssueCollector } from "../../json/issue-collector.ts";
import { checkJson } from "../../json/json-rules.ts";
import { isObject, parseJson } from "../../json/values.ts";
import type { JsonObject } from "../../encoding.ts";
import { isBase64 } from "../mcp-2025/content-rules.ts";
import { mostMembers } from "../mcp-2025/sampling-params.ts";

/** A member that is refused, with what to do instead, unless its value asks for nothing. */
export const refused = (
  asksForNothing: (value: unknown) => boolean,
  must: string,
): Field<undefined> & { readonly optional: "leftOut" } => ({
  read(value, at, issues) {
    if (value !== undefined && value !== null && !asksForNothing(value)) issues.add(at, must);
    return undefined;
  },
  schema: {},
  optional: "leftOut",
});

/** No value asks for nothing: the member is refused whenever it is given. */
export const never = (): boolean => false;

/** A member that may be absent or null, which OpenAI's clients send alike. */
export const nullable = <T>(field: Field<T>) =>
  optional<T | undefined>({
    read: (value, at, issues) => (value === null ? undefined : field.read(value, at, issues)),
    schema: { anyOf: [field.schema, { type: "null" }] },
  });

/** A member that no model gets, which is noted unless its value asks for nothing. */
export const noted = (asksForNothing: (value: unknown) => boolean): Field<undefined> & { readonly optional: "leftOut" } => ({
  read(value, at, issues) {
    const end = at.lastIndexOf("/");
    if (value !== undefined && value !== null && !asksForNothing(value)) issues.ignore(at.slice(0, end), at.slice(end + 1));
    return undefined;
  },
  schema: {},
  optional: "leftOut",
});

/** An object of the kinds that are read here; every other kind is refused at its type. */
export const ofKinds = <T>(kinds: readonly string[], must: string, field: Field<T>): Field<T> => ({
  read(value, at, issues) {
    const isOther = isObject(value) && typeof value["type"] === "string" && !kinds.includes(value["type"]);
    if (isOther) issues.add(`${at}/type`, must);
    return field.read(isOther ? undefined : value, at, isOther ? new IssueCollector() : issues);
  },
  schema: field.schema,
});

/** A text, or a list of parts, which is what a text is read as. */
export const textOrParts = <T>(part: Field<T>, ofText: (text: string) => T): Field<T[]> => {
  const parts = list(part, { min: 1, max: mostMembers.blocks });
  return {
    read: (value, at, issues) => (typeof value === "string" ? [ofText(value)] : parts.read(value, at, issues)),
    schema: { anyOf: [{ type: "string" }, parts.schema] },
  };
};

export const audioPart = object({
  type: oneOf(["input_audio"]),
  input_audio: object({
    data: refined(text({ min: 1 }), (data) => (isBase64(data) ? data : undefined), "must be base64 (RFC 4648 section 4)"),
    format: oneOf(["wav", "mp3"]),
  }),
});

/** Of an image in base64. */
export const dataUrl = /^data:(image\/[a-z0-9.+-]+);base64,/i;

function imageUrl(url: string): string | undefined {
  const head = dataUrl.exec(url.slice(0, 100))?.[0];
  if (head === undefined) return /^https:\/\//i.test(url) ? url : undefined;
  const data = url.slice(head.length);
  return data !== "" && isBase64(data) ? url : undefined;
}

export const imageAddress = refined(text({ min: 1 }), imageUrl, "must be an https address, or a data: URL of an image in base64");

const pdfHead = /^data:application\/pdf;base64,/i;
/** The base64 of "%PDF-". */
const pdfStart = "JVBERi0";

function pdfBase64(url: string): string | undefined {
  const head = pdfHead.exec(url.slice(0, 40))?.[0];
  const data = url.slice(head?.length ?? 0);
  return head !== undefined && data !== "" && isBase64(data) ? data : undefined;
}

/** The base64 of a PDF in a `data:` URL. */
const pdfData = refined(
  refined(text({ min: 1 }), pdfBase64, "must be a data: URL of a PDF in base64: data:application/pdf;base64,..."),
  (data) => (data.startsWith(pdfStart) ? data : undefined),
  "must begin with %PDF-, as every PDF does",
);

/** A file is a PDF in the request itself: none is fetched, and none is stored at OpenAI. */
export const pdfMembers = {
  file_id: refused(never, "is not supported, since only OpenAI has that file: send a PDF in file_data"),
  file_url: refused(never, "is not supported, since no file is fetched: send a PDF in file_data"),
  file_data: pdfData,
  filename: nullable(text({ max: 255 })),
};

/**
 * The arguments of a call are the text of a JSON object; nothing at all stands for no arguments.
 * The rules for every value from outside hold for what the text says too: its escapes are read only
 * here.
 */
export const callArguments = parsed<JsonObject>(
  (value) => {
    if (typeof value !== "string") return undefined;
    const read = value.trim() === "" ? {} : parseJson(value);
    const issues = new IssueCollector();
    checkJson(read, issues);
    return isObject(read) && issues.found.length === 0 ? (read as JsonObject) : undefined; // parsed from JSON
  },
  "must be the text of a JSON object, at most 64 levels deep, without lone surrogates, infinite numbers and members named __proto__",
  {},
  { type: "string" },
);

/** What a tool takes is an object, whether or not its schema says so. */
export const parameters = refined(
  anyObject,
  (schema) => (Object.hasOwn(schema, "type") && schema["type"] !== "object" ? undefined : schema),
  'must be a JSON Schema of an object: its type must be "object"',
);

const toolModes = oneOf(["none", "auto", "required"]);

/** A choice of tools: a mode, or an object. */
export const modeOr = <T>(field: Field<T>): Field<T | ReadOf<typeof toolModes>> => ({
  read: (value, at, issues) => (isObject(value) ? field.read(value, at, issues) : toolModes.read(value, at, issues)),
  schema: { anyOf: [toolModes.schema, field.schema] },
});

/** OpenAI's metadata are texts. Numbers are taken too, so that a priority may be written as one. */
export const metadataValue = parsed<string | number>(
  (value) => (typeof value === "string" || typeof value === "number" ? value : undefined),
  "must be a string or a number",
  "",
  { type: ["string", "number"] },
);

/** Of the output, in tokens. */
export const tokenLimit = nullable(integerWithin(1));
