// "Allow later requests": the grants that a reviewer may give with an approval, by a button of its
// own; and the one that was given.

import { membersIn } from "../../shared/json/exact-json.ts";
import { argumentsJsonOf } from "../../shared/model/subject/tool-call.ts";
import type { Provenance } from "../../shared/model/gate.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { allowAct, formFields, grantKinds, mostGrantUses, pinPrefix } from "../../shared/review/form.ts";
import { type ReviewFacts, callIn } from "../../shared/review/review-facts.ts";
import type { GrantOffer, ReviewView } from "../../shared/review/view.ts";
import { grantWords } from "./request-kind-words.ts";
import { pluralOf } from "./approve-words.ts";
import { useWords } from "./language.ts";
import { Time } from "./names.tsx";
import { Name, plainLetters } from "./outside-text.tsx";
import { fill } from "./sentence.tsx";

/**
 * What the reviewer chose here before, as the browser sent it: shown again even where it cannot be
 * read.
 */
export type KeptGrant = {
  readonly grant: string;
  readonly hours: string;
  readonly uses: string;
  /** By the button that gives a grant: its fold is then open. */
  readonly isAsked: boolean;
};

const hours = ["1", "24", "168", "720"] as const;
const usual = { hours: "24", uses: "10" };

type GrantFormProps = {
  readonly view: ReviewView;
  readonly facts: ReviewFacts;
  readonly offer: GrantOffer;
  readonly kept: KeptGrant | undefined;
};

const What = ({ view: { requestor }, facts, offer, kept }: GrantFormProps) => {
  const words = useWords();
  const { grant } = words.page;
  return (
    <>
      <label for="grant">{grant.what}</label>
      <select id="grant" name={formFields.grant}>
        {grantKinds.flatMap((kind) =>
          offer.scopes.map((scope) => (
            <option value={`${scope}:${kind}`} selected={kept?.grant === `${scope}:${kind}`}>
              {grant.kinds[kind]}
              {words.review.marks.comma}
              {fill(grantWords(facts, words).scopes[scope], {
                server: plainLetters(requestor.server, words),
                client: plainLetters(requestor.client, words),
                name: plainLetters(requestor.name, words),
              })}
            </option>
          )),
        )}
      </select>
    </>
  );
};

/** More of a value stands in the content. */
const longestValue = 80;

/** Which arguments must stay as they are: all, unless the reviewer says otherwise. */
const Pins = ({ view, offer: { arguments: names = [] } }: GrantFormProps) => {
  const words = useWords();
  const { pinned } = words.page.runGrant;
  const values = view.subject === "toolCall" ? membersIn(argumentsJsonOf(view.request)) : new Map<string, string>();
  const shown = (name: string): string => {
    const value = values.get(name) ?? "";
    return value.length > longestValue ? `${value.slice(0, longestValue).toWellFormed()}…` : value;
  };
  return names.length === 0 ? null : (
    <fieldset>
      <legend>{pinned.legend}</legend>
      <div>
        {names.map((name) => (
          <label class="check">
            <input type="checkbox" name={`${pinPrefix}${name}`} value="yes" checked />
            <span>{fill(pinned.one, { name: <Name value={name} />, value: <Name value={shown(name)} /> })}</span>
          </label>
        ))}
      </div>
      <p class="hint">{pinned.hint}</p>
    </fieldset>
  );
};

