// npm run release, as the workflow runs it: what a release has, and that npm would take both
// packages.

import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "countersign-release-"));
const out = join(folder, "release");
const release = (...args: readonly string[]) =>
  spawnSync(process.execPath, ["scripts/release.ts", "--out", out, ...args], { cwd: root, encoding: "utf8" });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const version = (): string => (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version; // ours

test("a tag of another version makes nothing", () => {
  const { status, stderr } = release("--tag", "v99.0.0");
  expect([status, stderr]).toEqual([1, expect.stringContaining("The tag is v99.0.0")]);
  expect(readdirSync(folder)).toEqual([]);
});

test("a release has both packages, the four Workers, the bill of materials and the digests of all", () => {
  const { status, stdout } = release("--tag", "");
  expect([status, stdout]).toEqual([0, expect.stringContaining("Nothing was published.")]);
  const names = readdirSync(out).toSorted();
  expect(names).toEqual(
    [
      "SHA256SUMS",
      "notes.md",
      `countersign-${version()}.cdx.json`,
      `countersign-client-${version()}.tgz`,
      `countersign-worker-${version()}.tgz`,
      `countersign-workers-${version()}.tar.gz`,
    ].toSorted(),
  );
  const sums = readFileSync(join(out, "SHA256SUMS"), "utf8").trim().split("\n");
  const digest = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(out, name)))
      .digest("hex");
  expect(sums).toEqual(names.filter((name) => name !== "SHA256SUMS").map((name) => `${digest(name)}  ${name}`));
  const bill = JSON.parse(readFileSync(join(out, `countersign-${version()}.cdx.json`), "utf8")) as {
    bomFormat: string;
    components: unknown[];
  };
  expect(bill.bomFormat).toBe("CycloneDX");
  expect(bill.components.length).toBeGreaterThan(100);
  const bundles = execFileSync("tar", ["-tzf", join(out, `countersign-workers-${version()}.tar.gz`)], { encoding: "utf8" }).split("\n");
  for (const file of [
    "./countersign/index.js",
    "./countersign-images/worker.js",
    "./countersign-tools/worker.js",
    "./countersign-pages/worker.js",
  ])
    expect(bundles).toContain(file);
});

test.each(["client", "worker"])("npm would publish the package of the %s", (name) => {
  // As the workflow chooses its tag: npm publishes no version with a hyphen without one.
  const distTag = version().includes("-") ? "next" : "latest";
  const tarball = readdirSync(out).find((file) => file.startsWith(`countersign-${name}-`)) ?? "";
  const run = spawnSync("npm", ["publish", "--dry-run", "--json", "--access", "public", "--tag", distTag, join(out, tarball)], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
    env: { ...process.env, npm_config_loglevel: "error" },
  });
  expect([run.status, run.stderr]).toEqual([0, expect.any(String)]);
  expect(run.stdout).toContain(`@countersign/${name}`);
});

test("a folder with something in it is left as it is", () => {
  const before = readdirSync(out);
  const { status, stderr } = release();
  expect([status, stderr]).toEqual([1, expect.stringContaining("is not empty")]);
  expect(readdirSync(out)).toEqual(before);
});
