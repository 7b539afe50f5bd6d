// The words of everything that reviewers read, by language. A second language is one more catalogue of the same shape: a missing
// word does not compile.
//
// Some English is made elsewhere. In JSON by contract: the `why` of an omission's note (shared/provider/), the words for vectors
// (shared/review/vectors.ts), and a model's reason, whose function the catalogue uses (`whySentence`). Names of invisible characters are
// Unicode's (shared/invisible-characters.ts), and what the reader of JSON says of an edited object is what a client gets, too.

import { emailEn } from "./en/email-en.ts";
import { pageEn } from "./en/page-en.ts";
import { reviewEn } from "./en/review-en.ts";
import { slackEn } from "./en/slack-en.ts";

/** `review`: what every channel says in the same words. The others: what each says in its own. */
const en = { review: reviewEn, page: pageEn, email: emailEn, slack: slackEn };

/** The same members with any words in them. */
type InAnyWords<Said> = Said extends string
  ? string
  : Said extends (...values: infer Values) => infer Told
    ? (...values: Values) => InAnyWords<Told>
    : { readonly [Name in keyof Said]: InAnyWords<Said[Name]> };

export type Words = InAnyWords<typeof en>;

export const catalogues: { readonly [language: string]: Words; readonly en: Words } = { en };

/** The words of notices and pages. A reviewer's `language` has no effect yet: there is one catalogue. */
export const { review: reviewWords, page: pageWords, email: emailWords, slack: slackWords } = catalogues.en;
