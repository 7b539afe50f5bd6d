import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { benchVariables, waitAndDecide } from "../../../bench/waiting.ts";
import { freePort } from "../../../scripts/local-gateway.ts";
import { startTestGateway } from "../../outside/support/test-gateway.ts";

test("of fifty callers who wait over real sockets none is lost, and each gets the answer of its own run", async () => {
  const persistTo = mkdtempSync(join(tmpdir(), "countersign-waiting-"));
  const gateway = await startTestGateway({ port: await freePort(), persistTo, variables: benchVariables });
  try {
    expect(await waitAndDecide(gateway, { count: 50, alone: 10 })).toMatchObject({ callers: 50, lost: 0 });
  } finally {
    await gateway.stop("kill");
    rmSync(persistTo, { recursive: true, force: true });
  }
});
