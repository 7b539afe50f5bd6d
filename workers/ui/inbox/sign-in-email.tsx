// The email with the link that signs a reviewer in to their inbox. It has nothing of any review.

import { languageFor } from "../../../shared/channels/words/languages.ts";
import { wordsOf } from "../../../shared/channels/words/words.ts";
import { inLanguage, useWords } from "../language.ts";
import { type EmailContent, emailPage, emailStyles } from "../review-email.tsx";

export type SignInEmailInput = {
  readonly url: string;
  /** The reviewer's language tag, as the policy has it. */
  readonly language: string | null;
};

export const signInEmail = (input: SignInEmailInput): EmailContent =>
  inLanguage(wordsOf(languageFor(input.language ?? undefined)), () => emailInWords(input));

function emailInWords({ url }: SignInEmailInput): EmailContent {
  const { email, inbox, page } = useWords();
  const { subject, lead, limit, ignore } = email.signIn;
  const html = emailPage(
    subject,
    <>
      <h1 style={emailStyles.title}>{subject}</h1>
      <p style={emailStyles.line}>{lead}</p>
      <p style={emailStyles.line}>
        <a href={url}>
          <b>{inbox.enter.button}</b>
        </a>
      </p>
      <p style={emailStyles.line}>{limit}</p>
      <p style={emailStyles.line}>{ignore}</p>
    </>,
  );
  return { subject, text: `${[subject, "", lead, "", url, "", limit, "", ignore].join("\n")}\n`, html, language: page.lang };
}
