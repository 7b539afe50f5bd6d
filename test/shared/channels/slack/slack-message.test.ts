import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { grownLength } from "../../../../shared/channels/slack/slack-blocks.ts";
import { slackEnding, slackReminder } from "../../../../shared/channels/slack/slack-ending.ts";
import {
  type SlackMessage,
  type SlackMessageInput,
  briefSlackMessage,
  slackMessage,
} from "../../../../shared/channels/slack/slack-message.ts";
import { catalogues } from "../../../../shared/channels/words/words.ts";
import type { MessageView, ReviewState, ReviewView } from "../../../../shared/review/view.ts";
import { messageRefusal } from "../../../support/slack/block-rules.ts";
import { controlSequences, poisoned } from "../../../support/slack/hostile.ts";
import { plainReply, plainRequest } from "../../../support/slack/views.ts";
import type { ChatRequest } from "../../../../shared/model/sampling.ts";

const { en: words } = catalogues;
const url = "https://countersign.example.com/r/token";
const input = (view: ReviewView, more: Partial<SlackMessageInput> = {}): SlackMessageInput => ({
  view,
  words,
  excerpt: "start",
  url,
  inChannel: false,
  why: "asked",
  reference: { approve: "reference-approve", deny: "reference-deny", edit: "reference-edit" },
  ...more,
});
const withText = (text: string): MessageView => ({
  ...plainRequest,
  request: { ...plainRequest.request, messages: [{ role: "user", content: [{ type: "text", text }] }] },
});
const withReply = (text: string): MessageView => ({ ...plainReply, reply: { content: [{ type: "text", text }], model: "real-model" } });

type Node = Record<string, unknown>;
const nodesIn = (value: unknown): Node[] => {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (typeof value !== "object" || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(nodesIn)]; // JSON that this project's own code made
};
const buttonsOf = ({ blocks }: SlackMessage): string[] =>
  nodesIn(blocks)
    .filter(({ type }) => type === "button")
    .map(({ action_id: id }) => String(id));
const preformattedOf = ({ blocks }: SlackMessage): string[] =>
  nodesIn(blocks)
    .filter(({ type }) => type === "rich_text_preformatted")
    .map((node) =>
      nodesIn(node["elements"])
        .map(({ text }) => String(text))
        .join(""),
    );
/** Everything that a reader sees, and what stands in the notification. */
const wordsOf = ({ text, blocks }: SlackMessage): string =>
  [text, ...nodesIn(blocks).map((node) => (typeof node["text"] === "string" ? node["text"] : ""))].join("\n");
const accepted = (message: SlackMessage): SlackMessage => {
  expect(messageRefusal(message.blocks)).toBeNull();
  return message;
};

