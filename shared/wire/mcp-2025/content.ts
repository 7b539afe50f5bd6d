// From the content of a wire message of the 2025 revisions to neutral blocks. Checks every member that the official schema names, also
// those that no provider gets (annotations, titles, icons, `_meta`), and leaves the latter out. Never throws.

import type { JsonObject } from "../../encoding.ts";
import { isBase64, mediaType } from "./content-rules.ts";
import { isObject, type Members, type Reading } from "../../json/reading.ts";
import type { Block, EmbeddedResourceBlock, Message, ResourceLinkBlock, ToolDefinition, ToolResultBlock } from "../../model/sampling.ts";

type ResultBlock = ToolResultBlock["content"][number];

/** A stand-in for a block that could not be read. */
const NO_BLOCK = { type: "text", text: "" } as const;

/** A message; its content may be one block or a list, also an empty one, which the official schema allows. */
export function readMessage(value: unknown, at: string, reading: Reading): Message {
  const message = reading.object(value, at);
  if (message === undefined) return { role: "user", content: [] };
  checkMeta(message, at, reading);
  const content: Block[] = [];
  const here = `${at}/content`;
  if (Array.isArray(message["content"])) {
    for (const [i, block] of message["content"].entries()) {
      if (reading.full) break;
      content.push(readBlock(block, `${here}/${i}`, reading));
    }
  } else {
    content.push(readBlock(message["content"], here, reading));
  }
  return { role: reading.oneOf(["user", "assistant"], message, "role", at) ?? "user", content };
}

function readBlock(value: unknown, at: string, reading: Reading): Block {
  const block = reading.object(value, at);
  if (block === undefined) return NO_BLOCK;
  switch (reading.oneOf(["text", "image", "audio", "tool_use", "tool_result"], block, "type", at)) {
    case "text":
      return readText(block, at, reading);
    case "image":
      return { type: "image", ...readMedia("image", block, at, reading) };
    case "audio":
      return { type: "audio", ...readMedia("audio", block, at, reading) };
    case "tool_use":
      checkMeta(block, at, reading);
      return {
        type: "tool_use",
        id: reading.string(block, "id", at),
        name: reading.string(block, "name", at),
        input: reading.json(block, "input", at),
      };
    case "tool_result":
      return readToolResult(block, at, reading);
    case undefined:
      return NO_BLOCK;
  }
}

function readText(block: Members, at: string, reading: Reading) {
  checkAnnotations(block, at, reading);
  return { type: "text" as const, text: reading.string(block, "text", at) };
}

function readMedia(kind: "image" | "audio", block: Members, at: string, reading: Reading) {
  checkAnnotations(block, at, reading);
  const data = reading.string(block, "data", at);
  if (typeof block["data"] === "string" && (data === "" || !isBase64(data)))
    reading.fault(`${at}/data`, "must be base64 (RFC 4648 section 4) of at least one byte");
  return { data, mimeType: readMediaType(kind, block, at, reading) };
}

function readMediaType(kind: "image" | "audio" | "any", of: Members, at: string, reading: Reading): string {
  const type = mediaType(kind, reading.string(of, "mimeType", at));
  if (type === undefined && typeof of["mimeType"] === "string") {
    reading.fault(`${at}/mimeType`, kind === "any" ? "must be a media type" : `must be a media type of the form ${kind}/...`);
  }
  return type ?? "";
}

/** A tool result, with every block of its content. */
export function readToolResult(block: Members, at: string, reading: Reading): ToolResultBlock {
  checkMeta(block, at, reading);
  const content: ResultBlock[] = [];
  for (const [i, part] of reading.array(block["content"], `${at}/content`).entries()) {
    if (reading.full) break;
    content.push(readResultBlock(part, `${at}/content/${i}`, reading));
  }
  const result: ToolResultBlock = { type: "tool_result", toolUseId: reading.string(block, "toolUseId", at), content };
  if (block["structuredContent"] !== undefined) result.structuredContent = reading.json(block, "structuredContent", at);
  if (block["isError"] !== undefined) result.isError = reading.boolean(block, "isError", at);
  return result;
}

function readResultBlock(value: unknown, at: string, reading: Reading): ResultBlock {
  const block = reading.object(value, at);
  if (block === undefined) return NO_BLOCK;
  switch (reading.oneOf(["text", "image", "audio", "resource_link", "resource"], block, "type", at)) {
    case "text":
      return readText(block, at, reading);
    case "image":
      return { type: "image", ...readMedia("image", block, at, reading) };
    case "audio":
      return { type: "audio", ...readMedia("audio", block, at, reading) };
    case "resource_link":
      return readResourceLink(block, at, reading);
    case "resource":
      return readEmbeddedResource(block, at, reading);
    case undefined:
      return NO_BLOCK;
  }
}

function readResourceLink(block: Members, at: string, reading: Reading): ResourceLinkBlock {
  checkAnnotations(block, at, reading);
  checkIcons(block, at, reading);
  if (block["title"] !== undefined) reading.string(block, "title", at);
  if (block["size"] !== undefined && !Number.isInteger(block["size"])) reading.fault(`${at}/size`, "must be an integer");
  const link: ResourceLinkBlock = { type: "resource_link", uri: reading.string(block, "uri", at), name: reading.string(block, "name", at) };
  if (block["description"] !== undefined) link.description = reading.string(block, "description", at);
  if (block["mimeType"] !== undefined) link.mimeType = reading.string(block, "mimeType", at);
  return link;
}

