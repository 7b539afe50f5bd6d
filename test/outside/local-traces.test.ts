// What the local server itself keeps of requests: a review link's address holds its token, and must be in none of it.

import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort, startGateway } from "../../scripts/gateway.ts";

test("no file of the local server has the address of a request in it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "countersign-traces-"));
  const variables = { LINK_KEY: "link-key-of-this-test-0123456789abcdef" };
  const gateway = await startGateway({ port: await freePort(), persistTo: folder, variables });
  const token = "TOKENMARKER".repeat(6);
  try {
    expect((await fetch(`${gateway.url}/r/${token}`)).status).toBe(404);
  } finally {
    await gateway.stop();
  }
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(0);
  const holding: string[] = [];
  for (const { parentPath, name } of files) {
    if ((await readFile(join(parentPath, name))).includes(token)) holding.push(name);
  }
  await rm(folder, { recursive: true, force: true });
  expect(holding).toEqual([]);
});
