// The sunset report: which MCP servers sample, and what a move to /v1 would change for each. No
// clock, no storage.

import * as z from "zod";
import { count, list as listOf, text, time } from "../json/answer-fields.ts";
import type { Feature } from "./request-use.ts";
import { type Counts, type ServerMonths, featuresUsed, outcomesOf } from "./server-use.ts";

/** What the report says of one server. */
export const sunsetLineSchema = () =>
  z.object({
    server: text(),
    /** Whether it has an entry in the servers document, and whether that has `v1Tokens`. */
    entry: z.enum(["none", "withoutV1Tokens", "withV1Tokens"]),
    /** Null where it has not sampled, but called /v1. */
    firstAt: time().nullable(),
    lastAt: time().nullable(),
    requests: count(),
    outcomes: z.record(text(), count()),
    broughtBy: listOf(z.object({ endpoint: text(), revision: text(), requests: count() })),
    models: listOf(z.object({ model: text(), requests: count() })),
    months: listOf(z.object({ month: text(), requests: count() })),
    usage: z.object({ inputTokens: count(), outputTokens: count(), costUsd: z.number() }),
    /** Its requests at /v1, with tokens of its own. */
    v1: z.object({ requests: count(), lastAt: time().nullable() }),
    /** What a move to /v1 changes for it, a sentence each. */
    moving: listOf(text()),
  });
export type SunsetLine = z.infer<ReturnType<typeof sunsetLineSchema>>;

export type ServerEntry = SunsetLine["entry"];

export function sunsetLine({ server, use, months }: ServerMonths, entry: ServerEntry): SunsetLine {
  const { firstAt, lastAt, requests, models, broughtBy, inputTokens, outputTokens, costUsd, v1 } = use;
  return {
    server,
    entry,
    firstAt: requests === 0 ? null : new Date(firstAt).toISOString(),
    lastAt: requests === 0 ? null : new Date(lastAt).toISOString(),
    requests,
    outcomes: Object.fromEntries(outcomesOf(use)),
    broughtBy: mostFirst(broughtBy).map(([name, count]) => {
      const [endpoint = "", revision = ""] = name.split(" ");
      return { endpoint, revision, requests: count };
    }),
    models: mostFirst(models).map(([model, count]) => ({ model, requests: count })),
    months: months.map(([month, count]) => ({ month, requests: count })),
    usage: { inputTokens, outputTokens, costUsd: Number(costUsd.toFixed(6)) },
    v1: { requests: v1?.requests ?? 0, lastAt: v1 === undefined ? null : new Date(v1.lastAt).toISOString() },
    moving: requests === 0 ? [] : movingToV1(featuresUsed(use), use.maxTokens, entry),
  };
}

const mostFirst = (counts: Counts): Counts => counts.toSorted(([, a], [, b]) => b - a);

/**
 * What changes for a server that calls `POST /v1/chat/completions` in place of sampling, a sentence
 * for each fact.
 * @param used What its requests used, in order.
 * @param maxTokens The most that a request asked for; 0 where that is not known.
 */
export function movingToV1(used: readonly Feature[], maxTokens: number, entry: ServerEntry): string[] {
  return [
    entrySentences[entry],
    "Each request becomes POST /v1/chat/completions: systemPrompt becomes the first message, with the role system.",
    ...(maxTokens === 0 ? [] : [`maxTokens becomes max_completion_tokens; the most that it asked for is ${maxTokens}.`]),
    ...used.map((feature) => featureSentences[feature]),
  ];
}

const entrySentences: Readonly<Record<ServerEntry, string>> = {
  withV1Tokens: "It may ask for tokens for /v1: its entry in the servers document has v1Tokens.",
  withoutV1Tokens: "It needs a token for /v1: write v1Tokens into its entry in the servers document.",
  none: "It needs a token for /v1, which its host gets for it with POST /tokens: it has no entry in the servers document.",
};

const featureSentences: Readonly<Record<Feature, string>> = {
  tools: "It uses tools: tools and toolChoice become tools and tool_choice, and each tool result a message with the role tool.",
  images: "It sends images: each becomes an image_url part with a data URL.",
  audio: "It sends audio: each becomes an input_audio part, as wav or mp3.",
  json: "It requires JSON with countersign/responseFormat: this becomes response_format.",
  stopSequences: "It sends stopSequences: they become stop.",
  preferences: "It sends modelPreferences: with the model auto, they become mcp.hints and the mcp priorities in metadata.",
  context: "It asks for context with includeContext, which is not available at /v1: it has to send what the model needs.",
  task: "It samples as a task, which is not available at /v1: the connection stays open until the reply is there.",
  review: "Its requests meet closed gates, and will at /v1: its SDK's timeout has to be longer than the policy's deadlineSeconds.",
};

/**
 * The report as plain text, for a terminal.
 * @param isComplete Whether every line of the ledger is counted.
 */
export function sunsetText(lines: readonly SunsetLine[], isComplete: boolean): string {
  const head = [
    ...(lines.length === 0 ? ["No MCP server has sampled."] : []),
    ...(isComplete ? [] : ["Not every request is counted yet: ask again."]),
  ];
  return `${[head, ...lines.map(paragraphOf)]
    .filter((paragraph) => paragraph.length > 0)
    .map((paragraph) => paragraph.join("\n"))
    .join("\n\n")}\n`;
}

function paragraphOf(line: SunsetLine): string[] {
  const { server, requests, firstAt, lastAt, v1 } = line;
  return [
    visible(server),
    `  sampled      ${requests === 0 ? "never" : `first ${firstAt}, last ${lastAt}`}`,
    ...(v1.requests === 0 ? [] : [`  at /v1       ${v1.requests} requests, last ${v1.lastAt}`]),
    ...(requests === 0 ? [] : samplingLines(line)),
  ];
}

const list = (items: readonly string[]): string => (items.length === 0 ? "none" : items.join(", "));

const samplingLines = ({ requests, outcomes, months, broughtBy, models, usage, moving }: SunsetLine): string[] => [
  `  requests     ${requests}: ${list(Object.entries(outcomes).map(([outcome, count]) => `${count} ${outcome}`))}`,
  `  by month     ${list(months.map((each) => `${each.month} ${each.requests}`))}`,
  `  brought by   ${list(broughtBy.map((each) => `${each.endpoint} in ${each.revision} ${each.requests}`))}`,
  `  models       ${list(models.map((each) => `${visible(each.model)} ${each.requests}`))}`,
  `  usage        ${usage.inputTokens} input tokens, ${usage.outputTokens} output tokens, $${usage.costUsd}`,
  "  moving to /v1",
  ...moving.map((sentence) => `  - ${sentence}`),
];

/** A host chooses its servers' names: no character of one may move a terminal's cursor or hide. */
const visible = (name: string): string => name.replaceAll(/\p{C}/gu, "\ufffd");
