// The MCP Inspector, which nobody here wrote, at a server of the relay of which it knows nothing
// but the address: its CLI finds the authorization server, registers, sends its user there and
// calls a tool, which a person approves. `test/verify/clients` has it.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../scripts/local-gateway.ts";
import { InboxPerson } from "../outside/support/inbox-person.ts";
import { decideByLink } from "../outside/support/killable-gateway.ts";
import { type OAuthOffice, address, oauthOffice } from "../outside/support/oauth-office.ts";
import { openedReview } from "../outside/support/opened-review.ts";
import { until } from "../outside/support/raw-client.ts";

const clients = fileURLToPath(new URL("clients/", import.meta.url));
const program = `${clients}node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`;
let office: OAuthOffice;
let home: string;

beforeAll(async () => {
  const how = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const installed = spawnSync("npm", how, { cwd: clients, encoding: "utf8" });
  expect(installed.status, installed.stderr).toBe(0);
  home = mkdtempSync(join(tmpdir(), "countersign-inspector-"));
  office = await oauthOffice();
}, 1_800_000);
afterAll(async () => {
  await office?.close();
  rmSync(home, { recursive: true, force: true });
});

type Run = { readonly said: () => string; readonly ended: Promise<number | null>; readonly child: ChildProcess };

/** The Inspector's CLI with a folder of its own. No path: it opens no browser. */
async function inspector(...more: readonly string[]): Promise<Run> {
  const callback = `http://127.0.0.1:${await freePort()}/oauth/callback`;
  const how = ["--cli", office.relay("old"), "--transport", "http", "--connect-timeout", "0", "--callback-url", callback];
  const env = { HOME: home, PATH: home, MCP_STORAGE_DIR: home, MCP_AUTO_OPEN_ENABLED: "true", NO_COLOR: "1" };
  const child = spawn(process.execPath, [program, ...how, ...more], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  return { said: () => said, ended: new Promise((resolve) => child.on("close", resolve)), child };
}

test("from nothing but the address to a call that a person approves, and a second one with what it kept", async () => {
  const ada = new InboxPerson(office.url);
  await ada.signIn(office.mail, address);
  const call = ["--method", "tools/call", "--tool-name", "plain"];
  const first = await inspector(...call);
  try {
    const asked = await until("the address that it asks to open", () => /(http\S+\/oauth\/authorize\S+)/.exec(first.said())?.[1]);
    const { link } = await openedReview(office, async () => {
      expect((await fetch(await ada.allow(new URL(asked)))).status).toBe(200);
    });
    expect((await decideByLink(link, "approve")).status).toBe(303);
    expect(await first.ended, first.said()).toBe(0);
    expect(first.said()).toContain("Plain.");
    const { called, link: again } = await openedReview(office, async () => {
      const second = await inspector(...call, "--stored-auth-only");
      expect(await second.ended, second.said()).toBe(0);
      return second.said();
    });
    expect((await decideByLink(again, "approve")).status).toBe(303);
    expect(await called).toContain("Plain.");
  } catch (error) {
    throw new Error(`The Inspector printed:\n${first.said()}`, { cause: error });
  } finally {
    first.child.kill();
  }
});
