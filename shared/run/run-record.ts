// What the record and lists say of a request and its reply, on the fast and the durable path.

import type { ImageDigests } from "../image/image-digests.ts";
import type { Attempt, ModelReply, Note, Took } from "../model/call.ts";
import { type ToolCall, type ToolResult, toolName } from "../model/subject/tool-call.ts";
import { type RecordFact, providersWord } from "../record/record.ts";
import type { ReviewLine } from "../record/run-summary.ts";
import type { Candidate } from "../routing/choose.ts";
import { costUsd } from "../routing/price.ts";
import type { RunState } from "./lifecycle.ts";
import { nothingSpent, replyDigest } from "./run-input.ts";
import type { CachedReply } from "./work.ts";

const mostPeople = 16;

/** What people had to do with a run, without what they said; null where nobody was asked. */
export function reviewLine({ request, response }: RunState["reviews"]): ReviewLine | null {
  const reviews = [request, response].filter((review) => review !== null);
  const last = reviews.at(-1);
  if (last === undefined) return null;
  const unique = (names: readonly string[]): string[] => [...new Set(names)].slice(0, mostPeople);
  const people = reviews.flatMap(({ reviewers, left }) => [...reviewers, ...left.map(({ reviewer }) => reviewer)]);
  return {
    people: unique(people),
    by: unique(
      reviews.flatMap(({ votes, closing }) => [
        ...votes.map(({ reviewer }) => reviewer),
        ...(closing !== null && "by" in closing ? [closing.by] : []),
      ]),
    ),
    votes: last.votes.length,
    quorum: last.quorum,
    edits: reviews.reduce((sum, { version }) => sum + version - 1, 0),
    askedAt: last.openedAt,
    waitedMs: reviews.reduce((sum, { openedAt, closing }) => sum + (closing === null ? 0 : closing.at - openedAt), 0),
  };
}

export type ModelAnswer = {
  readonly reply: ModelReply;
  readonly candidate: Candidate;
  /** The failed ones. */
  readonly attempts: readonly Attempt[];
  readonly took: Took;
  /** The digests of the reply's images, in their order; absent where it has none. */
  readonly images?: readonly ImageDigests[];
};

export type ReplyFact = Extract<RecordFact, { readonly kind: "answered" | "fromCache" }>;

/** `risks`: the kinds found in the reply; absent where it was not checked. */
export const answeredFact = (
  call: number,
  { reply: { reply, usage, notes }, candidate, attempts, took, images }: ModelAnswer,
  risks?: readonly string[],
): ReplyFact => ({
  kind: "answered",
  call,
  model: candidate.model.id,
  realModel: providersWord(reply.model),
  stopReason: providersWord(reply.stopReason ?? ""),
  usage,
  costUsd: costUsd(candidate, usage),
  digest: replyDigest(reply),
  notes,
  ...(risks === undefined ? {} : { risks }),
  attempts,
  took,
  ...(images === undefined ? {} : { images }),
});

/** As `answeredFact`, for the result of a tool, which stands in the place of a model. */
export const ranFact = (
  call: number,
  request: ToolCall,
  { result, notes, took, images }: { readonly result: ToolResult; readonly notes: readonly Note[] } & Pick<ModelAnswer, "took" | "images">,
  risks: readonly string[],
): ReplyFact => ({
  kind: "answered",
  call,
  model: toolName(request),
  realModel: providersWord(toolName(request)),
  stopReason: "",
  usage: nothingSpent,
  costUsd: 0,
  digest: replyDigest(result),
  notes,
  risks,
  attempts: [],
  took,
  ...(images === undefined ? {} : { images }),
});

/** As `ranFact`, for a result that passed to the caller as it came: its digest alone is known. */
export const returnedFact = (
  call: number,
  request: ToolCall,
  { digest, isError, took }: { readonly digest: string; readonly isError: boolean } & Pick<ModelAnswer, "took">,
): ReplyFact => ({
  kind: "answered",
  call,
  model: toolName(request),
  realModel: providersWord(toolName(request)),
  stopReason: isError ? "error" : "",
  usage: nothingSpent,
  costUsd: 0,
  digest,
  notes: [],
  attempts: [],
  took,
});

/** As `answeredFact`, for a reply from the cache. */
export const cachedFact = ({ reply, facts, at }: CachedReply, risks?: readonly string[]): ReplyFact => ({
  kind: "fromCache",
  model: facts.candidate,
  digest: replyDigest(reply),
  cachedAt: new Date(at).toISOString(),
  ...(risks === undefined ? {} : { risks }),
});