/** A text or a blob, not both: a provider would get one of them, and the reviewer could not know which. An empty file is a blob too. */
function readEmbeddedResource(block: Members, at: string, reading: Reading): EmbeddedResourceBlock {
  checkAnnotations(block, at, reading);
  const here = `${at}/resource`;
  const resource = reading.object(block["resource"], here);
  if (resource === undefined) return { type: "resource", resource: { uri: "", text: "" } };
  checkMeta(resource, here, reading);
  const uri = reading.string(resource, "uri", here);
  if (resource["blob"] === undefined) {
    const text = reading.string(resource, "text", here);
    return {
      type: "resource",
      resource: resource["mimeType"] === undefined ? { uri, text } : { uri, mimeType: reading.string(resource, "mimeType", here), text },
    };
  }
  if (resource["text"] !== undefined) reading.fault(here, "must have a text or a blob, not both");
  const blob = reading.string(resource, "blob", here);
  if (!isBase64(blob)) reading.fault(`${here}/blob`, "must be base64 (RFC 4648 section 4)");
  return {
    type: "resource",
    resource: resource["mimeType"] === undefined ? { uri, blob } : { uri, mimeType: readMediaType("any", resource, here, reading), blob },
  };
}

/** A tool of the request. Its title, annotations, icons, output schema and task support are the server's own affair. */
export function readTool(value: unknown, at: string, reading: Reading): ToolDefinition {
  const tool = reading.object(value, at);
  if (tool === undefined) return { name: "", inputSchema: {} };
  checkMeta(tool, at, reading);
  checkIcons(tool, at, reading);
  if (tool["title"] !== undefined) reading.string(tool, "title", at);
  checkToolAnnotations(tool, at, reading);
  if (tool["outputSchema"] !== undefined) readToolSchema(tool, "outputSchema", at, reading);
  const read: ToolDefinition = { name: reading.string(tool, "name", at), inputSchema: readToolSchema(tool, "inputSchema", at, reading) };
  if (tool["description"] !== undefined) read.description = reading.string(tool, "description", at);
  return read;
}

/** Only as far as the official schema looks: an object's schema, whose properties are schemas and whose `required` are names. */
function readToolSchema(tool: Members, name: "inputSchema" | "outputSchema", at: string, reading: Reading): JsonObject {
  const here = `${at}/${name}`;
  const schema = reading.json(tool, name, at);
  if (!isObject(tool[name])) return schema;
  reading.oneOf(["object"], schema, "type", here);
  if (schema["$schema"] !== undefined) reading.string(schema, "$schema", here);
  if (schema["required"] !== undefined) reading.strings(schema, "required", here);
  if (schema["properties"] !== undefined) {
    const properties = reading.json(schema, "properties", here);
    for (const property of Object.keys(properties)) {
      if (reading.full) break;
      reading.json(properties, property, `${here}/properties`);
    }
  }
  return schema;
}

function checkToolAnnotations(tool: Members, at: string, reading: Reading): void {
  if (tool["annotations"] !== undefined) {
    const here = `${at}/annotations`;
    const annotations = reading.object(tool["annotations"], here) ?? {};
    if (annotations["title"] !== undefined) reading.string(annotations, "title", here);
    for (const hint of ["destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint"]) {
      if (annotations[hint] !== undefined) reading.boolean(annotations, hint, here);
    }
  }
  if (tool["execution"] !== undefined) {
    const execution = reading.object(tool["execution"], `${at}/execution`) ?? {};
    if (execution["taskSupport"] !== undefined)
      reading.oneOf(["forbidden", "optional", "required"], execution, "taskSupport", `${at}/execution`);
  }
}

function checkMeta(of: Members, at: string, reading: Reading): void {
  if (of["_meta"] !== undefined) reading.object(of["_meta"], `${at}/_meta`);
}

function checkAnnotations(block: Members, at: string, reading: Reading): void {
  checkMeta(block, at, reading);
  if (block["annotations"] === undefined) return;
  const here = `${at}/annotations`;
  const annotations = reading.object(block["annotations"], here) ?? {};
  if (annotations["priority"] !== undefined) reading.numberWithin(0, 1, annotations, "priority", here);
  if (annotations["lastModified"] !== undefined) reading.string(annotations, "lastModified", here);
  if (annotations["audience"] !== undefined) {
    for (const [i, role] of reading.array(annotations["audience"], `${here}/audience`).entries()) {
      if (reading.full) break;
      if (role !== "user" && role !== "assistant") reading.fault(`${here}/audience/${i}`, "must be one of user, assistant");
    }
  }
}

function checkIcons(of: Members, at: string, reading: Reading): void {
  if (of["icons"] === undefined) return;
  for (const [i, value] of reading.array(of["icons"], `${at}/icons`).entries()) {
    if (reading.full) break;
    const here = `${at}/icons/${i}`;
    const icon = reading.object(value, here);
    if (icon === undefined) continue;
    reading.string(icon, "src", here);
    if (icon["mimeType"] !== undefined) reading.string(icon, "mimeType", here);
    if (icon["sizes"] !== undefined) reading.strings(icon, "sizes", here);
    if (icon["theme"] !== undefined) reading.oneOf(["dark", "light"], icon, "theme", here);
  }
}
