// The items of a request to the Responses API, and what each adds to the conversation. What an
// answer's item has beside its content (ids, states, annotations, what SDKs parsed) comes back with
// it, and says nothing to a model.

import { type Field, type ReadOf, leftOut, list, object, oneOf, refined, tagged, text } from "../../json/fields.ts";
import type { IssueCollector } from "../../json/issue-collector.ts";
import { isObject } from "../../json/values.ts";
import type { ToolResultBlock } from "../../model/sampling.ts";
import { mostMembers } from "../mcp-2025/sampling-params.ts";
import { type Conversation, type PlacedBlock, type Turn, audioBlock, conversationOf, imageBlock, pdfBlock } from "./conversation.ts";
import { audioPart, callArguments, imageAddress, never, noted, ofKinds, pdfMembers, refused, textOrParts } from "./openai-fields.ts";

/** Any value, which is not read. */
const ownMember = leftOut({ read: () => undefined, schema: {} });

const inputText = object({ type: oneOf(["input_text"]), text: text() });
const outputText = object({ type: oneOf(["output_text"]), text: text(), annotations: ownMember, logprobs: ownMember, parsed: ownMember });
const refusalPart = object({ type: oneOf(["refusal"]), refusal: text() });
const detail = noted((value) => value === "auto");
const image = {
  type: oneOf(["input_image"]),
  detail,
  file_id: refused(never, "is not supported: send the image in image_url"),
};
const imagePart = object({ ...image, image_url: imageAddress });
const resultImage = object({
  ...image,
  image_url: refined(imageAddress, (url) => (/^data:/i.test(url) ? url : undefined), "must be a data: URL of an image in base64"),
});

const filePart = object({ type: oneOf(["input_file"]), detail, ...pdfMembers });

type InputText = ReadOf<typeof inputText>;
const inputContent = <T>(kinds: readonly string[], part: Field<T | InputText>, why = ": files are not supported here") =>
  textOrParts<T | InputText>(ofKinds(kinds, `must be one of ${kinds.join(", ")}${why}`, part), (words) => ({
    type: "input_text",
    text: words,
  }));

const instructions = inputContent(["input_text"], inputText);
const asked = inputContent(
  ["input_text", "input_image", "input_audio", "input_file"],
  tagged("type", { input_text: inputText, input_image: imagePart, input_audio: audioPart, input_file: filePart }),
  "",
);
const said = inputContent(
  ["input_text", "output_text", "refusal"],
  tagged("type", { input_text: inputText, output_text: outputText, refusal: refusalPart }),
);
const result = inputContent(["input_text", "input_image"], tagged("type", { input_text: inputText, input_image: resultImage }));

const own = { id: ownMember, status: ownMember };
const spoken = { ...own, type: ownMember };
const message = tagged("role", {
  system: object({ ...spoken, role: oneOf(["system"]), content: instructions }),
  developer: object({ ...spoken, role: oneOf(["developer"]), content: instructions }),
  user: object({ ...spoken, role: oneOf(["user"]), content: asked }),
  assistant: object({ ...spoken, role: oneOf(["assistant"]), content: said }),
});

const call = { ...own, call_id: text({ min: 1 }) };
const other = {
  function_call: object({
    ...call,
    type: oneOf(["function_call"]),
    name: text({ min: 1 }),
    arguments: callArguments,
    parsed_arguments: ownMember,
  }),
  function_call_output: object({ ...call, type: oneOf(["function_call_output"]), output: result }),
};
const others = tagged("type", other);

/** What a model of another provider thought, which nobody here can read: it is noted. */
const reasoning = { type: "reasoning" } as const;

type ReadItem = ReadOf<typeof message> | ReadOf<typeof others> | typeof reasoning;

