// Answers a server's own request: a POST of one JSON-RPC message to its endpoint, in its session.

import { featuresOf } from "../../shared/wire/mcp-features.ts";
import type { Env } from "../platform/env.ts";
import type { Server } from "../../shared/relay/servers.ts";
import { askUpstream } from "./ask-server.ts";

/** Where a server waits for an answer. */
export type Waiting = {
  readonly server: Server;
  readonly session: string | null;
  readonly revision: string;
  readonly authorization: string | null;
};

const postTimeoutMs = 20_000;

/**
 * Posts one message. `taken`: the server has it. `refused`: it does not know the session, or does not want it, and never will.
 * `failed`: nobody answered, or not now.
 */
export async function postToServer(env: Env, waiting: Waiting, message: object): Promise<"taken" | "refused" | "failed"> {
  const headers = new Headers({ "Content-Type": "application/json", Accept: "application/json, text/event-stream" });
  // Servers of revisions before that header do not ask for it.
  if (featuresOf(waiting.revision).versionHeader) headers.set("MCP-Protocol-Version", waiting.revision);
  const answer = await askUpstream(env, waiting.server, {
    method: "POST",
    body: JSON.stringify(message),
    session: waiting.session,
    headers,
    authorization: waiting.authorization,
    signal: AbortSignal.timeout(postTimeoutMs),
  });
  if (!answer.ok) return answer.error === "unreachable" ? "failed" : "refused";
  const { status, body } = answer.value;
  body?.cancel().catch(() => {});
  if (status >= 200 && status < 300) return "taken";
  return status === 429 || status >= 500 ? "failed" : "refused";
}
