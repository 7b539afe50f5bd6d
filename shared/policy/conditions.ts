// The conditions of a policy's rule: their schema, and whether a request meets each.

import * as z from "zod";
import type { CallFacts, JudgedModel, JudgedRequest, JudgedSubject, ToolHints } from "../model/judged-request.ts";
import { type Block, type SamplingRequest, type ToolResultBlock, outputLimit } from "../model/sampling.ts";
import { toolName } from "../model/subject/tool-call.ts";
import { type SubjectRequest, isMessage, subjectKinds } from "../model/subject/subject.ts";
import type { Candidate } from "../routing/choose.ts";
import { type CallArguments, argumentConditionsSchema, isArgumentMet } from "./argument-conditions.ts";
import { matchesGlob } from "./glob.ts";
import { type RiskNote, highestRisk, isRiskAtLeast } from "./risk.ts";
import { carefulHints } from "./tool-hints.ts";

/** As `matchesGlob` reads it. */
const glob = z.string().max(256);

export const conditionsSchema = z.strictObject({
  /** What the rule is about; absent: see `isUnnamedSubject`. */
  subject: z.enum(subjectKinds).optional(),
  /** The MCP server that asks. */
  server: glob.optional(),
  /** The tool, prompt or resource of the originating request. */
  tool: glob.optional(),
  /** The originating request's method, such as `tools/call`. */
  method: glob.optional(),
  /** The name of the API key. */
  key: glob.optional(),
  /** The id of a model in the routing table. */
  model: glob.optional(),
  /** How it is known that the request serves that originating request. */
  provenance: z.enum(["claimed", "inferred", "observed", "own"]).optional(),
  /** Whether an image, audio, a PDF or a binary resource is in the messages. */
  hasMedia: z.boolean().optional(),
  /** Whether tools are offered, or used in the messages. */
  hasTools: z.boolean().optional(),
  /** Matches where `maxTokens` is above this. */
  maxTokensOver: z.int().nonnegative().optional(),
  /** Matches where the worst case of the most expensive candidate is above this, in US dollars. */
  costOverUsd: z.number().nonnegative().optional(),
  /** Matches where a risk of this level or a higher one was found. */
  risk: z.enum(["low", "medium", "high"]).optional(),
  /** Of a tool's call: all of these hold of its arguments. */
  arguments: argumentConditionsSchema.optional(),
  /** What the tool says of itself: see `hintsOf`. */
  annotations: z
    .strictObject({ readOnly: z.boolean().optional(), destructive: z.boolean().optional(), openWorld: z.boolean().optional() })
    .optional(),
  /** Whether the key calls this tool for the first time. */
  firstUse: z.boolean().optional(),
  /** Whether the tool is not defined as it was when it was accepted. */
  definitionChanged: z.boolean().optional(),
});

export type Conditions = z.infer<typeof conditionsSchema>;

/** In the order of the schema, in which people read them. */
export const conditionNames = conditionsSchema.keyof().options;

/** The value of each condition where it is given. */
export type Wanted = { readonly [Name in keyof Conditions]-?: NonNullable<Conditions[Name]> };

/**
 * What the policy's `default`, and every rule that names no subject, are about. A call that a
 * client makes and a form are allowed unless a rule names them.
 */
export const isUnnamedSubject = (subject: JudgedSubject): boolean => subject === "message" || subject === "function";

/** Whether a rule with these conditions is about this subject. */
export const isAbout = ({ subject: wanted }: Conditions, subject: JudgedSubject): boolean =>
  wanted === undefined ? isUnnamedSubject(subject) : wanted === (subject === "function" ? "toolCall" : subject);

/**
 * `Conditions`, mapped from `Wanted` so that the compiler sees that each test gets its own value.
 */
type Given = { readonly [Name in keyof Wanted]?: Wanted[Name] | undefined };

/** What is known of a call before anybody makes it, by its server and its tool's definition. */
export type ToolFacts = Pick<ConditionFacts, "subject" | "server" | "tool" | "method" | "provenance"> & {
  readonly call?: Pick<CallFacts, "hints" | "definitionChanged">;
};

type Test<Value, Facts> = (wanted: Value, facts: Facts) => boolean;

/**
 * `of`: the only subject that a rule with it may have. `by`: whether a tool alone says if its calls
 * meet it, or each request does.
 */
type Judged<Value> = { readonly of: "message" | "toolCall" | "all" } & (
  | { readonly by: "tool"; readonly isMet: Test<Value, ToolFacts> }
  | { readonly by: "request"; readonly isMet: (wanted: Value, facts: ConditionFacts, model: string | undefined) => boolean }
);

const hintNames = ["readOnly", "destructive", "openWorld"] as const;
const hintsIn = (call: Pick<CallFacts, "hints"> | undefined): ToolHints => call?.hints ?? carefulHints;

