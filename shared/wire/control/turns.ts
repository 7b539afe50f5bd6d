// What of a conversation is kept for its session: all of it while it is within bounds, then the newest exchanges.

import { utf8ToBytes } from "../../encoding.ts";
import type { SamplingRequest } from "../../model/sampling.ts";
import type { Turn } from "./envelope.ts";

/** How much of a conversation is kept: turns, and bytes of their text as UTF-8. */
export type ConversationLimits = { readonly turns: number; readonly bytes: number };

export const conversationLimits: ConversationLimits = { turns: 200, bytes: 1_048_576 };

/**
 * The turns that are kept, in their order. Within the limits that is all of them. Else whole exchanges fall out, the oldest
 * first, so that what is left begins with a user's turn and no question is without its answer; system turns, which say how to
 * answer everything after them, stay while an exchange is left to fall out, and then go the oldest first.
 */
export function keptTurns(turns: readonly Turn[], limits: ConversationLimits = conversationLimits): readonly Turn[] {
  const bytes = turns.map(({ content }) => utf8ToBytes(content).length);
  const left = { turns: turns.length, bytes: bytes.reduce((sum, each) => sum + each, 0) };
  const dropped = new Set<number>();
  for (const exchange of [...exchangesOf(turns), ...systemTurnsOf(turns)]) {
    if (left.turns <= limits.turns && left.bytes <= limits.bytes) break;
    for (const index of exchange) {
      dropped.add(index);
      left.turns -= 1;
      left.bytes -= bytes[index] ?? 0;
    }
  }
  return turns.filter((_, index) => !dropped.has(index));
}

/** What a reviewer changed of a conversation on its way to the model. */
export type ConversationEdits = {
  readonly messages: readonly { readonly role: Turn["role"]; readonly asked: string; readonly sent: string }[];
  /** The whole system prompt as it was sent, where it is another than what was asked for. */
  readonly system?: string;
};

/** What became of a request's texts, and the last of them: the prompt. Edits add no message and take none away. */
export function conversationEdits(
  asked: SamplingRequest,
  sent: SamplingRequest,
): { readonly prompt: string; readonly edits: ConversationEdits } {
  const texts = sent.messages.map(textOf);
  const messages = asked.messages.flatMap((message, index) => {
    const change = { role: message.role, asked: textOf(message), sent: texts[index] ?? "" };
    return change.asked === change.sent ? [] : [change];
  });
  const system = sent.systemPrompt === asked.systemPrompt ? {} : { system: sent.systemPrompt ?? "" };
  return { prompt: texts.at(-1) ?? "", edits: { messages, ...system } };
}

const textOf = ({ content }: SamplingRequest["messages"][number]): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

/**
 * The turns as the reviewer left them, wherever the same words stand, so that what was taken out once is not sent again. System
 * turns are parts of one prompt: those that are no longer in it as they were fall out.
 */
export function editedTurns(turns: readonly Turn[], { messages, system }: ConversationEdits): readonly Turn[] {
  return turns.flatMap((turn): Turn[] => {
    if (turn.role === "system") return system === undefined || system.includes(turn.content) ? [turn] : [];
    const change = messages.find(({ role, asked }) => role === turn.role && asked === turn.content);
    return [change === undefined ? turn : { ...turn, content: change.sent }];
  });
}

/** The places of the turns that belong together: one or more of the user's, and what the assistant answered up to the next. */
function exchangesOf(turns: readonly Turn[]): number[][] {
  const exchanges: number[][] = [];
  let before: Turn["role"] | undefined;
  for (const [index, { role }] of turns.entries()) {
    if (role === "system") continue;
    const last = exchanges.at(-1);
    if (last === undefined || (role === "user" && before === "assistant")) exchanges.push([index]);
    else last.push(index);
    before = role;
  }
  return exchanges;
}

const systemTurnsOf = (turns: readonly Turn[]): number[][] =>
  [...turns.entries()].filter(([, { role }]) => role === "system").map(([index]) => [index]);
