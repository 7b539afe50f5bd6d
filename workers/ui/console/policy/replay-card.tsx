// What a draft would have done with recorded requests: progress, effects with examples, and whom it
// asks. What is read so far is in the form.

import type { Child } from "hono/jsx";
import { type Effect, effects, unknowns } from "../../../../shared/record/policy-replay.ts";
import type { ReplayGroup, ReplayTally } from "../../../../shared/record/replay-tally.ts";
import { useWords } from "../../language.ts";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import { type Visit, useTexts } from "../page.ts";
import { Empty, Note } from "../pieces.tsx";
import { type Replay, type ReplayDays, replayDays } from "./policy-state.ts";
import { policyWords } from "./policy-words.ts";

const useNumber = (): ((n: number) => string) => {
  const { lang } = useWords().page;
  return (n) => n.toLocaleString(lang);
};

const Chart = ({ sum }: { sum: ReplayTally }) => {
  const words = useTexts(policyWords).replay;
  const number = useNumber();
  const judged = effects.reduce((all, effect) => all + sum.effects[effect], 0);
  const { same } = sum.effects;
  const says = words.chart.replace("{same}", () => number(same)).replace("{changed}", () => number(judged - same));
  if (judged === 0) return null;
  return (
    <figure class="chart">
      <svg class="flat" viewBox={`0 0 ${judged} 10`} preserveAspectRatio="none" role="img" aria-label={says}>
        <rect class="b2" width={same} height="10" />
        <rect class="b3" x={same} width={judged - same} height="10" />
      </svg>
    </figure>
  );
};

const groupsShown = 3;

const Group = ({ visit, group }: { visit: Visit; group: ReplayGroup }) => {
  const words = useTexts(policyWords).replay;
  const number = useNumber();
  const rules = { before: <RuleName rule={group.ruleBefore} />, after: <RuleName rule={group.ruleAfter} /> };
  return (
    <li>
      <Name value={group.server} /> · <Name value={group.tool} /> {number(group.requests)}{" "}
      <span class="soft">
        {group.ruleBefore === group.ruleAfter ? rules.after : fill(words.rule, rules)}
        {group.denied === 0 ? null : [", ", fill(words.denied, { count: number(group.denied) })]}
      </span>{" "}
      <span class="soft">{words.examples}</span>{" "}
      {group.examples.map((run, index) => (
        <>
          <a href={visit.at(`requests/${run}`)} aria-label={`${words.examples} ${index + 1}: ${run}`}>
            {index + 1}
          </a>{" "}
        </>
      ))}
    </li>
  );
};

const RuleName = ({ rule }: { rule: string }) => {
  const { everythingElse } = useTexts(policyWords);
  return rule === "default" ? <>{everythingElse}</> : <Name value={rule} />;
};

const EffectRow = ({ visit, effect, sum }: { visit: Visit; effect: Effect; sum: ReplayTally }) => {
  const words = useTexts(policyWords).replay;
  const number = useNumber();
  const groups = sum.groups.filter((group) => group.effect === effect).toSorted((one, other) => other.requests - one.requests);
  return (
    <tr>
      <td class="main-cell">{words.effects[effect]}</td>
      <td class="num end">{number(sum.effects[effect])}</td>
      <td class="full">
        {groups.length === 0 ? null : (
          <ul class="groups">
            {groups.slice(0, groupsShown).map((group) => (
              <Group visit={visit} group={group} />
            ))}
          </ul>
        )}
      </td>
    </tr>
  );
};

const Effects = ({ visit, sum }: { visit: Visit; sum: ReplayTally }) => {
  const words = useTexts(policyWords).replay;
  const number = useNumber();
  // What is never to be missed stands there even where it is none.
  const always: ReadonlySet<Effect> = new Set(["newlyUnseen", "newlyRefused", "same"]);
  const rest: (readonly [string, number])[] = [
    ...unknowns.map((why) => [words.unknown[why], sum.unknown[why]] as const),
    [words.notByRules, sum.notByRules],
    [words.ungrouped, sum.ungrouped],
  ];
  return (
    <table class="cards">
      <thead>
        <tr>
          <th>{words.effect}</th>
          <th class="num">{words.requests}</th>
          <th>{words.most}</th>
        </tr>
      </thead>
      <tbody>
        {effects
          .filter((effect) => always.has(effect) || sum.effects[effect] > 0)
          .map((effect) => (
            <EffectRow visit={visit} effect={effect} sum={sum} />
          ))}
        {rest
          .filter(([, count]) => count > 0)
          .map(([says, count]) => (
            <tr>
              <td class="main-cell soft">{says}</td>
              <td class="num end">{number(count)}</td>
              <td class="full" />
            </tr>
          ))}
      </tbody>
    </table>
  );
};