/** Exhaustive by type: a condition without a test would let a rule apply where it must not. */
const tests: { readonly [Name in keyof Wanted]: Judged<Wanted[Name]> } = {
  // By `isAbout`, which judges a rule without it too.
  subject: { of: "all", by: "tool", isMet: () => true },
  server: { of: "all", by: "tool", isMet: (wanted, { server }) => matchesGlob(wanted, server) },
  tool: { of: "all", by: "tool", isMet: (wanted, { tool }) => matchesGlob(wanted, tool) },
  method: { of: "all", by: "tool", isMet: (wanted, { method }) => matchesGlob(wanted, method) },
  key: { of: "all", by: "request", isMet: (wanted, { keyName }) => matchesGlob(wanted, keyName) },
  model: { of: "message", by: "request", isMet: (wanted, _, model) => model !== undefined && matchesGlob(wanted, model) },
  provenance: { of: "all", by: "tool", isMet: (wanted, { provenance }) => wanted === provenance },
  hasMedia: { of: "message", by: "request", isMet: (wanted, { hasMedia }) => wanted === hasMedia },
  hasTools: { of: "message", by: "request", isMet: (wanted, { hasTools }) => wanted === hasTools },
  maxTokensOver: { of: "message", by: "request", isMet: (wanted, { maxTokens }) => maxTokens > wanted },
  costOverUsd: { of: "message", by: "request", isMet: (wanted, { maxCostUsd }) => maxCostUsd > wanted },
  risk: { of: "all", by: "request", isMet: (wanted, { risk }) => isRiskAtLeast(risk, wanted) },
  arguments: {
    of: "toolCall",
    by: "request",
    isMet: (wanted, { arguments: given }) => given !== undefined && wanted.every((each) => isArgumentMet(each, given)),
  },
  annotations: {
    of: "toolCall",
    by: "tool",
    isMet: (wanted, { call }) => hintNames.every((name) => (wanted[name] ?? hintsIn(call)[name]) === hintsIn(call)[name]),
  },
  firstUse: { of: "toolCall", by: "request", isMet: (wanted, { call }) => wanted === (call?.firstUse ?? true) },
  definitionChanged: { of: "toolCall", by: "tool", isMet: (wanted, { call }) => wanted === (call?.definitionChanged ?? true) },
};

/** The conditions that only a rule about this subject may have. */
export const conditionsOnlyOf = (subject: "message" | "toolCall"): readonly (keyof Conditions)[] =>
  conditionNames.filter((name) => tests[name].of === subject);

/**
 * Whether a request meets every given condition. `model`: the id of the candidate that is judged,
 * as if it were the only one.
 */
export function areMet(conditions: Conditions, facts: ConditionFacts, model: string | undefined): boolean {
  if (!isAbout(conditions, facts.subject)) return false;
  // The schema is strict, so its own names are all there are. A rule has few of them.
  for (const name in conditions) if (!isMet(name as keyof Conditions, conditions, facts, model)) return false;
  return true;
}

function isMet<Name extends keyof Conditions>(name: Name, conditions: Given, facts: ConditionFacts, model: string | undefined): boolean {
  const wanted = conditions[name];
  return wanted === undefined || tests[name].isMet(wanted, facts, model);
}

/**
 * Whether calls of a tool meet these conditions: some never or always do, and of others only the
 * call itself says it.
 */
export function areMetByTool(conditions: Conditions, facts: ToolFacts): "never" | "perhaps" | "always" {
  if (!isAbout(conditions, facts.subject)) return "never";
  const met = new Set(conditionNames.map((name) => isMetByTool(name, conditions, facts)));
  if (met.has(false)) return "never";
  return met.has(null) ? "perhaps" : "always";
}

function isMetByTool<Name extends keyof Conditions>(name: Name, conditions: Given, facts: ToolFacts): boolean | null {
  const wanted = conditions[name];
  if (wanted === undefined) return true;
  const test: Judged<Wanted[Name]> = tests[name];
  return test.by === "tool" ? test.isMet(wanted, facts) : null;
}

/** What a request's content does not say. */
type Named = Omit<JudgedRequest, "hasMedia" | "hasTools" | "maxTokens" | "risk" | "models" | "isOnce" | "call">;

export type PolicyFacts = Named & {
  readonly request: SubjectRequest;
  /** In failover order; none for what no model answers. */
  readonly candidates: readonly Candidate[];
  readonly risk: readonly RiskNote[];
  readonly call?: CallFacts | undefined;
};

/**
 * `maxCostUsd`: of the models that are judged. `arguments`: of a call, where they are known; the
 * record does not have them.
 */
export type ConditionFacts = JudgedRequest & { readonly maxCostUsd: number; readonly arguments?: CallArguments | undefined };

export const conditionFacts = (judged: JudgedRequest, given?: CallArguments): ConditionFacts => ({
  ...judged,
  arguments: given,
  maxCostUsd: Math.max(0, ...judged.models.map(({ worstCostUsd }) => worstCostUsd)),
});

/** All that the conditions judge a request by, and the record can have. */
export function judged({ request, candidates, risk, call, ...named }: PolicyFacts, isOnce = false): JudgedRequest {
  return {
    ...named,
    ...(isMessage(request) ? mediaAndTools(request) : { hasMedia: false, hasTools: request.kind === "toolCall" }),
    maxTokens: isMessage(request) ? outputLimit(request) : 0,
    risk: highestRisk(risk),
    // A rule for a model's id may name a tool in its place.
    models: request.kind === "toolCall" ? [{ id: toolName(request), worstCostUsd: 0 }] : candidates.map(judgedModel),
    isOnce,
    ...(call === undefined ? {} : { call }),
  };
}

function mediaAndTools(request: SamplingRequest): Pick<JudgedRequest, "hasMedia" | "hasTools"> {
  let hasMedia = false;
  let hasTools = (request.tools?.length ?? 0) > 0;
  for (const message of request.messages) {
    for (const block of message.content) {
      if (block.type === "tool_use" || block.type === "tool_result") hasTools = true;
      for (const piece of block.type === "tool_result" ? block.content : [block]) {
        if (isMedia(piece)) hasMedia = true;
      }
    }
  }
  return { hasMedia, hasTools };
}

const isMedia = (piece: Block | ToolResultBlock["content"][number]): boolean =>
  piece.type === "resource" ? "blob" in piece.resource : piece.type === "image" || piece.type === "audio" || piece.type === "pdf";

const judgedModel = ({ model, worstCostUsd }: Candidate): JudgedModel => ({ id: model.id, worstCostUsd });
