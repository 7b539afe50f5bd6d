// Every email, by its kind: what a channel asks the pages Worker for.

import type { TestInput } from "../../shared/channels/channel-test.ts";
import type { DigestEntry } from "../../shared/channels/digest-content.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { unreachable } from "../../shared/result.ts";
import { type BudgetMailInput, budgetMail } from "./budget-mail.tsx";
import { digestMail } from "./digest-mail.tsx";
import { type EndedMailInput, endedMail } from "./ended-mail.tsx";
import { type SignInMailInput, signInMail } from "./inbox/sign-in-mail.tsx";
import { type MailContent, type MailInput, reviewMail } from "./mail.tsx";
import { testMail } from "./test-mail.tsx";

export type AskedMail =
  | { readonly kind: "review"; readonly input: MailInput }
  | { readonly kind: "ended"; readonly input: EndedMailInput }
  | { readonly kind: "digest"; readonly entries: readonly DigestEntry[]; readonly language: Language }
  | ({ readonly kind: "budget" } & BudgetMailInput)
  | ({ readonly kind: "test"; readonly language: Language } & TestInput)
  | { readonly kind: "signIn"; readonly input: SignInMailInput };

export function renderMail(asked: AskedMail): MailContent {
  switch (asked.kind) {
    case "review":
      return reviewMail(asked.input);
    case "ended":
      return endedMail(asked.input);
    case "digest":
      return digestMail(asked.entries, asked.language);
    case "budget":
      return budgetMail(asked);
    case "test":
      return testMail(asked, asked.language);
    case "signIn":
      return signInMail(asked.input);
    default:
      return unreachable(asked);
  }
}
