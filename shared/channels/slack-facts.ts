// The facts and risk notes in a Slack message of a review, without the content.

import { asksWords, costWords } from "./fact-words.ts";
import { type Inline, type SlackBlock, cutAt, filled, list, moment, named, paragraph, say, shownText, strong } from "./slack-blocks.ts";
import { reviewWords, slackWords as words } from "./words/words.ts";
import type { NamedModel, SamplingRequest } from "../model/sampling.ts";
import type { ReviewFacts, Serving } from "../review/review-facts.ts";
import { unreachable } from "../result.ts";
import type { ReviewView, ShownModel } from "../review/view.ts";

/** How many models, risk notes and other notes are shown; the rest is counted. */
export const mostLines = 20;

/** `isBrief` leaves out what may be long. `excerpt` "none" also leaves out facts that are part of the content. */
type FactsShown = { readonly inChannel: boolean; readonly isBrief: boolean; readonly excerpt: "none" | "start" };

/** Who asks, what for, which models, what it costs, and the deadline. */
export function factLines(view: ReviewView, facts: ReviewFacts, { inChannel, isBrief, excerpt }: FactsShown): SlackBlock {
  const { requestor, version } = view;
  const { editedBy, quorum } = facts;
  return list([
    [
      ...filled(`${asksWords(facts)} `, {
        server: named(requestor.server),
        client: named(requestor.client),
        method: named(requestor.method),
        name: named(requestor.name),
      }),
      say(reviewWords.sure[facts.sureness].short),
    ],
    ...(requestor.gone ? [[say(reviewWords.gone)]] : []),
    ...(isBrief ? [] : servingFacts(facts.serving, view, facts, excerpt)),
    ...(isBrief ? [] : noteFacts(view.notes)),
    ...(editedBy === null ? [] : [filled(words.facts.version, { version: say(String(version)), by: named(editedBy) })]),
    filled(inChannel ? words.facts.channel : words.facts.reviewer, { reviewer: named(view.reviewer), rule: named(view.rule) }),
    filled(reviewWords.silence, { at: moment(facts.deadline.at) }),
    ...(quorum === null ? [] : [[say(words.facts.quorum(quorum.votes, quorum.needed))]]),
  ]);
}

function servingFacts(serving: Serving, view: ReviewView, facts: ReviewFacts, excerpt: FactsShown["excerpt"]): Inline[][] {
  const { request, reply, cachedAt = null } = view;
  const cached = cachedAt === null ? [] : [filled(reviewWords.cached, { at: moment(cachedAt) })];
  switch (serving.kind) {
    case "goesTo":
      return [...whichModels(serving.models, facts), ...settingFacts(request, facts)];
    case "runs":
      return [
        ...serving.on
          .slice(0, mostLines)
          .map(({ id, provider, why }) =>
            filled(words.facts.runs, { server: named(provider), model: named(id), why: say(shortened(reviewWords.modelWhy(why))) }),
          ),
        ...settingFacts(request, facts),
      ];
    case "answered":
      return [
        filled(words.facts.answered, { model: named(serving.by?.id ?? ""), name: named(serving.realName) }),
        // Vectors have no finish reason.
        ...(facts.embedding !== null && serving.stopReason === undefined ? [] : [stopFact(serving.stopReason)]),
        ...(facts.cost === null ? [] : [[say(words.facts.cost(costWords(facts.cost)))]]),
        ...formOf(facts),
        ...cached,
      ];
    case "written":
      return [filled(words.facts.written, { by: named(serving.by) }), ...formOf(facts)];
    case "ran":
      return [
        filled(words.facts.ran, { model: named(serving.on?.id ?? serving.realName) }),
        ...resultFacts(reply, excerpt),
        ...formOf(facts),
        ...cached,
      ];
    default:
      return unreachable(serving);
  }
}

const whichModels = (models: readonly ShownModel[], { namedModel, cost }: ReviewFacts): Inline[][] => [
  ...models.slice(0, mostLines).map(({ id, provider, why, worstCostUsd }, i) => [
    ...filled(i === 0 ? words.facts.model : words.facts.next, {
      model: named(id),
      provider: named(provider),
      cost: say(costWords({ kind: "atMost", usd: worstCostUsd })),
    }),
    say(`. ${shortened(reviewWords.modelWhy(why))}`),
  ]),
  ...(namedModel === null ? [] : [namedFact(namedModel)]),
  ...(cost === null ? [] : [[say(words.facts.worstCost(reviewWords.money(cost.usd)))]]),
];

const namedFact = ({ name, version, provider }: NamedModel): Inline[] => [
  ...filled(version === undefined ? reviewWords.named : reviewWords.namedVersion, {
    name: named(name),
    version: named(version ?? ""),
  }),
  ...(provider === undefined ? [] : filled(` ${reviewWords.namedProvider}`, { provider: named(provider) })),
];

const stopFact = (reason: string | undefined): Inline[] =>
  filled(words.facts.stopped, { reason: reason === undefined ? say(reviewWords.noStopReason) : named(reason) });

/** The settings that the request has. Embeddings and tool runs have fewer. */
const settingFacts = (
  { maxTokens, temperature, topP, topK, toolChoice }: SamplingRequest,
  { embedding, replyForm }: ReviewFacts,
): Inline[][] =>
  [
    maxTokens === undefined ? undefined : words.facts.settings(maxTokens),
    embedding === null ? undefined : reviewWords.texts(embedding.texts),
    temperature === undefined ? undefined : words.facts.temperature(temperature),
    topP === undefined ? undefined : words.facts.topP(topP),
    topK === undefined ? undefined : words.facts.topK(topK),
    replyForm === null ? undefined : replyForm === "json" ? reviewWords.json : words.facts.jsonSchema,
    toolChoice === undefined ? undefined : words.facts.toolChoice(toolChoice),
  ].flatMap((line) => (line === undefined ? [] : [[say(line)]]));

/** The form that an edited reply must keep. */
const formOf = ({ replyForm }: ReviewFacts): Inline[][] =>
  replyForm === null ? [] : [[say(replyForm === "json" ? reviewWords.json : words.facts.jsonSchemaBehind)]];

const resultFacts = (reply: ReviewView["reply"], excerpt: FactsShown["excerpt"]): Inline[][] =>
  (reply?.content ?? [])
    .slice(0, mostLines)
    .flatMap((block) =>
      block.type !== "tool_result"
        ? []
        : [
            ...(excerpt === "none" ? [] : [filled(words.facts.toolUse, { id: named(block.toolUseId) })]),
            ...(block.isError === true ? [[strong(reviewWords.toolError)]] : []),
          ],
    );

const noteFacts = (notes: ReviewView["notes"]): Inline[][] =>
  notes.slice(0, mostLines).map((note) => filled(words.facts.note, { note: say(shortened(reviewWords.note(note))) }));

/** A sentence that may quote text from outside, shortened and with invisible characters named. */
const shortened = (sentence: string): string => cutAt(shownText(cutAt(sentence, longestSentence)), 2 * longestSentence);
const longestSentence = 300;

/** The risk notes, the gravest first. */
export function riskBlocks({ risks }: ReviewFacts): SlackBlock[] {
  if (risks.length === 0) return [];
  const lines = risks
    .slice(0, mostLines)
    .map((risk) => [strong(`${reviewWords.riskLevels[risk.level]}: `), say(shortened(reviewWords.risk(risk)))]);
  const more = risks.length - lines.length;
  return [paragraph(strong(reviewWords.risks)), list(more > 0 ? [...lines, [say(words.risks.more(more))]] : lines)];
}
