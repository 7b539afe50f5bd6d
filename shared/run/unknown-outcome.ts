// A request whose Worker was cut off before the record had its line: what its session knows of it
// since it was reserved, and the event and the line that are written of it. Without content.

import { type SubjectRequest, isToolCall } from "../model/subject/subject.ts";
import type { Requestor } from "./run-input.ts";
import { samplingMethod } from "../relay/messages.ts";
import { type BegunFacts, type Endpoint, type RecordFact, idWord, providersWord } from "../record/record.ts";
import { type RunSummary, uncalled } from "../record/run-summary.ts";

/** What the record is told of a request. `call`: it is about a tool's call. */
export type ReservedFacts = BegunFacts & { readonly call?: true };

/** `at`: when it was reserved, in Unix milliseconds. */
export type ReservedRequest = { readonly run: string; readonly at: number; readonly facts: ReservedFacts };

type Begun = {
  readonly key: { readonly id: string };
  readonly endpoint: Endpoint;
  readonly requestor: Requestor;
  readonly request: SubjectRequest;
  readonly requestId?: string;
};

export const reservedFacts = ({ key, endpoint, requestor, request, requestId }: Begun): ReservedFacts => ({
  key: key.id,
  endpoint,
  server: requestor.server,
  method: providersWord(requestor.method),
  name: requestor.name,
  ...(requestId === undefined ? {} : { requestId: idWord(requestId) }),
  ...(isToolCall(request) ? { call: true } : {}),
});

/**
 * The end of its record. `now`: when it is written, in Unix milliseconds; when the request ended is
 * not known.
 */
export function unknownOutcome(
  { run, at, facts }: ReservedRequest,
  now: number,
): { readonly fact: RecordFact; readonly summary: RunSummary } {
  const { call, ...known } = facts;
  const { key, endpoint, server, method, name } = known;
  return {
    fact: { kind: "outcomeUnknown", ...known, reservedAt: new Date(at).toISOString() },
    summary: {
      run,
      key,
      server,
      name,
      createdAt: at,
      endedAt: now,
      state: "failed",
      cause: { kind: "outcomeUnknown" },
      ...uncalled,
      ...(call === undefined ? {} : { call }),
      ...(method === samplingMethod ? { use: { endpoint, revision: null, features: [], maxTokens: 0 } } : {}),
    },
  };
}
