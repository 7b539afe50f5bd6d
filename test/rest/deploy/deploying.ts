// A copy of this project that deploys to a scripted Cloudflare account with its real wrangler.

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CloudflareApi, account, token } from "../../outside/support/cloudflare-api.ts";
import { CloudflareEdge } from "../../outside/support/cloudflare-edge.ts";
import { type Program, eventually, startProgram } from "../../outside/support/program.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const parts = ["scripts", "client", "shared", "workers", "wrangler.toml", "package.json", "package-lock.json", "tsconfig.base.json"];

export type Deployed = { readonly code: number | null; readonly printed: string };

export type Deploying = {
  readonly api: CloudflareApi;
  readonly edge: CloudflareEdge;
  /** The copy. */
  readonly checkout: string;
  /**
   * Runs `npm run deploy` to its end, by default as a person without a terminal: no CI, every
   * question at its default.
   */
  readonly deploy: (args?: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Deployed>;
  /**
   * The same at a terminal: types each line where its question is asked. Linux, where `script`
   * makes a terminal.
   */
  readonly deployAtTerminal: (
    args: readonly string[],
    answers: readonly (readonly [question: RegExp, line: string])[],
  ) => Promise<Deployed>;
  /** The variables that all of it runs with. */
  readonly environment: (env?: Readonly<Record<string, string>>) => Record<string, string>;
  /** The secrets that were made, by name; empty where none were. */
  readonly kept: (name?: string) => Record<string, string>;
  /** Forgets the account's state and what was made for it. */
  readonly reset: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function startDeploying(): Promise<Deploying> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-deploy-"));
  const checkout = join(folder, "checkout");
  for (const part of parts)
    cpSync(join(root, part), join(checkout, part), {
      recursive: true,
      filter: (path) => !/\/(?:node_modules|dist|\.wrangler)$/.test(path),
    });
  symlinkSync(join(root, "node_modules"), join(checkout, "node_modules"), "junction");
  const api = new CloudflareApi();
  const base = await api.start();
  let edge = new CloudflareEdge(api, mkdtempSync(join(folder, "edge-")));
  let proxied = await edge.start();
  const running: Program[] = [];

  const environment = (env: Readonly<Record<string, string>> = {}): Record<string, string> => ({
    ...proxied,
    CLOUDFLARE_API_BASE_URL: base,
    CLOUDFLARE_API_TOKEN: token,
    CLOUDFLARE_ACCOUNT_ID: account,
    WRANGLER_SEND_METRICS: "false",
    // Where wrangler would find the credential of whoever runs the tests.
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    // An empty one is none.
    ...Object.fromEntries(
      ["CI", "WORKERS_CI", "ADMIN_TOKEN", "LINK_KEY", "CONTENT_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"].map((name) => [name, ""]),
    ),
    ...env,
  });

  return {
    api,
    get edge() {
      return edge;
    },
    checkout,
    environment,
    deploy: async (args = ["--yes"], env = {}) => {
      const program = startProgram(join(checkout, "scripts/deploy/main.ts"), args, environment(env), checkout);
      running.push(program);
      const code = await program.exited;
      return { code, printed: program.printed() };
    },
    deployAtTerminal: async (args, answers) => {
      const command = [process.execPath, join(checkout, "scripts/deploy/main.ts"), ...args].join(" ");
      const child = spawn("script", ["-qec", command, "/dev/null"], {
        cwd: checkout,
        env: { ...process.env, ...environment() },
        stdio: "pipe",
      });
      let printed = "";
      child.stdout.on("data", (chunk) => (printed += String(chunk)));
      const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
      let from = 0;
      for (const [question, line] of answers) {
        const asked = eventually(`the question ${question}`, () => question.test(printed.slice(from)));
        await Promise.race([asked, ended.then((code) => Promise.reject(new Error(`it ended with ${code}:\n${printed}`)))]);
        from = printed.length;
        child.stdin.write(`${line}\r`);
      }
      return { code: await ended, printed };
    },
    kept: (name = "countersign") => {
      const path = join(checkout, `.countersign/deploy/${name}.env`);
      const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
      return Object.fromEntries(lines.flatMap((line) => (/^[A-Z_]+=/.test(line) ? [line.split(/=(.*)/s).slice(0, 2)] : [])));
    },
    reset: async () => {
      await edge.close();
      api.reset();
      rmSync(join(checkout, ".countersign"), { recursive: true, force: true });
      edge = new CloudflareEdge(api, mkdtempSync(join(folder, "edge-")));
      proxied = await edge.start();
    },
    close: async () => {
      for (const program of running) program.signal("SIGKILL");
      await edge.close();
      await api.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The names of the Workers that were uploaded, in their order. */
export const uploads = (api: CloudflareApi): string[] =>
  api.changes().flatMap((change) => {
    const [, name] = /^(?:PUT|POST) \/accounts\/[^/]+\/workers\/scripts\/([^/]+)(?:\/versions)?$/.exec(change) ?? [];
    return name === undefined ? [] : [name];
  });
