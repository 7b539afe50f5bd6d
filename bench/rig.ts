// What a part measures with: workerd processes, and folders for their data. `end` stops and deletes
// all of it.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../scripts/local-gateway.ts";
import { type Configured, config, gateway, text, worker } from "./gateway-on-workerd.ts";
import { type Served, bundle, serve, served } from "./workerd.ts";

export type Rig = {
  /** For bundles, configurations and objects on disk. */
  readonly folder: string;
  /**
   * A new folder on a file system in memory (Linux), where a commit does not wait for a disk.
   * Elsewhere it is on the disk.
   */
  readonly memory: () => string;
  /** The mock provider, and how many milliseconds a whole answer takes it: 0 by itself. */
  readonly provider: (delayMs?: number) => Promise<Served>;
  /** A Worker of workers/ on a workerd of its own. `more` goes into its configuration. */
  readonly worker: (name: string, bindings?: string, more?: string) => Promise<Served>;
  readonly gateway: (configured: Configured, options?: GatewayOptions) => Promise<Served>;
  /** A Node script that listens on the port. */
  readonly node: (name: string, port: number, args: readonly string[], cwd?: string) => Promise<Served>;
  readonly end: () => Promise<void>;
};

export type GatewayOptions = {
  /**
   * `disk` waits for this machine's disk at every commit; `memory` does not. The output gate of a
   * deployed object waits until a write is confirmed elsewhere.
   */
  readonly storage?: "memory" | "disk";
  /** The Worker's entry, in place of the gateway's own. */
  readonly entry?: string;
  /** Where the objects are stored, in place of a new folder. */
  readonly objects?: string;
  /** A folder in place of R2 for the record's files (`bucket-gateway.ts`). */
  readonly bucket?: string;
};

export function createRig(): Rig {
  const ends: (() => unknown)[] = [];
  let ended: Promise<void> | undefined;
  const folderIn = (parent: string): string => {
    if (ended !== undefined) throw new Error("the part has ended");
    const made = mkdtempSync(join(parent, "countersign-bench-"));
    ends.push(() => rmSync(made, { recursive: true, force: true, maxRetries: 5 }));
    return made;
  };
  const folder = folderIn(tmpdir());
  const memory = (): string => folderIn(existsSync("/dev/shm") ? "/dev/shm" : tmpdir());
  const kept = async (starting: Promise<Served>): Promise<Served> => {
    const started = await starting;
    ends.push(() => started.stop());
    return started;
  };
  const ownWorker: Rig["worker"] = async (name, bindings = "", more = "") => {
    const port = await freePort();
    const file = bundle(`bench/workers/${name}.ts`, folder);
    return kept(serve(name, folder, port, config(`(name = "main", worker = ${worker(file, bindings, more)})`, port)));
  };
  const nodeScript: Rig["node"] = async (name, port, args, cwd = folder) => {
    const child = spawn(process.execPath, args, {
      cwd,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, NODE_ENV: "production" },
    });
    return kept(served(name, port, child));
  };
  let gateways = 0;
  return {
    folder,
    memory,
    provider: (delayMs = 0) => ownWorker("provider", text("DELAY_MS", String(delayMs))),
    worker: ownWorker,
    gateway: async (configured, { storage = "memory", entry = "workers/index.ts", objects, bucket } = {}) => {
      gateways += 1;
      const disk = objects ?? join(storage === "disk" ? folder : memory(), `objects-${gateways}`);
      mkdirSync(disk, { recursive: true });
      return kept(gateway({ name: `countersign-${gateways}`, folder, disk, entry, configured, bucket }));
    },
    node: nodeScript,
    end: () => (ended ??= stopAll(ends)),
  };
}

/** The last first: a folder is deleted after the processes that write to it have ended. */
async function stopAll(ends: (() => unknown)[]): Promise<void> {
  for (let stop = ends.pop(); stop !== undefined; stop = ends.pop()) await stop();
}

export const providerText = (url: string): string => text("PROVIDER", url);