describe("a message with the whole content", () => {
  test("has Approve, Edit, Deny and Open, each with its reference or link", () => {
    for (const view of [plainRequest, plainReply]) {
      const message = accepted(slackMessage(input(view)));
      expect(buttonsOf(message)).toEqual(["approve", "edit", "deny", "open"]);
      const buttons = nodesIn(message.blocks).filter(({ type }) => type === "button");
      expect(buttons.map(({ value, url: to }) => value ?? to)).toEqual(["reference-approve", "reference-edit", "reference-deny", url]);
      expect(JSON.stringify(buttons[0]?.["text"])).toMatch(/"text":"Approve/);
    }
  });

  test("shows who asks for whom, what it goes to, what it costs at most, the settings, the risks, the deadline and the votes", () => {
    const view: MessageView = {
      ...plainRequest,
      quorum: 2,
      state: { kind: "voted", votes: 1, quorum: 2 },
      risks: [
        { level: "medium", kind: "urlWithData", pointer: "/messages/0/content/0/text" },
        { level: "high", kind: "blankLines", lines: 400, pointer: "/messages/0/content/0/text" },
        { level: "low", kind: "unseen", characters: 1, pointer: "/systemPrompt" },
      ],
    };
    const words = wordsOf(accepted(slackMessage(input(view))));
    for (const part of [
      "notes",
      "desk-assistant",
      "summarize_meeting",
      "Unverified: reported by the client.",
      "first-model",
      "second-model",
      "up to $0.0138",
      "Max tokens: 800",
      "0.3",
      "System prompt",
      "Summarise.",
      "Message 1 of 1, user",
      "2 people have to approve; 1 did so far.",
    ])
      expect(words).toContain(part);
    const [high, low] = ["400 blank lines hide the rest", "Address may carry data away"].map((risk) => words.indexOf(risk));
    expect(high).toBeGreaterThan(0);
    expect(high).toBeLessThan(low ?? 0);
    // Beside the labels stand the numbers that the warnings have in the list, and on the page.
    for (const label of ["System prompt (warnings: 3)", "Message 1 of 1, user (warnings: 1, 2)"]) expect(words).toContain(label);
    const dates = nodesIn(slackMessage(input(view)).blocks).filter(({ type }) => type === "date");
    expect(dates.map(({ timestamp }) => timestamp)).toEqual([Math.floor(view.deadlineAt / 1_000)]);
  });

  test("at the response gate shows the reply, why it stopped, who answered and what it cost", () => {
    const words = wordsOf(accepted(slackMessage(input(plainReply))));
    for (const part of ["A summary.", "endTurn", "first-model", "real-model", "$0.0032"]) expect(words).toContain(part);
  });

  test.each([2_999, 3_000])("may have a text of %i characters, all of it there", (length) => {
    for (const view of [withText("a".repeat(length)), withReply("a".repeat(length))]) {
      const message = accepted(slackMessage(input(view)));
      expect(buttonsOf(message)).toContain("approve");
      expect(preformattedOf(message)).toContain("a".repeat(length));
    }
  });

  test("may have several texts, up to what Slack takes of all together", () => {
    const messages = (count: number, length: number): MessageView => ({
      ...plainRequest,
      request: {
        kind: "chat",
        maxTokens: 5,
        messages: Array.from({ length: count }, () => ({ role: "user", content: [{ type: "text", text: "a".repeat(length) }] })),
      },
    });
    expect(buttonsOf(accepted(slackMessage(input(messages(2, 2_500)))))).toContain("approve");
    expect(buttonsOf(accepted(slackMessage(input(messages(4, 2_900)))))).toEqual(["deny", "open"]);
    expect(buttonsOf(accepted(slackMessage(input(messages(25, 40)))))).toContain("approve");
    expect(buttonsOf(accepted(slackMessage(input(messages(31, 5)))))).toEqual(["deny", "open"]);
  });

  test.each([
    ["is somebody's own request", { mayApprove: false }],
    ["has their approval already", { ownVote: { at: 1 }, state: { kind: "voted", votes: 1, quorum: 2 }, quorum: 2 }],
  ] satisfies [string, Partial<MessageView>][])("has no Approve where it %s", (_, change) => {
    expect(buttonsOf(accepted(slackMessage(input({ ...plainRequest, ...change }))))).toEqual(["deny", "open"]);
  });
});

describe("a message whose content is cut", () => {
  test("has no Approve and no Edit from 3,001 characters on, and says how many are not shown", () => {
    for (const view of [withText("a".repeat(3_001)), withReply("a".repeat(3_001))]) {
      const message = accepted(slackMessage(input(view)));
      expect(buttonsOf(message)).toEqual(["deny", "open"]);
      // The stop sequence after the text is not shown either.
      const shown = preformattedOf(message).join("").match(/a/g)?.length ?? 0;
      const missing = 3_001 - shown + (view.gate === "request" ? JSON.stringify("STOP-HERE").length : 0);
      expect(wordsOf(message)).toContain(`Not everything is shown here, so it cannot be approved here. Not shown: \n`);
      expect(wordsOf(message)).toMatch(new RegExp(`^${missing.toLocaleString("en-US")} characters? of text`, "m"));
    }
    const long = slackMessage(
      input({
        ...plainRequest,
        request: { kind: "chat", maxTokens: 5, messages: [{ role: "user", content: [{ type: "text", text: "a".repeat(12_345) }] }] },
      }),
    );
    expect(preformattedOf(long)).toEqual(["a".repeat(3_000)]);
    expect(wordsOf(long)).toContain("9,345 characters of text");
  });

  test.each([
    ["&", 600],
    ["<", 750],
    [">", 750],
  ])("counts %s as what Slack makes of it: %i of them fit, one more does not", (character, most) => {
    expect(buttonsOf(accepted(slackMessage(input(withText(character.repeat(most))))))).toContain("approve");
    expect(buttonsOf(accepted(slackMessage(input(withText(character.repeat(most + 1))))))).toEqual(["deny", "open"]);
  });

  test("is never cut within a character", () => {
    const emoji = "😀";
    for (const before of ["", "a", "ab", "é"]) {
      const text = before + emoji.repeat(3_000);
      const message = accepted(
        slackMessage(
          input({
            ...plainRequest,
            request: { kind: "chat", maxTokens: 5, messages: [{ role: "user", content: [{ type: "text", text }] }] },
          }),
        ),
      );
      const [shown = ""] = preformattedOf(message);
      expect(shown.isWellFormed()).toBe(true);
      expect(text.startsWith(shown)).toBe(true);
      expect(shown.length).toBeGreaterThanOrEqual(2_999);
      expect(wordsOf(message)).toContain(`${(text.length - shown.length).toLocaleString("en-US")} characters of text`);
    }
  });

  test("shows a start that fits, and counts the rest to the character, whatever the texts are", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 4_000 }),
      fc.stringMatching(/^[&<>\n ]{0,4000}$/),
      fc.string({ unit: "grapheme", maxLength: 2_000 }),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        const view: MessageView = {
          ...plainRequest,
          request: {
            kind: "chat",
            maxTokens: 5,
            messages: texts.map((each) => ({
              role: "user",
              content: [{ type: "text", text: each }],
            })),
          },
        };
        const message = accepted(slackMessage(input(view)));
        for (const shown of preformattedOf(message)) expect(grownLength(shown)).toBeLessThanOrEqual(3_000);
        if (!buttonsOf(message).includes("approve")) expect(wordsOf(message)).toMatch(/Not shown|not shown/);
        else expect(preformattedOf(message)).toHaveLength(texts.length);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    ["an image", "1 image", { messages: [{ role: "user", content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }] }],
    ["a PDF", "1 file", { messages: [{ role: "user", content: [{ type: "pdf", data: "AAAA", name: "a.pdf" }] }] }],
    [
      "sounds",
      "2 sounds",
      { messages: [{ role: "user", content: [1, 2].map(() => ({ type: "audio" as const, data: "AAAA", mimeType: "audio/wav" })) }] },
    ],
    [
      "tools",
      "2 tools",
      {
        tools: [
          { name: "a", inputSchema: {} },
          { name: "b", inputSchema: {} },
        ],
      },
    ],
    ["an empty list of tools", "0 tools", { tools: [] }],
    ["a tool use", "1 tool use", { messages: [{ role: "assistant", content: [{ type: "tool_use", id: "i", name: "n", input: {} }] }] }],
    ["a tool result", "1 tool result", { messages: [{ role: "user", content: [{ type: "tool_result", toolUseId: "i", content: [] }] }] }],
    ["metadata", "the metadata", { metadata: {} }],
  ] satisfies [string, string, Partial<ChatRequest>][])("is one with %s, and says so", (_, words, change) => {
    const message = accepted(slackMessage(input({ ...plainRequest, request: { ...plainRequest.request, ...change } })));
    expect(buttonsOf(message)).toEqual(["deny", "open"]);
    expect(wordsOf(message)).toContain(words);
  });

  test("is one with more models, notes of risk or letters in a name than it shows", () => {
    const model = plainRequest.models[0];
    if (model === undefined) throw new Error("no model");
    const risk = { level: "medium", kind: "overridesInstructions", pointer: "" } as const;
    for (const [change, words] of [
      [{ models: Array.from({ length: 22 }, () => model) }, "2 models that it may go to"],
      [{ risks: Array.from({ length: 21 }, () => risk) }, "1 risk note"],
      [{ models: [{ ...model, id: "m".repeat(201) }] }, "1 end of a long name"],
    ] satisfies [Partial<MessageView>, string][]) {
      const message = accepted(slackMessage(input({ ...plainRequest, ...change })));
      expect(buttonsOf(message)).toEqual(["deny", "open"]);
      expect(wordsOf(message)).toContain(words);
    }
  });

  test("shows a stop sequence as JSON, so that line breaks around it are seen", () => {
    const view = { ...plainRequest, request: { ...plainRequest.request, stopSequences: ["\n\nHuman:\t"] } };
    expect(preformattedOf(accepted(slackMessage(input(view)))).at(-1)).toBe('"\\n\\nHuman:\\t"');
  });

  test("has nothing of the content where the policy says so, in the notification neither", () => {
    for (const view of [plainRequest, plainReply]) {
      const message = accepted(slackMessage(input(view, { excerpt: "none" })));
      expect(buttonsOf(message)).toEqual(["deny", "open"]);
      expect(preformattedOf(message)).toEqual([]);
      for (const secret of ["Summarise", "Keep it short", "STOP-HERE", "A summary"]) expect(JSON.stringify(message)).not.toContain(secret);
    }
    expect(wordsOf(slackMessage(input(plainRequest, { excerpt: "none" })))).toContain("characters of text");
    expect(JSON.stringify(briefSlackMessage(input(plainRequest)))).not.toContain("Summarise");
  });

  test("of 5,000 blank lines before the payload counts them", () => {
    const message = accepted(slackMessage(input(withText(`${"\n".repeat(5_000)}payload`))));
    expect(buttonsOf(message)).toEqual(["deny", "open"]);
    expect(preformattedOf(message).some((shown) => /^⟨[\d,]+ blank lines⟩\n$/.test(shown))).toBe(true);
  });
});

