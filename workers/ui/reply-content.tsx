// A model's reply as it would be delivered: every part, its finish reason and its cost.

import type { Usage } from "../../shared/model/call.ts";
import type { EmbeddingBlock, SamplingReply, SamplingRequest } from "../../shared/model/sampling.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { fieldsOf } from "../../shared/review/subject/parts.ts";
import { beginningOfVector, vectorsIn, vectorSizes, vectorsWords } from "../../shared/review/vectors.ts";
import type { MessageView } from "../../shared/review/view.ts";
import type { Origins } from "./request-kind-words.ts";
import { useWords } from "./language.ts";
import { Time } from "./names.tsx";
import { type FramedPart, Frames, Name } from "./outside-text.tsx";
import { blockParts } from "./pieces.tsx";
import { placeId } from "./place-id.ts";
import { Row, TallRow } from "./request-settings.tsx";
import { fill, fillText } from "./sentence.tsx";
import { type Showing, TextPart } from "./text-part.tsx";

const mostVectors = 100;

/** The beginning of each vector. Numbers need no stripes. */
const Vectors = ({ vectors, prefix }: { vectors: readonly EmbeddingBlock[]; prefix: string }) => {
  const {
    lang,
    page: { pieces },
    review,
  } = useWords();
  return (
    <section class="card" id={prefix + placeId("/content/0")}>
      <h2>{vectorsWords(vectorSizes(vectors), review.vectors, lang)}</h2>
      <p>{pieces.vectorsLead}</p>
      <ol class="vectors">
        {vectors.slice(0, mostVectors).map((vector) => (
          <li>{beginningOfVector(vector)}</li>
        ))}
      </ol>
      {vectors.length > mostVectors ? <p>{fill(pieces.moreVectors, { n: vectors.length - mostVectors })}</p> : null}
    </section>
  );
};

/** The requested form, the finish reason and the tokens. Vectors have no finish reason. */
export const ReplyRows = ({ reply, view }: { reply: SamplingReply; view: MessageView }) => {
  const { page, review } = useWords();
  const { kind } = view.request;
  return (
    <>
      {kind === "embedding" && reply.stopReason === undefined ? null : (
        <Row name={page.settings.stopReason}>
          {reply.stopReason === undefined ? review.noStopReason : <Name value={reply.stopReason} />}
        </Row>
      )}
      <TallRow name={page.settings.realModel}>
        <Name value={reply.model} />
      </TallRow>
      {view.usage === null ? null : <Row name={page.settings.tokens}>{usageWords(view.usage, kind, page)}</Row>}
    </>
  );
};

type ReplyContentProps = {
  readonly reply: SamplingReply;
  readonly showing: Showing;
  readonly origins: Origins;
  readonly view: MessageView;
  readonly prefix?: string;
};

function replyParts({ reply, showing, origins, prefix = "" }: ReplyContentProps, words: Words): FramedPart[] {
  const { page } = words;
  const of = reply.content.length;
  if (of === 0) {
    return [{ from: origins.reply, part: <TextPart showing={showing} path="/content" fixed title={page.pieces.reply} text="" /> }];
  }
  return reply.content.flatMap((block, i) => {
    if (block.type === "embedding") return [];
    const title = block.type === "tool_result" ? "" : of === 1 ? page.pieces.reply : fillText(page.pieces.replyPart, { n: String(i + 1) });
    const context = { showing, words, from: origins.reply, id: prefix + placeId(`/content/${i}`), title, role: "model" } as const;
    return blockParts(context, `/content/${i}`, block);
  });
}

/** The whole reply. */
export const ReplyContent = (props: ReplyContentProps) => {
  const words = useWords();
  const { reply, view } = props;
  const vectors = vectorsIn(reply);
  return (
    <>
      {view.cachedAt == null ? null : (
        <div class="note mind">
          {/* One child, because a note's children stand side by side. */}
          <p>{fill(words.review.cached, { at: <Time at={view.cachedAt} now={view.now} /> })}</p>
        </div>
      )}
      {vectors.length === 0 ? null : <Vectors vectors={vectors} prefix={props.prefix ?? ""} />}
      <Frames parts={replyParts(props, words)} />
    </>
  );
};

export function usageWords(
  { inputTokens: input, outputTokens: output, cachedInputTokens: cached, estimated }: Usage,
  kind: SamplingRequest["kind"],
  { settings }: Words["page"],
): string {
  const usage =
    kind === "embedding"
      ? fillText(settings.tokensRead, { input })
      : cached === undefined
        ? fillText(settings.usage, { input, output })
        : fillText(settings.usageCached, { input, cached, output });
  return estimated === true ? fillText(settings.estimated, { usage }) : usage;
}

/** What is in a reply, in a line. */
export function replySummary(reply: SamplingReply, { lang, page, review }: Words): string {
  const vectors = vectorsIn(reply);
  if (vectors.length === reply.content.length && vectors.length > 0) return vectorsWords(vectorSizes(vectors), review.vectors, lang);
  const characters = [...fieldsOf(reply).values()].reduce((sum, text) => sum + text.length, 0);
  return [fillText(page.counts.blocks, { n: reply.content.length }), fillText(review.counts.characters, { n: characters })].join(
    review.marks.comma,
  );
}
