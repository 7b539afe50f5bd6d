// Which tools of its server a client sees and may call: `countersign stdio --allow-tools` and
// `--deny-tools`. Works on lines, and stands before everything else that reads them.

import { parseJson } from "../../shared/json/values.ts";
import { type ToolNames, entryAllows } from "../../shared/policy/tool-names.ts";
import { calledTools, namedTool, toolListsIn } from "../../shared/relay/tool-list.ts";
import { errorLine, lineRefusal } from "./client-line.ts";
import { decoded } from "./stateless-lines.ts";

const longestName = 512;

/** The error in place of a line that calls a tool that is not shown; null: it passes. */
export function refusedCall(line: Uint8Array, names: ToolNames): string | null {
  // What could be read in another way is refused by the relay.
  if (lineRefusal(line) !== null) return null;
  const value = parseJson(decoded(line));
  const tool = calledTools(value).find((each) => !entryAllows(names, each));
  return tool === undefined
    ? null
    : errorLine({ code: -32_602, message: `Unknown tool: ${tool.slice(0, longestName).toWellFormed()}`, value });
}

const encoder = new TextEncoder();

/** A line of the server, whose lists have those tools alone that the client may call. */
export function withShownTools(line: Uint8Array, names: ToolNames): Uint8Array {
  const text = decoded(line);
  const lists = toolListsIn(text, namedTool);
  if (lists === null) return line;
  const shown = lists.shown(({ tools }, index) => entryAllows(names, tools[index]?.name ?? ""));
  // An error in the place of a message stands in the place of its line end too.
  return encoder.encode(text.endsWith("\n") && !shown.endsWith("\n") ? `${shown}\n` : shown);
}
