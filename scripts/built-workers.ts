// The gateway and the Workers beside it as `wrangler deploy` would upload them, described for
// Miniflare. What was built of the same sources is used again.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { V4WorkerOptions } from "miniflare";
import { makePrivate } from "./private-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const load = createRequire(import.meta.url);
export const wrangler = join(dirname(load.resolve("wrangler/package.json")), "bin/wrangler.js");
const run = promisify(execFile);

/** The configuration of each Worker, by its name; the first is the gateway. */
export const configs = {
  countersign: "wrangler.toml",
  "countersign-images": "workers/images/wrangler.toml",
  "countersign-tools": "workers/tools/wrangler.toml",
  "countersign-pages": "workers/ui/wrangler.toml",
  "countersign-oauth": "workers/oauth/wrangler.toml",
} as const;
type WorkerName = keyof typeof configs;
const names = [
  "countersign",
  "countersign-images",
  "countersign-tools",
  "countersign-pages",
  "countersign-oauth",
] as const satisfies readonly WorkerName[];

/** What all Workers are built from. */
const sources = ["shared", "workers", "wrangler.toml", "package-lock.json", "tsconfig.base.json"];

/** Builds of each Worker that are kept: this one, and that of another branch. */
const mostKept = 2;

/**
 * Every Worker that a gateway needs, without variables; the first is the gateway. `checkout`:
 * another copy of the sources, with the same packages.
 */
export async function builtWorkers(checkout = root): Promise<[gateway: V4WorkerOptions, ...others: V4WorkerOptions[]]> {
  const { modulesRules: _, bindings: __, ...options } = quietly(() => optionsOf(join(checkout, configs.countersign)).workerOptions);
  const [gateway, ...others] = await Promise.all(names.map(async (name) => workerIn(await buildOf(name, checkout), name)));
  if (gateway === undefined) throw new Error("no Worker is configured");
  return [{ ...options, ...gateway }, ...others];
}

const optionsOf = (config: string) => (load("wrangler") as typeof import("wrangler")).unstable_getMiniflareWorkerOptions(config); // its types are the module's own

/** Wrangler says on standard output which files it reads, and what it thinks of the environment. */
export function quietly<T>(ask: () => T): T {
  const level = process.env["WRANGLER_LOG"];
  process.env["WRANGLER_LOG"] = "error";
  try {
    return ask();
  } finally {
    if (level === undefined) delete process.env["WRANGLER_LOG"];
    else process.env["WRANGLER_LOG"] = level;
  }
}

/** One of the Workers beside the gateway. */
export const builtWorker = async (name: Exclude<WorkerName, "countersign">): Promise<ReturnType<typeof workerIn>> =>
  workerIn(await buildOf(name, root), name);

/** Whether the Workers of these sources were built before. */
export const isBuilt = (): boolean => names.every((name) => builtBefore(name, root) !== undefined);

const builds = join(root, ".wrangler/built");

/** What a Worker was built from: the digest of each file, by its path in the checkout. */
type Inputs = Readonly<Record<string, string>>;
const inputsFile = "inputs.json";
/** What a build depends on beside the files that it names. */
const settings = ["package-lock.json", "tsconfig.base.json", "workers/tsconfig.json"];

const buildsOf = (name: WorkerName): string[] =>
  existsSync(builds)
    ? readdirSync(builds)
        .filter((each) => each.startsWith(`${name}.`) && existsSync(join(builds, each, inputsFile)))
        .map((each) => join(builds, each))
    : [];

/** A build whose files are all as they were. */
function builtBefore(name: WorkerName, checkout: string): string | undefined {
  return buildsOf(name).find((folder) => {
    const inputs = JSON.parse(readFileSync(join(folder, inputsFile), "utf8")) as Inputs; // written below
    return Object.entries(inputs).every(([path, digest]) => digestOfFile(join(checkout, path)) === digest);
  });
}

const digestOfFile = (path: string): string => (existsSync(path) ? createHash("sha256").update(readFileSync(path)).digest("hex") : "");

/**
 * The folder of one Worker's build. Two that build at once do the same work, and both results stay.
 */
async function buildOf(name: WorkerName, checkout: string): Promise<string> {
  const before = builtBefore(name, checkout);
  if (before !== undefined) return before;
  for (const each of [dirname(builds), builds]) makePrivate(resolve(root, each));
  const made = mkdtempSync(join(builds, `${name}.`));
  try {
    const inputs = await build(name, made, checkout);
    writeFileSync(join(made, inputsFile), JSON.stringify(inputs));
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    throw error;
  }
  forgetOlder(name);
  return made;
}

async function build(name: WorkerName, folder: string, checkout: string): Promise<Inputs> {
  const config = configs[name];
  await run(process.execPath, [wrangler, "deploy", "--dry-run", "--metafile", "--outdir", folder, "--config", config], {
    cwd: checkout,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false" },
  });
  const meta = join(folder, "bundle-meta.json");
  const { inputs } = JSON.parse(readFileSync(meta, "utf8")) as { inputs: Record<string, unknown> }; // esbuild's own
  rmSync(meta);
  // Of packages the lockfile decides.
  const own = Object.keys(inputs)
    .map((path) => relative(checkout, resolve(checkout, dirname(config), path)))
    .filter((path) => !path.includes("node_modules") && existsSync(join(checkout, path)));
  return Object.fromEntries([...own, config, ...settings].toSorted().map((path) => [path, digestOfFile(join(checkout, path))]));
}

function forgetOlder(name: WorkerName): void {
  const kept = buildsOf(name)
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .toSorted((one, other) => other.at - one.at);
  for (const { path } of kept.slice(mostKept).filter(({ at }) => at < Date.now() - 60 * 60_000))
    rmSync(path, { recursive: true, force: true });
}

/** A digest of all that the Workers are built from. */
export function digestOf(checkout = root): string {
  const hash = createHash("sha256");
  const add = (path: string): void => {
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).toSorted()) add(join(path, name));
    else hash.update(`${path.slice(checkout.length)}\0`).update(readFileSync(path));
  };
  for (const source of sources) {
    const path = join(checkout, source);
    if (existsSync(path)) add(path);
  }
  return hash.digest("hex").slice(0, 32);
}

function workerIn(folder: string, name: WorkerName) {
  const files = readdirSync(folder).map((file) => join(folder, file));
  const ofKind = (type: "ESModule" | "CompiledWasm", ending: RegExp) =>
    files.filter((file) => ending.test(file)).map((path) => ({ type, path }));
  return {
    name,
    compatibilityDate: "2026-11-02",
    ...(name === "countersign-oauth" ? { compatibilityFlags: ["global_fetch_strictly_public"] } : {}),
    modulesRoot: folder,
    // The first is the Worker.
    modules: [...ofKind("ESModule", /\.js$/), ...ofKind("CompiledWasm", /wasm$/)],
  } satisfies V4WorkerOptions;
}
