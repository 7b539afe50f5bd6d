// A stream of Anthropic's Messages API, put together to the message that `fromAnthropic` reads.
// Source: platform.claude.com, "Streaming messages" (event types; new ones may come at any time and are to be ignored).

import { usageOf } from "./anthropic.ts";
import type { ProviderFault } from "./call.ts";
import { brokenAnswer } from "./fault.ts";
import { isCount, isFields, parseJson, type Fields } from "./narrow.ts";
import type { StreamReader, TextDeltas } from "./stream.ts";

type Block = { readonly start: Fields; text: string; json: string; open: boolean };

/**
 * Reads the events of one reply, the text of whose blocks goes to `deltas`. It is whole with `message_stop`. Blocks come one after the
 * other, each with its number; what is out of that order is no message.
 */
export function readAnthropic(deltas: TextDeltas): StreamReader {
  const blocks: Block[] = [];
  let message: Fields | undefined;
  let end: Fields = {};
  const counted: Record<string, number> = {};
  let whole = false;

  const broken = (detail?: NonNullable<ProviderFault["detail"]>): ProviderFault => brokenAnswer(detail, usageOf(counted));
  /** The numbers of `message_delta` are those of the whole message so far. */
  const count = (usage: unknown): void => {
    for (const [name, value] of Object.entries(isFields(usage) ? usage : {})) if (isCount(value)) counted[name] = value;
  };

  const startBlock = (event: Fields): ProviderFault | undefined => {
    const start = event["content_block"];
    if (message === undefined || event["index"] !== blocks.length || blocks.at(-1)?.open === true || !isFields(start)) return broken();
    const text = start["type"] === "text" && typeof start["text"] === "string" ? start["text"] : "";
    blocks.push({ start, text, json: "", open: true });
    if (text !== "") deltas.add(text);
    return undefined;
  };

  const addToBlock = (event: Fields): ProviderFault | undefined => {
    const block = blocks.at(-1);
    const { delta } = event;
    if (block?.open !== true || event["index"] !== blocks.length - 1 || !isFields(delta)) return broken();
    const { type, text, partial_json: json } = delta;
    if (type === "text_delta" && block.start["type"] === "text" && typeof text === "string") {
      block.text += text;
      deltas.add(text);
    } else if (type === "input_json_delta" && typeof json === "string") block.json += json;
    // Thinking, signatures and citations are not part of the reply.
    return undefined;
  };

  const endBlock = (event: Fields): ProviderFault | undefined => {
    const block = blocks.at(-1);
    if (block?.open !== true || event["index"] !== blocks.length - 1) return broken();
    block.open = false;
    if (block.start["type"] === "text") deltas.endBlock();
    return undefined;
  };

  const takeEvent = (event: Fields): ProviderFault | undefined => {
    switch (event["type"]) {
      case "message_start":
        if (message !== undefined || !isFields(event["message"])) return broken();
        message = event["message"];
        count(message["usage"]);
        return undefined;
      case "content_block_start":
        return startBlock(event);
      case "content_block_delta":
        return addToBlock(event);
      case "content_block_stop":
        return endBlock(event);
      case "message_delta":
        if (isFields(event["delta"])) end = { ...end, ...event["delta"] };
        count(event["usage"]);
        return undefined;
      case "message_stop":
        whole = message !== undefined && blocks.at(-1)?.open !== true;
        return whole ? undefined : broken();
      default:
        return undefined;
    }
  };

  return {
    take: (data) => {
      const event = parseJson(data);
      if (!isFields(event)) return broken("notJson");
      if (event["type"] === "error" || isFields(event["error"])) return broken("errorInSuccess");
      return takeEvent(event) ?? (whole ? "end" : "more");
    },
    isWhole: () => whole,
    usage: () => usageOf(counted),
    response: () => ({ ...message, content: blocks.map(contentOf), stop_reason: end["stop_reason"] ?? null, usage: counted }),
  };
}

/** The input of a tool use comes as the text of its JSON; none at all is what the block began with. */
function contentOf({ start, text, json }: Block): Fields {
  if (start["type"] === "text") return { ...start, text };
  return json === "" ? start : { ...start, input: parseJson(json) };
}
