// The email that says that a review needs no decision any more, because the key of its request
// ended: subject, text and HTML. It has nothing of the content.

import type { KeyEnd } from "../../shared/model/gate.ts";
import { unreachable } from "../../shared/result.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { reviewFacts } from "../../shared/review/review-facts.ts";
import { asksOf } from "./request-kind-words.ts";
import { type EmailContent, inHtml, inText, emailPage, emailStyles, subjectOf } from "./review-email.tsx";
import { outsideName } from "../../shared/channels/plain-text.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { type Words, wordsOf } from "../../shared/channels/words/words.ts";
import { inLanguage, useWords } from "./language.ts";
import { fill } from "./sentence.tsx";

export type EndedEmailInput = {
  readonly view: ReviewView;
  readonly language: Language;
  readonly keyEnd: KeyEnd;
  /** The reviewer's personal link. */
  readonly url: string;
};

export const endedEmail = (input: EndedEmailInput): EmailContent => inLanguage(wordsOf(input.language), () => emailInWords(input));

function emailInWords({ view, keyEnd, url }: EndedEmailInput): EmailContent {
  const all = useWords();
  const { ended: words, facts } = all.email;
  const subject = subjectOf(view);
  const why = fill(whyOf(keyEnd, words), { reviewer: outsideName(view.reviewer, all) }).join("");
  const { server, client, method, name } = view.requestor;
  const asks = (show: typeof inHtml) =>
    fill(asksOf(reviewFacts(view), all).sentence, { server: show(server), client: show(client), method: show(method), name: show(name) });
  const lines = [
    words.title,
    "",
    why,
    words.nothing,
    "",
    `${facts.requestor}${all.review.marks.colon}${asks(inText).join("")}`,
    `${facts.run}${all.review.marks.colon}${inText(view.run)}`,
    "",
    `${words.page}${all.review.marks.colon.trim()}`,
    url,
  ];
  const page = emailPage(
    subject,
    <>
      <h1 style={emailStyles.title}>{words.title}</h1>
      <p style={emailStyles.line}>
        {why} {words.nothing}
      </p>
      <p style={emailStyles.line}>
        <b>
          {facts.requestor}
          {all.review.marks.colon}
        </b>
        {asks(inHtml)}
      </p>
      <p style={emailStyles.line}>
        <b>
          {facts.run}
          {all.review.marks.colon}
        </b>
        {inHtml(view.run)}
      </p>
      <p style={emailStyles.line}>
        <a href={url}>{words.page}</a>
      </p>
    </>,
  );
  return { subject, text: `${lines.join("\n")}\n`, html: page, language: all.page.lang };
}

function whyOf(keyEnd: KeyEnd, words: Words["email"]["ended"]): string {
  switch (keyEnd) {
    case "keyRevoked":
      return words.keyRevoked;
    case "keyExpired":
      return words.keyExpired;
    default:
      return unreachable(keyEnd);
  }
}
