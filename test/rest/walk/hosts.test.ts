import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { walk } from "../../../examples/walk.ts";
import { type Gateway, freePort, pause } from "../../../scripts/local-gateway.ts";
import { startTestGateway } from "../../outside/support/test-gateway.ts";
import { type Notice, type Operator, operatorOf } from "../../../scripts/operator.ts";
import { decideByLink } from "../../../scripts/page-form.ts";
import { type Cuttable, startCuttable } from "../../outside/support/cuttable.ts";
import { eventually, type Program, startProgram } from "../../outside/support/program.ts";

const key = "dev-key-of-the-tests-0123456789abcdef";
const variables = {
  ADMIN_TOKEN: "admin-token-of-the-tests-0123456789",
  LINK_KEY: "link-key-of-the-tests-0123456789abcdef",
  DEV_API_KEY: key,
};
const folder = mkdtempSync(join(tmpdir(), "countersign-hosts-"));
const seen = new Set<string>();
let port: number;
let gateway: Gateway;
let operator: Operator;
let network: Cuttable;

const start = async (): Promise<void> => {
  gateway = await startTestGateway({ port, persistTo: folder, variables });
};

beforeAll(async () => {
  port = await freePort();
  await start();
  operator = operatorOf(gateway.url, variables.ADMIN_TOKEN);
  network = await startCuttable(port);
});
afterAll(async () => {
  await network?.close();
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A review that nobody has seen yet, and that still waits. */
async function nextReview(): Promise<Notice & { readonly link: string }> {
  const notice = await eventually("a review that waits", async () => (await operator.waiting()).find(({ link }) => !seen.has(link ?? "")));
  seen.add(notice.link ?? "");
  return { ...notice, link: notice.link ?? "" };
}

/**
 * The person: decides every review that opens, until the host has ended. Gives the gates in the
 * order in which they were decided.
 */
async function review(host: Program, act: "approve" | "deny"): Promise<Notice["gate"][]> {
  const decided: Notice["gate"][] = [];
  const over = new AbortController();
  void host.exited.then(() => over.abort());
  while (!over.signal.aborted) {
    for (const { link, gate } of await operator.waiting()) {
      if (link === null || seen.has(link)) continue;
      seen.add(link);
      expect((await decideByLink(link, act)).status).toBe(303);
      decided.push(gate);
    }
    await pause(100);
  }
  return decided;
}

const startHost = async (script: string): Promise<Program> =>
  startProgram(`examples/${script}`, ["--url", network.url, "--key", key], { PORT: String(await freePort()) });

const textOf = (result: object): string => (result as { content: { text: string }[] }).content.map(({ text }) => text).join();

describe.each(["host.ts", "host-v2.ts"])("examples/%s", (script) => {
  test("gets the model's reply into the results of both tools, and shows what is waited for", async () => {
    const host = await startHost(script);
    const gates = await review(host, "approve");
    expect(await host.exited, host.printed()).toBe(0);
    expect(gates.toSorted()).toEqual(["request", "request", "response", "response"]);
    expect(host.printed()).toMatch(/LLM sampling result:[\s\S]*Resource trigger-sampling-request context: Say hello in five words\./);
    expect(host.printed()).toMatch(
      /\[COMPLETED\] Async sampling completed![\s\S]*Resource trigger-sampling-request-async context: Say hello/,
    );
    expect(host.printed()).toMatch(/^… .*Waiting for a person to review the request$/m);
    expect(host.printed()).toMatch(/^… .*Waiting for a person to review the reply$/m);
  });

  test("gives a person's no to the server: as error -1, and as a task that failed", async () => {
    const host = await startHost(script);
    const gates = await review(host, "deny");
    expect(await host.exited, host.printed()).toBe(0);
    expect(gates).toEqual(["request", "request"]);
    expect(host.printed()).toContain("MCP error -1: User rejected sampling request");
    expect(host.printed()).toContain("[FAILED] A reviewer denied the request");
    expect(host.printed()).not.toContain("built-in demo");
  });
});

describe("a host that waits for a person", () => {
  /**
   * Asks through the network that can be cut; `waits` resolves when the host was told that a person
   * is asked.
   */
  function ask(text: string): { readonly result: ReturnType<typeof walk>; readonly waits: Promise<void> } {
    let told = (): void => undefined;
    const waits = new Promise<void>((resolve) => (told = resolve));
    return { waits, result: walk({ url: network.url, apiKey: key, text, onWaiting: told }) };
  }

  test("comes back by itself when its connection is cut, at both gates, and nobody is asked twice", async () => {
    const { result, waits } = ask("The connection is cut.");
    for (const gate of ["request", "response"] as const) {
      const opened = await nextReview();
      expect(opened.gate).toBe(gate);
      await waits;
      const before = network.made();
      network.cut();
      await eventually("a new connection of the host", () => network.made() > before);
      expect((await decideByLink(opened.link, "approve")).status).toBe(303);
    }
    expect(textOf(await result)).toContain("The connection is cut.");
    expect((await operator.waiting()).filter(({ link }) => !seen.has(link ?? ""))).toEqual([]);
  });

  test("gets its answer from a gateway that was killed with -9 and started again, by the links that were out before", async () => {
    const { result, waits } = ask("The gateway is killed.");
    for (const gate of ["request", "response"] as const) {
      const opened = await nextReview();
      expect(opened.gate).toBe(gate);
      await waits;
      await gateway.stop("kill");
      await start();
      expect((await decideByLink(opened.link, "approve")).status).toBe(303);
    }
    expect(textOf(await result)).toContain("The gateway is killed.");
  });
});
