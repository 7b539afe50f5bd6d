// The content of wire messages, read as neutral blocks. Every member that the official schema names
// is checked; those that no provider gets (annotations, titles, icons, `_meta`) are then left out.

import type { JsonObject } from "../../encoding.ts";
import { isObject } from "../../json/values.ts";
import {
  type Field,
  type Fields,
  anyObject,
  flag,
  keptAfter,
  leftOut,
  list,
  numberWithin,
  object,
  oneOf,
  oneOrMore,
  optional,
  parsed,
  record,
  refined,
  tagged,
  text,
  withEither,
} from "../../json/fields.ts";
import { type Message, type ToolDefinition, type ToolResultBlock, blockMembers, resourceMembers } from "../../model/sampling.ts";
import { isBase64, mediaType } from "./content-rules.ts";

const meta = { _meta: leftOut(anyObject) };
const annotated = {
  ...meta,
  annotations: leftOut(
    object({
      priority: optional(numberWithin(0, 1)),
      lastModified: optional(text()),
      audience: optional(list(oneOf(["user", "assistant"]))),
    }),
  ),
};
const icon = object({
  src: text(),
  mimeType: optional(text()),
  sizes: optional(list(text())),
  theme: optional(oneOf(["dark", "light"])),
});
const shown = { icons: leftOut(list(icon)), title: leftOut(text()) };

const onlyIf = (isValid: (value: string) => boolean) => (value: string) => (isValid(value) ? value : undefined);

const base64 = refined(text(), onlyIf(isBase64), "must be base64 (RFC 4648 section 4)");
const media = (kind: "image" | "audio") => ({
  data: refined(
    text(),
    onlyIf((data) => data !== "" && isBase64(data)),
    "must be base64 (RFC 4648 section 4) of at least one byte",
  ),
  mimeType: refined(text(), (type) => mediaType(kind, type), `must be a media type of the form ${kind}/...`),
});

const textBlock = object({ ...annotated, ...blockMembers.text });
const image = object({ ...annotated, ...blockMembers.image, ...media("image") });
const audio = object({ ...annotated, ...blockMembers.audio, ...media("audio") });

const size = parsed((value) => (Number.isInteger(value) ? value : undefined), "must be an integer", 0, { type: "integer" });
const resourceLink = object({ ...annotated, ...shown, size: leftOut(size), ...blockMembers.resource_link });

const anyMediaType = refined(text(), (type) => mediaType("any", type), "must be a media type");
const resource = withEither(
  "blob",
  object({ ...meta, ...resourceMembers.blob, mimeType: optional(anyMediaType), blob: base64 }),
  object({ ...meta, ...resourceMembers.text }),
);
/**
 * A text or a blob, not both: a provider would get one of them, and the reviewer could not know
 * which. An empty file is a blob too.
 */
const embeddedResource = object({
  ...annotated,
  type: oneOf(["resource"]),
  resource: {
    ...resource,
    read(value, at, issues) {
      const hasBoth = isObject(value) && value["text"] !== undefined && value["blob"] !== undefined;
      if (hasBoth) issues.add(at, "must have a text or a blob, not both");
      return resource.read(value, at, issues);
    },
  } satisfies typeof resource,
});

/** What differs between the revisions that have the rest in common. */
type ContentShapes = {
  readonly structuredContent: Field<JsonObject>;
  /** The schema of a tool's input, kept as it came. */
  readonly inputSchema: Field<JsonObject>;
  readonly outputSchema: Field<unknown>;
  /** Members of a tool that no provider gets. */
  readonly ofTool: Fields;
};

/**
 * The fields of messages, tool results and tools. A message's content may be one block or a list,
 * also an empty one, which the official schema allows.
 */
export function contentFields({ structuredContent, inputSchema, outputSchema, ofTool }: ContentShapes): ContentFields {
  const toolResult = object({
    ...meta,
    content: list(tagged("type", { text: textBlock, image, audio, resource_link: resourceLink, resource: embeddedResource })),
    ...blockMembers.tool_result,
    structuredContent: optional(structuredContent),
  });
  const toolUse = object({ ...meta, ...blockMembers.tool_use });
  const message = object({
    ...meta,
    content: oneOrMore(tagged("type", { text: textBlock, image, audio, tool_use: toolUse, tool_result: toolResult })),
    role: oneOf(["user", "assistant"]),
  });
  const tool = object({
    ...meta,
    ...shown,
    annotations: leftOut(toolAnnotations),
    ...(ofTool as Record<never, never>), // left out: no member of the neutral tool
    outputSchema: leftOut(outputSchema),
    name: text(),
    inputSchema,
    description: optional(text()),
  });
  return { message, tool, toolResult };
}

export type ContentFields = {
  readonly message: Field<Message>;
  /** A tool of the request. No provider gets its title, annotations, icons and output schema. */
  readonly tool: Field<ToolDefinition>;
  /** A tool result, with every block of its content. */
  readonly toolResult: Field<ToolResultBlock>;
};

const toolAnnotations = object({
  title: optional(text()),
  destructiveHint: optional(flag),
  idempotentHint: optional(flag),
  openWorldHint: optional(flag),
  readOnlyHint: optional(flag),
});

/**
 * Checked only as far as the official schema does: an object's schema, whose properties are schemas
 * and whose `required` are names.
 */
const toolSchema = keptAfter(
  object({
    type: oneOf(["object"]),
    $schema: optional(text()),
    required: optional(list(text())),
    properties: optional(record(anyObject)),
  }),
);

export const content2025 = contentFields({
  structuredContent: anyObject,
  inputSchema: toolSchema,
  outputSchema: toolSchema,
  ofTool: { execution: leftOut(object({ taskSupport: optional(oneOf(["forbidden", "optional", "required"])) })) },
});
