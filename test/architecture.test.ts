// The shape of the source: which way imports point, and what pure code never names. Each failure
// names the edge or the line.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "rolldown/experimental";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders = ["shared", "workers", "client", "scripts", "bench", "examples", "test"].filter((folder) => existsSync(join(root, folder)));

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
    const specifier = (from ?? bare ?? dynamic ?? "").replace(/\?raw$/, "");
    const outside = !specifier.startsWith(".");
    return {
      from: file,
      to: outside ? specifier : relative(root, join(root, dirname(file), specifier)).replaceAll("\\", "/"),
      // `typeof import("…")` and `import("…").T` in a type are types; nothing here imports at run
      // time by `import()`.
      typeOnly: type !== undefined || namesOnlyTypes(clause) || (dynamic !== undefined && !whole.includes("await")),
      outside,
    };
  });
}

type SourceFile = { readonly file: string; readonly text: string };

/** What a package publishes: its users import it. */
const isPublished = (file: string): boolean => file === "client/sampling-handler.ts" || file.startsWith("workers/package/");

/** What `shared/`, `workers/` and `client/` export and no other file imports by its name. */
function unusedExports(sources: readonly SourceFile[]): string[] {
  const named = new Set<string>();
  const whole = new Set<string>();
  for (const { file, text } of sources) {
    const target = (specifier: string): string => join(dirname(file), specifier).replaceAll("\\", "/");
    for (const [, clause = "", from = ""] of text.matchAll(
      /(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*["'](\.[^"']+)["']/g,
    ))
      for (const name of clause.split(","))
        named.add(
          `${target(from)}: ${
            name
              .trim()
              .replace(/^type\s+/, "")
              .split(/\s+as\s+/)[0]
          }`,
        );
    for (const [, all, dynamic] of text.matchAll(/\*\s+(?:as\s+\w+\s+)?from\s*["'](\.[^"']+)["']|import\(\s*["'](\.[^"']+)["']\s*\)/g))
      whole.add(target(all ?? dynamic ?? ""));
  }
  return sources
    .filter(({ file }) => ["shared", "workers", "client"].includes(topOf(file)) && !whole.has(file) && !isPublished(file))
    .flatMap(({ file, text }) =>
      [...text.matchAll(/^export (?:async )?(?:abstract )?(?:const|function\*?|class|type|interface) (\w+)/gm)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    )
    .filter((each) => !named.has(each));
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
  /**
   * Each folder may use what stands before it. A folder is the second level; the files beside the
   * folders are "".
   */
  const orders = {
    shared: [
      "",
      "words",
      "json",
      "receipt",
      "model",
      "image",
      "json-schema",
      "redaction",
      "routing",
      "credential",
      "policy",
      "budget",
      "provider",
      "concurrency",
      "record",
      "telemetry",
      "wire",
      "association",
      "relay",
      "review",
      "run",
      "channels",
    ],
    workers: [
      "platform",
      "telemetry",
      "stubs",
      "http",
      "stores",
      "credentials",
      "ui",
      "channels",
      "media",
      "mcp-client",
      "providers",
      "doctor",
      "pipeline",
      "objects",
      "endpoints",
      "images",
      "tools",
      "oauth",
      "",
    ],
    client: ["", "init", "doctor", "review", "stdio", "cli"],
  } as const;
  const ordered = Object.entries(orders) as [keyof typeof orders, readonly string[]][]; // its own names

  const folderOf = (path: string): string => (path.split("/").length > 2 ? (path.split("/")[1] ?? "") : "");

  const against = (top: string, order: readonly string[]): Edge[] =>
    inside.filter(
      ({ from, to }) => topOf(from) === top && topOf(to) === top && order.indexOf(folderOf(to)) > order.indexOf(folderOf(from)),
    );

  test.each(ordered)("every folder of %s/ has a place in the order", (top, order) => {
    expect([...new Set(files.filter((file) => topOf(file) === top).map(folderOf))].toSorted()).toEqual([...order].toSorted());
  });

  test.each(["shared", "client"] as const)("in %s/ each folder uses only what comes before it, types included", (top) => {
    expect(against(top, orders[top]).map(show)).toEqual([]);
  });

  test("in workers/ each folder uses only what comes before it at run time, so that there is no ring of folders", () => {
    expect(
      against("workers", orders.workers)
        .filter(({ typeOnly }) => !typeOnly)
        .map(show),
    ).toEqual([]);
  });

  test("no object's class is imported but by the Worker's entry: what may be asked of an object is in workers/stubs/", () => {
    const isObject = (path: string): boolean => path.startsWith("workers/objects/");
    expect(
      inside
        .filter(({ from, to }) => topOf(from) === "workers" && !isObject(from) && isObject(to) && from !== "workers/index.ts")
        .map(show),
    ).toEqual([]);
  });

  /** Files that can each be reached from every other by imports, those of types included. */
  const mostInKnot = 3;

  test(`no knot of imports is larger than ${mostInKnot} files, types included`, () => {
    const graph = new Map<string, string[]>();
    for (const { from, to } of inside) if (topOf(from) !== "test") graph.set(from, [...(graph.get(from) ?? []), to]);
    expect(knotsOf(graph).filter((knot) => knot.length > mostInKnot)).toEqual([]);
  });

  test("a knot would be found", () => {
    const graph = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["a", "d"]],
      ["d", ["e"]],
      ["e", ["d"]],
      ["f", ["a"]],
    ]);
    expect(knotsOf(graph)).toEqual([
      ["d", "e"],
      ["a", "b", "c"],
    ]);
  });

  /** What each top folder may import of the others. Tests and scripts may look at everything. */
  const mayImport: Readonly<Record<string, readonly string[]>> = {
    shared: ["shared"],
    workers: ["workers", "shared"],
    client: ["client", "shared"],
    examples: ["examples", "client"],
    bench: ["bench", "scripts", "shared", "workers"],
    scripts: ["scripts", "client", "shared", "workers", "test", "examples"],
  };

  test.each(Object.entries(mayImport))("%s/ imports nothing but %j", (folder, allowed) => {
    expect(inside.filter(({ from, to }) => topOf(from) === folder && !allowed.includes(topOf(to))).map(show)).toEqual([]);
  });

  test("imports inside the project name the file, with its ending", () => {
    expect(inside.filter(({ to }) => !/\.(tsx?|json|md|mjs)$/.test(to)).map(show)).toEqual([]);
  });

  test("the gateway makes nothing that people read: neither the words nor the pages Worker's files are reached from its entry", () => {
    const reached = new Set(["workers/index.ts"]);
    for (const file of reached) for (const { from, to, typeOnly } of inside) if (from === file && !typeOnly) reached.add(to);
    expect(reached.size).toBeGreaterThan(100);
    expect([...reached].filter((file) => /^(shared\/channels\/words\/(en|zh)|workers\/ui)\//.test(file))).toEqual([]);
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

/**
 * The strongly connected parts of more than one file, each in the order of names (Tarjan,
 * Depth-First Search and Linear Graph Algorithms, 1972).
 */
function knotsOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const knots: string[][] = [];
  const visit = (file: string): number => {
    const index = found.size;
    found.set(file, index);
    let low = index;
    stack.push(file);
    for (const next of graph.get(file) ?? []) {
      const seen = found.get(next);
      if (seen === undefined) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, lowest.get(next) ?? seen);
    }
    lowest.set(file, low);
    if (low === index) {
      const knot = stack.splice(stack.indexOf(file));
      if (knot.length > 1) knots.push(knot.toSorted());
    }
    return low;
  };
  for (const file of graph.keys()) if (!found.has(file)) visit(file);
  return knots;
}

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

const commentsIn = (file: string, text: string): readonly { readonly start: number; readonly end: number }[] =>
  parseSync(file, text, { sourceType: "module" }).comments;

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
        // Entries of the benchmark wrap this one, to count what is billed or read.
        .filter(({ from, to }) => to === "workers/index.ts" && !from.startsWith("bench/workers/"))
        .map(({ from }) => topOf(from))
        .filter((top) => top !== "test"),
    ).toEqual([]);
  });

  test("an error's class in the Worker says its own name, which the log writes: minifying renames the class", () => {
    const classes = files
      .filter((file) => ["shared", "workers"].includes(topOf(file)))
      .flatMap((file) => [...textOf(file).matchAll(/class (\w+) extends \w*Error \{([^}]*)/g)].map(([, name, body]) => ({ name, body })));
    expect(classes.length).toBeGreaterThan(0);
    expect(classes.filter(({ name, body }) => !body?.includes(`override readonly name = "${name}";`)).map(({ name }) => name)).toEqual([]);
  });

  test("what an isolate keeps for all requests has no promise: a request that waits for another's is ended as hung", () => {
    const keeping = files.filter((file) => topOf(file) === "workers" && /\bisolate(State|Map)\(/.test(textOf(file)));
    expect(keeping.length).toBeGreaterThan(0);
    const kept = keeping.flatMap((file) =>
      [...withoutComments(textOf(file)).matchAll(/^(?:export )?type \w+ = \{[\s\S]*?^\};/gm)].map(([type]) => `${file}: ${type}`),
    );
    expect(kept.filter((type) => /^ +(readonly )?\w+: (?!.*=>).*\bPromise</m.test(type))).toEqual([]);
  });

  test("have no comment wider than 100 columns, but beside code", () => {
    const wide = files.flatMap((file) => {
      const text = textOf(file);
      return commentsIn(file, text)
        .flatMap(({ start, end }) => {
          const lineStart = text.lastIndexOf("\n", start - 1) + 1;
          return /^\s*$/.test(text.slice(lineStart, start)) ? text.slice(lineStart, end).split("\n") : [];
        })
        .filter((line) => line.length > 100 && !line.includes("://"))
        .map((line) => `${file}: ${line.trim()}`);
    });
    expect(wide).toEqual([]);
  });

  test("export nothing that no other file imports", () => {
    expect(unusedExports(files.map((file) => ({ file, text: textOf(file) })))).toEqual([]);
  });

  test("an export that nothing imports would be found", () => {
    const text = "export const used = 1;\nexport type Unused = 2;\nexport function* alsoUnused() {}";
    const user = 'import { used as mine } from "./a.ts";';
    expect(
      unusedExports([
        { file: "shared/a.ts", text },
        { file: "shared/b.ts", text: user },
      ]),
    ).toEqual(["shared/a.ts: Unused", "shared/a.ts: alsoUnused"]);
  });

  test("of tests inside workerd have the bindings of their own test: the platform's are every test's", () => {
    const inside = files.filter((file) => /^test\/(rest\/|verify\/)?workers\//.test(file) && !file.endsWith("/support/scope.ts"));
    const platforms = /\{[^}]*\benv\b[^}]*\} from "cloudflare:(workers|test)"|\blistDurableObjectIds\b/;
    expect(inside.filter((file) => platforms.test(textOf(file)))).toEqual([]);
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
  const packages = [
    "zod",
    "canonicalize",
    "diff",
    "eventsource-parser",
    "fflate",
    "ipaddr.js",
    "@noble/hashes/",
    "@scure/base",
    "@cfworker/json-schema",
  ];

  /**
   * Providers' SDKs are for the workers; their types are the wire that the translation is checked
   * against.
   */
  const typePackages = new Set(["@anthropic-ai/sdk", "openai"]);

  test("it uses only packages that do nothing but compute, and of providers' SDKs the types alone", () => {
    const used = edges.filter(({ from, outside }) => topOf(from) === "shared" && outside);
    const isPure = ({ to, typeOnly }: Edge): boolean =>
      packages.some((name) => to === name || (name.endsWith("/") && to.startsWith(name))) || (typeOnly && typePackages.has(to));
    expect(used.filter((edge) => !isPure(edge)).map(show)).toEqual([]);
  });
});
