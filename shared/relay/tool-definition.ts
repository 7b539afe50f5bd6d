// What a tool is, as its server describes it: its definition is pinned by a digest.

import { type JsonObject, digestOf } from "../encoding.ts";
import { valueAsWritten } from "../json/as-written.ts";
import { type JsonOf, jsonOf } from "../json/json-of.ts";
import { namedTool, withoutOtherOutput } from "./tool-list.ts";

/** A tool as its server describes it, without what it may change with each list. */
export type ToolDefinition = JsonObject & { readonly name: string };

export type ListedTool = {
  readonly name: string;
  readonly digest: string;
  readonly definition: JsonOf<ToolDefinition>;
};

/**
 * What a server may change without changing what the tool is, and `execution`, which clients of
 * 2026-07-28 do not get from a server with sessions.
 */
const unpinned: ReadonlySet<string> = new Set(["_meta", "icons", "execution"]);

/** A tool of a list with its digest; null as in `namedTool`. */
export function listedTool(value: JsonObject): ListedTool | null {
  const tool = namedTool(value);
  if (tool === null) return null;
  const { name } = tool;
  const pinned = Object.fromEntries(Object.entries(withoutOtherOutput(value)).filter(([each]) => !unpinned.has(each)));
  const definition = jsonOf<ToolDefinition>({ ...pinned, name });
  return { name, digest: digestOf("countersign/tool-definition/v1", valueAsWritten(definition)), definition };
}
