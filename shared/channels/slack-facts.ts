// The facts beside the content in a Slack message of a review, and its risk notes. No content of the review is in them.

import { asksWords } from "./asking.ts";
import { type Inline, type SlackBlock, cutAt, filled, list, moment, named, paragraph, say, shownText, strong } from "./slack-blocks.ts";
import { costWords, noteWords, slackWords as words, sureWords } from "./slack-words.ts";
import type { NamedModel, SamplingRequest } from "../model/sampling.ts";
import type { ReviewView } from "../review/view.ts";

/** Of models, of risk notes and of other notes: the rest is counted. */
export const mostLines = 20;

/** `isBrief` leaves out what may be long. `excerpt`: under `none` there are no facts that are part of the content either. */
type FactsShown = { readonly inChannel: boolean; readonly isBrief: boolean; readonly excerpt: "none" | "start" };

/** Who asks, what for, what it goes to or came from, what it costs, and by when: all but the content. */
export function factLines(view: ReviewView, { inChannel, isBrief, excerpt }: FactsShown): SlackBlock {
  const { asker } = view;
  const details = isBrief ? [] : view.gate === "request" ? requestFacts(view) : replyFacts(view, excerpt);
  const lines: Inline[][] = [
    [
      ...filled(`${asksWords(view, true)} `, {
        server: named(asker.server),
        client: named(asker.client),
        method: named(asker.method),
        name: named(asker.name),
      }),
      say(sureWords(asker)),
    ],
    ...(asker.gone ? [[say(words.facts.gone)]] : []),
    ...details,
    ...view.versions.flatMap(({ version, by }) =>
      by === null || version !== view.version ? [] : [filled(words.facts.version, { version: say(String(version)), by: named(by) })],
    ),
    filled(inChannel ? words.facts.channel : words.facts.reviewer, { reviewer: named(view.reviewer), rule: named(view.rule) }),
    filled(words.facts.deadline, { at: moment(view.deadlineAt) }),
  ];
  const votes = view.state.kind === "voted" ? view.state.votes : 0;
  if (view.quorum > 1) lines.push([say(words.facts.quorum(votes, view.quorum))]);
  return list(lines);
}

const requestFacts = (view: ReviewView): Inline[][] => [
  ...(view.request.task === "function" ? whereItRuns(view) : whichModels(view)),
  ...settingFacts(view.request),
  ...noteFacts(view.notes),
];

const whichModels = ({ models, worstCostUsd, request: { namedModel } }: ReviewView): Inline[][] => [
  ...models.slice(0, mostLines).map(({ id, provider, why, worstCostUsd: cost }, i) => [
    ...filled(i === 0 ? words.facts.model : words.facts.next, {
      model: named(id),
      provider: named(provider),
      cost: say(costWords(cost, true)),
    }),
    say(`. ${shortened(why)}`),
  ]),
  ...(namedModel === undefined ? [] : [namedFact(namedModel)]),
  [say(words.facts.worstCost(costWords(worstCostUsd, false)))],
];

const namedFact = ({ name, version, provider }: NamedModel): Inline[] => [
  ...filled(version === undefined ? words.facts.namedModel : words.facts.namedVersion, {
    name: named(name),
    version: named(version ?? ""),
  }),
  ...(provider === undefined ? [] : filled(` ${words.facts.namedProvider}`, { provider: named(provider) })),
];

const whereItRuns = ({ models }: ReviewView): Inline[][] =>
  models
    .slice(0, mostLines)
    .map(({ id, provider, why }) => filled(words.facts.runs, { server: named(provider), model: named(id), why: say(shortened(why)) }));

/** What nothing is asked for, and what means nothing where no model writes, is left out. */
const settingFacts = ({ task, messages, maxTokens, temperature, topP, topK, responseFormat, toolChoice }: SamplingRequest): Inline[][] =>
  [
    task === undefined ? words.facts.settings(maxTokens) : undefined,
    task === "embedding" ? words.facts.texts(messages.length) : undefined,
    temperature === undefined ? undefined : words.facts.temperature(temperature),
    topP === undefined ? undefined : words.facts.topP(topP),
    topK === undefined ? undefined : words.facts.topK(topK),
    responseFormat === undefined ? undefined : responseFormat.schema === undefined ? words.facts.json : words.facts.jsonSchema,
    toolChoice === undefined ? undefined : words.facts.toolChoice(toolChoice),
  ].flatMap((line) => (line === undefined ? [] : [[say(line)]]));

const replyFacts = (view: ReviewView, excerpt: FactsShown["excerpt"]): Inline[][] => [
  ...(view.request.task === "function" ? resultFacts(view, excerpt) : modelFacts(view)),
  ...formOf(view.request),
  ...(view.cachedAt == null ? [] : [filled(words.facts.cached, { at: moment(view.cachedAt) })]),
  ...noteFacts(view.notes),
];

const modelFacts = ({ answeredBy, reply, request, costUsd }: ReviewView): Inline[][] => [
  filled(words.facts.answered, { model: named(answeredBy?.id ?? ""), name: named(reply?.model ?? "") }),
  // Vectors have no end that could be early.
  ...(request.task === "embedding" && reply?.stopReason === undefined
    ? []
    : [filled(words.facts.stopped, { reason: reply?.stopReason === undefined ? say(words.facts.noStopReason) : named(reply.stopReason) })]),
  ...(costUsd === null ? [] : [[say(words.facts.cost(costWords(costUsd, false)))]]),
];

/** What a reply that a reviewer changes has to be still. */
const formOf = ({ responseFormat }: SamplingRequest): Inline[][] =>
  responseFormat === undefined ? [] : [[say(responseFormat.schema === undefined ? words.facts.json : words.facts.jsonSchemaBehind)]];

const resultFacts = ({ answeredBy, reply }: ReviewView, excerpt: FactsShown["excerpt"]): Inline[][] => [
  filled(words.facts.ran, { model: named(answeredBy?.id ?? reply?.model ?? "") }),
  ...(reply?.content ?? [])
    .slice(0, mostLines)
    .flatMap((block) =>
      block.type !== "tool_result"
        ? []
        : [
            ...(excerpt === "none" ? [] : [filled(words.facts.toolUse, { id: named(block.toolUseId) })]),
            ...(block.isError === true ? [[strong(words.facts.toolError)]] : []),
          ],
    ),
];

const noteFacts = (notes: ReviewView["notes"]): Inline[][] =>
  notes.slice(0, mostLines).map((note) => filled(words.facts.note, { note: say(shortened(noteWords(note))) }));

/** A sentence of another part of the gateway, which may quote something from outside. */
const shortened = (sentence: string): string => cutAt(shownText(cutAt(sentence, longestSentence)), 2 * longestSentence);
const longestSentence = 300;

const levels = ["high", "medium", "low"] as const;

/** The risk notes, the gravest first. */
export function riskBlocks({ risks: all }: ReviewView): SlackBlock[] {
  if (all.length === 0) return [];
  const sorted = levels.flatMap((level) => all.filter((risk) => risk.level === level));
  const lines = sorted.slice(0, mostLines).map(({ level, message }) => [strong(`${level}: `), say(shortened(message))]);
  const more = sorted.length - lines.length;
  return [paragraph(strong(words.risks.heading)), list(more > 0 ? [...lines, [say(words.risks.more(more))]] : lines)];
}
