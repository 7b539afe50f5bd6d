// node scripts/pack/build-worker.ts: builds the npm package `@countersign/worker` to workers/dist.
// `npm pack ./workers` runs it first.
//
// The package has the gateway and the Workers beside it as one file of JavaScript each. The
// packages that they import stay imports, so that `npm audit` sees them, and wrangler bundles them
// as it does here.

import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { projectFiles } from "../../client/init/project.ts";
import { versions } from "../../client/init/versions.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * The package's entries: the file in this repository, the name in the package, and what declares
 * its types.
 */
const entries = [
  { source: "workers/index.ts", name: "gateway", types: "gateway.d.ts" },
  { source: "workers/images/worker.ts", name: "images", types: "beside.d.ts" },
  { source: "workers/tools/worker.ts", name: "tools", types: "beside.d.ts" },
  { source: "workers/ui/worker.ts", name: "pages", types: "beside.d.ts" },
  { source: "workers/oauth/worker.ts", name: "oauth", types: "beside.d.ts" },
] as const;

/**
 * Builds what the package has beside package.json and README.md into this folder: `dist`, which is
 * emptied first, and the licence. Throws where workers/package.json has other dependencies than
 * what the Workers import.
 */
export async function buildWorkerPackage(folder: string): Promise<void> {
  const dist = join(folder, "dist");
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist, { recursive: true });
  const imported = new Set<string>();
  for (const { source, name, types } of entries) {
    for (const each of await bundle(source, join(dist, `${name}.js`), "workers/tsconfig.json")) imported.add(each);
    cpSync(join(root, "workers/package", types), join(dist, `${name}.d.ts`));
  }
  checkDependencies([...imported].filter((each) => !/^(?:node|cloudflare):/.test(each)).map(packageOf));
  await bundle("scripts/pack/dev-command.ts", join(dist, "dev.mjs"), "client/tsconfig.json", "#!/usr/bin/env node");
  chmodSync(join(dist, "dev.mjs"), 0o755);
  // For `diff` after an upgrade.
  const project = projectFiles({ name: "countersign", publicUrl: "", worker: versions["@countersign/worker"] });
  for (const { path, text } of project.filter((file) => file.path.endsWith("wrangler.toml"))) {
    mkdirSync(dirname(join(dist, "project", path)), { recursive: true });
    writeFileSync(join(dist, "project", path), text);
  }
  // npm packs the licence that stands beside package.json.
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

/** What says that a call has no effect is kept: wrangler leaves out what is not used by it. */
const comments = { annotation: true, legal: false, jsdoc: false } as const;

/** One file, readable, with its packages as imports. Resolves with the names of what it imports. */
async function bundle(source: string, file: string, tsconfig: string, banner?: string): Promise<readonly string[]> {
  const build = await rolldown({
    input: join(root, source),
    cwd: root,
    platform: "neutral",
    external: (id) => !id.startsWith(".") && !id.startsWith("\0") && !isAbsolute(id),
    tsconfig: join(root, tsconfig),
  });
  const { output } = await build.write({
    file,
    format: "esm",
    codeSplitting: false,
    comments,
    ...(banner === undefined ? {} : { banner }),
  });
  await build.close();
  return output.flatMap((each) => (each.type === "chunk" ? [...each.imports, ...each.dynamicImports] : []));
}

type PackageJson = { readonly dependencies: Readonly<Record<string, string>> };

const readPackage = (path: string): PackageJson => JSON.parse(readFileSync(join(root, path), "utf8")) as PackageJson; // written here

function checkDependencies(imported: readonly string[]): void {
  const { dependencies } = readPackage("workers/package.json");
  const here = readPackage("package.json").dependencies;
  const wanted = Object.fromEntries([...new Set(imported)].toSorted().map((name) => [name, here[name]]));
  if (JSON.stringify(dependencies) !== JSON.stringify(wanted))
    throw new Error(`workers/package.json must have these dependencies, which the Workers import: ${JSON.stringify(wanted, null, 2)}`);
}

/** `hono/jsx/jsx-runtime` is of `hono`, `@noble/hashes/sha2.js` of `@noble/hashes`. */
const packageOf = (specifier: string): string => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");

if (import.meta.main) await buildWorkerPackage(join(root, "workers"));
