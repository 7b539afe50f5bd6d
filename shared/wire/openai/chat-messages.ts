// The messages of a chat completions request as neutral messages. System and developer messages
// become the system prompt; the results of one turn's tool calls become one message, as the neutral
// request has them.

import { type Field, type ReadOf, list, object, oneOf, optional, parsed, refined, tagged, text } from "../../json/fields.ts";
import { type ParamsRefusal, IssueCollector } from "../../json/issue-collector.ts";
import { checkJson } from "../../json/json-rules.ts";
import { isObject, parseJson } from "../../json/values.ts";
import type { JsonObject } from "../../encoding.ts";
import type { Block, Message } from "../../model/sampling.ts";
import { type BlockPointer, conversationError, isBase64 } from "../mcp-2025/content-rules.ts";
import { mostMembers } from "../mcp-2025/sampling-params.ts";
import { joinPrompt } from "../asked.ts";

/** A member that is refused, with what to do instead, unless its value asks for nothing. */
export const refused = (
  asksForNothing: (value: unknown) => boolean,
  must: string,
): Field<undefined> & { readonly optional: "leftOut" } => ({
  read(value, at, issues) {
    if (value !== undefined && value !== null && !asksForNothing(value)) issues.add(at, must);
    return undefined;
  },
  schema: {},
  optional: "leftOut",
});

/** No value asks for nothing: the member is refused whenever it is given. */
export const never = (): boolean => false;

/** A member that may be absent or null, which OpenAI's clients send alike. */
export const nullable = <T>(field: Field<T>) =>
  optional<T | undefined>({
    read: (value, at, issues) => (value === null ? undefined : field.read(value, at, issues)),
    schema: { anyOf: [field.schema, { type: "null" }] },
  });

const textPart = object({ type: oneOf(["text"]), text: text() });
const refusalPart = object({ type: oneOf(["refusal"]), refusal: text() });
const imagePart = object({
  type: oneOf(["image_url"]),
  image_url: object({ url: refined(text({ min: 1 }), imageUrl, "must be an https address, or a data: URL of an image in base64") }),
});
const audioPart = object({
  type: oneOf(["input_audio"]),
  input_audio: object({
    data: refined(text({ min: 1 }), (data) => (isBase64(data) ? data : undefined), "must be base64 (RFC 4648 section 4)"),
    format: oneOf(["wav", "mp3"]),
  }),
});

const dataUrl = /^data:(image\/[a-z0-9.+-]+);base64,/i;

function imageUrl(url: string): string | undefined {
  const head = dataUrl.exec(url.slice(0, 100))?.[0];
  if (head === undefined) return /^https:\/\//i.test(url) ? url : undefined;
  const data = url.slice(head.length);
  return data !== "" && isBase64(data) ? url : undefined;
}

/** A text, or a list of parts, which is what a text is read as. */
const content = <T>(part: Field<T | ReadOf<typeof textPart>>): Field<(T | ReadOf<typeof textPart>)[]> => {
  const parts = list(part, { min: 1, max: mostMembers.blocks });
  return {
    read: (value, at, issues) => (typeof value === "string" ? [{ type: "text", text: value }] : parts.read(value, at, issues)),
    schema: { anyOf: [{ type: "string" }, parts.schema] },
  };
};

const textContent = content(textPart);
const userContent = content(tagged("type", { text: textPart, image_url: imagePart, input_audio: audioPart }));
const assistantContent = content(tagged("type", { text: textPart, refusal: refusalPart }));

/**
 * The arguments of a call are the text of a JSON object; nothing at all stands for no arguments.
 * The rules for every value from outside hold for what the text says too: its escapes are read only
 * here.
 */
const callArguments = parsed<JsonObject>(
  (value) => {
    if (typeof value !== "string") return undefined;
    const read = value.trim() === "" ? {} : parseJson(value);
    const issues = new IssueCollector();
    checkJson(read, issues);
    return isObject(read) && issues.found.length === 0 ? (read as JsonObject) : undefined; // parsed from JSON
  },
  "must be the text of a JSON object, at most 64 levels deep, without lone surrogates, infinite numbers and members named __proto__",
  {},
  { type: "string" },
);

const toolCall = object({
  id: text({ min: 1 }),
  type: oneOf(["function"]),
  function: object({ name: text({ min: 1 }), arguments: callArguments }),
});

const message = tagged("role", {
  system: object({ role: oneOf(["system"]), content: textContent }),
  developer: object({ role: oneOf(["developer"]), content: textContent }),
  user: object({ role: oneOf(["user"]), content: userContent }),
  assistant: object({
    role: oneOf(["assistant"]),
    content: nullable(assistantContent),
    refusal: nullable(text()),
    tool_calls: nullable(list(toolCall, { max: mostMembers.blocks })),
    function_call: refused(never, "is not supported: send tool_calls"),
    audio: refused(never, "is not supported: it names audio that only OpenAI has"),
  }),
  tool: object({ role: oneOf(["tool"]), content: textContent, tool_call_id: text({ min: 1 }) }),
});

const listed = list(message, { min: 1, max: mostMembers.messages });

/** The messages, with no more parts and tool calls in all than a sampling request may have. */
export const messagesField = refined(
  listed,
  (read) => (read.reduce((sum, each) => sum + partsOf(each), 0) > mostMembers.blocks ? undefined : read),
  `must not hold more than ${mostMembers.blocks} content parts and tool calls in all`,
);

