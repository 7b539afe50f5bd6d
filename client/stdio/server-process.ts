// Starts the server's process, and ends ours in the same way, as if the client had started the
// server itself.

import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";

export type End = { readonly code: number } | { readonly signal: NodeJS.Signals };

type ServerProcess = {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly ended: Promise<End>;
  readonly kill: (signal: NodeJS.Signals) => void;
};

type NotStarted = {
  /** As in a shell: 127 where there is no such command, 126 where it cannot be run. */
  readonly code: 126 | 127;
  readonly why: string;
};

/** Starts the server with our stderr, in our process group, so that it gets the group's signals. */
export async function startServer(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<ServerProcess | NotStarted> {
  let child: ChildProcess;
  try {
    child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...env }, windowsHide: true });
  } catch (error) {
    return notStarted(error);
  }
  const ended = new Promise<End>((resolve) => {
    child.on("exit", (code, signal) => resolve(signal === null ? { code: code ?? 1 } : { signal }));
  });
  const failure = await new Promise<{ error: unknown } | undefined>((resolve) => {
    child.on("spawn", () => resolve(undefined));
    child.on("error", (error) => resolve({ error }));
  });
  if (failure !== undefined || child.stdin === null || child.stdout === null) return notStarted(failure?.error);
  return { stdin: child.stdin, stdout: child.stdout, ended, kill: (signal) => void child.kill(signal) };
}

function notStarted(error: unknown): NotStarted {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown fault";
  if (code === "ENOENT" || code === "ENOTDIR") return { code: 127, why: "command not found" };
  return { code: 126, why: code === "EACCES" ? "permission denied" : `cannot be run (${code})` };
}

/**
 * The environment without the API key: a server that could read it could sample without a client's
 * request.
 */
export const withoutKey = (env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> =>
  // On Windows these names are case-insensitive.
  Object.fromEntries(Object.entries(env).filter(([name]) => name.toUpperCase() !== "COUNTERSIGN_API_KEY"));

/**
 * Ends this process as the server's ended.
 * @returns where a signal does not end us at once: the code of a shell for it, with which this
 *   process ends a second later.
 */
export function endLike(end: End): number {
  if ("code" in end) return process.exit(end.code);
  const code = 128 + (constants.signals[end.signal] ?? 0);
  try {
    process.kill(process.pid, end.signal);
  } catch {
    return process.exit(code);
  }
  // Node ignores some signals (SIGPIPE).
  setTimeout(() => process.exit(code), 1_000);
  return code;
}
