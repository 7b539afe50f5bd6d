// Kill -9 at a random moment while people decide, for clients of both families: about sampling at a
// server of 2026-07-28, and about calls at each server. `npm run verify` has more of each, and of
// sampling at a server with sessions.

import { afterAll, beforeAll, expect, test } from "vitest";
import { type KillOffice, cellName, faultsOf, killCells, killOffice } from "../../outside/support/kill-cells.ts";

let kills: KillOffice;
beforeAll(async () => {
  kills = await killOffice();
});
afterAll(() => kills?.close());

const cells = killCells.filter(({ server }) => server === "2026").map((cell) => [cellName(cell), cell] as const);
test.each(cells)("%s: nothing is asked, paid or continued twice, and its tools end with the reply", async (name, cell) => {
  expect(faultsOf(await kills.kill(cell, name, Math.random))).toEqual([]);
});

test.each(killCells.map((cell) => [cellName(cell), cell] as const))(
  "%s: each reviewed call runs once as it was approved, is declined, or its outcome is told as unknown",
  async (name, cell) => {
    expect(faultsOf(await kills.killCalls(cell, name, Math.random))).toEqual([]);
  },
);
