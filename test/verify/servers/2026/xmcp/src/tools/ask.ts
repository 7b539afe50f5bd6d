// One of the tools on xmcp, which builds the servers around them.

import { z } from "zod";
import { tools } from "../../../rounds.mjs";

export const schema = { question: z.string() };
export const metadata = { name: "ask", description: "ask" };

type Extra = { inputResponses?: Record<string, unknown>; requestState?: unknown };

export default function run({ question }: { question: string }, { inputResponses, requestState }: Extra): unknown {
  return tools["ask"](question, inputResponses, typeof requestState === "function" ? (requestState as () => unknown)() : requestState);
}
