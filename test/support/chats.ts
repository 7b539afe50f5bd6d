// The chats in which nothing can be decided, each as it writes a message.

import { type ChatRenderInput, chatRenderers } from "../../shared/channels/chat-message.ts";
import { ntfyRenderers } from "../../shared/channels/ntfy/ntfy-renderers.ts";
import { teamsCard } from "../../shared/channels/teams/teams-card.ts";
import { telegramRenderers } from "../../shared/channels/telegram/telegram-renderers.ts";
import type { Language } from "../../shared/channels/words/languages.ts";

export const chats: Readonly<Record<string, (asked: ChatRenderInput, language: Language) => object>> = {
  Teams: chatRenderers("Teams", teamsCard).message,
  ntfy: ntfyRenderers.message,
  Telegram: telegramRenderers.message,
  "Telegram without buttons": telegramRenderers.plain,
};
