// Runs this project's wrangler as a child process: it asks nothing, and what it prints is read
// here.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { wrangler } from "../built-workers.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export type Ran = { readonly status: number | null; readonly stdout: string; readonly output: string };

export type Wrangler = (...args: readonly string[]) => Promise<Ran>;

/** In Workers Builds, this names the one Worker of the project and would rename all four. */
const overriding = ["WRANGLER_CI_OVERRIDE_NAME", "WRANGLER_CI_MATCH_TAG"];

/**
 * Wrangler for this account; undefined where it is not known yet. Arguments never have a secret:
 * other users of the machine can read them.
 */
export const wranglerFor =
  (account?: string): Wrangler =>
  (...args) => {
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      WRANGLER_WRITE_LOGS: "false",
      WRANGLER_HIDE_BANNER: "true",
      NO_COLOR: "1",
      FORCE_COLOR: "0",
    };
    for (const name of overriding) delete env[name];
    if (account !== undefined) env["CLOUDFLARE_ACCOUNT_ID"] = account;
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [wrangler, ...args], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
      let [stdout, output] = ["", ""];
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        stdout += text;
        output += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
      child.on("error", reject);
      // Some of its messages are in colour whatever is asked for.
      child.on("close", (status) => resolve({ status, stdout, output: stripVTControlCharacters(output) }));
    });
  };

/** Lets a person log in through a browser. Resolves with whether it succeeded. */
export const wranglerLogin = (): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [wrangler, "login"], { cwd: root, stdio: "inherit" });
    child.on("error", () => resolve(false));
    child.on("close", (status) => resolve(status === 0));
  });
