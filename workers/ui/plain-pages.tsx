// The pages without a review: for an invalid link, and for a request that is refused. One text for all cases of a kind, so that a page
// never tells an attacker which part of a guess was right.

import { pageWords } from "../../shared/channels/words/words.ts";
import { asHtml, Document } from "./document.tsx";

const words = pageWords.plain;

/** Why a request is refused. The HTTP status is the route's. */
export type PageError = keyof typeof words.problems;

/** For 404: a forged, unknown, deleted or truncated link. */
export const renderNoSuchLinkPage = ({ cspNonce }: { cspNonce: string }): string =>
  asHtml(
    <Document title={words.noSuchLink.title} cspNonce={cspNonce}>
      <h1>{words.noSuchLink.title}</h1>
      <p>{words.noSuchLink.lead}</p>
      <p>{words.noSuchLink.help}</p>
    </Document>,
  );

/** For 400, 403, 405, 413, 415, 429 and 500. `quote` is the id under which the log has an internal error. */
export const renderErrorPage = ({ error, cspNonce, quote }: { error: PageError; cspNonce: string; quote?: string }): string => {
  const { title, lead } = words.problems[error];
  return asHtml(
    <Document title={title} cspNonce={cspNonce}>
      <h1>{title}</h1>
      <p>{lead}</p>
      {quote === undefined ? null : (
        <p>
          {words.quote}
          <code>{quote}</code>
        </p>
      )}
    </Document>,
  );
};
