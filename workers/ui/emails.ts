// Every email, by its kind: what a channel asks the pages Worker for.

import type { DigestEntry } from "../../shared/channels/digest-content.ts";
import type { PlainInput } from "../../shared/channels/plain-message.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { unreachable } from "../../shared/result.ts";
import { type BudgetEmailInput, budgetEmail } from "./budget-email.tsx";
import { digestEmail } from "./digest-email.tsx";
import { type EndedEmailInput, endedEmail } from "./ended-email.tsx";
import { type SignInEmailInput, signInEmail } from "./inbox/sign-in-email.tsx";
import { plainEmail } from "./plain-email.tsx";
import { type EmailContent, type ReviewEmailInput, reviewEmail } from "./review-email.tsx";

export type EmailRenderInput =
  | { readonly kind: "review"; readonly input: ReviewEmailInput }
  | { readonly kind: "ended"; readonly input: EndedEmailInput }
  | { readonly kind: "digest"; readonly entries: readonly DigestEntry[]; readonly language: Language }
  | ({ readonly kind: "budget" } & BudgetEmailInput)
  | { readonly kind: "plain"; readonly said: PlainInput; readonly language: Language }
  | { readonly kind: "signIn"; readonly input: SignInEmailInput };

export function renderEmail(asked: EmailRenderInput): EmailContent {
  switch (asked.kind) {
    case "review":
      return reviewEmail(asked.input);
    case "ended":
      return endedEmail(asked.input);
    case "digest":
      return digestEmail(asked.entries, asked.language);
    case "budget":
      return budgetEmail(asked);
    case "plain":
      return plainEmail(asked.said, asked.language);
    case "signIn":
      return signInEmail(asked.input);
    default:
      return unreachable(asked);
  }
}
