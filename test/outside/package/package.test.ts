// The package @countersign/client, from `npm pack` to a review that a person decides: installed in
// empty projects, one for each SDK, and run on the oldest Node that it is for and on this one.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectV1 } from "../stdio/clients.ts";
import { direct, KEY } from "../stdio/wrapped.ts";
import { decideByLink, type Killable, killableGateway } from "../support/killable-gateway.ts";
import { eventually } from "../support/program.ts";
import { nodeOf } from "./nodes.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "countersign-package-"));
/** It is built in a copy: other tests copy the project meanwhile. */
const copy = join(folder, "checkout");
const server = [process.execPath, join(root, "test/outside/stdio/ask-server-v1.ts")];
const reply = "Hello from the scripted provider.";

const mostPackedBytes = 108 * 1024;

/**
 * The commands of docs/clients.md that make the package and run it. Not the first: it installs what
 * is missing, which would take the other tests' packages away, and `npm pack` builds, too.
 */
const commands =
  /^```sh\nnpm run build:client\n(npm pack [\s\S]*?)^```$/m.exec(readFileSync(join(root, "docs/clients.md"), "utf8"))?.[1] ?? "";
const { version, license } = manifestIn(root);
const tarball = join(folder, `countersign-client-${version}.tgz`);
/** What npm would fetch is here already. */
const npmEnv = { ...process.env, HOME: folder, npm_config_offline: "true", npm_config_update_notifier: "false" };

let printed: string;
let gateway: Killable;

/** One project for each SDK, which has this package and that SDK. */
const projects = [
  { sdk: "@modelcontextprotocol/sdk", host: "host-v1", at: join(folder, "with-sdk-1") },
  { sdk: "@modelcontextprotocol/client", host: "host-v2", at: join(folder, "with-sdk-2") },
] as const;

const command = join(projects[0].at, "node_modules/.bin/countersign");

beforeAll(async () => {
  const started = killableGateway().then(async (made) => {
    gateway = made;
    await made.start();
    await made.configure();
  });
  for (const part of ["client", "shared", "scripts/pack", "package.json", "tsconfig.base.json", "LICENSE"])
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => !path.startsWith(join(root, "client/dist")) });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  ({ stdout: printed } = await run("bash", ["-euc", commands], { cwd: copy, env: npmEnv }));
  await Promise.all([...projects.map(makeProject), started]);
});
afterAll(async () => {
  await gateway?.close();
  rmSync(folder, { recursive: true, force: true });
});

function manifestIn(at: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as Record<string, unknown>; // an object, by npm
}

async function makeProject({ sdk, host, at }: (typeof projects)[number]): Promise<void> {
  mkdirSync(at);
  writeFileSync(join(at, "package.json"), JSON.stringify({ name: "project", private: true, type: "module" }));
  await run("npm", ["install", "--no-audit", "--no-fund", tarball], { cwd: at, env: npmEnv });
  for (const name of [sdk, "@types/node"]) {
    mkdirSync(join(at, "node_modules", name, ".."), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(at, "node_modules", name));
  }
  cpSync(join(root, `test/outside/package/hosts/${host}.ts`), join(at, "host.ts"));
  writeFileSync(join(at, "types.ts"), 'export type * from "@countersign/client";\n');
}

/**
 * Types as strictly as a project can have them. `declarations`: those of the packages, too.
 * Resolves with what the compiler says.
 */
async function tsc(at: string, file: string, { declarations }: { readonly declarations: boolean }): Promise<string> {
  const options = ["--strict", "--exactOptionalPropertyTypes", "--target", "es2023", "--module", "nodenext"];
  const types = declarations ? ["--skipDefaultLibCheck", "--lib", "es2023,dom", "--types", ""] : ["--skipLibCheck", "--types", "node"];
  const args = [join(root, "node_modules/typescript/bin/tsc"), ...options, ...types, file];
  return run(process.execPath, args, { cwd: at }).then(
    ({ stdout }) => stdout,
    (error: unknown) => String(error instanceof Error && "stdout" in error ? error.stdout : error),
  );
}

