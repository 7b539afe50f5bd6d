// Runs the gateway on this machine as a child process: wrangler's local server, on workerd, with real storage in a folder.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makePrivate } from "./private-folder.ts";
import type { ServeOptions } from "./serve.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const serve = fileURLToPath(new URL("serve.ts", import.meta.url));

export type GatewayOptions = {
  readonly port: number;
  /** The folder that stores objects and KV. */
  readonly persistTo: string;
  /** Emails to reviewers are written to files, as wrangler does with Cloudflare's binding: docs/email.md. */
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

/** Starts the gateway and waits until it answers. Where it does not start, rejects with its output. */
export function startGateway({ port, persistTo, mailToDisk = false, variables = {} }: GatewayOptions): Promise<Gateway> {
  // These have prompts, links and keys' digests. Wrangler names its part of the data folder `v3`.
  for (const folder of [persistTo, join(persistTo, "v3"), ".wrangler", ".wrangler/tmp", mailFolder]) makePrivate(resolve(root, folder));
  const options: ServeOptions = {
    port,
    persistTo,
    // The first is the gateway. Its bindings find the others by name.
    configs: [
      mailToDisk ? configWithMail() : "wrangler.toml",
      "workers/images/wrangler.toml",
      "workers/tools/wrangler.toml",
      "workers/ui/wrangler.toml",
    ],
    variables: { PUBLIC_URL: localUrl(port), ...variables },
  };
  return startServer(port, serve, options);
}

export const localUrl = (port: number): string => `http://localhost:${port}`;

/** Starts a script that runs the gateway on `port`, with `options` as JSON in its first argument, and waits until the gateway answers. */
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

/** `mailToDisk` writes here, to a folder for each start. */
export const mailFolder = ".wrangler/tmp/email";

/** wrangler.toml with the email binding, which is off there. In the same folder, so that paths and `.dev.vars` are the same. */
function configWithMail(): string {
  const name = "wrangler.local.toml";
  const plain = readFileSync(join(root, "wrangler.toml"), "utf8");
  const text = `# Made from wrangler.toml by npm start; changes here are lost.\n${plain}\n[[send_email]]\nname = "EMAIL"\n`;
  const path = join(root, name);
  const withBinding = /^\[\[send_email\]\]/m.test(plain) ? plain : text;
  // A change of the file would restart a gateway that runs already.
  if (!existsSync(path) || readFileSync(path, "utf8") !== withBinding) writeFileSync(path, withBinding);
  return name;
}

async function startOnce(port: number, script: string, options: object): Promise<Gateway> {
  const url = localUrl(port);
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    cwd: root,
    detached: process.platform !== "win32",
    stdio: ["ignore", "pipe", "pipe"],
    // No request's address in wrangler's own log files or traces. The Local Explorer would let every page on a localhost port read and
    // write the stored data.
    env: {
      ...process.env,
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_WRITE_LOGS: "false",
      X_LOCAL_OBSERVABILITY: "false",
      X_LOCAL_EXPLORER: "false",
      CI: "true",
      NO_COLOR: "1",
    },
  });
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
  // It has a process group of its own, so that a signal reaches its children; without this it would outlive the script.
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
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });

/** Why no program can listen on this local port; null where it is free. */
export async function portError(port: number): Promise<"in use" | "not allowed" | null> {
  // Both loopback addresses: a server on one of them would answer in place of the gateway.
  for (const address of ["127.0.0.1", "::1"]) {
    const code = await new Promise<string | null>((resolve) => {
      const server = createServer();
      server.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
      server.listen(port, address, () => server.close(() => resolve(null)));
    });
    if (code === "EACCES") return "not allowed";
    if (code === "EADDRINUSE") return "in use";
  }
  return null;
}

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
