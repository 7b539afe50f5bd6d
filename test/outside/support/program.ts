// A program as a person would start it: in a process group of its own, with what it prints kept as
// text to wait for.

import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export type Program = {
  readonly pid: number;
  /** Everything printed so far, on either stream. */
  readonly printed: () => string;
  /**
   * The first match in what is printed from `after` on. Rejects, with all that was printed, where
   * the program ends or nothing comes.
   */
  readonly prints: (pattern: RegExp, after?: number) => Promise<RegExpExecArray>;
  /** Types a line. */
  readonly types: (line: string) => void;
  /** Sends a signal to the program's whole group, as Ctrl-C in a terminal does. */
  readonly signal: (name: NodeJS.Signals) => void;
  readonly exited: Promise<number | null>;
  /** Whether any process of its group is still there. */
  readonly groupLives: () => boolean;
};

const patienceMs = 120_000;

/**
 * Starts `node <script>` in a folder, by default this project's, with these arguments and these
 * variables over the environment.
 */
export function startProgram(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  folder = root,
): Program {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: folder,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let printed = "";
  let ended = false;
  child.stdout.on("data", (chunk) => (printed += String(chunk)));
  child.stderr.on("data", (chunk) => (printed += String(chunk)));
  const exited = new Promise<number | null>((resolve) => {
    child.on("close", (code) => {
      ended = true;
      resolve(code);
    });
  });
  const pid = child.pid ?? 0;
  const send = (name: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-pid, name);
    } catch {
      return false;
    }
  };
  return {
    pid,
    printed: () => printed,
    prints: async (pattern, after = 0) => {
      for (const until = Date.now() + patienceMs; ; await pause(50)) {
        const over = ended;
        const match = pattern.exec(printed.slice(after));
        if (match !== null) return match;
        if (over || Date.now() > until) throw new Error(`never printed: ${pattern}\n${printed}`);
      }
    },
    types: (line) => void child.stdin.write(`${line}\n`),
    signal: (name) => void send(name),
    exited,
    groupLives: () => send(0),
  };
}

/** Looks again and again until there is something. */
export async function eventually<T>(what: string, look: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (const until = Date.now() + patienceMs; Date.now() < until; await pause(100)) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
  }
  throw new Error(`never seen: ${what}`);
}
