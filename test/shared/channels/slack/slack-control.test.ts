// The Slack messages and modals about what comes through the control endpoint, where a client asks
// for itself.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../shared/encoding.ts";
import { withArguments } from "../../../../shared/model/subject/tool-call.ts";
import { objectText } from "../../../../shared/review/editable-fields.ts";
import { slackEnding, slackReminder } from "../../../../shared/channels/slack/slack-ending.ts";
import {
  type SlackMessage,
  type SlackMessageInput,
  briefSlackMessage,
  slackMessage,
} from "../../../../shared/channels/slack/slack-message.ts";
import { denyModal, editModal } from "../../../../shared/channels/slack/slack-modal.ts";
import { catalogues } from "../../../../shared/channels/words/words.ts";
import type { ReviewView } from "../../../../shared/review/view.ts";
import { control, calling, returning, typedCall } from "../../../outside/pages/examples.ts";
import { marker, markedNumber, markedVectors, markedView } from "../../../support/marked.ts";
import { messageRefusal, viewRefusal } from "../../../support/slack/block-rules.ts";

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

type Node = Record<string, unknown>;
const nodesIn = (value: unknown): Node[] => {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (typeof value !== "object" || value === null) return [];
  return [value as Node, ...Object.values(value).flatMap(nodesIn)]; // JSON that this project's own code made
};
const lettersOf = (value: unknown): string =>
  nodesIn(value)
    .map((node) => (typeof node["text"] === "string" ? node["text"] : typeof node["fallback"] === "string" ? node["fallback"] : ""))
    .join("");
const buttonsOf = ({ blocks }: SlackMessage): string[] =>
  nodesIn(blocks)
    .filter(({ type }) => type === "button")
    .map(({ action_id: id }) => String(id));
const preformattedOf = ({ blocks }: SlackMessage): string[] =>
  nodesIn(blocks)
    .filter(({ type }) => type === "rich_text_preformatted")
    .map(lettersOf);
/** Each block's and each list item's words, as a reader sees them in a row. */
const linesOf = ({ blocks }: SlackMessage): string[] =>
  nodesIn(blocks)
    .filter(({ type }) => ["header", "rich_text_section", "button"].includes(String(type)))
    .map(lettersOf);
const accepted = (message: SlackMessage): SlackMessage => {
  expect(messageRefusal(message.blocks)).toBeNull();
  return message;
};
const all = ["approve", "edit", "deny", "open"];
const cut = ["deny", "open"];

type Said = {
  readonly title: string;
  readonly lead: string;
  readonly facts: string[];
  /** In frames; a message that is cut says what is missing. */
  readonly framed: string[];
  readonly buttons: string[];
  readonly missing?: string;
};
const sent = "Nothing has been sent yet.";
const delivered = "Nothing has been delivered yet.";
const toRun = {
  title: "ci wants to run weather_query on weather",
  lead: "Nothing has run yet. If you approve, the tool runs: this is an action, not a question to a model.",
  facts: [
    "ci wants to run weather_query on weather. The client asks for itself.",
    "Runs on weather, as weather/weather_query. The servers document registers weather_query of the MCP server weather as a function, so it runs there and nowhere else.",
  ],
};
const ran = {
  title: "weather_query on weather answers ci",
  lead: "It has run. Nothing of its result has been delivered yet.",
  facts: ["ci wanted to run weather_query on weather. The client asks for itself.", "Run by weather/weather_query"],
};
const standIn = '. Matched "gpt-4" through an alias. No priorities given, so the routing table\'s order applies.';
const callOf = (city: string): string => objectText({ name: "weather_query", input: { city, date: "2025-10-30" } });

