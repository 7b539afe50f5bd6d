// What is reviewed, as its kind shows it: the request, and what came of it. The one place in which
// the page asks of what kind a review is.

import type { Form, ToolCall, ToolResult } from "../../shared/model/subject.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { objectText } from "../../shared/review/editable-fields.ts";
import { fieldsOf } from "../../shared/review/subject/parts.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import { unreachable } from "../../shared/result.ts";
import type { Origins } from "./asking-words.ts";
import { useWords } from "./language.ts";
import { Frames, Name } from "./outside-text.tsx";
import { resultParts } from "./pieces.tsx";
import { placeId } from "./place-id.ts";
import { ReplyContent, replySummary } from "./reply-content.tsx";
import { RequestContent, requestSummary } from "./request-content.tsx";
import { fill, fillText } from "./sentence.tsx";
import { type Showing, TextPart } from "./text-part.tsx";

type Shown = {
  readonly showing: Showing;
  readonly origins: Origins;
  /** Keeps ids apart where a page has two contents. */
  readonly prefix?: string;
};

/** What would run, with its arguments as one field. */
const Call = ({ call, showing, origins, prefix = "" }: Shown & { call: ToolCall }) => {
  const { pieces } = useWords().page;
  const title = fill(pieces.run, { name: <Name value={call.tool} /> });
  const path = "/arguments";
  const id = prefix + placeId(path);
  const part = <TextPart showing={showing} path={path} title={title} text={objectText(call.arguments)} kind="object" id={id} />;
  return <Frames parts={[{ from: origins.request, part }]} />;
};

const Result = ({ result, showing, origins, prefix = "" }: Shown & { result: ToolResult }) => {
  const words = useWords();
  const id = prefix + placeId("/content/0");
  const context = { showing, words, from: origins.reply, id, title: words.page.pieces.result, role: "model" } as const;
  return (
    <>
      {result.isError === true ? <p class="note mind">{words.review.toolError}</p> : null}
      <Frames parts={resultParts(context, "", result)} />
    </>
  );
};

/** What the server asks for. Nobody changes it: the answer is what is given. */
const Asked = ({ form, showing, origins, prefix = "" }: Shown & { form: Form }) => {
  const words = useWords();
  const { pieces } = words.page;
  const from = origins.request;
  const message = (
    <TextPart showing={showing} path="/message" fixed title={pieces.message.user} text={form.message} id={prefix + placeId("/message")} />
  );
  const schema = <TextPart showing={showing} path="/schema" fixed title={words.page.settings.form} text={objectText(form.schema)} folds />;
  return (
    <Frames
      parts={[
        { from, part: message },
        { from, part: schema },
      ]}
    />
  );
};

/** The whole of a request but its settings, in frames that say who wrote it. */
export const RequestOf = ({ view, ...shown }: Shown & { view: ReviewView }) => {
  switch (view.subject) {
    case "message":
      return <RequestContent request={view.request} {...shown} />;
    case "toolCall":
      return <Call call={view.request} {...shown} />;
    case "form":
      return <Asked form={view.request} {...shown} />;
    default:
      return unreachable(view);
  }
};

/** The whole of what came of it; null where there is nothing. */
export const ReplyOf = ({ view, ...shown }: Shown & { view: ReviewView }) => {
  switch (view.subject) {
    case "message":
      return view.reply === null ? null : <ReplyContent reply={view.reply} view={view} {...shown} />;
    case "toolCall":
      return view.reply === null ? null : <Result result={view.reply} {...shown} />;
    case "form":
      return null;
    default:
      return unreachable(view);
  }
};

/** What is in the request, in a line. */
export function requestSummaryOf({ request }: Pick<ReviewView, "request">, words: Words): string {
  if (request.kind === "chat" || request.kind === "embedding") return requestSummary(request, words);
  const { counts, marks } = words.review;
  if (request.kind === "form") return counts.characters(request.message.length);
  return [words.page.counts.arguments, counts.characters(objectText(request.arguments).length)].join(marks.comma);
}

/** The same of what came of it. */
export function replySummaryOf(reply: NonNullable<ReviewView["reply"]>, words: Words): string {
  if (!("kind" in reply)) return replySummary(reply, words);
  const { page, review } = words;
  const characters = [...fieldsOf(reply).values()].reduce((sum, text) => sum + text.length, 0);
  const pieces = reply.kind === "toolResult" ? [fillText(page.counts.blocks, { n: reply.content.length })] : [];
  return [...pieces, review.counts.characters(characters)].join(review.marks.comma);
}
