// The first rows of a run: of one that begins, and of one that has ended already.

import { type JsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { RunDeps } from "../run-deps.ts";
import { type RunInput, requestDigest, inputFacts } from "../../../../shared/run/run-input.ts";
import { modelIdsOf, splitWork } from "../../../../shared/run/work.ts";
import { type RequestVersion, type SubjectRequest, isToolCall } from "../../../../shared/model/subject/subject.ts";
import { newRun, type ReviewTerms, type RunState } from "../../../../shared/run/lifecycle.ts";
import { noReviews, stagesOf } from "../../../../shared/run/stages.ts";
import { highestRisk } from "../../../../shared/policy/risk.ts";
import { requestorGraceMs } from "./run-requestor.ts";
import type { Outcome } from "../../../../shared/model/outcome.ts";
import type { RecordEvent } from "../../../../shared/record/record.ts";
import type { ModelFacts } from "../../../../shared/run/present.ts";
import { settingsOf } from "../../../platform/settings.ts";
import type { StoredInput } from "../tables/run-store.ts";

type EndedRun = { readonly outcome: JsonOf<Outcome>; readonly model: JsonOf<ModelFacts>; readonly events: JsonOf<readonly RecordEvent[]> };

/** Begins a run: its input, its first state and its first effects, in one transaction. */
export function startRun({ store, commit, now: clock }: RunDeps, { request, redacted, work: given, ...rest }: RunInput): void {
  const now = clock();
  const { work, jurorReason, relayed } = splitWork(given);
  const stored: StoredInput = { ...rest, work };
  const content: RequestVersion = { request, models: modelIdsOf(work) };
  const digest = requestDigest(content, work);
  const state = firstState(stored, termsOf(stored, request), digest);
  store.transaction(() => {
    store.createTables();
    store.writeInput(stored);
    store.writeRequestVersion(1, content, null, now);
    if (redacted !== undefined) store.writeRedaction("request", redacted);
    if (jurorReason !== undefined) store.writeJurorReason(jurorReason);
    if (relayed !== undefined) store.writeRelayed(relayed);
    store.addRequestRef(stored.requestRef);
    // In the same chain as the row that tells the key of the run's end, so that the end never comes
    // first.
    store.outbox.queue("begin", "settle", null, now);
    if (stored.key.expiresAt !== undefined) store.schedule.set("keyExpires", stored.key.expiresAt);
    if (stored.mode === "sync") store.schedule.set("requestor", now + requestorGraceMs);
    commit({ state, effects: [], verdict: null }, now, inputFacts({ ...stored, ...(redacted === undefined ? {} : { redacted }) }, digest));
  });
}

/** Stores a run that the Worker itself carried out, for a requestor that left meanwhile. */
export function storeEndedRun(
  { env, store, now: clock }: RunDeps,
  // Nobody lifts anything of an ended run.
  { request, redacted: _masked, work, ...rest }: RunInput,
  { outcome, model, events }: EndedRun,
): void {
  const now = clock();
  const { kind } = readJsonOf(outcome);
  const stored: StoredInput = { ...rest, work: splitWork(work).work };
  const digest = requestDigest({ request, models: [] }, stored.work);
  store.transaction(() => {
    store.createTables();
    store.writeInput(stored);
    store.writeState({
      ...firstState(stored, noReview, digest),
      end: { kind: kind === "completed" || kind === "approved" ? "completed" : "failed" },
    });
    store.writeOutcome(outcome);
    store.writeModelFacts(readJsonOf(model));
    store.events.continue(readJsonOf(events));
    store.markDelivered(now, 0);
    // The fast path sends the events too: the ledger stores each once.
    store.outbox.queue("record", "answer", null, now);
    store.outbox.queue("index", "index", null, now);
    store.schedule.set("forget", now + settingsOf(env).retentionMs);
  });
}

const firstState = (input: StoredInput, terms: ReviewTerms, digest: string): RunState =>
  newRun({ stages: stagesOf(input), terms, content: { digest, risk: highestRisk(input.risks) }, reviews: noReviews });

const noReview: ReviewTerms = { reviewers: [], escalateTo: [], quorum: 1, owner: null, selfApproval: true, deadlineSeconds: 0 };

const termsOf = ({ gatePolicy, endsAt, call }: StoredInput, request: SubjectRequest): ReviewTerms => ({
  reviewers: gatePolicy.reviewers.map(({ name }) => name),
  escalateTo: gatePolicy.escalate?.to.map(({ name }) => name) ?? [],
  quorum: gatePolicy.quorum,
  owner: gatePolicy.owner,
  selfApproval: gatePolicy.selfApproval,
  deadlineSeconds: gatePolicy.deadlineSeconds,
  ...(endsAt === undefined ? {} : { endsAt }),
  ...(isToolCall(request) || call?.once === true ? { once: true } : {}),
});