const said: Readonly<Record<Exclude<keyof typeof control, "approvedCall" | "deniedCall">, Said>> = {
  json: {
    title: "ci asks demo for text",
    lead: sent,
    facts: [
      "ci asks a model for text. The client asks for itself.",
      `Goes to demo of demo, free${standIn}`,
      "The client asked for the model gpt-4, version latest. If another model is used, its reason says so. It named the provider openai.",
      "The reply must be JSON.",
      "top_p 0.9",
      "top_k 50",
      "Approving sends exactly what is shown here, to this model only.",
    ],
    framed: ["You sort tickets.\n\nAnswer with JSON alone.", "Ticket 812: the export stops after 40 rows. Which team is it for?", '"###"'],
    buttons: all,
  },
  translation: {
    title: "ci asks demo for a translation",
    lead: sent,
    facts: ["ci asks for a translation. The client asks for itself.", "The reply must be JSON that fits the schema below."],
    framed: [
      control.translation.request.systemPrompt ?? "",
      "Hello, world!",
      objectText(control.translation.request.responseFormat?.schema ?? {}),
    ],
    buttons: all,
  },
  embedding: {
    title: "ci asks demo for vectors",
    lead: sent,
    facts: ["ci asks for texts as vectors (embeddings). The client asks for itself.", "3 texts become vectors."],
    framed: ["The queue was full on Tuesday.", "Nobody knew about the old exports.", "Ship on Friday."],
    buttons: all,
  },
  functionChoice: {
    title: "ci asks demo to choose a function",
    lead: sent,
    facts: ["ci asks a model to choose among functions. The client asks for itself.", "Tool choice: required"],
    framed: ["Do I need an umbrella in Shanghai on Thursday?"],
    buttons: cut,
    missing: "1 tool. Open shows all of it.",
  },
  multimodal: {
    title: "ci asks demo about images",
    lead: sent,
    facts: ["ci asks a model about images. The client asks for itself."],
    framed: ["What differs between these two pictures?"],
    buttons: cut,
    missing: "2 images. Open shows all of it.",
  },
  toolCall: {
    ...toRun,
    facts: [...toRun.facts, "Approving runs exactly what is shown here, on this server only.", "Approve and run"],
    framed: [callOf("上海")],
    buttons: all,
  },
  editedCall: {
    ...toRun,
    facts: [...toRun.facts, "Version 2, changed by Grace Hopper. What was changed is marked behind Open."],
    framed: [callOf("北京")],
    buttons: all,
  },
  jsonReply: {
    title: "demo answers ci",
    lead: delivered,
    facts: ["Answered by demo, reported as demo", "The reply must be JSON.", "Cost: free", "Approve and deliver"],
    framed: ['{ "team": "exports" }'],
    buttons: all,
  },
  translationReply: {
    title: "demo answers ci",
    lead: delivered,
    facts: [
      "This reply comes from the cache: it was made 2026-11-17 14:32 UTC for an identical request.",
      "The reply must be JSON that fits the schema behind Open.",
    ],
    framed: ['{"translation":"您好,世界!","source_lang":"en"}'],
    buttons: all,
  },
  embeddingReply: {
    title: "demo answers ci",
    lead: delivered,
    facts: ["Answered by demo, reported as demo-embedding"],
    framed: [expect.stringMatching(/^3 vectors of 64 numbers, beginning with\n0\.3796, -0\.9663, /) as string],
    buttons: cut,
    missing: "3 vectors. Open shows all of it.",
  },
  functionChoiceReply: {
    title: "demo answers ci",
    lead: delivered,
    facts: ["Approving delivers exactly this reply. The approved prompt is behind Open."],
    framed: ["I look that up.", objectText({ name: "weather_query", id: "call_1", input: { city: "Shanghai" } })],
    buttons: all,
  },
  toolResult: {
    ...ran,
    framed: [
      "上海: light rain, 18 °C.",
      objectText({ type: "resource_link", uri: "https://weather.example.com/shanghai", name: "shanghai", mimeType: "text/html" }),
      objectText({
        type: "resource",
        resource: { uri: "weather://shanghai/hourly", mimeType: "text/csv", text: "hour,celsius\n9,17\n10,18" },
      }),
      objectText({ city: "上海", celsius: 18 }),
    ],
    buttons: cut,
    missing: "1 image. Open shows all of it.",
  },
  toolError: {
    ...ran,
    facts: [
      ...ran.facts,
      "The tool says that this is an error.",
      "Approving delivers exactly this result. What was run is behind Open; denying does not undo it.",
    ],
    framed: ["There is no such city."],
    buttons: all,
  },
};
const cases = Object.entries<Said>(said).map(
  ([name, expected]) => [name, control[name as keyof typeof said] as ReviewView, expected] as const,
);

describe("a message", () => {
  test.each(cases)("says who asks for what, shows it, and has the buttons that this allows: %s", (_name, view, expected) => {
    const message = accepted(slackMessage(input(view)));
    const lines = linesOf(message);
    expect(message.text).toMatch(new RegExp(`^${expected.title} · 9 min( · \\d+ warnings?)?$`));
    expect(lines[0]?.replace(/ · \d+ warnings?$/, "")).toBe(`${expected.title} · until 14:52 UTC`);
    expect(lines).toEqual(expect.arrayContaining([`${expected.lead} You are asked to decide.`]));
    for (const fact of expected.facts) expect(lines.join("\n")).toContain(fact);
    expect(preformattedOf(message)).toEqual(expected.framed);
    expect(buttonsOf(message)).toEqual(expected.buttons);
    const missing = lines.find((line) => line.startsWith("Not everything is shown here, so it cannot be approved here. Not shown: "));
    expect(missing?.replace(/^.*Not shown: /, "")).toBe(expected.missing);
    expect(lines.join("\n")).not.toContain("Asked by");
  });

  test.each(cases)("without the content has its facts, and can be denied only: %s", (_name, view, { title, lead }) => {
    const message = accepted(slackMessage(input(view, { excerpt: "none" })));
    expect(message.text).toContain(`${title} · 9 min`);
    expect(linesOf(message).join("\n")).toContain(lead);
    expect(linesOf(message).join("\n")).toContain("The client asks for itself.");
    expect(preformattedOf(message)).toEqual([]);
    expect(buttonsOf(message)).toEqual(cut);
  });

  test("that ends says what it was about, and nothing of the content", () => {
    for (const view of [control.approvedCall, control.deniedCall] satisfies ReviewView[]) {
      const message = accepted(slackEnding(view, words));
      expect(linesOf(message)).toContain("It was about: ci wanted to run weather_query on weather.");
      expect(JSON.stringify(message)).not.toMatch(/上海|Not this city/);
      expect(buttonsOf(message)).toEqual([]);
    }
  });
});

