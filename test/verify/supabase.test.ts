// Supabase's own MCP server, as npm has it, against a scripted management API: it asks before SQL
// that destroys, of clients that can be asked. A client that cannot runs such SQL at once; through
// the relay a person is asked for it.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { freePort } from "../../scripts/local-gateway.ts";
import { decideByLink } from "../outside/support/killable-gateway.ts";
import { openedReview } from "../outside/support/opened-review.ts";
import { eventually } from "../outside/support/program.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../outside/support/relay-office.ts";

const folder = fileURLToPath(new URL("servers/supabase/", import.meta.url));
const token = "sbp_0123456789abcdef0123456789abcdef01234567";
const project = "abcdefghijklmnopqrst";
const destructive = "delete from invoices;";

/** The SQL that the database got. */
const ran: string[] = [];
const api = createServer((request, response) => {
  let body = "";
  request.on("data", (part: Buffer) => (body += part.toString()));
  request.on("end", () => {
    const isQuery = request.url === `/v1/projects/${project}/database/query` && request.headers.authorization === `Bearer ${token}`;
    if (isQuery) ran.push((JSON.parse(body) as { query: string }).query);
    response.writeHead(isQuery ? 201 : 404, { "Content-Type": "application/json" }).end(isQuery ? '[{"invoices":3}]' : "{}");
  });
});
let server: ChildProcess;
let url: string;
let office: RelayOffice;

beforeAll(async () => {
  const installed = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(installed.status, installed.stderr).toBe(0);
  await new Promise<void>((listens) => {
    api.listen(0, "127.0.0.1", listens);
  });
  const { port } = api.address() as AddressInfo; // it listens on TCP
  const own = await freePort();
  const options = ["--api-url", `http://127.0.0.1:${port}`, "--secret-url-template", "https://example.com/secrets?ref={ref}&name={name}"];
  const program = "node_modules/@supabase/mcp-server-supabase/dist/cli.js";
  server = spawn(process.execPath, [program, "--http", "--port", String(own), ...options], { cwd: folder, stdio: "ignore" });
  url = `http://127.0.0.1:${own}/mcp`;
  await eventually("an answer of the server", () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  office = await relayOffice({ SUPABASE_TOKEN: token });
  await office.serve({ supabase: { url, allowPrivate: true, secret: "SUPABASE_TOKEN", elicitation: "fulfil" } });
  const asked = { request: "review", response: "allow", selfApproval: true, reviewers: ["everyone"], deadlineSeconds: 600 };
  await office.rule({
    ...openGates,
    rules: [{ name: "forms", when: { subject: "form" }, then: asked }],
    reviewers: { everyone: [{ name: "Ada" }] },
  });
}, 300_000);
afterAll(async () => {
  await office?.close();
  server?.kill();
  api.close();
});
beforeEach(() => void ran.splice(0));

/** Runs SQL with a client of the SDK's 1.x that declares no elicitation. */
async function execute(query: string, at: string, credential: string): Promise<string> {
  const client = new Client({ name: "no-elicitation", version: "1" }, { capabilities: {} });
  const requestInit = { headers: { Authorization: `Bearer ${credential}` } };
  // The SDK's own class; its types differ in optional members alone.
  await client.connect(new StreamableHTTPClientTransport(new URL(at), { requestInit }) as Parameters<Client["connect"]>[0]);
  try {
    return JSON.stringify(await client.callTool({ name: "execute_sql", arguments: { project_id: project, query } }));
  } finally {
    await client.close();
  }
}
const throughRelay = (query: string): Promise<string> => execute(query, office.relay("supabase"), relayKey);

test("without the relay, SQL that destroys runs at once: nobody could be asked", async () => {
  expect(await execute(destructive, url, token)).toContain("invoices");
  expect(ran).toEqual([destructive]);
});

test("through the relay a person is asked what the server asks, and it runs once they answered", async () => {
  const { called, link } = await openedReview(office, () => throughRelay(destructive));
  const page = await (await fetch(link)).text();
  expect(page).toContain("This SQL includes destructive operations");
  expect(page).toContain(`Run it on project ${project}?`);
  expect(ran).toEqual([]);
  expect((await decideByLink(link, "fill")).status).toBe(303);
  expect(await called).toContain("invoices");
  expect(ran).toEqual([destructive]);
});

test("through the relay it does not run where the person declines", async () => {
  const { called, link } = await openedReview(office, () => throughRelay(destructive));
  expect((await decideByLink(link, "deny")).status).toBe(303);
  expect(await called).toContain("SQL execution was declined.");
  expect(ran).toEqual([]);
});

test("SQL that destroys nothing runs without a question", async () => {
  expect(await throughRelay("select count(*) from invoices;")).toContain("invoices");
  expect(ran).toEqual(["select count(*) from invoices;"]);
});
