// The email of a test of a reviewer's channel.

import { type TestInput, testWordsOf } from "../../shared/channels/channel-test.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { wordsOf } from "../../shared/channels/words/words.ts";
import { inLanguage, useWords } from "./language.ts";
import { type MailContent, mailPage, mailStyles } from "./mail.tsx";

export const testMail = (asked: TestInput, language: Language): MailContent => {
  const { title, text } = testWordsOf(asked, language);
  return inLanguage(wordsOf(language), () => ({
    subject: title,
    text: `${title}\n\n${text}\n`,
    html: mailPage(
      title,
      <>
        <h1 style={mailStyles.title}>{title}</h1>
        <p style={mailStyles.line}>{text}</p>
      </>,
    ),
    language: useWords().page.lang,
  }));
};
