// What the local server itself serves and keeps: a review link's address holds its token, and must
// be in none of its files; what it keeps and how it is started is for its user alone; and it has no
// pages of its own that show or change what is stored.

import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../outside/support/program.ts";
import { debuggersAt, familyOf, listeningPorts } from "../outside/support/processes.ts";
import { type Gateway, freePort, mailFolder, startGateway } from "../../scripts/local-gateway.ts";
import { operatorOf } from "../../scripts/operator.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/**
 * Where others may look: the folder for temporary files as every user has it, in which only what is
 * made is private.
 */
let shared = "";
let folder = "";
let gateway: Gateway;
const variables = {
  LINK_KEY: "link-key-of-this-test-0123456789abcdef",
  ADMIN_TOKEN: "admin-token-of-this-test-0123456789ab",
  DEV_API_KEY: "api-key-of-this-test-0123456789abcdef",
  ANTHROPIC_API_KEY: "provider-key-of-this-test-0123456789",
  EMAIL_FROM: "Countersign <reviews@example.com>",
};

beforeAll(async () => {
  shared = await mkdtemp("/tmp/countersign-traces-").catch(() => mkdtemp(join(tmpdir(), "countersign-traces-")));
  await chmod(shared, 0o755);
  folder = join(shared, "state");
  // As an older start left it.
  await mkdir(join(folder, "v3"), { recursive: true });
  await chmod(join(folder, "v3"), 0o755);
  await chmod(folder, 0o755);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = shared;
  try {
    gateway = await startGateway({ port: await freePort(), persistTo: folder, mailToDisk: true, variables });
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
});
afterAll(async () => {
  await gateway?.stop();
  await rm(shared, { recursive: true, force: true });
});

test("the development server's own pages, which read and write everything that is stored, are not served", async () => {
  for (const prefix of ["/cdn-cgi/explorer", "/cdn-cgi/local/explorer"])
    for (const path of ["", "/", "/api", "/api/local/workers", "/api/storage/kv/namespaces", "/api/storage/kv/namespaces/CONFIG/keys"]) {
      const response = await fetch(gateway.url + prefix + path, { headers: { Origin: "http://localhost:1" } });
      expect([prefix + path, response.status, await response.json()]).toEqual([
        prefix + path,
        404,
        { error: expect.stringContaining("nothing at this path") },
      ]);
    }
  const put = await fetch(`${gateway.url}/cdn-cgi/local/explorer/api/storage/kv/namespaces/CONFIG/values/policy`, {
    method: "PUT",
    body: "{}",
  });
  expect(put.status).toBe(404);
});

test.runIf(process.platform === "linux")(
  "no port of the gateway's processes is a debugger's, to which every web page could attach",
  async () => {
    const ports = listeningPorts(familyOf(gateway.pid));
    expect(ports).toContain(Number(new URL(gateway.url).port));
    expect(await debuggersAt(ports)).toEqual([]);
  },
);

test.skipIf(process.platform === "win32")("the folders that hold data and emails are for their user alone", async () => {
  for (const path of [folder, join(folder, "v3"), join(root, ".wrangler"), join(root, mailFolder)])
    expect([path, ((await stat(path)).mode & 0o777).toString(8)]).toEqual([path, "700"]);
});

/** What lies in a folder, with its mode; a file that goes meanwhile is left out. */
async function entriesOf(parent: string): Promise<{ path: string; mode: number; isFile: boolean }[]> {
  const entries = await readdir(parent, { recursive: true, withFileTypes: true });
  const found = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    const mode = (await stat(path).catch(() => null))?.mode;
    return mode === undefined ? [] : [{ path, mode: mode & 0o777, isFile: entry.isFile() }];
  });
  return (await Promise.all(found)).flat();
}

