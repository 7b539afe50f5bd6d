// How large the gateway is that `wrangler deploy` uploads.

import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, inject, test } from "vitest";

/** Larger ones take longer to start; see docs/dependencies.md for what is in it. */
const mostKib = 300;

test(`the gateway's JavaScript is at most ${mostKib} KiB after gzip`, () => {
  const gateway = inject("builtWorkers")[0];
  const modules = gateway !== undefined && "modules" in gateway && Array.isArray(gateway.modules) ? gateway.modules : [];
  const sizes = modules.map(({ path }) => gzipSync(readFileSync(path)).length / 1_024);
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(mostKib);
});
