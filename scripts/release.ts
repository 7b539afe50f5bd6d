// npm run release: makes everything that a release has, in one folder, and publishes nothing.
// `.github/workflows/release.yml` publishes it.
//
// It refuses where the versions, the tag and the changelog do not agree, before it makes anything.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { builtWorkers } from "./built-workers.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const manifests = ["package.json", "client/package.json", "workers/package.json"] as const;

export type Release = { readonly version: string; readonly notes: string };

/**
 * Checks that a release is one thing.
 *
 * @param versions the version in each package.json, by its path
 * @param changelog the text of CHANGELOG.md: a section for each version, `## 0.2.0` or
 *   `## 0.2.0 (2026-12-01)`, the newest first
 * @param tag the tag that is released, such as `v0.2.0`; undefined for a trial, whose notes are
 *   those of the section "Unreleased"
 * @returns the version with the text of its section, or a sentence that says what does not agree
 */
export function releaseOf(versions: Readonly<Record<string, string>>, changelog: string, tag: string | undefined): Release | string {
  const [version = "", ...others] = new Set(Object.values(versions));
  if (others.length > 0)
    return `The versions differ: ${Object.entries(versions)
      .map(([path, each]) => `${path} has ${each}`)
      .join(", ")}.`;
  if (tag !== undefined && tag !== `v${version}`) return `The tag is ${tag}, and package.json has ${version}: the tag must be v${version}.`;
  const title = tag === undefined ? "Unreleased" : version;
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((each) => each.split(/[ \n]/, 1)[0] === title);
  const notes = section?.slice(section.indexOf("\n")).trim() ?? "";
  if (notes === "") return `CHANGELOG.md has no section "## ${title}" with text: it says what changes for whoever updates.`;
  return { version, notes };
}

const versionOf = (path: string): string => (JSON.parse(readFileSync(join(root, path), "utf8")) as { version: string }).version; // written here

const npm = (...args: readonly string[]): string =>
  execFileSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26, shell: process.platform === "win32" });

async function make({ version, notes }: Release, out: string): Promise<void> {
  mkdirSync(out, { recursive: true });
  npm("pack", "./client", "./workers", "--silent", "--pack-destination", out);
  writeFileSync(join(out, `countersign-${version}.cdx.json`), npm("run", "--silent", "sbom"));
  const bundles = join(out, `countersign-workers-${version}.tar.gz`);
  const folder = mkdtempSync(join(out, "workers-"));
  for (const { name = "", modulesRoot = "" } of await builtWorkers()) cpSync(modulesRoot, join(folder, name), { recursive: true });
  execFileSync("tar", ["-czf", bundles, "-C", folder, "."]);
  rmSync(folder, { recursive: true });
  writeFileSync(join(out, "notes.md"), `${notes}\n`);
  const sums = readdirSync(out)
    .toSorted()
    .filter((name) => name !== "SHA256SUMS");
  const digest = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(out, name)))
      .digest("hex");
  writeFileSync(join(out, "SHA256SUMS"), sums.map((name) => `${digest(name)}  ${name}\n`).join(""));
}

async function main(): Promise<void> {
  const { tag, out } = parseArgs({ options: { tag: { type: "string", default: "" }, out: { type: "string", default: "release" } } }).values;
  const folder = resolve(out);
  const stop = (reason: string): never => {
    console.error(reason);
    process.exit(1);
  };
  if (existsSync(folder) && readdirSync(folder).length > 0) stop(`${folder} is not empty: name an empty folder with --out.`);
  const versions = Object.fromEntries(manifests.map((path) => [path, versionOf(path)]));
  const release = releaseOf(versions, readFileSync(join(root, "CHANGELOG.md"), "utf8"), tag === "" ? undefined : tag);
  if (typeof release === "string") return stop(release);
  await make(release, folder);
  console.log(`Version ${release.version} is in ${folder}. Nothing was published.`);
  for (const name of readdirSync(folder).toSorted()) console.log(`  ${name}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
