// One request: why there is no reply and what to do, its steps, its numbers, its record, and the
// form that cancels it while it is open.

import type { Cause } from "../../../../shared/record/cause.ts";
import { decisionsIn } from "../../../../shared/record/decisions.ts";
import { type RecordEvent, firstGap } from "../../../../shared/record/record.ts";
import { type Step, timelineOf } from "../../../../shared/record/timeline.ts";
import type { KeyList } from "../../../endpoints/admin/answers/keys.ts";
import type { RunReview } from "../../../endpoints/admin/answers/run-review.ts";
import type { RunLine } from "../../../endpoints/admin/answers/run-line.ts";
import type { RunEvents } from "../../../endpoints/admin/answers/runs.ts";
import type { Stopped } from "../../../endpoints/admin/answers/stops.ts";
import { paths } from "../../../platform/urls.ts";
import { useWords } from "../../language.ts";
import { Time } from "../../names.tsx";
import { Name, Plain } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Confirm, Done, Download, Empty, Note, Refused, Tag, sayingPage } from "../pieces.tsx";
import { StopHere, StopNote, StoppedTag, stopsOf } from "../stops/stop-here.tsx";
import { copyScript } from "../copy-script.ts";
import { isCounted, keyNamesOf, waitOf } from "./request-line.ts";
import { AskedBy, Fix, type ModelFailed, Outcome, Tries, WhatModelDid, shortRun, useCause } from "./request-pieces.tsx";
import { Steps } from "./request-steps.tsx";
import { requestWords } from "./request-words.ts";
import { requestsWords } from "./requests-words.ts";
import { AskRefused, AskedNote, WaitingCard, askAsTold, reviewOf } from "./waiting-card.tsx";

/** `isCut`: the record has more. `changedAt`: the first that is not what the log's hashes say. */
type Events = { readonly events: readonly RecordEvent[]; readonly isCut: boolean; readonly changedAt: number | null };

const mostPages = 4;

async function eventsOf({ api }: Visit, run: string): Promise<Events> {
  const events: RecordEvent[] = [];
  let after: number | null = 0;
  let changedAt: number | null = null;
  for (let page = 0; page < mostPages && after !== null; page += 1) {
    const read: RunEvents = await api.read(paths.admin.runEvents, { id: run, query: { after: String(after) } });
    events.push(...read.events.map(({ at, ...event }): RecordEvent => ({ ...event, at: Date.parse(at) })));
    after = read.next;
    changedAt = read.changedAt;
  }
  return { events, isCut: after !== null, changedAt };
}

/** In the order in which they were asked. */
const Tried = ({ failed, now }: { failed: readonly { readonly at: number; readonly what: ModelFailed }[]; now: number }) => (
  <ol class="tried">
    {failed.map(({ at, what }) => (
      <li>
        <WhatModelDid of={what} />
        <span class="soft">
          {" · "}
          <Time at={at} now={now} exact />
          {what.attempts.length === 1 ? null : (
            <>
              {" · "}
              <Tries of={what} now={now} />
            </>
          )}
        </span>
      </li>
    ))}
  </ol>
);

/** Whether it may have done something at a tool: by its events, where they say what it was. */
const mayHaveRun = (steps: readonly Step[]): boolean =>
  steps.some(({ what }) => what.kind === "received" && (what.of.judged.subject === "toolCall" || what.of.judged.subject === "function"));

/** Causes after which one may want to try again. */
const failures: ReadonlySet<Cause["kind"]> = new Set(["failed", "broken", "outcomeUnknown", "contentUnreadable"]);

