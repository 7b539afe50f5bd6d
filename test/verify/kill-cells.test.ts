// Ten kills at random moments in each cell of a server of 2026-07-28; `npm test` has one of each.

import { afterAll, beforeAll, expect, test } from "vitest";
import { killCells, killOnce, reviewedByAda } from "../outside/support/kill-cells.ts";
import { type ModernServer, serveModern } from "../outside/support/modern-server.ts";
import { type RelayOffice, relayOffice } from "../outside/support/relay-office.ts";

const kills = 10;
let office: RelayOffice;
let modern: ModernServer;
beforeAll(async () => {
  [office, modern] = await Promise.all([relayOffice({ RELAY_HOLD_SECONDS: "1" }), serveModern({ legacy: "reject" })]);
  await office.rule(reviewedByAda);
  await office.serve({ modern: { url: modern.url, allowPrivate: true } });
});
afterAll(async () => {
  await Promise.all([office?.close(), modern?.close()]);
});

test.each(killCells)("a client on %s: nothing is asked, paid or continued twice in ten kills", async (cell) => {
  const ends: string[] = [];
  for (let index = 0; index < kills; index += 1) {
    const { ended, wrong } = await killOnce(office, modern, cell, `Kill ${index} of ${cell}`);
    expect([index, wrong]).toEqual([index, []]);
    for (const { isError } of ended) ends.push(isError ? "unknown" : "reply");
  }
  console.log(`${cell}: ${ends.filter((each) => each === "reply").length} of ${ends.length} calls ended with the reply`);
});