test.skipIf(process.platform === "win32")("what the gateway writes beside its data is for its user alone", async () => {
  const beside = (await entriesOf(shared)).filter(({ path }) => !path.startsWith(folder));
  expect(beside.length).toBeGreaterThan(0);
  expect(beside.filter(({ mode }) => (mode & 0o077) !== 0)).toEqual([]);
});

/** A request that waits for Ada, to whom an email goes. */
async function askAda(): Promise<void> {
  const json = { "Content-Type": "application/json" };
  const operator = { ...json, Authorization: `Bearer ${variables.ADMIN_TOKEN}` };
  const policy = {
    rules: [],
    default: { request: "review", response: "allow", reviewers: ["all"], deadlineSeconds: 3_600 },
    reviewers: { all: [{ name: "Ada", email: "ada@example.org" }] },
  };
  await operatorOf(gateway.url, variables.ADMIN_TOKEN).seed();
  const body = JSON.stringify(policy);
  const put = await fetch(`${gateway.url}/admin/policy`, { method: "PUT", headers: { ...operator, "If-Match": "1" }, body });
  expect([put.status, await put.text()]).toEqual([200, expect.any(String)]);
  const originatingRequest = { id: 1, method: "tools/call", name: "summarize", server: "notes" };
  const params = {
    messages: [{ role: "user", content: { type: "text", text: "Summarize." } }],
    maxTokens: 100,
    _meta: { "countersign/session": "s", "countersign/originatingRequest": originatingRequest },
  };
  const asked = await fetch(`${gateway.url}/sampling`, {
    method: "POST",
    headers: { ...json, Authorization: `Bearer ${variables.DEV_API_KEY}`, Prefer: "respond-async" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params }),
  });
  expect(asked.status).toBe(202);
}

/** The link in the email, as Miniflare writes it to a file. */
const mailedLink = (): Promise<string> =>
  eventually("the email", async () => {
    const files = (await entriesOf(join(root, mailFolder))).filter(({ isFile }) => isFile);
    const texts = await Promise.all(files.map(({ path }) => readFile(path, "utf8")));
    const links = texts.flatMap((text) => text.split(`${gateway.url}/r/`).slice(1));
    return links[0]?.match(/^[\w-]{40,}/)?.[0];
  });

/** A user who owns nothing. Only root can take their place. */
const nobody = 65_534;
const canBeNobody = process.platform === "linux" && process.getuid?.() === 0;

/**
 * What another user gets of a command; what they may not read is left out, and the command then
 * fails.
 */
function asNobody(command: string): string {
  const { stdout } = spawnSync("/bin/sh", ["-c", command], { uid: nobody, gid: nobody, cwd: "/", maxBuffer: 2 ** 28 });
  return stdout.toString("latin1");
}

test.runIf(canBeNobody)("another user of the machine reads no secret in arguments and no email, link or data in files", async () => {
  await askAda();
  const link = await mailedLink();
  await writeFile(join(shared, "for-everybody"), "OPENMARKER", { mode: 0o644 });
  const files = asNobody(`find '${shared}' '${join(root, ".wrangler")}' -type f -exec cat {} +`);
  const processes = asNobody("cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ");
  // They do read what is for everybody.
  expect([files.includes("OPENMARKER"), processes.includes("serve.ts")]).toEqual([true, true]);
  for (const secret of [variables.LINK_KEY, variables.ADMIN_TOKEN, variables.DEV_API_KEY, variables.ANTHROPIC_API_KEY, link])
    expect([secret, files.includes(secret), processes.includes(secret)]).toEqual([secret, false, false]);
});

test("no file of the local server has the address of a request in it", async () => {
  const token = "TOKENMARKER".repeat(6);
  expect((await fetch(`${gateway.url}/r/${token}`)).status).toBe(404);
  await gateway.stop();
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  const holding: string[] = [];
  for (const { parentPath, name } of files) {
    if ((await readFile(join(parentPath, name))).includes(token)) holding.push(name);
  }
  expect(holding).toEqual([]);
});