describe("the content", () => {
  const messagesOf = (view: ReviewView): SlackMessage[] => [
    slackMessage(input(view, { excerpt: "none" })),
    slackMessage(input(view, { excerpt: "none", inChannel: true, reference: null })),
    briefSlackMessage(input(view)),
    slackReminder(input(view)),
    slackEnding({ ...view, state: { kind: "denied", by: "Ada", at: 0, reason: marker } }, words),
  ];

  test("is in no message where the policy says none, wherever it is", () => {
    fc.assert(
      fc.property(markedView, (view) => {
        for (const message of messagesOf(view)) {
          expect(JSON.stringify(accepted(message))).not.toContain(marker);
          expect(buttonsOf(message)).not.toContain("approve");
        }
      }),
      { numRuns: 300 },
    );
  });

  test("is not the numbers of vectors where the policy says none", () => {
    for (const message of messagesOf(markedVectors)) expect(JSON.stringify(message)).not.toContain(String(markedNumber));
    expect(JSON.stringify(slackMessage(input(markedVectors)))).toContain(String(markedNumber));
  });

  test("that is not there whole cannot be approved or edited; and Slack takes every message", () => {
    let whole = 0;
    fc.assert(
      fc.property(markedView, (view) => {
        const message = accepted(slackMessage(input(view)));
        const isWhole = buttonsOf(message).includes("approve");
        expect(buttonsOf(message)).toEqual(isWhole ? all : cut);
        expect(
          linesOf(message).some((line) =>
            /^(?:Not everything is shown here|The policy keeps the content|The content is too long)/.test(line),
          ),
        ).toBe(!isWhole);
        if (!isWhole) return;
        whole += 1;
        const kinds = [...JSON.stringify(view.gate === "request" ? view.request : view.reply).matchAll(/"type":"(\w+)"/g)].map(
          ([, type]) => type,
        );
        for (const kind of ["image", "audio", "embedding"]) expect(kinds).not.toContain(kind);
        // An empty result has nothing to show.
        const isEmpty = !JSON.stringify(view.gate === "request" ? view.request : view.reply).includes(marker);
        expect(JSON.stringify(message).includes(marker)).toBe(!isEmpty);
      }),
      { numRuns: 300 },
    );
    expect(whole).toBeGreaterThan(20);
  });
});

