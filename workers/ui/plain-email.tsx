// Emails about no review: the test of a reviewer's channel, and what operators are told.

import { type PlainInput, plainWordsOf } from "../../shared/channels/plain-message.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { wordsOf } from "../../shared/channels/words/words.ts";
import { inLanguage, useWords } from "./language.ts";
import { type EmailContent, emailPage, emailStyles } from "./review-email.tsx";

export const plainEmail = (said: PlainInput, language: Language): EmailContent => {
  const { title, text, link } = plainWordsOf(said, language);
  return inLanguage(wordsOf(language), () => ({
    subject: title,
    text: `${[title, text, ...(link === null ? [] : [`${link.label}: ${link.url}`])].join("\n\n")}\n`,
    html: emailPage(
      title,
      <>
        <h1 style={emailStyles.title}>{title}</h1>
        <p style={emailStyles.line}>{text}</p>
        {link === null ? null : (
          <p style={emailStyles.line}>
            <a href={link.url}>{link.label}</a>
          </p>
        )}
      </>,
    ),
    language: useWords().page.lang,
  }));
};
