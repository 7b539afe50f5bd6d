// A client of each family at a server of 2026-07-28, through the relay. The clients between are in
// test/rest/relay/modern-cells.test.ts.

import { describe } from "vitest";
import { relayCells } from "../support/relay-cells.ts";

describe("a tool that samples in rounds ends with the reply", () => relayCells(["SDK 1.x", "SDK 2.x, 2026"]));
