// The messages of the ntfy channel, which the pages Worker makes: plain text with a link.
//
// Source: https://docs.ntfy.sh/publish/#publish-as-json, and its limits: a message of more than
// 4,096 bytes becomes an attachment, and phones get at most about 4 KB with everything.

import { type ChatBlock, type ChatMessage, type ChatPiece, type ChatRenderInput, chatMessage, withAddresses } from "../chat-message.ts";
import { unlinked } from "../plain-text.ts";
import type { Language } from "../words/languages.ts";

/** What a message has beside its topic. It is no Markdown, which `markdown` would make it. */
export type NtfyMessage = {
  readonly title: string;
  readonly message: string;
  /** What a tap opens, and a button beside it. */
  readonly click?: string;
  readonly actions?: readonly { readonly action: "view"; readonly label: string; readonly url: string; readonly clear: true }[];
};

/** Of a message as JSON, without its topic. */
export const mostNtfyBytes = 3_500;

/** The apps make links of addresses in a text, and the one for Android in a title too. */
const pieceText = ({ kind, text }: ChatPiece): string =>
  kind === "heading" || kind === "line" || kind === "strongLine" ? unlinked(text) : text;

const blockText = (block: ChatBlock): string => ("frame" in block ? `${block.label}:\n${block.frame}` : block.map(pieceText).join(""));

function ntfyMessage({ summary, body: [, ...body], link }: ChatMessage): NtfyMessage | null {
  const message: NtfyMessage = {
    title: unlinked(summary),
    message: withAddresses(body).map(blockText).join("\n"),
    ...(link === null ? {} : { click: link.url, actions: [{ action: "view", label: link.text, url: link.url, clear: true }] }),
  };
  return new TextEncoder().encode(JSON.stringify(message)).length <= mostNtfyBytes ? message : null;
}

export const ntfyRenderers = {
  message: (asked: ChatRenderInput, language: Language): NtfyMessage =>
    chatMessage(asked, { language, channel: "ntfy", form: ntfyMessage }),
} as const;
