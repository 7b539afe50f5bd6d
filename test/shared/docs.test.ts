// The documents against the code: what they name exists, and what exists is named.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { documentNow } from "../../scripts/storage-schema.ts";
import { limitsSchema } from "../../shared/policy/limits.ts";
import { schemas } from "../../workers/objects/schema/schemas.ts";

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

/**
 * Titles as the code has them: as a string in any quotes. One that ends in … is the beginning of
 * exactly one string of the file.
 */
function hasTitle(source: string, title: string): boolean {
  if (!title.endsWith("…")) return [`"${title}"`, `'${title}'`, `\`${title}\``].some((quoted) => source.includes(quoted));
  const begun = ['"', "'", "`"].reduce((sum, quote) => sum + source.split(`${quote}${title.slice(0, -1)}`).length - 1, 0);
  return begun === 1;
}

function missingTests(named: readonly Named[]): string[] {
  return named
    .filter(({ file, title }) => !existsSync(join(root, file)) || (title !== null && !hasTitle(read(file), title)))
    .map(({ document, file, title }) => `${document}: ${file} ${title ?? ""}`);
}

test("every test that a document names exists", () => {
  const named = documents.flatMap((document) => namedTests(document, read(document)));
  expect(named.length).toBeGreaterThan(120);
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
  const titles = '"a knot would…", "in…", "no test begins like this…"';
  expect(missingTests(namedTests("x.md", `| \`test/architecture.test.ts\` ${titles} |`))).toEqual([
    "x.md: test/architecture.test.ts in…",
    "x.md: test/architecture.test.ts no test begins like this…",
  ]);
});

// Requirements

describe("docs/requirements.md", () => {
  const rows = read("docs/requirements.md")
    .split("\n")
    .flatMap((line) => {
      const [, id, , proof] = line.split("|").map((cell) => cell.trim());
      return id !== undefined && /^[SCA]\d\d$/.test(id) ? [{ id, proof: proof ?? "" }] : [];
    });

  test("has every requirement once, in order", () => {
    const ids = (letter: string, count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${letter}${String(index + 1).padStart(2, "0")}`);
    expect(rows.map(({ id }) => id)).toEqual([...ids("S", 27), ...ids("C", 16), ...ids("A", 13)]);
  });

  test.each(rows)("$id has a test", ({ proof }) => {
    expect(namedTests("", proof).filter(({ title }) => title !== null)).not.toEqual([]);
  });
});

// Operations

test("docs/http-contract.md has the paths as the routes are: `node scripts/http-contract.ts` writes them", () => {
  const now = execFileSync(process.execPath, [join(root, "scripts/http-contract.ts"), "--print"], { encoding: "utf8" });
  const paths = (now.match(/^- \*\*.*\*\*: `\/.*$/gm) ?? []).flatMap((line) => line.match(/`\/[^`]*`/g) ?? []);
  expect(paths.length).toBeGreaterThan(60);
  expect(read("docs/http-contract.md")).toBe(now);
});

// Storage

describe("docs/storage-schema.md", () => {
  test("says what the schemas' comments say: `node scripts/storage-schema.ts` writes it", () => {
    expect(read("docs/storage-schema.md")).toBe(documentNow());
  });

  test("has every object, and no table is made but by a schema", () => {
    const classes = [...read("wrangler.toml").matchAll(/^class_name = "(\w+)"/gm)].map(([, name = ""]) => name);
    expect(Object.keys(schemas).toSorted()).toEqual(classes.toSorted());
    const headings = [...read("docs/storage-schema.md").matchAll(/^## (.+)$/gm)].flatMap(([, names = ""]) => names.split(", "));
    const described = new Set(headings);
    expect(classes.filter((name) => !described.has(name))).toEqual([]);
    const makers = filesOf("workers", ".ts").filter((path) => read(path).includes("CREATE TABLE"));
    expect(makers.map((path) => relative("workers", path))).toEqual(["objects/schema/schema.ts"]);
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
    const [, section = ""] = /## KeyObject\n([\s\S]*?)\n## /.exec(read("docs/storage-schema.md")) ?? [];
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
