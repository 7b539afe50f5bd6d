// Calls that their senders make themselves: what lets one through, and who hears of a decision.

import type { Mutant } from "./mutant.ts";

const contract = (only: string): Mutant["test"] => ({ file: "test/workers/contract/approvals/approvals.test.ts", only });
const hook = (only: string): Mutant["test"] => ({ file: "test/workers/contract/approvals/claude-code.test.ts", only });
const exact = { file: "test/shared/json/exact.test.ts" };

export const approvalMutants: readonly Mutant[] = [
  {
    file: "shared/json/exact.ts",
    name: "a member that is given twice is seen",
    from: "if (names.has(member.name))",
    to: "if (false)",
    test: exact,
  },
  {
    file: "shared/json/exact.ts",
    name: "a number that is rounded is seen",
    from: "decimalOf(literal) === decimalOf(String(Number(literal)))",
    to: "true",
    test: exact,
  },
  {
    file: "shared/wire/approvals/approval-request.ts",
    name: "a call that would not be shown exactly is refused",
    from: "if (issues.found.length === 0) checkExact(text, issues);",
    to: "",
    test: contract("a number that is rounded"),
  },
  {
    file: "shared/wire/approvals/approval-request.ts",
    name: "a tool's name has no invisible characters",
    from: String.raw`!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value)`,
    to: 'value !== ""',
    test: contract("reads backwards"),
  },
  {
    file: "workers/objects/run/deliver/run-account.ts",
    name: "what is released is what was approved",
    from: "|| !isToolCall(content.request) || isOther)",
    to: "|| !isToolCall(content.request))",
    test: { file: "test/workers/objects/deciding.test.ts", only: "is not released" },
  },
  {
    file: "shared/run/stages.ts",
    name: "nobody is asked about what a call returns elsewhere",
    from: 'when: act === "none" ? [] : response }',
    to: "when: response }",
    test: { file: "test/shared/run/granting.test.ts", only: "and what it returns where" },
  },
  {
    file: "workers/pipeline/admit/admit.ts",
    name: "a stop refuses a call that nobody is asked about",
    from: 'route === "run" || incoming.act !== undefined ?',
    to: 'route === "run" ?',
    test: contract("refused afterwards"),
  },
  {
    file: "workers/pipeline/start/fast.ts",
    name: "the record has no call of what is called elsewhere",
    from: "isMessageInput(input) && input.cache?.found === undefined",
    to: "input.cache?.found === undefined",
    test: contract("with a line in the record"),
  },
  {
    file: "workers/pipeline/start/start-run.ts",
    name: "a call that comes again gets the decision that nobody received",
    from: "(!isMessage(request) && act === undefined)",
    to: "!isMessage(request)",
    test: contract("changes nothing, and gets the decision"),
  },
  {
    file: "workers/objects/run/begin/run-adoption.ts",
    name: "a call that comes again is told of the denial that nobody received",
    from: " || isDenialOfCall(input, state.end)",
    to: "",
    test: contract("is told of a denial once"),
  },
  {
    file: "workers/pipeline/wait/own-task.ts",
    name: "a decision about a call is no task of the sampling endpoint",
    from: " || snapshot.act !== null",
    to: "",
    test: contract("Prefer: respond-async"),
  },
  {
    file: "shared/wire/approvals/claude-code.ts",
    name: "what nobody was asked about passes by no permission of Claude Code",
    from: 'if (by === "policy" && changed.length === 0) return {};',
    to: "",
    test: hook("left to Claude Code's own permissions"),
  },
  {
    file: "shared/wire/approvals/claude-code.ts",
    name: "what rules masked is run by nobody's leave",
    from: 'permissionDecision: by === "policy" ? "ask" : "allow"',
    to: 'permissionDecision: "allow"',
    test: hook("masked a part of it"),
  },
  {
    file: "shared/wire/approvals/claude-code.ts",
    name: "Claude Code runs the command as it was approved",
    from: "...(changed.length === 0 ? {} : { updatedInput: call.arguments }),",
    to: "",
    test: hook("as the reviewer changed it"),
  },
  {
    file: "shared/wire/approvals/approval-answer.ts",
    name: "a number of a reviewer's that is rounded approves nothing",
    from: "if (issues.found.length > 0) return { id",
    to: "if (false) return { id",
    test: contract("that parsers round"),
  },
  {
    file: "shared/wire/approvals/claude-code.ts",
    name: "Claude Code runs no command with a number that is rounded",
    from: 'outcome.kind !== "approved" || decision !== "approved"',
    to: 'outcome.kind !== "approved"',
    test: hook("that parsers round"),
  },
  {
    file: "workers/endpoints/approvals/decision-response.ts",
    name: "a call is asked about in JSON alone",
    from: String.raw`if (!/^application\/json\s*(;|$)/i.test(`,
    to: "if (!/./.test(",
    test: hook("another type than JSON"),
  },
  {
    file: "workers/endpoints/approvals/claude-code-hook.ts",
    name: "a key for other endpoints asks about no command",
    from: 'if (caller.record.scopes.includes("sampling")) return null;',
    to: "return null;",
    test: hook("a key for another endpoint"),
  },
  {
    file: "workers/endpoints/approvals/claude-code-hook.ts",
    name: "a fault of the gateway lets no command through",
    from: "claudeCodeRoutes.onError((error) => denied(thrownRefusal(error)));",
    to: "",
    test: hook("a fault of the gateway"),
  },
  {
    file: "workers/endpoints/approvals/claude-code-hook.ts",
    name: "a wrong key lets no command through",
    from: "if (refused !== null) return denied(refused);",
    to: "if (refused !== null) return c.body(null, 401);",
    test: hook("a wrong key"),
  },
  {
    file: "workers/endpoints/approvals/claude-code-hook.ts",
    name: "a decision about a command is for its session",
    from: "within: { session },",
    to: "within: {},",
    test: hook("in another session"),
  },
  {
    file: "workers/endpoints/approvals/claude-code-hook.ts",
    name: "a decision about a command is for its directory",
    from: "in the directory ${cwd}`",
    to: "somewhere`",
    test: hook("in another directory"),
  },
];
