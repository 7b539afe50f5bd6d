// Runs the gateway on this machine as a child process: Miniflare, on workerd, with real storage in
// a folder.

import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { builtWorkers } from "./built-workers.ts";
import { fileVariables } from "./dev-vars.ts";
import { portError } from "./port-error.ts";
import { makePrivate } from "./private-folder.ts";
import type { ServeOptions } from "./serve.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const serve = fileURLToPath(new URL("serve.ts", import.meta.url));

export type GatewayOptions = {
  readonly port: number;
  /** The folder that stores objects and KV. */
  readonly persistTo: string;
  /**
   * Emails to reviewers are written to files, as Miniflare does with Cloudflare's binding:
   * docs/email.md.
   */
  readonly mailToDisk?: boolean;
  /** They override those of `.dev.vars`. */
  readonly variables?: Readonly<Record<string, string>>;
};

export type Gateway = {
  readonly url: string;
  /** The id of the process group that everything runs in. */
  readonly pid: number;
  /** Ends the gateway with all its children; `kill`: at once, like a crash. */
  readonly stop: (how?: "gently" | "kill") => Promise<void>;
  /** Resolves when the gateway has ended or was stopped. */
  readonly ended: Promise<void>;
};

const readyMs = 60_000;
const gentlyMs = 5_000;

const starts = 3;

/**
 * Builds the gateway where its sources changed, starts it and waits until it answers. Where it does
 * not start, rejects with its output.
 */
export async function startGateway({ port, persistTo, mailToDisk = false, variables = {} }: GatewayOptions): Promise<Gateway> {
  // These have prompts, links and keys' digests. Miniflare's part of the data folder has the name
  // that wrangler gives it.
  const data = join(persistTo, "v3");
  for (const folder of [persistTo, data, ".wrangler", temporary, mailFolder]) makePrivate(resolve(root, folder));
  // The gateway finds the others by their names.
  const [gateway, ...others] = await builtWorkers();
  const bindings = { PUBLIC_URL: localUrl(port), ...fileVariables(), ...variables };
  const withMail = mailToDisk ? { email: { send_email: [{ name: "EMAIL" }] } } : {};
  const options: ServeOptions = {
    port,
    persistTo: resolve(root, data),
    temporary: resolve(root, temporary),
    workers: [{ ...gateway, ...withMail, bindings }, ...others],
  };
  return startServer(port, serve, options);
}

export const localUrl = (port: number): string => `http://localhost:${port}`;

/**
 * Starts a script that runs the gateway on `port`, with `options` as JSON on its standard input,
 * and waits until the gateway answers.
 */
export async function startServer(port: number, script: string, options: object): Promise<Gateway> {
  for (let start = 1; ; start += 1) {
    try {
      return await startOnce(port, script, options);
    } catch (error) {
      // The server picks further ports of its own, and another program may take one in between.
      const raced = error instanceof Error && error.message.includes("Address already in use");
      if (!raced || start === starts || (await portError(port)) !== null) throw error;
    }
  }
}

const temporary = ".wrangler/tmp";
/** `mailToDisk` writes here, to a folder for each start. */
export const mailFolder = `${temporary}/email`;

async function startOnce(port: number, script: string, options: object): Promise<Gateway> {
  const url = localUrl(port);
  const child = spawn(process.execPath, [script], {
    cwd: root,
    detached: process.platform !== "win32",
    stdio: ["pipe", "pipe", "pipe"],
    // No request's address in traces. The Local Explorer would let every page on a localhost port
    // read and write the stored data.
    env: { ...process.env, X_LOCAL_OBSERVABILITY: "false", X_LOCAL_EXPLORER: "false", NO_COLOR: "1" },
  });
  // Where the process ends before it has read them, its end is what is told.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(options));
  let printed = "";
  const keep = (chunk: Buffer): void => {
    printed = (printed + chunk.toString()).slice(-4_000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const pid = child.pid ?? 0;
  let over = false;
  const ended = new Promise<void>((resolve) => {
    child.on("exit", () => {
      over = true;
      resolve();
    });
  });
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(process.platform === "win32" ? pid : -pid, name);
    } catch {
      // The process has ended already.
    }
  };
  // It has a process group of its own, so that a signal reaches its children; without this it would
  // outlive the script.
  const killed = (): void => signal("SIGKILL");
  process.once("exit", killed);
  void ended.then(() => process.off("exit", killed));
  const stop: Gateway["stop"] = async (how = "gently") => {
    if (how === "gently") {
      signal("SIGTERM");
      await Promise.race([ended, pause(gentlyMs)]);
    }
    signal("SIGKILL");
    await ended;
  };
  const deadline = Date.now() + readyMs;
  while (!(await answers(url))) {
    if (over || Date.now() > deadline) {
      await stop("kill");
      throw new Error(`the gateway did not start on port ${port}; its output was:\n${printed.trim()}`);
    }
    await pause(150);
  }
  return { url, pid, stop, ended };
}

/** A port that is free now. */
export async function freePort(): Promise<number> {
  for (let left = 50; left > 0; left -= 1) {
    const port = firstPort + Math.floor(Math.random() * ports);
    if (await canListen(port)) return port;
  }
  throw new Error("no free port was found");
}

/**
 * Below those that a system gives to connections by itself: one that was free a moment ago could be
 * taken by any of them.
 */
const firstPort = 12_000;
const ports = 20_000;

const canListen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.on("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** Whether a gateway answers at this address, healthy or not. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(5_000) });
    return response.status === 200 || response.status === 503;
  } catch {
    return false;
  }
}

export const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
