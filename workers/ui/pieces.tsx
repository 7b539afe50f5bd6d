// The blocks of messages and replies, uncut, each with its field where it can be changed.

import type { ReplyBlock, SamplingRequest, ToolResultBlock } from "../../shared/model/sampling.ts";
import { objectText } from "../../shared/review/editable-fields.ts";
import { EditField, type Editing } from "./edit-field.tsx";
import { Media } from "./media.tsx";
import { Name, OutsideText, type Origin } from "./outside-text.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";
import { fill } from "./sentence.tsx";

type ResultContent = ToolResultBlock["content"][number];

export type Showing = {
  readonly editing: Editing | undefined;
  /** The texts before reviewers changed some; null where no reviewer did. */
  readonly original: ReadonlyMap<string, string> | null;
  readonly kind: SamplingRequest["kind"];
  /** Who wrote the texts, and who those that a reviewer changed. */
  readonly from: Origin;
  readonly edited: Origin;
};

type FieldProps = { showing: Showing; path: string; from?: Origin };

const origin = ({ original, edited }: Showing, path: string, text: string, from: Origin): Origin =>
  original !== null && original.get(path) !== text ? edited : from;

export const TextPiece = ({
  showing,
  path,
  text,
  from = showing.from,
  kind = "text",
}: FieldProps & { text: string; kind?: "text" | "removable" }) => (
  <>
    <OutsideText text={text} from={origin(showing, path, text, from)} />
    <EditField editing={showing.editing} path={path} text={text} kind={kind} />
  </>
);

const ObjectPiece = ({ showing, path, text, from = showing.from }: FieldProps & { text: string }) => (
  <>
    <OutsideText text={text} from={origin(showing, path, text, from)} />
    <EditField editing={showing.editing} path={path} text={text} kind="object" />
  </>
);

const ResourceFacts = ({ uri, mimeType }: { uri: string; mimeType: string | undefined }) => (
  <p>
    {words.pieces.uri}: <Name value={uri} />
    {mimeType === undefined ? null : (
      <>
        , {words.pieces.mimeType}: <Name value={mimeType} />
      </>
    )}
  </p>
);

const ResultPiece = ({ showing, path, content }: FieldProps & { content: ResultContent }) => {
  switch (content.type) {
    case "text":
      return <TextPiece showing={showing} path={`${path}/text`} text={content.text} />;
    case "image":
    case "audio":
      return <Media data={content.data} mimeType={content.mimeType} place={reviewWords.place(path, showing.kind)} from={showing.from} />;
    case "resource_link":
      return (
        <>
          <h5>{words.pieces.link}</h5>
          <p>
            {words.pieces.name}: <Name value={content.name} />
          </p>
          <ResourceFacts uri={content.uri} mimeType={content.mimeType} />
          {content.description === undefined ? null : <OutsideText text={content.description} from={showing.from} />}
        </>
      );
    case "resource": {
      const { resource } = content;
      return (
        <>
          <h5>{words.pieces.resource}</h5>
          {"text" in resource ? (
            <>
              <ResourceFacts uri={resource.uri} mimeType={resource.mimeType} />
              <TextPiece showing={showing} path={`${path}/resource/text`} text={resource.text} />
            </>
          ) : (
            <>
              <ResourceFacts uri={resource.uri} mimeType={undefined} />
              <Media
                data={resource.blob}
                mimeType={resource.mimeType ?? ""}
                place={reviewWords.place(path, showing.kind)}
                from={showing.from}
              />
            </>
          )}
        </>
      );
    }
  }
};

const toolUseWords = (kind: SamplingRequest["kind"]): string => (kind === "function" ? words.pieces.run : words.pieces.toolUse);

const ResultBlock = ({ showing, path, block }: { showing: Showing; path: string; block: ToolResultBlock }) => (
  <>
    <h4>
      {fill(block.isError === true ? words.pieces.failedToolResult : words.pieces.toolResult, {
        id: <Name value={block.toolUseId} />,
      })}
    </h4>
    {block.content.length === 0 ? <p>{reviewWords.outside.empty}</p> : null}
    {block.content.map((content, k) => (
      <ResultPiece showing={showing} path={`${path}/content/${k}`} content={content} />
    ))}
    {block.structuredContent === undefined ? null : (
      <>
        <h5>{words.pieces.structured}</h5>
        <ObjectPiece showing={showing} path={`${path}/structuredContent`} text={objectText(block.structuredContent)} />
      </>
    )}
  </>
);

type BlockPieceProps = FieldProps & { block: Exclude<ReplyBlock, { type: "embedding" }>; from?: Origin };

export const BlockPiece = ({ showing, path, block, from = showing.from }: BlockPieceProps) => {
  switch (block.type) {
    case "text":
      return <TextPiece showing={showing} path={`${path}/text`} text={block.text} from={from} />;
    case "image":
    case "audio":
      return (
        <>
          <h4>{block.type === "image" ? words.pieces.image : words.pieces.audio}</h4>
          <Media data={block.data} mimeType={block.mimeType} place={reviewWords.place(path, showing.kind)} from={from} />
        </>
      );
    case "tool_use":
      return (
        <>
          <h4>{fill(toolUseWords(showing.kind), { name: <Name value={block.name} />, id: <Name value={block.id} /> })}</h4>
          <ObjectPiece showing={showing} path={`${path}/input`} text={objectText(block.input)} from={from} />
        </>
      );
    case "tool_result":
      return <ResultBlock showing={showing} path={path} block={block} />;
  }
};
