// The pages of an expired link: the review's state, without its content or a name, and a button for a new link. They decide nothing,
// and never show an address.

import type { LinkChannel } from "../../shared/notice-channels.ts";
import { formFields } from "../../shared/review/form.ts";
import type { ReviewState } from "../../shared/review/view.ts";
import { asHtml, Document } from "./document.tsx";
import { pageWords, reviewWords } from "../../shared/channels/words/words.ts";
import { fill } from "./sentence.tsx";

const words = pageWords.expiredLink;

/** Why the last request for a new link did nothing. */
export type ExpiredLinkError = keyof typeof words.problems;

type ExpiredLinkPageInput = {
  readonly cspNonce: string;
  readonly untilSeconds: number;
  readonly state: ReviewState["kind"];
  /** Whether a new link could be sent. */
  readonly open: boolean;
  /** The page's own path. */
  readonly action: string;
  readonly nonce: string;
  /** Why the last POST did nothing. */
  readonly error?: ExpiredLinkError;
};

/** The act of the page's one button. */
export const renewAct = "renew";

const Offer = ({ action, nonce }: { action: string; nonce: string }) => (
  <form method="post" action={action} accept-charset="utf-8" autocomplete="off">
    <input type="hidden" name={formFields.nonce} value={nonce} />
    <p>{words.offer}</p>
    <button type="submit" name={formFields.act} value={renewAct}>
      {words.renew}
    </button>
  </form>
);

/** For 410, and for a request for a new link that did nothing. */
export const renderExpiredLinkPage = ({ cspNonce, untilSeconds, state, open, action, nonce, error }: ExpiredLinkPageInput): string => {
  const waits = state === "open" || state === "voted";
  return asHtml(
    <Document title={words.title} cspNonce={cspNonce}>
      <h1>{words.title}</h1>
      {error === undefined ? null : (
        <section class="problem" role="alert" tabindex={-1} autofocus>
          <p>{words.problems[error]}</p>
        </section>
      )}
      <p class="lead">{words.states[state]}</p>
      <p>{fill(words.until, { until: reviewWords.time(untilSeconds * 1_000) })}</p>
      {open ? <Offer action={action} nonce={nonce} /> : waits ? <p>{words.unsendable}</p> : null}
    </Document>,
  );
};

/** For 200: the new link was sent. `channel` names where, never the address. */
export const renderLinkSentPage = ({ cspNonce, channel }: { cspNonce: string; channel: LinkChannel }): string =>
  asHtml(
    <Document title={words.sent.title} cspNonce={cspNonce}>
      <h1>{words.sent.title}</h1>
      <p>{fill(words.sent.lead, { channel: words.sent.channels[channel] })}</p>
    </Document>,
  );
