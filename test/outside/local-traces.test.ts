// What the local server itself serves and keeps: a review link's address holds its token, and must be in none of its files; its
// folders are for their user alone; and it has no pages of its own that show or change what is stored.

import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { debuggersAt, familyOf, listeningPorts } from "./support/processes.ts";
import { type Gateway, freePort, mailFolder, startGateway } from "../../scripts/local-gateway.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
let folder = "";
let gateway: Gateway;

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "countersign-traces-")), "state");
  // As an older start left it.
  await mkdir(join(folder, "v3"), { recursive: true });
  await chmod(join(folder, "v3"), 0o755);
  const variables = { LINK_KEY: "link-key-of-this-test-0123456789abcdef" };
  gateway = await startGateway({ port: await freePort(), persistTo: folder, mailToDisk: true, variables });
});
afterAll(async () => {
  await gateway?.stop();
  await rm(join(folder, ".."), { recursive: true, force: true });
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
