// What is reviewed, as its kind shows it: the request, and what came of it. The one place that
// draws the content of each kind.

import type { ToolResult } from "../../shared/model/subject/tool-call.ts";
import type { Plain } from "../../shared/model/subject/subject.ts";
import { placeWords } from "../../shared/channels/content-words.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { fieldsOf, textsOf } from "../../shared/review/subject/parts.ts";
import type { ReviewView, ToolCallView } from "../../shared/review/view.ts";
import { CallContent } from "./call-content.tsx";
import type { Origins } from "./request-kind-words.ts";
import { useWords } from "./language.ts";
import { Frames, type Origin } from "./outside-text.tsx";
import { resultParts } from "./pieces.tsx";
import { placeId } from "./place-id.ts";
import { ReplyContent, replySummary } from "./reply-content.tsx";
import { RequestContent, requestSummary } from "./request-content.tsx";
import { fillText } from "./sentence.tsx";
import { type Showing, TextPart } from "./text-part.tsx";

type Shown = {
  readonly showing: Showing;
  readonly origins: Origins;
  /** Keeps ids apart where a page has two contents. */
  readonly prefix?: string;
};

const Result = ({ result, showing, origins, prefix = "" }: Shown & { result: ToolResult }) => {
  const words = useWords();
  const idOf = (path: string): string => prefix + placeId(path);
  const context = { showing, words, from: origins.reply, id: idOf("/content/0"), title: words.page.pieces.result };
  return (
    <>
      {result.isError === true ? <p class="note mind">{words.review.toolError}</p> : null}
      <Frames parts={resultParts(context, "", result, idOf)} />
    </>
  );
};

/** Any other content: each of its texts, with a field where a reviewer may change it. */
const Texts = ({ content, from, showing, prefix = "" }: Omit<Shown, "origins"> & { content: Plain; from: Origin }) => {
  const words = useWords();
  const parts = textsOf(content).map(({ path, text, raw, isFixed }) => {
    const title = placeWords(path, words, content.kind);
    const kind = typeof raw === "string" ? "text" : "object";
    return {
      from,
      part: <TextPart showing={showing} path={path} fixed={isFixed} title={title} text={text} kind={kind} id={prefix + placeId(path)} />,
    };
  });
  return <Frames parts={parts} />;
};

const Call = ({ view, showing, origins, prefix = "" }: Shown & { view: ToolCallView }) => {
  const { outside } = useWords().page;
  const fromServer = { sentence: outside.server, names: { server: view.request.server } };
  const shown = { showing, from: origins.request, fromServer, prefix };
  return <CallContent call={view.request} before={view.before ?? null} {...shown} />;
};

/** The whole of a request but its settings, in frames that say who wrote it. */
export const RequestOf = ({ view, ...shown }: Shown & { view: ReviewView }) => {
  if (view.subject === "message") return <RequestContent request={view.request} {...shown} />;
  if (view.subject === "toolCall") return <Call view={view} {...shown} />;
  return <Texts content={view.request} from={shown.origins.request} {...shown} />;
};

/** The whole of what came of it; null where there is nothing. */
export const ReplyOf = ({ view, ...shown }: Shown & { view: ReviewView }) => {
  if (view.reply === null) return null;
  if (view.subject === "message") return <ReplyContent reply={view.reply} view={view} {...shown} />;
  if (view.subject === "toolCall") return <Result result={view.reply} {...shown} />;
  return <Texts content={view.reply} from={shown.origins.reply} {...shown} />;
};

/** What is in the request, in a line. */
export function requestSummaryOf({ request }: Pick<ReviewView, "request">, words: Words): string {
  if (request.kind === "chat" || request.kind === "embedding") return requestSummary(request, words);
  const { counts, marks } = words.review;
  const characters = textsOf(request).reduce((sum, { text }) => sum + text.length, 0);
  return [...(request.kind === "toolCall" ? [words.page.counts.arguments] : []), fillText(counts.characters, { n: characters })].join(
    marks.comma,
  );
}

/** The same of what came of it. */
export function replySummaryOf(reply: NonNullable<ReviewView["reply"]>, words: Words): string {
  if (!("kind" in reply)) return replySummary(reply, words);
  const { page, review } = words;
  const characters = [...fieldsOf(reply).values()].reduce((sum, text) => sum + text.length, 0);
  const pieces = reply.kind === "toolResult" ? [fillText(page.counts.blocks, { n: reply.content.length })] : [];
  return [...pieces, fillText(review.counts.characters, { n: characters })].join(review.marks.comma);
}
