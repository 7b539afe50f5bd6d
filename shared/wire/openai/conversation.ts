// The conversation of a request under /v1 as neutral messages, whichever endpoint it came to.
// System and developer messages become the system prompt; the results of one turn's tool calls
// become one message, as the neutral request has them.

import type { IssueCollector, ParamsRefusal } from "../../json/issue-collector.ts";
import type { Block, Message } from "../../model/sampling.ts";
import { type BlockPointer, conversationError } from "../mcp-2025/content-rules.ts";
import { joinPrompt } from "../asked.ts";
import { dataUrl } from "./openai-fields.ts";

/** A block, where it stands in the request, and the address of an image that is to be fetched. */
export type PlacedBlock = {
  readonly block: Block;
  readonly pointer: string;
  readonly address?: Pick<ImageAddress, "url" | "pointer">;
};

/**
 * What one message or item of a request adds. `joins`: to the assistant's message before it, where
 * there is one.
 */
export type Turn =
  | { readonly kind: "instructions"; readonly at: string; readonly text: string }
  | { readonly kind: "said"; readonly role: "user" | "assistant"; readonly blocks: readonly PlacedBlock[]; readonly joins?: true }
  | { readonly kind: "result"; readonly at: string; readonly block: Block };

/**
 * An image that is given by its address and has to be fetched: its place in the neutral messages.
 */
export type ImageAddress = { readonly message: number; readonly block: number; readonly url: string; readonly pointer: string };

export type Conversation = {
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

/**
 * `all`: the pointer of the list. `inItsWords`: the rules on conversations point at MCP's members.
 */
type Words = { readonly all: string; readonly inItsWords: (pointer: string) => string };

/** What stands for an image until it is fetched. */
const unfetched = { type: "image", data: "", mimeType: "image/png" } as const;

/** An image by its `data:` URL or its address. `below`: where that stands in the part. */
export function imageBlock(url: string, pointer: string, below: string): PlacedBlock {
  const [head = "", mimeType = ""] = dataUrl.exec(url.slice(0, 100)) ?? [];
  return head === ""
    ? { block: unfetched, pointer, address: { url, pointer: pointer + below } }
    : { block: { type: "image", data: url.slice(head.length), mimeType: mimeType.toLowerCase() }, pointer };
}

export const audioBlock = ({ data, format }: { readonly data: string; readonly format: "wav" | "mp3" }): Block => ({
  type: "audio",
  data,
  mimeType: format === "wav" ? "audio/wav" : "audio/mpeg",
});

export const pdfBlock = ({ file_data: data, filename: name }: { readonly file_data: string; readonly filename?: string }): Block => ({
  type: "pdf",
  data,
  ...(name === undefined || name === "" ? {} : { name }),
});

/** The conversation of turns that were read. `issues`: what is wrong with one of them alone. */
export function conversationOf(turns: readonly Turn[], issues: IssueCollector, { all, inItsWords }: Words): Conversation {
  const system: string[] = [];
  const moved: string[] = [];
  const messages: { role: "user" | "assistant"; content: Block[] }[] = [];
  const pointers: string[][] = [];
  const addresses: ImageAddress[] = [];
  let before: Turn | null = null;
  const add = (role: "user" | "assistant", blocks: readonly PlacedBlock[], joins: boolean): void => {
    if (!joins || messages.length === 0) {
      messages.push({ role, content: [] });
      pointers.push([]);
    }
    for (const { block, pointer, address } of blocks) {
      const content = messages.at(-1)?.content ?? [];
      if (address !== undefined) addresses.push({ message: messages.length - 1, block: content.length, ...address });
      content.push(block);
      pointers.at(-1)?.push(pointer);
    }
  };
  for (const turn of turns) {
    switch (turn.kind) {
      case "instructions":
        system.push(turn.text);
        if (messages.length > 0) moved.push(turn.at);
        break;
      case "said":
        add(turn.role, turn.blocks, turn.joins === true && before?.kind === "said" && before.role === turn.role);
        break;
      case "result":
        add("user", [{ block: turn.block, pointer: turn.at }], before?.kind === "result");
    }
    before = turn;
  }
  const pointerOf: BlockPointer = (index, block) => pointers[index]?.[block] ?? all;
  if (messages.length === 0) issues.add(all, "must hold a message that is neither system nor developer");
  return {
    systemPrompt: joinPrompt(system),
    moved,
    messages,
    addresses,
    pointerOf,
    error: issues.invalid() ?? renamed(conversationError(messages, pointerOf), inItsWords),
  };
}

const renamed = (refusal: ParamsRefusal | undefined, inItsWords: Words["inItsWords"]): ParamsRefusal | undefined =>
  refusal?.kind !== "invalid"
    ? refusal
    : { ...refusal, errors: refusal.errors.map(({ pointer, message }) => ({ pointer: inItsWords(pointer), message })) };
