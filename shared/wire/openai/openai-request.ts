// What the endpoints for messages under /v1 make of what they read: one neutral request, and what
// is said about the members that no model gets.

import type { JsonObject } from "../../encoding.ts";
import { type ParamsRefusal, IssueCollector } from "../../json/issue-collector.ts";
import { readSchema } from "../../json-schema/read-schema.ts";
import { type ChatRequest, type ModelPreferences, type ToolDefinition, mostHints } from "../../model/sampling.ts";
import { type Result, err, ok } from "../../result.ts";
import { joinPrompt, namedModelOf } from "../asked.ts";
import { jsonPrompt } from "../json-sentence.ts";
import type { BlockPointer } from "../mcp-2025/content-rules.ts";
import type { Conversation, ImageAddress } from "./conversation.ts";

/** The model that leaves the choice to the routing table, by the preferences in `metadata`. */
export const autoModel = "auto";

/**
 * The limit of a request that names none: the neutral request, its worst case and its review need
 * one.
 */
export const defaultMaxTokens = 4_096;

export type ParsedRequest = {
  readonly request: ChatRequest;
  /** The model as it was asked for. */
  readonly model: string;
  readonly stream: boolean;
  /** The images that are to be fetched into the request before it is complete. */
  readonly addresses: readonly ImageAddress[];
  readonly pointerOf: BlockPointer;
  /** What is not passed on, in sentences for the caller. */
  readonly notes: readonly string[];
  /**
   * The same for reviewers, without the requestor's words: members of the API, and `other` for any
   * that it does not have.
   */
  readonly ignored: readonly string[];
};

/** A tool as either API has it, and the pointer of its name. */
type ReadTool = {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
  readonly at: string;
};

/** A mode, or the only tools that the model may choose from. */
export type ReadChoice = "none" | "auto" | "required" | { readonly only: readonly string[]; readonly mode: "auto" | "required" };

type Metadata = { readonly [name: string]: string | number };

/** What an endpoint read of a body. The first members have the same names in both APIs. */
type ReadBody = {
  readonly model: string;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly stream?: boolean;
  readonly parallel_tool_calls?: boolean;
  readonly metadata?: Metadata;
  readonly stop?: readonly string[];
  readonly tools: readonly ReadTool[];
  readonly choice: ReadChoice | undefined;
  /** Null: the reply is a text. `at`: of the schema. */
  readonly json: { readonly schema?: JsonObject; readonly at: string } | null;
  /** `name`: of the member that this API has for it. */
  readonly limit: { readonly name: string; readonly tokens: number | undefined };
  /** What comes before the instructions in the conversation. */
  readonly instructions?: string;
  readonly conversation: (issues: IssueCollector) => Conversation;
  /** The members that this API has, of which reviewers see the names. */
  readonly members: ReadonlySet<string>;
};

/**
 * The neutral request of a body. `issues`: of its members, and the members that no shape named.
 * Refused, each at its JSON pointer: every issue, priorities and hints that are none, a choice of a
 * tool that is not offered, a schema that replies cannot be checked by, and what is wrong with the
 * conversation. Never throws.
 */
