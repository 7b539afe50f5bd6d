// Every field of a sampling request that reaches a provider, uncut and in order. It shows; `EditField` is where it can be changed.

import type { ModelPreferences, SamplingRequest, ToolDefinition, ToolResultBlock } from "../../shared/protocol/sampling.ts";
import { objectText, requestFields } from "../../shared/review/fields.ts";
import { EditField, type Editing } from "./edit-field.tsx";
import { Media } from "./media.tsx";
import { Name, OutsideText, type Origin } from "./outside-text.tsx";
import { placeId, placeWords, reviewWords as words, roleWords } from "./review-words.ts";
import { fill } from "./sentence.tsx";

type Message = SamplingRequest["messages"][number];
type Block = Message["content"][number];
type ResultContent = ToolResultBlock["content"][number];

/** What all pieces of one content share. `original` holds the texts that the server sent, where reviewers changed some. */
export type Showing = { readonly editing: Editing | undefined; readonly original: ReadonlyMap<string, string> | null };

type FieldProps = { showing: Showing; path: string; from?: Origin };

const origin = ({ original }: Showing, path: string, text: string, from: Origin): Origin =>
  original !== null && original.get(path) !== text ? words.outside.edited : from;

const TextPiece = ({
  showing,
  path,
  text,
  from = words.outside.server,
  kind = "text",
}: FieldProps & { text: string; kind?: "text" | "removable" }) => (
  <>
    <OutsideText text={text} from={origin(showing, path, text, from)} />
    <EditField editing={showing.editing} path={path} text={text} kind={kind} />
  </>
);

const ObjectPiece = ({ showing, path, text, from = words.outside.server }: FieldProps & { text: string }) => (
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
      return <Media data={content.data} mimeType={content.mimeType} place={placeWords(path)} from={words.outside.server} />;
    case "resource_link":
      return (
        <>
          <h5>{words.pieces.link}</h5>
          <p>
            {words.pieces.name}: <Name value={content.name} />
          </p>
          <ResourceFacts uri={content.uri} mimeType={content.mimeType} />
          {content.description === undefined ? null : <OutsideText text={content.description} from={words.outside.server} />}
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
              <Media data={resource.blob} mimeType={resource.mimeType ?? ""} place={placeWords(path)} from={words.outside.server} />
            </>
          )}
        </>
      );
    }
  }
};

