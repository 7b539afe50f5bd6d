// Which rules of the policy a client's call of a tool may meet, from what is known before the call:
// the server, the tool and its definition. Arguments, keys and warnings are known with a call
// alone.

import { type ToolFacts, areMetByTool } from "./conditions.ts";
import type { Consequences, Policy } from "./rules.ts";

/** `isSure`: it decides every call that comes to it, so that it is the last of its list. */
export type RuleOfTool = Pick<Consequences, "request" | "response"> & {
  readonly rule: string;
  readonly isSure: boolean;
  /** The model that is asked first. */
  readonly juror: string | null;
  /** Groups and reviewers, as the rule or else the default names them. */
  readonly reviewers: readonly string[];
};

type KnownTool = Required<Pick<ToolFacts, "server" | "tool" | "call">>;

/** In the order in which they are tried: the first of these that applies to a call decides it. */
export function rulesOfTool({ rules, default: byDefault }: Policy, { server, tool, call }: KnownTool): readonly RuleOfTool[] {
  const facts: ToolFacts = {
    subject: "toolCall",
    server,
    tool,
    method: "tools/call",
    provenance: "observed",
    call,
  };
  const found: RuleOfTool[] = [];
  for (const { name, when, then } of rules) {
    const isMet = then.shadow ? "never" : areMetByTool(when, facts);
    if (isMet === "never") continue;
    const isSure = isMet === "always";
    const { request, response, reviewers = byDefault.reviewers } = then;
    found.push({ rule: name, isSure, juror: then.juror?.model ?? null, request, response, reviewers });
    if (isSure) return found;
  }
  return [...found, { rule: "default", isSure: true, juror: null, request: "allow", response: "allow", reviewers: [] }];
}
