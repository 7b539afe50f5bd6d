// Kills at random moments in each cell of client and server families: ten while people decide about
// sampling, thirteen while they decide about calls; `npm run test:rest` has one of most. Writes
// results/relay-kills.md. KILLS_SEED repeats the moments of an earlier run.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type KillCell,
  type KillOffice,
  type Killed,
  cellName,
  faultsOf,
  killCells,
  killOffice,
  together,
} from "../outside/support/kill-cells.ts";
import { seeded } from "../support/seeded.ts";

const kills = 10;
/** Fifty-two in all. */
const callKills = 13;
const seed = Number(process.env["KILLS_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
const root = fileURLToPath(new URL("../..", import.meta.url));

let office: KillOffice;
const results = new Map<KillCell, Killed>();
const callResults = new Map<KillCell, Killed>();
beforeAll(async () => {
  console.log(`KILLS_SEED=${seed}`);
  office = await killOffice();
});
afterAll(async () => {
  await office?.close();
  if (results.size === killCells.length && callResults.size === killCells.length)
    writeFileSync(`${root}test/verify/results/relay-kills.md`, report());
  else console.log(report());
});

const cells = killCells.map((cell, index) => [cellName(cell), cell, index] as const);
test.each(cells)("%s: nothing is answered or sent twice, and nothing is lost, in ten kills", async (name, cell, cellIndex) => {
  const done: Killed[] = [];
  for (let index = 0; index < kills; index += 1)
    done.push(await office.kill(cell, `Kill ${index} of ${name}`, seeded(seed + 1_000 * cellIndex + index)));
  const sum = together(done);
  results.set(cell, sum);
  expect([seed, faultsOf(sum)]).toEqual([seed, []]);
});

test.each(cells)("%s: no reviewed call is sent twice, or ends without the truth, in thirteen kills", async (name, cell, cellIndex) => {
  const done: Killed[] = [];
  for (let index = 0; index < callKills; index += 1)
    done.push(await office.killCalls(cell, `Kill ${index} of ${name}`, seeded(seed + 1_000 * (cellIndex + killCells.length) + index)));
  const sum = together(done);
  callResults.set(cell, sum);
  expect([seed, faultsOf(sum)]).toEqual([seed, []]);
});

const git = (...given: string[]): string => execFileSync("git", given, { cwd: root, encoding: "utf8" }).trim();

function report(): string {
  const rows = killCells.map((cell) => {
    const found = results.get(cell) ?? together([]);
    const { replies, unknown, answeredTwice, sentTwice, lost, again } = found;
    const numbers = [kills, replies, unknown, answeredTwice.length, sentTwice.length, lost.length, again];
    return `| ${cell.client} | ${cell.server} | ${numbers.join(" | ")} |`;
  });
  const callRows = killCells.map((cell) => {
    const { replies, declined, unknown, answeredTwice, sentTwice, lost } = callResults.get(cell) ?? together([]);
    const numbers = [callKills, replies, declined, unknown, answeredTwice.length, sentTwice.length, lost.length];
    return `| ${cell.client} | ${cell.server} | ${numbers.join(" | ")} |`;
  });
  return `# Kills of the gateway, cell by cell

The gateway is killed with \`kill -9\` at random moments while people decide about the sampling of several calls, and
started again on the same data. Clients of 2025 (SDK 1.x) resume their streams with \`Last-Event-ID\`, those of 2026 (SDK
2.x) send their requests again.

\`npm run verify\` (\`test/verify/kill-cells.test.ts\`) writes this page. The last run: commit ${git("rev-parse", "--short", "HEAD")}, ${new Date().toISOString().slice(0, 10)},
\`KILLS_SEED=${seed}\`.

| client | server | kills | calls that ended with the reply | outcome unknown | rounds answered twice | sent twice | lost | posted again |
|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}

The same while people decide about six calls: two are approved, two changed and approved, one is approved and its result
reviewed, one is denied. The kills come after the first review, decision or call that the server gets.

| client | server | kills | calls that ran once, as approved | declined, and never sent | outcome unknown | decided twice | sent twice | lost |
|---|---|---|---|---|---|---|---|---|
${callRows.join("\n")}

- **Outcome unknown**: the call may have been at its server when the gateway was killed. It ends with an error that says
  so, and nothing is sent again.
- **Rounds answered twice**: a request for sampling got two different answers, or a person was asked twice for one.
- **Sent twice**: a call, or the continuation of one, that reached the server again.
- **Lost**: a call that ended without its reply though the server could still give it.
- **Posted again**: the same answer reached a server with sessions again, which ignores it by its id.
`;
}