/** The links of the reviews that are open, once there are as many. */
const openLinks = (count: number): Promise<readonly string[]> =>
  eventually(`${count} open reviews`, async () => {
    const links = (await gateway.notices()).flatMap(({ link }) => link ?? []);
    return links.length === count ? links : null;
  });

describe("what npm pack makes of client/", () => {
  test("runs with npx, as docs/clients.md says", () => {
    expect(printed).toMatch(new RegExp(`^${version}$`, "m"));
  });

  test("is the JavaScript, its types, the licences and the README, and nothing else", async () => {
    const ours =
      /^(package\.json|README\.md|LICENSE|dist\/[a-z0-9-]+\.js|dist\/third-party-licenses\.txt|dist\/types\/(client|shared)\/[a-z0-9/-]+\.d\.ts)$/;
    const { stdout } = await run("tar", ["-tzf", tarball]);
    const paths = stdout
      .trim()
      .split("\n")
      .map((path) => path.replace(/^package\//, ""));
    expect(paths.filter((path) => !ours.test(path) || path.includes("test"))).toEqual([]);
    for (const path of ["README.md", "LICENSE", "dist/third-party-licenses.txt", "dist/sampling-handler.js", "dist/countersign.js"])
      expect(paths).toContain(path);
  });

  test(`is at most ${mostPackedBytes / 1024} KiB packed`, () => {
    expect(statSync(tarball).size).toBeLessThanOrEqual(mostPackedBytes);
  });

  test("has this project's version and licence, needs no other package, and no SDK but the host's", () => {
    const own = manifestIn(join(projects[0].at, "node_modules/@countersign/client"));
    expect(own).toMatchObject({ name: "@countersign/client", version, license, bin: { countersign: "dist/countersign.js" } });
    expect(own["dependencies"]).toBeUndefined();
    const optional = Object.fromEntries(projects.map(({ sdk }) => [sdk, { optional: true }]));
    expect(own["peerDependenciesMeta"]).toEqual(optional);
    for (const { at, sdk } of projects) {
      const installed = readdirSync(join(at, "node_modules/@modelcontextprotocol"));
      expect(installed).toEqual([sdk.split("/")[1]]);
    }
  });

  test("names nothing that Node 20 lacks", () => {
    const dist = join(projects[0].at, "node_modules/@countersign/client/dist");
    const newer = /URL\.parse\(|withResolvers|\b(?:Map|Object)\.groupBy|Promise\.try|Array\.fromAsync|RegExp\.escape|\bIterator\.from/;
    for (const file of readdirSync(dist).filter((name) => name.endsWith(".js")))
      expect(newer.exec(readFileSync(join(dist, file), "utf8"))?.[0], file).toBeUndefined();
  });

  test("type-checks in a project with each SDK, and has declarations that need nothing else", async () => {
    const said = await Promise.all([
      ...projects.map(({ at }) => tsc(at, "host.ts", { declarations: false })),
      tsc(projects[0].at, "types.ts", { declarations: true }),
    ]);
    expect(said).toEqual(["", "", ""]);
  });

  test("tells a host without a key in one sentence, and quotes no more than the line that threw", async () => {
    const host = direct([process.execPath, join(projects[0].at, "host.js")], {
      env: { COUNTERSIGN_URL: gateway.url, COUNTERSIGN_API_KEY: "" },
    });
    expect(await host.ended).toEqual({ code: 1, signal: null });
    expect(host.stderr()).toContain("TypeError: apiKey must be an API key of the gateway");
    expect(host.stderr().length).toBeLessThan(2_500);
  });
});

const node20 = nodeOf(20);
// CI has one: there the package is started on the oldest Node that it is for, or the run fails.
test.runIf(process.env["REQUIRE_NODE_20"] !== undefined)("a Node 20 is on this machine", () => expect(node20).toBeDefined());
const nodes = [
  ...(node20 === undefined ? [] : [["Node 20", node20] as const]),
  [`Node ${process.versions.node}`, process.execPath] as const,
];

describe.each(nodes)("on %s", (_name, node) => {
  const countersign = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    direct([node, command, ...args], { env: { COUNTERSIGN_URL: gateway.url, ...env } });

  test("hosts with each SDK get the replies that a person approved", async () => {
    const hosts = projects.map(({ at }) => direct([node, join(at, "host.js"), ...server], { env: { COUNTERSIGN_URL: gateway.url } }));
    const links = await openLinks(hosts.length);
    const decided = await Promise.all(links.map((link) => decideByLink(link, "approve")));
    expect(decided.map(({ status }) => status)).toEqual([303, 303]);
    for (const host of hosts) {
      expect(await host.ended).toEqual({ code: 0, signal: null });
      expect(host.stdout().toString()).toContain(reply);
      expect(host.stderr()).toContain("request-gate: ");
    }
  });

  test("countersign stdio gives a server sampling, and countersign review decides it", async () => {
    const settings = ["env", `COUNTERSIGN_API_KEY=${KEY}`, `COUNTERSIGN_URL=${gateway.url}`];
    const client = await connectV1([...settings, node, command, "stdio", "--server", "request-gate", "--", ...server], "direct");
    const result = client.callTool({ name: "ask", arguments: { text: "Name the capital of France." } });
    const [link = ""] = await openLinks(1);
    const review = countersign(["review", link]);
    await review.prints(/Name the capital of France\.[^]*a approve · e edit.*> $/);
    review.write("a\n");
    await review.prints(/Approve.*\? \[y\/N\] $/);
    review.write("y\n");
    expect(await review.ended).toEqual({ code: 0, signal: null });
    expect(review.stdout().toString()).toContain("Approved.");
    expect(JSON.stringify(await result)).toContain(reply);
    expect(client.stderr()).not.toMatch(/countersign:|Warning/);
    await client.close();
  });

  test("countersign doctor finds nothing to fix, and says it of a wrong key", async () => {
    const good = countersign(["doctor"]);
    expect(await good.ended).toEqual({ code: 0, signal: null });
    const printed = good.stdout().toString();
    expect(printed).toMatch(/^good {2}gateway +Countersign \d\S+ is running\.$/m);
    expect(printed).toMatch(/^good {2}key +The gateway accepts the key/m);
    expect(printed).toMatch(/^good {2}protocol +.* 2026-07-28\.$/m);
    const wrong = countersign(["doctor"], { COUNTERSIGN_API_KEY: "not-a-key-of-the-gateway" });
    expect(await wrong.ended).toEqual({ code: 1, signal: null });
    expect(wrong.stdout().toString()).toMatch(
      /^FIX {3}key +The gateway does not accept the key in COUNTERSIGN_API_KEY \(401\)\. It says: .+\.$/m,
    );
    const nobody = countersign(["doctor", "--url", "http://127.0.0.1:9"]);
    expect(await nobody.ended).toEqual({ code: 2, signal: null });
    expect(nobody.stderr()).toMatch(/^countersign: nothing answers at http:\/\/127\.0\.0\.1:9: .+\.\n$/);
  });

  test("countersign says its version and its subcommands, and refuses another", async () => {
    const [version, help, wrong] = [countersign(["--version"]), countersign(["--help"]), countersign(["studio"])];
    expect(await version.ended).toEqual({ code: 0, signal: null });
    expect(version.stdout().toString()).toMatch(/^\d+\.\d+\.\d+(-rc\.\d+)?\n$/);
    expect(await help.ended).toEqual({ code: 0, signal: null });
    expect(help.stdout().toString()).toMatch(/^Usage: countersign <subcommand>[^]*^ {2}stdio [^]*^ {2}review [^]*^ {2}doctor /m);
    expect(await wrong.ended).toEqual({ code: 2, signal: null });
    expect(wrong.stderr()).toMatch(/^countersign: unknown subcommand; .+\n\nUsage: countersign <subcommand>/);
  });
});
