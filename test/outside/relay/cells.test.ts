// A client of each family at a server of 2026-07-28, through the relay. The clients between are in
// test/rest/relay/modern-cells.test.ts.

import { relayCells } from "../support/relay-cells.ts";

relayCells(["SDK 1.x", "SDK 2.x, 2026"]);
