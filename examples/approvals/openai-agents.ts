// OpenAI's Agents SDK asks Countersign before it calls a tool that has `needsApproval`: run the
// agent by this function.

import { isDeepStrictEqual } from "node:util";
import { type Agent, run } from "@openai/agents";
import { type ApprovalOptions, requestApproval } from "../../client/sampling-handler.ts";

/** The SDK cannot change a call: one that a reviewer changed is rejected, and the model told. */
export async function runWithApproval(agent: Agent, prompt: string, options: ApprovalOptions) {
  for (let result = await run(agent, prompt); ; result = await run(agent, result.state)) {
    if (result.interruptions.length === 0) return result;
    for (const call of result.interruptions) {
      const input = JSON.parse(call.arguments ?? "{}") as Record<string, unknown>; // a function's arguments
      const approval = await requestApproval({ server: "openai-agents", tool: call.name ?? "", arguments: input }, options);
      if (approval.decision !== "approved") result.state.reject(call, { message: approval.message });
      else if (isDeepStrictEqual(approval.arguments, input)) result.state.approve(call);
      else result.state.reject(call, { message: `A reviewer would approve this call with ${JSON.stringify(approval.arguments)}` });
    }
  }
}
