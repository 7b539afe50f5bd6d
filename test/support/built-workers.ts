// The gateway and the Workers beside it as `wrangler deploy` would upload them, described for Miniflare.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { V4WorkerOptions } from "miniflare";

const root = fileURLToPath(new URL("../..", import.meta.url));
const load = createRequire(import.meta.url);
const wrangler = join(dirname(load.resolve("wrangler/package.json")), "bin/wrangler.js");
const { unstable_getMiniflareWorkerOptions: optionsOf } = load("wrangler") as typeof import("wrangler"); // its types are the module's own

/** Built once in a process. */
export const imagesWorker = once(() => built("workers/images/wrangler.toml", "countersign-images"));
/** Built once in a process. */
export const toolsWorker = once(() => built("workers/tools/wrangler.toml", "countersign-tools"));
/** Built once in a process. */
export const pagesWorker = once(() => built("workers/ui/wrangler.toml", "countersign-pages"));

/** The gateway, with the bindings of wrangler.toml but without variables: those of `.dev.vars` are not a test's. Built once in a process. */
export const gatewayWorker = once(() => gatewayWorkerOf(root));

/** The gateway of another checkout, which has the same packages. Built anew. */
export function gatewayWorkerOf(checkout: string) {
  const { modulesRules: _, bindings: __, ...options } = optionsOf(join(checkout, "wrangler.toml")).workerOptions;
  return { ...options, ...built("wrangler.toml", "countersign", checkout) };
}

function built(config: string, name: string, checkout = root) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", folder, "--config", config], {
    cwd: checkout,
    stdio: "pipe",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false" },
  });
  const files = readdirSync(folder).map((file) => join(folder, file));
  const ofKind = (type: "ESModule" | "CompiledWasm", ending: RegExp) =>
    files.filter((file) => ending.test(file)).map((path) => ({ type, path }));
  return {
    name,
    compatibilityDate: "2026-11-02",
    modulesRoot: folder,
    // The first is the Worker.
    modules: [...ofKind("ESModule", /\.js$/), ...ofKind("CompiledWasm", /wasm$/)],
  } satisfies V4WorkerOptions;
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
