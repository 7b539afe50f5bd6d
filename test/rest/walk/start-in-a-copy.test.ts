// npm start in a copy of the project, where .dev.vars can be what a person made of it.

import { cpSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../../../scripts/local-gateway.ts";
import { operatorOf } from "../../../scripts/operator.ts";
import { eventually, type Program, startProgram } from "../../outside/support/program.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const copy = mkdtempSync(join(tmpdir(), "countersign-copy-"));
for (const part of ["scripts", "examples", "client", "shared", "workers", "package.json", "tsconfig.base.json", "wrangler.toml"])
  cpSync(join(root, part), join(copy, part), { recursive: true });
symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));

const adminToken = "an-admin-token-of-this-test-0123456789";
const apiKey = "an-api-key-of-this-test-0123456789";
const secrets = [`ADMIN_TOKEN=${adminToken}`, "LINK_KEY=a-link-key-of-this-test-0123456789", `DEV_API_KEY=${apiKey}`];
const programs: Program[] = [];

afterAll(async () => {
  for (const program of programs) program.signal("SIGTERM");
  await Promise.all(programs.map(({ exited }) => exited));
  rmSync(copy, { recursive: true, force: true });
});

async function start(
  variables: readonly string[],
  own: readonly string[] = secrets,
): Promise<{ readonly program: Program; readonly url: string }> {
  writeFileSync(join(copy, ".dev.vars"), `${[...own, ...variables].join("\n")}\n`);
  const program = startProgram(join(copy, "scripts/start.ts"), [], { PORT: String(await freePort()) });
  programs.push(program);
  const [, url = ""] = await program.prints(/^Countersign is running at (http\S+)/m);
  return { program, url };
}

const modeOf = (path: string): string => (statSync(join(copy, path)).mode & 0o777).toString(8);

test("npm start says what is set badly, does not promise emails that are not written, and counts reviews and not their links", async () => {
  const first = await start(["EMAIL_FROM=nobody", "RETENTION_HOURS=0", "OPENAI_KEY=misspelled"]);
  await first.program.prints(/^An example MCP server sends/m);
  expect(first.program.printed()).toMatch(/^FIX: RETENTION_HOURS must be a number from 1 to 720; .*\.\nFIX: EMAIL_FROM is neither .*\.$/m);
  expect(first.program.printed()).toContain("FIX: nothing reads OPENAI_KEY of .dev.vars; OPENAI_API_KEY was probably meant.\n");
  expect(first.program.printed()).toContain("\nThe built-in demo model answers, which is no model: ");
  expect(first.program.printed()).not.toContain("written to files");
  // The data, emails and secrets of this machine are for its user alone, also where an editor wrote
  // `.dev.vars`.
  if (process.platform !== "win32")
    expect([".countersign", ".countersign/state", ".wrangler", ".wrangler/tmp/email", ".dev.vars"].map(modeOf)).toEqual([
      "700",
      "700",
      "700",
      "700",
      "600",
    ]);

  const operator = operatorOf(first.url, adminToken);
  await eventually("the walk's review", async () => (await operator.waiting()).length === 1);

  const headers = { Authorization: `Bearer ${adminToken}`, "If-Match": "1" };
  const policy = { default: { reviewers: ["people"] }, reviewers: { people: [{ name: "Ann" }, { name: "Bo" }] } };
  const put = await fetch(`${first.url}/admin/policy`, { method: "PUT", headers, body: JSON.stringify(policy) });
  expect(put.status).toBe(200);
  const originating = { id: 7, method: "tools/call", name: "summarize", server: "notes" };
  const params = {
    messages: [{ role: "user", content: { type: "text", text: "Say hello." } }],
    maxTokens: 50,
    _meta: { "countersign/session": "sess-1", "countersign/originatingRequest": originating },
  };
  const asked = await fetch(`${first.url}/sampling`, {
    method: "POST",
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", Prefer: "respond-async" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params }),
  });
  expect(asked.status).toBe(202);
  await eventually("a link for each of the two", async () => (await operator.waiting()).length === 3);
  first.program.signal("SIGINT");
  await first.program.exited;

  // A file by hand that lacks one of the three.
  const second = await start([], secrets.slice(0, 2));
  expect(second.program.printed()).toContain("Added to .dev.vars, with random values: DEV_API_KEY.\n");
  await second.program.prints(/^An example MCP server sends/m);
  expect(second.program.printed()).toContain("written to files");
  expect(second.program.printed()).not.toContain("FIX:");
  expect(second.program.printed()).toMatch(
    /^2 earlier reviews are pending:\n( {2}the request for \S+ of the server (?:summarize|notes): http\S+\n){3}/m,
  );
}, 120_000);
