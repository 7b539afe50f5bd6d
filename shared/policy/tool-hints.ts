// What a tool's annotations say of it, as rules judge it. They are the server's own word: they
// count where the server's entry trusts them, and the tool is taken for the worst elsewhere.

import type { ToolHints } from "../model/judged-request.ts";
import type { Members } from "../json/values.ts";

/** MCP's own defaults for hints that are absent. */
export const carefulHints: ToolHints = { readOnly: false, destructive: true, openWorld: true };

/**
 * @param annotations Of the tool's definition; undefined where it has none.
 * @param isTrusted `trustAnnotations` of the server's entry.
 */
export function hintsOf(annotations: Members | undefined, isTrusted: boolean): ToolHints {
  if (!isTrusted || annotations === undefined) return carefulHints;
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  const readOnly = readOnlyHint === true;
  return {
    readOnly,
    // A tool that only reads need not say that it destroys nothing.
    destructive: typeof destructiveHint === "boolean" ? destructiveHint : !readOnly,
    openWorld: openWorldHint !== false,
  };
}
