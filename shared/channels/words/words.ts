// The words of everything that reviewers read, by language. A second language is one more catalogue of the same shape: a missing
// word does not compile.
//
// Some English is made elsewhere. In JSON by contract: the `why` of an omission's note (shared/provider/), the words for vectors
// (shared/review/vectors.ts), and a model's reason, whose function the catalogue uses (`whySentence`). Names of invisible characters are
// Unicode's (shared/invisible-characters.ts), and what the reader of JSON says of an edited object is what a client gets, too.

import { emailEn } from "./en/email-en.ts";
import { inboxEn } from "./en/inbox-en.ts";
import { pageEn } from "./en/page-en.ts";
import { reviewEn } from "./en/review-en.ts";
import { slackEn } from "./en/slack-en.ts";
import { teamsEn } from "./en/teams-en.ts";
import type { PluralForms } from "./plural-forms.ts";
import { emailZh } from "./zh/email-zh.ts";
import { inboxZh } from "./zh/inbox-zh.ts";
import { pageZh } from "./zh/page-zh.ts";
import { reviewZh } from "./zh/review-zh.ts";
import { slackZh } from "./zh/slack-zh.ts";
import { teamsZh } from "./zh/teams-zh.ts";

/** `review`: what every channel says in the same words. The others: what each says in its own. */
const en = { review: reviewEn, page: pageEn, inbox: inboxEn, email: emailEn, slack: slackEn, teams: teamsEn };
const zhCN = { review: reviewZh, page: pageZh, inbox: inboxZh, email: emailZh, slack: slackZh, teams: teamsZh };

/** The same members with any words in them; of plurals those that the language has. */
type InAnyWords<Said> = Said extends string
  ? string
  : Said extends (...values: infer Values) => infer Told
    ? (...values: Values) => InAnyWords<Told>
    : Said extends { readonly one: string; readonly other: string }
      ? PluralForms
      : { readonly [Name in keyof Said]: InAnyWords<Said[Name]> };

export type Words = InAnyWords<typeof en>;

export const catalogues = { en, "zh-CN": zhCN } as const satisfies Readonly<Record<string, Words>>;

/** A language that has a catalogue. */
export type Language = keyof typeof catalogues;

export const wordsOf = (language: Language): Words => catalogues[language];

/**
 * The catalogue for a language tag (BCP 47). Chinese is simplified where its script is: written in the tag, or else the usual one of its
 * country (`Intl.Locale`), so `zh`, `zh-CN`, `zh-Hans` and `zh-SG`. Traditional Chinese (`zh-Hant`, `zh-TW`, `zh-HK`, `zh-MO`) has no
 * catalogue: its readers get the next language that they want, or English, and not a script that they did not ask for.
 */
function languageOfTag(tag: string): Language | undefined {
  const { language, script } = localeOf(tag) ?? {};
  if (language === "zh") return script === "Hans" ? "zh-CN" : undefined;
  return language === "en" ? "en" : undefined;
}

function localeOf(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag).maximize();
  } catch {
    // Not a tag: `*`, or anything that a browser's header may hold.
    return undefined;
  }
}

/** The tags of an Accept-Language header, the most wanted first (RFC 9110, 12.5.4). */
const wantedTags = (header: string): string[] =>
  header
    .split(",")
    .map((range) => {
      const [tag = "", weight] = range.split(";");
      return { tag: tag.trim(), weight: weight === undefined ? 1 : Number(/^\s*q=([01](?:\.\d{0,3})?)\s*$/i.exec(weight)?.[1] ?? 0) };
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag);

/**
 * The language for a reader: that of the reviewer's `language`, a tag as a policy has it; or else the first of `acceptLanguage` that has a
 * catalogue; or else English.
 */
export const languageFor = (reviewer: string | undefined, acceptLanguage?: string | null): Language =>
  [...(reviewer === undefined ? [] : [reviewer]), ...wantedTags(acceptLanguage ?? "")]
    .map(languageOfTag)
    .find((each) => each !== undefined) ?? "en";
