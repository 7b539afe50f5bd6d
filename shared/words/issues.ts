// What is wrong with a document of the configuration, before it is in a language.

import { issuesEn } from "./en/issues-en.ts";
import { type Phrase, phraseText } from "./text.ts";

export type IssuePhrase = Phrase<typeof issuesEn>;

/** What is said without a value: also the message of a schema's own check. */
export type IssueKey = Extract<IssuePhrase, { readonly values?: never }>["key"];

export const isIssueKey = (message: string): message is IssueKey => Object.hasOwn(issuesEn, message);

/** For the API and the doctor. */
export const issueText = (says: IssuePhrase): string => phraseText(says, issuesEn, "en-GB") ?? says.key;
