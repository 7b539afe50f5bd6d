// The pages of an expired link: the review's state, without its content or a name, and a button for
// a new link. They decide nothing, and never show an address.

import type { LinkChannel } from "../../shared/notice-channels.ts";
import { formFields, renewAct } from "../../shared/review/form.ts";
import type { ReviewState } from "../../shared/review/view.ts";
import { PlainDocument } from "./document.tsx";
import { channelWords } from "./channel-registry.ts";
import { useLanguage, useWords } from "./language.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { Time } from "./names.tsx";
import { fill } from "./sentence.tsx";

/** Why the last request for a new link did nothing. */
export type ExpiredLinkError = keyof Words["page"]["expiredLink"]["problems"];

/** For 410, and for a request for a new link that did nothing. */
export type ExpiredLinkPageInput = {
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

const Offer = ({ action, nonce }: { action: string; nonce: string }) => {
  const { expiredLink: words } = useWords().page;
  return (
    <form method="post" action={action} accept-charset="utf-8" autocomplete="off">
      <input type="hidden" name={formFields.nonce} value={nonce} />
      <p>{words.offer}</p>
      <button type="submit" name={formFields.act} value={renewAct} class="btn yes">
        {words.renew}
      </button>
    </form>
  );
};

export const ExpiredLinkPage = ({
  cspNonce,
  untilSeconds,
  state,
  open,
  action,
  nonce,
  error,
}: ExpiredLinkPageInput & { cspNonce: string }) => {
  const { expiredLink: words } = useWords().page;
  const waits = state === "open" || state === "voted";
  const until = untilSeconds * 1_000;
  return (
    <PlainDocument title={words.title} cspNonce={cspNonce}>
      {error === undefined ? null : (
        <section class="note bad problem" role="alert" tabindex={-1} autofocus>
          <p>{words.problems[error]}</p>
        </section>
      )}
      <section class="note mind">
        <div>
          <p>{words.states[state]}</p>
          <p>{fill(words.until, { until: <Time at={until} now={until} /> })}</p>
        </div>
      </section>
      {open ? <Offer action={action} nonce={nonce} /> : waits ? <p>{words.unsendable}</p> : null}
    </PlainDocument>
  );
};

/** For 200: the new link was sent. `channel` names where, never the address. */
export type LinkSentPageInput = { readonly channel: LinkChannel };

export const LinkSentPage = ({ channel, cspNonce }: LinkSentPageInput & { cspNonce: string }) => {
  const { sent } = useWords().page.expiredLink;
  return (
    <PlainDocument title={sent.title} cspNonce={cspNonce}>
      <p>{fill(sent.lead, { channel: channelWords(channel, useLanguage()).sentBy })}</p>
    </PlainDocument>
  );
};