const WhyNot = ({ visit, cause, steps }: { visit: Visit; cause: Cause; steps: readonly Step[] }) => {
  const { whatToDo, whatToDoAll, again } = useTexts(requestWords);
  const { what, fixes } = useCause(cause);
  const failed = steps.flatMap(({ at, what: did }) => (did.kind === "modelFailed" ? [{ at, what: did }] : []));
  const [fix = "", ...more] = fixes;
  return (
    <Note of="bad">
      <p>
        <b>
          <Plain value={what} />
        </b>
      </p>
      {cause.kind === "failed" && failed.length > 1 ? <Tried failed={failed} now={visit.now} /> : null}
      {more.length === 0 ? (
        <p>
          {whatToDo}: <Fix text={fix} visit={visit} />
        </p>
      ) : (
        <>
          <p>{whatToDoAll}:</p>
          <ul class="fixes">
            {fixes.map((each) => (
              <li>
                <Fix text={each} visit={visit} />
              </li>
            ))}
          </ul>
        </>
      )}
      {failures.has(cause.kind) ? <p class="soft">{mayHaveRun(steps) ? again.tool : again.model}</p> : null}
    </Note>
  );
};

/** Whether people were asked about a call before it was made. */
const isAskedCall = ({ events: [first] }: Events): boolean =>
  first?.fact.kind === "received" && first.fact.judged.subject === "toolCall" && first.fact.requestGate !== "allow";

type FactsProps = {
  readonly visit: Visit;
  readonly line: RunLine;
  readonly keyName: string;
  /** Whether the key has a page: the one for development has none. */
  readonly isListed: boolean;
  readonly stops: readonly Stopped[];
};

const Facts = ({ visit, line, keyName, isListed, stops }: FactsProps) => {
  const texts = useTexts(requestWords);
  const { span, dollars } = useWords().numbers;
  const { usage, rule } = line;
  const wait = waitOf(line, visit.now);
  return (
    <section class="card stack" aria-labelledby="facts">
      <h2 id="facts">{texts.facts}</h2>
      <dl class="pairs">
        <dt>{texts.id}</dt>
        <dd>
          <span class="digest">{line.id}</span>
          <button class="act copy" type="button" data-copy={line.id} data-copied={texts.copied} hidden>
            {texts.copy}
          </button>
        </dd>
        <dt>{texts.key}</dt>
        <dd>
          {isListed ? (
            <a href={visit.at(`keys/${line.key}`)}>
              <Name value={keyName} />
            </a>
          ) : (
            <Name value={keyName} />
          )}{" "}
          <StoppedTag visit={visit} stop={{ scope: "key", key: line.key }} stops={stops} />
        </dd>
        {rule === null ? null : (
          <>
            <dt>{texts.rule}</dt>
            <dd>
              <a href={`${visit.at("policy", { rule })}#edit`}>
                <Name value={rule} />
              </a>
            </dd>
          </>
        )}
        {isCounted(line) ? (
          <>
            <dt>{texts.tokens}</dt>
            <dd>
              {fill(texts.tokensOf, { input: usage.inputTokens, output: usage.outputTokens })}
              {usage.cachedInputTokens === undefined ? "" : ` · ${fillText(texts.cached, { n: usage.cachedInputTokens })}`}
            </dd>
            <dt>{texts.cost}</dt>
            <dd>{dollars(usage.costUsd)}</dd>
          </>
        ) : null}
        {wait === null ? null : (
          <>
            <dt>{line.endedAt === null ? texts.waiting : texts.waited}</dt>
            <dd>{span(wait)}</dd>
          </>
        )}
      </dl>
      <div>
        <h3>{texts.more}</h3>
        <ul>
          {line.server === null ? null : (
            <li>
              <a href={visit.at("requests", { server: line.server })}>{fill(texts.ofServer, { server: <Name value={line.server} /> })}</a>{" "}
              <StoppedTag visit={visit} stop={{ scope: "server", server: line.server }} stops={stops} />
            </li>
          )}
          <li>
            <a href={visit.at("requests", { key: line.key })}>{fill(texts.ofKey, { key: <Name value={keyName} /> })}</a>
          </li>
          {line.model === null ? null : (
            <li>
              <a href={visit.at("requests", { model: line.model })}>{fill(texts.ofModel, { model: <Name value={line.model} /> })}</a>
            </li>
          )}
          {rule === null ? null : (
            <li>
              <a href={visit.at("requests", { rule })}>{fill(texts.ofRule, { rule: <Name value={rule} /> })}</a>
            </li>
          )}
        </ul>
        <ul>
          {line.server === null ? null : (
            <li>
              <a href={visit.at(`servers/${line.server}`)}>{fill(texts.theServer, { server: <Name value={line.server} /> })}</a>
            </li>
          )}
          <li>
            <a href={visit.at("policy")}>{texts.theRules}</a>
          </li>
        </ul>
        <div class="row-acts">
          {line.server === null ? null : (
            <StopHere
              visit={visit}
              stop={{ scope: "server", server: line.server }}
              stops={stops}
              called={line.server}
              from={visit.page}
              isNamed
            />
          )}
          <StopHere visit={visit} stop={{ scope: "key", key: line.key }} stops={stops} called={keyName} from={visit.page} isNamed />
        </div>
      </div>
    </section>
  );
};

