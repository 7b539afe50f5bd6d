import { test } from "vitest";
import { pairsAtOnce } from "../../workers/objects/pairs-at-once.ts";

test("of 200 pairs who approve and deny at once, on every two of three channels, one of each pair decides", () => pairsAtOnce(200));
