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

function copyScripts(project: string): void {
  for (const name of ["install.mjs", "installed.mjs"])
    cpSync(fileURLToPath(new URL(`../../../scripts/${name}`, import.meta.url)), join(project, "scripts", name));
}

const install = (project: string, bin: string) =>
  spawnSync(process.execPath, [join(project, "scripts/install.mjs")], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${bin}:${process.env["PATH"] ?? ""}` },
  });

test.skipIf(process.platform === "win32")("dependencies that are another folder's are never installed over", () => {
  const [project, others, bin] = ["project", "others", "bin"].map((name) => join(folder, name));
  if (project === undefined || others === undefined || bin === undefined) throw new Error("three folders");
  for (const each of [join(project, "scripts"), others, bin]) mkdirSync(each, { recursive: true });
  copyScripts(project);
  writeFileSync(join(project, "package-lock.json"), "{}");
  writeFileSync(join(others, ".countersign-lock"), "of another lockfile");
  symlinkSync(others, join(project, "node_modules"));
  // npm ci empties what node_modules leads to.
  writeFileSync(join(bin, "npm"), `#!/bin/sh\ntouch '${join(folder, "npm-ran")}'\n`);
  chmodSync(join(bin, "npm"), 0o755);
  const { status, stderr } = install(project, bin);
  expect(existsSync(join(folder, "npm-ran"))).toBe(false);
  expect(stderr).toContain("node_modules is a link");
  expect(status).toBe(1);
});

test.skipIf(process.platform === "win32")(
  "what `npm ci` of the user's own installed is not installed again, and another version is",
  () => {
    const project = join(folder, "installed");
    const bin = join(folder, "installed-bin");
    for (const each of [join(project, "scripts"), join(project, "node_modules"), bin]) mkdirSync(each, { recursive: true });
    copyScripts(project);
    writeFileSync(join(bin, "npm"), "#!/bin/sh\n");
    chmodSync(join(bin, "npm"), 0o755);
    const elsewhere = process.platform === "linux" ? "darwin" : "linux";
    const lock = (path: string, version: string, more: object): void =>
      writeFileSync(
        join(project, path),
        JSON.stringify({ packages: { "node_modules/a": { version, integrity: `sha512-${version}` }, ...more } }),
      );
    lock("package-lock.json", "1.0.0", {
      "": { name: "project" },
      "node_modules/elsewhere": { version: "1.0.0", optional: true, os: [elsewhere] },
    });
    lock("node_modules/.package-lock.json", "1.0.0", { "node_modules/b": { version: "1.0.0" } });
    expect(install(project, bin)).toMatchObject({ status: 0, stdout: "" });
    lock("node_modules/.package-lock.json", "1.0.1", {});
    expect(install(project, bin)).toMatchObject({ status: 0, stdout: expect.stringContaining("Installing dependencies") });
  },
);
