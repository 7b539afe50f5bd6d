// The messages of a chat completions request, and what each adds to the conversation.

import { type ReadOf, type Field, list, object, oneOf, refined, tagged, text } from "../../json/fields.ts";
import type { IssueCollector } from "../../json/issue-collector.ts";
import { mostMembers } from "../mcp-2025/sampling-params.ts";
import { type Conversation, type PlacedBlock, type Turn, audioBlock, conversationOf, imageBlock, pdfBlock } from "./conversation.ts";
import { audioPart, callArguments, imageAddress, never, nullable, ofKinds, pdfMembers, refused, textOrParts } from "./openai-fields.ts";

const textPart = object({ type: oneOf(["text"]), text: text() });
const refusalPart = object({ type: oneOf(["refusal"]), refusal: text() });
const imagePart = object({ type: oneOf(["image_url"]), image_url: object({ url: imageAddress }) });

const filePart = object({ type: oneOf(["file"]), file: object(pdfMembers) });

type TextPart = ReadOf<typeof textPart>;
const content = <T>(part: Field<T | TextPart>) => textOrParts<T | TextPart>(part, (words) => ({ type: "text", text: words }));

const textContent = content(textPart);
const userKinds = ["text", "image_url", "input_audio", "file"];
const userContent = content(
  ofKinds(
    userKinds,
    `must be one of ${userKinds.join(", ")}`,
    tagged("type", { text: textPart, image_url: imagePart, input_audio: audioPart, file: filePart }),
  ),
);
const assistantContent = content(tagged("type", { text: textPart, refusal: refusalPart }));

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

type ReadMessage = ReadOf<typeof message>;

/** The conversation of messages that were read without an error. */
export function chatConversation(read: readonly ReadMessage[], issues: IssueCollector): Conversation {
  const turns = read.map((one, i): Turn => {
    const at = `/messages/${i}`;
    switch (one.role) {
      case "system":
      case "developer":
        return { kind: "instructions", at, text: one.content.map((part) => part.text).join("") };
      case "user":
        return { kind: "said", role: "user", blocks: one.content.map((part, block) => userBlock(part, `${at}/content/${block}`)) };
      case "assistant": {
        const blocks = assistantBlocks(one, at);
        if (blocks.length === 0) issues.add(`${at}/content`, "is required where there are no tool_calls");
        return { kind: "said", role: "assistant", blocks };
      }
      case "tool":
        return {
          kind: "result",
          at,
          block: { type: "tool_result", toolUseId: one.tool_call_id, content: one.content.map((part) => ({ ...part })) },
        };
    }
  });
  return conversationOf(turns, issues, { all: "/messages", inItsWords: (pointer) => pointer.replace(/\/toolUseId$/, "/tool_call_id") });
}

function userBlock(part: ReadOf<typeof userContent>[number], pointer: string): PlacedBlock {
  if (part.type === "image_url") return imageBlock(part.image_url.url, pointer, "/image_url/url");
  if (part.type === "file") return { block: pdfBlock(part.file), pointer };
  return { block: part.type === "text" ? { type: "text", text: part.text } : audioBlock(part.input_audio), pointer };
}

/** What the assistant said, and then its calls. A refusal is what it said. */
function assistantBlocks(
  { content: said = [], refusal, tool_calls: calls = [] }: Extract<ReadMessage, { role: "assistant" }>,
  at: string,
): PlacedBlock[] {
  const words = said.map((part, i) => ({ text: part.type === "text" ? part.text : part.refusal, pointer: `${at}/content/${i}` }));
  if (refusal !== undefined) words.push({ text: refusal, pointer: `${at}/refusal` });
  return [
    ...words.flatMap(({ text, pointer }) => (text === "" ? [] : [{ block: { type: "text" as const, text }, pointer }])),
    ...calls.map(({ id, function: { name, arguments: input } }, i) => ({
      block: { type: "tool_use" as const, id, name, input },
      pointer: `${at}/tool_calls/${i}`,
    })),
  ];
}
