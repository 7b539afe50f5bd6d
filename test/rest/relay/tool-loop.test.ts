// A tool loop in sampling, over several turns and with calls side by side, for a client that has no
// sampling.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { matrixClient } from "../../outside/support/relay-matrix.ts";
import { type RelayOffice, relayOffice } from "../../outside/support/relay-office.ts";
import { serveStreaming, type StreamingServer } from "../../outside/support/relay-serve.ts";
import { toolLoopEndpoint } from "../../outside/support/relay-tool-loop.ts";

const mostRounds = 4;
let servers: StreamingServer[];
let office: RelayOffice;
let key: string;

beforeAll(async () => {
  office = await relayOffice();
  key = await office.key({ name: "loop", limits: { roundsPerOriginatingRequest: mostRounds } });
  servers = await Promise.all([serveStreaming(toolLoopEndpoint(1)), serveStreaming(toolLoopEndpoint(2))]);
  const entry = (server: StreamingServer | undefined) => ({ url: `${server?.url ?? ""}/mcp`, allowPrivate: true });
  await office.serve({ sdk1: entry(servers[0]), sdk2: entry(servers[1]) });
});
afterAll(async () => {
  await office?.close();
  await Promise.all((servers ?? []).map((server) => server.close()));
});

const calling = (...cities: string[]) => ({
  answer: "reply" as const,
  calls: cities.map((city) => ({ id: `call-${city}`, name: "weather", input: { city } })),
});

type Asked = {
  readonly messages: { readonly role: string; readonly tool_call_id?: string; readonly tool_calls?: { readonly id: string }[] }[];
};

/** Who said what in one request to the model, as far as the loop goes. */
const turnsOf = (request: unknown): string[] =>
  (request as Asked).messages.map(({ role, tool_call_id: answers, tool_calls: calls }) =>
    [role, ...(answers === undefined ? [] : [answers]), ...(calls ?? []).map(({ id }) => id)].join(" "),
  );

describe.each(["sdk1", "sdk2"])("a server of %s", (server) => {
  const compare = async (): Promise<Record<string, unknown>> => {
    const client = await matrixClient("sdk 1", office.relay(server), { Authorization: `Bearer ${key}` }, "2025-11-25");
    try {
      return JSON.parse(await client.call("compare")) as Record<string, unknown>;
    } finally {
      await client.close();
    }
  };

  test("gets two calls side by side, then one, then the answer in words", async () => {
    office.model.reset();
    office.model.script(calling("Bern", "Rome"), calling("Oslo"), { answer: "reply", text: "Sunny everywhere." });
    expect(await compare()).toEqual({ round: 3, blocks: [{ type: "text", text: "Sunny everywhere." }] });
    const bern = ["assistant call-Bern call-Rome", "tool call-Bern", "tool call-Rome"];
    expect(office.model.requests.map(({ body }) => turnsOf(body))).toEqual([
      ["user"],
      ["user", ...bern],
      ["user", ...bern, "assistant call-Oslo", "tool call-Oslo"],
    ]);
  });

  test("is stopped where the model never comes to an end, and may begin anew with the next request", async () => {
    for (let again = 0; again < 2; again += 1) {
      office.model.reset();
      office.model.script(...Array.from({ length: mostRounds + 3 }, (_, round) => calling(`Bern${round}`)));
      expect(await compare()).toEqual({ code: expect.any(Number), message: expect.stringContaining("rounds") });
      expect(office.model.requests).toHaveLength(mostRounds);
    }
  });
});