export function messageRequest(read: ReadBody, issues: IssueCollector): Result<ParsedRequest, ParamsRefusal> {
  const given = Object.entries(read.metadata ?? {});
  const preferences = read.model === autoModel ? preferencesIn(read.metadata ?? {}, issues) : undefined;
  for (const [name] of given)
    if (name.startsWith(ours) && (preferences === undefined || !preferenceNames.has(name))) issues.ignore("/metadata", name);
  const tools = offeredTools(read, issues);
  const { json } = read;
  if (json?.schema !== undefined) {
    const ready = readSchema(json.schema, json.at);
    if (!ready.ok) for (const { pointer, message } of ready.error) issues.add(pointer, message);
  }
  const invalid = issues.invalid();
  if (invalid !== undefined) return err(invalid);
  const conversation = read.conversation(new IssueCollector());
  if (conversation.error !== undefined) return err(conversation.error);
  const { name: limitName, tokens: limit = defaultMaxTokens } = read.limit;
  const systemPrompt = joinPrompt([
    read.instructions,
    conversation.systemPrompt,
    json === null ? undefined : jsonPrompt(json.schema, tools !== null),
  ]);
  const metadata = given.filter(([name]) => !name.startsWith(ours));
  const request: ChatRequest = {
    kind: "chat",
    ...(preferences === undefined ? namedModelOf({ name: read.model }) : { modelPreferences: preferences }),
    messages: conversation.messages,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    maxTokens: limit,
    ...(read.temperature === undefined ? {} : { temperature: read.temperature }),
    ...(read.top_p === undefined ? {} : { topP: read.top_p }),
    ...(json === null ? {} : { responseFormat: { type: "json" as const, ...(json.schema === undefined ? {} : { schema: json.schema }) } }),
    ...(read.stop === undefined || read.stop.length === 0 ? {} : { stopSequences: [...read.stop] }),
    ...(metadata.length === 0 ? {} : { metadata: Object.fromEntries(metadata) }),
    ...(tools === null ? {} : tools),
    ...(read.parallel_tool_calls === false && tools !== null ? { parallelToolCalls: false } : {}),
  };
  return ok({
    request,
    model: read.model,
    stream: read.stream === true,
    addresses: conversation.addresses,
    pointerOf: conversation.pointerOf,
    notes: [
      ...(read.limit.tokens === undefined ? [`${limitName} was not given: ${defaultMaxTokens} is the limit.`] : []),
      ...conversation.moved.map((pointer) => `Moved before the conversation, into the system prompt: ${pointer}.`),
      ...issues.ignored.map((pointer) => `Not passed on: ${pointer}.`),
    ],
    ignored: [
      ...new Set(
        issues.ignored.map((pointer) => {
          const [, name = ""] = pointer.split("/");
          return read.members.has(name) ? name : "other";
        }),
      ),
    ],
  });
}

/**
 * The tools that the model may choose from. A choice of one tool leaves only that one, and a choice
 * of some only those. Null where there are none.
 */
function offeredTools({ tools, choice }: ReadBody, issues: IssueCollector): Pick<ChatRequest, "tools" | "toolChoice"> | null {
  const offered = tools.map(({ name, description, parameters }): ToolDefinition => ({
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema: parameters === undefined ? { type: "object", properties: {} } : { ...parameters, type: "object" },
  }));
  const names = new Set<string>();
  for (const { name, at } of tools) {
    if (names.has(name)) issues.add(at, "is the name of an earlier tool too");
    names.add(name);
  }
  if (choice === undefined || typeof choice === "string") {
    if (choice === "required" && offered.length === 0) issues.add("/tool_choice", "must not be required without tools");
    return offered.length === 0 ? null : { tools: offered, ...(choice === undefined ? {} : { toolChoice: choice }) };
  }
  const { only, mode } = choice;
  if (only.some((name) => !names.has(name))) issues.add("/tool_choice", "names a tool that is not among tools");
  return { tools: offered.filter(({ name }) => only.includes(name)), toolChoice: mode };
}

/** Members of `metadata` that are for the gateway. */
const ours = "mcp.";
const axes = ["costPriority", "speedPriority", "intelligencePriority"] as const;
const preferenceNames = new Set([`${ours}hints`, ...axes.map((name) => ours + name)]);

function preferencesIn(metadata: Metadata, issues: IssueCollector): ModelPreferences {
  const preferences = Object.fromEntries(
    axes.flatMap((name) => {
      const member = `mcp.${name}`;
      const given = Object.hasOwn(metadata, member) ? metadata[member] : undefined;
      if (given === undefined) return [];
      const value = typeof given === "number" ? given : given.trim() === "" ? Number.NaN : Number(given);
      if (!(value >= 0 && value <= 1)) issues.add(`/metadata/${member}`, "must be a number from 0 to 1");
      return [[name, value]];
    }),
  );
  const given = Object.hasOwn(metadata, "mcp.hints") ? String(metadata["mcp.hints"]) : "";
  const hints = given.split(",").map((name) => name.trim());
  if (hints.length > mostHints) issues.add("/metadata/mcp.hints", `must not have more than ${mostHints} names`);
  const named = hints.filter((name) => name !== "").map((name) => ({ name }));
  return { ...preferences, ...(named.length === 0 ? {} : { hints: named }) };
}
