// What the record and lists say of a request and its reply, wherever the model was called.

import type { ImageDigests } from "../image/image-digests.ts";
import type { Attempt, ModelReply } from "../model/call.ts";
import { type RecordFact, type RunSummary, providersWord } from "../record/record.ts";
import type { Candidate } from "../routing/choose.ts";
import { costUsd } from "../routing/price.ts";
import { type CachedReply, type RunInput, replyDigest } from "./run-input.ts";

type Line = Pick<RunSummary, "run" | "key" | "server" | "name" | "createdAt">;

/** Whose request it is. */
export const requestLine = ({
  id,
  key,
  requestor,
  createdAt,
}: Pick<RunInput, "id" | "requestor" | "createdAt"> & { key: { id: string } }): Line => ({
  run: id,
  key: key.id,
  server: requestor.server,
  name: requestor.name,
  createdAt,
});

/** Of a request for which no model was called. */
export const uncalled = { model: null, inputTokens: 0, outputTokens: 0, costUsd: 0 } as const;

type Answered = {
  readonly reply: ModelReply;
  readonly candidate: Candidate;
  /** Those that failed before. */
  readonly attempts: readonly Attempt[];
  readonly images?: readonly ImageDigests[];
};

/** That there is a reply, from a model or from before. */
export type ReplyFact = Extract<RecordFact, { readonly kind: "answered" | "fromCache" }>;

/** `risks`: the kinds of what was found in the reply; absent where nobody looked. */
export const answeredFact = (
  call: number,
  { reply: { reply, usage, notes }, candidate, attempts, images }: Answered,
  risks?: readonly string[],
): ReplyFact => ({
  kind: "answered",
  call,
  model: candidate.model.id,
  realModel: providersWord(reply.model),
  stopReason: providersWord(reply.stopReason ?? ""),
  usage,
  costUsd: costUsd(candidate.model, usage),
  digest: replyDigest(reply),
  notes,
  ...(risks === undefined ? {} : { risks }),
  attempts,
  ...(images === undefined ? {} : { images }),
});

/** As `answeredFact`, of a reply that an identical request got before. */
export const cachedFact = ({ reply, facts, at }: CachedReply, risks?: readonly string[]): ReplyFact => ({
  kind: "fromCache",
  model: facts.candidate,
  digest: replyDigest(reply),
  cachedAt: new Date(at).toISOString(),
  ...(risks === undefined ? {} : { risks }),
});
