// `countersign init` on a real file system: what it writes, what it refuses, what it prints.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { readCommandLine } from "../../../client/cli/command-line.ts";
import { readInit, runInit } from "../../../client/init/command.ts";

const all = mkdtempSync(join(tmpdir(), "countersign-init-"));
afterAll(() => rmSync(all, { recursive: true, force: true }));

let folder = "";
beforeEach(() => {
  folder = join(mkdtempSync(join(all, "test-")), "acme-review");
});

function init(...args: readonly string[]): { readonly status: number; readonly out: string; readonly error: string } {
  let [out, error] = ["", ""];
  const read = readInit(args);
  if (!read.ok) return { status: 2, out, error: `countersign init: ${read.error}` };
  const status = runInit(read.value, { out: (text) => (out += text), error: (text) => (error += text) });
  return { status, out, error };
}

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true, encoding: "utf8" })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(path.length + 1)
        .replaceAll("\\", "/"),
    )
    .toSorted();

const written = [
  ".dev.vars.example",
  ".gitignore",
  "README.md",
  "package.json",
  "src/index.ts",
  "tsconfig.json",
  "workers/images/worker.ts",
  "workers/images/wrangler.toml",
  "workers/oauth/worker.ts",
  "workers/oauth/wrangler.toml",
  "workers/tools/worker.ts",
  "workers/tools/wrangler.toml",
  "workers/ui/worker.ts",
  "workers/ui/wrangler.toml",
  "wrangler.toml",
];

describe("a new project", () => {
  test("is written into a folder that is not there yet, and every file is listed, with what to do next", () => {
    const { status, out, error } = init(folder);
    expect({ status, error }).toEqual({ status: 0, error: "" });
    expect(filesIn(folder)).toEqual(written);
    for (const path of written) expect(out).toContain(`\n  ${path}\n`);
    expect(out).toContain(`\nNext:\n  cd ${folder} && npm install\n  npm run check\n  npm run deploy\n`);
    expect(readFileSync(join(folder, "wrangler.toml"), "utf8")).toMatch(/^name = "acme-review"\n/);
  });

  test("is written into a folder that is empty but for git's", () => {
    mkdirSync(join(folder, ".git"), { recursive: true });
    expect(init(folder, "--name", "gateway", "--url", "https://gateway.example.com").status).toBe(0);
    const toml = readFileSync(join(folder, "wrangler.toml"), "utf8");
    expect(toml).toMatch(/^name = "gateway"\n/);
    expect(toml).toContain('PUBLIC_URL = "https://gateway.example.com"');
  });

  test("has the tarball that --packages leads to, and takes the package from it", () => {
    const packages = join(folder, "../packages");
    mkdirSync(packages);
    writeFileSync(join(packages, "countersign-worker-0.1.0.tgz"), "the tarball");
    writeFileSync(join(packages, "countersign-client-0.1.0.tgz"), "another");
    const { status, out } = init("--packages", packages, folder);
    expect(status).toBe(0);
    expect(out).toContain("\n  packages/countersign-worker-0.1.0.tgz\n");
    expect(filesIn(folder)).toEqual([...written, "packages/countersign-worker-0.1.0.tgz"].toSorted());
    expect(readFileSync(join(folder, "packages/countersign-worker-0.1.0.tgz"), "utf8")).toBe("the tarball");
    expect(readFileSync(join(folder, "package.json"), "utf8")).toContain('"file:packages/countersign-worker-0.1.0.tgz"');
  });

  test("in a folder whose name a shell would take apart is entered by a quoted name", () => {
    const odd = `${folder} of Ann's`;
    expect(init(odd, "--name", "acme").out).toContain(String.raw`  cd '${odd.replace("'", String.raw`'\''`)}' && npm install`);
  });
});

describe("refused, with nothing written", () => {
  test("a folder that is not empty, whose first file is named", () => {
    mkdirSync(folder);
    writeFileSync(join(folder, "notes.md"), "mine");
    const { status, out, error } = init(folder);
    expect({ status, out }).toEqual({ status: 1, out: "" });
    expect(error).toBe(
      `countersign init: ${folder} is not empty: it has notes.md. Choose another folder, or empty this one; init writes over nothing.\n`,
    );
    expect(filesIn(folder)).toEqual(["notes.md"]);
    // A second time in the same folder, too.
    rmSync(folder, { recursive: true });
    expect([init(folder).status, init(folder).status]).toEqual([0, 1]);
  });

  test("a file in the folder's place", () => {
    writeFileSync(folder, "mine");
    expect(init(folder)).toMatchObject({ status: 1, error: `countersign init: ${folder} is not a folder. Choose another name.\n` });
    expect(readFileSync(folder, "utf8")).toBe("mine");
  });

  test.skipIf(process.getuid?.() === 0)("a folder that cannot be read", () => {
    mkdirSync(folder);
    chmodSync(folder, 0o300);
    expect(init(folder)).toMatchObject({ status: 1, error: expect.stringContaining("cannot be read (EACCES)") });
    chmodSync(folder, 0o700);
  });

  test.each([
    ["no tarball", [], "has no countersign-worker-<version>.tgz"],
    ["several tarballs", ["countersign-worker-0.1.0.tgz", "countersign-worker-0.2.0.tgz"], "has several"],
  ])("packages with %s", (_, names, why) => {
    const packages = join(folder, "../packages");
    mkdirSync(packages);
    for (const name of names) writeFileSync(join(packages, name), "");
    const { status, error } = init(folder, "--packages", packages);
    expect(status).toBe(1);
    expect(error).toContain(why);
    expect(readdirSync(join(folder, ".."))).toEqual(["packages"]);
  });

  test("packages that are not there", () => {
    expect(init(folder, "--packages", join(folder, "../none"))).toMatchObject({ status: 1, error: expect.stringContaining("ENOENT") });
  });

  test.each([
    ["an unknown option", ["--force"]],
    ["an option without its value", ["--name"]],
    ["two folders", ["another"]],
    ["a name that no Worker can have", ["--name", "Acme Review"]],
    ["an address that is not https", ["--url", "http://gateway.example.com"]],
  ])("%s", (_, args) => {
    const { status, out, error } = init(folder, ...args);
    expect({ status, out }).toEqual({ status: 2, out: "" });
    expect(error).toMatch(/^countersign init: \S.+\.$/);
    expect(readdirSync(join(folder, ".."))).toEqual([]);
  });
});

test("--help prints the usage, with every option", async () => {
  const line = await readCommandLine(["init", "--help"], {});
  expect(line).toMatchObject({ kind: "help" });
  for (const option of ["--name", "--url", "--packages", "--help"])
    expect(line.kind === "help" ? line.usage : "").toContain(`\n  ${option}`);
});
