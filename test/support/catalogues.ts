// Every catalogue of words, in both languages.

import { readdirSync } from "node:fs";
import { emailChannelWords } from "../../shared/channels/email/email-channel-words.ts";
import { outboxChannelWords } from "../../shared/channels/outbox/outbox-channel-words.ts";
import { pushChannelWords } from "../../shared/channels/push/push-channel-words.ts";
import { subjectsEn } from "../../shared/channels/words/en/kinds-en.ts";
import { subjectsZh } from "../../shared/channels/words/zh/kinds-zh.ts";
import { ruleWords } from "../../shared/channels/rules/rule-words.ts";
import { slackChannelWords } from "../../shared/channels/slack/slack-channel-words.ts";
import { ntfyChannelWords } from "../../shared/channels/ntfy/ntfy-channel-words.ts";
import { telegramChannelWords } from "../../shared/channels/telegram/telegram-channel-words.ts";
import { teamsChannelWords } from "../../shared/channels/teams/teams-channel-words.ts";
import { webhookChannelWords } from "../../shared/channels/webhook/webhook-channel-words.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { catalogues } from "../../shared/channels/words/words.ts";
import { causesEn } from "../../shared/record/causes-en.ts";
import { causesZh } from "../../shared/record/causes-zh.ts";
import { doctorEn } from "../../shared/words/en/doctor-en.ts";
import { issuesEn } from "../../shared/words/en/issues-en.ts";
import { reasonsEn } from "../../shared/words/en/reasons-en.ts";
import { findingsZh } from "../../shared/words/zh/findings-zh.ts";

export type Said = string | ((...values: never[]) => unknown) | readonly Said[] | { readonly [name: string]: Said };
type InBoth = Readonly<Record<Language, Said>>;

const ui = new URL("../../workers/ui/", import.meta.url);

/** Those of the console's pages, by their path in workers/ui. */
export const consoleCatalogues: Readonly<Record<string, InBoth>> = Object.fromEntries(
  await Promise.all(
    readdirSync(ui, { recursive: true, encoding: "utf8" })
      .filter((path) => /^console\/.*-words\.ts$/.test(path))
      .map(async (path) => [path, Object.values((await import(new URL(path, ui).href)) as Record<string, InBoth>)[0]!] as const),
  ),
);

function textsIn(words: (typeof catalogues)[Language]): Said {
  const { numbers: _, ...texts } = words;
  return texts;
}

export const allCatalogues: Readonly<Record<string, InBoth>> = {
  "pages, emails and notices": { en: textsIn(catalogues.en), "zh-CN": textsIn(catalogues["zh-CN"]) },
  phrases: { en: { ...reasonsEn, ...issuesEn, ...doctorEn }, "zh-CN": findingsZh },
  causes: { en: causesEn, "zh-CN": causesZh },
  rules: ruleWords,
  subjects: { en: subjectsEn, "zh-CN": subjectsZh },
  email: emailChannelWords,
  Slack: slackChannelWords,
  Teams: teamsChannelWords,
  ntfy: ntfyChannelWords,
  Telegram: telegramChannelWords,
  webhook: webhookChannelWords,
  push: pushChannelWords,
  outbox: outboxChannelWords,
  ...consoleCatalogues,
};

/** Every text by its path. */
export function textsOf(said: Said, path = ""): (readonly [string, string])[] {
  if (typeof said === "function") return [];
  if (typeof said === "string") return [[path, said]];
  // Of plurals the one that every language has (`PluralForms`).
  if ("other" in said && Object.keys(said).every((form) => form === "one" || form === "other")) return textsOf(said["other"]!, path);
  return Object.entries(said).flatMap(([name, each]) => textsOf(each, `${path}/${name}`));
}
