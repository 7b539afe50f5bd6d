// The pages that have nothing to show: a link that is none, and a request that cannot be taken. One text for all cases of a
// kind, so that a page never tells a stranger which part of a guess was right.

import { pageWords } from "../../shared/channels/words/words.ts";
import { asHtml, Document } from "./document.tsx";

const words = pageWords.plain;

/** What stopped a request to a page. The HTTP status is the route's. */
export type PageError = keyof typeof words.problems;

/** For 404: forged, unknown, removed, cut. */
export const renderNoSuchLinkPage = ({ cspNonce }: { cspNonce: string }): string =>
  asHtml(
    <Document title={words.noSuchLink.title} cspNonce={cspNonce}>
      <h1>{words.noSuchLink.title}</h1>
      <p>{words.noSuchLink.lead}</p>
      <p>{words.noSuchLink.help}</p>
    </Document>,
  );

/** For 400, 403, 413, 415, 429 and 500. `quote` is an id of ours, for a fault that somebody should look up. */
export const renderErrorPage = ({ problem, cspNonce, quote }: { problem: PageError; cspNonce: string; quote?: string }): string => {
  const { title, lead } = words.problems[problem];
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