describe("text from outside", () => {
  test("names what would be invisible, everywhere", () => {
    const hidden = "a\u202eb\u200bc\u{e0041}\u{e0042}";
    const message = accepted(slackMessage(input(poisoned(hidden))));
    expect(wordsOf(message)).not.toMatch(/[\u202e\u200b]|\u{e0041}/u);
    const [shown] = preformattedOf(accepted(slackMessage(input(withText(hidden))))).slice(1);
    expect(shown).toBe("a⟨U+202E right-to-left override⟩b⟨U+200B zero width space⟩c⟨2 tag characters that spell “AB”⟩");
  });

  test.each(controlSequences)("stays text in every field: %j", (text) => {
    const states: ReviewState[] = [
      { kind: "open" },
      { kind: "approved", by: text, at: 0, edited: false },
      { kind: "denied", by: text, at: 0, reason: text },
      { kind: "cancelled", at: 0, cause: "caller" },
      { kind: "failed", at: 0, cause: "noneReached" },
    ];
    const simple = { ...poisoned(text), request: withText(text).request };
    const messages = [poisoned(text), { ...poisoned(text), gate: "response" as const }, simple].flatMap((view) => [
      slackMessage(input(view)),
      slackMessage(input(view, { excerpt: "none", inChannel: true, reference: null })),
      slackReminder(input(view)),
      ...states.map((state) => slackEnding({ ...view, state }, words)),
      slackEnding({ ...view, state: { kind: "open" }, left: { at: 0, to: text } }, words),
    ]);
    for (const message of messages) {
      accepted(message);
      // Markup is read in `text` and in mrkdwn: nothing from outside is markup in the one, and
      // there is none of the other.
      expect(message.text).not.toMatch(/[<>\r\n]|&(?!amp;|lt;|gt;)|[^\u200b][*~`@:]|[*~`@:][^\u200b]|(?<![\w\u200b])_|_(?![\w\u200b])/);
      for (const link of message.text.match(/\S+/g) ?? []) expect(link).not.toMatch(/:\/\/|www\.|[a-z]\.[a-z]|[a-z]@[a-z]/i);
      const headers = new Set(message.blocks.flatMap((block) => (block.type === "header" ? [block.text as Node] : [])));
      for (const node of nodesIn(message.blocks)) {
        expect(["mrkdwn", "emoji", "user", "usergroup", "channel", "broadcast"]).not.toContain(node["type"]);
        const isHeader = node["type"] === "header";
        if (isHeader) expect(node["text"]).toMatchObject({ emoji: false, text: expect.not.stringMatching(/[<>\r\n]|&(?!amp;|lt;|gt;)/) });
        if (node["type"] === "plain_text" && !headers.has(node))
          expect(node).toMatchObject({ emoji: false, text: expect.stringMatching(/^[A-Za-z’… ]+$/) });
        if (node["type"] === "link") expect(node).toEqual({ type: "link", url, text: "Open the review" });
        if (node["url"] !== undefined) expect(node["url"]).toBe(url);
      }
    }
    // Beside the text itself, the message is made as for any other text.
    const shape = (message: SlackMessage): string =>
      nodesIn(message.blocks)
        .map(({ type }) => String(type))
        .join();
    expect(shape(slackMessage(input(simple)))).toBe(
      shape(slackMessage(input({ ...poisoned("plain"), request: withText("plain").request }))),
    );
    expect(preformattedOf(slackMessage(input(withText(text)))).at(1)).toBe(text);
  });

  test("in a name is on one line, and never longer than what a message can hold", () => {
    const view = { ...plainRequest, reviewer: "a\nb\r\nc", requestor: { ...plainRequest.requestor, server: "\u200ba".repeat(5_000) } };
    const message = accepted(slackMessage(input(view)));
    expect(wordsOf(message)).toContain("a⟨line break⟩b⟨line break⟩c");
    expect(buttonsOf(message)).toEqual(["deny", "open"]);
  });

  test("of the worst kind everywhere still makes a message that Slack takes", () => {
    for (const text of ["&".repeat(4_000), "\u200ba".repeat(4_000), '"\\\n'.repeat(2_000), "😀".repeat(4_000), "\0".repeat(4_000)]) {
      for (const view of [poisoned(text), { ...poisoned(text), gate: "response" as const }]) {
        accepted(slackMessage(input(view)));
        accepted(slackMessage(input({ ...view, models: Array.from({ length: 60 }, () => view.models[0] ?? plainRequest.models[0]!) })));
        accepted(briefSlackMessage(input(view)));
        accepted(slackEnding(view, words));
      }
    }
  });
});

