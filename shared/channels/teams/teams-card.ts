// The Adaptive Cards of the Teams channel. It sends nothing.
//
// Every text is a TextRun, which has no Markdown (a TextBlock has). Source:
// https://learn.microsoft.com/en-us/adaptive-cards, schema 1.5; sizes:
// https://learn.microsoft.com/en-us/connectors/teams/#known-issues-and-limitations-with-actions (28
// KB with everything).

import type { ChatBlock, ChatMessage, ChatPiece } from "../chat-message.ts";
import type { NoticeWords } from "../words/notice-words.ts";

type OpenUrl = { readonly type: "Action.OpenUrl"; readonly title?: string; readonly url: string };
type TextRun = {
  readonly type: "TextRun";
  readonly text: string;
  readonly weight?: "Bolder";
  readonly size?: "Large";
  readonly fontType?: "Monospace";
  readonly selectAction?: OpenUrl;
};
type RichText = { readonly type: "RichTextBlock"; readonly inlines: readonly TextRun[] };
type Frame = { readonly type: "Container"; readonly style: "emphasis"; readonly bleed: false; readonly items: readonly RichText[] };
type AdaptiveCard = {
  readonly $schema: "http://adaptivecards.io/schemas/adaptive-card.json";
  readonly type: "AdaptiveCard";
  readonly version: "1.5";
  readonly lang: string;
  /** For programs that show no card. */
  readonly fallbackText: string;
  readonly msteams: { readonly width: "Full" };
  readonly body: readonly (RichText | Frame)[];
  readonly actions: readonly OpenUrl[];
};
/** What the workflow "Post to a channel when a webhook request is received" takes. */
export type TeamsMessage = {
  readonly type: "message";
  /** What a notification shows. */
  readonly summary: string;
  readonly attachments: readonly {
    readonly contentType: "application/vnd.microsoft.card.adaptive";
    readonly contentUrl: null;
    readonly content: AdaptiveCard;
  }[];
};

/** Of a message as JSON, in bytes: Teams says 28 KB, and others found 21. */
export const mostTeamsBytes = 20_000;

/** Null where Teams might refuse the size. */
export function teamsCard(message: ChatMessage, words: NoticeWords): TeamsMessage | null {
  const card = cardOf(message, words);
  return new TextEncoder().encode(JSON.stringify(card)).length <= mostTeamsBytes ? card : null;
}

function cardOf({ summary, body, link }: ChatMessage, { lang }: NoticeWords): TeamsMessage {
  const line = safe(summary);
  return {
    type: "message",
    summary: line,
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        contentUrl: null,
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.5",
          lang,
          fallbackText: line,
          msteams: { width: "Full" },
          body: body.map(elementOf),
          actions: link === null ? [] : [{ type: "Action.OpenUrl", title: link.text, url: link.url }],
        },
      },
    ],
  };
}

/**
 * A text from outside that no program reads as one of its functions, `{{DATE(…)}}` of cards, `${…}`
 * of templates, `@{…}` of workflows, and of which none makes a mention (`<at>`), markup or a link.
 */
const safe = (text: string): string =>
  text.replaceAll(/(?<=[{@$])\{|\}(?=\})|(?<=[^\s\u200b])[.:@](?=[^\s\u200b])|[*_[\]`~<>](?!\u200b)/g, "\u200b$&\u200b");

const styles = {
  own: {},
  line: {},
  strong: { weight: "Bolder" },
  strongLine: { weight: "Bolder" },
  heading: { weight: "Bolder", size: "Large" },
  name: { fontType: "Monospace" },
} as const;

function runOf(piece: ChatPiece): TextRun {
  const { kind, text } = piece;
  if (kind === "link") return { type: "TextRun", text, selectAction: { type: "Action.OpenUrl", url: piece.url } };
  return { type: "TextRun", text: kind === "own" || kind === "strong" ? text : safe(text), ...styles[kind] };
}

function elementOf(block: ChatBlock): RichText | Frame {
  if (!("frame" in block)) return { type: "RichTextBlock", inlines: block.map(runOf) };
  const pieces: readonly ChatPiece[] = [
    { kind: "strong", text: block.label },
    { kind: "name", text: block.frame },
  ];
  return {
    type: "Container",
    style: "emphasis",
    bleed: false,
    items: pieces.map((piece) => ({ type: "RichTextBlock", inlines: [runOf(piece)] })),
  };
}
