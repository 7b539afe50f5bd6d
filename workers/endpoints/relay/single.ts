// An answer of a server that is one JSON value and no stream, on its way to the client. It passes byte for byte, but for one that
// asks the client for sampling: a server may not ask in place of an answer, and it would reach the client with nobody having looked.

import { isOurs } from "../../../shared/relay/capability-2025.ts";
import { fromServer, samplingMethod } from "../../../shared/relay/messages.ts";
import type { Server } from "../../../shared/relay/servers.ts";
import type { RelaySession } from "../../../shared/relay/session-id.ts";
import { readBounded } from "../../http/body.ts";
import { longestEvent } from "./sse-relay.ts";

/** The body as the client is to get it, or what is wrong with it. */
export async function singleAnswer(
  body: ReadableStream<Uint8Array>,
  server: Server,
  session: Pick<RelaySession, "clientSamples">,
): Promise<ReadableStream<Uint8Array> | Uint8Array | "tooLong" | "asks"> {
  if (!isOurs(server.mode, session.clientSamples)) return body;
  const bytes = await readBounded(body, longestEvent);
  if (bytes === null) return "tooLong";
  const text = new TextDecoder().decode(bytes);
  // An escape may hide any word.
  if (!text.includes("createMessage") && !text.includes("\\u")) return bytes;
  const { rest } = fromServer(text, (passing) => passing.kind === "request" && passing.method === samplingMethod);
  return rest === undefined ? bytes : "asks";
}
