// Kill -9 of the gateway at a random moment while people decide about the sampling of a server of 2026-07-28, for clients of both families.

import { Client, StreamableHTTPClientTransport, specTypeSchemas, withInputRequired } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { verifyRecord } from "../../../scripts/verify-record.ts";
import { decideByLink, pause } from "./killable-gateway.ts";
import { type ModernServer, repeatedContinuations } from "./modern-server.ts";
import { until } from "./raw-client.ts";
import { type RelayOffice, openGates, relayKey } from "./relay-office.ts";

export const killCells = ["SDK 1.x, which resumes", "SDK 2.x of 2026-07-28, which repeats"] as const;
export type KillCell = (typeof killCells)[number];

/** The tools that are called, and how often each samples. */
const tools = { ask: 1, "ask-two": 2, "ask-five": 5 } as const;
type Tool = keyof typeof tools;

export const reviewedByAda: object = {
  ...openGates,
  rules: [{ name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"] } }],
  reviewers: { everyone: [{ name: "Ada" }] },
};

/** A client that does not see that its connection broke comes back after this. A leg is held for a second. */
const legMs = 5_000;

export type Ended = { readonly tool: Tool; readonly question: string; readonly text: string; readonly isError: boolean };

/** What came of one kill: everything that must not be is named in `wrong`. */
export type Killed = { readonly ended: readonly Ended[]; readonly wrong: readonly string[] };

type Caller = {
  /** Calls the tool until it has ended, whatever breaks. */
  readonly call: (tool: Tool, question: string) => Promise<Omit<Ended, "tool" | "question">>;
  /** How many calls can be found again, should the gateway end now. */
  readonly found: () => number;
  readonly close: () => Promise<void>;
};

const authorized = { requestInit: { headers: { Authorization: `Bearer ${relayKey}` } } };
const about = { name: "killed", version: "1" };
type Content = { readonly content?: unknown; readonly isError?: boolean | undefined };
const textOf = ({ content, isError = false }: Content) => ({
  text: (content as { text?: string }[]).map(({ text }) => text ?? "").join(""),
  isError,
});

async function resuming(url: string): Promise<Caller> {
  const client = new ClientV1(about, { capabilities: {} });
  const transport = new TransportV1(new URL(url), {
    ...authorized,
    reconnectionOptions: { initialReconnectionDelay: 200, reconnectionDelayGrowFactor: 1, maxReconnectionDelay: 200, maxRetries: 300 },
  });
  await client.connect(transport as Transport);
  const marked = new Set<string>();
  return {
    found: () => marked.size,
    call: async (tool, question) => {
      const options = { timeout: 150_000, onresumptiontoken: () => void marked.add(question) };
      try {
        return textOf((await client.callTool({ name: tool, arguments: { question } }, undefined, options)) as Content);
      } catch (error) {
        return { text: String(error), isError: true };
      }
    },
    close: () => client.close(),
  };
}

async function repeating(url: string): Promise<Caller> {
  const client = new Client(about, { versionNegotiation: { mode: "auto" }, inputRequired: { autoFulfill: false } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), authorized));
  const result = withInputRequired(specTypeSchemas.CallToolResult);
  const states = new Map<string, string>();
  const leg = async (tool: Tool, question: string) => {
    const requestState = states.get(question);
    const params = { name: tool, arguments: { question }, ...(requestState === undefined ? {} : { requestState }) };
    return client.request({ method: "tools/call", params }, result, { allowInputRequired: true, timeout: legMs });
  };
  return {
    found: () => states.size,
    call: async (tool, question) => {
      for (let tries = 0; tries < 600; tries += 1) {
        try {
          const said = await leg(tool, question);
          if (!("requestState" in said)) return textOf(said as Content);
          states.set(question, String(said.requestState));
        } catch (error) {
          // An error of JSON-RPC is an end; any other is a broken connection.
          if (/-32\d{3}|outcome/.test(`${String((error as { code?: unknown }).code)} ${String(error)}`))
            return { text: String(error), isError: true };
          await pause(200);
        }
      }
      return { text: "never ended", isError: true };
    },
    close: () => client.close(),
  };
}

/** Somebody who approves everything, each after a while, until there is nothing more to do. */
function decider(office: RelayOffice, most: number): { readonly stop: () => Promise<void> } {
  const over = new AbortController();
  const under = new Set<string>();
  const decideOne = async (run: string, link: string): Promise<void> => {
    await pause(Math.random() * most);
    try {
      await decideByLink(link, "approve");
    } catch {
      // The gateway is away: the review is still listed when it is back, or was decided.
    }
    under.delete(run);
  };
  const looking = (async () => {
    while (!over.signal.aborted) {
      const open = await office.notices().catch(() => []);
      for (const { run, link } of open) {
        if (link === null || link === undefined || under.has(run)) continue;
        under.add(run);
        void decideOne(run, link);
      }
      await pause(50);
    }
  })();
  return {
    stop: () => {
      over.abort();
      return looking;
    },
  };
}

/** One kill in a cell. `name` tells its questions from those of others. */
export async function killOnce(office: RelayOffice, server: ModernServer, cell: KillCell, name: string): Promise<Killed> {
  const earlier = new Set((await office.record()).events.map(({ run }) => run));
  const modelCalls = office.model.requests.length;
  server.received.length = 0;
  const caller = await (cell === "SDK 1.x, which resumes" ? resuming : repeating)(office.relay("modern"));
  const calls = (Object.keys(tools) as Tool[]).map(async (tool): Promise<Ended> => {
    const question = `${name}: what of ${tool}?`;
    return { tool, question, ...(await caller.call(tool, question)) };
  });
  // From now on each call is known by what its client has.
  await until("a place for each call", () => caller.found() === calls.length);
  const person = decider(office, 800);
  await pause(Math.random() * 2_500);
  await office.kill();
  await pause(Math.random() * 500);
  await office.start();
  const ended = await Promise.all(calls);
  await person.stop();
  await caller.close();
  return { ended, wrong: await wrongIn(office, server, ended, { earlier, modelCalls }) };
}

async function wrongIn(
  office: RelayOffice,
  server: ModernServer,
  ended: readonly Ended[],
  { earlier, modelCalls }: { readonly earlier: ReadonlySet<string>; readonly modelCalls: number },
): Promise<string[]> {
  const wrong = repeatedContinuations(server.received).map((each) => `continued twice: ${each}`);
  const paid = office.model.requests.slice(modelCalls).map(({ body }) => JSON.stringify(body));
  for (const { tool, question, text, isError } of ended) {
    const replies = text.split("Hello from the scripted provider.").length - 1;
    if (!isError && replies !== tools[tool]) wrong.push(`${question} ended with ${replies} replies: ${text}`);
    // The server had a continuation, or was about to get it.
    const mayBeUnknown = /outcome is unknown/.test(text) && paid.some((body) => body.includes(question));
    if (isError && !mayBeUnknown) wrong.push(`${question} ended with ${text}`);
  }
  const { text, events } = await office.record();
  const own = events.filter(({ run }) => !earlier.has(run));
  const countOf = (kind: string, run?: string): number =>
    own.filter((each) => each.fact.kind === kind && (run === undefined || each.run === run)).length;
  const runs = new Set(own.filter(({ fact }) => fact.kind === "reviewOpened").map(({ run }) => run));
  for (const run of runs) if (countOf("reviewOpened", run) !== 1) wrong.push(`${run} was asked for ${countOf("reviewOpened", run)} times`);
  const rounds = Object.values(tools).reduce((sum, each) => sum + each, 0);
  const isWhole = ended.every(({ isError }) => !isError);
  if (isWhole ? runs.size !== rounds : runs.size > rounds) wrong.push(`${runs.size} reviews for ${rounds} rounds`);
  // A call of the model that the kill cut off is made again, and the record has both.
  if (paid.length > countOf("called")) wrong.push(`the model was paid ${paid.length} times for ${countOf("called")} calls`);
  if (new Set(paid).size > rounds) wrong.push(`the model was asked ${new Set(paid).size} different questions`);
  for (const finding of (await verifyRecord(text.split("\n"))).findings) wrong.push(JSON.stringify(finding));
  return wrong;
}
