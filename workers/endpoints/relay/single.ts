// A server's answer that is one JSON value and no stream. It passes byte for byte, except a sampling request to the client: a server may
// not send one as an answer, and it would reach the client unreviewed.

import { isOurs } from "../../../shared/relay/capability-2025.ts";
import { fromServer, samplingMethod } from "../../../shared/relay/messages.ts";
import type { Server } from "../../../shared/relay/servers.ts";
import type { RelaySession } from "../../../shared/relay/session-id.ts";
import { readAnswer } from "../../http/body.ts";
import { longestEvent } from "./sse-relay.ts";

/** The body as the client gets it, or what is wrong with it. */
export async function singleAnswer(
  answer: Response,
  server: Server,
  session: Pick<RelaySession, "clientSamples">,
): Promise<ReadableStream<Uint8Array> | Uint8Array | null | "tooLong" | "asks"> {
  if (!isOurs(server.mode, session.clientSamples)) return answer.body;
  const bytes = await readAnswer(answer, longestEvent);
  if (bytes === null) return "tooLong";
  const text = new TextDecoder().decode(bytes);
  // An escape may hide any word.
  if (!text.includes("createMessage") && !text.includes("\\u")) return bytes;
  const { rest } = fromServer(text, (message) => message.kind === "request" && message.method === samplingMethod);
  return rest === undefined ? bytes : "asks";
}
