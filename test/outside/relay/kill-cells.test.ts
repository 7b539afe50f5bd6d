// Kill -9 at a random moment while people decide, for clients of both families at a server of 2026-07-28. `npm run verify` has ten of each.

import { afterAll, beforeAll, expect, test } from "vitest";
import { killCells, killOnce, reviewedByAda } from "../support/kill-cells.ts";
import { type ModernServer, serveModern } from "../support/modern-server.ts";
import { type RelayOffice, relayOffice } from "../support/relay-office.ts";

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

test.each(killCells.map((cell, index) => [cell, index] as const))(
  "a client on %s: nothing is asked, paid or continued twice, and its tools end with the reply (%i)",
  async (cell, index) => {
    const { wrong } = await killOnce(office, modern, cell, `Kill ${index}`);
    expect(wrong).toEqual([]);
  },
);
