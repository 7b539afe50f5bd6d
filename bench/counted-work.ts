// Work that is counted, not timed: a bundle whose every block adds its size to a sum when it runs.
// A machine's load does not change it. It is what our code and its libraries do, in nodes of their
// syntax; what the runtime does for them is not in it.

import { parseAst } from "vite";

type Node = { readonly type: string; readonly start: number; readonly end: number };

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value && "start" in value;

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value: unknown) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []));

/** The members that run or do not run, or more than once, by the type of what they are in. */
const branches: Readonly<Record<string, readonly string[]>> = {
  ArrowFunctionExpression: ["body"],
  FunctionExpression: ["body"],
  FunctionDeclaration: ["body"],
  ForStatement: ["body"],
  ForOfStatement: ["body"],
  ForInStatement: ["body"],
  WhileStatement: ["body"],
  DoWhileStatement: ["body"],
  IfStatement: ["consequent", "alternate"],
  ConditionalExpression: ["consequent", "alternate"],
  LogicalExpression: ["right"],
};

type Edit = { readonly at: number; readonly text: string; readonly isEnd: boolean };

/** The module with its sum, which `globalThis.workSoFar()` tells. */
export function withCountedWork(source: string): string {
  const edits: Edit[] = [];
  const begin = (at: number, text: string): void => void edits.push({ at, text, isEnd: false });
  const end = (at: number, text: string): void => void edits.push({ at, text, isEnd: true });
  /** The node and those below it that run whenever it does. */
  const sizeOf = (node: Node): number => {
    const apart = (branches[node.type] ?? []).map((name): unknown => Reflect.get(node, name)).filter(isNode);
    for (const branch of apart) count(branch);
    const parts = childrenOf(node).filter((child) => !apart.includes(child));
    if (node.type !== "SwitchCase") return parts.reduce((sum, child) => sum + sizeOf(child), 1);
    const body = parts.filter((child) => child !== Reflect.get(node, "test"));
    const size = body.reduce((sum, child) => sum + sizeOf(child), 0);
    if (body[0] !== undefined) begin(body[0].start, `$work+=${size};`);
    return 1;
  };
  const count = (branch: Node): void => {
    const adds = `$work+=${sizeOf(branch)}`;
    if (branch.type === "BlockStatement") return begin(branch.start + 1, `${adds};`);
    const [opening, closing] = branch.type.endsWith("Statement") ? [`{${adds};`, "}"] : [`(${adds},`, ")"];
    begin(branch.start, opening);
    end(branch.end, closing);
  };
  sizeOf(parseAst(source));
  // At one place the inner end comes first, then the outer beginning: what is outside was noted
  // later.
  const ordered = edits
    .map((edit, order) => ({ ...edit, order: edit.isEnd ? order : 2 * edits.length - order }))
    .toSorted((a, b) => a.at - b.at || a.order - b.order);
  let from = 0;
  const parts = ordered.map(({ at, text }) => {
    const part = source.slice(from, at) + text;
    from = at;
    return part;
  });
  return `let $work=0;globalThis.workSoFar=()=>$work;globalThis.addWork=nodes=>{$work+=nodes};${parts.join("")}${source.slice(from)}`;
}
