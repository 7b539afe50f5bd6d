// What came of several reviews that were decided together: one line for each.

import type { Words } from "../../../shared/channels/words/words.ts";
import { reviewFacts } from "../../../shared/review/review-facts.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { Document, type InboxMark } from "../document.tsx";
import { useWords } from "../language.ts";
import { HeadingWords } from "../lead.tsx";
import { fill } from "../sentence.tsx";

export type DoneOutcome = keyof Words["inbox"]["done"]["outcomes"];

export type DoneReview = {
  readonly key: string;
  /** The path of its own page, and how it stands; null where it could not be read. */
  readonly path: string | null;
  readonly view: ReviewView | null;
  readonly outcome: DoneOutcome;
};

export type DonePageInput = {
  readonly reviews: readonly DoneReview[];
  /** Those of the page that were not selected. */
  readonly rest: { readonly n: number; readonly path: string } | null;
  readonly reader: string;
  readonly inbox: InboxMark;
};

const isDecided = (outcome: DoneOutcome): boolean => outcome === "approved" || outcome === "denied" || outcome === "repeated";

export const DonePage = ({ cspNonce, reviews, rest, reader, inbox }: DonePageInput & { cspNonce: string }) => {
  const words = useWords();
  const { done, bulk, series } = words.inbox;
  return (
    <Document title={`${done.title} · ${words.page.product}`} cspNonce={cspNonce} reader={reader} inbox={inbox}>
      <div class="wrap inbox">
        <h1 class="said-by-us">{done.title}</h1>
        <ol class="queue done">
          {reviews.map(({ key, path, view, outcome }, i) => {
            const name = view === null ? `${i + 1}` : <HeadingWords view={view} facts={reviewFacts(view)} />;
            return (
              <li data-key={key} data-outcome={outcome}>
                <div class="open">
                  <h2>{path === null ? name : <a href={path}>{name}</a>}</h2>
                  <p class={isDecided(outcome) ? "meta" : "meta soon"}>{done.outcomes[outcome]}</p>
                </div>
              </li>
            );
          })}
        </ol>
        {rest === null ? null : (
          <p>
            <a class="btn" href={rest.path}>
              {fill(series.rest, { n: rest.n })}
            </a>
          </p>
        )}
        <p>
          <a href={inbox.path}>{bulk.back}</a>
        </p>
      </div>
    </Document>
  );
};
