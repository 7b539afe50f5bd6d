// Answers an MCP server's request: POSTs one JSON-RPC message to its endpoint, in its session.

import { featuresOf } from "../../shared/wire/mcp-features.ts";
import type { Env } from "../platform/env.ts";
import type { Server } from "../../shared/relay/servers.ts";
import { askUpstream } from "./ask-upstream.ts";

/** The server and session that wait for an answer. */
export type Waiting = {
  readonly server: Server;
  readonly session: string | null;
  readonly revision: string;
  readonly authorization: string | null;
};

const postTimeoutMs = 20_000;

/**
 * Posts one message. `accepted`: the server has it. `refused`: it never will. `failed`: no answer,
 * 429 or 5xx; worth another attempt.
 */
export async function postToServer(env: Env, waiting: Waiting, message: object): Promise<"accepted" | "refused" | "failed"> {
  const headers = new Headers({ "Content-Type": "application/json", Accept: "application/json, text/event-stream" });
  // Servers of revisions before that header do not expect it.
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
  if (status >= 200 && status < 300) return "accepted";
  return status === 429 || status >= 500 ? "failed" : "refused";
}
