// What npm start does before anything else, in a folder of its own and with an npm that would leave
// a trace.

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "countersign-install-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(process.platform === "win32")("dependencies that are another folder's are never installed over", () => {
  const [project, others, bin] = ["project", "others", "bin"].map((name) => join(folder, name));
  if (project === undefined || others === undefined || bin === undefined) throw new Error("three folders");
  for (const each of [join(project, "scripts"), others, bin]) mkdirSync(each, { recursive: true });
  cpSync(fileURLToPath(new URL("../../../scripts/install.mjs", import.meta.url)), join(project, "scripts/install.mjs"));
  writeFileSync(join(project, "package-lock.json"), "{}");
  writeFileSync(join(others, ".countersign-lock"), "of another lockfile");
  symlinkSync(others, join(project, "node_modules"));
  // npm ci empties what node_modules leads to.
  writeFileSync(join(bin, "npm"), `#!/bin/sh\ntouch '${join(folder, "npm-ran")}'\n`);
  chmodSync(join(bin, "npm"), 0o755);

  const { status, stderr } = spawnSync(process.execPath, [join(project, "scripts/install.mjs")], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` },
  });
  expect(existsSync(join(folder, "npm-ran"))).toBe(false);
  expect(stderr).toContain("node_modules is a link");
  expect(status).toBe(1);
});
