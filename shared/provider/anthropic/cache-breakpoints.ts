// Where Anthropic's Messages API is asked to cache a prompt. No network, no clock; it adds
// `cache_control` and changes nothing else. Source: platform.claude.com, "Prompt caching" (read in
// November 2026): at most four breakpoints; the API caches all that comes before one, in the order
// tools, system, messages, and finds earlier entries up to 20 blocks before it; a write costs a
// quarter more than plain input.
//
// The one breakpoint at the end of the request that the API can set by itself (`cache_control` at
// the top level) is not used: most sampling requests are sent once, and would pay that quarter for
// nothing.

import type Anthropic from "@anthropic-ai/sdk";
import { utf8Length } from "../../routing/price.ts";

/**
 * The blocks that requests are translated to. All of them can carry `cache_control`, which thinking
 * and empty texts can not.
 */
export type ParamBlock =
  | Anthropic.TextBlockParam
  | Anthropic.ImageBlockParam
  | Anthropic.DocumentBlockParam
  | Anthropic.ToolUseBlockParam
  | Anthropic.ToolResultBlockParam;

type PromptMessage = { readonly role: "user" | "assistant"; readonly content: ParamBlock[] };

/** What of the parameters is the prompt, in the order in which it is cached. */
export type Prompt = {
  readonly tools?: Anthropic.Tool[];
  readonly system?: string | Anthropic.TextBlockParam[];
  readonly messages: PromptMessage[];
};

const ephemeral = { cache_control: { type: "ephemeral" } } as const;

/**
 * The shortest prompt that any model caches is 512 tokens; some need up to 4,096, and ignore a
 * breakpoint before that at no cost. Three bytes of JSON to a token is few, so that no prompt is
 * left out that could be cached.
 */
const leastBytes = 512 * 3;
/** An image or a PDF counts as a thousand tokens, whatever its size. */
const imageBytes = 3_000;

/**
 * The prompt with breakpoints where the next request is likely to begin with the same: after the
 * tools, after the system prompt, and, in a conversation, before the newest user turn and at its
 * end. A request of one turn has none in its messages. What comes before a breakpoint is long
 * enough to be cached, as far as its bytes tell.
 */
export function withCacheBreakpoints({ tools, system, messages }: Prompt): Prompt {
  const isLong = lengthSoFar();
  const afterTools = tools !== undefined && isLong(tools);
  const afterSystem = typeof system === "string" && isLong([system]);
  const ends = turnEnds(messages);
  return {
    ...(tools === undefined ? {} : { tools: afterTools ? markLast(tools) : tools }),
    ...(system === undefined ? {} : { system: afterSystem ? [{ type: "text" as const, text: system, ...ephemeral }] : system }),
    messages: messages.map((message, index) =>
      isLong(message.content) && ends.includes(index) ? { ...message, content: markLast(message.content) } : message,
    ),
  };
}

/**
 * The message before the newest user turn, and the last of that turn; none where no turn came
 * before it.
 */
function turnEnds(messages: readonly PromptMessage[]): readonly number[] {
  // An assistant's message at the end is the beginning of the reply.
  const end = messages.findLastIndex(({ role }) => role === "user");
  const before = messages.slice(0, end + 1).findLastIndex(({ role }) => role === "assistant");
  return before === -1 ? [] : [before, end];
}

const markLast = <Part extends Anthropic.Tool | ParamBlock>(parts: readonly Part[]): Part[] =>
  parts.map((part, index) => (index === parts.length - 1 ? { ...part, ...ephemeral } : part));

/**
 * Asked for each part of the prompt in order: whether all until then is long enough. It reads no
 * further than it must.
 */
function lengthSoFar(): (parts: readonly (string | Anthropic.Tool | ParamBlock)[]) => boolean {
  let bytes = 0;
  return (parts) => {
    for (const part of parts) {
      if (bytes >= leastBytes) break;
      bytes += bytesOf(part);
    }
    return bytes >= leastBytes;
  };
}

function bytesOf(part: string | Anthropic.Tool | ParamBlock): number {
  if (typeof part === "string") return utf8Length(part);
  switch (part.type) {
    case "text":
      return utf8Length(part.text);
    case "image":
    case "document":
      return imageBytes;
    case "tool_result": {
      const { content = [] } = part;
      return typeof content === "string"
        ? utf8Length(content)
        : content.reduce((sum, inner) => sum + (inner.type === "image" ? imageBytes : utf8Length(JSON.stringify(inner))), 0);
    }
    // A tool use, or a tool's definition, which has no type.
    default:
      return utf8Length(JSON.stringify(part));
  }
}
