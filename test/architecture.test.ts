// The shape of the source: which way imports point, and what pure code never names. Each failure names the edge or the line.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders = ["shared", "workers", "client", "scripts", "examples", "test"].filter((folder) => existsSync(join(root, folder)));

const filesUnder = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    // What `npm run verify` installs in a folder of its own.
    .filter((file) => !file.includes("/node_modules/"))
    .toSorted();

const files = folders.flatMap(filesUnder);
const textOf = (file: string): string => readFileSync(join(root, file), "utf8");

/** The text without comments and, for what looks for names, without what stands between quotes. */
const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:"'`\w])\/\/[^\n]*/g, "");

type Edge = { readonly from: string; readonly to: string; readonly typeOnly: boolean; readonly outside: boolean };

const statements =
  /^\s*(?:import|export)\s+(type\s+)?((?:[\w*$\s,]|\{[^}]*\})*?)\s*from\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\b(?:await\s+)?import\(\s*["']([^"']+)["']\s*\)/gm;

/** Whether every name between the braces is a type; a default or namespace import is none. */
function namesOnlyTypes(clause: string): boolean {
  const braces = /^\s*\{([^}]*)\}\s*$/.exec(clause);
  const names = (braces?.[1] ?? "").split(",").filter((name) => name.trim() !== "");
  return braces !== null && names.length > 0 && names.every((name) => name.trim().startsWith("type "));
}

function edgesOf(file: string, text: string): Edge[] {
  return [...withoutComments(text).matchAll(statements)].map(([whole, type, clause = "", from, bare, dynamic]) => {
    const specifier = from ?? bare ?? dynamic ?? "";
    const outside = !specifier.startsWith(".");
    return {
      from: file,
      to: outside ? specifier : relative(root, join(root, dirname(file), specifier)).replaceAll("\\", "/"),
      // `typeof import("…")` and `import("…").T` in a type are types; nothing here imports at run time by `import()`.
      typeOnly: type !== undefined || namesOnlyTypes(clause) || (dynamic !== undefined && !whole.includes("await")),
      outside,
    };
  });
}

/** This file's own examples of imports are none. */
const self = "test/architecture.test.ts";
const edges = files.filter((file) => file !== self).flatMap((file) => edgesOf(file, textOf(file)));
const inside = edges.filter(({ outside }) => !outside);
const show = ({ from, to, typeOnly }: Edge): string => `${from} -> ${to}${typeOnly ? " (types)" : ""}`;
const topOf = (path: string): string => path.split("/")[0] ?? "";

describe("reading imports", () => {
  test("tells types from values in every form that is written here", () => {
    const text = `
      import "./bare.ts";
      import type { A } from "./a.ts";
      import { type B, type C } from "./b.ts";
      import { type D, e } from "./c.ts";
      import f, { type G } from "./d.ts";
      import * as h from "outside";
      export { type I } from "./e.ts";
      export {
        j,
        type K,
      } from "../f.ts";
      // import { no } from "./no.ts";
      /* import { no } from "./no.ts"; */
      type L = typeof import("./g.ts");
      const m = await import("./h.ts");
    `;
    expect(edgesOf("shared/x/file.ts", text).map(({ to, typeOnly }) => [to, typeOnly])).toEqual([
      ["shared/x/bare.ts", false],
      ["shared/x/a.ts", true],
      ["shared/x/b.ts", true],
      ["shared/x/c.ts", false],
      ["shared/x/d.ts", false],
      ["outside", false],
      ["shared/x/e.ts", true],
      ["shared/f.ts", false],
      ["shared/x/g.ts", true],
      ["shared/x/h.ts", false],
    ]);
  });

  test("finds the source, and every import within it leads to a file", () => {
    expect(files.length).toBeGreaterThan(100);
    expect(inside.filter(({ to }) => !existsSync(join(root, to))).map(show)).toEqual([]);
  });
});

