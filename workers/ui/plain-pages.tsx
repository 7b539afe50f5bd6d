// The pages without a review: for an invalid link, and for a request that is refused. One text for
// all cases of a kind, so that a page never tells an attacker which part of a guess was right.

import type { Words } from "../../shared/channels/words/words.ts";
import { PlainDocument } from "./document.tsx";
import { useWords } from "./language.ts";

/** Why a request is refused. The HTTP status is the route's. */
export type PageError = keyof Words["page"]["plain"]["problems"];

/** For 404: a forged, unknown, deleted or truncated link. */
export const NoSuchLinkPage = ({ cspNonce }: { cspNonce: string }) => {
  const { title, lead, help } = useWords().page.plain.noSuchLink;
  return (
    <PlainDocument title={title} cspNonce={cspNonce}>
      <p>{lead}</p>
      <p>{help}</p>
    </PlainDocument>
  );
};

/**
 * For 400, 403, 405, 413, 415, 429 and 500. `quote` is the id under which the log has an internal
 * error.
 */
export type ErrorPageInput = { readonly error: PageError; readonly quote?: string };

export const ErrorPage = ({ error, quote, cspNonce }: ErrorPageInput & { cspNonce: string }) => {
  const { plain } = useWords().page;
  const { title, lead } = plain.problems[error];
  return (
    <PlainDocument title={title} cspNonce={cspNonce}>
      <p>{lead}</p>
      {quote === undefined ? null : (
        <p>
          {plain.quote}
          <code>{quote}</code>
        </p>
      )}
    </PlainDocument>
  );
};
