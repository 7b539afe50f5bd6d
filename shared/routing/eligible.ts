// Whether a model can serve a request at all, and if not, why. Reasons are told to the requestor
// and to the operator, so they name what the table says and nothing that the request contains.

import { type SamplingRequest, dimensionsOf, outputLimit } from "../model/sampling.ts";
import { isExactlyNamed, mayBeMeant, namedTiers } from "./named.ts";
import { isBuiltIn } from "./provider-kinds.ts";
import { leastInputTokens, sizeOf, type RequestSize } from "./price.ts";
import { foldCase } from "./fold-case.ts";
import type { ReasonPhrase } from "../words/reasons.ts";
import { foldedNamesOf, providerOf, type Model, type Provider, type RoutingTable } from "./table.ts";

export type RoutingInput = {
  readonly table: RoutingTable;
  readonly request: SamplingRequest;
  readonly key: { readonly id: string; readonly name: string };
  /** The MCP server that asks. */
  readonly server: string;
  /**
   * Why a provider cannot be used now (no credential, no address), or undefined where it can.
   * Always the same answers.
   */
  readonly ready: (provider: Provider, providerName: string) => ReasonPhrase | undefined;
  /**
   * Why a request cannot be put into a provider's words for this model, or undefined where it can.
   */
  readonly cannotCarry: (request: SamplingRequest, model: Model, provider: Provider) => ReasonPhrase | undefined;
  /** The key's own allow-list of model ids; undefined: all. */
  readonly onlyModels?: readonly string[] | undefined;
};

export type Eligible = { readonly model: Model; readonly provider: Provider; readonly providerName: string; readonly position: number };
export type PassedOver = { readonly model: string; readonly why: ReasonPhrase };

/**
 * Splits the table's models into those that can serve the request and those that cannot, in the
 * table's order, each of the latter with the first reason found. Access is checked first, so that a
 * key learns nothing of a model that it may not use but that it may not.
 */
export function findEligible(input: RoutingInput): {
  readonly eligible: readonly Eligible[];
  readonly passedOver: readonly PassedOver[];
  readonly size: RequestSize;
} {
  const size = sizeOf(input.request);
  const needs = needsOf(input.request);
  const { models, demoStandsIn } = tableFactsOf(input);
  const canServe: Eligible[] = [];
  const passedOver: (PassedOver & { readonly position: number })[] = [];
  for (const [position, facts] of models.entries()) {
    const { model, provider } = facts;
    const why = reasonAgainst(input, facts, size, needs, demoStandsIn);
    if (provider !== undefined && why === undefined) canServe.push({ model, provider, providerName: model.provider, position });
    else passedOver.push({ position, model: model.id, why: why ?? noSuchProvider });
  }
  const eligible = meant(input, canServe);
  if (eligible.length < canServe.length) {
    const positions = new Set(eligible.map(({ position }) => position));
    for (const { position, model } of canServe) if (!positions.has(position)) passedOver.push({ position, model: model.id, why: notMeant });
    passedOver.sort((a, b) => a.position - b.position);
  }
  return { eligible, passedOver: passedOver.map(({ model, why }) => ({ model, why })), size };
}

const notMeant: ReasonPhrase = { key: "notMeant" };
const noSuchProvider: ReasonPhrase = { key: "noSuchProvider" };

/**
 * Where a model was named: those that may serve it, in the table's order. Which equivalents count
 * depends on which models can serve.
 */
function meant({ table, request }: RoutingInput, canServe: readonly Eligible[]): readonly Eligible[] {
  if (request.namedModel === undefined) return canServe;
  const positions = new Set(
    namedTiers(table, request.namedModel, canServe).flatMap(({ members }) => members.map(({ position }) => position)),
  );
  return canServe.filter(({ position }) => positions.has(position));
}

type Accepted = Model["accepts"][number];
type Needs = { readonly content: readonly Accepted[]; readonly tools: boolean; readonly forced: boolean };

/** What of a model's reasons is the same for every request of one key and server. */
type ModelFacts = {
  readonly model: Model;
  /** Undefined: it is not in the routing table. */
  readonly provider: Provider | undefined;
  readonly noAccess: ReasonPhrase | undefined;
  readonly notReady: ReasonPhrase | undefined;
};

/** Every model of the table, in its order; and `standsIn`. */
type TableFacts = { readonly models: readonly ModelFacts[]; readonly demoStandsIn: boolean };

const tableFacts = new WeakMap<RoutingTable, WeakMap<RoutingInput["ready"], Map<string, TableFacts>>>();
/** Of keys and servers, for one table. */
const mostKnown = 1_000;

/**
 * Found once for each table, `ready`, key and server: a table does not change, and `ready` always
 * gives the same answers.
 */
function tableFactsOf(input: RoutingInput): TableFacts {
  const { table, ready, key, server, onlyModels } = input;
  const ofTable = tableFacts.get(table) ?? new WeakMap<RoutingInput["ready"], Map<string, TableFacts>>();
  tableFacts.set(table, ofTable);
  const known = ofTable.get(ready) ?? new Map<string, TableFacts>();
  ofTable.set(ready, known);
  const label = JSON.stringify([key.id, key.name, server, onlyModels ?? null]);
  const earlier = known.get(label);
  if (earlier !== undefined) return earlier;
  const models = table.models.map((model): ModelFacts => {
    const provider = providerOf(table, model.provider);
    const notReady = provider === undefined ? undefined : ready(provider, model.provider);
    return { model, provider, noAccess: accessReason(input, model), notReady };
  });
  const found = { models, demoStandsIn: standsIn(models) };
  if (known.size >= mostKnown) known.clear();
  known.set(label, found);
  return found;
}

