// The AI SDK asks Countersign before it calls a tool: give the function as `toolApproval` to
// generateText, streamText or a ToolLoopAgent.

import { isDeepStrictEqual } from "node:util";
import { type ApprovalOptions, requestApproval } from "../../client/sampling-handler.ts";

type Asked = { readonly toolCall: { readonly toolName: string; readonly input: unknown } };

/** The AI SDK cannot change a call: one that a reviewer changed is denied, and the model told. */
export const toolApproval =
  (options: ApprovalOptions) =>
  async ({ toolCall: { toolName: tool, input } }: Asked): Promise<"approved" | { readonly type: "denied"; readonly reason: string }> => {
    const approval = await requestApproval({ server: "ai-sdk", tool, arguments: { ...(input as object) } }, options);
    if (approval.decision !== "approved") return { type: "denied", reason: approval.message };
    if (isDeepStrictEqual(approval.arguments, input)) return "approved";
    return { type: "denied", reason: `A reviewer would approve this call with ${JSON.stringify(approval.arguments)}` };
  };
