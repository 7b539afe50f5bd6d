// Runs the official conformance suite against a server, and gives its findings.

import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

type Check = {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly errorMessage?: string;
  readonly details?: Readonly<Record<string, unknown>>;
};

/** What one scenario found, in its order. */
export type Findings = ReadonlyMap<string, readonly Check[]>;

const suite = join(dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js");

/** Every scenario for servers, those that the suite counts as pending included. */
export async function conformanceOf(url: string): Promise<Findings> {
  const folder = mkdtempSync(join(tmpdir(), "countersign-conformance-"));
  try {
    let printed = "";
    const child = spawn(process.execPath, [suite, "server", "--url", url, "--suite", "all", "--output-dir", folder]);
    child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (printed += chunk.toString()));
    await new Promise((resolve) => child.once("close", resolve));
    const findings = new Map<string, Check[]>();
    // A folder is named after its scenario and the time.
    for (const name of readdirSync(folder).toSorted()) {
      const scenario = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name)?.[1] ?? name;
      findings.set(scenario, JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Check[]);
    }
    if (findings.size === 0) throw new Error(`the suite found nothing:\n${printed.slice(-2_000)}`);
    return findings;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
