// How large the gateway and the pages Worker are that `wrangler deploy` uploads.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, inject, test } from "vitest";

/** Larger ones take longer to start; see docs/dependencies.md for what is in them. */
test.each([
  ["gateway", "countersign", 501],
  ["pages Worker", "countersign-pages", 382],
  ["OAuth Worker", "countersign-oauth", 42],
])("the %s's JavaScript is small after gzip: %s is at most %i KiB", (_, name, mostKib) => {
  const worker = inject("builtWorkers").find((each) => each.name === name);
  const modules = worker !== undefined && "modules" in worker && Array.isArray(worker.modules) ? worker.modules : [];
  const sizes = modules.map(({ path }) => gzipSync(readFileSync(path)).length / 1_024);
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(mostKib);
});
