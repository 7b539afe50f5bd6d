// Packages of many modules as one file each, which workerd reads itself. As modules of Vite, each
// of a test file's runtimes would get them through vitest's channel, which costs seconds of CPU
// time for a megabyte.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import type { Plugin } from "vite";
import { minify } from "./one-module.ts";

const ending = ".package.mjs";

/** What the plugin for workerd needs to know: it leaves these files to workerd. */
export const packageRules = [{ type: "ESModule", include: [`**/*${ending}`] }] as const;

/** `root`: the project's folder. `packages`: ES modules, by the names that they are imported by. */
export function packagesAsFiles(root: string, packages: readonly string[]): Plugin {
  let built: Promise<ReadonlyMap<string, string>> | undefined;
  return {
    name: "countersign:packages-as-files",
    enforce: "pre",
    async resolveId(id) {
      if (!packages.includes(id)) return null;
      return (await (built ??= build(root, packages))).get(id) ?? null;
    },
  };
}

/**
 * The file of each package, which no other file imports: workerd knows it by a longer name than its
 * neighbours do, and would make a second instance for them.
 */
async function build(root: string, packages: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-packages-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const fileOf = (name: string): string => name.replaceAll(/\W/g, "_");
  const entries = new Map(packages.map((name) => [`\0${name}`, name]));
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries([...entries].map(([entry, name]) => [fileOf(name), entry])),
    external: /^(?:node|cloudflare):/,
    platform: "neutral",
    resolve: { mainFields: ["module", "main"], conditionNames: ["workerd", "worker", "module", "browser", "import", "default"] },
    plugins: [
      {
        name: "entries",
        resolveId: (id) => (entries.has(id) ? id : null),
        async load(id) {
          const name = entries.get(id);
          if (name === undefined) return null;
          const resolved = await this.resolve(name, join(root, "package.json"));
          if (resolved === null) throw new Error(`${name} is not installed`);
          const from = JSON.stringify(resolved.id);
          const { exports } = await this.load(resolved);
          if (exports.length === 0) throw new Error(`${name} is no ES module: its exports are not known before it runs`);
          return `export * from ${from};${exports.includes("default") ? `export { default } from ${from};` : ""}`;
        },
      },
    ],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: `[name]${ending}`,
    chunkFileNames: `[name]-[hash]${ending}`,
    minify,
  });
  await bundle.close();
  const chunks = output.filter((file) => file.type === "chunk");
  const entryFiles = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName));
  const imported = chunks.flatMap(({ imports }) => imports).find((file) => entryFiles.has(file));
  if (imported !== undefined) throw new Error(`${imported} is imported by another package's file: there would be two instances of it`);
  return new Map(packages.map((name) => [name, join(folder, `${fileOf(name)}${ending}`)]));
}