describe("in a channel", () => {
  test("says that whoever decides does so as the channel's reviewer, and a webhook's message has a link and no button", () => {
    const message = accepted(slackMessage(input(plainRequest, { inChannel: true, why: "asked", reference: null })));
    expect(wordsOf(message)).toContain("Anyone in this channel who decides here or behind Open decides as ");
    expect(wordsOf(message)).not.toContain("You are asked");
    expect(nodesIn(message.blocks).some(({ type }) => type === "button" || type === "actions")).toBe(false);
    expect(nodesIn(message.blocks).filter(({ type }) => type === "link")).toEqual([{ type: "link", url, text: "Open the review" }]);
  });
});

describe("in the end", () => {
  const at = 1_800_000_000_000;
  test.each([
    [{ kind: "approved", by: "Grace", at, edited: false }, "Approved", "Grace"],
    [{ kind: "approved", by: "Grace", at, edited: true }, "Approved with changes", "Grace"],
    [{ kind: "denied", by: "Grace", at, reason: "A secret reason" }, "Denied", "Grace"],
    [{ kind: "expired", at }, "Expired", "so it was denied automatically."],
    [{ kind: "cancelled", at, cause: "caller" }, "Cancelled", "No decision is needed."],
    [{ kind: "failed", at, cause: "noneReached" }, "Failed", "The request failed"],
  ] satisfies [ReviewState, string, string][])("%j: who, when and what, no button, no content", (state, title, part) => {
    for (const view of [plainRequest, plainReply]) {
      const message = accepted(slackEnding({ ...view, state }, words));
      expect(message.text).toBe(title);
      expect(wordsOf(message)).toContain(part);
      expect(wordsOf(message)).toContain("summarize_meeting");
      expect(buttonsOf(message)).toEqual([]);
      for (const secret of ["Summarise", "A summary", "A secret reason"]) expect(JSON.stringify(message)).not.toContain(secret);
      expect(nodesIn(message.blocks).filter(({ type }) => type === "date")).toMatchObject([{ timestamp: at / 1_000 }]);
    }
  });

  test("says what became of a place that was given up", () => {
    expect(wordsOf(accepted(slackEnding({ ...plainRequest, left: { at, to: "Grace" } }, words)))).toContain("You handed this to ");
    expect(wordsOf(accepted(slackEnding({ ...plainRequest, left: { at, to: null } }, words)))).toContain("You said that this is not yours");
    expect(slackEnding(plainRequest, words).text).toBe("Not yours to decide");
  });

  test("a reminder has the link, the deadline and nothing else", () => {
    const message = accepted(slackReminder(input(plainRequest)));
    expect(buttonsOf(message)).toEqual(["open"]);
    expect(JSON.stringify(message)).not.toContain("Summarise");
  });
});

test("once a reviewer wrote a reply in the model's place, the message of the request has no Approve: Open shows the reply", () => {
  expect(buttonsOf(slackMessage(input(plainRequest)))).toContain("approve");
  const reply = { content: [{ type: "text" as const, text: "Ghent." }], model: "human" };
  const message = slackMessage(input({ ...plainRequest, written: { by: "Ada", at: plainRequest.now, reply } }));
  expect(buttonsOf(message)).toEqual(["deny", "open"]);
  expect(JSON.stringify(message)).toContain("the reply that a reviewer wrote");
  expect(JSON.stringify(message)).not.toContain("Ghent.");
});
