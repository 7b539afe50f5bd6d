// The words of Slack messages, messages to chats, push notices and the titles of webhooks. The
// gateway has none of them: the pages Worker makes them all.

import { excerptEn } from "./en/excerpt-en.ts";
import { numbersEn } from "./en/page-numbers-en.ts";
import { pushEn } from "./en/push-en.ts";
import { reviewEn } from "./en/review-en.ts";
import { slackEn } from "./en/slack-en.ts";
import { chatEn } from "./en/chat-en.ts";
import type { PlacesIn, Text } from "../../words/text.ts";
import type { Language } from "./languages.ts";
import type { PluralForms } from "./plural-forms.ts";
import { excerptZh } from "./zh/excerpt-zh.ts";
import { numbersZh } from "./zh/page-numbers-zh.ts";
import { pushZh } from "./zh/push-zh.ts";
import { reviewZh } from "./zh/review-zh.ts";
import { slackZh } from "./zh/slack-zh.ts";
import { chatZh } from "./zh/chat-zh.ts";

/**
 * `review`: what every channel and page says in the same words. `lang`: of `<html lang>` and of
 * cards. `numbers`: as the language writes them. The others: what each says in its own.
 */
const en = { lang: "en", numbers: numbersEn, review: reviewEn, excerpt: excerptEn, slack: slackEn, chat: chatEn, push: pushEn };
const zhCN = { lang: "zh-CN", numbers: numbersZh, review: reviewZh, excerpt: excerptZh, slack: slackZh, chat: chatZh, push: pushZh };

/** The same members with any words in them; of plurals those that the language has. */
export type InAnyWords<Said> = Said extends string
  ? Text<PlacesIn<Said>>
  : Said extends (...values: infer Values) => infer Told
    ? (...values: Values) => InAnyWords<Told>
    : Said extends { readonly one: string; readonly other: string }
      ? PluralForms
      : { readonly [Name in keyof Said]: InAnyWords<Said[Name]> };

export type NoticeWords = InAnyWords<typeof en>;

/** What says a review: the client has these alone, in English. */
export type ReviewWords = Pick<NoticeWords, "lang" | "numbers" | "review">;

export const noticeCatalogues = { en, "zh-CN": zhCN } as const satisfies Readonly<Record<Language, NoticeWords>>;

export const noticeWordsOf = (language: Language): NoticeWords => noticeCatalogues[language];
