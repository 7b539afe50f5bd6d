// Loads the source of the Worker as one module, where tests in workerd would load it file by file:
// that took longer than the tests.
//
// Every file of workers/ and shared/ stays importable by its own path, and is the same instance for
// tests and Worker: it becomes a few lines that hand out what the one module has of it.

import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { rolldown } from "rolldown";
import type { Plugin } from "vite";

const oneModule = "\0countersign-source";

/** Without comments and white space, and with every name as it is. */
export const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } } as const;

type Built = { readonly code: string; readonly map: string; readonly exportsOf: ReadonlyMap<string, readonly string[]> };

/** `root`: the project's folder. */
export function sourceAsOneModule(root: string): Plugin {
  const files = ["shared", "workers"].flatMap((folder) => sourcesIn(join(root, folder)));
  const names = new Map(files.map((file, i) => [file, `m${i}`]));
  let built: Promise<Built> | undefined;
  return {
    name: "countersign:source-as-one-module",
    enforce: "pre",
    resolveId: (id) => (id === oneModule ? id : null),
    async load(id) {
      if (isPackage(id)) return { code: withoutMap(await readFile(id.replace(/\?.*$/, ""), "utf8")), map: null };
      if (id !== oneModule && !names.has(id)) return null;
      const { code, map, exportsOf } = await (built ??= build(root, names));
      if (id === oneModule) return { code, map };
      return handedOut(names.get(id) ?? "", exportsOf.get(id) ?? []);
    },
  };
}

/**
 * Packages as Vite bundles them for us. Their source maps are larger than they are, and would go
 * into each runtime with them.
 */
const isPackage = (id: string): boolean => id.includes("/deps_ssr/");
const withoutMap = (code: string): string => code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");

function handedOut(name: string, exported: readonly string[]): string {
  const named = exported.filter((each) => each !== "default");
  return [
    `import { ${name} as all } from ${JSON.stringify(oneModule)};`,
    `export const { ${named.join(", ")} } = all;`,
    ...(named.length < exported.length ? ["export default all.default;"] : []),
  ].join("\n");
}

async function build(root: string, names: ReadonlyMap<string, string>): Promise<Built> {
  const entry = "\0entry";
  const exportsOf = new Map<string, readonly string[]>();
  const bundle = await rolldown({
    input: entry,
    cwd: root,
    // Packages stay outside, so that tests that import one have the Worker's own.
    external: (id) => /^[^./\0]/.test(id),
    // What a constant is worth is not written in its place: tests ask for it by its name.
    optimization: { inlineConst: false },
    tsconfig: join(root, "workers/tsconfig.json"),
    plugins: [
      {
        name: "entry",
        moduleParsed: ({ id, exports }) => void exportsOf.set(id, exports),
        resolveId: (id) => (id === entry ? id : null),
        load: (id) =>
          id === entry ? [...names].map(([file, name]) => `export * as ${name} from ${JSON.stringify(file)};`).join("\n") : null,
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm", sourcemap: true, codeSplitting: false, minify });
  await bundle.close();
  const [{ code, map }] = output;
  // Places are told by files' names and lines; what stands there is read from the files.
  return { code, map: JSON.stringify({ ...map, sourcesContent: [] }), exportsOf };
}

/**
 * Without declarations, and without what wrangler leaves beside a Worker where its development
 * server was killed.
 */
const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /(?<!\.d)\.tsx?$/.test(file) && !file.startsWith(`images${sep}`) && !file.split(sep).includes(".wrangler"))
    .map((file) => join(folder, file));
