// Clients of both families that carry their calls through a kill of the gateway: one resumes its
// streams, the other repeats its requests.

import { Client, StreamableHTTPClientTransport, specTypeSchemas, withInputRequired } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { pause } from "./killable-gateway.ts";
import { rawClient } from "./raw-client.ts";

export type Said = { readonly text: string; readonly isError: boolean };

export type KillCaller = {
  /** Calls the tool until it has ended, whatever breaks. */
  readonly call: (tool: string, question: string) => Promise<Said>;
  /** Whether this call can be found again, should the gateway end now. */
  readonly isFound: (question: string) => boolean;
  readonly close: () => Promise<void>;
};

const authorized = (key: string) => ({ requestInit: { headers: { Authorization: `Bearer ${key}` } } });
const about = { name: "killed", version: "1" };

type Content = { readonly content?: unknown; readonly isError?: boolean | undefined };
const saidOf = ({ content, isError = false }: Content): Said => ({
  text: (content as { text?: string }[]).map(({ text }) => text ?? "").join(""),
  isError,
});

/** Whether the gateway says that the call still waits, and is to be made again. */
const isToldAgain = ({ text }: Said): boolean => text.includes("Call it again with the same arguments");

/** SDK 1.x, which resumes its streams with `Last-Event-ID`. */
export async function resumingCaller(url: string, key: string): Promise<KillCaller> {
  const client = new ClientV1(about, { capabilities: {} });
  const transport = new TransportV1(new URL(url), {
    ...authorized(key),
    reconnectionOptions: { initialReconnectionDelay: 200, reconnectionDelayGrowFactor: 1, maxReconnectionDelay: 200, maxRetries: 300 },
  });
  await client.connect(transport as Transport);
  const marked = new Set<string>();
  return {
    isFound: (question) => marked.has(question),
    call: async (tool, question) => {
      const options = { timeout: 150_000, onresumptiontoken: () => void marked.add(question) };
      try {
        return saidOf((await client.callTool({ name: tool, arguments: { question } }, undefined, options)) as Content);
      } catch (error) {
        return { text: String(error), isError: true };
      }
    },
    close: () => client.close(),
  };
}

type Attempt = { readonly requestState: string; readonly inputResponses?: Readonly<Record<string, { readonly action: "accept" }>> };

/**
 * SDK 2.x in 2026-07-28, which sends a request again with the state that it was given, and accepts
 * every form. `legMs`: one that does not see that its connection broke comes back after this; a leg
 * is held for a second.
 */
export async function repeatingCaller(url: string, key: string, legMs = 5_000): Promise<KillCaller> {
  const capabilities = { elicitation: { form: {} } };
  const client = new Client(about, { capabilities, versionNegotiation: { mode: "auto" }, inputRequired: { autoFulfill: false } });
  client.setRequestHandler("elicitation/create", () => ({ action: "decline" }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url), authorized(key)));
  const result = withInputRequired(specTypeSchemas.CallToolResult);
  const attempts = new Map<string, Attempt>();
  const leg = async (tool: string, question: string) => {
    const params = { name: tool, arguments: { question }, ...attempts.get(question) };
    return client.request({ method: "tools/call", params }, result, { allowInputRequired: true, timeout: legMs });
  };
  return {
    isFound: (question) => attempts.has(question),
    call: async (tool, question) => {
      for (let tries = 0; tries < 600; tries += 1) {
        try {
          const said = await leg(tool, question);
          if (!("requestState" in said)) {
            const ended = saidOf(said as Content);
            if (!isToldAgain(ended)) return ended;
            // Its rounds are used up before the person has decided: the same call, anew.
            attempts.delete(question);
            continue;
          }
          const inputs = Object.keys((said as { inputRequests?: object }).inputRequests ?? {});
          const accepted = Object.fromEntries(inputs.map((key) => [key, { action: "accept" as const, content: { confirm: true } }]));
          const requestState = String(said.requestState);
          attempts.set(question, inputs.length === 0 ? { requestState } : { requestState, inputResponses: accepted });
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

/** A connection that says nothing for so long is given up; no call is held as long. */
export const lostMs = 20_000;
type Response2025 = { readonly result?: Content; readonly error?: { readonly message: string } };

/**
 * A client of 2025 that makes its call again where its connection broke, or where it is told that
 * the call still waits.
 */
export async function callingCaller(url: string, key: string, timeoutMs = lostMs): Promise<KillCaller> {
  const client = await rawClient(url, { key });
  let serial = 0;
  const once = async (tool: string, question: string): Promise<Said> => {
    const params = { name: tool, arguments: { question } };
    const answer = await client.call((serial += 1), AbortSignal.timeout(timeoutMs), params);
    const text = await answer.text();
    // The response is the whole body, or the stream's last event.
    const { result, error } = JSON.parse(/(?:^|data: ?)(\{.*\})\s*$/.exec(text)?.[1] ?? "") as Response2025;
    return result === undefined ? { text: error?.message ?? text, isError: true } : saidOf(result);
  };
  const waiting = new Set<string>();
  return {
    isFound: (question) => waiting.has(question),
    call: async (tool, question) => {
      for (let tries = 0; tries < 600; tries += 1) {
        const said = await once(tool, question).catch(() => null);
        if (said !== null && !isToldAgain(said)) return said;
        if (said === null) await pause(200);
        else waiting.add(question);
      }
      return { text: "never ended", isError: true };
    },
    close: async () => void (await client.end()),
  };
}
