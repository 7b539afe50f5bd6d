// The email of a test of a reviewer's channel.

import { type TestInput, testWordsOf } from "../../shared/channels/channel-test.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { wordsOf } from "../../shared/channels/words/words.ts";
import { inLanguage, useWords } from "./language.ts";
import { type EmailContent, emailPage, emailStyles } from "./review-email.tsx";

export const testEmail = (asked: TestInput, language: Language): EmailContent => {
  const { title, text } = testWordsOf(asked, language);
  return inLanguage(wordsOf(language), () => ({
    subject: title,
    text: `${title}\n\n${text}\n`,
    html: emailPage(
      title,
      <>
        <h1 style={emailStyles.title}>{title}</h1>
        <p style={emailStyles.line}>{text}</p>
      </>,
    ),
    language: useWords().page.lang,
  }));
};
