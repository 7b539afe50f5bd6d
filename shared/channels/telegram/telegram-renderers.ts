// The messages of the Telegram channel, which the pages Worker makes: a text, and what each part of
// it is by its place, so that no text is parsed as markup.
//
// Source: https://core.telegram.org/bots/api#sendmessage and #messageentity. Places and lengths are
// in UTF-16 code units. Telegram makes no links, mentions and commands inside `code` and `pre`.

import { type ChatBlock, type ChatMessage, type ChatPiece, type ChatRenderInput, chatMessage, withAddresses } from "../chat-message.ts";
import { unlinked } from "../plain-text.ts";
import type { Language } from "../words/languages.ts";

type TelegramEntity =
  | { readonly type: "bold" | "code" | "pre"; readonly offset: number; readonly length: number }
  | { readonly type: "text_link"; readonly offset: number; readonly length: number; readonly url: string };

/** A part of the parameters of `sendMessage` and `editMessageText`. */
export type TelegramMessage = {
  readonly text: string;
  readonly entities: readonly TelegramEntity[];
  readonly reply_markup?: { readonly inline_keyboard: readonly (readonly { readonly text: string; readonly url: string }[])[] };
};

/** Telegram takes 4,096 characters. */
export const mostTelegramCharacters = 4_000;
/** Telegram takes 100, and drops the rest. */
const mostEntities = 100;

const breaker = "\u200b";
/** Without a link, a mention, a command or a tag that Telegram would find. */
const safe = (text: string): string => unlinked(text).replaceAll(/[@#$/](?=[^\s\u200b])/g, `$&${breaker}`);

const entityTypes = {
  own: null,
  line: null,
  strong: "bold",
  strongLine: "bold",
  heading: "bold",
  name: "code",
  link: "text_link",
} as const;

class Writer {
  text = "";
  readonly entities: TelegramEntity[] = [];

  add(text: string, type: "bold" | "code" | "pre" | null): void {
    // An entity that ends in white space is cut by Telegram, and one of nothing is refused.
    if (type !== null && text.trim() !== "") this.entities.push({ type, offset: this.text.length, length: text.length });
    this.text += text;
  }

  addPiece(piece: ChatPiece): void {
    const { kind, text } = piece;
    if (kind === "link") {
      this.entities.push({ type: "text_link", offset: this.text.length, length: text.length, url: piece.url });
      this.text += text;
    } else this.add(kind === "own" || kind === "strong" || kind === "name" ? text : safe(text), entityTypes[kind]);
  }

  addBlock(block: ChatBlock): void {
    if (!("frame" in block)) return block.forEach((piece) => this.addPiece(piece));
    this.add(block.label, "bold");
    this.text += "\n";
    this.add(block.frame, "pre");
  }
}

function telegramMessage({ body, link }: ChatMessage): TelegramMessage | null {
  const writer = new Writer();
  for (const [index, block] of body.entries()) {
    if (index > 0) writer.text += "\n";
    writer.addBlock(block);
  }
  const { text, entities } = writer;
  if (text.length > mostTelegramCharacters || entities.length > mostEntities) return null;
  return { text, entities, ...(link === null ? {} : { reply_markup: { inline_keyboard: [[link]] } }) };
}

/**
 * Telegram refuses a button to an address that only this machine knows. The message then has its
 * addresses as text.
 */
const withoutButtons = ({ summary, body, link }: ChatMessage): TelegramMessage | null =>
  telegramMessage({
    summary,
    body: [...withAddresses(body), ...(link === null ? [] : [[{ kind: "own", text: link.url } as const]])],
    link: null,
  });

export const telegramRenderers = {
  message: (asked: ChatRenderInput, language: Language): TelegramMessage =>
    chatMessage(asked, { language, channel: "Telegram", form: telegramMessage }),
  plain: (asked: ChatRenderInput, language: Language): TelegramMessage =>
    chatMessage(asked, { language, channel: "Telegram", form: withoutButtons }),
} as const;
