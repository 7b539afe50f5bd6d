// A server's list of tools as it passes to a client: which tools are in it, and the same list
// without some of them.
//
// The attack: clients differ in what they read. Some take a name in any case for the protocol's
// own, and of two members of one name some take the first. So a list that could be read in two ways
// is not passed, and each tool that is passed is written anew: what was judged is what is read.

import type { JsonObject } from "../encoding.ts";
import { digestOf } from "../encoding.ts";
import { type JsonOf, jsonOf } from "../json/json-of.ts";
import { valueAsWritten } from "../json/as-written.ts";
import { isDeeperThan } from "../json/json-rules.ts";
import { type Edit, type Span, edited, elementsOf, memberOf, membersOf, textAt } from "../json/spans.ts";
import { objectOf, parseJson } from "../json/values.ts";
import { failure, toRequestId } from "../wire/json-rpc.ts";
import { foldedName } from "./member-names.ts";

/** A tool as its server describes it, without what it may change with each list. */
export type ToolDefinition = JsonObject & { readonly name: string };

export type ListedTool = {
  readonly name: string;
  /** Of the definition. */
  readonly digest: string;
  readonly definition: JsonOf<ToolDefinition>;
};

/** A page of a list. `isLast`: no more follows it. */
export type ToolPage = { readonly tools: readonly ListedTool[]; readonly isLast: boolean };

type ToolListing = ToolPage & {
  /** Of `tools` in the bytes of the message. */
  readonly at: Span;
  /** Each tool as the server described it. */
  readonly values: readonly JsonObject[];
};

/** Whether a text may hold a list of tools, in any case. An escape may hide any word. */
export const mayListTools = (text: string): boolean => /tools|\\u/iu.test(text);

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What a list of tools in one JSON text, a message or a batch of them, becomes. */
export type ToolLists = {
  readonly pages: readonly ToolPage[];
  /**
   * The text with those tools of each page alone that `isShown`. `isPinned`: without an output
   * schema that no digest has.
   */
  readonly shown: (isShown: (page: ToolPage, index: number) => boolean, isPinned?: boolean) => string;
};

/** Null where the text has no list of tools; it is no JSON, or passes as it is. */
export function toolListsIn(text: string): ToolLists | null {
  if (!mayListTools(text) || parseJson(text) === undefined) return null;
  const bytes = encoder.encode(text);
  const whole = { from: 0, to: bytes.length };
  const batch = elementsOf(bytes, whole);
  const found = (batch.length === 0 ? [whole] : batch).flatMap((message) => listingIn(bytes, message) ?? []);
  if (found.length === 0) return null;
  const pages = found.filter((each) => "tools" in each);
  return {
    pages,
    shown: (isShown, isPinned = false) => {
      const textOf = (listing: ToolListing): string => {
        const values = listing.values.filter((_, index) => isShown(listing, index));
        return JSON.stringify(isPinned ? values.map(withoutOtherOutput) : values);
      };
      const edits = found.map((each): Edit => ("tools" in each ? { ...each.at, text: textOf(each) } : each));
      return decoder.decode(edited(bytes, edits));
    },
  };
}

/** The list in a message, or the error in its place where clients may differ in what they read. */
function listingIn(bytes: Uint8Array, message: Span): ToolListing | Edit | null {
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
    const tool = value === null ? null : listedTool(value);
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

const longestName = 512;
const deepest = 100;

/**
 * What a server may change without changing what the tool is, and `execution`, which clients of
 * 2026-07-28 do not get from a server with sessions.
 */
const unpinned: ReadonlySet<string> = new Set(["_meta", "icons", "execution"]);

/** An output schema of something else than an object is not pinned: older clients do not get it. */
function withoutOtherOutput({ outputSchema, ...tool }: JsonObject): JsonObject {
  return objectOf(outputSchema)?.["type"] === "object" ? { ...tool, outputSchema: outputSchema as JsonObject } : tool; // checked
}

/** A tool of a list; null for what is no tool to every client: nobody could judge it. */
export function listedTool(value: JsonObject): ListedTool | null {
  const name = value["name"];
  if (typeof name !== "string" || name.length > longestName || !name.isWellFormed()) return null;
  if (isDeeperThan(deepest, value) || Object.keys(value).some((each) => each !== "name" && foldedName(each) === "NAME")) return null;
  const pinned = Object.fromEntries(Object.entries(withoutOtherOutput(value)).filter(([each]) => !unpinned.has(each)));
  const definition = jsonOf({ ...pinned, name } as ToolDefinition); // from JSON
  return { name, digest: digestOf("countersign/tool-definition/v1", valueAsWritten(definition)), definition };
}