const partsOf = (each: ReadMessage): number =>
  (each.content?.length ?? 0) + (each.role === "assistant" ? (each.tool_calls?.length ?? 0) : 0);

/**
 * An image that is given by its address and has to be fetched: its place in the neutral messages.
 */
export type ImageAddress = { readonly message: number; readonly block: number; readonly url: string; readonly pointer: string };

type Conversation = {
  readonly systemPrompt: string | undefined;
  readonly messages: Message[];
  /**
   * Where instructions stand that come after a message of the conversation, and precede it in the
   * neutral request.
   */
  readonly moved: readonly string[];
  /** In their order. The block of each is an image without data until it is fetched. */
  readonly addresses: readonly ImageAddress[];
  /** Where each block stands in the request. */
  readonly pointerOf: BlockPointer;
  /**
   * Refused: results that answer no call, calls without a result, an id twice, or nothing but
   * instructions.
   */
  readonly error: ParamsRefusal | undefined;
};

type ReadMessage = ReadOf<typeof message>;

/** What stands for an image until it is fetched. */
const unfetched = { type: "image", data: "", mimeType: "image/png" } as const;

/** The conversation of messages that were read without an error. */
export function conversationOf(read: readonly ReadMessage[]): Conversation {
  const system: string[] = [];
  const moved: string[] = [];
  const messages: { role: "user" | "assistant"; content: Block[] }[] = [];
  const pointers: string[][] = [];
  const addresses: ImageAddress[] = [];
  const issues = new IssueCollector();
  let before: ReadMessage["role"] | null = null;
  const add = (role: "user" | "assistant", blocks: readonly Block[], at: (block: number) => string): void => {
    messages.push({ role, content: [...blocks] });
    pointers.push(blocks.map((_, block) => at(block)));
  };
  for (const [i, one] of read.entries()) {
    const at = `/messages/${i}`;
    switch (one.role) {
      case "system":
      case "developer":
        system.push(one.content.map((part) => part.text).join(""));
        if (messages.length > 0) moved.push(at);
        break;
      case "user":
        for (const [block, part] of one.content.entries())
          if (part.type === "image_url" && !dataUrl.test(part.image_url.url))
            addresses.push({ message: messages.length, block, url: part.image_url.url, pointer: `${at}/content/${block}/image_url/url` });
        add(one.role, one.content.map(userBlock), (block) => `${at}/content/${block}`);
        break;
      case "assistant": {
        const { blocks, pointers: places } = assistantBlocks(one);
        if (blocks.length === 0) issues.add(`${at}/content`, "is required where there are no tool_calls");
        add(one.role, blocks, (block) => `${at}${places[block] ?? ""}`);
        break;
      }
      case "tool": {
        const result: Block = { type: "tool_result", toolUseId: one.tool_call_id, content: one.content.map((part) => ({ ...part })) };
        const last = before === "tool" ? messages.at(-1) : undefined;
        if (last === undefined) add("user", [result], () => at);
        else {
          last.content.push(result);
          pointers.at(-1)?.push(at);
        }
      }
    }
    before = one.role;
  }
  const pointerOf: BlockPointer = (index, block) => pointers[index]?.[block] ?? "/messages";
  if (messages.length === 0) issues.add("/messages", "must hold a message that is neither system nor developer");
  return {
    systemPrompt: joinPrompt(system),
    moved,
    messages,
    addresses,
    pointerOf,
    error: issues.invalid() ?? inOurWords(conversationError(messages, pointerOf)),
  };
}

/** The rules on conversations point at MCP's members. */
const inOurWords = (refusal: ParamsRefusal | undefined): ParamsRefusal | undefined =>
  refusal?.kind !== "invalid"
    ? refusal
    : {
        ...refusal,
        errors: refusal.errors.map(({ pointer, message }) => ({ pointer: pointer.replace(/\/toolUseId$/, "/tool_call_id"), message })),
      };

function userBlock(part: ReadOf<typeof userContent>[number]): Block {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "input_audio")
    return { type: "audio", data: part.input_audio.data, mimeType: part.input_audio.format === "wav" ? "audio/wav" : "audio/mpeg" };
  const { url } = part.image_url;
  const [head = "", mimeType = ""] = dataUrl.exec(url.slice(0, 100)) ?? [];
  return head === "" ? unfetched : { type: "image", data: url.slice(head.length), mimeType: mimeType.toLowerCase() };
}

/** What the assistant said, and then its calls. A refusal is what it said. */
function assistantBlocks({ content: said = [], refusal, tool_calls: calls = [] }: Extract<ReadMessage, { role: "assistant" }>) {
  const placed: { readonly block: Block; readonly pointer: string }[] = [];
  for (const [i, part] of said.entries()) {
    const words = part.type === "text" ? part.text : part.refusal;
    if (words !== "") placed.push({ block: { type: "text", text: words }, pointer: `/content/${i}` });
  }
  if (refusal !== undefined && refusal !== "") placed.push({ block: { type: "text", text: refusal }, pointer: "/refusal" });
  for (const [i, call] of calls.entries())
    placed.push({
      block: { type: "tool_use", id: call.id, name: call.function.name, input: call.function.arguments },
      pointer: `/tool_calls/${i}`,
    });
  return { blocks: placed.map(({ block }) => block), pointers: placed.map(({ pointer }) => pointer) };
}
