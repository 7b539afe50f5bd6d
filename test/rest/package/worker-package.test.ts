// `@countersign/worker` as npm packs it, in a project that `countersign init` wrote: it has its
// types, it is bundled for deployment, and it serves. The packages that it depends on are this
// repository's, so that nothing is downloaded.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../../scripts/local-gateway.ts";
import { buildWorkerPackage } from "../../../scripts/pack/build-worker.ts";
import { nodeOf } from "../../outside/package/nodes.ts";
import { debuggersAt, familyOf, listeningPorts } from "../../outside/support/processes.ts";
import { eventually, type Program, startProgram } from "../../outside/support/program.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "countersign-worker-"));
const project = join(folder, "acme-review");
const installed = join(project, "node_modules/@countersign/worker");
let program: Program | undefined;

beforeAll(async () => {
  const source = join(folder, "package");
  const packages = join(folder, "packages");
  mkdirSync(packages);
  await buildWorkerPackage(source);
  for (const file of ["package.json", "README.md"]) cpSync(join(root, "workers", file), join(source, file));
  execFileSync("npm", ["pack", source, "--ignore-scripts", "--pack-destination", packages], {
    stdio: "pipe",
    shell: process.platform === "win32",
  });
  execFileSync(process.execPath, [join(root, "client/cli/main.ts"), "init", "--packages", packages, project]);
  mkdirSync(installed, { recursive: true });
  const [tarball = ""] = readdirSync(join(project, "packages"));
  execFileSync("tar", ["-xzf", join(project, "packages", tarball), "-C", installed, "--strip-components=1"]);
  // Found by whatever looks for a package from the project upward.
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");
});
afterAll(async () => {
  program?.signal("SIGTERM");
  await program?.exited;
  rmSync(folder, { recursive: true, force: true });
});

const quiet = {
  ...process.env,
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_WRITE_LOGS: "false",
  CI: "true",
  // What npm thinks of a setting of this machine is no warning of the project.
  npm_config_loglevel: "error",
  NO_COLOR: "1",
};

const npm = (...args: readonly string[]) =>
  spawnSync("npm", args, { cwd: project, encoding: "utf8", shell: process.platform === "win32", env: quiet });

test("the package is JavaScript with types, a file for each Worker, and nothing that is only ours", () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true, encoding: "utf8" })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
  expect(files.toSorted()).toEqual(
    [
      "LICENSE",
      "README.md",
      "package.json",
      "dist/dev.mjs",
      ...["gateway", "images", "oauth", "pages", "tools"].flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]),
      ...["", "workers/images/", "workers/oauth/", "workers/tools/", "workers/ui/"].map((each) => `dist/project/${each}wrangler.toml`),
    ].toSorted(),
  );
});

test("npm run check in a new project checks the types and builds all five Workers, the codecs with the images Worker", () => {
  const { status, stdout, stderr } = npm("run", "check");
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout.match(/--dry-run: exiting now\./g)).toHaveLength(5);
  // Without the codecs' WebAssembly it is a tenth of that.
  const [, kib] = /Total Upload: ([\d.]+) KiB/.exec(stdout) ?? [];
  expect(Number(kib)).toBeGreaterThan(690);
  expect(stdout).not.toMatch(/warning/i);
});

/** Programs that npm and scripts start, with Node 20 as the only `node`. */
function pathWithNode20(): string {
  const bin = join(folder, "only-node-20");
  mkdirSync(bin);
  symlinkSync(nodeOf(20) ?? "", join(bin, "node"));
  for (const program of ["npm", "sh", "env"]) {
    const found = (process.env["PATH"] ?? "")
      .split(delimiter)
      .map((each) => join(each, program))
      .find(existsSync);
    symlinkSync(realpathSync(found ?? ""), join(bin, program));
  }
  return bin;
}

test.runIf(process.env["REQUIRE_NODE_20"] !== undefined)("a Node 20 is on this machine", () => expect(nodeOf(20)).toBeDefined());

