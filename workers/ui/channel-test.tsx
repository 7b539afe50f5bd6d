// The test of a reviewer's channel: what the message says in each channel, and what became of it.

import { outsideName } from "../../shared/channels/plain-text.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { wordsOf } from "../../shared/channels/words/words.ts";
import type { LinkChannel, NoticeError } from "../../shared/notice-channels.ts";
import { channelTestWords } from "./channel-test-words.ts";
import { inLanguage, useWords } from "./language.ts";
import { type MailContent, mailPage, mailStyles } from "./mail.tsx";

/** `gateway`: its address, by which the reader knows who sends it. */
export type AskedTest = { readonly reviewer: string; readonly gateway: string };

/** The message, in two plain texts. */
export type TestWords = { readonly title: string; readonly text: string };

export type TestResult = { readonly channel: LinkChannel; readonly state: "sent" | NoticeError };

export function testWordsOf({ reviewer, gateway }: AskedTest, language: Language): TestWords {
  const { title, text } = channelTestWords[language].message;
  const places: Readonly<Record<string, string>> = { reviewer: outsideName(reviewer, wordsOf(language)), gateway };
  return { title, text: text.replaceAll(/\{(\w+)\}/g, (_, name: string) => places[name] ?? "") };
}

export const testMail = (asked: AskedTest, language: Language): MailContent => {
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

/** What became of a test, and what to do where it failed. */
export function testResultWords({ channel, state }: TestResult, language: Language): string {
  const { sent, failed, failedThere, names } = channelTestWords[language];
  return state === "sent" ? sent[channel] : (failedThere[channel]?.[state] ?? failed[state]).replaceAll("{channel}", names[channel]);
}
