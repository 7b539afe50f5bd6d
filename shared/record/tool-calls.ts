// How often each tool of a server was called, as far as the record has it: calls that a rule is
// about, and those that were refused.

import type { RunSummary } from "./run-summary.ts";

/** `denied`: by people, by rules, by limits and by stops; of `calls`. */
export type ToolCalls = { readonly tool: string; readonly calls: number; readonly denied: number };

const denials: ReadonlySet<string> = new Set(["rejected", "refused"]);

/** The calls among these lines, by tool. A line of anything else counts nothing. */
export function toolCallsIn(lines: readonly Pick<RunSummary, "call" | "name" | "state">[]): ToolCalls[] {
  const calls = lines.filter(({ call, name }) => call === true && name !== null);
  return [...Map.groupBy(calls, ({ name }) => name ?? "")].map(([tool, of]) => ({
    tool,
    calls: of.length,
    denied: of.filter(({ state }) => denials.has(state)).length,
  }));
}

/** Each tool once. */
export const addedToolCalls = (all: readonly ToolCalls[]): ToolCalls[] =>
  [...Map.groupBy(all, ({ tool }) => tool)].map(([tool, of]) => ({
    tool,
    calls: of.reduce((sum, { calls }) => sum + calls, 0),
    denied: of.reduce((sum, { denied }) => sum + denied, 0),
  }));
