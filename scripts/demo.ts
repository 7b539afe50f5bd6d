// npm run demo: the reference MCP server samples through a gateway of its own. With --yes nobody needs to be there: the
// script decides through the same page and form as a person, and exits 0 with the server's final tool result.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { devVars } from "./dev-vars.ts";
import { freePort, pause, startGateway } from "./gateway.ts";
import { operatorOf } from "./operator.ts";
import { decideByLink } from "./page-form.ts";

const alone = process.argv.includes("--yes");
const unknown = process.argv.slice(2).filter((argument) => argument !== "--yes");
if (unknown.length > 0) {
  console.error(`npm run demo: unknown argument ${unknown[0]}; the only one is --yes (npm run demo -- --yes)`);
  process.exit(2);
}

const vars = devVars();
const folder = await mkdtemp(join(tmpdir(), "countersign-demo-"));
console.log("Starting a gateway for the demo …");
const gateway = await startGateway({ port: await freePort(), persistTo: folder });
const operator = operatorOf(gateway.url, vars.ADMIN_TOKEN);

let finished = false;
const clean = async (code: number): Promise<never> => {
  finished = true;
  await gateway.stop();
  await rm(folder, { recursive: true, force: true });
  process.exit(code);
};
for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => void clean(130));

const host = spawn(process.execPath, [fileURLToPath(new URL("../examples/host.ts", import.meta.url))], {
  env: { ...process.env, COUNTERSIGN_URL: gateway.url, COUNTERSIGN_API_KEY: vars.DEV_API_KEY },
  stdio: ["ignore", "inherit", "inherit"],
});
const exited = new Promise<number>((resolve) => host.on("exit", (code) => resolve(code ?? 1)));
const decided = decideAll();
const code = await exited;
finished = true;
await decided;
console.log(
  code === 0
    ? `\nBoth tools ended with the model's reply, through ${alone ? "four reviews that this script decided" : "your reviews"}.`
    : "\nThe demo failed; the lines above say where.",
);
await clean(code);

async function decideAll(): Promise<void> {
  const seen = new Set<string>();
  while (!finished) {
    for (const { link, gate } of await operator.waiting().catch(() => [])) {
      if (link === null || seen.has(link)) continue;
      seen.add(link);
      if (!alone) {
        console.log(`\nReview the ${gate === "request" ? "request" : "reply"}: ${link}\n`);
        continue;
      }
      const answer = await decideByLink(link, "approve");
      console.log(`approved the ${gate === "request" ? "request" : "reply"} through its page (${answer.status})`);
      if (answer.status !== 303) seen.delete(link);
    }
    await pause(200);
  }
}
