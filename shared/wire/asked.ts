// What every task's request is made from: the model that was asked for, and a system prompt of
// several parts.

import type { ChatRequest, NamedModel } from "../model/sampling.ts";

/** The model by name, for routing, and as a hint, for the page and the record. */
export const namedModelOf = (model: NamedModel): Pick<ChatRequest, "namedModel" | "modelPreferences"> => ({
  namedModel: { ...model },
  modelPreferences: { hints: [{ name: model.name }] },
});

/** The parts that are not empty, a blank line between them; undefined where all are. */
export function joinPrompt(parts: readonly (string | undefined)[]): string | undefined {
  const given = parts.filter((part) => part !== undefined && part !== "");
  return given.length === 0 ? undefined : given.join("\n\n");
}