const Limits = ({ kept }: { kept: KeptGrant | undefined }) => {
  const { grant } = useWords().page;
  return (
    <div class="two">
      <div>
        <label for="grant-hours">{grant.hours}</label>
        <select id="grant-hours" name={formFields.grantHours}>
          {hours.map((each) => (
            <option value={each} selected={each === (hours.find((known) => known === kept?.hours) ?? usual.hours)}>
              {grant.hoursOf[each]}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="grant-uses">{grant.uses}</label>
        {/* No type or limits for the browser to check: they would also block a "deny". */}
        <input
          id="grant-uses"
          name={formFields.grantUses}
          value={kept?.uses ?? usual.uses}
          inputmode="numeric"
          aria-describedby="grant-hint"
        />
      </div>
    </div>
  );
};

const knownWords = ({ page }: Words, provenance: Provenance): string | undefined =>
  (page.grant.known as Readonly<Partial<Record<Provenance, string>>>)[provenance];

export const GrantForm = (props: GrantFormProps) => {
  const { view, facts, offer, kept } = props;
  const words = useWords();
  const { grant, runGrant } = words.page;
  const known = knownWords(words, view.requestor.provenance);
  const uses = kept?.uses ?? usual.uses;
  const isNumber = /^[1-9][0-9]{0,3}$/.test(uses) && Number(uses) <= mostGrantUses;
  return (
    <details class="grant" name="more" open={kept?.isAsked === true}>
      <summary class="chev">{(view.subject === "toolCall" ? runGrant : grant).heading[view.gate]}</summary>
      <div class="in">
        <p>{grantWords(facts, words).lead}</p>
        <What {...props} />
        <Pins {...props} />
        <Limits kept={kept} />
        <p class="hint" id="grant-hint">
          {fill(grant.usesHint, { most: mostGrantUses })} {grant.limits}
        </p>
        <button
          type="submit"
          name={formFields.act}
          value={allowAct}
          class="btn allow"
          data-words={JSON.stringify({ any: grant.approve[view.gate], more: grant.approveMore[view.gate], most: mostGrantUses })}
        >
          {isNumber ? pluralOf(words.page.lang, grant.approveMore[view.gate], Number(uses)) : grant.approve[view.gate]}
        </button>
        <p class="hint">
          {grant.exact[view.gate]} {grantWords(facts, words).shape}
        </p>
        <p class="hint">
          {grant.risk[offer.risk]} {offer.replyRisk === null ? "" : grant.replyRisk[offer.replyRisk]} {known ?? ""}
        </p>
      </div>
    </details>
  );
};

type GivenProps = {
  readonly view: ReviewView;
  readonly facts: ReviewFacts;
  readonly action: string;
  readonly nonce: string;
};

type UndoProps = Omit<GivenProps, "facts"> & { readonly act: "undoGrant" | "undoStop"; readonly words: string };

const Undo = ({ act, words, view, action, nonce }: UndoProps) => (
  <form method="post" action={action} accept-charset="utf-8" autocomplete="off">
    <input type="hidden" name={formFields.nonce} value={nonce} />
    <input type="hidden" name={formFields.version} value={String(view.version)} />
    <input type="hidden" name={formFields.digest} value={view.digest} />
    <button type="submit" name={formFields.act} value={act} class="btn small">
      {words}
    </button>
  </form>
);

/** What was stopped with the denial, and the way back. */
export const MadeStop = ({ view, action, nonce }: Omit<GivenProps, "facts">) => {
  const { stop } = useWords().page;
  const { stopped } = callIn(view);
  if (stopped == null) return null;
  const { reach, until, liftedAt } = stopped;
  const { client, name } = view.requestor;
  return (
    <section class="note news given" aria-labelledby="stopped">
      <div>
        <h2 id="stopped">{fill(stop.heading, { name: <Name value={name} /> })}</h2>
        <p>{fill(stop.refused[reach], { client: <Name value={client} />, at: <Time at={until} now={view.now} /> })}</p>
        {liftedAt === null ? (
          <Undo act="undoStop" words={stop.undo} view={view} action={action} nonce={nonce} />
        ) : (
          <p>
            <b>{fill(stop.undone, { at: <Time at={liftedAt} now={view.now} /> })}</b>
          </p>
        )}
      </div>
    </section>
  );
};

/** What was allowed with the approval, and the way back. */
export const GivenGrant = ({ view, facts, action, nonce }: GivenProps) => {
  const words = useWords();
  const { given, kinds } = words.page.grant;
  const { server, client, name } = view.requestor;
  if (view.given == null) return null;
  const { what, scope, uses, expiresAt, undoneAt } = view.given;
  const scopeWords = fill(grantWords(facts, words).scopes[scope], {
    server: <Name value={server} />,
    client: <Name value={client} />,
    name: <Name value={name} />,
  });
  return (
    <section class="note news given" aria-labelledby="given">
      <div>
        <h2 id="given">{given.heading[view.gate]}</h2>
        <p>{fill(given.covers, { what: kinds[what], scope: scopeWords })}</p>
        <p>{fill(given.until, { uses, at: <Time at={expiresAt} now={view.now} /> })}</p>
        {undoneAt === null ? (
          <Undo act="undoGrant" words={given.undo} view={view} action={action} nonce={nonce} />
        ) : (
          <p>
            <b>{fill(given.undone[view.gate], { at: <Time at={undoneAt} now={view.now} /> })}</b>
          </p>
        )}
      </div>
    </section>
  );
};
