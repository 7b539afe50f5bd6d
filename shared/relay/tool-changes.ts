// What an operator looks at in a tool's definition: what changed since it was accepted, and what
// its text should warn of. A definition is text from outside, which clients give their model.

import type { Json } from "../encoding.ts";
import { printJson } from "../json/json-text.ts";
import { type RiskNote, findRisks } from "../policy/risk.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** A member that changed, as text; null where there is none. */
type MemberChange = { readonly member: string; readonly before: string | null; readonly after: string | null };

/** People read these first. */
const first = ["title", "description", "inputSchema", "outputSchema", "annotations"];

/** `before`: null for a new tool, all of which is a change. */
export function toolChanges(before: ToolDefinition | null, after: ToolDefinition): readonly MemberChange[] {
  const members = new Set([...first, ...Object.keys(before ?? {}), ...Object.keys(after)]);
  members.delete("name");
  return [...members].flatMap((member) => {
    const change = { member, before: textOf(before?.[member]), after: textOf(after[member]) };
    return change.before === change.after ? [] : [change];
  });
}

const textOf = (value: Json | undefined): string | null =>
  value === undefined ? null : typeof value === "string" ? value : printJson(value);

/** The warnings of a sampling request, looked for in every text and name of a definition. */
export const toolWarnings = (definition: ToolDefinition): readonly RiskNote[] =>
  findRisks({ kind: "toolCall", server: "", tool: "", arguments: definition });
