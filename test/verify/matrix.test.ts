// Clients of both families at servers of every kind, over HTTP through the relay and over stdio
// behind the command, in nine cases: the tool ends with the reply, or with a person's no. What came
// of each is in results/relay-matrix.md.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CellClient, type CellClientKind, cellClient, cellClientOverStdio } from "../outside/support/cell-clients.ts";
import { decideByLink } from "../outside/support/killable-gateway.ts";
import { openedReview } from "../outside/support/opened-review.ts";
import { type RelayOffice, openGates, relayOffice } from "../outside/support/relay-office.ts";
import { matrixPage } from "./matrix-page.ts";
import { type Case, type MatrixServer, cases, installServers, matrixServers } from "./matrix-servers.ts";

const command = fileURLToPath(new URL("../../client/cli/main.ts", import.meta.url));
const table = fileURLToPath(new URL("results/relay-matrix.md", import.meta.url));
const reply = "Hello from the scripted provider.";
const clients: readonly CellClientKind[] = ["SDK 1.x", "SDK 2.x, 2026"];

let office: RelayOffice;
let key: string;
/** By the row, what came of each case. */
const seen = new Map<string, Partial<Record<Case, string>>>();

beforeAll(async () => {
  installServers();
  office = await relayOffice({ RELAY_HOLD_SECONDS: "2", HEARTBEAT_SECONDS: "1" });
  key = await office.key({ name: "matrix", limits: { requestsPerMinute: 10_000 } });
}, 900_000);
afterAll(async () => {
  await office?.close();
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"]).toString().trim();
  if (seen.size > 0) writeFileSync(table, matrixPage(seen, commit));
});

type Connect = (server: MatrixServer, kind: CellClientKind) => Promise<{ readonly client: CellClient; readonly end: () => Promise<void> }>;
let names = 0;

const overHttp: Connect = async (server, kind) => {
  const started = await server.http?.();
  if (started === undefined) throw new Error(`${server.name} has no HTTP`);
  names += 1;
  await office.serve({ [`matrix-${names}`]: { url: started.url, allowPrivate: true } });
  const client = await cellClient(kind, office.relay(`matrix-${names}`), { Authorization: `Bearer ${key}` });
  return { client, end: async () => (await client.close(), started.end()) };
};

const overStdio: Connect = async ({ stdio }, kind) => {
  if (stdio === null) throw new Error("no stdio");
  const client = await cellClientOverStdio(kind, {
    command: process.execPath,
    args: [command, "stdio", "--server", "matrix", "--url", office.url, "--", ...stdio.command],
    env: { PATH: process.env["PATH"] ?? "", COUNTERSIGN_API_KEY: key },
    cwd: stdio.cwd,
  });
  return { client, end: () => client.close() };
};

const reviewed = (deadlineSeconds: number): Promise<void> =>
  office.rule({
    ...openGates,
    rules: [{ name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds } }],
    reviewers: { everyone: [{ name: "Ada" }] },
  });

/** Calls the tool that samples once. A JSON-RPC error counts as what the tool says. */
async function ask(client: CellClient, server: MatrixServer, question: string): Promise<string> {
  const { tool, given } = server.text ?? { tool: "ask", given: {} };
  const key = server.text === undefined ? "question" : "prompt";
  return (await client.call(tool, { ...given, [key]: question }).catch((error: Error) => ({ text: error.message }))).text;
}

/** What the tool says. A framework may write a text as JSON. */
async function toolsSay(client: CellClient, tool: string, question: string): Promise<string> {
  const { text } = await client.call(tool, { question });
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

/** One case: resolves where the tool ended as it has to. */
const runs: Record<Case, (client: CellClient, server: MatrixServer, question: string) => Promise<void>> = {
  text: async (client, server, question) => expect(await ask(client, server, question)).toContain(reply),
  tools: async (client, _server, question) => {
    office.model.script({ answer: "reply", calls: [{ id: "call_1", name: "weather", input: { city: "Bern" } }] });
    expect(JSON.parse(await toolsSay(client, "ask-tools", question))).toMatchObject({ round: 2, content: [{ type: "text", text: reply }] });
  },
  image: async (client, _server, question) => {
    expect(await toolsSay(client, "ask-image", question)).toBe(reply);
    expect(JSON.stringify(office.model.requests.at(-1)?.body)).toContain("image_url");
  },
  "two requests in one round": async (client, _server, question) =>
    expect(await toolsSay(client, "ask-two", question)).toBe(JSON.stringify([reply, reply])),
  "five rounds": async (client, _server, question) =>
    expect(await toolsSay(client, "ask-five", question)).toBe(JSON.stringify(Array(5).fill(reply))),
  "elicitation beside sampling": async (client, _server, question) =>
    expect(JSON.parse(await toolsSay(client, "ask-and-elicit", question))).toEqual({
      reply,
      action: "accept",
      content: { confirm: true },
    }),
  denied: async (client, server, question) => {
    await reviewed(600);
    const asked = office.model.requests.length;
    const { called, link } = await openedReview(office, () => ask(client, server, question));
    await decideByLink(link, "deny");
    expect(await called).not.toContain(reply);
    expect(office.model.requests).toHaveLength(asked);
  },
  expired: async (client, server, question) => {
    await reviewed(3);
    const asked = office.model.requests.length;
    expect(await ask(client, server, question)).not.toContain(reply);
    expect(office.model.requests).toHaveLength(asked);
  },
  edited: async (client, server, question) => {
    await reviewed(600);
    const { called, link } = await openedReview(office, () => ask(client, server, question));
    await decideByLink(link, "approve", (fields) => {
      const field = [...fields.keys()].find((name) => fields.get(name)?.includes(question)) ?? "";
      fields.set(field, "Rewritten by a person");
    });
    expect(await called).toContain(reply);
    expect(JSON.stringify(office.model.requests.at(-1)?.body)).toContain("Rewritten by a person");
  },
};

function rowsOver(transport: string, servers: readonly MatrixServer[], connect: Connect): void {
  describe.each(servers)(`$name ${transport}`, (server) => {
    describe.each(clients)("with a client of %s", (kind) => {
      const row = `${server.name} | ${transport} | ${kind === "SDK 1.x" ? "2025" : "2026"}`;
      let connected: Awaited<ReturnType<Connect>>;
      beforeAll(async () => {
        seen.set(row, {});
        connected = await connect(server, kind);
      }, 120_000);
      afterAll(() => connected?.end());

      test.each(cases)(
        "%s",
        async (name) => {
          const results = seen.get(row) ?? {};
          const why = server.cannot?.[name];
          results[name] = why ?? "fails";
          if (why !== undefined) return;
          await office.rule(openGates);
          await runs[name](connected.client, server, `What of ${name} at ${row}?`);
          results[name] = "✓";
        },
        60_000,
      );
    });
  });
}

rowsOver(
  "HTTP",
  matrixServers.filter(({ http }) => http !== null),
  overHttp,
);
rowsOver(
  "stdio",
  matrixServers.filter(({ stdio }) => stdio !== null),
  overStdio,
);
