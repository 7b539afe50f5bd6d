// What a review page says after a form that did not count, and the pages without a review, in
// English.

import type { ReviewState } from "../../../review/view.ts";

export const pageAnswersEn = {
  /** The message on top of the page after a decision that did not count. */
  answers: {
    sentBefore: "This form was sent before. Nothing more was decided; this page shows the current state.",
    stale: "The content changed while you were reading. This is the new version; please read it before you decide.",
    staleChanges: "The content changed while you were reading. This is the new version; your changes were for the old one.",
    notAReviewer: "You are not among the reviewers of this request.",
    invalidEdit: "Some of your changes cannot be sent. Nothing was decided.",
    cannotBe: { request: "Some of your changes cannot be sent.", response: "Some of your changes cannot be delivered." },
    unseenChanges:
      "Nothing was decided: the page that you approved did not show your changes. They are shown below; check them, then approve.",
    twoChoices:
      "Nothing was decided: this page has a reply that you wrote, and something that goes to the model. Choose one of the two. To send your reply, undo your other changes and press the button below it. To approve the request, empty the field of your reply first.",
    cannotLift: "Nothing was changed: you may not lift this redaction, or its text was edited since.",
    giveUp: {
      ownRequest: "This is your own request, so you cannot choose who decides it. You can say that it is not yours.",
      ownReply: "You wrote this reply, so you cannot choose who decides it. You can say that it is not yours.",
      left: "You left this review before. Nothing was changed.",
      hasApproved: "You have approved this, and your approval stands. You can still deny it.",
      isAskedAlready: "That person is already asked. Nothing was changed; you are still asked too.",
      noSuchReviewer: "That person cannot be asked here. Nothing was changed; you are still asked.",
      unreachable: "That person cannot be reached by any channel, or may not approve this. Nothing was changed; you are still asked.",
    },
    noGrant: {
      title: "Nothing was decided: later requests cannot be allowed here.",
      message:
        "Later requests can be allowed only with an approval without changes and with the first model. Press Approve to approve only this one, or undo your changes.",
    },
    uses: {
      title: "Nothing was decided: the number of later requests is not valid.",
      message: "How many times at most: write a whole number from 1 to {most}.",
    },
    passkey: {
      missing: "An approval needs your passkey. Nothing was decided: press the button again.",
      none: "An approval needs your passkey, and you have none. Nothing was decided: add one in your inbox.",
      failed: "No passkey of yours confirmed this decision as it was sent. Nothing was decided: press the button again.",
      late: "You confirmed with your passkey more than five minutes ago. Nothing was decided: press the button again.",
      unreachable: "Your passkey could not be checked. Nothing was decided: try again in a minute, or ask the operator.",
    },
    nonce: {
      early: "The button was pressed too soon after the page opened. Nothing was decided; read everything, then press it again.",
      late: "This page was open for more than half an hour. Nothing was decided; your changes are still here. Look again, then decide.",
      forged: "This form does not belong to this page. Nothing was decided; look again, then decide.",
    },
  },
  /** The pages of an expired link. */
  expiredLink: {
    title: "This link has expired",
    until: "The link was valid until {until}.",
    states: {
      open: "The review is still open. Nobody has decided it.",
      voted: "The review is still open: more people have to approve it.",
      approved: "The review is over: it was approved.",
      denied: "The review is over: it was denied.",
      expired: "The review is over: nobody decided in time, so it was denied automatically.",
      cancelled: "The review is over: the request was withdrawn.",
      failed: "The review is over: the request failed.",
    } satisfies Record<ReviewState["kind"], string>,
    unsendable: "A new link cannot be sent for it. Ask the operator of this Countersign.",
    offer: "A new link can be sent to you, through the same channel and to the address on file only. This link stays expired.",
    renew: "Send me a new link",
    problems: {
      early: "The button was pressed too soon after the page opened. Nothing was sent; press it again.",
      late: "This page was open for more than half an hour. Nothing was sent; press the button again.",
      forged: "This form does not belong to this page. Nothing was sent; press the button again.",
      decided: "Your answer came after the link expired. It did not count.",
      tooOften: "At most three new links are sent in an hour. Nothing was sent; try again later.",
    },
    sent: {
      title: "A new link is on its way",
      lead: "It was sent {channel}, to the address on file. It may take a minute. You can close this page.",
    },
  },
  /** The pages without a review. */
  plain: {
    noSuchLink: {
      title: "There is nothing at this link",
      lead: "The address is incomplete, or the review is no longer stored.",
      help: "If you came from an email or a message, open the link there again. Some programs cut long addresses in two: then copy the whole address. If that does not help, ask the operator of this Countersign for a new link.",
    },
    problems: {
      badRequest: {
        title: "That could not be read",
        lead: "The form is not one that this page sends. Nothing was decided.",
      },
      crossSite: {
        title: "This form came from another site",
        lead: "Decisions are accepted only from the review page itself. Nothing was decided. Open the link from your email or message again, and decide there.",
      },
      tooLarge: {
        title: "That is too large",
        lead: "The form is larger than this page accepts. Nothing was decided. Shorten your changes, or deny the request.",
      },
      wrongType: { title: "That is not a form", lead: "This address accepts only the review page’s own form. Nothing was decided." },
      tooMany: { title: "Too many tries", lead: "Nothing was decided. Wait a minute, then open the link again." },
      fault: {
        title: "Something went wrong here",
        lead: "The gateway had an error. Open the link again to see whether anything was decided.",
      },
    },
    quote: "If you ask for help, quote this: ",
  },
} as const;
