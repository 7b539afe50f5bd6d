// Runs a command as a stdio server, behind `countersign stdio` or without it, with all that it
// writes and how it ends.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

export const BIN = fileURLToPath(new URL("../../../client/cli/main.ts", import.meta.url));
export const KEY = "dev-key-of-the-tests-0123456789abcdef";

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type Running = {
  readonly pid: number;
  readonly write: (bytes: string | Uint8Array) => boolean;
  /** Bytes that it has not taken yet. */
  readonly backlog: () => number;
  readonly end: () => void;
  readonly kill: (signal: NodeJS.Signals) => void;
  readonly stdout: () => Buffer;
  readonly stderr: () => string;
  /** Stops reading what it writes, and goes on. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Closes our end of its stdout. */
  readonly closeStdout: () => void;
  /** The first match in what it has written on stdout, or on stderr. */
  readonly prints: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly ended: Promise<Ended>;
};

export type How = {
  readonly url?: string;
  readonly options?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: string;
  readonly detached?: boolean;
};

/** Nobody listens there: what does not sample needs no gateway. */
export const NOWHERE = "http://127.0.0.1:9";

export function wrapped(command: readonly string[], { url = NOWHERE, options = [], node = process.execPath, ...how }: How = {}): Running {
  return start([node, BIN, "stdio", "--url", url, ...options, "--", ...command], how);
}

export const direct = (command: readonly string[], how: How = {}): Running => start(command, how);

/** A server in JavaScript, as a command. */
export const script = (source: string): string[] => [process.execPath, "-e", source];

function start([command = "", ...args]: readonly string[], { env = {}, detached = false }: How): Running {
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    detached,
    env: { ...process.env, COUNTERSIGN_API_KEY: KEY, ...env },
  });
  const out: Buffer[] = [];
  let printed = "";
  let over = false;
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  child.stdin.on("error", () => undefined);
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code, signal) => {
      over = true;
      resolve({ code, signal });
    });
  });
  return {
    pid: child.pid ?? 0,
    write: (bytes) => child.stdin.write(bytes),
    backlog: () => child.stdin.writableLength,
    end: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
    stdout: () => Buffer.concat(out),
    stderr: () => printed,
    pause: () => void child.stdout.pause(),
    resume: () => void child.stdout.resume(),
    closeStdout: () => void child.stdout.destroy(),
    prints: async (pattern) => {
      for (;;) {
        const last = over;
        const match = pattern.exec(Buffer.concat(out).toString()) ?? pattern.exec(printed);
        if (match !== null) return match;
        if (last) throw new Error(`never printed: ${pattern}\n${Buffer.concat(out).toString().slice(-2_000)}\n${printed}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    ended,
  };
}
