// What the list of requests and the page of one request show alike: who asked, the outcome, and why
// there is no reply.

import { type Cause, type CauseWords, didWords, explainCause } from "../../../../shared/record/cause.ts";
import { causesEn } from "../../../../shared/record/causes-en.ts";
import { causesZh } from "../../../../shared/record/causes-zh.ts";
import { failuresOf } from "../../../../shared/record/failed-models.ts";
import type { LineState } from "../../../../shared/record/record.ts";
import type { StepWhat } from "../../../../shared/record/timeline.ts";
import { Icon } from "../../icons.tsx";
import { Time } from "../../names.tsx";
import { Name, Plain } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { type ConsoleWords, consoleWords } from "../console-words.ts";
import { type InLanguages, type Visit, useTexts } from "../page.ts";
import { requestWords } from "./request-words.ts";
import { requestsWords } from "./requests-words.ts";
import type { RunLine } from "../../../endpoints/admin/answers/run-line.ts";

const looks: Readonly<Record<LineState, readonly [tone: string, icon: Parameters<typeof Icon>[0]["of"]]>> = {
  waiting: ["mind", "clock"],
  generating: ["live", "clock"],
  responseReview: ["mind", "clock"],
  completed: ["ok", "check"],
  rejected: ["bad", "cross"],
  expired: ["bad", "clock"],
  undeliverable: ["bad", "cross"],
  cancelled: ["", "undo"],
  failed: ["bad", "cross"],
  refused: ["bad", "stop"],
};

/** `isShort`: the votes alone, where there is little room. */
export const Outcome = ({ line: { state, review }, isShort = false }: { line: Pick<RunLine, "state" | "review">; isShort?: boolean }) => {
  const { states, votes } = useTexts(requestsWords);
  const [tone, icon] = looks[state];
  const isReviewed = (state === "waiting" || state === "responseReview") && review !== null && review.quorum > 1;
  return (
    <span class={`tag ${tone}`}>
      <Icon of={icon} />
      {isReviewed && isShort ? <span class="sr">{states[state]}</span> : states[state]}
      {isReviewed ? `${isShort ? " " : " · "}${fillText(votes, { votes: String(review.votes), quorum: String(review.quorum) })}` : ""}
    </span>
  );
};

/** The beginning and the end of a run's id: enough to tell it from others on a page. */
export const shortRun = (run: string): string => `${run.slice(0, 10)}…${run.slice(-4)}`;

/** Leads to the request of this run. */
export const RunLink = ({ visit, run }: { visit: Visit; run: string }) => (
  <a class="digest" href={visit.at(`requests/${run}`)} title={run}>
    {shortRun(run)}
  </a>
);

/** "notes · summarize", as far as the request could be read. */
export const AskedBy = ({ line: { server, tool } }: { line: Pick<RunLine, "server" | "tool"> }) => {
  const { onlyKey } = useTexts(requestsWords);
  if (server === null) return <span class="soft">{onlyKey}</span>;
  return <Name value={tool === null || tool === "" ? server : `${server} · ${tool}`} />;
};

const causes: InLanguages<CauseWords> = { en: causesEn, "zh-CN": causesZh };

/** What went wrong, and what to do, in the language of the page. */
export const useCause = (cause: Cause): { readonly what: string; readonly fixes: readonly string[] } => {
  const [what, ...fixes] = explainCause(cause, useTexts(causes));
  return { what, fixes };
};

export type ModelFailed = Extract<StepWhat, { readonly kind: "modelFailed" }>;

/** "gpt-4.1 (openai) was overloaded (status 529)". */
export const WhatModelDid = ({ of: { attempts } }: { of: ModelFailed }) => {
  const { modelDid } = useTexts(requestWords);
  const words = useTexts(causes);
  const [{ model, provider }] = attempts;
  const what = didWords(failuresOf(attempts), words);
  return <>{fill(modelDid, { model: <Name value={model} />, provider: <Name value={provider} />, what })}</>;
};

/** How often it was asked, and until when. */
export const Tries = ({ of: { attempts, until }, now }: { of: ModelFailed; now: number }) => {
  const { tries } = useTexts(requestWords);
  return <>{fill(tries, { n: attempts.length, until: <Time at={until} now={now} exact /> })}</>;
};

/** The pages of the console for paths of the API that a sentence may name. */
const pagesOf: Readonly<Record<string, keyof ConsoleWords["nav"]>> = {
  "/admin/routing": "routing",
  "/admin/policy": "policy",
  "/admin/servers": "servers",
  "/admin/keys": "keys",
  "/admin/budgets": "budgets",
  "/admin/stops": "stops",
};

/** What to do, with links to the pages of the console where it is done. */
export const Fix = ({ text, visit }: { text: string; visit: Visit }) => {
  const { nav } = useTexts(consoleWords);
  return (
    <>
      {text.split(/(\/admin\/[a-z]+(?![\w/]))/).map((part) => {
        const name = pagesOf[part];
        return name === undefined ? <Plain value={part} /> : <a href={visit.at(name)}>{nav[name]}</a>;
      })}
    </>
  );
};
