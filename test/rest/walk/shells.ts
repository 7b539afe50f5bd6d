// Lines as a person pastes them into a shell.

import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * zsh reads comments and unquoted patterns in another way where a person asks it, so it is told to
 * be interactive.
 */
export const shells = { bash: ["--norc", "-s"], zsh: ["-f", "-i", "-s"] } as const;
export type Shell = keyof typeof shells;

export const isInstalled = (shell: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, shell), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

type Place = { readonly cwd: string; readonly env: NodeJS.ProcessEnv };

/** What a shell says to these lines, one after the other; it ends at the first that fails. */
export function paste(shell: Shell, lines: string, { cwd, env }: Place): Promise<{ readonly code: number | null; readonly said: string }> {
  const child = spawn(shell, shells[shell], { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  child.stdin.end(`set -e\n${lines}\necho "all of them"\n`);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, said })));
}