describe("the direction of imports", () => {
  /** Each stage may use what stands before it, and the leaf files of shared/ itself, which use only one another. */
  const stages = [
    "protocol",
    "association",
    "routing",
    "policy",
    "review",
    "provider",
    "image",
    "lane",
    "outcome",
    "run",
    "relay",
    "credential",
    "control",
  ];

  /** Edges against that order, each with its reason. Types only: nothing of them is left at run time. */
  const exceptions = new Map([
    [
      "shared/review/view.ts -> shared/provider/call.ts (types)",
      "A reviewer is shown the notes and the usage of the model call, in the words that the provider stage gives them; the view's types say so and its code calls nothing there.",
    ],
  ]);

  const stageOf = (path: string): string | null => {
    const [top, second, third] = path.split("/");
    return top === "shared" && third !== undefined ? (second ?? null) : null;
  };

  test("every folder of shared/ is a stage, so that none is without a place in the order", () => {
    const found = new Set(files.filter((file) => topOf(file) === "shared").flatMap((file) => stageOf(file) ?? []));
    expect([...found].filter((stage) => !stages.includes(stage))).toEqual([]);
  });

  const against = inside.filter(({ from, to }) => {
    const [source, target] = [stageOf(from), stageOf(to)];
    if (topOf(from) !== "shared" || topOf(to) !== "shared" || target === null) return false;
    return source === null || stages.indexOf(target) > stages.indexOf(source);
  });

  test("in shared/ each stage uses only what comes before it, types included", () => {
    expect(against.map(show).filter((edge) => !exceptions.has(edge))).toEqual([]);
  });

  test("every exception still exists, and is one of types", () => {
    const shown = new Set(against.map(show));
    expect([...exceptions.keys()].filter((edge) => !shown.has(edge))).toEqual([]);
    expect([...exceptions.keys()].filter((edge) => !edge.endsWith("(types)"))).toEqual([]);
  });

  /** What each top folder may import of the others. Tests and scripts may look at everything. */
  const mayImport: Readonly<Record<string, readonly string[]>> = {
    shared: ["shared"],
    workers: ["workers", "shared"],
    client: ["client", "shared"],
    examples: ["examples", "client"],
    scripts: ["scripts", "client", "shared", "workers", "test", "examples"],
  };

  test.each(Object.entries(mayImport))("%s/ imports nothing but %j", (folder, allowed) => {
    expect(inside.filter(({ from, to }) => topOf(from) === folder && !allowed.includes(topOf(to))).map(show)).toEqual([]);
  });

  test("imports inside the project name the file, with its ending", () => {
    expect(inside.filter(({ to }) => !/\.(tsx?|json)$/.test(to)).map(show)).toEqual([]);
  });

  test("there is no cycle of imports at run time", () => {
    const graph = new Map<string, string[]>();
    for (const { from, to, typeOnly } of inside) if (!typeOnly) graph.set(from, [...(graph.get(from) ?? []), to]);
    expect(cyclesOf(graph)).toEqual([]);
  });

  test("a cycle would be found, and named edge by edge", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c", "d"]],
      ["c", ["a"]],
      ["d", ["d"]],
    ]);
    expect(cyclesOf(graph)).toEqual(["a -> b -> c -> a", "d -> d"]);
  });
});

/** Each cycle once, as the path that was found first. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      cycles.push([...path.slice(at), file].join(" -> "));
      return;
    }
    if (finished.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    finished.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

describe("files", () => {
  test("are named for what is in them: no index files, no utils, helpers, managers or data", () => {
    const own = files.filter((file) => !["workers/index.ts"].includes(file));
    const vague = /(^|\/)(index|utils?|helpers?|manager|misc|common|data)(\.|\/|$)|-(utils?|helpers?|manager|data)\./;
    expect(own.filter((file) => vague.test(file))).toEqual([]);
  });

  test("workers/index.ts is the Worker's entry and no barrel: it exports the app, the cron trigger's handler and the object classes, and imports nothing else", () => {
    expect(
      inside
        .filter(({ from }) => from === "workers/index.ts")
        .map(({ to }) => to)
        .filter((to) => to !== "workers/app.ts" && to !== "workers/sweep.ts" && !to.startsWith("workers/objects/")),
    ).toEqual([]);
    expect(
      inside
        .filter(({ to }) => to === "workers/index.ts")
        .map(({ from }) => topOf(from))
        .filter((top) => top !== "test"),
    ).toEqual([]);
  });

  test("open with a sentence on what they are for", () => {
    const source = files.filter((file) => ["shared", "workers", "client"].includes(topOf(file)));
    expect(source.filter((file) => !/^(\/\/|\/\*)/.test(textOf(file)))).toEqual([]);
  });
});

describe("shared/ is pure", () => {
  const forbidden: readonly (readonly [string, RegExp])[] = [
    ["the clock", /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\b|\bsetTimeout\b|\bsetInterval\b|\bqueueMicrotask\b/],
    ["randomness", /\bMath\.random\b|\bcrypto\b|\brandomUUID\b/],
    ["the network", /\bfetch\b|\bWebSocket\b|\bXMLHttpRequest\b|\bEventSource\b|\bnew (Request|Response|Headers)\b/],
    [
      "the platform",
      /\bcloudflare:|\bDurableObject|\bKVNamespace\b|\bExecutionContext\b|\bwaitUntil\b|\bprocess\b|\bnode:|\bDeno\b|\bBuffer\b|\bglobalThis\b/,
    ],
    ["the page", /\bwindow\b|\bdocument\.|\bnavigator\b|\blocalStorage\b/],
    ["the log", /\bconsole\b/],
  ];

  const codeOf = (file: string): string[] =>
    withoutComments(textOf(file))
      .replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, (literal) => (/^["'](cloudflare|node):/.test(literal) ? literal : '""'))
      .split("\n");

  test.each(forbidden)("it never names %s", (_, pattern) => {
    const lines = files
      .filter((file) => topOf(file) === "shared")
      .flatMap((file) => codeOf(file).flatMap((line) => (pattern.test(line) ? [`${file}: ${line.trim()}`] : [])));
    expect(lines).toEqual([]);
  });

  /** What is outside the project and as pure as this code. */
  const packages = ["zod", "canonicalize", "diff", "fflate", "@noble/hashes/", "@scure/base", "@cfworker/json-schema"];

  /** Providers' SDKs are for the workers; their types are the wire that the translation is checked against. */
  const typePackages = new Set(["@anthropic-ai/sdk", "openai"]);

  test("it uses only packages that do nothing but compute, and of providers' SDKs the types alone", () => {
    const used = edges.filter(({ from, outside }) => topOf(from) === "shared" && outside);
    const isPure = ({ to, typeOnly }: Edge): boolean =>
      packages.some((name) => to === name || (name.endsWith("/") && to.startsWith(name))) || (typeOnly && typePackages.has(to));
    expect(used.filter((edge) => !isPure(edge)).map(show)).toEqual([]);
  });
});
