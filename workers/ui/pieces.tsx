// The blocks of messages and replies, uncut, each with who wrote it and a field where it can be
// changed.

import type { Child } from "hono/jsx";
import type { Block, ReplyBlock, ToolResultBlock } from "../../shared/model/sampling.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { objectText } from "../../shared/review/editable-fields.ts";
import { MediaPart, PdfPart } from "./media.tsx";
import { Name, type FramedPart, type Origin } from "./outside-text.tsx";
import { type Showing, TextPart } from "./text-part.tsx";
import { fill } from "./sentence.tsx";
import { placeWords } from "../../shared/channels/content-words.ts";

type ResultContent = ToolResultBlock["content"][number];

/**
 * What every piece needs: how it is shown, in which words, who wrote it, and its heading and id.
 */
type PieceContext = {
  readonly showing: Showing;
  readonly words: Words;
  readonly from: Origin;
  readonly id?: string | undefined;
  /** The heading that its message or place has, before the block says what it is. */
  readonly title: Child;
  readonly role: "user" | "assistant" | "model";
  /** "2 · ", where there are several messages. */
  readonly ordinal?: Child;
  /** The name of the tool that was used under an id. */
  readonly usedTool?: (id: string) => string | undefined;
};

const resourceFacts = ({ page, review: { marks } }: Words, uri: string, mimeType: string | undefined): Child => (
  <>
    {page.pieces.uri}
    {marks.colon}
    <Name value={uri} />
    {mimeType === undefined ? null : (
      <>
        {marks.comma}
        {page.pieces.mimeType}
        {marks.colon}
        <Name value={mimeType} />
      </>
    )}
  </>
);

function resultPart(context: Omit<PieceContext, "role">, path: string, content: ResultContent): Child {
  const { showing, words, title, id } = context;
  const place = placeWords(path, words, showing.kind);
  const { pieces } = words.page;
  switch (content.type) {
    case "text":
      return <TextPart showing={showing} path={`${path}/text`} title={title} text={content.text} id={id} />;
    case "image":
    case "audio":
      return <MediaPart title={title} data={content.data} mimeType={content.mimeType} place={place} id={id} />;
    case "resource_link":
      return (
        <TextPart
          showing={showing}
          path={`${path}/description`}
          fixed
          id={id}
          title={
            <>
              {title}
              {words.review.marks.colon}
              {pieces.link}
            </>
          }
          text={content.description ?? ""}
          about={
            <>
              {pieces.name}
              {words.review.marks.colon}
              <Name value={content.name} />
              {words.review.marks.comma}
              {resourceFacts(words, content.uri, content.mimeType)}
            </>
          }
        />
      );
    case "resource": {
      const { resource } = content;
      const heading = (
        <>
          {title}
          {words.review.marks.colon}
          {pieces.resource}
        </>
      );
      if ("text" in resource) {
        const about = resourceFacts(words, resource.uri, resource.mimeType);
        return <TextPart showing={showing} path={`${path}/resource/text`} title={heading} text={resource.text} about={about} id={id} />;
      }
      const about = resourceFacts(words, resource.uri, undefined);
      return <MediaPart title={heading} data={resource.blob} mimeType={resource.mimeType ?? ""} place={place} about={about} id={id} />;
    }
  }
}

/** The parts of a tool's result, below a heading. `idOf`: the id of a part by its path. */
export function resultParts(
  context: Omit<PieceContext, "role">,
  path: string,
  block: Pick<ToolResultBlock, "content" | "structuredContent">,
  idOf?: (path: string) => string,
): FramedPart[] {
  const { showing, words, from, title } = context;
  const { pieces } = words.page;
  const parts = block.content.map((content, k): FramedPart => {
    const at = `${path}/content/${k}`;
    const id = idOf?.(at) ?? (k === 0 ? context.id : undefined);
    return { from, part: resultPart({ ...context, id }, at, content) };
  });
  if (block.content.length === 0)
    parts.push({ from, part: <TextPart showing={showing} path={path} fixed title={title} text="" id={context.id} /> });
  if (block.structuredContent === undefined) return parts;
  const structured = (
    <TextPart
      showing={showing}
      path={`${path}/structuredContent`}
      title={
        <>
          {title}
          {words.review.marks.colon}
          {pieces.structured}
        </>
      }
      text={objectText(block.structuredContent)}
      kind="object"
      id={idOf?.(`${path}/structuredContent`)}
    />
  );
  return [...parts, { from, part: structured }];
}

/** The parts of one block of a message or a reply. */
export function blockParts(context: PieceContext, path: string, block: Block | Exclude<ReplyBlock, { type: "embedding" }>): FramedPart[] {
  const { showing, words, from, title, id, role, ordinal, usedTool } = context;
  const { pieces } = words.page;
  switch (block.type) {
    case "text":
      return [{ from, part: <TextPart showing={showing} path={`${path}/text`} title={title} text={block.text} id={id} /> }];
    case "image":
    case "audio": {
      const heading = (
        <>
          {title}
          {words.review.marks.colon}
          {block.type === "image" ? pieces.image : pieces.audio}
        </>
      );
      const place = placeWords(path, words, showing.kind);
      return [{ from, part: <MediaPart title={heading} data={block.data} mimeType={block.mimeType} place={place} id={id} /> }];
    }
    case "pdf": {
      const heading = (
        <>
          {title}
          {words.review.marks.colon}
          {pieces.pdf}
        </>
      );
      return [{ from, part: <PdfPart title={heading} data={block.data} name={block.name} id={id} /> }];
    }
    case "tool_use": {
      const heading = (
        <>
          {role === "user" ? null : ordinal}
          {fill(pieces.toolUse, {
            role: role === "model" ? pieces.model : role === "assistant" ? pieces.assistant : title,
            name: <Name value={block.name} />,
          })}
        </>
      );
      const about = fill(pieces.id, { id: <Name value={block.id} /> });
      const text = objectText(block.input);
      const input = <TextPart showing={showing} path={`${path}/input`} title={heading} text={text} kind="object" about={about} id={id} />;
      return [{ from, part: input }];
    }
    case "tool_result": {
      const name = usedTool?.(block.toolUseId);
      const use = <Name value={block.toolUseId} />;
      const of = name === undefined ? use : <>{fill(pieces.named, { name: <Name value={name} />, id: use })}</>;
      const heading = (
        <>
          {ordinal}
          {fill(block.isError === true ? pieces.failedToolResult : pieces.toolResult, { id: of })}
        </>
      );
      return resultParts({ ...context, title: heading }, path, block);
    }
  }
}
