// The steps of one request in words. What they are is in shared/record/timeline.ts.

import type { Child } from "hono/jsx";
import type { Operator } from "../../../../shared/record/record.ts";
import type { AskedReviewer, Step, StepWhat, Tone } from "../../../../shared/record/timeline.ts";
import { unreachable } from "../../../../shared/result.ts";
import { Icon } from "../../icons.tsx";
import { Known } from "../../known.tsx";
import { useWords } from "../../language.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import { useTexts } from "../page.ts";
import { Names } from "../pieces.tsx";
import { Tries, WhatModelDid } from "./request-pieces.tsx";
import { requestWords } from "./request-words.ts";
import { warningWords } from "./warning-words.ts";

/** A step's sentence, what stands small beside its time, and what stands under it. */
type Told = { readonly head: Child; readonly more?: readonly Child[]; readonly under?: Child };
type Texts = (typeof requestWords)["en"];
/** `now`: when the page was made. `key`: the name of the request's key. */
type Made = { readonly now: number; readonly key: string };

const looks: Readonly<Record<Tone, readonly [className: string, icon: Parameters<typeof Icon>[0]["of"]]>> = {
  ok: ["ok", "check"],
  bad: ["bad", "cross"],
  wait: ["", "people"],
  plain: ["", "dots"],
};

export const Steps = ({ steps, made }: { steps: readonly Step[]; made: Made }) => (
  <ol class="path">
    {steps.map((step) => (
      <StepLine step={step} made={made} />
    ))}
  </ol>
);

const StepLine = ({ step: { at, tone, what }, made }: { step: Step; made: Made }) => {
  const { head, more = [], under } = useTold(what, made);
  const [className, icon] = looks[tone];
  return (
    <li class={className}>
      <span class="dot">
        <Icon of={icon} />
      </span>
      <div>{head}</div>
      <div class="at">
        <Time at={at} now={made.now} exact />
        {more
          .filter((each) => each !== null)
          .map((each) => (
            <> · {each}</>
          ))}
      </div>
      {under ?? null}
    </li>
  );
};

const Digest = ({ value }: { value: string }) => <span class="digest">{value.slice(0, 12)}…</span>;

const kindIn = (kinds: Readonly<Record<string, string>>, kind: string): Child =>
  Object.hasOwn(kinds, kind) ? (kinds[kind] ?? kind) : <Name value={kind} />;

const Asked = ({ reviewers, made: { now } }: { reviewers: readonly AskedReviewer[]; made: Made }) => {
  const { channels, steps } = useTexts(requestWords);
  return (
    <ul class="told">
      {reviewers.map(({ name, told, opened }) => (
        <li>
          <Name value={name} />
          {": "}
          {told.length === 0 ? steps.notTold : null}
          {told.map(({ at, channel, why, state }, index) => (
            <>
              {index === 0 ? "" : "; "}
              {kindIn(channels, channel)}{" "}
              {fill(state === "sent" ? steps.told.sent : steps.told.failed, {
                at: <Time at={at} now={now} />,
                state: <code>{state}</code>,
              })}
              {Object.hasOwn(steps.toldWhy, why) ? ` (${steps.toldWhy[why] ?? why})` : ""}
            </>
          ))}
          {" · "}
          {opened.length === 0
            ? steps.notOpened
            : opened.map(({ at, channel }, index) => (
                <>
                  {index === 0 ? "" : "; "}
                  {fill(steps.opened, { at: <Time at={at} now={now} /> })}
                  {told.length > 1 ? <> ({kindIn(channels, channel)})</> : null}
                </>
              ))}
        </li>
      ))}
    </ul>
  );
};

/** The operator's address; nothing where the admin token is all that is known. */
const operatorNamed = (by: Operator | null | undefined): Child =>
  by === null || by === undefined || by.kind === "adminToken" ? null : <Name value={by.email} />;

