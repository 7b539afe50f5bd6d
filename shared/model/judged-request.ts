// What a policy's rules judge a request by: names, numbers and flags, nothing of its content. The
// record has it, so that another policy can be tried with the requests of last week.

import type { Provenance } from "./gate.ts";
import type { SubjectKind } from "./subject/subject.ts";

/** A model that may answer. `worstCostUsd`: what the request costs there at most. */
export type JudgedModel = { readonly id: string; readonly worstCostUsd: number };

/**
 * `function`: a tool's call that the gateway makes itself, for a client of the control endpoint.
 * `toolCall`: one that waits for leave, and that its caller makes.
 */
export type JudgedSubject = SubjectKind | "function";

/** What a tool says of itself (MCP's annotations), where that may be believed. */
export type ToolHints = { readonly readOnly: boolean; readonly destructive: boolean; readonly openWorld: boolean };

/** Of a tool's call. What is not known counts as the worst. */
export type CallFacts = {
  readonly hints?: ToolHints;
  /** The key has not called this tool of this server before. */
  readonly firstUse?: boolean;
  /** The tool is not defined as it was when it was accepted. */
  readonly definitionChanged?: boolean;
};

export type JudgedRequest = {
  readonly subject: JudgedSubject;
  /** The MCP server that asks. */
  readonly server: string;
  /** The tool, prompt or resource of the originating request, and its method. */
  readonly tool: string;
  readonly method: string;
  readonly keyName: string;
  /** The `owner` of the API key. */
  readonly keyOwner: string | null;
  readonly provenance: Provenance;
  /** Whether an image, audio, a PDF or a binary resource is in the messages. */
  readonly hasMedia: boolean;
  /** Whether tools are offered, or used in the messages. */
  readonly hasTools: boolean;
  readonly maxTokens: number;
  /** The highest level of risk that was found. */
  readonly risk: "none" | "low" | "medium" | "high";
  /**
   * In failover order: all that can serve the request, also those for which the policy refuses it.
   */
  readonly models: readonly JudgedModel[];
  /** Only the first permitted model may be asked. */
  readonly isOnce: boolean;
  readonly call?: CallFacts;
};

/**
 * As an event of the record has it, beside the names that the event has anyway. Flags that are
 * false, a missing owner, and the subject of a message are left out.
 */
export type JudgedRecord = {
  readonly subject?: JudgedSubject;
  readonly keyName: string;
  readonly keyOwner?: string;
  readonly hasMedia?: true;
  readonly hasTools?: true;
  readonly maxTokens: number;
  readonly risk: JudgedRequest["risk"];
  readonly models: readonly (readonly [id: string, worstCostUsd: number])[];
  readonly isOnce?: true;
  readonly call?: CallFacts;
};

/** What an event names of a request beside its `JudgedRecord`. */
export type JudgedNames = Pick<JudgedRequest, "server" | "tool" | "method" | "provenance">;

export const judgedNames = ({ server, tool, method, provenance }: JudgedRequest): JudgedNames => ({ server, tool, method, provenance });

export const judgedRecord = ({
  subject,
  keyName,
  keyOwner,
  hasMedia,
  hasTools,
  maxTokens,
  risk,
  models,
  isOnce,
  call,
}: JudgedRequest): JudgedRecord => ({
  ...(subject === "message" ? {} : { subject }),
  keyName,
  ...(keyOwner === null ? {} : { keyOwner }),
  ...(hasMedia ? { hasMedia } : {}),
  ...(hasTools ? { hasTools } : {}),
  maxTokens,
  risk,
  models: models.map(({ id, worstCostUsd }) => [id, worstCostUsd] as const),
  ...(isOnce ? { isOnce } : {}),
  ...(call === undefined ? {} : { call }),
});

/** The inverse of `judgedRecord`. */
export const judgedRequest = (
  { server, tool, method, provenance }: JudgedNames,
  { subject = "message", keyName, keyOwner, hasMedia, hasTools, maxTokens, risk, models, isOnce, call }: JudgedRecord,
): JudgedRequest => ({
  subject,
  server,
  tool,
  method,
  provenance,
  keyName,
  keyOwner: keyOwner ?? null,
  hasMedia: hasMedia === true,
  hasTools: hasTools === true,
  maxTokens,
  risk,
  models: models.map(([id, worstCostUsd]) => ({ id, worstCostUsd })),
  isOnce: isOnce === true,
  ...(call === undefined ? {} : { call }),
});
