// A request of the Model Control Protocol, read: every field with its default filled in, nothing of
// the wire left.
//
// `auth` never goes further than the endpoint.

import type { JsonObject } from "../../encoding.ts";
import type { NamedModel } from "../../model/sampling.ts";
import type { Priority } from "../../model/call.ts";

/**
 * The versions that are served; a newer minor version of a known major one is served as the newest
 * that is known.
 */
export const versions = ["1.0", "2.0", "2.1"] as const;
export type Version = (typeof versions)[number];

export const taskTypes = ["text_generation", "translation", "embedding", "function_call", "multimodal_generation"] as const;
export type TaskType = (typeof taskTypes)[number];

/** What text and multimodal generation share. */
type Generation = {
  readonly prompt: string;
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop?: readonly string[];
  readonly stream: boolean;
  readonly responseFormat: "text" | "json";
};

export type FunctionDefinition = { readonly name: string; readonly description?: string; readonly parameters?: JsonObject };
/** An image as it was given: an address to fetch, or base64. */
export type GivenImage = { readonly type: "url" | "base64"; readonly value: string };

export type ControlTask =
  | ({ readonly type: "text_generation" } & Generation)
  | {
      readonly type: "translation";
      readonly text: string;
      /** BCP 47; absent: the model finds it out. */
      readonly sourceLang?: string;
      readonly targetLang: string;
      readonly formality?: "formal" | "informal";
    }
  | { readonly type: "embedding"; readonly texts: readonly string[] }
  | {
      readonly type: "function_call";
      readonly functions: readonly FunctionDefinition[];
      /** Absent: a model chooses among `functions` (our extension). */
      readonly call?: { readonly name: string; readonly parameters: JsonObject };
      /** What a model chooses for, beside the history; our extension. */
      readonly prompt?: string;
    }
  | ({ readonly type: "multimodal_generation"; readonly images: readonly GivenImage[] } & Generation);

export type Turn = { readonly role: "user" | "assistant" | "system"; readonly content: string };

export type Envelope = {
  /** As it is served, and as the answer says. */
  readonly version: Version;
  readonly requestId: string;
  readonly model: NamedModel;
  readonly task: ControlTask;
  readonly context: {
    readonly sessionId?: string;
    readonly history?: readonly Turn[];
    readonly systemPrompt?: string;
    /** Our extension: the turn is stored for the session, until this long after the last one. */
    readonly rememberSeconds?: number;
  };
  readonly control: {
    readonly timeoutMs: number;
    readonly priority: Priority;
    readonly retryable: boolean;
    /** Absent: no cache. */
    readonly cacheSeconds?: number;
  };
  readonly auth: { readonly apiKey?: string; readonly token?: string };
  /**
   * JSON pointers of members that no version knows: ignored, and named in the answer. At most 20.
   */
  readonly ignored: readonly string[];
};
