// What each endpoint of the operator's API answers where it does what it is asked, by method and
// path: for who reads the answers.

import type { documentPaths, paths } from "../../../platform/urls.ts";
import type { ActCheck, ActList } from "./acts.ts";
import type { DecisionList } from "./decisions.ts";
import type { Diagnosis, DoctorCheck, LastDiagnosis } from "./doctor.ts";
import type { Document, DocumentCheck, Versions } from "./documents.ts";
import type { GrantList } from "./grants.ts";
import type { KeyList, KeyUse, NewKey, ShownKey } from "./keys.ts";
import type { Outcomes } from "./outcomes.ts";
import type { Overview } from "./overview.ts";
import type { PolicyReplay } from "./replay.ts";
import type { ChannelTest, EndedSessions, NoticeList, RemovedPasskey, ReviewerList } from "./reviewers.ts";
import type { Explanation, ReadyProviders } from "./routing.ts";
import type { RunReview } from "./run-review.ts";
import type { OperatorRun, RunEvents, RunList, RunTotals } from "./runs.ts";
import type { ServerTools, WaitingTools } from "./server-tools.ts";
import type { Spend } from "./spend.ts";
import type { StopList } from "./stops.ts";
import type { Sunset } from "./sunset.ts";
import type { UsageRows } from "./usage.ts";

type Documents = ReturnType<typeof documentPaths>;

type Gets = { readonly [Path in Documents["document" | "version"]]: Document } & { readonly [Path in Documents["versions"]]: Versions } & {
  readonly [paths.admin.ready]: ReadyProviders;
  readonly [paths.admin.spend]: Spend;
  readonly [paths.admin.stops]: StopList;
  readonly [paths.admin.keys]: KeyList;
  readonly [paths.admin.keyUse]: KeyUse;
  readonly [paths.admin.runs]: RunList;
  readonly [paths.admin.decisions]: DecisionList;
  readonly [paths.admin.runTotals]: RunTotals;
  readonly [paths.admin.run]: OperatorRun;
  readonly [paths.admin.runEvents]: RunEvents;
  readonly [paths.admin.runReview]: RunReview;
  readonly [paths.admin.notices]: NoticeList;
  readonly [paths.admin.grants]: GrantList;
  readonly [paths.admin.reviewers]: ReviewerList;
  readonly [paths.admin.doctor]: LastDiagnosis;
  readonly [paths.admin.acts]: ActList;
  readonly [paths.admin.actsCheck]: ActCheck;
  readonly [paths.admin.sunset]: Sunset;
  readonly [paths.admin.usage]: UsageRows;
  readonly [paths.admin.overview]: Overview;
  readonly [paths.admin.outcomes]: Outcomes;
  readonly [paths.admin.tools]: WaitingTools;
  readonly [paths.admin.serverTools]: ServerTools;
};

type Posts = { readonly [Path in Documents["check"]]: DocumentCheck } & { readonly [Path in Documents["restore"]]: Document } & {
  readonly [paths.admin.explain]: Explanation;
  readonly [paths.admin.policyReplay]: PolicyReplay;
  readonly [paths.admin.keys]: NewKey;
  readonly [paths.admin.channelTest]: ChannelTest;
  readonly [paths.admin.doctor]: Diagnosis;
  readonly [paths.admin.doctorServer]: DoctorCheck;
  readonly [paths.admin.acceptTools]: null;
  readonly [paths.admin.hideTools]: null;
  readonly [paths.admin.runNotices]: null;
  readonly [paths.admin.runReviewers]: null;
};

type Deletes = { readonly [Path in (typeof paths.admin)["key" | "run" | "grant"]]: null } & {
  readonly [paths.admin.inboxSessions]: EndedSessions;
  readonly [paths.admin.inboxPasskey]: RemovedPasskey;
};

/** `null`: it has no body. */
export type AdminAnswers = {
  readonly GET: Gets;
  readonly PUT: { readonly [Path in Documents["document"]]: Document } & { readonly [paths.admin.key]: ShownKey } & Stops;
  readonly POST: Posts;
  readonly DELETE: Deletes & Stops;
};

/** By the path of what is stopped. */
type Stops = { readonly [path: `${typeof paths.admin.stops}/${string}`]: null };
