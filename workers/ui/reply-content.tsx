// A model's reply as it would be delivered: every part of it, why it stopped and what it cost. It delivers nothing.

import type { ReplyBlock, SamplingReply } from "../../shared/protocol/sampling.ts";
import { objectText, replyFields } from "../../shared/review/fields.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { EditField, type Editing } from "./edit-field.tsx";
import { Media } from "./media.tsx";
import { Name, OutsideText, type Origin } from "./outside-text.tsx";
import { moneyWords, placeId, placeWords, reviewWords as words } from "./review-words.ts";
import { fill } from "./sentence.tsx";

type PieceProps = { block: ReplyBlock; path: string; editing: Editing | undefined; original: ReadonlyMap<string, string> | null };

const ReplyPiece = ({ block, path, editing, original }: PieceProps) => {
  const from = (field: string, text: string): Origin =>
    original !== null && original.get(field) !== text ? words.outside.editedReply : words.outside.model;
  switch (block.type) {
    case "text":
      return (
        <>
          <OutsideText text={block.text} from={from(`${path}/text`, block.text)} />
          <EditField editing={editing} path={`${path}/text`} text={block.text} kind="text" />
        </>
      );
    case "tool_use": {
      const text = objectText(block.input);
      return (
        <>
          <h4>{fill(words.pieces.toolUse, { name: <Name value={block.name} />, id: <Name value={block.id} /> })}</h4>
          <OutsideText text={text} from={from(`${path}/input`, text)} />
          <EditField editing={editing} path={`${path}/input`} text={text} kind="object" />
        </>
      );
    }
    case "tool_result":
    case "embedding": {
      const text = JSON.stringify(block, null, 2);
      return <OutsideText text={text} from={words.outside.model} />;
    }
    case "image":
    case "audio":
      return (
        <>
          <h4>{block.type === "image" ? words.pieces.image : words.pieces.audio}</h4>
          <Media data={block.data} mimeType={block.mimeType} place={placeWords(path)} from={words.outside.model} />
        </>
      );
  }
};

type ReplyContentProps = { reply: SamplingReply; asGenerated: SamplingReply | null; editing: Editing | undefined; view: ReviewView };

/** The whole reply with its facts. `asGenerated` is what the model said, where reviewers changed it. */
export const ReplyContent = ({ reply, asGenerated, editing, view }: ReplyContentProps) => {
  const original = asGenerated === null ? null : replyFields(asGenerated);
  return (
    <>
      {reply.content.length === 0 ? <p>{words.outside.empty}</p> : null}
      {reply.content.map((block, i) => (
        <section class="piece" id={placeId(`/content/${i}`)}>
          <h3>{placeWords(`/content/${i}`)}</h3>
          <ReplyPiece block={block} path={`/content/${i}`} editing={editing} original={original} />
        </section>
      ))}
      <dl class="facts card">
        <dt>{words.settings.stopReason}</dt>
        <dd>{reply.stopReason === undefined ? words.settings.noStopReason : <Name value={reply.stopReason} />}</dd>
        <dt>{words.settings.realModel}</dt>
        <dd>
          <Name value={reply.model} />
        </dd>
        {view.usage === null ? null : (
          <>
            <dt>{words.settings.tokens}</dt>
            <dd>{words.settings.usage(view.usage)}</dd>
          </>
        )}
        {view.costUsd === null ? null : (
          <>
            <dt>{words.glance.cost}</dt>
            <dd>{moneyWords(view.costUsd)}</dd>
          </>
        )}
      </dl>
    </>
  );
};

/** What a reply holds, in a line. */
export function replySummary(reply: SamplingReply): string {
  const characters = [...replyFields(reply).values()].reduce((sum, text) => sum + text.length, 0);
  return [words.counts.blocks(reply.content.length), words.counts.characters(characters)].join(", ");
}
