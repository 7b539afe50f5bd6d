// What a sampling request used of the protocol, without its content: the report on leaving sampling
// is made of it.

import type { Block, ChatRequest } from "../model/sampling.ts";
import type { SubjectRequest } from "../model/subject/subject.ts";
import type { Endpoint } from "./record.ts";

/** In the order in which the report has them. */
export const features = [
  "tools",
  "images",
  "audio",
  "json",
  "stopSequences",
  "preferences",
  "context",
  "task",
  /** A rule of the policy closed a gate. */
  "review",
] as const;
export type Feature = (typeof features)[number];

export type RequestUse = {
  readonly endpoint: Endpoint;
  /**
   * The revision of MCP by which it was read; null where it came by no revision, or was refused
   * before.
   */
  readonly revision: string | null;
  readonly features: readonly Feature[];
  /** The tokens that it asked for; 0 where it could not be read. */
  readonly maxTokens: number;
};

/** What is known of a request beside itself. */
export type RequestUseInput = Pick<RequestUse, "endpoint" | "revision"> & {
  readonly request: SubjectRequest;
  /** `includeContext` was other than `none`. */
  readonly asksForContext: boolean;
  readonly isTask: boolean;
  readonly isReviewed: boolean;
};

export function useOf({ request, endpoint, revision, asksForContext, isTask, isReviewed }: RequestUseInput): RequestUse {
  const used: Readonly<Record<Feature, boolean>> = {
    ...(request.kind === "chat" ? chatUse(request) : noChat),
    context: asksForContext,
    task: isTask,
    review: isReviewed,
  };
  return {
    endpoint,
    revision,
    features: features.filter((each) => used[each]),
    maxTokens: request.kind === "chat" ? request.maxTokens : 0,
  };
}

type ChatFeature = Exclude<Feature, "context" | "task" | "review">;
const noChat: Readonly<Record<ChatFeature, boolean>> = {
  tools: false,
  images: false,
  audio: false,
  json: false,
  stopSequences: false,
  preferences: false,
};

function chatUse({ messages, tools = [], responseFormat, stopSequences = [], modelPreferences }: ChatRequest): typeof noChat {
  const kinds = new Set(messages.flatMap(({ content }) => content.flatMap(kindsOf)));
  return {
    tools: tools.length > 0 || kinds.has("tool_use") || kinds.has("tool_result"),
    images: kinds.has("image"),
    audio: kinds.has("audio"),
    json: responseFormat !== undefined,
    stopSequences: stopSequences.length > 0,
    preferences: Object.keys(modelPreferences ?? {}).length > 0,
  };
}

const kindsOf = (block: Block): string[] => [block.type, ...(block.type === "tool_result" ? block.content.map(({ type }) => type) : [])];
