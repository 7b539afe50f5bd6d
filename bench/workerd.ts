// Runs Workers on workerd itself, without a development server in front: each bundled as it would
// be deployed.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const workerd = join(root, "node_modules/.bin/workerd");
const esbuild = join(root, "node_modules/.bin/esbuild");

const bundles = new Map<string, Buffer>();

/** One Worker as a module for workerd's configuration. Built once in a process. */
export function bundle(entry: string, into: string): string {
  const file = join(into, `${entry.replaceAll(/[^a-z]/g, "-")}.mjs`);
  const built = bundles.get(entry) ?? build(entry);
  bundles.set(entry, built);
  writeFileSync(file, built);
  return file;
}

/** As `bundle` from now on gives this entry. */
export const change = (entry: string, changed: (source: string) => string): void =>
  void bundles.set(entry, Buffer.from(changed(build(entry).toString())));

const build = (entry: string): Buffer =>
  execFileSync(
    esbuild,
    [
      resolve(root, entry),
      "--bundle",
      "--minify",
      "--format=esm",
      "--platform=neutral",
      "--main-fields=module,main",
      "--conditions=workerd,worker,browser,import",
      "--external:cloudflare:*",
      "--external:node:*",
      "--jsx=automatic",
      "--jsx-import-source=hono/jsx",
      "--target=es2024",
      "--log-level=error",
    ],
    { maxBuffer: 256 * 1024 * 1024 },
  );

export type Served = {
  readonly port: number;
  readonly process: ChildProcess;
  readonly stop: () => Promise<void>;
  readonly cpuSeconds: () => number;
};

/** Starts workerd with this configuration (Cap'n Proto text) and waits until the port answers. */
export async function serve(name: string, folder: string, port: number, config: string): Promise<Served> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.capnp`);
  writeFileSync(file, config);
  return served(name, port, spawn(workerd, ["serve", file, "--experimental"], { stdio: ["ignore", "inherit", "inherit"], cwd: folder }));
}

/** A process that was started just now, once its port answers. */
export async function served(name: string, port: number, child: ChildProcess): Promise<Served> {
  const ended = new Promise<void>((resolve) => {
    child.on("exit", () => resolve());
    child.on("error", () => resolve());
  });
  // Every end of this process ends its children.
  const kill = (): void => void child.kill("SIGKILL");
  process.on("exit", kill);
  const stop = async (): Promise<void> => {
    kill();
    await ended;
    process.off("exit", kill);
  };
  for (const end = Date.now() + mostStartMs; !(await isOpen(port));) {
    if (Date.now() > end || child.exitCode !== null || child.signalCode !== null) {
      await stop();
      throw new Error(`${name} did not come up`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return { port, process: child, stop, cpuSeconds: () => cpuSecondsOf(child.pid ?? 0) };
}

const mostStartMs = 30_000;

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => (socket.destroy(), resolve(true)));
    socket.on("error", () => resolve(false));
  });

/**
 * The time on a CPU of a process so far, from Linux's /proc: of the threads that it has now, which
 * it keeps.
 */
function cpuSecondsOf(pid: number): number {
  const threads = `/proc/${pid}/task`;
  return readdirSync(threads).reduce(
    (sum, thread) => sum + Number(readFileSync(join(threads, thread, "schedstat"), "utf8").split(" ")[0]) / 1e9,
    0,
  );
}
