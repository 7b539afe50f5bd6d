// A server's answer that is one JSON value and no stream. It passes byte for byte, except a
// sampling request to the client: a server may not send one as an answer, and it would reach the
// client unreviewed.

import { isOurs } from "../../../../shared/relay/capability-2025.ts";
import { fromServer, samplingMethod } from "../../../../shared/relay/messages.ts";
import type { Server } from "../../../../shared/relay/servers.ts";
import { withoutOurs } from "../../../../shared/relay/url-elicitation.ts";
import type { RelaySession } from "../../../../shared/relay/session-id.ts";
import { readAnswer } from "../../../http/body.ts";
import { longestEvent } from "./sse-relay.ts";

/** The body as the client gets it, or what is wrong with it. */
export async function singleAnswer(
  answer: Response,
  server: Server,
  session: Pick<RelaySession, "clientSamples" | "clientElicits">,
  publicUrl: string | undefined,
): Promise<ReadableStream<Uint8Array> | Uint8Array | null | "tooLong" | "asks"> {
  const samples = isOurs(server.mode, session.clientSamples);
  if (!samples && !session.clientElicits) return answer.body;
  const bytes = await readAnswer(answer, longestEvent);
  if (bytes === null) return "tooLong";
  const text = new TextDecoder().decode(bytes);
  // An escape may hide any word.
  if (!/createMessage|licitation|\\u/.test(text)) return bytes;
  const { rest, intercepted } = fromServer(
    text,
    (message) => samples && message.kind === "request" && message.method === samplingMethod,
    (value) => (publicUrl === undefined ? undefined : withoutOurs(value, publicUrl)),
  );
  if (rest === undefined) return bytes;
  return rest === null || intercepted.length > 0 ? "asks" : new TextEncoder().encode(rest);
}
