// What each kind of provider does for the sender and the doctor; provider-registry.ts has the
// kinds.

import type { ModelReply, ProviderError } from "../../shared/model/call.ts";
import type { EmbeddingReply } from "../../shared/provider/embedding.ts";
import type { ModelCall } from "../../shared/provider/model-call.ts";
import type { Result } from "../../shared/result.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { Limits } from "./provider-exchange.ts";
import type { Ready } from "./ready.ts";

/** Gets the text of a reply in pieces while it comes. Together they are the text of the reply. */
export type OnDelta = (text: string) => void;

export type Surroundings = {
  readonly lookup: (name: string) => string | undefined;
  readonly now: () => number;
};

/** `dimensions`: the size that the vectors must have. */
export type Texts = { readonly texts: readonly string[]; readonly dimensions?: number | undefined };
export type EmbeddingCall = Texts & { readonly candidate: Candidate };

export type EmbeddingAttempt = (
  call: EmbeddingCall,
  around: Surroundings,
  limits: Limits,
) => Promise<Result<EmbeddingReply, ProviderError>>;

export type OpenProvider = {
  /**
   * One attempt at a model's reply, within a timeout; null where there is no model. After the first
   * call of `onDelta` an error is final, because the client has that text.
   */
  readonly reply:
    | ((call: ModelCall, around: Surroundings, limits: Limits, onDelta?: OnDelta) => Promise<Result<ModelReply, ProviderError>>)
    | null;
  /** One attempt at vectors; null where the API has none. */
  readonly embed: EmbeddingAttempt | null;
  /** The provider's own list of models, which costs nothing; null where it has none. */
  readonly modelList: ModelList | null;
};

type ModelList = {
  readonly ask: (ready: Ready, signal: AbortSignal) => Promise<Response>;
  /** The names in its answer as the routing table may write them; undefined where it is no list. */
  readonly namesIn: (body: unknown) => ReadonlySet<string> | undefined;
};

/**
 * Opens a provider, which keeps its clients: OpenAI's cost half a call to make. `Embed`: whether
 * its API has embeddings.
 */
export type ProviderAdapter<Embed extends EmbeddingAttempt | null> = (
  fetch: typeof globalThis.fetch,
) => OpenProvider & { readonly embed: Embed };
