// Which turns of a conversation are stored for its session: all within the limits, else the newest
// exchanges.

import { utf8ToBytes } from "../../encoding.ts";
import type { SamplingRequest } from "../../model/sampling.ts";
import type { Turn } from "./envelope.ts";

/** How much of a conversation is stored: turns, and bytes of their text as UTF-8. */
export type ConversationLimits = { readonly turns: number; readonly bytes: number };

export const conversationLimits: ConversationLimits = { turns: 200, bytes: 1_048_576 };

/**
 * The turns that are stored, in their order: all that are within the limits. Else whole exchanges
 * are dropped, the oldest first, so that the rest begins with a user's turn and no question is
 * without its answer; system turns, which say how to answer everything after them, stay while there
 * is an exchange to drop, and then go the oldest first.
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
  /** The whole system prompt as it was sent, where it differs from the requested one. */
  readonly system?: string;
};

/**
 * What a reviewer changed of a request's texts, and the last text as it was sent: the prompt. Edits
 * add and remove no message.
 */
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
 * The turns with the reviewer's edits, wherever the same text stands, so that what was removed once
 * is not sent again. System turns are parts of one prompt: those that are not in it unchanged are
 * dropped.
 */
export function editedTurns(turns: readonly Turn[], { messages, system }: ConversationEdits): readonly Turn[] {
  return turns.flatMap((turn): Turn[] => {
    if (turn.role === "system") return system === undefined || system.includes(turn.content) ? [turn] : [];
    const change = messages.find(({ role, asked }) => role === turn.role && asked === turn.content);
    return [change === undefined ? turn : { ...turn, content: change.sent }];
  });
}

/**
 * The indexes of the turns that belong together: one or more of the user's, and the assistant's up
 * to the user's next.
 */
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
