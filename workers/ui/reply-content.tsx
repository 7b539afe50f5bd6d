// A model's reply as it would be delivered: every part, its finish reason and its cost.

import type { EmbeddingBlock, SamplingReply } from "../../shared/model/sampling.ts";
import { replyFields } from "../../shared/review/editable-fields.ts";
import { beginningOfVector, vectorsIn, vectorsWords } from "../../shared/review/vectors.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { originsOf } from "./asking-words.ts";
import type { Editing } from "./edit-field.tsx";
import { Name } from "./outside-text.tsx";
import { BlockPiece, type Showing } from "./pieces.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";
import { placeId } from "./place-id.ts";
import { fill } from "./sentence.tsx";

const mostVectors = 100;

/** The beginning of each vector. Numbers need no frame. */
const Vectors = ({ vectors }: { vectors: readonly EmbeddingBlock[] }) => (
  <section class="piece" id={placeId("/content/0")}>
    <h3>{vectorsWords(vectors)}</h3>
    <p>{words.pieces.vectorsLead}</p>
    <ol class="vectors">
      {vectors.slice(0, mostVectors).map((vector) => (
        <li>{beginningOfVector(vector)}</li>
      ))}
    </ol>
    {vectors.length > mostVectors ? <p>{words.pieces.moreVectors(vectors.length - mostVectors)}</p> : null}
  </section>
);

const Pieces = ({ reply, showing }: { reply: SamplingReply; showing: Showing }) => {
  const vectors = vectorsIn(reply);
  return (
    <>
      {reply.content.length === 0 ? <p>{reviewWords.outside.empty}</p> : null}
      {vectors.length === 0 ? null : <Vectors vectors={vectors} />}
      {reply.content.map((block, i) =>
        block.type === "embedding" ? null : (
          <section class="piece" id={placeId(`/content/${i}`)}>
            <h3>{reviewWords.place(`/content/${i}`, showing.kind)}</h3>
            {block.type === "tool_result" && block.isError === true ? <p class="notice">{reviewWords.toolError}</p> : null}
            <BlockPiece showing={showing} path={`/content/${i}`} block={block} />
          </section>
        ),
      )}
    </>
  );
};

/** The requested form, the finish reason and the cost. A tool's run has none of them, and vectors have no finish reason. */
const Facts = ({ reply, view }: { reply: SamplingReply; view: ReviewView }) => {
  const { kind, responseFormat } = view.request;
  if (kind === "function") return null;
  return (
    <dl class="facts card">
      {responseFormat === undefined ? null : (
        <>
          <dt>{words.settings.form}</dt>
          <dd>{responseFormat.schema === undefined ? reviewWords.json : words.settings.jsonSchemaAbove}</dd>
        </>
      )}
      {kind === "embedding" && reply.stopReason === undefined ? null : (
        <>
          <dt>{words.settings.stopReason}</dt>
          <dd>{reply.stopReason === undefined ? reviewWords.noStopReason : <Name value={reply.stopReason} />}</dd>
        </>
      )}
      <dt>{words.settings.realModel}</dt>
      <dd>
        <Name value={reply.model} />
      </dd>
      {view.usage === null ? null : (
        <>
          <dt>{words.settings.tokens}</dt>
          <dd>{kind === "embedding" ? words.settings.tokensRead(view.usage) : words.settings.usage(view.usage)}</dd>
        </>
      )}
      {view.costUsd === null ? null : (
        <>
          <dt>{words.glance.cost}</dt>
          <dd>{reviewWords.money(view.costUsd)}</dd>
        </>
      )}
    </dl>
  );
};

type ReplyContentProps = { reply: SamplingReply; asGenerated: SamplingReply | null; editing: Editing | undefined; view: ReviewView };

/** The whole reply with its facts. `asGenerated`: the original, where reviewers changed it. */
export const ReplyContent = ({ reply, asGenerated, editing, view }: ReplyContentProps) => {
  const origins = originsOf(view);
  const showing: Showing = {
    editing,
    original: asGenerated === null ? null : replyFields(asGenerated),
    kind: view.request.kind,
    from: origins.reply,
    edited: origins.replyEdited,
  };
  return (
    <>
      {view.cachedAt == null ? null : <p class="notice">{fill(reviewWords.cached, { at: reviewWords.time(view.cachedAt) })}</p>}
      <Pieces reply={reply} showing={showing} />
      <Facts reply={reply} view={view} />
    </>
  );
};

/** What is in a reply, in a line. */
export function replySummary(reply: SamplingReply): string {
  const vectors = vectorsIn(reply);
  if (vectors.length === reply.content.length && vectors.length > 0) return vectorsWords(vectors);
  const characters = [...replyFields(reply).values()].reduce((sum, text) => sum + text.length, 0);
  return [words.counts.blocks(reply.content.length), reviewWords.counts.characters(characters)].join(", ");
}