function reasonAgainst(
  input: RoutingInput,
  { model, provider, noAccess, notReady }: ModelFacts,
  size: RequestSize,
  needs: Needs,
  demoStandsIn: boolean,
): ReasonPhrase | undefined {
  if (provider === undefined) return noSuchProvider;
  if (noAccess !== undefined) return noAccess;
  const { request } = input;
  const task = taskOf(request);
  const candidate = { model, provider, providerName: model.provider };
  // Before readiness: a missing credential of a model that was not asked for does not matter.
  if (request.namedModel !== undefined && !mayBeMeant(input.table, request.namedModel, candidate)) return notMeant;
  if (notReady !== undefined) return notReady;
  if (isBuiltIn(provider.kind) && !demoStandsIn && !isNamedExactly(candidate, request)) return { key: "demoStandsBack" };
  if (!model.tasks.includes(task)) return { key: task === "embedding" ? "notEmbedding" : "notChat" };
  if (dimensionsOf(request) !== undefined && model.takes?.includes("dimensions") !== true) return { key: "noDimensions" };
  for (const content of needs.content)
    if (!model.accepts.includes(content)) return { key: "notAccepted", values: { content: { key: content } } };
  if (task === "chat") {
    if (needs.tools && !model.tools) return { key: "noTools" };
    if (needs.forced && model.toolChoices?.includes("required") === false) return { key: "notForced" };
    if (outputLimit(request) > model.maxOutputTokens) return { key: "overOutput", values: { most: String(model.maxOutputTokens) } };
  }
  const least = leastInputTokens(size) + outputLimit(request);
  if (least > model.contextTokens) return { key: "overContext", values: { most: String(model.contextTokens) } };
  return input.cannotCarry(request, model, provider);
}

function accessReason(input: RoutingInput, model: Model): ReasonPhrase | undefined {
  const { key, server, onlyModels } = input;
  if (onlyModels !== undefined && !onlyModels.includes(model.id)) return { key: "notForKey" };
  if (model.onlyKeys.length > 0 && !model.onlyKeys.includes(key.id) && !model.onlyKeys.includes(key.name)) return { key: "notForKey" };
  if (model.onlyServers.length > 0 && !model.onlyServers.includes(server)) return { key: "notForServer" };
  return model.enabled ? undefined : { key: "disabled" };
}

/**
 * The demo provider is what a fresh checkout uses: its models are eligible only while no other
 * model that this key and server may use has a provider that is ready. Its scores (free, fast)
 * would otherwise win every cost or speed preference, and as the last candidate it would answer
 * real requests when every other provider is down.
 */
const standsIn = (models: readonly ModelFacts[]): boolean =>
  !models.some(
    ({ provider, noAccess, notReady }) =>
      provider !== undefined && !isBuiltIn(provider.kind) && noAccess === undefined && notReady === undefined,
  );

const isNamedExactly = (candidate: Omit<Eligible, "position">, request: SamplingRequest): boolean => {
  const { model } = candidate;
  if (request.namedModel !== undefined) return isExactlyNamed(request.namedModel, candidate);
  const names = new Set(foldedNamesOf(model));
  return hintsOf(request).some((hint) => names.has(foldCase(hint)));
};

/** Further hints are ignored: each is compared with every model. */
const mostHintsCompared = 16;
const longestHint = 256;

/**
 * The hints that count, in order: names with white space around them removed, without empty ones
 * and ones over 256 characters; the first 16.
 */
export function hintsOf(request: SamplingRequest): string[] {
  const hints: string[] = [];
  for (const { name } of request.modelPreferences?.hints ?? []) {
    if (hints.length === mostHintsCompared) break;
    if (name === undefined || name.length > longestHint) continue;
    const hint = name.trim();
    if (hint !== "") hints.push(hint);
  }
  return hints;
}

function needsOf(request: SamplingRequest): Needs {
  const content = new Set<Accepted>();
  let tools = (request.tools?.length ?? 0) > 0;
  if ((request.systemPrompt ?? "") !== "") content.add("text");
  for (const message of request.messages) {
    for (const block of message.content) {
      if (block.type === "tool_use" || block.type === "tool_result") tools = true;
      for (const piece of block.type === "tool_result" ? block.content : [block]) {
        if (piece.type === "image" || piece.type === "audio" || piece.type === "pdf" || piece.type === "text") content.add(piece.type);
      }
    }
  }
  return { content: [...content], tools, forced: (request.tools?.length ?? 0) > 0 && request.toolChoice === "required" };
}

/**
 * What a model must be able to do. No model runs a function: its MCP server stands in the place of
 * one.
 */
const taskOf = ({ kind }: SamplingRequest): Model["tasks"][number] => (kind === "embedding" ? "embedding" : "chat");
