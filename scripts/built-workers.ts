// The gateway and the Workers beside it as `wrangler deploy` would upload them, described for Miniflare. What was built of the same sources is
// used again.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
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
} as const;
type WorkerName = keyof typeof configs;
const names = ["countersign", "countersign-images", "countersign-tools", "countersign-pages"] as const satisfies readonly WorkerName[];

/** What the Workers are built from. */
const sources = ["shared", "workers", "wrangler.toml", "package-lock.json", "tsconfig.base.json"];

/** Builds that are kept: this one, and that of another branch. */
const mostKept = 2;

/** Every Worker that a gateway needs, without variables; the first is the gateway. `checkout`: another copy of the sources, with the same packages. */
export async function builtWorkers(checkout = root): Promise<[gateway: V4WorkerOptions, ...others: V4WorkerOptions[]]> {
  const folder = await buildOf(checkout);
  const { modulesRules: _, bindings: __, ...options } = quietly(() => optionsOf(join(checkout, configs.countersign)).workerOptions);
  const [gateway, ...others] = names;
  return [{ ...options, ...workerIn(folder, gateway) }, ...others.map((name) => workerIn(folder, name))];
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
  workerIn(await buildOf(root), name);

/** Whether the Workers of these sources were built before. */
export const isBuilt = (): boolean => existsSync(folderOf(root));

const folderOf = (checkout: string): string => join(root, ".wrangler/built", digestOf(checkout));

/** The folder that has a folder for each Worker. Two that build at once do the same work, and one of the results stays. */
async function buildOf(checkout: string): Promise<string> {
  const folder = folderOf(checkout);
  if (existsSync(folder)) return folder;
  const all = dirname(folder);
  for (const each of [dirname(all), all]) makePrivate(resolve(root, each));
  const made = mkdtempSync(`${folder}-`);
  try {
    await Promise.all(names.map((name) => build(name, join(made, name), checkout)));
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  forgetOlder(all);
  return folder;
}

async function build(name: WorkerName, folder: string, checkout: string): Promise<void> {
  await run(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", folder, "--config", configs[name]], {
    cwd: checkout,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false" },
  });
}

function forgetOlder(all: string): void {
  const kept = readdirSync(all)
    .map((name) => ({ path: join(all, name), at: statSync(join(all, name)).mtimeMs }))
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
  const own = join(folder, name);
  const files = readdirSync(own).map((file) => join(own, file));
  const ofKind = (type: "ESModule" | "CompiledWasm", ending: RegExp) =>
    files.filter((file) => ending.test(file)).map((path) => ({ type, path }));
  return {
    name,
    compatibilityDate: "2026-11-02",
    modulesRoot: own,
    // The first is the Worker.
    modules: [...ofKind("ESModule", /\.js$/), ...ofKind("CompiledWasm", /wasm$/)],
  } satisfies V4WorkerOptions;
}
