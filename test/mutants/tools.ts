// Tools that clients see and may call: globs, lists that clients read in two ways, and pins.

import type { Mutant } from "./mutant.ts";

const names = { file: "shared/policy/tool-names.ts", test: { file: "test/shared/policy/tool-names.test.ts" } };
const list = { file: "shared/relay/tool-list.ts", test: { file: "test/shared/relay/tool-list.test.ts" } };
const contract = "test/workers/contract/shown-tools.test.ts";
const shown = { file: "workers/endpoints/relay/shown-tools.ts" };
const object = { file: "workers/objects/tools-object.ts" };
const functions = "test/workers/contract/control/functions.test.ts";

export const toolMutants: readonly Mutant[] = [
  {
    file: "shared/policy/conditions.ts",
    name: "a rule that looks at a call decides some calls of a tool alone",
    from: 'return met.has(null) ? "perhaps" : "always";',
    to: 'return "always";',
    test: { file: "test/shared/policy/rules-of-tool.test.ts" },
  },
  {
    file: "shared/policy/rules-of-tool.ts",
    name: "a rule in shadow is none that a tool's call meets",
    from: 'then.shadow ? "never" : areMetByTool',
    to: "areMetByTool",
    test: { file: "test/shared/policy/rules-of-tool.test.ts" },
  },
  {
    file: "shared/record/tool-calls.ts",
    name: "what is counted at a tool is a call",
    from: "call === true && name !== null",
    to: "name !== null",
    test: { file: "test/shared/record/tool-calls.test.ts" },
  },
  {
    file: "workers/objects/ledger/ledger-object.ts",
    name: "a server's calls are of the days that were asked for",
    from: "await this.runs({ server, since, limit: linesOfCalls, ...after })",
    to: "await this.runs({ server, limit: linesOfCalls, ...after })",
    test: { file: "test/workers/contract/console/tools.test.ts", only: "how often each tool was called" },
  },
  {
    ...names,
    name: "a denied tool is denied in every spelling",
    from: "matchesGlob(folded(glob), folded(nameFor(glob)))",
    to: "matchesGlob(glob, nameFor(glob))",
  },
  {
    ...names,
    name: "a tool that is allowed and denied is denied",
    from: "if (deny.some((glob) =>",
    to: "if (allow === undefined && deny.some((glob) =>",
  },
  {
    ...names,
    name: "a server names no tool into those of another",
    from: 'glob.includes("/") ? `${server}/${tool}` : tool',
    to: "glob.startsWith(server) ? `${server}/${tool}` : tool",
  },
  {
    ...list,
    name: "a list that is read in two ways is not passed",
    from: 'results.length > 1 || lists.length > 1 || result.name !== "result" || list.name !== "tools"',
    to: "results.length < 1",
  },
  {
    ...list,
    name: "a tool has one name",
    from: '|| Object.keys(value).some((each) => each !== "name" && foldedName(each) === "NAME")',
    to: "",
  },
  { ...list, name: "an escape hides no list of tools", from: String.raw`/tools|\\u/iu`, to: "/tools/iu" },
  {
    ...list,
    name: "what is not pinned is not passed",
    from: "isPinned ? values.map(withoutOtherOutput) : values",
    to: "values",
  },
  {
    ...shown,
    name: "a tool that the entry leaves out is not called",
    from: `if (!showsTool(server, tool)) return ownRules.serverTools;`,
    to: "",
    test: { file: contract, only: "sees the entry's tools alone" },
  },
  {
    ...shown,
    name: "a tool that the key may not call is not called",
    from: `if (tools !== undefined && !keyAllows(tools, { server: name, tool })) return ownRules.keyTools;`,
    to: "",
    test: { file: contract, only: "sees its key's tools alone" },
  },
  {
    ...shown,
    name: "a tool whose definition is held is not called",
    from: "isHeld(await knownTool(c.env, relay, tool, id), server)",
    to: "isHeld(await knownTool(c.env, relay, tool, id), { pin: 'off' })",
    test: { file: contract, only: "sees no tool that changed" },
  },
  {
    ...shown,
    name: "a tool that may not be called is in no list",
    from: 'isNamed(page.tools[index]?.name ?? "") &&',
    to: "",
    test: { file: contract, only: "tools alone" },
  },
  {
    ...shown,
    name: "a tool whose definition is held is in no list",
    from: "hidden.get(page)?.has(index) === false",
    to: "hidden.has(page)",
    test: { file: contract, only: "sees no tool that changed" },
  },
  {
    ...shown,
    name: "a list hides behind no line end that is one to some clients",
    from: "isHidden: (text) => toolListsIn(text, namedTool) !== null",
    to: 'isHidden: (text) => text === "none"',
    test: { file: contract, only: "behind a blank line" },
  },
  {
    file: "workers/http/body.ts",
    name: "a list is not passed in another encoding",
    from: String.raw`text.includes("\0") ? null : text`,
    to: "text",
    test: { file: contract, only: "in UTF-16" },
  },
  {
    ...object,
    name: "a server's first list ends",
    from: "|| this.now() - first.begun_at >= firstListMs",
    to: "",
    test: { file: contract, only: "never ends its first list" },
  },
  {
    ...object,
    name: "nothing is trusted after the first definition of a tool",
    from: 'last === undefined && isTrusted ? "accepted"',
    to: 'isTrusted ? "accepted"',
    test: { file: contract, only: "warn let a changed tool pass" },
  },
  {
    ...object,
    name: "no tool is trusted after the first list",
    from: 'isFirst || pin !== "hold"',
    to: 'isFirst || pin !== "off"',
    test: { file: contract, only: "sees no tool that changed" },
  },
  {
    ...object,
    name: "a hidden tool stays hidden",
    from: 'last?.state === "hidden" ? "hidden" : "waiting"',
    to: '"waiting"',
    test: { file: contract, only: "hide a definition" },
  },
  {
    name: "an operator accepts what was looked at",
    file: "workers/endpoints/admin/server-tools.ts",
    from: "if (other !== null)",
    to: 'if (other === "")',
    test: { file: "test/workers/contract/console/tools.test.ts", only: "accepts nothing that the server has changed" },
  },
  {
    name: "a function that the entry leaves out is not registered",
    file: "shared/run/functions.ts",
    from: "functionNames(server, each).includes(name) && showsTool(entry, each)",
    to: "functionNames(server, each).includes(name)",
    test: { file: functions, only: "the entry leaves out" },
  },
  {
    name: "a function that the key may not call is refused",
    file: "workers/pipeline/control/control-task.ts",
    from: "!keyAllows(call.key.tools, registered)",
    to: "!keyAllows({}, registered)",
    test: { file: functions, only: "the key may not call" },
  },
  {
    name: "a function whose definition is held is unavailable",
    file: "workers/mcp-client/functions.ts",
    from: "{ tools: [read.value.listed], isLast: false })).has(0)",
    to: "{ tools: [read.value.listed], isLast: false })).has(1)",
    test: { file: functions, only: "changed is not run until" },
  },
  {
    name: "a function that changed while people decided is not run",
    file: "workers/mcp-client/functions.ts",
    from: "if (isHeld(known, server)) return err(notAsApproved);",
    to: "void known;",
    test: { file: functions, only: "changed while a person decided" },
  },
];
