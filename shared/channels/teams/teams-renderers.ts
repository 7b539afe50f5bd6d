// What the Teams channel has the pages Worker make.

import { type ChatRenderInput, chatMessage } from "../chat-message.ts";
import type { Language } from "../words/languages.ts";
import { type TeamsMessage, teamsCard } from "./teams-card.ts";

export const teamsRenderers = {
  message: (asked: ChatRenderInput, language: Language): TeamsMessage =>
    chatMessage(asked, { language, channel: "Teams", form: teamsCard }),
} as const;
