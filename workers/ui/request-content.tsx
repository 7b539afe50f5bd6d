// The texts of a sampling request that reach a provider, uncut and in order. Its settings are in
// request-settings.tsx.

import type { Child } from "hono/jsx";
import type { SamplingRequest, ToolDefinition, ToolResultBlock } from "../../shared/model/sampling.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { objectText } from "../../shared/review/editable-fields.ts";
import { fieldsOf } from "../../shared/review/subject/parts.ts";
import type { Origins } from "./request-kind-words.ts";
import { useWords } from "./language.ts";
import { Frames, type FramedPart, Name, OutsideText } from "./outside-text.tsx";
import { blockParts } from "./pieces.tsx";
import { placeId } from "./place-id.ts";
import { fill, fillText } from "./sentence.tsx";
import { type Showing, TextPart } from "./text-part.tsx";

type Message = SamplingRequest["messages"][number];
type Block = Message["content"][number];
type ResultContent = ToolResultBlock["content"][number];

type ContentProps = { readonly request: SamplingRequest; readonly showing: Showing; readonly origins: Origins; readonly prefix?: string };

/** "1 · User message"; without its number where it is the only one. */
function messageTitle({ page: { pieces } }: Words, { kind, messages }: SamplingRequest, message: Message, index: number): Child {
  const of = messages.length;
  if (kind === "embedding") return of === 1 ? pieces.onlyVectorText : fill(pieces.vectorText, { n: String(index + 1), of: String(of) });
  const title = pieces.message[message.role];
  return of === 1 ? title : fill(pieces.ordinal, { n: String(index + 1), title });
}

/** The name of the tool that the request used under an id. */
const usedTool = ({ messages }: SamplingRequest, id: string): string | undefined =>
  messages
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === "tool_use" ? [block] : []))
    .find((use) => use.id === id)?.name;

function messageParts({ request, showing, origins, prefix = "" }: ContentProps, words: Words, index: number): FramedPart[] {
  const message = request.messages[index];
  if (message === undefined) return [];
  const title = messageTitle(words, request, message, index);
  const { pieces } = words.page;
  const ordinal = request.messages.length === 1 ? "" : fill(pieces.ordinal, { n: String(index + 1), title: "" });
  return message.content.flatMap((block, j) => {
    const path = `/messages/${index}/content/${j}`;
    const context = {
      showing,
      words,
      from: message.role === "assistant" ? origins.assistant : origins.request,
      id: j === 0 ? prefix + placeId(`/messages/${index}`) : undefined,
      title,
      role: message.role,
      ordinal,
      usedTool: (use: string) => usedTool(request, use),
    } as const;
    return blockParts(context, path, block);
  });
}

function toolParts(
  { showing, origins, prefix = "" }: ContentProps,
  { page: { pieces }, review: { marks } }: Words,
  tool: ToolDefinition,
  index: number,
): FramedPart[] {
  const name = <Name value={tool.name} />;
  const from = origins.request;
  const id = prefix + placeId(`/tools/${index}`);
  const path = `/tools/${index}`;
  const title = fill(pieces.tool, { name });
  const hasDescription = tool.description !== undefined;
  const schemaTitle = hasDescription ? (
    <>
      {pieces.schema}
      <span class="sr"> {name}</span>
    </>
  ) : (
    <>
      {title}
      {marks.colon}
      {pieces.schema}
    </>
  );
  const description = (
    <TextPart showing={showing} path={`${path}/description`} title={title} text={tool.description ?? ""} kind="removable" folds id={id} />
  );
  const schema = (
    <TextPart
      showing={showing}
      path={`${path}/inputSchema`}
      fixed
      title={schemaTitle}
      text={objectText(tool.inputSchema)}
      folds
      id={hasDescription ? undefined : id}
    />
  );
  return [...(hasDescription ? [{ from, part: description }] : []), { from, part: schema }];
}

/**
 * The whole of a request but its settings, in frames that say who wrote it. `prefix` keeps ids
 * apart where a page has two contents.
 */
export const RequestContent = (props: ContentProps) => {
  const { request, showing, origins, prefix = "" } = props;
  const words = useWords();
  const { systemPrompt, tools = [] } = request;
  const system = (
    <TextPart
      showing={showing}
      path="/systemPrompt"
      title={words.page.pieces.systemPrompt}
      text={systemPrompt ?? ""}
      kind="removable"
      folds
      id={prefix + placeId("/systemPrompt")}
    />
  );
  const parts: FramedPart[] = [
    ...(systemPrompt === undefined ? [] : [{ from: origins.systemPrompt, part: system }]),
    ...request.messages.flatMap((_message, i) => messageParts(props, words, i)),
    ...tools.flatMap((tool, i) => toolParts(props, words, tool, i)),
  ];
  return <Frames parts={parts} />;
};

/**
 * What is in a request, in a line: "system prompt, 4 messages, 1 image, 3,210 characters of text".
 */
export function requestSummary(request: SamplingRequest, { page, review }: Words): string {
  const blocks = request.messages.flatMap((message) => message.content);
  const inner = blocks.flatMap((block): (Block | ResultContent)[] => (block.type === "tool_result" ? block.content : [block]));
  const count = (type: string): number => inner.filter((block) => block.type === type).length;
  const characters = [...fieldsOf(request)].reduce(
    (sum, [path, text]) => (/^\/(?:messages|systemPrompt|tools)/.test(path) ? sum + text.length : sum),
    0,
  );
  const counts = { ...page.counts, ...review.counts };
  return [
    request.systemPrompt === undefined ? "" : counts.systemPrompt,
    fillText(request.kind === "embedding" ? page.counts.texts : page.counts.messages, { n: request.messages.length }),
    count("image") === 0 ? "" : fillText(counts.image, { n: count("image") }),
    count("audio") === 0 ? "" : fillText(counts.audio, { n: count("audio") }),
    count("pdf") === 0 ? "" : fillText(counts.pdf, { n: count("pdf") }),
    request.tools === undefined ? "" : fillText(counts.tool, { n: request.tools.length }),
    fillText(counts.characters, { n: characters }),
  ]
    .filter((part) => part !== "")
    .join(review.marks.comma);
}

/** A text from outside among our facts, in a frame of its own. */
export const FramedText = ({ text, from }: { text: string; from: Origins["request"] }) => (
  <Frames parts={[{ from, part: <OutsideText text={text} /> }]} />
);
