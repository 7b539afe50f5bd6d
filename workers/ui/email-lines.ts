// The facts of a review in an email, a line for each, for its text part and its HTML alike. Nothing
// of the content.

import type { Child } from "hono/jsx";
import { callSentences } from "../../shared/channels/content-words.ts";
import { accountWords, costWords } from "../../shared/channels/fact-words.ts";
import type { ToolCall } from "../../shared/model/subject/tool-call.ts";
import type { NamedModel } from "../../shared/model/sampling.ts";
import { unreachable } from "../../shared/result.ts";
import type { ReviewFacts } from "../../shared/review/review-facts.ts";
import { vectorSizes, vectorsWords } from "../../shared/review/vectors.ts";
import type { ReviewView, ShownModel } from "../../shared/review/view.ts";
import { asksOf } from "./request-kind-words.ts";
import { useWords } from "./language.ts";
import { fill, fillText } from "./sentence.tsx";

type Line = { readonly label: string; readonly sentences: readonly Child[][] };

/** The lines between the link and the content, for both parts. `name` marks text from outside. */
export function linesOf(view: ReviewView, facts: ReviewFacts, name: (text: string) => Child): Line[] {
  const { requestor } = view;
  const all = useWords();
  const { email: words, review } = all;
  const { quorum, riskCounts } = facts;
  const names = {
    server: name(requestor.server),
    client: name(requestor.client),
    method: name(requestor.method),
    name: name(requestor.name),
  };
  const lines: Line[] = [
    {
      label: words.facts.requestor,
      sentences: [
        fill(asksOf(facts, all).sentence, names),
        ...(requestor.gone ? [[review.gone]] : []),
        ...(facts.isRaised ? [[review.raised]] : []),
      ],
    },
    { label: words.facts.sure, sentences: [[review.sure[facts.associationConfidence].full]] },
    ...accountLines(view, name),
    ...servingLines(facts, name),
    ...formLines(view, facts),
    ...embeddingLines(facts),
  ];
  if (facts.cost !== null) lines.push({ label: words.facts.cost, sentences: [[costWords(facts.cost, all)]] });
  if (quorum !== null) {
    const votes = quorum.votes === 0 ? [] : [fill(words.facts.votes, { n: quorum.votes })];
    lines.push({ label: words.facts.people, sentences: [fill(words.facts.quorum, { n: quorum.needed }), ...votes] });
  }
  if (riskCounts.length > 0) {
    const counts = riskCounts
      .map(({ count, level }) => fillText(words.facts.risk, { n: count, level: review.riskLevels[level] }))
      .join(review.marks.comma);
    lines.push({ label: review.risks, sentences: [[`${counts}${review.marks.stop}`], [words.facts.risksThere]] });
  }
  lines.push({ label: words.facts.run, sentences: [[name(view.run)]] });
  return lines;
}

/** Whose own login at the server a call is sent with. */
function accountLines({ requestor }: ReviewView, name: (text: string) => Child): Line[] {
  const { review } = useWords();
  const found = accountWords(requestor, review);
  if (found === null) return [];
  const { account, owner, issuer } = found.names;
  const names = { account: name(account), owner: name(owner), issuer: name(issuer) };
  return [{ label: review.account.label, sentences: [fill(found.sentence, names)] }];
}

const mostModels = 5;

function servingLines({ serving, namedModel }: ReviewFacts, name: (text: string) => Child): Line[] {
  const {
    email: words,
    review: { marks },
  } = useWords();
  const named = (model: ShownModel): Child[] => fill(words.facts.model1, { name: name(model.id), provider: name(model.provider) });
  const where = ({ server, tool }: ToolCall): Child[] => fill(words.facts.run1, { server: name(server), name: name(tool) });
  switch (serving.kind) {
    case "goesTo": {
      const [first, ...others] = serving.models;
      if (first === undefined) return [{ label: words.facts.model, sentences: [[words.facts.noModel]] }];
      const listed = others.slice(0, mostModels).map((model, i) => (i === 0 ? named(model) : [marks.semicolon, ...named(model)]));
      const rest = others.length > mostModels ? [marks.semicolon, ...fill(words.facts.more, { n: others.length - mostModels })] : [];
      return [
        { label: words.facts.model, sentences: [named(first)] },
        ...(others.length === 0 ? [] : [{ label: words.facts.otherwise, sentences: [[...listed.flat(), ...rest]] }]),
        ...(namedModel === null ? [] : [namedLine(namedModel, name)]),
      ];
    }
    case "answered":
      return serving.by === null ? [] : [{ label: words.facts.answeredBy, sentences: [named(serving.by)] }];
    case "written":
      return [{ label: words.facts.writtenBy, sentences: [[name(serving.by)]] }];
    case "runs": {
      const more = callSentences(serving, useWords()).map((sentence) => [sentence]);
      return [{ label: words.facts.runs, sentences: [where(serving.call), ...more] }];
    }
    case "nobody":
      return [];
    case "ran":
      return [
        { label: words.facts.ran, sentences: [where(serving.call)] },
        ...(serving.isError ? [{ label: words.facts.toolSays, sentences: [[words.facts.toolError]] }] : []),
      ];
    default:
      return unreachable(serving);
  }
}

function namedLine({ name: wanted, version, provider }: NamedModel, name: (text: string) => Child): Line {
  const { email: words, review } = useWords();
  const more = [
    ...(version === undefined ? [] : [review.marks.comma, ...fill(words.facts.namedVersion, { version: name(version) })]),
    ...(provider === undefined ? [] : [review.marks.comma, ...fill(words.facts.namedProvider, { provider: name(provider) })]),
  ];
  return { label: words.facts.named, sentences: [[name(wanted), ...more, review.marks.stop], [words.facts.namedStandIn]] };
}

/** A tool's result has no requested form. */
function formLines(view: ReviewView, { replyForm }: ReviewFacts): Line[] {
  if (view.subject !== "message") return [];
  const { cachedAt } = view;
  const { email: words, numbers } = useWords();
  return [
    ...(replyForm === null
      ? []
      : [{ label: words.facts.form, sentences: [[replyForm === "json" ? words.facts.json : words.facts.jsonSchema]] }]),
    ...(cachedAt == null ? [] : [{ label: words.facts.cached, sentences: [fill(words.facts.cachedAt, { at: numbers.time(cachedAt) })] }]),
  ];
}

/** How many texts or vectors one approval covers. The number is no content. */
function embeddingLines({ gate, embedding }: ReviewFacts): Line[] {
  if (embedding === null) return [];
  const { lang, email: words, review } = useWords();
  if (gate === "request") return [{ label: words.facts.texts, sentences: [fill(review.texts, { n: embedding.texts })] }];
  const vectors = vectorsWords(vectorSizes(embedding.vectors), review.vectors, lang);
  return [{ label: words.facts.vectors, sentences: [[`${vectors}${review.marks.stop}`]] }];
}
