// npm run build:client: makes client/dist, which is what the package @countersign/client has. JavaScript by rolldown, with the packages that
// it uses inside; declarations by tsc. `npm pack ./client` runs it first.

import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type OutputChunk, rolldown } from "rolldown";

const root = fileURLToPath(new URL("../..", import.meta.url));
const client = join(root, "client");
const dist = join(client, "dist");

const nodeHashes = join(root, "scripts/pack/node-hashes.ts");
const nodeBytes = join(root, "scripts/pack/node-bytes.ts");

/** What a host imports, and the command. What both use is in a file of its own. */
const entries = { "sampling-handler": join(client, "sampling-handler.ts"), countersign: join(client, "cli/main.ts") };

async function buildJavaScript(): Promise<readonly OutputChunk[]> {
  const bundle = await rolldown({
    input: entries,
    platform: "node",
    external: /^node:/,
    resolve: {
      alias: {
        "@noble/hashes/sha2.js": nodeHashes,
        "@noble/hashes/hmac.js": nodeHashes,
        "@noble/hashes/utils.js": nodeBytes,
        "@scure/base": nodeBytes,
      },
    },
    // No module here does anything but by what is imported from it: what is not used is left out.
    treeshake: { moduleSideEffects: false },
  });
  const { output } = await bundle.write({
    dir: dist,
    format: "esm",
    minify: true,
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
  const command = join(dist, "countersign.js");
  writeFileSync(command, `#!/usr/bin/env node\n${readFileSync(command, "utf8")}`);
  chmodSync(command, 0o755);
  return chunks;
}

/** The licences of the packages whose code is in the chunks: each wants its text beside every copy. */
function writeLicenses(chunks: readonly OutputChunk[]): void {
  const ours = readFileSync(join(root, "LICENSE"), "utf8").trim();
  const paths = chunks.flatMap(({ moduleIds }) => moduleIds).flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const texts = [...new Set(paths)].toSorted().map((path) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Readonly<
      Record<"name" | "version" | "license" | "author", string>
    >;
    const file = readdirSync(path).find((each) => /^licen[cs]e(\.(md|txt))?$/i.test(each));
    const own = file === undefined ? `${license}, by ${author}` : readFileSync(join(path, file), "utf8").trim();
    const text = own === ours ? `Its licence is the text in LICENSE.` : own;
    return `${name} ${version}\n\n${text}\n`;
  });
  writeFileSync(join(dist, "third-party-licenses.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
}

/** Declarations of what `sampling-handler.ts` exports, and of what those name. */
function buildDeclarations(): void {
  execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "scripts/pack")], { stdio: "inherit" });
  const types = join(dist, "types");
  const reached = new Set([join(types, "client/sampling-handler.d.ts")]);
  for (const file of reached) {
    // Imports name the source. Older compilers look for a declaration by the name of its JavaScript.
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
const chunks = await buildJavaScript();
writeLicenses(chunks);
buildDeclarations();
// npm packs the licence that stands beside package.json.
cpSync(join(root, "LICENSE"), join(client, "LICENSE"));