type Line = { readonly name: Child; readonly before: number; readonly after: number; readonly more?: Child };

const BeforeAndAfter = ({ caption, of, lines }: { caption: string; of: string; lines: readonly Line[] }) => {
  const words = useTexts(policyWords).replay;
  const number = useNumber();
  return lines.length === 0 ? null : (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th>{of}</th>
          <th class="num">{words.before}</th>
          <th class="num">{words.after}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ name, before, after, more }) => (
          <tr>
            <td>
              {name} {more}
            </td>
            <td class="num">{number(before)}</td>
            <td class="num">{before === after ? number(after) : <b>{number(after)}</b>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const byLoad = (one: { before: number; after: number }, other: { before: number; after: number }): number =>
  other.after - one.after || other.before - one.before;
const linesShown = 20;

const Load = ({ sum }: { sum: ReplayTally }) => {
  const words = useTexts(policyWords).replay;
  const number = useNumber();
  const reviewers = sum.reviewers
    .map(({ reviewer, asked, ifWarned }) => ({
      name: <Name value={reviewer} />,
      ...asked,
      ...(ifWarned.after === 0 ? {} : { more: <span class="soft">{fill(words.ifWarned, { count: number(ifWarned.after) })}</span> }),
    }))
    .toSorted(byLoad);
  const rules = sum.rules.map(({ rule, before, after }) => ({ name: <RuleName rule={rule} />, before, after })).toSorted(byLoad);
  return (
    <div class="grid half">
      <BeforeAndAfter caption={words.reviewers} of={words.reviewer} lines={reviewers.slice(0, linesShown)} />
      <BeforeAndAfter caption={words.byRule} of={words.rules} lines={rules.slice(0, linesShown)} />
    </div>
  );
};

const Found = ({ visit, replay: { sum } }: { visit: Visit; replay: Replay }) => {
  const words = useTexts(policyWords).replay;
  const number = useNumber();
  const unseen = sum.effects.newlyUnseen;
  const denied = sum.groups.reduce((all, group) => all + (group.effect === "newlyUnseen" ? group.denied : 0), 0);
  return (
    <>
      <p class="headline">
        <b>{fill(words.asked, { before: number(sum.asked.before), after: number(sum.asked.after) })}</b>{" "}
        {unseen === 0 ? words.unseenNone : null}
      </p>
      {unseen === 0 ? null : (
        <Note of="mind">
          <b>{fill(words.unseen, { count: number(unseen) })}</b>{" "}
          {denied === 0 ? null : [fill(words.denied, { count: number(denied) }), "."]}
        </Note>
      )}
      <Chart sum={sum} />
      <Effects visit={visit} sum={sum} />
      <Load sum={sum} />
      <p class="soft">{words.limits}</p>
    </>
  );
};

type ReplayProps = {
  readonly visit: Visit;
  readonly replay: Replay | null;
  readonly days: ReplayDays;
  /** The draft masks other parts than the policy in use. */
  readonly masksOtherwise: boolean;
};

/** The section that the page's script replaces as it reads on. */
export const ReplayCard = ({ visit, replay, days, masksOtherwise }: ReplayProps) => {
  const words = useTexts(policyWords).replay;
  const number = useNumber();
  const at = `${visit.at("policy")}#replay`;
  const { replayButton } = useTexts(policyWords);
  return (
    <section class="card stack" id="replay" aria-labelledby="replay-title" {...(replay?.next ? { "data-goes-on": "yes" } : {})}>
      <h2 id="replay-title">{words.title}</h2>
      <p>{words.lead}</p>
      <div class="replay-ask">
        <div>
          <label for="days">{words.days}</label>
          <select id="days" name="days">
            {replayDays.map((each) => (
              <option value={String(each)} selected={each === days}>
                {words.daysOf[each]}
              </option>
            ))}
          </select>
        </div>
        <button class="btn" type="submit" name="do" value="replay" formaction={at}>
          {replayButton}
        </button>
      </div>
      {replay === null ? null : (
        <>
          <input type="hidden" name="replay" value={JSON.stringify(replay)} />
          <div role="status" class="progress">
            {replay.total === 0 ? null : <progress max={replay.total} value={replay.read} aria-label={words.title} />}
            <span>{fill(words.progress, { read: number(replay.read), total: number(replay.total) })}</span>{" "}
            {replay.next === null ? null : (
              <button class="btn small" type="submit" name="do" value="go-on" formaction={at}>
                {words.goOn}
              </button>
            )}
          </div>
          {masksOtherwise ? <Note of="mind">{words.maskingDiffers}</Note> : null}
          {replay.total === 0 ? <Empty>{words.none}</Empty> : <Found visit={visit} replay={replay} />}
        </>
      )}
    </section>
  );
};
