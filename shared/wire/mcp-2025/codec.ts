// The 2025 family of MCP: one shape of params, of which every older revision's is a subset, and a
// shape of results for each revision.

import type { JsonObject } from "../../encoding.ts";
import type { ParamsRefusal } from "../../json/issue-collector.ts";
import type { Completed, Outcome } from "../../model/outcome.ts";
import type { Result } from "../../result.ts";
import type { Codec } from "../codec.ts";
import { describeOutcome } from "../describe.ts";
import { elicitResult } from "../elicitation.ts";
import { type RpcAnswer, errorAnswer } from "../json-rpc.ts";
import { withReceipt } from "../receipt-member.ts";
import type { Revision2025 } from "./features.ts";
import { type ParsedSampling, parseSampling } from "./sampling-params.ts";
import { type UnsayableResult, asMessage, toResult, toSingleBlockResult } from "./sampling-result.ts";

export type McpCodec = Codec<ParsedSampling, ParamsRefusal, RpcAnswer> & { readonly revision: string };

type ToResult = (outcome: Completed) => Result<JsonObject, UnsayableResult>;

const results: Readonly<Record<Revision2025, ToResult>> = {
  "2024-11-05": toSingleBlockResult(["tool_use", "audio"]),
  "2025-03-26": toSingleBlockResult(["tool_use"]),
  "2025-06-18": toSingleBlockResult(["tool_use"]),
  "2025-11-25": toResult,
};

/** The codec of a revision, from how it reads params and writes a reply. */
export const codecOf = (revision: string, decode: McpCodec["decode"], toResult: ToResult): McpCodec => ({
  revision,
  decode,
  encode: (outcome) => withReceipt(answerTo(outcome, revision, toResult), outcome.receipt),
});

function answerTo(outcome: Outcome, revision: string, toResult: ToResult): RpcAnswer {
  if (outcome.kind === "elicited") return { result: elicitResult(outcome) };
  if (outcome.kind !== "completed" && outcome.kind !== "ran") return errorAnswer(describeOutcome(outcome));
  const result = toResult(outcome.kind === "ran" ? asMessage(outcome) : outcome);
  return result.ok ? { result: result.value } : errorAnswer(unsayable(revision, result.error));
}

/**
 * The model was paid, and a retry gives no other reply: the server has to ask for less, or use a
 * newer revision.
 */
const unsayable = (revision: string, { types }: UnsayableResult) => ({
  code: -32603,
  message: `The reply has blocks that revision ${revision} of the protocol cannot carry as one (${[...new Set(types)].join(", ")}); ask for text alone, or use revision 2025-11-25`,
});

const codec2025 = (revision: Revision2025): McpCodec => codecOf(revision, parseSampling, results[revision]);

export const codecs2025: Readonly<Record<Revision2025, McpCodec>> = {
  "2024-11-05": codec2025("2024-11-05"),
  "2025-03-26": codec2025("2025-03-26"),
  "2025-06-18": codec2025("2025-06-18"),
  "2025-11-25": codec2025("2025-11-25"),
};
