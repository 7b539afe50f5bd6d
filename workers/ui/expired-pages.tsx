// The pages of a link whose time is over: how the review stands, without its content and without a name, and a button for a
// new link. They decide nothing, and never show an address.

import type { LinkChannel } from "../../shared/notice-channels.ts";
import { formFields } from "../../shared/review/form.ts";
import type { ReviewState } from "../../shared/review/view.ts";
import { asHtml, Document } from "./document.tsx";
import { timeWords } from "./review-words.ts";
import { fill } from "./sentence.tsx";

type Problem = "early" | "late" | "forged" | "decided" | "tooOften";

const words = {
  title: "This link’s time is over",
  until: "The link was valid until {until}, so that an old mail or message opens nothing.",
  states: {
    open: "The review still waits. Nobody has decided it.",
    voted: "The review still waits: more people have to approve it.",
    approved: "The review is over: it was approved.",
    denied: "The review is over: it was denied.",
    expired: "The review is over: nobody decided in time, and that counted as a no.",
    cancelled: "The review is over: the request was withdrawn.",
    failed: "The review is over: it could not be carried out.",
  } satisfies Record<ReviewState["kind"], string>,
  unsendable: "A new link cannot be sent for it. Ask whoever runs this Countersign.",
  offer: "A new link can be sent to you, the same way as this one and to the address on file only. This one then stays dead.",
  renew: "Send me a new link",
  problems: {
    early: "That was quicker than a person reads. Nothing was sent; press the button again.",
    late: "This page was open for more than half an hour. Nothing was sent; press the button again.",
    forged: "That form was not made for this page. Nothing was sent; press the button again.",
    decided: "Your answer came after the link’s time. Nothing was decided by it.",
    tooOften: "A new link is sent three times an hour at most. Nothing was sent; try again later.",
  } satisfies Record<Problem, string>,
  sent: {
    title: "A new link is on its way",
    lead: "It was sent {channel}, to the address on file. It may take a minute. You can close this page.",
    channels: {
      email: "by email",
      slack: "in Slack",
      webhook: "through your webhook",
      outbox: "to the gateway’s list of notices, which its operator can read",
    } satisfies Record<LinkChannel, string>,
  },
} as const;

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
  readonly problem?: Problem;
};

export type ExpiredLinkProblem = Problem;

/** What the one button of the expired link's page asks for. */
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

/** For 410, and for what was wrong with a wish for a new link. */
export const renderExpiredLinkPage = ({ cspNonce, untilSeconds, state, open, action, nonce, problem }: ExpiredLinkPageInput): string => {
  const waits = state === "open" || state === "voted";
  return asHtml(
    <Document title={words.title} cspNonce={cspNonce}>
      <h1>{words.title}</h1>
      {problem === undefined ? null : (
        <section class="problem" role="alert" tabindex={-1} autofocus>
          <p>{words.problems[problem]}</p>
        </section>
      )}
      <p class="lead">{words.states[state]}</p>
      <p>{fill(words.until, { until: timeWords(untilSeconds * 1_000) })}</p>
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