const Record = ({ visit, run, events: { events, isCut, changedAt } }: { visit: Visit; run: string; events: Events }) => {
  const texts = useTexts(requestWords);
  const broken = firstGap(events) ?? changedAt;
  return (
    <section class="card stack" aria-labelledby="record">
      <h2 id="record">{texts.record}</h2>
      <p>
        {broken === null ? (
          <Tag of="ok" icon="check">
            {fill(texts.holds, { n: events.length })}
          </Tag>
        ) : (
          <Tag of="bad" icon="cross">
            {texts.broken.replace("{n}", String(broken))}
          </Tag>
        )}
      </p>
      {isCut ? <p class="soft">{fill(texts.cut, { n: events.length })}</p> : null}
      <dl class="pairs">
        {events.flatMap(({ fact }) => {
          if (fact.kind === "received") return [<Pair name={texts.digests.request} digest={fact.requestDigest} />];
          if (fact.kind === "edited")
            return [<Pair name={texts.digests.changed.replace("{what}", texts.gates[fact.gate])} digest={fact.digestAfter} />];
          return fact.kind === "answered" || fact.kind === "fromCache" ? [<Pair name={texts.digests.reply} digest={fact.digest} />] : [];
        })}
      </dl>
      <div class="row-acts">
        <Download visit={visit} file="record" query={{ run }}>
          {texts.export}
        </Download>
        {decisionsIn(events).length === 0 ? null : (
          <Download visit={visit} file="receipt" query={{ id: run }}>
            {texts.receipt}
          </Download>
        )}
      </div>
    </section>
  );
};

const Pair = ({ name, digest }: { name: string; digest: string }) => (
  <>
    <dt>{name}</dt>
    <dd class="digest">{digest.slice(0, 16)}…</dd>
  </>
);

type HappenedProps = { readonly visit: Visit; readonly line: RunLine; readonly steps: readonly Step[]; readonly keyName: string };

const Happened = ({ visit, line, steps, keyName }: HappenedProps) => {
  const texts = useTexts(requestWords);
  return (
    <section class="card stack" aria-labelledby="happened">
      <div class="head">
        <h2 id="happened">{texts.happened}</h2>
        {line.endedAt === null || steps.length === 0 ? (
          <a class="act" href={visit.at(visit.page)}>
            {texts.refresh}
          </a>
        ) : null}
      </div>
      {steps.length === 0 ? <Empty>{texts.noEvents}</Empty> : <Steps steps={steps} made={{ now: visit.now, key: keyName }} />}
    </section>
  );
};

type Looked = {
  readonly line: RunLine;
  readonly events: Events;
  readonly review: RunReview | null;
  readonly keys: KeyList;
  readonly stops: readonly Stopped[];
};

