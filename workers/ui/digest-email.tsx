// The email about several reviews at once: a line and a link for each. It has nothing of the
// content.

import type { DigestEntry } from "../../shared/channels/digest-content.ts";
import { type EmailContent, emailPage, emailStyles } from "./review-email.tsx";
import { warningsOf, whatOf } from "../../shared/channels/notice-line.ts";
import { outsideName, unlinked } from "../../shared/channels/plain-text.ts";
import { gateWords } from "../../shared/channels/fact-words.ts";
import { isQuestion } from "../../shared/review/review-facts.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { wordsOf } from "../../shared/channels/words/words.ts";
import { inLanguage, useWords } from "./language.ts";
import { fill, fillText } from "./sentence.tsx";

export const digestEmail = (entries: readonly DigestEntry[], language: Language): EmailContent =>
  inLanguage(wordsOf(language), () => emailInWords(entries));

function emailInWords(entries: readonly DigestEntry[]): EmailContent {
  const all = useWords();
  const { digest: words, rules } = all.email;
  const subject = fillText(all.review.digest, { n: entries.length });
  const reviewer = outsideName(entries[0]?.reviewer.name ?? "", all);
  const why = fill(words.why, { reviewer }).join("");
  const lines = [
    subject,
    "",
    why,
    ...entries.flatMap((entry) => [
      "",
      `${gateWords(entry.facts, all.review).link}${all.review.marks.colon}${whatIn(entry)}`,
      deadlineOf(entry),
      entry.url,
    ]),
    "",
    rules.personal,
    rules.reply,
  ];
  const html = emailPage(
    subject,
    <>
      <h1 style={emailStyles.title}>{subject}</h1>
      <p style={emailStyles.line}>{why}</p>
      {entries.map((entry) => (
        <p style={emailStyles.line}>
          <a href={entry.url}>
            <b>{gateWords(entry.facts, all.review).link}</b>
          </a>
          : <bdi>{whatIn(entry)}</bdi>
          <br />
          {deadlineOf(entry)}
        </p>
      ))}
      <div style={emailStyles.rules}>
        <p style={emailStyles.line}>{rules.personal}</p>
        <p style={emailStyles.line}>{rules.reply}</p>
      </div>
    </>,
  );
  return { subject, text: `${lines.join("\n")}\n`, html, language: all.page.lang };
}

/** What the review is about, without anything of which an email program makes a link. */
function whatIn({ facts }: DigestEntry): string {
  const words = useWords();
  return `${unlinked(whatOf(facts, words))}${warningsOf(facts, words)}`;
}

function deadlineOf({ facts: { requestKind, deadlineAt } }: DigestEntry): string {
  const { email, numbers } = useWords();
  const sentence = email.digest[isQuestion({ requestKind }) ? "answerDeadline" : "deadline"];
  return fillText(sentence, { deadline: numbers.time(deadlineAt) });
}