test.skipIf(nodeOf(20) === undefined || process.platform === "win32")(
  "with nothing but Node 20, `countersign init` from its tarball writes a project whose four Workers pass wrangler deploy --dry-run",
  () => {
    const copy = join(folder, "checkout");
    for (const part of ["client", "shared", "scripts/pack", "package.json", "tsconfig.base.json", "LICENSE"])
      cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => !path.startsWith(join(root, "client/dist")) });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const env = { ...quiet, PATH: pathWithNode20(), HOME: folder };
    const on20 = (command: string, args: readonly string[], cwd: string) => spawnSync(command, args, { cwd, encoding: "utf8", env });
    expect(on20("node", ["--version"], folder).stdout).toMatch(/^v20\./);
    // It is the project's own Node that makes the difference.
    expect(on20("node", [join(root, "node_modules/wrangler/bin/wrangler.js"), "--version"], folder)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/requires at least Node\.js v22/),
    });

    const packed = on20("npm", ["pack", "./client", "--pack-destination", folder], copy);
    expect([packed.status, packed.stderr]).toEqual([0, expect.any(String)]);
    const command = join(folder, "command");
    mkdirSync(command);
    execFileSync("tar", ["-xzf", join(folder, packed.stdout.trim().split("\n").at(-1) ?? ""), "-C", command, "--strip-components=1"]);
    const other = join(folder, "of-node-20");
    const init = on20("node", [join(command, "dist/countersign.js"), "init", "--packages", join(folder, "packages"), other], folder);
    expect([init.status, init.stderr]).toEqual([0, ""]);
    mkdirSync(join(other, "node_modules/@countersign"), { recursive: true });
    cpSync(installed, join(other, "node_modules/@countersign/worker"), { recursive: true });

    const { status, stdout, stderr } = on20("npm", ["run", "check"], other);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout.match(/--dry-run: exiting now\./g)).toHaveLength(5);
    expect(stdout).toContain("(of-node-20-pages)");
  },
);

test("the types know a route of one's own before the gateway's, and refuse what the package does not have", () => {
  const tsc = () => spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], { cwd: project, encoding: "utf8" });
  const own = join(project, "src/own.ts");
  writeFileSync(
    own,
    `import gateway, { type Env } from "@countersign/worker";
export * from "@countersign/worker";
export default {
  fetch: (request, env, ctx) => (request.url.endsWith("/hello") ? new Response(env.PUBLIC_URL) : gateway.fetch(request, env, ctx)),
  scheduled: gateway.scheduled,
} satisfies ExportedHandler<Env>;
`,
  );
  expect(tsc()).toMatchObject({ status: 0, stdout: "" });
  writeFileSync(own, 'export { NoSuchObject } from "@countersign/worker";\nexport { default } from "@countersign/worker/nothing";\n');
  const { status, stdout } = tsc();
  rmSync(own);
  expect(status).not.toBe(0);
  expect(stdout).toContain("has no exported member 'NoSuchObject'");
  expect(stdout).toContain("Cannot find module '@countersign/worker/nothing'");
});

test("countersign-dev serves the project with the Workers beside it, and opens no debugger", async () => {
  const adminToken = "an-admin-token-of-this-test-0123456789";
  writeFileSync(join(project, ".dev.vars"), `ADMIN_TOKEN=${adminToken}\nLINK_KEY=a-link-key-of-this-test-0123456789\n`);
  const port = await freePort();
  program = startProgram(join(installed, "dist/dev.mjs"), ["--port", String(port)], {}, project);
  await program.prints(/^The gateway runs at /m);
  const url = `http://localhost:${port}`;
  const health = await fetch(`${url}/healthz`);
  expect([health.status, await health.json()]).toEqual([200, { status: "ok", problems: [] }]);
  const told = await fetch(`${url}/admin/doctor`, { method: "POST", headers: { Authorization: `Bearer ${adminToken}` } });
  const checks = JSON.stringify(await told.json());
  for (const name of ["images", "tools", "pages"])
    expect(checks).toMatch(new RegExp(`\\{[^{}]*"worker countersign-${name}"[^{}]*bound and answers`));
  if (process.platform === "linux") {
    const ports = listeningPorts(familyOf(program.pid));
    expect(ports).toContain(port);
    expect(await debuggersAt(ports)).toEqual([]);
  }
  program.signal("SIGINT");
  await program.exited;
  await eventually("the end of all that it started", () => program?.groupLives() === false);
});
