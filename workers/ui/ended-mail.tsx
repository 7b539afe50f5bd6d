// The email that says that a review needs no decision any more, because the key of its request ended: subject, text and HTML. It has
// nothing of the content.

import type { KeyEnd } from "../../shared/model/gate.ts";
import { unreachable } from "../../shared/result.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { reviewFacts } from "../../shared/review/review-facts.ts";
import { asksOf } from "./asking-words.ts";
import { type MailContent, inHtml, inText, mailPage, mailStyles, subjectOf } from "./mail.tsx";
import { outsideName } from "./mail-text.ts";
import { emailWords } from "../../shared/channels/words/words.ts";
import { fill } from "./sentence.tsx";

const { ended: words, facts } = emailWords;

export type EndedMailInput = {
  readonly view: ReviewView;
  readonly keyEnd: KeyEnd;
  /** The reviewer's personal link. */
  readonly url: string;
};

export function endedMail({ view, keyEnd, url }: EndedMailInput): MailContent {
  const subject = subjectOf(view);
  const why = fill(whyOf(keyEnd), { reviewer: outsideName(view.reviewer) }).join("");
  const { server, client, method, name } = view.requestor;
  const asks = (show: typeof inHtml) =>
    fill(asksOf(reviewFacts(view)).sentence, { server: show(server), client: show(client), method: show(method), name: show(name) });
  const lines = [
    words.title,
    "",
    why,
    words.nothing,
    "",
    `${facts.requestor}: ${asks(inText).join("")}`,
    `${facts.run}: ${inText(view.run)}`,
    "",
    `${words.page}:`,
    url,
  ];
  const page = mailPage(
    subject,
    <>
      <h1 style={mailStyles.title}>{words.title}</h1>
      <p style={mailStyles.line}>
        {why} {words.nothing}
      </p>
      <p style={mailStyles.line}>
        <b>{facts.requestor}:</b> {asks(inHtml)}
      </p>
      <p style={mailStyles.line}>
        <b>{facts.run}:</b> {inHtml(view.run)}
      </p>
      <p style={mailStyles.line}>
        <a href={url}>{words.page}</a>
      </p>
    </>,
  );
  return { subject, text: `${lines.join("\n")}\n`, html: page };
}

function whyOf(keyEnd: KeyEnd): string {
  switch (keyEnd) {
    case "keyRevoked":
      return words.keyRevoked;
    case "keyExpired":
      return words.keyExpired;
    default:
      return unreachable(keyEnd);
  }
}
