// The pages without a review: for an invalid link, and for a request that is refused. One text for all cases of a kind, so that a page
// never tells an attacker which part of a guess was right.

import { catalogues, type Words } from "../../shared/channels/words/words.ts";
import { asHtml, PlainDocument } from "./document.tsx";

/** Why a request is refused. The HTTP status is the route's. */
export type PageError = keyof Words["page"]["plain"]["problems"];

/** For 404: a forged, unknown, deleted or truncated link. */
export const renderNoSuchLinkPage = ({ cspNonce }: { cspNonce: string }, words: Words = catalogues.en): string => {
  const { title, lead, help } = words.page.plain.noSuchLink;
  return asHtml(
    <PlainDocument title={title} cspNonce={cspNonce}>
      <p>{lead}</p>
      <p>{help}</p>
    </PlainDocument>,
    words,
  );
};

type ErrorPageInput = { readonly error: PageError; readonly cspNonce: string; readonly quote?: string };

/** For 400, 403, 405, 413, 415, 429 and 500. `quote` is the id under which the log has an internal error. */
export const renderErrorPage = ({ error, cspNonce, quote }: ErrorPageInput, words: Words = catalogues.en): string => {
  const { plain } = words.page;
  const { title, lead } = plain.problems[error];
  return asHtml(
    <PlainDocument title={title} cspNonce={cspNonce}>
      <p>{lead}</p>
      {quote === undefined ? null : (
        <p>
          {plain.quote}
          <code>{quote}</code>
        </p>
      )}
    </PlainDocument>,
    words,
  );
};
