// What of a conversation is kept for its session: all of it while it is within bounds, then the newest exchanges.

import { utf8ToBytes } from "../encoding.ts";
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
