// One request to a server of revision 2026-07-28, and its answer: the revision's headers, and the
// notifications that come before the answer.

import type { JsonObject } from "../../shared/encoding.ts";
import { objectOf, parseJson } from "../../shared/json/values.ts";
import { dataOf } from "../../shared/relay/event-stream.ts";
import type { Server } from "../../shared/relay/servers.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { RequestId, RpcError } from "../../shared/wire/json-rpc.ts";
import { encodeHeaderValue } from "../../shared/wire/mcp-2026/header-values.ts";
import { revision2026 } from "../../shared/wire/mcp-2026/stateless-request.ts";
import type { Env } from "../platform/env.ts";
import { readText } from "../http/body.ts";
import { eventsIn, isTooLong } from "../http/events-in.ts";
import type { UpstreamError } from "./ask-server.ts";
import { askUpstream } from "./ask-upstream.ts";

type StatelessCall = {
  readonly id: RequestId;
  readonly method: string;
  /** What `Mcp-Name` repeats; null for none. */
  readonly name: string | null;
  /** The params, as JSON text. */
  readonly params: string;
  /** `Mcp-Param-…` headers. */
  readonly headers?: readonly (readonly [string, string])[];
  readonly authorization: string | null;
  readonly signal?: AbortSignal;
};

/** In characters, of an answer or of one event. */
export const longestAnswer = 10_000_000;

/** The server's answer, its body unread. */
export function askStateless(env: Env, server: Server, call: StatelessCall): Promise<Result<Response, UpstreamError>> {
  const { id, method, name, params, headers = [], authorization, signal } = call;
  return askUpstream(env, server, {
    method: "POST",
    body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":${JSON.stringify(method)},"params":${params}}`,
    session: null,
    headers: new Headers({
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": revision2026,
    }),
    more: statelessHeaders(method, name, headers),
    authorization,
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The headers that repeat the body. */
const statelessHeaders = (method: string, name: string | null, headers: readonly (readonly [string, string])[]): Headers =>
  new Headers([["Mcp-Method", method], ...(name === null ? [] : [["Mcp-Name", encodeHeaderValue(name)] as const]), ...headers] as [
    string,
    string,
  ][]);

/** `noAnswer`: the body ended, or broke, without a response to the request. */
export type StatelessError = UpstreamError | "tooLong" | "noAnswer";

/**
 * The response to a request, whole: `message` is a JSON-RPC response. `onNotification` gets each
 * notification before it, as text.
 */
export type StatelessAnswer = { readonly status: number; readonly message: JsonObject };

export async function answerOf(
  response: Response,
  id: RequestId,
  onNotification: (message: string) => void = () => {},
): Promise<Result<StatelessAnswer, StatelessError>> {
  const { status } = response;
  try {
    const message = isEventStream(response) ? await fromEvents(response.body, id, onNotification) : await fromText(response.body, id);
    return typeof message === "string" ? err(message) : ok({ status, message });
  } catch (error) {
    return err(isTooLong(error) ? "tooLong" : "noAnswer");
  }
}

/** As clients detect one: anywhere in the type. */
export const isEventStream = (answer: Response): boolean => /text\/event-stream/i.test(answer.headers.get("Content-Type") ?? "");

async function fromText(body: Response["body"], id: RequestId): Promise<JsonObject | "tooLong" | "noAnswer"> {
  const text = await readText(body, longestAnswer);
  if (text === undefined) return "tooLong";
  const message = objectOf(parseJson(text));
  // An error that comes before the request was read has no id.
  return message !== null && (Object.hasOwn(message, "result") ? message["id"] === id : isResponse(message)) ? message : "noAnswer";
}

async function fromEvents(
  body: Response["body"],
  id: RequestId,
  onNotification: (message: string) => void,
): Promise<JsonObject | "noAnswer"> {
  for await (const { events } of eventsIn(body, longestAnswer))
    for (const event of events) {
      const data = dataOf(event) ?? "";
      const message = objectOf(parseJson(data));
      if (message === null) continue;
      if (isResponse(message) && message["id"] === id) return message;
      if (typeof message["method"] === "string" && message["id"] === undefined) onNotification(data);
    }
  return "noAnswer";
}

const isResponse = (message: JsonObject): boolean => Object.hasOwn(message, "result") || Object.hasOwn(message, "error");

/** The error of a response, whatever a server put there. */
export function errorOf(message: JsonObject): RpcError {
  const error = objectOf(message["error"]);
  const [code, text, data] = [error?.["code"], error?.["message"], error?.["data"]];
  return {
    code: typeof code === "number" && Number.isSafeInteger(code) ? code : -32_603,
    message: typeof text === "string" ? text : "The MCP server answered with an error that has no message",
    // Passed on as it came: of any JSON type.
    ...(data === undefined ? {} : { data: data as JsonObject }),
  };
}
