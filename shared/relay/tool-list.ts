// A server's list of tools as it passes to a client: which tools are in it, and the same list
// without some of them.
//
// The attack: clients differ in what they read. Some take a name in any case for the protocol's
// own, and of two members of one name some take the first. So a list that could be read in two ways
// is not passed, and each tool that is passed is written anew: what was judged is what is read.

import { callMethod } from "./call-notices.ts";
import type { JsonObject } from "../encoding.ts";
import { isDeeperThan } from "../json/json-rules.ts";
import { type Edit, type Span, edited, elementsOf, memberOf, membersOf, textAt } from "../json/spans.ts";
import { objectOf, parseJson } from "../json/values.ts";
import { failure, toRequestId } from "../wire/json-rpc.ts";
import { foldedName } from "./member-names.ts";
import { messagesIn } from "./message-bytes.ts";

/**
 * The tools that a message, or each of a batch, calls; an empty name where it has none. Also
 * without an id: some server may run it all the same.
 */
export const calledTools = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? (value as unknown[]) : [value]).flatMap((each) => {
    const message = objectOf(each);
    const name = objectOf(message?.["params"])?.["name"];
    return message?.["method"] === callMethod ? [typeof name === "string" ? name : ""] : [];
  });

type NamedTool = { readonly name: string };

/** A page of a list. `isLast`: no more follows it. */
export type ToolPage<Tool = NamedTool> = { readonly tools: readonly Tool[]; readonly isLast: boolean };

type ToolListing<Tool> = ToolPage<Tool> & {
  /** Of `tools` in the bytes of the message. */
  readonly at: Span;
  /** Each tool as the server described it. */
  readonly values: readonly JsonObject[];
};

/** A tool as its list is judged by it; null for what is no tool. */
type ToolOf<Tool> = (value: JsonObject) => Tool | null;

/** Whether a text may hold a list of tools, in any case. An escape may hide any word. */
export const mayListTools = (text: string): boolean => /tools|\\u/iu.test(text);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What a list of tools in one JSON text, a message or a batch of them, becomes. */
export type ToolLists<Tool = NamedTool> = {
  readonly pages: readonly ToolPage<Tool>[];
  /**
   * The text with those tools of each page alone that `isShown`. `isPinned`: without an output
   * schema that no digest has.
   */
  readonly shown: (isShown: (page: ToolPage<Tool>, index: number) => boolean, isPinned?: boolean) => string;
};

/** Null where the text has no list of tools; it is no JSON, or passes as it is. */
export function toolListsIn<Tool>(text: string, toolOf: ToolOf<Tool>): ToolLists<Tool> | null {
  if (!mayListTools(text) || parseJson(text) === undefined) return null;
  const bytes = encoder.encode(text);
  const found = messagesIn(bytes).flatMap((message) => listingIn(bytes, message, toolOf) ?? []);
  if (found.length === 0) return null;
  const pages = found.filter((each) => "tools" in each);
  return {
    pages,
    shown: (isShown, isPinned = false) => {
      const textOf = (listing: ToolListing<Tool>): string => {
        const values = listing.values.filter((_, index) => isShown(listing, index));
        return JSON.stringify(isPinned ? values.map(withoutOtherOutput) : values);
      };
      const edits = found.map((each): Edit => ("tools" in each ? { ...each.at, text: textOf(each) } : each));
      return decoder.decode(edited(bytes, edits));
    },
  };
}

/** The list in a message, or the error in its place where clients may differ in what they read. */
function listingIn<Tool>(bytes: Uint8Array, message: Span, toolOf: ToolOf<Tool>): ToolListing<Tool> | Edit | null {
  const results = membersOf(bytes, message).filter(({ name }) => foldedName(name) === "RESULT");
  const lists = results.flatMap((result) => membersOf(bytes, result).filter(({ name }) => foldedName(name) === "TOOLS"));
  const [result, list] = [results[0], lists[0]];
  if (result === undefined || list === undefined) return null;
  if (results.length > 1 || lists.length > 1 || result.name !== "result" || list.name !== "tools")
    return { ...message, text: JSON.stringify(ambiguous(bytes, message)) };
  const elements = elementsOf(bytes, list);
  if (elements.length === 0) return null;
  const read = elements.flatMap((element) => {
    const value = objectOf(parseJson(textAt(bytes, element)));
    const tool = value === null ? null : toolOf(value);
    return value === null || tool === null ? [] : [{ tool, value }];
  });
  const next = memberOf(bytes, result, "nextCursor");
  const isLast = next === undefined || typeof parseJson(textAt(bytes, next)) !== "string";
  return { tools: read.map(({ tool }) => tool), values: read.map(({ value }) => value), isLast, at: list };
}

const ambiguous = (bytes: Uint8Array, message: Span): object => {
  const id = objectOf(parseJson(textAt(bytes, message)))?.["id"];
  return failure(toRequestId(id) ?? null, { code: -32_603, message: "The MCP server's list of tools could be read in two ways" });
};

/** An output schema of something else than an object is not pinned: older clients do not get it. */
export function withoutOtherOutput({ outputSchema, ...tool }: JsonObject): JsonObject {
  return objectOf(outputSchema)?.["type"] === "object" ? { ...tool, outputSchema: outputSchema as JsonObject } : tool; // checked
}

const longestName = 512;
const deepest = 100;

/** A tool of a list; null for what is no tool to every client: nobody could judge it. */
export function namedTool(value: JsonObject): NamedTool | null {
  const name = value["name"];
  if (typeof name !== "string" || name.length > longestName || !name.isWellFormed()) return null;
  if (isDeeperThan(deepest, value) || Object.keys(value).some((each) => each !== "name" && foldedName(each) === "NAME")) return null;
  return { name };
}
