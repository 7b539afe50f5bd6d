// npm run build:client: makes client/dist, which is what the package @countersign/client has.
// JavaScript by rolldown, declarations by tsc. `npm pack ./client` runs it first.

import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../..", import.meta.url));
const client = join(root, "client");
const dist = join(client, "dist");

/** What a host imports, and the command. What both use is in a file of its own. */
const entries = { "sampling-handler": join(client, "sampling-handler.ts"), countersign: join(client, "cli/main.ts") };

async function buildJavaScript(): Promise<void> {
  const bundle = await rolldown({
    input: entries,
    platform: "node",
    external: /^node:/,
    // No module here does anything but by what is imported from it: what is not used is left out.
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await bundle.write({
    dir: dist,
    format: "esm",
    // Readable: Node quotes the line that threw, which of a minified file is all of it.
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    comments: { jsdoc: false, annotation: false },
  });
  await bundle.close();
  const chunks = output.filter((file) => file.type === "chunk");
  const names = new Set(chunks.map(({ fileName }) => fileName));
  const outside = chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports]).filter((name) => !names.has(name));
  const unmet = outside.filter((name) => !name.startsWith("node:"));
  if (unmet.length > 0) throw new Error(`the package would depend on ${unmet.join(", ")}`);
  writeLicences(chunks.flatMap(({ moduleIds }) => moduleIds));
  const command = join(dist, "countersign.js");
  writeFileSync(command, `#!/usr/bin/env node\n${readFileSync(command, "utf8")}`);
  chmodSync(command, 0o755);
}

/** The packages whose code is in the package. */
const bundled = ["eventsource-parser", "ipaddr.js"];

/** Their licences ask to go with their code. Throws where the code of another package is there. */
function writeLicences(moduleIds: readonly string[]): void {
  const found = moduleIds.flatMap((id) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll("\\", "/"))?.[1] ?? []);
  const names = [...new Set(found)].toSorted();
  if (names.join() !== bundled.join()) throw new Error(`the package has the code of ${names.join(", ")}, and not of ${bundled.join(", ")}`);
  const texts = names.map((name) => `${name}\n\n${readFileSync(join(root, "node_modules", name, "LICENSE"), "utf8").trim()}\n`);
  writeFileSync(join(dist, "third-party-licenses.txt"), texts.join("\n---\n\n"));
}

/** Declarations of what `sampling-handler.ts` exports, and of what those name. */
function buildDeclarations(): void {
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "scripts/pack")], { stdio: "inherit" });
  const types = join(dist, "types");
  const reached = new Set([join(types, "client/sampling-handler.d.ts")]);
  for (const file of reached) {
    // Imports name the source. Older compilers look for a declaration by the name of its
    // JavaScript.
    const text = readFileSync(file, "utf8").replaceAll(/((?:from|import\() ?"\.[^"]*)\.ts"/g, '$1.js"');
    // What a host does not name needs no comments.
    const isNamed = /\/client\/sampling-(?:handler|connection)\.d\.ts$/.test(file.replaceAll("\\", "/"));
    writeFileSync(file, isNamed ? text : text.replaceAll(/^[ \t]*\/\*\*[\s\S]*?\*\/\n/gm, "").replaceAll(/^\/\/.*\n/gm, ""));
    for (const [, path = ""] of text.matchAll(/(?:from |import\()"(\.[^"]*)\.js"/g)) reached.add(join(dirname(file), `${path}.d.ts`));
  }
  for (const entry of readdirSync(types, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reached.has(path)) rmSync(path);
  }
}

rmSync(dist, { recursive: true, force: true });
await buildJavaScript();
buildDeclarations();
// npm packs the licence that stands beside package.json.
cpSync(join(root, "LICENSE"), join(client, "LICENSE"));
