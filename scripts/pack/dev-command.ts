// The command `countersign-dev` of `@countersign/worker`: runs the gateway of the project in this
// folder on this machine, with the Workers beside it. It is built to JavaScript with the package,
// and uses the project's own wrangler.

import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { portError } from "../port-error.ts";
import { serveWorkers, type Wrangler, wranglerEnvironment } from "./wrangler-dev.ts";

const usage = `Usage: countersign-dev [--port <number>]

Runs the gateway of this folder's wrangler.toml, with each of workers/*/wrangler.toml beside it, at http://localhost:8787 or the given port.
Secrets are read from .dev.vars; the data is in .wrangler/state.
`;

class Refused extends Error {}

/** Null where help is asked for. */
function portOf(args: readonly string[]): number | null {
  const { port: given = "8787", help } = read(args);
  if (help === true) return null;
  const port = Number(given);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Refused("--port must be a whole number from 1 to 65535.");
  return port;
}

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: { port: { type: "string" }, help: { type: "boolean", short: "h" } } }).values;
  } catch (error) {
    throw error instanceof TypeError ? new Refused(error.message) : error;
  }
}

/** The gateway's is the first; its bindings find the others by name. */
function configsIn(folder: string): readonly string[] {
  const gateway = join(folder, "wrangler.toml");
  if (!existsSync(gateway)) throw new Refused(`there is no wrangler.toml in ${folder}.`);
  if (!existsSync(join(folder, ".dev.vars"))) throw new Refused("there is no .dev.vars: README.md has the command that makes it.");
  const beside = existsSync(join(folder, "workers")) ? readdirSync(join(folder, "workers")) : [];
  return [gateway, ...beside.map((name) => join(folder, "workers", name, "wrangler.toml")).filter((path) => existsSync(path))];
}

/** Prints what health says, as soon as the gateway answers. */
async function printHealth(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/healthz`).catch(() => null);
    const health: unknown = response === null ? null : await response.json().catch(() => null);
    if (typeof health === "object" && health !== null && "problems" in health && Array.isArray(health.problems)) {
      console.log(`The gateway runs at ${url}   (Ctrl-C stops it)`);
      for (const problem of health.problems) console.log(`FIX: ${String(problem)}.`);
      return;
    }
    // The process does not live for this alone.
    await pause(200, undefined, { ref: false });
  }
}

async function main(): Promise<number> {
  const port = portOf(process.argv.slice(2));
  if (port === null) {
    console.log(usage);
    return 0;
  }
  const folder = resolve(".");
  const configs = configsIn(folder);
  const busy = await portError(port);
  if (busy !== null)
    throw new Refused(`port ${port} is ${busy === "in use" ? "in use" : "not allowed for this user"}: choose another with --port.`);
  // What is stored has prompts, links and keys' digests: it is for this user alone.
  process.umask(0o077);
  Object.assign(process.env, wranglerEnvironment);
  const wrangler = createRequire(join(folder, "package.json"))("wrangler") as Wrangler; // its types are the module's own
  const url = `http://localhost:${port}`;
  console.log("Starting the gateway …");
  void printHealth(url);
  return serveWorkers(wrangler, { port, persistTo: join(folder, ".wrangler/state"), configs, variables: { PUBLIC_URL: url } });
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(`countersign-dev: ${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
