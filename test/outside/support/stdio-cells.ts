// What a client of each kind does at a server of each kind behind the command, before a scripted
// gateway: the tool ends with the reply.

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FAKE_KEY, FakeGateway, type FakeRun, until } from "../../support/fake-gateway.ts";
import { BIN } from "../stdio/wrapped.ts";
import { type CellClient, type CellClientKind, cellClientOverStdio, cellClients } from "./cell-clients.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
export const modernStdio = at("./modern-stdio.ts");

export const stdioServers = {
  "SDK 1.x": [at("../stdio/rounds-server-v1.ts")],
  "SDK 2.x": [modernStdio],
  "SDK 2.x for 2026-07-28 alone": [modernStdio, "--alone"],
} as const;

export type StdioCell = readonly [client: CellClientKind, server: keyof typeof stdioServers];

/** A client and a server of each family, where they need each other's messages translated. */
export const oneOfEach: readonly StdioCell[] = [
  ["SDK 1.x", "SDK 2.x for 2026-07-28 alone"],
  ["SDK 2.x, 2026", "SDK 1.x"],
];

/** All the others. */
export const otherCells: readonly StdioCell[] = cellClients
  .flatMap((client) => Object.keys(stdioServers).map((server): StdioCell => [client, server as keyof typeof stdioServers])) // its own names
  .filter(([client, server]) => !oneOfEach.some((each) => each[0] === client && each[1] === server));

export async function connectOverStdio(
  kind: CellClientKind,
  url: string,
  server: readonly string[],
  options: readonly string[] = [],
): Promise<CellClient> {
  const args = [BIN, "stdio", "--server", "cells", "--url", url, ...options, "--", process.execPath, ...server];
  const env = { PATH: process.env["PATH"] ?? "", COUNTERSIGN_API_KEY: FAKE_KEY };
  return cellClientOverStdio(kind, { command: process.execPath, args, env });
}

export const replyTo = (run: FakeRun): void => run.reply(`Reply to: ${run.prompt}`);
const reply = (question: string, part = ""): string => `Reply to: ${question}${part}`;

export function stdioCells(cells: readonly StdioCell[]): void {
  const gateway = new FakeGateway();
  let listening: { url: string; close: () => Promise<void> };
  beforeAll(async () => {
    listening = await gateway.listen();
  });
  afterAll(() => listening.close());

  describe.each([...cells])("a client of %s at a server of %s", (kind, generation) => {
    const server = stdioServers[generation];
    const isNew = kind === "SDK 2.x, 2026" && generation !== "SDK 1.x";
    /** Whether the server asks in rounds. */
    const inRounds = isNew || generation.endsWith("alone");
    let client: CellClient;
    beforeAll(async () => {
      client = await connectOverStdio(kind, listening.url, server);
    });
    afterAll(() => client?.close());
    beforeEach(() => {
      gateway.runs.length = 0;
      gateway.seen.length = 0;
      gateway.onRun = replyTo;
    });

    test("speaks its own revision", () => {
      expect(client.agreed() ?? "2025-11-25").toBe(isNew ? "2026-07-28" : "2025-11-25");
    });

    const question = `What of ${kind}?`;
    const rounds = [1, 2, 3, 4, 5].map((round) => reply(question, ` (round ${round})`));
    test.each([
      ["ask", 1, reply(question)],
      ["ask-two", 2, JSON.stringify([reply(question, " (first)"), reply(question, " (second)")])],
      ["ask-five", 5, JSON.stringify(rounds)],
      ["ask-and-elicit", 1, JSON.stringify({ reply: reply(question), action: "accept", content: { confirm: true } })],
    ])("%s ends with the reply", async (tool, count, said) => {
      expect(await client.call(tool, { question })).toEqual({ text: said, isError: false });
      expect(gateway.runs).toHaveLength(count);
      // Every round serves the one request of the client, and the gateway hears when it has ended.
      const [first] = gateway.runs;
      const origin = { method: "tools/call", name: tool, server: "cells", ...(inRounds ? {} : { inferred: true }) };
      for (const run of gateway.runs) expect(run.origin).toEqual({ ...origin, id: first?.origin["id"] });
      await until(() => gateway.trail.some((each) => each.startsWith("DELETE")));
      expect(gateway.trail.filter((each) => each.startsWith("DELETE"))).toHaveLength(1);
      const revisions = gateway.seen.filter(({ path }) => path === "/sampling").map(({ headers }) => headers.get("mcp-protocol-version"));
      expect(new Set(revisions)).toEqual(new Set([inRounds ? "2026-07-28" : null]));
    });

    test("ask-image ends with the reply, and the gateway has the image", async () => {
      gateway.onRun = (run) => run.reply("An image.");
      expect(await client.call("ask-image", { question })).toEqual({ text: "An image.", isError: false });
      expect(JSON.stringify(gateway.runs[0]?.params)).toContain('"mimeType":"image/png"');
    });

    test("a tool loop of three rounds, whose tools the model calls", async () => {
      const content = ["Bern", "Rome"].map((city) => [{ type: "tool_use", id: `call_${city}`, name: "weather", input: { city } }]);
      gateway.onRun = (run) => {
        const next = content.shift();
        run.reply("Sunny.", next === undefined ? {} : { content: next, stopReason: "toolUse" });
      };
      const { text, isError } = await client.call("ask-tools", { question });
      expect([isError, JSON.parse(text)]).toEqual([false, { round: 3, content: [{ type: "text", text: "Sunny." }] }]);
      expect(JSON.stringify(gateway.runs[2]?.params)).toContain("Sunny: ");
    });

    test.each([
      ["denied", -1, "User rejected sampling request"],
      ["expired", -32_002, "Sampling request expired: nobody decided in time"],
    ])("%s: the tool ends with the sentence, and its server is not asked again", async (_how, code, sentence) => {
      gateway.onRun = (run) => run.fail(code, sentence);
      const { text, isError } = await client.call("ask-five", { question });
      expect(isError).toBe(true);
      expect(text).toContain(sentence);
      expect(gateway.runs).toHaveLength(1);
    });

    test("with globs, sees the tools that they let it call, and calls no other", async () => {
      const limited = await connectOverStdio(kind, listening.url, server, ["--allow-tools", "ask*", "--deny-tools", "ask-two"]);
      try {
        const tools = await limited.tools();
        expect(tools).toContain("ask-five");
        expect(tools.filter((name) => !name.startsWith("ask") || name === "ask-two")).toEqual([]);
        expect(await limited.call("ask", { question })).toEqual({ text: reply(question), isError: false });
        const refused = await limited.call("ask-two", { question }).catch((error: unknown) => String(error));
        expect(JSON.stringify(refused)).toContain("Unknown tool: ask-two");
        expect(gateway.runs).toHaveLength(1);
      } finally {
        await limited.close();
      }
    });

    test("a call that the client cancels withdraws its review, and later ones go on", async () => {
      gateway.onRun = () => undefined;
      const cancel = new AbortController();
      const called = client.call("ask", { question }, { signal: cancel.signal }).catch(() => "cancelled");
      const run = await gateway.run(0);
      cancel.abort("enough");
      expect(await called).toBe("cancelled");
      await until(() => run.outcome);
      expect(run.outcome).toMatchObject({ error: { code: -32_800 } });
      gateway.onRun = replyTo;
      expect(await client.call("ask", { question })).toEqual({ text: reply(question), isError: false });
    });
  });
}
