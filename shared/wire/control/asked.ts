// What every task's request is put together from: the model that was asked for, and a system prompt of several parts.

import type { ChatRequest, NamedModel } from "../../model/sampling.ts";

/** The model by name, which routing goes by, and as a hint, which is what the page and the record show of what was asked for. */
export const namedModelOf = (model: NamedModel): Pick<ChatRequest, "namedModel" | "modelPreferences"> => ({
  namedModel: { ...model },
  modelPreferences: { hints: [{ name: model.name }] },
});

/** The parts that are not empty, a blank line between them; undefined where all are. */
export function joinPrompt(parts: readonly (string | undefined)[]): string | undefined {
  const given = parts.filter((part) => part !== undefined && part !== "");
  return given.length === 0 ? undefined : given.join("\n\n");
}