function useTold(what: StepWhat, made: Made): Told {
  const texts = useTexts(requestWords);
  const { steps } = texts;
  const time = (at: string | number): Child => <Time at={typeof at === "string" ? Date.parse(at) : at} now={made.now} />;
  const digests = ({ digestBefore, digestAfter }: { readonly digestBefore: string; readonly digestAfter: string }): Child =>
    fill(steps.digest, { before: <Digest value={digestBefore} />, after: <Digest value={digestAfter} /> });
  switch (what.kind) {
    case "received":
    case "associated":
    case "ruled":
      return receivedTold(what, texts, made);
    case "routed":
      return what.models.length === 0
        ? { head: steps.noModels }
        : { head: fill(steps.routed, { models: <Names of={what.models} /> }), more: what.models.length === 1 ? [] : [steps.order] };
    case "asked":
      return {
        head: fill(steps.asked, { people: <Names of={what.reviewers.map(({ name }) => name)} />, gate: texts.gates[what.gate] }),
        more: [
          what.deadlineAt === null ? null : <>{fill(steps.until, { at: time(what.deadlineAt) })}</>,
          what.why === null ? null : kindIn(steps.askedWhy, what.why),
          operatorNamed(what.by),
          ...what.standIns.map(({ reviewer, by }) => (
            <>{fill(steps.standsIn, { by: <Name value={by} />, reviewer: <Name value={reviewer} /> })}</>
          )),
        ],
        under: <Asked reviewers={what.reviewers} made={made} />,
      };
    case "decided":
      return decidedTold(what, texts);
    case "undecided":
      return { head: fill(steps.undecided[what.how], { gate: texts.gates[what.gate] }) };
    case "called":
      return { head: fill(what.isAgain ? steps.again : steps.called, { model: <Name value={what.model} /> }) };
    case "modelFailed":
      return { head: <WhatModelDid of={what} />, more: what.attempts.length === 1 ? [] : [<Tries of={what} now={made.now} />] };
    case "answered":
      return answeredTold(what, texts);
    case "redacted": {
      const count = what.rules.reduce((sum, each) => sum + each.count, 0);
      return {
        head: fill(steps.redacted, { n: fillText(steps.parts, { n: count }), gate: texts.gates[what.gate] }),
        more: what.rules.map(({ label, count: of }) => (
          <>
            <Name value={label} /> × {of}
          </>
        )),
      };
    }
    case "jurorDecided":
      return { head: fill(steps.juror[what.verdict === "passed" ? what.verdict : what.why], { model: <Name value={what.model} /> }) };
    case "grantUsed":
      return {
        head: fill(what.bypass === true ? steps.bypassed : steps.grantUsed, { by: <Name value={what.by} />, gate: texts.gates[what.gate] }),
      };
    case "edited":
      return { head: fill(steps.edited, { by: <Name value={what.by} />, gate: texts.gates[what.gate] }), more: [digests(what)] };
    case "redactionLifted":
      return {
        head: fill(steps.lifted, { by: <Name value={what.by} />, gate: texts.gates[what.gate] }),
        more: [<Name value={what.label} />, digests(what)],
      };
    case "replyWritten":
      return { head: fill(steps.written, { by: <Name value={what.by} /> }), more: [<Digest value={what.reply} />] };
    case "granted":
      return {
        head: fill(steps.granted, {
          by: <Name value={what.by} />,
          uses: fillText(steps.uses, { n: what.uses }),
          until: time(what.expiresAt),
        }),
      };
    case "grantUndone":
      return { head: fill(steps.grantUndone, { by: <Name value={what.by} /> }) };
    case "toolStopped":
      return {
        head: fill(steps.toolStopped[what.reach], {
          by: <Name value={what.by} />,
          tool: <Name value={what.tool} />,
          until: time(what.until),
        }),
      };
    case "toolResumed":
      return { head: fill(steps.toolResumed, { by: <Name value={what.by} />, tool: <Name value={what.tool} /> }) };
    case "handedOver":
      return { head: fill(steps.handedOver, { by: <Name value={what.by} />, to: <Name value={what.to} />, gate: texts.gates[what.gate] }) };
    case "declined":
      return { head: fill(steps.declined, { by: <Name value={what.by} />, gate: texts.gates[what.gate] }) };
    case "linkRenewed":
      return { head: fill(steps.linkRenewed, { reviewer: <Name value={what.reviewer} /> }), more: [kindIn(texts.channels, what.channel)] };
    case "sentAgain":
      return { head: fill(steps.sentAgain, { reviewer: <Name value={what.reviewer} /> }), more: [operatorNamed(what.by)] };
    case "fromCache":
      return { head: fill(steps.fromCache, { model: <Name value={what.model} /> }), more: [time(what.cachedAt)] };
    case "handedBack":
      return { head: steps.handedBack };
    case "adopted":
      return { head: fill(steps.adopted, { who: <Name value={`${what.server} · ${what.name}`} /> }) };
    case "cancelled":
      return {
        head: kindIn(steps.cancelled, what.cause),
        more: [operatorNamed(what.by)],
      };
    case "contentUnreadable":
      return { head: steps.contentUnreadable };
    case "outcomeUnknown":
      return { head: steps.outcomeUnknown, more: [kindIn(texts.endpoints, what.endpoint), <Name value={what.method} />] };
    case "tokenMade":
      return { head: steps.tokenMade };
    case "refused":
      return {
        head: steps.refused,
        more: [kindIn(texts.endpoints, what.endpoint), what.method === null ? null : <Name value={what.method} />],
      };
    case "refusedMany":
      return {
        head: fillText(steps.refusedMany, { n: what.count }),
        more: [<>{fill(steps.refusedUntil, { since: time(what.since), until: time(what.until) })}</>],
      };
    case "left":
      return { head: steps.left };
    case "back":
      return { head: steps.back };
    case "cameAndWent":
      return { head: fill(steps.cameAndWent, { n: what.times, at: time(what.until) }) };
    case "finished":
      return { head: kindIn(steps.finished, what.outcome) };
    case "other":
      return { head: <Name value={what.name} /> };
    default:
      return unreachable(what);
  }
}

