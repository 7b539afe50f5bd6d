// The email with the link that signs a reviewer in to their inbox. It has nothing of any review.

import { languageFor } from "../../../shared/channels/words/languages.ts";
import { wordsOf } from "../../../shared/channels/words/words.ts";
import { inLanguage, useWords } from "../language.ts";
import { type MailContent, mailPage, mailStyles } from "../mail.tsx";

export type SignInMailInput = {
  readonly url: string;
  /** The reviewer's language tag, as the policy has it. */
  readonly language: string | null;
};

export const signInMail = (input: SignInMailInput): MailContent =>
  inLanguage(wordsOf(languageFor(input.language ?? undefined)), () => mailInWords(input));

function mailInWords({ url }: SignInMailInput): MailContent {
  const { inbox, page } = useWords();
  const { subject, lead, limit, ignore } = inbox.mail;
  const html = mailPage(
    subject,
    <>
      <h1 style={mailStyles.title}>{subject}</h1>
      <p style={mailStyles.line}>{lead}</p>
      <p style={mailStyles.line}>
        <a href={url}>
          <b>{inbox.enter.button}</b>
        </a>
      </p>
      <p style={mailStyles.line}>{limit}</p>
      <p style={mailStyles.line}>{ignore}</p>
    </>,
  );
  return { subject, text: `${[subject, "", lead, "", url, "", limit, "", ignore].join("\n")}\n`, html, language: page.lang };
}
