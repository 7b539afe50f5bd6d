// A rule's juror: what it may let pass, what it is asked, which answers count, and from which
// budget it is paid.

import type { Mutant } from "./mutant.ts";

const pure = { file: "shared/policy/juror.ts", test: { file: "test/shared/policy/juror.test.ts" } };
const contract = (only: string): Mutant["test"] => ({ file: "test/workers/contract/approvals/juror.test.ts", only });
const asked = { file: "workers/pipeline/admit/juror.ts" };
const admitted = { file: "workers/pipeline/admit/admit.ts" };
const key = { file: "workers/objects/key/key-jurors.ts" };

export const jurorMutants: readonly Mutant[] = [
  {
    ...pure,
    name: "a juror lets no first call of a tool pass",
    from: "!definitionChanged && firstUse === false",
    to: "!definitionChanged",
  },
  {
    ...pure,
    name: "a juror lets no changed tool pass",
    from: "!definitionChanged && firstUse === false",
    to: "firstUse === false",
  },
  { ...pure, name: "a juror lets no unlisted tool pass by itself", from: "? bounds.unlisted :", to: "? true :" },
  { ...pure, name: "a juror lets no risk pass above its bound", from: "isRiskAtLeast(bounds.riskAtMost, risk) &&", to: "true &&" },
  {
    ...pure,
    name: "a juror's bounds on arguments hold all of them",
    from: "(bounds.arguments ?? []).every(",
    to: "(bounds.arguments ?? []).some(",
  },
  { ...pure, name: "a juror's answer has the mark of its question", from: "|| read.data.id !== mark", to: "" },
  {
    ...pure,
    name: "a juror answers with one block",
    from: 'if (content.length !== 1 || block?.type !== "text")',
    to: 'if (block?.type !== "text")',
  },
  {
    ...pure,
    name: "a juror's answer has no other members",
    from: "answerSchema = z.strictObject(",
    to: "answerSchema = z.object(",
  },
  {
    ...pure,
    name: "the rule and the call are told apart",
    from: "systemPrompt: said(mark, instructions),",
    to: "systemPrompt: said(mark, instructions) + call.tool,",
  },
  {
    file: "shared/policy/evaluate.ts",
    name: "people may be asked where a rule with a juror allows",
    from: 'then.request === "allow" && juror !== null ? "review" : then.request',
    to: "then.request",
    test: contract("it may only have people asked"),
  },
  {
    file: "shared/policy/rules.ts",
    name: "a rule whose juror may ask people has people to ask",
    from: "replyRisk !== null || juror !== null",
    to: "replyRisk !== null",
    test: { file: "test/shared/policy/rules.test.ts", only: "a juror" },
  },
  {
    file: "shared/run/stages.ts",
    name: "a juror opens the gate of the request alone",
    from: '(gate === "request" && jurorOf(work)?.verdict === "passed")',
    to: '(jurorOf(work)?.verdict === "passed")',
    test: contract("its result is still reviewed"),
  },
  {
    file: "shared/run/run-receipt.ts",
    name: "a receipt claims no person where a juror let a call pass",
    from: 'if (jurorOf(work)?.verdict === "passed") return "policy";',
    to: "",
    test: { file: "test/shared/run/run-receipt.test.ts", only: "juror" },
  },
  {
    file: "shared/run/notice-view.ts",
    name: "no notice has what a juror wrote",
    from: ", raised: _said, ...view }: ToolCallView)",
    to: ", ...view }: ToolCallView)",
    test: { file: "test/shared/run/notice-view.test.ts", only: "juror" },
  },
  {
    ...asked,
    name: "a juror is not asked outside its bounds",
    from: "!isWithinBounds(juror.bounds, plan.judged, given)",
    to: "false",
    test: contract("calls outside its bounds"),
  },
  {
    ...asked,
    name: "a juror lets so many calls pass in an hour",
    from: 'if (opened !== "open") return { why: opened };',
    to: "",
    test: contract("as many pass in an hour"),
  },
  {
    ...asked,
    name: "what a juror does not let pass is remembered",
    from: 'if (answer !== "pass") await keyObject().jurorRaised(run);',
    to: "",
    test: contract("had them asked about"),
  },
  {
    ...asked,
    name: "a juror that does not answer in time lets nothing pass",
    from: "timeoutMs: juror.timeoutSeconds * 1_000",
    to: "timeoutMs: 60_000",
    test: contract("does not answer in time"),
  },
  {
    ...asked,
    name: "a juror spends from its own budget",
    from: "juror: { rule: plan.gatePolicy.rule, usdPerDay: juror.usdPerDay },",
    to: "",
    test: contract("where it may spend no more"),
  },
  {
    ...asked,
    name: "a grant comes before a juror",
    from: '|| granted.some(({ gate }) => gate === "request")',
    to: "",
    test: contract("a grant, a rule in shadow"),
  },
  {
    ...admitted,
    name: "a juror is not asked about a call whose identical one waits",
    from: "admitted.identical === null && grants",
    to: "grants",
    test: contract("still waits after an hour"),
  },
  {
    ...key,
    name: "a juror's passes are counted for an hour",
    from: "const hourMs = 3_600_000;",
    to: "const hourMs = 36_000_000;",
    test: contract("as many pass in an hour"),
  },
  {
    ...key,
    name: "a juror's passes end with its bound",
    from: "passed >= perHour",
    to: "passed > perHour",
    test: contract("as many pass in an hour"),
  },
];
