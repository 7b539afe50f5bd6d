import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { familyOf, stillRunning } from "../../outside/support/processes.ts";
import { eventually, startProgram } from "../../outside/support/program.ts";

test("npm run demo -- --yes ends well by itself, with what both tools of the reference server got", async () => {
  const { exited, printed } = startProgram("scripts/demo.ts", ["--yes"]);
  expect(await exited, printed()).toBe(0);
  const [waiting = "", asTask = ""] = printed().split("\ntrigger-sampling-request-async\n");
  expect(waiting).toContain("… Waiting for a person to review the request");
  expect(waiting).toMatch(
    /LLM sampling result:[\s\S]*built-in demo, not a model[\s\S]*Resource trigger-sampling-request context: Say hello/,
  );
  expect(asTask).toMatch(/\[COMPLETED\] Async sampling completed![\s\S]*Resource trigger-sampling-request-async context: Say hello/);
  expect(printed().match(/^approved the (request|reply) on its review page \(303\)$/gm)).toHaveLength(4);
});

test("without --yes it prints the links, and Ctrl-C leaves neither a process nor its data", async () => {
  const folder = mkdtempSync(join(tmpdir(), "demo-"));
  const data = (): string[] => readdirSync(folder).filter((name) => name.startsWith("countersign-demo-"));
  const { pid, prints, signal, exited } = startProgram("scripts/demo.ts", [], { TMPDIR: folder });
  await prints(/^Review the request: http:\/\/localhost:\d+\/r\/\S+$/m);
  const family = familyOf(pid);
  expect(data()).toHaveLength(1);
  signal("SIGINT");
  expect(await exited).toBe(130);
  await eventually("the end of all that it started", () => stillRunning(family).length === 0);
  expect(data()).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

test("an unknown argument is refused, and nothing is started", async () => {
  const { exited, printed } = startProgram("scripts/demo.ts", ["--no"]);
  expect(await exited).toBe(2);
  expect(printed()).toBe("npm run demo: unknown argument --no. The only argument is --yes: npm run demo -- --yes\n");
});
