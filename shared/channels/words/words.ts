// All words that people read, by language: pages, emails and notices. A second language is one more
// catalogue of the same shape: a missing word does not compile. The pages Worker has all of them,
// and the gateway none.
//
// Some English is made elsewhere. In JSON by contract: the `why` of an omission's note
// (shared/provider/), the words for vectors (shared/review/vectors.ts), and a model's reason
// (`whySentence`). Names of invisible characters are Unicode's
// (shared/invisible-characters.ts), and what the reader of JSON says of an edited object is what a
// client gets, too. The page of the HTTP API (workers/ui/openapi/) is in English alone, as the
// description is that it shows.

import { emailEn } from "./en/email-en.ts";
import { inboxEn } from "./en/inbox-en.ts";
import { pageEn } from "./en/page-en.ts";
import { pageReceiptEn } from "./en/page-receipt-en.ts";
import type { Language } from "./languages.ts";
import { type InAnyWords, noticeCatalogues } from "./notice-words.ts";
import { emailZh } from "./zh/email-zh.ts";
import { inboxZh } from "./zh/inbox-zh.ts";
import { pageZh } from "./zh/page-zh.ts";
import { pageReceiptZh } from "./zh/page-receipt-zh.ts";

const en = { ...noticeCatalogues.en, page: pageEn, receipt: pageReceiptEn, inbox: inboxEn, email: emailEn };
const zhCN = { ...noticeCatalogues["zh-CN"], page: pageZh, receipt: pageReceiptZh, inbox: inboxZh, email: emailZh };

export type Words = InAnyWords<typeof en>;

export const catalogues = { en, "zh-CN": zhCN } as const satisfies Readonly<Record<Language, Words>>;

export const wordsOf = (language: Language): Words => catalogues[language];
