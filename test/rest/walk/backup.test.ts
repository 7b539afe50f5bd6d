// npm run backup: what is saved, and what a restore changes.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { backupOf, restore } from "../../../scripts/backup.ts";
import { type Gateway, freePort } from "../../../scripts/local-gateway.ts";
import { startProgram } from "../../outside/support/program.ts";
import { startTestGateway } from "../../outside/support/test-gateway.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-backup-"));
const adminToken = "admin-token-of-this-test-0123456789";
const variables = { ADMIN_TOKEN: adminToken, LINK_KEY: "link-key-of-this-test-0123456789abcdef" };
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startTestGateway({ port: await freePort(), persistTo: join(folder, "state"), variables });
});
afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const target = () => ({ url: gateway.url, adminToken });

async function admin(method: string, path: string, body?: object, version?: number): Promise<Record<string, unknown>> {
  const response = await fetch(`${gateway.url}/admin/${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${adminToken}`,
      "Content-Type": "application/json",
      ...(version === undefined ? {} : { "If-Match": String(version) }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([path, response.ok]).toEqual([path, true]);
  return (await response.json()) as Record<string, unknown>;
}

const policyFor = (reviewer: string): object => ({
  default: { request: "review", response: "review", reviewers: ["people"] },
  reviewers: { people: [{ name: reviewer }] },
});

test("a restore puts back what differs, over the version that is there, and leaves the rest", async () => {
  await admin("PUT", "policy", policyFor("Ada"), 0);
  const made = await admin("POST", "keys", { name: "ci", owner: "Ada" });
  const saved = await backupOf(target(), "2026-11-23T00:00:00.000Z");
  expect(saved.keys).toMatchObject([{ name: "ci", owner: "Ada" }]);
  expect(JSON.stringify(saved)).not.toContain(made["key"]);
  const { version } = await admin("GET", "policy");
  await admin("PUT", "policy", policyFor("Mallory"), Number(version));

  const trial = await restore(target(), saved, true);
  expect(trial.filter(({ state }) => state !== "same")).toEqual([{ name: "policy", state: "changed" }]);
  expect(await admin("GET", "policy")).toMatchObject(policyFor("Mallory"));

  expect(await restore(target(), saved, false)).toEqual(trial);
  expect(await admin("GET", "policy")).toMatchObject(policyFor("Ada"));
  expect((await restore(target(), saved, false)).every(({ state }) => state === "same")).toBe(true);
});

test("the command writes a file for its user alone, says what a restore would change, and refuses what is no backup", async () => {
  const file = join(folder, "backup.json");
  const run = async (...args: readonly string[]): Promise<{ status: number | null; printed: string }> => {
    const program = startProgram("scripts/backup.ts", ["--url", gateway.url, ...args], { ADMIN_TOKEN: adminToken });
    const status = await program.exited;
    return { status, printed: program.printed() };
  };
  expect(await run("--out", file)).toMatchObject({ status: 0, printed: expect.stringContaining(`to ${file}.`) });
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  const backup = JSON.parse(readFileSync(file, "utf8")) as { documents: { routing: { equivalents: object[] } } }; // just written
  backup.documents.routing.equivalents = [{ hint: "any", models: ["demo"] }];
  writeFileSync(file, JSON.stringify(backup));
  const trial = await run("--restore", file);
  expect(trial).toMatchObject({ status: 0, printed: expect.stringMatching(/routing +differs[\s\S]*Nothing was changed\./) });
  expect(await run("--restore", file, "--yes")).toMatchObject({ status: 0, printed: expect.stringMatching(/routing +restored/) });
  expect(await admin("GET", "routing")).toMatchObject({ equivalents: [{ hint: "any", models: ["demo"] }] });
  writeFileSync(file, "{}");
  expect(await run("--restore", file)).toMatchObject({
    status: 2,
    printed: expect.stringContaining("it is no backup that this command wrote"),
  });
});
