// The pages that have nothing to show: a link that is none, and a request that cannot be taken. One text for all cases of a
// kind, so that a page never tells a stranger which part of a guess was right.

import { asHtml, Document } from "./document.tsx";

const words = {
  noSuchLink: {
    title: "There is nothing at this link",
    lead: "The address is not complete, or what it led to is no longer kept.",
    help: "If you came from a mail or a message, open the link there again. Some programs cut long addresses in two: then copy the whole address. If that does not help, ask whoever runs this Countersign for a new link.",
  },
  problems: {
    badRequest: {
      title: "That could not be read",
      lead: "The form came back in a shape that this page does not send. Nothing was decided.",
    },
    crossSite: {
      title: "That came from somewhere else",
      lead: "Decisions are taken only from the review page itself. Nothing was decided. Open the link from your mail or message again, and decide there.",
    },
    tooLarge: {
      title: "That is too large",
      lead: "What was sent is larger than this page takes. Nothing was decided. Shorten your changes, or deny the request.",
    },
    wrongType: { title: "That is not a form", lead: "This address takes the review page’s own form only. Nothing was decided." },
    tooMany: { title: "Too many tries", lead: "Nothing was decided. Wait a minute, then open the link again." },
    fault: {
      title: "Something went wrong here",
      lead: "It is our fault, not yours. Open the link again to see whether anything was decided.",
    },
  },
  quote: "If you ask for help, quote this: ",
} as const;

/** What stopped a request to a page. The HTTP status is the route's. */
export type PageProblem = keyof typeof words.problems;

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
export const renderProblemPage = ({ problem, cspNonce, quote }: { problem: PageProblem; cspNonce: string; quote?: string }): string => {
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
