import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ProviderStep } from "../../support/provider-server.ts";
import { type Killable, killableGateway } from "../../outside/support/killable-gateway.ts";
import { GENERATIONS } from "../../outside/stdio/clients.ts";

const LOOP = [process.execPath, fileURLToPath(new URL("../../outside/stdio/loop-server.ts", import.meta.url))];
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content.map(({ text }) => text).join();
const adds = (...pairs: readonly (readonly [id: string, a: number, b: number])[]): ProviderStep => ({
  answer: "reply",
  calls: pairs.map(([id, a, b]) => ({ id, name: "add", input: { a, b } })),
});

let gateway: Killable;
beforeAll(async () => {
  gateway = await killableGateway();
  await gateway.start();
  await gateway.configure();
  const open = { request: "allow", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600 };
  await gateway.rule({ rules: [], default: open, reviewers: { everyone: [{ name: "Ada" }] } });
});
afterAll(() => gateway?.close());

describe.each(GENERATIONS)("a server that loops over tools in sampling, for a client of %s that has no sampling", (_, connect) => {
  test("gets several tool uses at once, gives their results, and ends in the model's text", async () => {
    gateway.model.reset();
    gateway.model.script(adds(["c1", 1, 2], ["c2", 3, 4]), adds(["c3", 3, 7]), { answer: "reply", text: "It is 10." });
    const client = await connect(LOOP, { url: gateway.url });
    expect(textOf(await client.callTool({ name: "solve", arguments: { task: "1+2+3+4" } }))).toBe("It is 10. (round 3, endTurn)");
    await client.close();
    expect(gateway.model.requests).toHaveLength(3);
    expect(JSON.stringify(gateway.model.requests.at(-1)?.body)).toMatch(/"c1"[\s\S]*"c2"[\s\S]*"c3"/);
  });

  test("is stopped by the gateway's limit of rounds where it does not end, with the error that says so", async () => {
    gateway.model.reset();
    gateway.model.script(...Array.from({ length: 60 }, (_step, at) => adds([`r${at}`, at, 1])));
    const client = await connect(LOOP, { url: gateway.url });
    const result = await client.callTool({ name: "solve", arguments: { task: "for ever" } });
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toContain("MCP error -32013");
    expect(gateway.model.requests.length).toBeLessThan(60);
    await client.close();
  });
});
