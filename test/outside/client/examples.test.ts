import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { walk } from "../../../examples/walk.ts";
import { FAKE_KEY, FakeGateway, until } from "../../support/fake-gateway.ts";

let gateway: FakeGateway;
let url: string;
let close: () => Promise<void>;

beforeEach(async () => {
  gateway = new FakeGateway();
  ({ url, close } = await gateway.listen());
  // Each run is told to wait once somebody listens, and then answered.
  gateway.onRun = (run) =>
    void until(() => run.watchers.size > 0 || run.params["task"] !== undefined).then(() => {
      run.progress("waiting for a person at the request gate");
      run.reply(`Reviewed reply to: ${run.prompt}`);
    });
});
afterEach(() => close());

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function run(example: string, env: Record<string, string>): Promise<{ code: number | null; out: string }> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../../../examples/${example}`, import.meta.url))], {
    env: { PATH: process.env["PATH"], ...env },
  });
  let out = "";
  child.stdout.on("data", (chunk) => (out += String(chunk)));
  child.stderr.on("data", (chunk) => (out += String(chunk)));
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, out };
}

describe("the examples", () => {
  test("host.ts, on SDK 1.x over stdio, gets the replies of the reference server's waiting tool and of its task", async () => {
    const { code, out } = await run("host.ts", { COUNTERSIGN_URL: url, COUNTERSIGN_API_KEY: FAKE_KEY });
    expect(out).toContain("… waiting for a person at the request gate");
    expect(out).toContain("LLM sampling result:");
    expect(out).toContain("[COMPLETED] Async sampling completed!");
    expect(out.match(/Reviewed reply to: Resource trigger-sampling-request/g)).toHaveLength(2);
    expect(code).toBe(0);
    const session = gateway.runs[0]?.session ?? "";
    expect(gateway.trail.at(-1)).toBe(`DELETE /sessions/${session}`);
  });

  test("host-v2.ts, on SDK 2.x over Streamable HTTP, gets both at once, each placed by its response stream", async () => {
    const { code, out } = await run("host-v2.ts", { COUNTERSIGN_URL: url, COUNTERSIGN_API_KEY: FAKE_KEY, PORT: String(await freePort()) });
    expect(out).toContain("LLM sampling result:");
    expect(out).toContain("[COMPLETED] Async sampling completed!");
    expect(code).toBe(0);
    expect(new Set(gateway.runs.map(({ origin }) => origin["name"]))).toEqual(
      new Set(["trigger-sampling-request", "trigger-sampling-request-async"]),
    );
  });

  test("say what to set where there is no key", async () => {
    const { code, out } = await run("host.ts", {});
    expect(out).toContain("Set COUNTERSIGN_API_KEY");
    expect(code).toBe(2);
  });

  test("walk() gives the notes server's final result, and tells what is waited for", async () => {
    const waiting: string[] = [];
    const result = await walk({ url, apiKey: FAKE_KEY, onWaiting: (message) => waiting.push(message), text: "A long text." });
    expect(result["content"]).toEqual([{ type: "text", text: "Reviewed reply to: Summarize in one sentence:\n\nA long text." }]);
    expect(waiting).toEqual(["waiting for a person at the request gate"]);
    expect(gateway.runs[0]?.origin).toMatchObject({ method: "tools/call", name: "summarize", server: "notes" });
  });

  test("walk() gives a person's no as a result that says so", async () => {
    gateway.onRun = (run) => run.fail(-1, "User rejected sampling request", { outcome: "rejected" });
    const result = await walk({ url, apiKey: FAKE_KEY });
    expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("User rejected sampling request") }] });
  });
});