const notStored = "is not supported, since replies are not stored: send the item itself (AI SDK: store: false)";
const kinds = ["message", "function_call", "function_call_output", "reasoning"];
const item = ofKinds<ReadItem>(kinds, `must be one of ${kinds.join(", ")}: other items are those of tools that are not supported`, {
  read(value, at, issues) {
    if (!isObject(value) || value["type"] === undefined || value["type"] === "message") return message.read(value, at, issues);
    if (value["type"] !== "reasoning") return others.read(value, at, issues);
    const end = at.lastIndexOf("/");
    issues.ignore(at.slice(0, end), at.slice(end + 1));
    return reasoning;
  },
  schema: { anyOf: [message.schema, others.schema] },
});

/** A reference has an id in place of a role, with its type or without. */
const isReference = (value: unknown): boolean =>
  isObject(value) &&
  (value["type"] === "item_reference" || ((value["type"] ?? null) === null && value["role"] === undefined && "id" in value));

const referable: Field<ReadItem> = {
  read(value, at, issues) {
    if (!isReference(value)) return item.read(value, at, issues);
    issues.add(at, notStored);
    return reasoning;
  },
  schema: item.schema,
};

const listed = list(referable, { min: 1, max: mostMembers.messages });

/** A text is what a user says. No more parts and calls in all than a sampling request may have. */
export const inputField: Field<ReadItem[]> = refined(
  {
    read: (value, at, issues) =>
      typeof value === "string" ? [{ role: "user", content: [{ type: "input_text", text: value }] }] : listed.read(value, at, issues),
    schema: { anyOf: [{ type: "string" }, listed.schema] },
  },
  (read) => (read.reduce((sum, each) => sum + partsOf(each), 0) > mostMembers.blocks ? undefined : read),
  `must not hold more than ${mostMembers.blocks} content parts and tool calls in all`,
);

const partsOf = (each: ReadItem): number => ("content" in each ? each.content.length : "output" in each ? each.output.length : 1);

/** The conversation of items that were read without an error. */
export const inputConversation = (read: readonly ReadItem[], issues: IssueCollector): Conversation =>
  conversationOf(
    read.flatMap((each, i) => turnOf(each, `/input/${i}`)),
    issues,
    { all: "/input", inItsWords: (pointer) => pointer.replace(/\/(id|toolUseId)$/, "/call_id") },
  );

function turnOf(each: ReadItem, at: string): Turn[] {
  if ("role" in each) {
    switch (each.role) {
      case "system":
      case "developer":
        return [{ kind: "instructions", at, text: each.content.map((part) => part.text).join("") }];
      case "user":
        return [{ kind: "said", role: "user", blocks: each.content.map((part, i) => askedBlock(part, `${at}/content/${i}`)) }];
      case "assistant": {
        const blocks = each.content.flatMap((part, i): PlacedBlock[] => {
          const words = part.type === "refusal" ? part.refusal : part.text;
          return words === "" ? [] : [{ block: { type: "text", text: words }, pointer: `${at}/content/${i}` }];
        });
        return blocks.length === 0 ? [] : [{ kind: "said", role: "assistant", blocks, joins: true }];
      }
    }
  }
  switch (each.type) {
    case "function_call": {
      const block = { type: "tool_use" as const, id: each.call_id, name: each.name, input: each.arguments };
      return [{ kind: "said", role: "assistant", blocks: [{ block, pointer: at }], joins: true }];
    }
    case "function_call_output":
      return [{ kind: "result", at, block: { type: "tool_result", toolUseId: each.call_id, content: each.output.map(resultPart) } }];
    case "reasoning":
      return [];
  }
}

function askedBlock(part: ReadOf<typeof asked>[number], pointer: string): PlacedBlock {
  if (part.type === "input_image") return imageBlock(part.image_url, pointer, "/image_url");
  if (part.type === "input_file") return { block: pdfBlock(part), pointer };
  return { block: part.type === "input_text" ? { type: "text", text: part.text } : audioBlock(part.input_audio), pointer };
}

function resultPart(part: ReadOf<typeof result>[number]): ToolResultBlock["content"][number] {
  if (part.type === "input_text") return { type: "text", text: part.text };
  const { block } = imageBlock(part.image_url, "", "");
  if (block.type !== "image") throw new Error("an image that is none");
  return block;
}
