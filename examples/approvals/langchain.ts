// LangChain's human-in-the-loop middleware asks Countersign: invoke the agent by this function. The
// agent needs a checkpointer, as the middleware does.

import { isDeepStrictEqual } from "node:util";
import { Command } from "@langchain/langgraph";
import type { Decision, HITLRequest } from "langchain";
import { type ApprovalOptions, requestApproval } from "../../client/sampling-handler.ts";

type State = { readonly __interrupt__?: readonly { readonly value?: unknown }[] };
type Invoked<Result extends State> = { invoke(input: never, config: never): Promise<Result> };

export async function invokeWithApproval<Result extends State>(
  agent: Invoked<Result>,
  input: object,
  config: object,
  options: ApprovalOptions,
): Promise<Result> {
  for (let next = input; ;) {
    const result = await agent.invoke(next as never, config as never); // an agent has types of its own
    const asked = result.__interrupt__?.[0]?.value as HITLRequest | undefined; // of the middleware
    if (asked === undefined) return result;
    const decisions = await Promise.all(
      asked.actionRequests.map(async ({ name: tool, args }): Promise<Decision> => {
        const approval = await requestApproval({ server: "langchain", tool, arguments: args }, options);
        if (approval.decision !== "approved") return { type: "reject", message: approval.message };
        if (isDeepStrictEqual(approval.arguments, args)) return { type: "approve" };
        return { type: "edit", editedAction: { name: tool, args: { ...approval.arguments } } };
      }),
    );
    next = new Command({ resume: { decisions } });
  }
}