describe("what is large", () => {
  const texts = (count: number, text: string): ReviewView => ({
    ...control.embedding,
    request: {
      ...control.embedding.request,
      messages: Array.from({ length: count }, () => ({ role: "user", content: [{ type: "text", text }] })),
    },
  });
  const vectors = (count: number, length: number): ReviewView => ({
    ...control.embeddingReply,
    reply: {
      content: Array.from({ length: count }, (_, n) => ({
        type: "embedding" as const,
        vector: Array.from({ length }, (_, i) => -Math.abs(Math.sin(n + i)) * 1e-300),
      })),
      model: "m",
    },
  });
  const resulting = (structuredContent: JsonObject, text: string): ReviewView =>
    returning({ content: [{ type: "text", text }], structuredContent });

  test.each<[string, ReviewView, RegExp]>([
    ["256 short texts", texts(256, "x"), /226 characters of text/],
    ["256 texts of 8,000 characters", texts(256, "x".repeat(8_000)), /2,04\d,\d{3} characters of text/],
    ["256 texts that all have to be escaped", texts(256, "&<>".repeat(1_000)), /7\d\d,\d{3} characters of text/],
    ["31 texts", texts(31, "x"), /1 character of text/],
    ["one vector of 4,096 numbers", vectors(1, 4_096), /1 vector\b/],
    ["256 vectors of 4,096 numbers", vectors(256, 4_096), /256 vectors/],
    ["arguments of 100 KB in one text", calling({ text: "x".repeat(100_000) }), /9\d,\d{3} characters of text/],
    [
      "arguments of 100 KB in many members",
      calling(Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`member-${i}`, `<&>"\\${i}`]))),
      /\d{3},\d{3} characters of text/,
    ],
    ["a result of 100 KB", resulting({ text: "y".repeat(50_000) }, "x".repeat(50_000)), /9\d,\d{3} characters of text/],
    [
      "a result of 1,000 parts",
      returning({ content: Array.from({ length: 1_000 }, () => ({ type: "text", text: "part" })) }),
      /3,\d{3} characters of text/,
    ],
  ])("Slack takes the message, which can be denied only and says how much is missing: %s", (_name, view, missing) => {
    for (const more of [{}, { excerpt: "none" }, { inChannel: true, reference: null }] satisfies Partial<SlackMessageInput>[]) {
      const message = accepted(slackMessage(input(view, more)));
      expect(buttonsOf(message)).toEqual("reference" in more ? [] : cut);
    }
    expect(linesOf(slackMessage(input(view))).join("\n")).toMatch(missing);
    accepted(briefSlackMessage(input(view)));
  });

  test("arguments are shown as they are sent, with what the server says of its tool", () => {
    const message = accepted(slackMessage(input(typedCall)));
    expect(message.text).toContain("Claude Code wants to run delete_branch on github · 9 min");
    expect(preformattedOf(message).join("\n")).toContain('"id": 9007199254740993,');
    expect(linesOf(message)).toContain("The server says: not read-only, destructive, not idempotent.");
    expect(buttonsOf(message)).toEqual(all);
    const long = withArguments(typedCall.request, JSON.stringify({ owner: "acme", branch: "b", note: "x".repeat(3_000) }));
    expect(buttonsOf(accepted(slackMessage(input({ ...typedCall, request: long }))))).toEqual(cut);
  });

  test("arguments are approved in Slack up to what one text may hold, and not beyond", () => {
    const most = 3_000 - objectText({ name: "weather_query", input: { text: "" } }).length;
    expect(buttonsOf(accepted(slackMessage(input(calling({ text: "x".repeat(most) })))))).toEqual(all);
    expect(buttonsOf(accepted(slackMessage(input(calling({ text: "x".repeat(most + 1) })))))).toEqual(cut);
  });
});

describe("a modal", () => {
  test.each([
    [control.toolCall, "Deny this run", "Other reviewers can see this reason. The client is not told."],
    [control.toolError, "Deny this result", "The client will be told this reason."],
    [control.embedding, "Deny this request", "The client is not told."],
  ] satisfies [ReviewView, string, string][])("for a denial says what is denied, and who hears of the reason", (view, title, sentence) => {
    const modal = denyModal(view, "r".repeat(112), words);
    expect(viewRefusal(modal)).toBeNull();
    expect(modal.title.text).toBe(title);
    expect(JSON.stringify(modal)).toContain(sentence);
    expect(JSON.stringify(modal)).not.toContain("The server");
  });

  test("for a denial of a call has a box that stops its tool, where its reviewer may", () => {
    const stops = (view: ReviewView): unknown[] => {
      const modal = denyModal(view, "r".repeat(112), words);
      expect(viewRefusal(modal)).toBeNull();
      return modal.blocks.filter((block) => block.type === "input" && block.element.type === "checkboxes");
    };
    expect(stops({ ...control.toolCall, mayStop: "session" })).toMatchObject([
      { block_id: "stop", optional: true, element: { options: [{ text: { text: "Stop this tool for the session" } }] } },
    ]);
    expect(stops(control.embedding)).toEqual([]);
  });

  test("for arguments has one field with exactly these, and says that submitting runs them", () => {
    const modal = editModal(control.editedCall, "r".repeat(112), words);
    expect(viewRefusal(modal)).toBeNull();
    expect(modal?.blocks.filter(({ type }) => type === "input")).toMatchObject([
      {
        block_id: "/arguments",
        label: { text: "Arguments" },
        element: { initial_value: objectText({ city: "北京", date: "2025-10-30" }) },
      },
    ]);
    expect(modal).toMatchObject({ title: { text: "Edit the arguments" }, submit: { text: "Approve and run" } });
    expect(JSON.stringify(modal)).toContain("Approving runs exactly what is in these fields");
  });

  test("for texts has a field for each, and for vectors there is none", () => {
    const modal = editModal(control.embedding, "r".repeat(112), words);
    expect(viewRefusal(modal)).toBeNull();
    const labels = modal?.blocks.flatMap((block) => (block.type === "input" ? [block.label.text] : []));
    expect(labels).toEqual(["Text 1", "Text 2", "Text 3"]);
    expect(editModal(control.embeddingReply, "r".repeat(112), words)).toBeNull();
  });
});
