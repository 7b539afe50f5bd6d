// What each kind of provider does for the sender and the doctor. Which kinds there are is in provider-registry.ts.

import type { ModelReply, ProviderError } from "../../shared/model/call.ts";
import type { FunctionRequest } from "../../shared/model/sampling.ts";
import type { EmbeddingReply } from "../../shared/provider/embedding.ts";
import type { ModelCall } from "../../shared/provider/model-call.ts";
import type { Result } from "../../shared/result.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { Limits } from "./provider-exchange.ts";
import type { Ready } from "./ready.ts";

/** Runs the function that the request's one tool use names, on the MCP server that the candidate stands for. */
export type RunFunction = (request: FunctionRequest, candidate: Candidate, limits: Limits) => Promise<Result<ModelReply, ProviderError>>;

/** Gets the text of a reply in pieces while it comes. Together they are the text of the reply. */
export type OnDelta = (text: string) => void;

export type Surroundings = {
  readonly lookup: (name: string) => string | undefined;
  readonly now: () => number;
  readonly runFunction?: RunFunction;
};

/** A function that is to be run, and where. */
export type FunctionCall = { readonly request: FunctionRequest; readonly candidate: Candidate };

/** Texts that are to become vectors, and who is to make them. */
export type EmbeddingCall = { readonly texts: readonly string[]; readonly candidate: Candidate };

export type OpenProvider = {
  /**
   * One attempt at a model's reply, within a time; null where there is no model. With `onDelta` the reply's text is handed on in pieces; a
   * fault after the first of them is final, since what was said cannot be said otherwise.
   */
  readonly reply:
    | ((call: ModelCall, around: Surroundings, limits: Limits, onDelta?: OnDelta) => Promise<Result<ModelReply, ProviderError>>)
    | null;
  /** One attempt at a function's result; null where nothing runs functions. */
  readonly run: ((call: FunctionCall, around: Surroundings, limits: Limits) => Promise<Result<ModelReply, ProviderError>>) | null;
  /** One attempt at vectors; null where the API has none. */
  readonly embed: ((call: EmbeddingCall, around: Surroundings, limits: Limits) => Promise<Result<EmbeddingReply, ProviderError>>) | null;
  /** The models that the provider says it has; null where there is nobody to ask. To ask costs nothing. */
  readonly modelList: ModelList | null;
};

export type ModelList = {
  readonly ask: (ready: Ready, signal: AbortSignal) => Promise<Response>;
  /** The names in its answer as the routing table may write them; undefined where it is no list. */
  readonly namesIn: (body: unknown) => ReadonlySet<string> | undefined;
};

/** Opens a kind of provider, with what it keeps: OpenAI's clients cost half a call to make. */
export type ProviderAdapter = (fetch: typeof globalThis.fetch) => OpenProvider;
