// What the Teams channel has the pages Worker make, by its kind. The values are plain, because they
// cross a service binding.

import { unreachable } from "../../result.ts";
import type { ReviewView } from "../../review/view.ts";
import { type PlainInput, plainWordsOf } from "../plain-message.ts";
import type { DigestEntry } from "../digest-content.ts";
import type { Language } from "../words/languages.ts";
import { noticeWordsOf } from "../words/notice-words.ts";
import {
  type TeamsCardInput,
  type TeamsMessage,
  briefTeamsCard,
  teamsCard,
  teamsDigest,
  teamsEnding,
  teamsReminder,
  teamsPlain,
} from "./teams-card.ts";

export type TeamsRenderInput =
  | { readonly kind: "review" | "brief" | "reminder"; readonly input: Omit<TeamsCardInput, "words"> }
  | { readonly kind: "ended"; readonly view: ReviewView }
  | { readonly kind: "digest"; readonly entries: readonly DigestEntry[] }
  | { readonly kind: "plain"; readonly said: PlainInput };

function message(asked: TeamsRenderInput, language: Language): TeamsMessage {
  const words = noticeWordsOf(language);
  switch (asked.kind) {
    case "review":
      return teamsCard({ ...asked.input, words });
    case "brief":
      return briefTeamsCard({ ...asked.input, words });
    case "reminder":
      return teamsReminder({ ...asked.input, words });
    case "ended":
      return teamsEnding(asked.view, words);
    case "digest":
      return teamsDigest(asked.entries, words);
    case "plain":
      return teamsPlain(plainWordsOf(asked.said, language), words);
    default:
      return unreachable(asked);
  }
}

export const teamsRenderers = { message } as const;
