// The documents against the code: what they name exists, and what exists is named.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { limitsSchema } from "../../shared/policy/limits.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

const skipped = new Set(["node_modules", "dist"]);

function filesOf(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return skipped.has(entry.name) || entry.name.startsWith(".") ? [] : filesOf(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}

const documents = filesOf(".", ".md");

// Links

/** The heading's anchor as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");

function brokenLinks(path: string, text: string): string[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/i.test(target)) return [];
    const [file = "", anchor] = target.split("#");
    const to = file === "" ? path : join(dirname(path), file);
    if (!existsSync(join(root, to))) return [`${path} → ${target}`];
    if (anchor === undefined) return [];
    const anchors = [...read(to).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
    return anchors.includes(anchor) ? [] : [`${path} → ${target}`];
  });
}

test("every relative link in a document leads to a file, and to a heading where it names one", () => {
  expect(documents.length).toBeGreaterThan(10);
  expect(documents.flatMap((path) => brokenLinks(path, read(path)))).toEqual([]);
});

test("a broken link would be found", () => {
  const text = "[a](README.md) [b](nowhere.md) `[c](code.md)` [d](README.md#no-such-heading) [e](https://example.com/x.md)";
  expect(brokenLinks("here.md", text)).toEqual(["here.md → nowhere.md", "here.md → README.md#no-such-heading"]);
});

// Tests that are named

type Named = { readonly document: string; readonly file: string; readonly title: string | null };

/**
 * Tests are named as `file` "title", "title": the titles after a file, up to the next one or the
 * end of the table's cell.
 */
function namedTests(document: string, text: string): Named[] {
  const found: Named[] = [];
  for (const cell of text.split(/\||\n/)) {
    let file: string | null = null;
    for (const [, path, title] of cell.matchAll(/`(test\/[^`]*\.test\.tsx?)`|"([^"]+)"/g)) {
      if (path !== undefined) {
        file = path;
        found.push({ document, file, title: null });
      } else if (file !== null && title !== undefined) found.push({ document, file, title });
    }
  }
  return found;
}

/** Titles as the code has them: as a string in any quotes. */
const hasTitle = (source: string, title: string): boolean =>
  [`"${title}"`, `'${title}'`, `\`${title}\``].some((quoted) => source.includes(quoted));

function missingTests(named: readonly Named[]): string[] {
  return named
    .filter(({ file, title }) => !existsSync(join(root, file)) || (title !== null && !hasTitle(read(file), title)))
    .map(({ document, file, title }) => `${document}: ${file} ${title ?? ""}`);
}

test("every test that a document names exists", () => {
  const named = documents.flatMap((document) => namedTests(document, read(document)));
  expect(named.filter(({ title }) => title !== null).length).toBeGreaterThan(80);
  expect(missingTests(named)).toEqual([]);
});

test("a test that is named and does not exist would be found", () => {
  // Put together, so that this file does not hold it as a title.
  const absent = ["no", "such", "test"].join(" ");
  const text = `| \`test/shared/docs.test.ts\` "a broken link would be found", "${absent}"; \`test/no.test.ts\` "t" | "prose" |`;
  expect(missingTests(namedTests("x.md", text))).toEqual([
    `x.md: test/shared/docs.test.ts ${absent}`,
    "x.md: test/no.test.ts ",
    "x.md: test/no.test.ts t",
  ]);
});

// Requirements

describe("docs/requirements.md", () => {
  const rows = read("docs/requirements.md")
    .split("\n")
    .flatMap((line) => {
      const [, id, , , state, proof] = line.split("|").map((cell) => cell.trim());
      return id !== undefined && /^[SC]\d\d$/.test(id) ? [{ id, state: state ?? "", proof: proof ?? "" }] : [];
    });

  test("has every requirement once, in order", () => {
    const ids = (letter: string, count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${letter}${String(index + 1).padStart(2, "0")}`);
    expect(rows.map(({ id }) => id)).toEqual([...ids("S", 27), ...ids("C", 16)]);
  });

  test.each(rows)("$id has a state, and a test where anything of it is done", ({ state, proof }) => {
    expect(state).toMatch(/^(done|partly|not yet)\b/);
    const titles = namedTests("", proof).filter(({ title }) => title !== null);
    expect(titles.length > 0).toBe(!state.startsWith("not yet"));
    if (state.startsWith("partly")) expect(state).toMatch(/not yet|no .* yet/);
  });
});

// Storage

type Column = `${string}.${string}.${string}`;

/** The object whose tables are made in this file. */
const objectOf: Readonly<Record<string, string>> = {
  "call-tables.ts": "CallObject",
  "config-object.ts": "ConfigObject",
  "operator-record.ts": "ConfigObject",
  "conversation-object.ts": "ConversationObject",
  "digest-object.ts": "DigestObject",
  "inbox-waiting.ts": "InboxObject",
  "inbox-sign-ins.ts": "InboxObject",
  "key-object.ts": "KeyObject",
  "key-grants.ts": "KeyObject",
  "key-dependents.ts": "KeyObject",
  "key-sessions.ts": "KeyObject",
  "kept-text.ts": "CacheObject and ConversationObject",
  "concurrency-queue-object.ts": "ConcurrencyQueueObject",
  "ledger-object.ts": "LedgerObject",
  "ledger-events.ts": "LedgerObject",
  "ledger-failures.ts": "LedgerObject",
  "ledger-floods.ts": "LedgerObject",
  "ledger-lines.ts": "LedgerObject",
  "ledger-metrics.ts": "LedgerObject",
  "ledger-use.ts": "LedgerObject",
  "ledger-usage.ts": "LedgerObject",
  "bridge-tables.ts": "BridgeObject",
  "console-sessions.ts": "ConfigObject",
  "given-links.ts": "ConfigObject",
  "budget-object.ts": "BudgetObject",
  "budget-notices.ts": "BudgetObject",
  "stop-object.ts": "StopObject",
  "run-store.ts": "RunObject",
  "parked-request.ts": "RunObject",
  "session-tables.ts": "SessionObject",
};

/**
 * The columns of `name (…)`: the first word of each part between commas that are in no brackets,
 * but for constraints.
 */
function columnsOf(definition: string): { table: string; columns: string[] } {
  const [, table = "", body = ""] = /^(\w+) \(([\s\S]*)$/.exec(definition) ?? [];
  let depth = 0;
  let part = "";
  const parts: string[] = [];
  for (const character of body) {
    if (character === "(") depth += 1;
    if (character === ")") depth -= 1;
    if (depth < 0) break;
    if (character === "," && depth === 0) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  const words = [...parts, part].map((each) => /^\w+/.exec(each.trim())?.[0] ?? "");
  return { table, columns: words.filter((word) => !["PRIMARY", "UNIQUE", "CHECK", "FOREIGN", ""].includes(word)) };
}

/**
 * Every column that the code makes. Throws at a CREATE TABLE that it cannot read, so that none is
 * left out.
 */
function columnsInCode(): Column[] {
  const found: Column[] = [];
  const longTexts = read("workers/objects/long-text.ts");
  const [, parts = ""] = /CREATE TABLE IF NOT EXISTS \$\{this\.#table\} (\([^`]*)`/.exec(longTexts) ?? [];
  for (const path of filesOf("workers", ".ts")) {
    const source = read(path);
    const made = source.split("CREATE TABLE").length - 1;
    const longTables = [...source.matchAll(/new LongTexts\([^,]+, "(\w+)", seal\)/g)].map(([, name = ""]) => `${name} ${parts}`);
    if (made === 0 && longTables.length === 0) continue;
    if (path.endsWith("long-text.ts")) {
      expect([path, made]).toEqual([path, 1]);
      continue;
    }
    const plain = [...source.matchAll(/CREATE TABLE IF NOT EXISTS (\w+ \([\s\S]*?)["`]/g)].map(([, definition = ""]) => definition);
    const [, list = ""] =
      /for \(const table of \[([\s\S]*?)\]\) \{\s*this\.#sql\.exec\(`CREATE TABLE IF NOT EXISTS \$\{table\}`\)/.exec(source) ?? [];
    const listed = [...list.matchAll(/"(\w+ \([^"]*)"/g)].map(([, definition = ""]) => definition);
    expect([path, plain.length + (listed.length > 0 ? 1 : 0)]).toEqual([path, made]);
    const object = objectOf[path.split("/").at(-1) ?? ""] ?? path;
    for (const definition of [...plain, ...listed, ...longTables]) {
      const { table, columns } = columnsOf(definition);
      for (const column of columns) found.push(`${object}.${table}.${column}`);
    }
  }
  return found.sort();
}

/**
 * Every column that the document has: `## Object`, `### \`table\``, and the first cell of each row
 * below.
 */
function columnsInDocument(text: string): Column[] {
  const found: Column[] = [];
  let object = "";
  let table = "";
  for (const line of text.split("\n")) {
    const [, heading] = /^## (.+)$/.exec(line) ?? [];
    if (heading !== undefined) [object, table] = [heading, ""];
    const [, name] = /^### `(\w+)`$/.exec(line) ?? [];
    if (name !== undefined) table = name;
    const [, column] = /^\| `(\w+)` \|/.exec(line) ?? [];
    if (column !== undefined && table !== "") found.push(`${object}.${table}.${column}`);
  }
  return found.sort();
}

describe("docs/storage-schema.md", () => {
  test("has every table and column that the objects make, and no other", () => {
    const inCode = columnsInCode();
    expect(inCode).toContain("RunObject.outbox.due_at");
    expect(inCode).toContain("SessionObject.result.part");
    expect(columnsInDocument(read("docs/storage-schema.md"))).toEqual(inCode);
  });

  test("names every key that is written to KV, and configuration is written by ConfigObject alone", () => {
    const writers = filesOf("workers", ".ts").filter((path) => /\bCONFIG\.(put|delete)\(/.test(read(path)));
    expect(writers.map((path) => relative("workers", path))).toEqual(["endpoints/relay/negotiation.ts", "objects/config-object.ts"]);
    const names = /documentNames = \[([^\]]*)\]/.exec(read("workers/stubs/config-calls.ts"))?.[1]?.match(/\w+/g) ?? [];
    expect(names.length).toBeGreaterThan(0);
    const text = read("docs/storage-schema.md");
    for (const name of [...names, "key:<sha256>", "family:<digest>"]) expect(text).toContain(`\`${name}\``);
  });

  test("names every entry of an object's key-value storage", () => {
    const entries = filesOf("workers", ".ts").flatMap((path) =>
      [...read(path).matchAll(/\bstorage\.put\("(\w+)"/g)].map(([, name = ""]) => name),
    );
    expect(entries).not.toEqual([]);
    const [, section = ""] = /## KeyObject\n([\s\S]*?)\n### /.exec(read("docs/storage-schema.md")) ?? [];
    for (const name of entries) expect(section).toContain(`\`${name}\``);
  });
});

// Dependencies and settings

test("docs/dependencies.md has every dependency of package.json", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
  const text = read("docs/dependencies.md");
  const names = [...Object.keys(dependencies ?? {}), ...Object.keys(devDependencies ?? {})];
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("docs/operations.md has every variable and secret that the Worker reads, and every event that it logs", () => {
  const variables = [...read("workers/platform/env.ts").matchAll(/readonly ([A-Z_]+)\?: string/g)].map(([, name = ""]) => name);
  const events = [...read("workers/platform/log.ts").matchAll(/\| "([a-zA-Z.]+)"/g)].map(([, name = ""]) => name);
  expect(Math.min(variables.length, events.length)).toBeGreaterThan(5);
  const text = read("docs/operations.md");
  expect([...variables, ...events].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

describe("the numbers in docs/operations.md", () => {
  const rowOf = (name: string): string =>
    read("docs/operations.md")
      .split("\n")
      .find((line) => line.startsWith(`| \`${name}\``)) ?? "";
  const settings = [
    ...read("workers/platform/settings.ts").matchAll(/numberOf\("([A-Z_]+)", env\.\w+, (\d+), (\d+), ([\d *]+), issues\)/g),
  ];

  test("of settings are the code's", () => {
    expect(settings.length).toBe(read("workers/platform/settings.ts").split("numberOf(").length - 2);
    for (const [, name = "", standard, least, most = ""] of settings) {
      const product = most.split("*").reduce((sofar, factor) => sofar * Number(factor), 1);
      expect(rowOf(name)).toMatch(new RegExp(`\\| ${standard} \\| ${least} to ${product}\\b`));
    }
  });

  test("of limits are the code's", () => {
    const [, most = ""] = /^\| `bodyBytes` \|.* at most ([\d,]+) \|$/m.exec(read("docs/policy.md")) ?? [];
    const bodyBytes = Number(most.replaceAll(",", ""));
    const isAccepted = (value: number): boolean => limitsSchema.safeParse({ bodyBytes: value }).success;
    expect([isAccepted(bodyBytes), isAccepted(bodyBytes + 1)]).toEqual([true, false]);
    for (const [path, name] of [
      ["workers/endpoints/review/review-link.ts", "formLimitBytes"],
      ["workers/endpoints/admin/admin-documents.ts", "documentLimitBytes"],
    ] as const) {
      const [, digits = ""] = new RegExp(`const ${name} = ([\\d_]+);`).exec(read(path)) ?? [];
      expect(read("docs/operations.md")).toContain(`| ${digits.replaceAll("_", ",")} bytes |`);
    }
  });
});

test("the cost in docs/operations.md is that of the counted bill, at list prices less what the plan includes", () => {
  type Bill = { tables: { rows: { labels: string[]; values: { each?: number[]; price?: number[] } }[] }[] };
  const { tables } = JSON.parse(read("bench/results/bill.json")) as Bill; // written by the benchmark
  const included: Readonly<Record<string, number>> = {
    "Worker requests": 10e6,
    "CPU ms": 30e6,
    "object requests, alarms among them": 1e6,
    "object GB-seconds": 400e3,
    "rows read": 25e9,
    "rows written": 50e6,
    "KV reads": 10e6,
    "KV writes": 1e6,
  };
  const plan = 5;
  const costOf = (perSecond: number): string => {
    const costs = (tables[0]?.rows ?? []).map(({ labels: [name = ""], values }) => {
      const used = (values.each?.[0] ?? 0) * perSecond * 30 * 24 * 3_600;
      return (Math.max(0, used - (included[name] ?? Infinity)) / 1e6) * (values.price?.[0] ?? 0);
    });
    return costs.reduce((sum, cost) => sum + cost, plan).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  };
  expect(read("docs/operations.md")).toContain(`| in all | ${[1, 100, 10_000].map(costOf).join(" | ")} |`);
});

test("every decision says when to revisit it", () => {
  const decisions = documents.filter((path) => path.startsWith("docs/decisions/"));
  expect(decisions.length).toBeGreaterThan(5);
  expect(decisions.filter((path) => !/^\*\*When to revisit\.\*\* \S/m.test(read(path)))).toEqual([]);
});