const BlockPiece = ({ showing, path, block, from }: FieldProps & { block: Block; from: Origin }) => {
  switch (block.type) {
    case "text":
      return <TextPiece showing={showing} path={`${path}/text`} text={block.text} from={from} />;
    case "image":
    case "audio":
      return (
        <>
          <h4>{block.type === "image" ? words.pieces.image : words.pieces.audio}</h4>
          <Media data={block.data} mimeType={block.mimeType} place={placeWords(path)} from={from} />
        </>
      );
    case "tool_use":
      return (
        <>
          <h4>{fill(words.pieces.toolUse, { name: <Name value={block.name} />, id: <Name value={block.id} /> })}</h4>
          <ObjectPiece showing={showing} path={`${path}/input`} text={objectText(block.input)} from={from} />
        </>
      );
    case "tool_result":
      return (
        <>
          <h4>
            {fill(block.isError === true ? words.pieces.failedToolResult : words.pieces.toolResult, {
              id: <Name value={block.toolUseId} />,
            })}
          </h4>
          {block.content.length === 0 ? <p>{words.outside.empty}</p> : null}
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
  }
};

const MessagePiece = ({ showing, message, index, of }: { showing: Showing; message: Message; index: number; of: number }) => (
  <section class="piece" id={placeId(`/messages/${index}`)}>
    <h3>
      {words.pieces.message(index + 1, of)} <span class={`role ${message.role}`}>{roleWords[message.role]}</span>
    </h3>
    {message.content.map((block, j) => (
      <BlockPiece
        showing={showing}
        path={`/messages/${index}/content/${j}`}
        block={block}
        from={message.role === "assistant" ? words.outside.serverAsAssistant : words.outside.server}
      />
    ))}
  </section>
);

const ToolPiece = ({ showing, tool, index }: { showing: Showing; tool: ToolDefinition; index: number }) => (
  <section class="piece" id={placeId(`/tools/${index}`)}>
    <h4>
      {words.pieces.tool}: <Name value={tool.name} />
    </h4>
    {tool.description === undefined ? null : (
      <TextPiece showing={showing} path={`/tools/${index}/description`} text={tool.description} kind="removable" />
    )}
    <h5>{words.pieces.schema}</h5>
    <OutsideText text={objectText(tool.inputSchema)} from={words.outside.server} />
  </section>
);

function preferenceWords({ costPriority, speedPriority, intelligencePriority }: ModelPreferences): string {
  const given = Object.entries({ cost: costPriority, speed: speedPriority, intelligence: intelligencePriority }).filter(
    ([, value]) => value !== undefined,
  );
  return given.map(([name, value]) => `${name} ${value}`).join(", ");
}

const Preferences = ({ preferences }: { preferences: ModelPreferences }) => {
  const hints = preferences.hints ?? [];
  const priorities = preferenceWords(preferences);
  return (
    <>
      {hints.length === 0 ? null : (
        <p>
          {words.settings.hints}
          {hints.map((hint, i) => (
            <>
              {i === 0 ? "" : ", "}
              <Name value={hint.name ?? ""} />
            </>
          ))}
        </p>
      )}
      {priorities === "" ? null : <p>{words.settings.priorities + priorities}</p>}
      {hints.length === 0 && priorities === "" ? <p>{words.settings.notGiven}</p> : null}
    </>
  );
};

const Settings = ({ showing: { editing }, request }: { showing: Showing; request: SamplingRequest }) => (
  <section class="piece card" id={placeId("/maxTokens")}>
    <h3>{words.settings.heading}</h3>
    <dl>
      <dt>{words.settings.maxTokens}</dt>
      <dd>
        {words.settings.tokenCount(request.maxTokens)}
        <EditField editing={editing} path="/maxTokens" text={String(request.maxTokens)} kind="limit" />
      </dd>
      <dt>{words.settings.temperature}</dt>
      <dd>
        {request.temperature === undefined ? (
          words.settings.notGiven
        ) : (
          <>
            {String(request.temperature)}
            <EditField editing={editing} path="/temperature" text={String(request.temperature)} kind="number" />
          </>
        )}
      </dd>
      {(request.stopSequences ?? []).map((stop, i) => (
        <>
          <dt>{placeWords(`/stopSequences/${i}`)}</dt>
          <dd>
            <Name value={JSON.stringify(stop)} />
            <EditField editing={editing} path={`/stopSequences/${i}`} text={stop} kind="removable" />
          </dd>
        </>
      ))}
      {request.toolChoice === undefined ? null : (
        <>
          <dt>{words.settings.toolChoice}</dt>
          <dd>{words.toolChoices[request.toolChoice]}</dd>
        </>
      )}
      {request.includeContext === undefined ? null : (
        <>
          <dt>{words.settings.includeContext}</dt>
          <dd>{words.contexts[request.includeContext]}</dd>
        </>
      )}
      {request.modelPreferences === undefined ? null : (
        <>
          <dt>{words.settings.preferences}</dt>
          <dd>
            <Preferences preferences={request.modelPreferences} />
          </dd>
        </>
      )}
      {request.metadata === undefined ? null : (
        <>
          <dt>{words.settings.metadata}</dt>
          <dd>
            <OutsideText text={objectText(request.metadata)} from={words.outside.server} />
          </dd>
        </>
      )}
    </dl>
  </section>
);

type RequestContentProps = { request: SamplingRequest; asAsked: SamplingRequest | null; editing: Editing | undefined };

/** The whole request. `asAsked` is what the server sent, where reviewers changed it: what they changed is marked. */
export const RequestContent = ({ request, asAsked, editing }: RequestContentProps) => {
  const showing: Showing = { editing, original: asAsked === null ? null : requestFields(asAsked) };
  return (
    <>
      {request.systemPrompt === undefined ? null : (
        <section class="piece" id={placeId("/systemPrompt")}>
          <h3>{words.pieces.systemPrompt}</h3>
          <TextPiece showing={showing} path="/systemPrompt" text={request.systemPrompt} kind="removable" />
        </section>
      )}
      {request.messages.map((message, i) => (
        <MessagePiece showing={showing} message={message} index={i} of={request.messages.length} />
      ))}
      {request.tools === undefined ? null : (
        <section class="piece">
          <h3>{words.pieces.tools}</h3>
          {request.tools.length === 0 ? <p>{words.outside.empty}</p> : null}
          {request.tools.map((tool, i) => (
            <ToolPiece showing={showing} tool={tool} index={i} />
          ))}
        </section>
      )}
      <Settings showing={showing} request={request} />
    </>
  );
};

/** What a request holds, in a line: "system prompt, 4 messages, 1 image, 3,210 characters of text". */
export function requestSummary(request: SamplingRequest): string {
  const blocks = request.messages.flatMap((message) => message.content);
  const inner = blocks.flatMap((block): (Block | ResultContent)[] => (block.type === "tool_result" ? block.content : [block]));
  const count = (type: string): number => inner.filter((block) => block.type === type).length;
  const characters = [...requestFields(request)].reduce(
    (sum, [path, text]) => (/^\/(?:messages|systemPrompt|tools)/.test(path) ? sum + text.length : sum),
    0,
  );
  const counts = words.counts;
  return [
    request.systemPrompt === undefined ? "" : counts.systemPrompt,
    counts.messages(request.messages.length),
    count("image") === 0 ? "" : counts.images(count("image")),
    count("audio") === 0 ? "" : counts.audio(count("audio")),
    request.tools === undefined ? "" : counts.tools(request.tools.length),
    counts.characters(characters),
  ]
    .filter((part) => part !== "")
    .join(", ");
}
