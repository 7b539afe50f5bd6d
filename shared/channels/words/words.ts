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

/** `review`: what every channel says in the same words. The others: what each says in its own. */
const en = { review: reviewEn, page: pageEn, inbox: inboxEn, email: emailEn, slack: slackEn, teams: teamsEn };

/** The same members with any words in them. */
type InAnyWords<Said> = Said extends string
  ? string
  : Said extends (...values: infer Values) => infer Told
    ? (...values: Values) => InAnyWords<Told>
    : { readonly [Name in keyof Said]: InAnyWords<Said[Name]> };

export type Words = InAnyWords<typeof en>;

export const catalogues = { en } as const satisfies Readonly<Record<string, Words>>;

/** A language that has a catalogue. */
export type Language = keyof typeof catalogues;

export const wordsOf = (language: Language): Words => catalogues[language];

/** By the first part of a language tag. */
const languages: Readonly<Record<string, Language>> = { en: "en" };

const languageOfTag = (tag: string): Language | undefined => languages[tag.split("-", 1)[0]?.toLowerCase() ?? ""];

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
