// The parameters that every provider shares: what is passed, changed or left out, each change with
// its note.

import type { SamplingRequest, ToolChoice, ToolDefinition } from "../model/sampling.ts";
import type { Model } from "../routing/table.ts";
import type { Note } from "../model/call.ts";

/**
 * The temperature to pass, within 0 and `highest`; undefined where none was asked for or the
 * model's API refuses it. A change or an omission is noted.
 */
export function temperatureFor(request: SamplingRequest, model: Model, highest: number, notes: Note[]): number | undefined {
  const from = request.temperature;
  if (from === undefined) return undefined;
  if (model.omits.includes("temperature")) {
    notes.push({ kind: "omitted", field: "temperature", why: "This model's API does not take a temperature." });
    return undefined;
  }
  const to = Math.min(highest, Math.max(0, from));
  if (to !== from) notes.push({ kind: "clamped", field: "temperature", from, to });
  return to;
}

/**
 * The `top_p` to pass; undefined where none was asked for or the model's API refuses it, which is
 * noted. `isExcluded`: the API takes it or a temperature, and a temperature is passed.
 */
export function topPFor(request: SamplingRequest, model: Model, isExcluded: boolean, notes: Note[]): number | undefined {
  if (request.topP === undefined) return undefined;
  if (!model.omits.includes("topP") && !isExcluded) return request.topP;
  const why =
    isExcluded && !model.omits.includes("topP") ? "takes either a temperature or top_p, and gets the temperature" : "does not take top_p";
  notes.push({ kind: "omitted", field: "topP", why: `This model's API ${why}.` });
  return undefined;
}

/**
 * The `top_k` to pass; undefined where none was asked for or the model's API does not take it,
 * which is noted.
 */
export function topKFor(request: SamplingRequest, isSupported: boolean, notes: Note[]): number | undefined {
  if (request.topK === undefined || isSupported) return request.topK;
  notes.push({ kind: "omitted", field: "topK", why: "This model's API does not take top_k." });
  return undefined;
}

/**
 * The stop sequences to pass: at most `most`, and only those that the API `takes`. `finishReply`
 * cuts the reply at all of them, so that the others count too; a model that does not know them may
 * have generated further.
 */
export function stopSequencesFor(
  request: SamplingRequest,
  model: Model,
  api: { readonly most: number; readonly takes: (sequence: string) => boolean },
  notes: Note[],
): string[] | undefined {
  const asked = request.stopSequences ?? [];
  if (asked.length === 0) return undefined;
  const passed = model.omits.includes("stopSequences") ? [] : asked.filter(api.takes).slice(0, api.most);
  if (passed.length < asked.length)
    notes.push({
      kind: "omitted",
      field: "stopSequences",
      why: `The API takes ${passed.length} of these ${asked.length} stop sequences; the reply is cut at the others after it was made.`,
    });
  return passed.length === 0 ? undefined : passed;
}

/**
 * The request's metadata as far as the routing table names the keys, as texts (other JSON values as
 * their JSON); undefined where nothing is left. Everything else is noted, by number only: the keys
 * are the requestor's words.
 */
export function metadataFor(request: SamplingRequest, model: Model, notes: Note[]): Record<string, string> | undefined {
  const entries = Object.entries(request.metadata ?? {});
  const named = entries.filter(([key]) => model.metadataKeys.includes(key));
  if (named.length < entries.length)
    notes.push({
      kind: "omitted",
      field: "metadata",
      why: `${entries.length - named.length} of ${entries.length} metadata entries are not passed on: the routing table does not name them.`,
    });
  if (named.length === 0) return undefined;
  return Object.fromEntries(named.map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]));
}

/** Whether a reply may use tools: the request has some and does not forbid them. */
export const mayUseTools = (request: SamplingRequest): boolean => (request.tools?.length ?? 0) > 0 && request.toolChoice !== "none";

/**
 * The tools and the tool choice to pass. Both APIs refuse a choice without tools; it means nothing,
 * and is noted where it asked for a tool. For an API that does not know `none` the tools are left
 * out, which has the same effect; `auto` is what every API does without a choice.
 */
export function toolsFor(
  request: SamplingRequest,
  model: Model,
  notes: Note[],
): { readonly tools: readonly ToolDefinition[]; readonly choice: ToolChoice | undefined } {
  const { tools = [], toolChoice: choice } = request;
  const known = choice === undefined || model.toolChoices?.includes(choice) !== false;
  if (tools.length > 0 && known) return { tools, choice };
  if (choice === "required" || (choice === "none" && tools.length > 0))
    notes.push({
      kind: "omitted",
      field: "toolChoice",
      why:
        tools.length === 0
          ? "The request has no tools for the model to choose from."
          : choice === "none"
            ? "This model's API cannot be told to use no tools; the tools are left out."
            : "This model's API cannot be told to use a tool.",
    });
  return { tools: choice === "none" ? [] : tools, choice: undefined };
}
