// The client of SDK 2.x that speaks the revisions of 2025, at a server of 2026-07-28 through the
// relay. Those of test/outside/relay/cells.test.ts are the others.

import { relayCells } from "../../outside/support/relay-cells.ts";

relayCells(["SDK 2.x, 2025"]);
