// The images Worker as `wrangler deploy` would upload it, for the Workers that run beside the tests.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const wrangler = fileURLToPath(new URL("../bin/wrangler.js", import.meta.resolve("wrangler")));

/** The name by which the gateway's binding finds it: that of its wrangler.toml. */
export const imagesWorkerName = "countersign-images";

let made: ReturnType<typeof bundled> | undefined;

/** Bundles it, once in a process, and says how Miniflare runs it. */
export const imagesWorker = () => (made ??= bundled());

function bundled() {
  const folder = mkdtempSync(join(tmpdir(), "countersign-images-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", folder, "--config", "workers/images/wrangler.toml"], {
    cwd: root,
    stdio: "pipe",
    env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_WRITE_LOGS: "false" },
  });
  const files = readdirSync(folder);
  return {
    name: imagesWorkerName,
    compatibilityDate: "2026-11-02",
    modulesRoot: folder,
    modules: [
      { type: "ESModule" as const, path: `${folder}/worker.js` },
      ...files.filter((file) => file.endsWith("wasm")).map((file) => ({ type: "CompiledWasm" as const, path: `${folder}/${file}` })),
    ],
  };
}