type What<Kind extends StepWhat["kind"]> = Extract<StepWhat, { readonly kind: Kind }>;

function receivedTold({ kind, of }: What<"received" | "associated" | "ruled">, { endpoints, steps }: Texts, { key }: Made): Told {
  if (kind === "received")
    return {
      head: fill(steps.received, { key: <Name value={key} /> }),
      more: [
        kindIn(endpoints, of.endpoint),
        of.requestId === undefined ? null : <>{fill(steps.requestId, { id: <Name value={of.requestId} /> })}</>,
        of.images === undefined ? null : fillText(steps.images, { n: of.images.length }),
        of.contextIgnored === null ? null : steps.contextIgnored,
        of.takenOver ? steps.takenOver : null,
      ],
    };
  if (kind === "associated")
    return {
      head: of.provenance === "own" ? steps.own : fill(steps.associated, { method: of.method, name: <Name value={of.name} /> }),
      more: [kindIn(steps.associationConfidence, of.provenance)],
    };
  return {
    head: fill(steps.ruled, { rule: <Name value={of.rule} /> }),
    more: [
      <>{fill(steps.gatePlan.request, { gate: kindIn(steps.plans, of.requestGate) })}</>,
      <>{fill(steps.gatePlan.response, { gate: kindIn(steps.plans, of.responseGate) })}</>,
      of.replyRisk === undefined ? null : <>{fill(steps.replyRisk, { level: kindIn(steps.levels, of.replyRisk) })}</>,
      of.shadow === undefined ? null : (
        <>
          {fill(steps.shadow[shadowSays(of.shadow)], { rule: <Name value={of.shadow.rule} />, people: <Names of={of.shadow.reviewers} /> })}
        </>
      ),
      of.risks.length === 0 ? steps.noWarnings : <Warnings kinds={of.risks} />,
    ],
  };
}

/** How many, and of what each is: "2 warnings: looks like a secret, very long". */
const Warnings = ({ kinds }: { kinds: readonly string[] }) => {
  const { marks, steps } = useTexts(requestWords);
  const words = useTexts(warningWords).kinds;
  return (
    <>
      {fill(steps.warnings, { n: kinds.length })}
      {marks.colon}
      {[...new Set(kinds)].map((kind, index) => [index === 0 ? "" : marks.comma, kindIn(words, kind)])}
    </>
  );
};

/** Whom a rule in shadow would have asked counts where it would have asked somebody. */
const shadowSays = ({ request, response }: { readonly request: string; readonly response: string }): "asked" | "allow" | "refuse" =>
  request === "refuse" ? "refuse" : request === "allow" && response === "allow" ? "allow" : "asked";

function decidedTold({ of, waitedMs }: What<"decided">, { gates, channels, steps }: Texts): Told {
  const { numbers, page } = useWords();
  const { passkey } = page;
  return {
    head: fill(steps.decided[of.kind], { by: <Name value={of.by} />, gate: gates[of.gate] }),
    more: [
      <>{fill(steps.by, { channel: kindIn(channels, of.channel) })}</>,
      of.known === undefined ? null : <Known of={of.known} />,
      of.passkey === undefined ? null : passkey.confirmed,
      waitedMs === null ? null : fillText(steps.waited, { span: numbers.span(waitedMs) }),
      of.member === undefined ? null : <>{fill(steps.member, { member: <Name value={of.member} /> })}</>,
      of.reasonGiven ? steps.reason : null,
      <Digest value={of.digest} />,
    ],
  };
}

function answeredTold({ of }: What<"answered">, texts: Texts): Told {
  const { steps } = texts;
  const { usage } = of;
  const { lang, numbers } = useWords();
  const tookMs = of.took.durationMs;
  const unit = tookMs < 1_000 ? "millisecond" : "second";
  const short = (tookMs < 1_000 ? tookMs : tookMs / 1_000).toLocaleString(lang, { style: "unit", unit, maximumFractionDigits: 1 });
  return {
    head: fill(steps.answered, { model: <Name value={of.model} /> }),
    more: [
      fillText(steps.took, { span: tookMs < 60_000 ? short : numbers.span(tookMs) }),
      of.realModel === "" || of.realModel === of.model ? null : <>{fill(steps.realModel, { model: <Name value={of.realModel} /> })}</>,
      fillText(texts.tokensOf, { input: usage.inputTokens, output: usage.outputTokens }),
      usage.estimated ? steps.estimated : null,
      of.risks === undefined || of.risks.length === 0 ? null : <Warnings kinds={of.risks} />,
      numbers.dollars(of.costUsd),
      of.stopReason === "" ? null : <>{fill(steps.finishReason, { reason: <Name value={of.stopReason} /> })}</>,
    ],
  };
}
