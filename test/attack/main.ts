// npm run attack: everything that was thought of against the gateway, as a program. docs/security.md has its last table; `--help` lists the
// options.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtWorkers } from "../../scripts/built-workers.ts";
import { keepTemporaryFilesInMemory } from "../support/temporary-folder.ts";
import { areas } from "./areas.ts";
import { runKills } from "./kills/run-kills.ts";
import { type Options, helpText, readOptions } from "./options.ts";
import { type Report, markdownOf, reportOf } from "./report.ts";
import { type Tried, isChosen, mustBeDistinct, runAttacks } from "./run-attacks.ts";
import { workersWithout } from "./without-check.ts";
import { startWorld } from "./world.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const page = join(root, "docs/security.md");

let options: Options;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  console.error(
    `npm run attack: ${error instanceof Error ? error.message : String(error)}. \`npm run attack -- --help\` lists the options.`,
  );
  process.exit(2);
}
if (options.help) {
  console.log(helpText());
  process.exit();
}
keepTemporaryFilesInMemory();
// Ctrl-C ends the gateway too: it ends with this process (scripts/local-gateway.ts).
process.once("SIGINT", () => process.exit(130));
const report = await attack(options);
console.log(markdownOf(report));
if (report.failures.length > 0) console.log(`\n${report.failures.map((failure) => `- ${failure}`).join("\n")}`);
if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
if (options.writeDocs) writeDocs(report);
// A server that hangs must not keep the command alive.
process.exit(report.failures.length > 0 ? 1 : 0);

async function attack({ only, kills, seed, without }: Options): Promise<Report> {
  mustBeDistinct(areas);
  console.error("Building the Workers …");
  if (kills === 0 && !areas.some(({ name: area, attacks }) => attacks.some(({ name }) => isChosen(only, area, name))))
    throw new Error(`no attack has ${only.map((part) => JSON.stringify(part)).join(" or ")} in its name`);
  const workers = await (without === null ? builtWorkers() : workersWithout(without));
  const world = await startWorld({ workers });
  let tried: Tried[];
  try {
    tried = await runAttacks(world, areas, { only, onTried: tell });
  } finally {
    await world.close();
  }
  const onKill = (kill: number, of: number, waiting: number): void => console.error(`kill ${kill}/${of}, ${waiting} requests under way`);
  const judged = kills === 0 ? undefined : await runKills({ workers }, { kills, seed, onKill });
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { cwd: root, encoding: "utf8" }).trim();
  return reportOf({ commit, date: new Date().toISOString().slice(0, 10), seed }, areas, tried, judged);
}

function tell({ area, name, verdict, why }: Tried, index: number, count: number): void {
  if (verdict !== "refused") console.error(`${verdict === "through" ? "GOT THROUGH" : "NOT TRIED"} ${area}: ${name}\n  ${why}`);
  else if (index % 25 === 0 || index === count) console.error(`${index}/${count} ${area}`);
}

/** Puts the table between its marks. */
function writeDocs(finished: Report): void {
  const text = readFileSync(page, "utf8");
  const marked = /(<!-- attack -->\n)[\s\S]*?(\n<!-- end of attack -->)/;
  if (!marked.test(text)) throw new Error("docs/security.md has no marks for the table");
  writeFileSync(
    page,
    text.replace(marked, (_, before: string, after: string) => `${before}\n${markdownOf(finished)}\n${after}`),
  );
}
