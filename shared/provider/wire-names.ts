// Replaces names and ids that a provider's API would refuse, and restores them in the reply.
//
// The protocol allows dots and slashes in tool names, and anything in ids; both APIs take letters,
// digits, "_" and "-" only. No tool is dropped and no request refused for that.

import type { SamplingRequest, ToolUseBlock } from "../model/sampling.ts";

export type WireNames = { readonly to: (name: string) => string; readonly from: (wire: string) => string };

const plain: WireNames = { to: (name) => name, from: (wire) => wire };
const safe = /^[A-Za-z0-9_-]+$/;

/**
 * One wire name for each name, no two alike, the same for the same list. `limit` is the longest
 * wire name, in characters. A name that the API takes as it is stays as it is.
 */
export function wireNames(names: readonly string[], limit: number): WireNames {
  if (names.every((name) => name.length <= limit && safe.test(name))) return plain;
  const originals = new Map<string, string>();
  // The next number of each base: tens of thousands of names may differ only in characters that are
  // replaced.
  const numbers = new Map<string, number>();
  const wires = new Map<string, string>();
  const give = (name: string, wire: string): void => {
    wires.set(name, wire);
    originals.set(wire, name);
  };
  for (const name of names) if (name.length <= limit && safe.test(name)) give(name, name);
  for (const name of names) {
    if (wires.has(name)) continue;
    const base = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, limit - 6) || "unnamed";
    let wire = base;
    let number = numbers.get(base) ?? 2;
    for (; originals.has(wire); number += 1) wire = `${base}_${number}`;
    numbers.set(base, number);
    give(name, wire);
  }
  return { to: (name) => wires.get(name) ?? name, from: (wire) => originals.get(wire) ?? wire };
}

const toolUses = (request: SamplingRequest): ToolUseBlock[] =>
  request.messages.flatMap((message) => message.content.flatMap((block) => (block.type === "tool_use" ? [block] : [])));

/**
 * Both APIs take tool names of at most 64 characters. Names of the history count too: a tool may be
 * gone from the list by now.
 */
export const toolNames = (request: SamplingRequest): WireNames =>
  wireNames([...(request.tools ?? []).map((tool) => tool.name), ...toolUses(request).map((use) => use.name)], 64);

/** Ids of tool uses, and of their results. OpenAI takes at most 40 characters. */
export const toolUseIds = (request: SamplingRequest): WireNames =>
  wireNames(
    toolUses(request).map((use) => use.id),
    40,
  );
