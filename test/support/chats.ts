// The chats in which nothing can be decided, each as it writes a message.

import type { ChatRenderInput } from "../../shared/channels/chat-message.ts";
import { ntfyRenderers } from "../../shared/channels/ntfy/ntfy-renderers.ts";
import { teamsRenderers } from "../../shared/channels/teams/teams-renderers.ts";
import { telegramRenderers } from "../../shared/channels/telegram/telegram-renderers.ts";
import type { Language } from "../../shared/channels/words/languages.ts";

export const chats: Readonly<Record<string, (asked: ChatRenderInput, language: Language) => object>> = {
  Teams: teamsRenderers.message,
  ntfy: ntfyRenderers.message,
  Telegram: telegramRenderers.message,
  "Telegram without buttons": telegramRenderers.plain,
};