const Body = ({ visit, failure, line, events, review, keys, stops }: { visit: Visit; failure: ApiError | undefined } & Looked) => {
  const texts = useTexts(requestWords);
  const list = useTexts(requestsWords);
  const keyName = keyNamesOf(keys).get(line.key) ?? line.key;
  const isOpen = line.endedAt === null;
  const steps = timelineOf(events.events, Date.parse(line.at));
  return (
    <>
      <div class="stack">
        <p>
          <a href={visit.at("requests")}>{list.title}</a> › <span class="digest">{shortRun(line.id)}</span>
        </p>
        <div class="head">
          <h1>
            {line.model === null ? (
              <AskedBy line={line} />
            ) : (
              fill(texts.asked, { who: <AskedBy line={line} />, model: <Name value={line.model} /> })
            )}
          </h1>
          <Outcome line={line} />
        </div>
      </div>
      <Done visit={visit} texts={{ cancelled: texts.cancel.done }} />
      <StopNote visit={visit} />
      <AskedNote visit={visit} />
      {failure === undefined ? null : isAsking(visit) ? <AskRefused of={failure} /> : <Refused failure={failure} />}
      {line.causeFacts === null ? null : <WhyNot visit={visit} cause={line.causeFacts} steps={steps} />}
      <div class="grid side">
        <Happened visit={visit} line={line} steps={steps} keyName={keyName} />
        <div class="grid">
          {review === null ? null : <WaitingCard visit={visit} review={review} />}
          {isAskedCall(events) ? (
            <p>
              <a class="act" href={visit.at("policy", { less: line.id })}>
                {texts.askLess}
              </a>
            </p>
          ) : null}
          {isOpen && visit.may("decide") ? (
            <Confirm
              visit={visit}
              to={`requests/${line.id}`}
              fields={{ do: "cancel" }}
              ask={texts.cancel.ask}
              about=""
              says={texts.cancel.says}
              button={texts.cancel.button}
            />
          ) : null}
          <Facts visit={visit} line={line} keyName={keyName} isListed={keyNamesOf(keys).has(line.key)} stops={stops} />
          <Record visit={visit} run={line.id} events={events} />
        </div>
      </div>
    </>
  );
};

const runOf = ({ page }: Visit): string => page.slice("requests/".length);

async function renderRequest(visit: Visit, failure?: ApiError): Promise<PageAnswer> {
  const [line, keys, stops] = await Promise.all([
    visit.api.find(paths.admin.run, { id: runOf(visit) }),
    visit.api.read(paths.admin.keys),
    stopsOf(visit),
  ]);
  if (line === null) return missing(visit);
  const [events, review] = await Promise.all([eventsOf(visit, line.id), line.endedAt === null ? reviewOf(visit, line.id) : null]);
  const asked = [line.server, line.tool].filter((each) => each !== null && each !== "").join(" · ");
  return {
    kind: "page",
    ...(failure === undefined ? {} : { status: 422 }),
    title: asked === "" ? line.id : asked,
    script: copyScript,
    body: () => <Body visit={visit} failure={failure} line={line} events={events} review={review} keys={keys} stops={stops} />,
  };
}

function missing(visit: Visit): PageAnswer {
  const { title, lead, back } = requestWords[visit.language].missing;
  return sayingPage({ status: 404, title, says: () => <p>{lead}</p>, back: [visit.at("requests"), back] });
}

/** Whether the form is one of those beside the reviewers. */
const isAsking = ({ form }: Visit): boolean => form.get("do") === "again" || form.get("do") === "also";

async function act(visit: Visit): Promise<PageAnswer> {
  const run = runOf(visit);
  if (isAsking(visit)) return askAsTold(visit, run, (failure) => renderRequest(visit, failure));
  if (visit.form.get("do") !== "cancel") return renderRequest(visit);
  const done = await visit.api.send("DELETE", paths.admin.run, { id: run });
  return done.ok ? { kind: "redirect", to: visit.at(`requests/${run}`, { done: "cancelled" }) } : renderRequest(visit, done.error);
}

export const requestPage: ConsolePage = { path: "requests/*", get: (visit) => renderRequest(visit), post: act };
