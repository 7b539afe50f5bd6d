// npm run demo: the reference MCP server sends sampling requests through a gateway of its own. With
// --yes the script approves each review itself, through the same page and form as a person, and
// exits 0 with the server's final tool result.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { devVars } from "./dev-vars.ts";
import { type Gateway, freePort, pause, startGateway } from "./local-gateway.ts";
import { operatorOf } from "./operator.ts";
import { decideByLink } from "./page-form.ts";
import { stopOnSignals } from "./stopping.ts";

const alone = process.argv.includes("--yes");
const unknown = process.argv.slice(2).filter((argument) => argument !== "--yes");
if (unknown.length > 0) {
  console.error(`npm run demo: unknown argument ${unknown[0]}. The only argument is --yes: npm run demo -- --yes`);
  process.exit(2);
}

// What is stored has prompts, links and keys' digests: it is for this user alone.
process.umask(0o077);
const vars = devVars();
const port = await freePort();
const folder = await mkdtemp(join(tmpdir(), "countersign-demo-"));
let gateway: Gateway | undefined;
const clean = async (how: "gently" | "kill" = "gently"): Promise<void> => {
  await gateway?.stop(how);
  await rm(folder, { recursive: true, force: true });
};
const stopping = stopOnSignals(130, clean);
console.log("Starting a gateway for the demo …");
gateway = await startGateway({ port, persistTo: folder }).catch(async (error: unknown) => {
  console.error(`npm run demo: ${error instanceof Error ? error.message : String(error)}`);
  await clean();
  process.exit(1);
});
const operator = operatorOf(gateway.url, vars.ADMIN_TOKEN);

const host = spawn(process.execPath, [fileURLToPath(new URL("../examples/host.ts", import.meta.url))], {
  env: { ...process.env, COUNTERSIGN_URL: gateway.url, COUNTERSIGN_API_KEY: vars.DEV_API_KEY },
  stdio: ["ignore", "inherit", "inherit"],
});
const over = new AbortController();
const exited = new Promise<number>((resolve) => host.on("exit", (code) => resolve(code ?? 1)));
const decided = decideAll();
const code = await exited;
over.abort();
await decided;
// Ctrl-C ends the host as well: both paths exit with 130.
if (!stopping.aborted)
  console.log(
    code === 0
      ? `\nBoth tools returned the model's reply, after ${alone ? "four reviews that this script approved" : "your reviews"}.`
      : "\nThe demo failed. The error is in the lines above.",
  );
await clean();
process.exit(stopping.aborted ? 130 : code);

async function decideAll(): Promise<void> {
  const seen = new Set<string>();
  while (!over.signal.aborted) {
    for (const { link, gate } of await operator.waiting().catch(() => [])) {
      if (link === null || seen.has(link)) continue;
      seen.add(link);
      if (!alone) {
        console.log(`\nReview the ${gate === "request" ? "request" : "reply"}: ${link}\n`);
        continue;
      }
      const answer = await decideByLink(link, "approve").catch(() => undefined);
      console.log(`approved the ${gate === "request" ? "request" : "reply"} on its review page (${answer?.status ?? "no answer"})`);
      if (answer?.status !== 303) seen.delete(link);
    }
    await pause(200);
  }
}
