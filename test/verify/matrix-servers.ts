// The servers of the matrix, by default settings: the SDKs' own, and frameworks that nobody here
// wrote. Each has the same tools, as far as it can.

import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../scripts/local-gateway.ts";
import { serveBoth } from "../outside/support/both-families.ts";
import { serveModern } from "../outside/support/modern-server.ts";
import { serveOld } from "../outside/support/old-server.ts";
import { eventually } from "../outside/support/program.ts";

export const cases = [
  "text",
  "tools",
  "image",
  "two requests in one round",
  "five rounds",
  "elicitation beside sampling",
  "denied",
  "expired",
  "edited",
] as const;
export type Case = (typeof cases)[number];

export type MatrixServer = {
  readonly name: string;
  /** Over HTTP: its address, and how it is ended. */
  readonly http: (() => Promise<{ readonly url: string; readonly end: () => void }>) | null;
  /** Over stdio: the command, and where it runs. */
  readonly stdio: { readonly command: readonly string[]; readonly cwd: string } | null;
  /** The tool that samples once, where it has another name. */
  readonly text?: { readonly tool: string; readonly given: Record<string, unknown> };
  /** What it cannot do, and why. */
  readonly cannot?: Partial<Record<Case, string>>;
};

const folder = fileURLToPath(new URL("servers/", import.meta.url));
const outside = fileURLToPath(new URL("../outside/", import.meta.url));
const node = process.execPath;
/** mcp-use reports that it is used unless it is told not to. */
const quiet = { PATH: process.env["PATH"], MCP_USE_ANONYMIZED_TELEMETRY: "false" };

function run(program: string, given: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): void {
  const done = spawnSync(program, given, { cwd, encoding: "utf8", env: { ...process.env, ...env } });
  if (done.status !== 0) throw new Error(`${program} ${given.join(" ")} ended with ${done.status}: ${done.stderr}`);
}

const python = join(folder, "both/node_modules/.python/bin/python");

/** Installs every package of the frameworks, by their lockfiles. */
export function installServers(): void {
  for (const each of [folder, join(folder, "2026"), join(folder, "both")])
    run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], each);
  run("python3", ["-m", "venv", join(folder, "both/node_modules/.python")], folder);
  run(python, ["-m", "pip", "install", "-q", "--retries", "1", "-r", "requirements.txt"], join(folder, "both"));
}

/** Starts a program that listens at PORT, and waits until it answers. */
const listening =
  (program: readonly string[], cwd: string, prepare: (port: string) => void = () => {}): NonNullable<MatrixServer["http"]> =>
  async () => {
    const port = String(await freePort());
    prepare(port);
    const [command = "", ...args] = program;
    const child = spawn(command, args, { cwd, env: { ...quiet, PORT: port }, stdio: "ignore" });
    const url = `http://127.0.0.1:${port}/mcp`;
    await eventually("an answer of the server", () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
    return { url, end: () => void child.kill() };
  };

const in2026 = join(folder, "2026");
const inBoth = join(folder, "both");
const xmcp = (port: string): void => run(node, ["../node_modules/xmcp/dist/cli.js", "build"], join(in2026, "xmcp"), { PORT: port });

const everything = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const everythingHas = "the server has one tool that samples, with a text";
const onlyText = Object.fromEntries(
  (["tools", "image", "two requests in one round", "five rounds", "elicitation beside sampling"] as const).map((each) => [
    each,
    everythingHas,
  ]),
);
const noElicitation = { "elicitation beside sampling": "the framework has no elicitation" };
const noLoop = { tools: "a parameter is resolved by one sampling request, whose messages are fixed" };

const ofBoth: readonly MatrixServer[] = [
  {
    name: "SDK 2.x (2.4.0), with sessions",
    http: async () => {
      const { url, close } = await serveBoth();
      return { url, end: () => void close() };
    },
    stdio: null,
  },
  {
    name: "tmcp 1.20.0",
    http: listening([node, "tmcp.mjs", "http"], inBoth),
    stdio: { command: [node, "tmcp.mjs", "stdio"], cwd: inBoth },
    cannot: { tools: "the framework leaves tools out of a sampling request" },
  },
  {
    name: "SDK for Python 2.3.0",
    http: listening([python, "sdk.py", "http"], inBoth),
    stdio: { command: [python, "sdk.py", "stdio"], cwd: inBoth },
    cannot: noLoop,
  },
  {
    name: "fastmcp for Python 4.0.10 (SDK for Python 2.3.0)",
    http: listening([python, "fastmcp_server.py", "http"], inBoth),
    stdio: { command: [python, "fastmcp_server.py", "stdio"], cwd: inBoth },
  },
];

export const matrixServers: readonly MatrixServer[] = [
  {
    name: "SDK 1.x (1.32.2)",
    http: async () => {
      const { url, close } = await serveOld();
      return { url, end: () => void close() };
    },
    stdio: { command: [node, join(outside, "stdio/rounds-server-v1.ts")], cwd: folder },
  },
  {
    name: "SDK 2.x (2.4.0)",
    http: async () => {
      const { url, close } = await serveModern({ legacy: "reject" });
      return { url, end: () => void close() };
    },
    stdio: { command: [node, join(outside, "support/modern-stdio.ts")], cwd: folder },
  },
  {
    name: "server-everything 2026.8.31 (SDK 1.32.2)",
    http: listening([node, everything, "streamableHttp"], folder),
    stdio: { command: [node, everything, "stdio"], cwd: folder },
    text: { tool: "trigger-sampling-request", given: { maxTokens: 50 } },
    cannot: onlyText,
  },
  {
    name: "fastmcp 4.20.16 (SDK 1.32.2)",
    http: listening([node, "fastmcp.mjs", "http"], folder),
    stdio: { command: [node, "fastmcp.mjs", "stdio"], cwd: folder },
  },
  {
    name: "mcp-framework 0.2.22 (SDK 1.32.2)",
    http: listening([node, "mcp-framework.mjs", "http"], folder),
    stdio: { command: [node, "mcp-framework.mjs", "stdio"], cwd: folder },
    cannot: noElicitation,
  },
  { name: "mcp-handler 2.4.0 (SDK 2.4.0)", http: listening([node, "mcp-handler.mjs"], in2026), stdio: null },
  { name: "mcp-use 2.5.2 (SDK 2.4.0)", http: listening([node, "mcp-use.mjs"], in2026), stdio: null },
  {
    name: "xmcp 1.1.3 (SDK 2.4.0)",
    http: listening([node, "xmcp/dist/http.js"], in2026, xmcp),
    stdio: { command: [node, "xmcp/dist/stdio.js"], cwd: in2026 },
  },
  ...ofBoth,
];
