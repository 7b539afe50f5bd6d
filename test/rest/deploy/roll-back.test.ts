// A gateway with what this version stores is upgraded to a later one and rolled back, as
// docs/deploy.md says: code and Workers change, what objects store does not go back.
//
// The later version is this source with another version number, and with one more column in the
// table of a run, by a migration.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import type { V4WorkerOptions } from "miniflare";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { builtWorkers } from "../../../scripts/built-workers.ts";
import { type Gateway, localUrl, startServer } from "../../../scripts/local-gateway.ts";
import { makeCopy } from "../../../scripts/mutants.ts";
import { verifyRecord } from "../../../scripts/verify-record.ts";
import { stateFile } from "../../../scripts/freeze-state.ts";
import { type Killable, adminToken, apiKey, decideByLink, killableGateway, linkKey } from "../../outside/support/killable-gateway.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type StoredState, unpack } from "../../upgrade/stored-state.ts";

const serve = fileURLToPath(new URL("../../../scripts/serve.ts", import.meta.url));
const variables = { ADMIN_TOKEN: adminToken, LINK_KEY: linkKey, DEV_API_KEY: apiKey };

let later: V4WorkerOptions[];
let gateway: Killable;
let state: StoredState;
let running: Gateway | null = null;

/** Deploys this version or the later one: the gateway that ran is gone, its storage stays. */
async function deploy(which: "this" | "later"): Promise<void> {
  await running?.stop("gently");
  const [first, ...others] = which === "this" ? inject("builtWorkers") : later;
  const workers = [{ ...first, bindings: { PUBLIC_URL: localUrl(gateway.port), ...variables } }, ...others];
  running = await startServer(gateway.port, serve, { port: gateway.port, persistTo: gateway.folder, workers });
}

const versionNow = async (): Promise<string> =>
  ((await (await fetch(`${gateway.url}/openapi.json`)).json()) as { info: { version: string } }).info.version;

beforeAll(async () => {
  const copy = makeCopy(0);
  try {
    const change = (file: string, from: string, to: string): void => {
      const path = join(copy, file);
      const text = readFileSync(path, "utf8");
      if (!text.includes(from)) throw new Error(`${file} has no ${from} any more`);
      writeFileSync(path, text.replace(from, to));
    };
    change("workers/platform/version.ts", 'version = "', 'version = "99.');
    change(
      "workers/objects/schema/run-schema.ts",
      "migrations: [] };",
      'migrations: [({ sql }) => void sql.exec("ALTER TABLE run ADD COLUMN of_later TEXT")] };',
    );
    later = await builtWorkers(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  gateway = await killableGateway();
  state = unpack(fileURLToPath(new URL(`../../upgrade/${stateFile(1)}`, import.meta.url)), gateway.folder);
});
afterAll(async () => {
  await running?.stop("gently");
  await gateway?.close();
});

test("after the upgrade, what waited is decided by its link; after the roll back, what the later version did not touch goes on", async () => {
  await deploy("this");
  const before = await versionNow();
  // Its alarm is not due before all this is over, so the later version never wakes it.
  void gateway.ask("epsilon", "response-gate");
  const untouched = await until("the review of this version's run", async () => {
    const found = await gateway.review("response");
    return found.run === state.runs.response ? undefined : found;
  });
  await deploy("later");
  expect(await versionNow()).toBe(`99.${before}`);
  const { link } = await gateway.review("request", state.runs.request);
  expect((await decideByLink(link ?? "", "approve")).status).toBe(303);
  const opened = gateway.ask("gamma", "request-gate");
  const { run, link: ofLater } = await gateway.review("request");

  await deploy("this");
  expect(await versionNow()).toBe(before);
  // A run that the later version stored in its own form is refused, and stays as it is.
  expect((await decideByLink(ofLater ?? "", "approve").catch(() => ({ status: 500 }))).status).toBeGreaterThanOrEqual(500);
  expect((await decideByLink(untouched.link ?? "", "approve")).status).toBe(303);
  const fresh = gateway.ask("delta", "open");
  expect((await fresh.answer)?.result?.content.text).toBeDefined();

  await deploy("later");
  expect((await decideByLink(ofLater ?? "", "approve")).status).toBe(303);
  const again = await gateway.ask("gamma", "request-gate").answer;
  expect(again?.result?._meta["countersign/run"].id).toBe(run);
  await opened.answer;
  const { text } = await gateway.record();
  // The response of the first version's state still waits.
  const { findings } = await verifyRecord(text.split("\n"));
  expect(findings.filter(({ kind }) => kind !== "open")).toEqual([]);
});
