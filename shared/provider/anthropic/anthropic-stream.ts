// Assembles a stream of Anthropic's Messages API into the message that `fromAnthropic` reads.
// Source: platform.claude.com, "Streaming messages" (event types; new ones may come at any time and
// are to be ignored).

import { isObject, parseJson, type Members } from "../../json/values.ts";
import { usageOf } from "./anthropic-translation.ts";
import type { ProviderError } from "../../model/call.ts";
import { brokenAnswer } from "../provider-error.ts";
import { isCount } from "../narrow.ts";
import { mostBlocks, type StreamReader, type TextDeltas } from "../text-deltas.ts";

type Block = { readonly start: Members; text: string; json: string; open: boolean };

/**
 * Reads the events of one reply, and passes the text of its blocks to `deltas`. The reply is whole
 * with `message_stop`. Blocks must come one after the other, in the order of their index; otherwise
 * the answer is broken.
 */
export function readAnthropic(deltas: TextDeltas): StreamReader {
  const blocks: Block[] = [];
  let message: Members | undefined;
  let end: Members = {};
  const counted: Record<string, number> = {};
  let whole = false;
  let characters = 0;

  /** The numbers of `message_delta` are those of the whole message so far. */
  const count = (usage: unknown): void => {
    for (const [name, value] of Object.entries(isObject(usage) ? usage : {})) if (isCount(value)) counted[name] = value;
  };

  const startBlock = (event: Members, length: number): ProviderError | undefined => {
    const start = event["content_block"];
    if (message === undefined || event["index"] !== blocks.length || blocks.at(-1)?.open === true || !isObject(start))
      return brokenAnswer();
    if (blocks.length === mostBlocks) return brokenAnswer("tooLarge");
    const text = start["type"] === "text" && typeof start["text"] === "string" ? start["text"] : "";
    // Names of tools, and redacted thinking, come whole in this event.
    characters += start["type"] === "text" ? text.length : length;
    blocks.push({ start, text, json: "", open: true });
    if (text !== "") deltas.add(text);
    return undefined;
  };

  const addToBlock = (event: Members): ProviderError | undefined => {
    const block = blocks.at(-1);
    const { delta } = event;
    if (block?.open !== true || event["index"] !== blocks.length - 1 || !isObject(delta)) return brokenAnswer();
    const { type, text, partial_json: json, thinking } = delta;
    const isText = block.start["type"] === "text";
    if (type === "text_delta") {
      if (!isText || typeof text !== "string") return brokenAnswer();
      characters += text.length;
      block.text += text;
      deltas.add(text);
    } else if (type === "input_json_delta") {
      if (isText || typeof json !== "string") return brokenAnswer();
      characters += json.length;
      block.json += json;
    } else if (typeof thinking === "string") characters += thinking.length;
    // Thinking, signatures and citations are not part of the reply.
    return undefined;
  };

  const endBlock = (event: Members): ProviderError | undefined => {
    const block = blocks.at(-1);
    if (block?.open !== true || event["index"] !== blocks.length - 1) return brokenAnswer();
    block.open = false;
    if (block.start["type"] === "text") deltas.endBlock();
    return undefined;
  };

  const takeEvent = (event: Members, length: number): ProviderError | undefined => {
    switch (event["type"]) {
      case "message_start":
        if (message !== undefined || !isObject(event["message"])) return brokenAnswer();
        message = event["message"];
        count(message["usage"]);
        return undefined;
      case "content_block_start":
        return startBlock(event, length);
      case "content_block_delta":
        return addToBlock(event);
      case "content_block_stop":
        return endBlock(event);
      case "message_delta":
        if (isObject(event["delta"])) end = { ...end, ...event["delta"] };
        count(event["usage"]);
        return undefined;
      case "message_stop":
        whole = message !== undefined && blocks.at(-1)?.open !== true;
        return whole ? undefined : brokenAnswer();
      default:
        return undefined;
    }
  };

  return {
    take: (data) => {
      const event = parseJson(data);
      if (!isObject(event)) return brokenAnswer("notJson");
      if (event["type"] === "error" || isObject(event["error"])) return brokenAnswer("errorInSuccess");
      return takeEvent(event, data.length) ?? (whole ? "end" : "more");
    },
    isWhole: () => whole,
    usage: () => usageOf(counted),
    characters: () => characters,
    response: () => ({ ...message, content: blocks.map(contentOf), stop_reason: end["stop_reason"] ?? null, usage: counted }),
  };
}

/**
 * The input of a tool use comes as the text of its JSON; where none comes, the block's first input
 * stays.
 */
function contentOf({ start, text, json }: Block): Members {
  if (start["type"] === "text") return { ...start, text };
  return json === "" ? start : { ...start, input: parseJson(json) };
}
