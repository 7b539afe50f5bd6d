// What a policy's rule may ask for before it applies: the schema of its conditions, and for each of them whether a request meets it.

import * as z from "zod";
import type { Provenance } from "../model/gate.ts";
import { type SamplingRequest, outputLimit } from "../model/sampling.ts";
import type { Candidate } from "../routing/choose.ts";
import { matchesGlob } from "./glob.ts";
import type { RiskLevel, RiskNote } from "./risk.ts";

/** `*` stands for any run of characters, also none; everything else is itself, case included. */
const glob = z.string().max(256);

export const conditionsSchema = z.strictObject({
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
  /** How sure it is that the request serves that originating request. */
  provenance: z.enum(["claimed", "inferred", "observed", "own"]).optional(),
  /** Whether an image, audio or a binary resource is in the messages. */
  hasMedia: z.boolean().optional(),
  /** Whether tools are offered, or used in the messages. */
  hasTools: z.boolean().optional(),
  /** Matches where `maxTokens` is above this. */
  maxTokensOver: z.int().nonnegative().optional(),
  /** Matches where the worst case of the dearest candidate is above this, in US dollars. */
  costOverUsd: z.number().nonnegative().optional(),
  /** Matches where a risk of this level or a higher one was found. */
  risk: z.enum(["low", "medium", "high"]).optional(),
});

export type Conditions = z.infer<typeof conditionsSchema>;

/** What the conditions ask for, each as it is where it is given. */
type Wanted = { readonly [Name in keyof Conditions]-?: NonNullable<Conditions[Name]> };

/** The same where some are not given: spelled by the table of tests, so that the compiler sees that each gets its own. */
type Given = { readonly [Name in keyof Wanted]?: Wanted[Name] | undefined };

/** One condition's question: whether a request meets `wanted`. */
type Test<Asked> = (wanted: Asked, facts: ConditionFacts, model: string | undefined) => boolean;

/** A condition of the schema that has no test here does not compile: a rule could otherwise apply where it must not. */
const tests: { readonly [Name in keyof Wanted]: Test<Wanted[Name]> } = {
  server: (wanted, { server }) => matchesGlob(wanted, server),
  tool: (wanted, { tool }) => matchesGlob(wanted, tool),
  method: (wanted, { method }) => matchesGlob(wanted, method),
  key: (wanted, { keyName }) => matchesGlob(wanted, keyName),
  model: (wanted, _, model) => model !== undefined && matchesGlob(wanted, model),
  provenance: (wanted, { provenance }) => wanted === provenance,
  hasMedia: (wanted, { hasMedia }) => wanted === hasMedia,
  hasTools: (wanted, { hasTools }) => wanted === hasTools,
  maxTokensOver: (wanted, { request }) => outputLimit(request) > wanted,
  costOverUsd: (wanted, { dearestUsd }) => dearestUsd > wanted,
  risk: (wanted, { riskRank }) => riskRank >= rankOf[wanted],
};

/** Whether a request meets every condition that is given. `model`: the one that is judged, as if it alone were asked. */
export const areMet = (conditions: Conditions, facts: ConditionFacts, model: string | undefined): boolean =>
  names.every((name) => isMet(name, conditions, facts, model));

const names = Object.keys(tests) as (keyof Conditions)[]; // its own names

function isMet<Name extends keyof Conditions>(name: Name, conditions: Given, facts: ConditionFacts, model: string | undefined): boolean {
  const wanted = conditions[name];
  return wanted === undefined || tests[name](wanted, facts, model);
}

/** What a request is judged by. */
export type PolicyFacts = {
  /** The MCP server that asks. */
  readonly server: string;
  /** The name in the originating request: a tool, a prompt, a resource. */
  readonly tool: string;
  /** The originating request's method. */
  readonly method: string;
  readonly keyName: string;
  /** As the API key has it. */
  readonly keyOwner: string | null;
  readonly provenance: Provenance;
  readonly request: SamplingRequest;
  /** In failover order: everything that the request may be sent to. */
  readonly candidates: readonly Candidate[];
  readonly risk: readonly RiskNote[];
};

/** What the conditions ask for that is the same for every model, computed once. */
export type ConditionFacts = PolicyFacts & {
  readonly dearestUsd: number;
  readonly hasMedia: boolean;
  readonly hasTools: boolean;
  readonly riskRank: number;
};

export function conditionFacts(facts: PolicyFacts): ConditionFacts {
  const { request } = facts;
  let hasMedia = false;
  let hasTools = (request.tools?.length ?? 0) > 0;
  for (const message of request.messages) {
    for (const block of message.content) {
      if (block.type === "tool_use" || block.type === "tool_result") hasTools = true;
      for (const piece of block.type === "tool_result" ? block.content : [block]) {
        if (piece.type === "image" || piece.type === "audio" || (piece.type === "resource" && "blob" in piece.resource)) hasMedia = true;
      }
    }
  }
  return {
    ...facts,
    dearestUsd: Math.max(0, ...facts.candidates.map(({ worstCostUsd }) => worstCostUsd)),
    hasMedia,
    hasTools,
    riskRank: Math.max(0, ...facts.risk.map(({ level }) => rankOf[level])),
  };
}

const rankOf: { readonly [level in RiskLevel]: number } = { low: 1, medium: 2, high: 3 };
