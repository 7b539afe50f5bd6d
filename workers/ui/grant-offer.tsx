// "Also allow later requests like this one": the grants that a reviewer may give with an approval. "Not now" is preselected.

import type { Provenance } from "../../shared/model/gate.ts";
import { formFields, grantKinds, mostGrantUses } from "../../shared/review/form.ts";
import type { ReviewFacts } from "../../shared/review/review-facts.ts";
import type { GrantOffer, ReviewView } from "../../shared/review/view.ts";
import { grantWords } from "./asking-words.ts";
import { plainLetters } from "./outside-text.tsx";
import { pageWords as words } from "../../shared/channels/words/words.ts";
import { fill } from "./sentence.tsx";

/** What the reviewer chose here before, as the browser sent it: shown again even where it cannot be read. */
export type KeptGrant = { readonly grant: string; readonly hours: string; readonly uses: string };

const hours = ["1", "24", "168", "720"] as const;
const usual = { hours: "24", uses: "10" };

type GrantFieldsProps = { view: ReviewView; facts: ReviewFacts; offer: GrantOffer; kept: KeptGrant | undefined };

const What = ({ view: { requestor }, facts, offer, kept }: GrantFieldsProps) => (
  <div class="choice">
    <label for="grant">{words.grant.what}</label>
    <select id="grant" name={formFields.grant}>
      <option value="">{words.grant.notNow}</option>
      {grantKinds.flatMap((kind) =>
        offer.scopes.map((scope) => (
          <option value={`${scope}:${kind}`} selected={kept?.grant === `${scope}:${kind}`}>
            {words.grant.kinds[kind]},{" "}
            {fill(grantWords(facts).scopes[scope], {
              server: plainLetters(requestor.server),
              client: plainLetters(requestor.client),
              name: plainLetters(requestor.name),
            })}
          </option>
        )),
      )}
    </select>
  </div>
);

const knownWords: Readonly<Partial<Record<Provenance, string>>> = words.grant.known;

export const Grant = ({ view, facts, offer, kept }: GrantFieldsProps) => {
  const known = knownWords[view.requestor.provenance];
  return (
    <details class="grant" open={(kept?.grant ?? "") !== ""}>
      <summary>{words.grant.heading[view.gate]}</summary>
      <p>{grantWords(facts).lead}</p>
      <ul>
        <li>{words.grant.exact[view.gate]}</li>
        <li>{grantWords(facts).shape}</li>
      </ul>
      <p>
        {words.grant.limits} {words.grant.risk[offer.risk]} {offer.replyRisk === null ? null : words.grant.replyRisk[offer.replyRisk]}
      </p>
      {known === undefined ? null : <p>{known}</p>}
      <What view={view} facts={facts} offer={offer} kept={kept} />
      <div class="choice">
        <label for="grant-hours">{words.grant.hours}</label>
        <select id="grant-hours" name={formFields.grantHours}>
          {hours.map((each) => (
            <option value={each} selected={each === (hours.find((known) => known === kept?.hours) ?? usual.hours)}>
              {words.grant.hoursOf[each]}
            </option>
          ))}
        </select>
      </div>
      <div class="choice">
        <label for="grant-uses">{words.grant.uses}</label>
        <p id="grant-uses-hint">{words.grant.usesHint(mostGrantUses)}</p>
        {/* No type or limits for the browser to check: they would also block a "deny". */}
        <input
          id="grant-uses"
          name={formFields.grantUses}
          value={kept?.uses ?? usual.uses}
          inputmode="numeric"
          aria-describedby="grant-uses-hint"
        />
      </div>
    </details>
  );
};

/** Beside the approve button. The stylesheet shows it while a grant is chosen, also where the fold is closed. */
export const GrantReminder = ({ gate }: Pick<ReviewView, "gate">) => <p class="granting">{words.grant.chosen[gate]}</p>;
