// A sample of test/verify/workers/three-channels.test.ts: each pair of channels, in both orders.

import { test } from "vitest";
import { pairsAtOnce } from "./pairs-at-once.ts";

test("of 18 pairs who approve and deny at once, on every two of three channels, one of each pair decides", () => pairsAtOnce(18));
