// Every field of a sampling request that reaches a provider, uncut and in order. `EditField` is where one can be changed.

import type { ModelPreferences, SamplingRequest, ToolDefinition, ToolResultBlock } from "../../shared/model/sampling.ts";
import { objectText, requestFields } from "../../shared/review/editable-fields.ts";
import type { Origins } from "./asking-words.ts";
import { EditField, type Editing } from "./edit-field.tsx";
import { Name, OutsideText, type Origin } from "./outside-text.tsx";
import { BlockPiece, type Showing, TextPiece } from "./pieces.tsx";
import { pageWords as words, reviewWords } from "../../shared/channels/words/words.ts";
import { placeId } from "./place-id.ts";

type Message = SamplingRequest["messages"][number];
type Block = Message["content"][number];
type ResultContent = ToolResultBlock["content"][number];

type MessagePieceProps = { showing: Showing; message: Message; index: number; of: number; assistant: Origin };

/** A tool that is to run is no message, and has a heading of its own. */
const MessageHeading = ({ showing: { kind }, message: { role }, index, of }: Omit<MessagePieceProps, "assistant">) => {
  if (kind === "function" && of === 1) return null;
  return (
    <h3>
      {(kind === "embedding" ? words.pieces.textOf : words.pieces.message)(index + 1, of)}{" "}
      <span class={`role ${role}`}>{kind === "embedding" && role === "user" ? words.pieces.becomesVector : words.roles[role]}</span>
    </h3>
  );
};

const MessagePiece = ({ showing, message, index, of, assistant }: MessagePieceProps) => (
  <section class="piece" id={placeId(`/messages/${index}`)}>
    <MessageHeading showing={showing} message={message} index={index} of={of} />
    {message.content.map((block, j) => (
      <BlockPiece
        showing={showing}
        path={`/messages/${index}/content/${j}`}
        block={block}
        from={message.role === "assistant" ? assistant : showing.from}
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
    <OutsideText text={objectText(tool.inputSchema)} from={showing.from} />
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

/** The settings of the reply's text. Those that only a chat needs are left out for other kinds, unless they are set. */
const Writing = ({ showing: { editing }, request }: SettingsProps) => (
  <>
    {request.kind !== "chat" ? null : (
      <>
        <dt>{words.settings.maxTokens}</dt>
        <dd>
          {words.settings.tokenCount(request.maxTokens)}
          <EditField editing={editing} path="/maxTokens" text={String(request.maxTokens)} kind="limit" />
        </dd>
      </>
    )}
    {request.kind !== "chat" && request.temperature === undefined ? null : (
      <>
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
      </>
    )}
    {request.topP === undefined ? null : (
      <>
        <dt>{words.settings.topP}</dt>
        <dd>{String(request.topP)}</dd>
      </>
    )}
    {request.topK === undefined ? null : (
      <>
        <dt>{words.settings.topK}</dt>
        <dd>{String(request.topK)}</dd>
      </>
    )}
  </>
);

const Form = ({ showing, format }: { showing: Showing; format: NonNullable<SamplingRequest["responseFormat"]> }) => (
  <>
    <dt>{words.settings.form}</dt>
    <dd>
      {format.schema === undefined ? (
        reviewWords.json
      ) : (
        <>
          <p>{words.settings.jsonSchema}</p>
          <OutsideText text={objectText(format.schema)} from={showing.from} />
        </>
      )}
    </dd>
  </>
);

type SettingsProps = { showing: Showing; request: SamplingRequest };

const hasSettings = ({
  kind,
  messages: _messages,
  systemPrompt: _prompt,
  tools: _tools,
  namedModel: _named,
  maxTokens: _limit,
  ...rest
}: SamplingRequest) => kind === "chat" || Object.keys(rest).length > 0;

const Settings = ({ showing, request }: SettingsProps) => (
  <section class="piece card" id={placeId("/maxTokens")}>
    <h3>{words.settings.heading}</h3>
    <dl>
      <Writing showing={showing} request={request} />
      {request.responseFormat === undefined ? null : <Form showing={showing} format={request.responseFormat} />}
      {(request.stopSequences ?? []).map((stop, i) => (
        <>
          <dt>{reviewWords.place(`/stopSequences/${i}`)}</dt>
          <dd>
            <Name value={JSON.stringify(stop)} />
            <EditField editing={showing.editing} path={`/stopSequences/${i}`} text={stop} kind="removable" />
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
            <OutsideText text={objectText(request.metadata)} from={showing.from} />
          </dd>
        </>
      )}
    </dl>
  </section>
);

type RequestContentProps = {
  request: SamplingRequest;
  asAsked: SamplingRequest | null;
  editing: Editing | undefined;
  origins: Origins;
};

/** The whole request. `asAsked`: the original, where reviewers changed it; their changes are marked. */
export const RequestContent = ({ request, asAsked, editing, origins }: RequestContentProps) => {
  const showing: Showing = {
    editing,
    original: asAsked === null ? null : requestFields(asAsked),
    kind: request.kind,
    from: origins.request,
    edited: origins.requestEdited,
  };
  return (
    <>
      {request.systemPrompt === undefined ? null : (
        <section class="piece" id={placeId("/systemPrompt")}>
          <h3>{words.pieces.systemPrompt}</h3>
          <TextPiece showing={showing} path="/systemPrompt" text={request.systemPrompt} from={origins.systemPrompt} kind="removable" />
        </section>
      )}
      {request.messages.map((message, i) => (
        <MessagePiece showing={showing} message={message} index={i} of={request.messages.length} assistant={origins.assistant} />
      ))}
      {request.tools === undefined ? null : (
        <section class="piece">
          <h3>{words.pieces.tools}</h3>
          {request.tools.length === 0 ? <p>{reviewWords.outside.empty}</p> : null}
          {request.tools.map((tool, i) => (
            <ToolPiece showing={showing} tool={tool} index={i} />
          ))}
        </section>
      )}
      {hasSettings(request) ? <Settings showing={showing} request={request} /> : null}
    </>
  );
};

/** What is in a request, in a line: "system prompt, 4 messages, 1 image, 3,210 characters of text". */
export function requestSummary(request: SamplingRequest): string {
  const blocks = request.messages.flatMap((message) => message.content);
  const inner = blocks.flatMap((block): (Block | ResultContent)[] => (block.type === "tool_result" ? block.content : [block]));
  const count = (type: string): number => inner.filter((block) => block.type === type).length;
  const characters = [...requestFields(request)].reduce(
    (sum, [path, text]) => (/^\/(?:messages|systemPrompt|tools)/.test(path) ? sum + text.length : sum),
    0,
  );
  const counts = { ...words.counts, ...reviewWords.counts };
  return [
    request.systemPrompt === undefined ? "" : counts.systemPrompt,
    request.kind === "function"
      ? counts.arguments
      : request.kind === "embedding"
        ? counts.texts(request.messages.length)
        : counts.messages(request.messages.length),
    count("image") === 0 ? "" : counts.images(count("image")),
    count("audio") === 0 ? "" : counts.audio(count("audio")),
    request.tools === undefined ? "" : counts.tools(request.tools.length),
    counts.characters(characters),
  ]
    .filter((part) => part !== "")
    .join(", ");
}
