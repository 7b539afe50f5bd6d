// Runs the official conformance suites (0.1.16 for the revisions of 2025, and the newest one, which
// has those of 2026-07-28 too), and gives their findings.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

export type Check = {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly errorMessage?: string;
  readonly details?: Readonly<Record<string, unknown>>;
};

/** What one scenario found, in its order. */
export type Findings = ReadonlyMap<string, readonly Check[]>;

const suiteOf = (name: string): string => join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), "dist/index.js");

/**
 * In milliseconds, for one scenario: the suite's own half minute is too short for a machine that
 * does much else.
 */
const patience = "150000";

/** Every scenario of 0.1.16 for servers, those that the suite counts as pending included. */
export const conformanceOf = (url: string): Promise<Findings> =>
  findingsOf("@modelcontextprotocol/conformance", ["server", "--url", url, "--suite", "all"]);

/**
 * Every scenario of the newer suite for servers of a revision, those that it does not score
 * included.
 */
const newerOf = (url: string, revision: "2025-11-25" | "2026-07-28"): Promise<Findings> =>
  findingsOf("conformance-2026", ["server", "--url", url, "--requirements", revision, "--timeout", patience]);
export const conformance2025Of = (url: string): Promise<Findings> => newerOf(url, "2025-11-25");
export const conformance2026Of = (url: string): Promise<Findings> => newerOf(url, "2026-07-28");

/** One of these scenarios alone. */
export async function scenario2026Of(url: string, scenario: string): Promise<readonly Check[]> {
  const given = ["server", "--url", url, "--scenario", scenario, "--spec-version", "2026-07-28", "--timeout", patience];
  const [checks = []] = (await findingsOf("conformance-2026", given)).values();
  return checks;
}

/**
 * One scenario for clients of 2026-07-28.
 * @param command is called with the URL of the suite's server as its last argument, and the
 *   scenario in `MCP_CONFORMANCE_SCENARIO`.
 */
export async function clientConformance2026Of(
  command: string,
  scenario: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly Check[]> {
  const given = ["client", "--command", command, "--scenario", scenario, "--spec-version", "2026-07-28", "--timeout", patience];
  const [checks = []] = (await findingsOf("conformance-2026", given, env)).values();
  return checks;
}

/**
 * Every scenario for authorization servers.
 * @param client its id; its redirect URI is `http://127.0.0.1:<port>/callback`.
 * @param visit what the user does with the address that the suite asks them to open.
 */
export async function authorizationConformance2026Of(
  url: string,
  { client, resource, port }: { readonly client: string; readonly resource: string; readonly port: number },
  visit: (address: URL) => Promise<void>,
): Promise<Findings> {
  const given = ["authorization", "--url", url, "--client-id", client, "--resource", resource, "--port", String(port)];
  let visiting: Promise<void> | undefined;
  const findings = await findingsOf("conformance-2026", [...given, "--spec-version", "2026-07-28"], {}, (printed) => {
    const address = /^(http\S+\?response_type=code\S*)\n/m.exec(printed)?.[1];
    if (address !== undefined) visiting ??= visit(new URL(address));
  });
  await visiting;
  return findings;
}

/** The scenarios that the suite requires for a revision, by its own list. */
export async function requiredOf(side: "Server" | "Client", revision: "2025-11-25" | "2026-07-28" = "2026-07-28"): Promise<string[]> {
  const printed = await run("conformance-2026", ["list", "--requirements", revision], {});
  const part = printed.split("\n\n").find((each) => each.startsWith(`${side} scenarios`)) ?? "";
  return [...part.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = ""]) => name);
}

/** Gets all that was printed so far. */
type Heard = (printed: string) => void;

/**
 * Runs the suite to its end, and gives what it printed: it ends with an error where a scenario
 * does.
 */
async function run(
  name: string,
  given: readonly string[],
  env: Readonly<Record<string, string>>,
  heard: Heard = () => {},
): Promise<string> {
  let printed = "";
  const child = spawn(process.execPath, [suiteOf(name), ...given], { env: { ...process.env, ...env } });
  child.stdout.on("data", (chunk: Buffer) => heard((printed += chunk.toString())));
  child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  await new Promise((resolve) => child.once("close", resolve));
  return printed;
}

async function findingsOf(
  name: string,
  given: readonly string[],
  env: Readonly<Record<string, string>> = {},
  heard?: Heard,
): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-conformance-"));
  try {
    const printed = await run(name, [...given, "--output-dir", folder], env, heard);
    const findings = new Map<string, Check[]>();
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => basename(path) === "checks.json");
    for (const path of files.toSorted()) {
      // A folder is named after its scenario and the time.
      const scenario = /^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(dirname(path))?.[1] ?? dirname(path);
      findings.set(scenario, JSON.parse(readFileSync(join(folder, path), "utf8")) as Check[]);
    }
    if (findings.size === 0) throw new Error(`the suite found nothing:\n${printed.slice(-2_000)}`);
    return findings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
