// The email that says how much of a budget is used, to the operators whom the budget names. It has
// nothing of any request.

import { nanosInUsd } from "../../shared/budget/budgets.ts";
import { outsideName } from "../../shared/channels/plain-text.ts";
import { wordsOf } from "../../shared/channels/words/words.ts";
import type { OperatorFact } from "../../shared/record/record.ts";
import { paths } from "../platform/urls.ts";
import { inLanguage, useWords } from "./language.ts";
import { type EmailContent, emailPage, emailStyles } from "./review-email.tsx";
import { fill } from "./sentence.tsx";

export type BudgetEmailInput = Omit<Extract<OperatorFact, { readonly kind: "budgetReached" }>, "kind">;

/** In English: a budget's addresses have no language. */
export const budgetEmail = (input: BudgetEmailInput): EmailContent => inLanguage(wordsOf("en"), () => emailInWords(input));

function emailInWords({ budget, part, unit, limit, per, since, percent }: BudgetEmailInput): EmailContent {
  const all = useWords();
  const words = all.email.budget;
  const said = (sentence: string, values: Readonly<Record<string, string>>): string => fill(sentence, values).join("");
  const number = unit === "usd" ? String(limit / nanosInUsd) : String(limit);
  const amount = said(words[per], { amount: said(words[unit], { number }) });
  const subject = said(words.subject, { used: String(percent), budget });
  const lines = [
    said(words.lead, { used: String(percent), budget, amount, since: since.slice(0, 10) }),
    ...(part === null ? [] : [said(words.part, { part: outsideName(part, all) })]),
    percent >= 100 ? words.full : words.soon,
    said(words.where, { spend: paths.admin.spend, budgets: paths.admin.budgets }),
  ];
  const html = emailPage(
    subject,
    <>
      <h1 style={emailStyles.title}>{subject}</h1>
      {lines.map((line) => (
        <p style={emailStyles.line}>{line}</p>
      ))}
    </>,
  );
  return { subject, text: `${[subject, ...lines].join("\n\n")}\n`, html, language: all.page.lang };
}
