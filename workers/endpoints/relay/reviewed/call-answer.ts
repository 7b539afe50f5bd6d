// The answer of a cell to one call: the response is found in it, whether it is one JSON value or
// comes on an event stream. It passes with its bytes, or is caught before its client has it.

import { type JsonObject, digestOf, fromUtf8, utf8ToBytes } from "../../../../shared/encoding.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import type { ProviderError } from "../../../../shared/model/call.ts";
import type { ToolCall } from "../../../../shared/model/subject/tool-call.ts";
import { errorOfStatus, outcomeUnknownError } from "../../../../shared/provider/provider-error.ts";
import { type ArgumentChange, withEditedNotice } from "../../../../shared/relay/call-notices.ts";
import { dataOf, eventOf, onOneLine, withData } from "../../../../shared/relay/event-stream.ts";
import { messageOf } from "../../../../shared/relay/messages.ts";
import { type RequestId, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { toolResultOf } from "../../../../shared/run/functions.ts";
import { maskedReply } from "../../../../shared/run/masked-reply.ts";
import { isRound } from "../../../../shared/relay/rounds.ts";
import { errorResult, shownResult } from "../../../../shared/run/relayed-tool-call.ts";
import { type RequestInput, nothingSpent } from "../../../../shared/run/run-input.ts";
import { readAnswer } from "../../../http/body.ts";
import { eventsIn, isTooLong } from "../../../http/events-in.ts";
import { isEventStream } from "../../../mcp-client/stateless-call.ts";
import type { CallReturn } from "../../../stubs/run-calls.ts";
import { longestEvent } from "../sessions/sse-relay.ts";

/** `pass`: writes events to the client; null where it takes one JSON value alone. */
export type AnswerSink = { readonly pass: ((events: string) => Promise<void>) | null };

/** The response to the call. `event`: it came on a stream, as this raw event. */
export type Found = { readonly message: JsonObject; readonly text: string; readonly event: string | null };

const answers = (value: unknown, id: RequestId): boolean => {
  const message = objectOf(value);
  return message !== null && toRequestId(message["id"]) === id && (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"));
};

/** What comes before the response goes to `before`. Null: the answer ended without it. */
export async function foundIn(
  answer: Response,
  ids: readonly RequestId[],
  before: (event: string) => Promise<void>,
  over?: AbortSignal,
): Promise<Found | null> {
  const isResponse = (value: unknown): boolean => ids.some((id) => answers(value, id));
  if (!isEventStream(answer)) {
    const bytes = answer.body === null ? null : await readAnswer(answer, longestEvent);
    const text = bytes === null ? "" : new TextDecoder().decode(bytes);
    const value = parseJson(text);
    return isResponse(value) ? { message: objectOf(value) ?? {}, text, event: null } : null;
  }
  try {
    for await (const { events, rest } of eventsIn(answer.body, longestEvent, over))
      for (const event of rest === "" ? events : [rest]) {
        const text = dataOf(event) ?? "";
        const parsed = parseJson(text);
        const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
        const mine = list.find(isResponse);
        const isAlone = list.length === 1;
        if (mine === undefined) await before(event);
        else return { message: objectOf(mine) ?? {}, text: isAlone ? text : JSON.stringify(mine), event: isAlone ? event : null };
      }
  } catch (error) {
    if (!isTooLong(error)) throw error;
  }
  return null;
}

/** The response as its client takes it: on an event stream, or as one JSON value. */
export const responseText = ({ text, event }: Pick<Found, "text" | "event">, { pass }: AnswerSink): string =>
  pass === null ? text : (event ?? `event: message\ndata: ${onOneLine(text)}\n\n`);

/** The response, which says what a reviewer changed of the call. */
export function withChange(found: Found, change: ArgumentChange): Found {
  if (change.before === change.after) return found;
  const text = fromUtf8(withEditedNotice(utf8ToBytes(found.text), change));
  return { ...found, text, event: found.event === null ? null : withData(found.event, onOneLine(text)) };
}

/** Passes the answer to the client. Gives the response as it takes it; undefined: there is none. */
export async function passAnswer(answer: Response, id: RequestId, sink: AnswerSink, over: AbortSignal): Promise<string | undefined> {
  const found = await foundIn(answer, [id], async (event) => sink.pass?.(event), over);
  return found === null ? undefined : responseText(found, sink);
}

/**
 * Whether the server wants to know more of its client first. Only 2026-07-28 has such results: a
 * client of a session reads what else is in one.
 */
export const asksForMore = ({ message }: Found, isStateless: boolean): boolean => isStateless && isRound(objectOf(message["result"]) ?? {});

/** What came of a call by its response. `keepsResult`: its run has to have the result. */
export function returnedIn({ message, text }: Found, keepsResult: boolean): CallReturn {
  const result = objectOf(message["result"]);
  if (keepsResult) {
    const read = resultIn(message);
    return read.ok ? { kind: "result", result: read.value } : { kind: "failed", fault: { kind: "brokenAnswer", then: "stop" } };
  }
  if (result === null) return { kind: "failed", fault: { kind: "providerError", then: "stop" } };
  return { kind: "passed", digest: digestOf("countersign/passed-result/v1", text), isError: result["isError"] === true };
}

/** The result as a person reviews it; a server's error is one too. */
const resultIn = (message: JsonObject) => toolResultOf(objectOf(message["result"]) ?? errorResult(objectOf(message["error"]) ?? {}));

/** The server's request or notification in an event; null where it holds anything else. */
export function serverMessageIn(event: string): JsonObject | null {
  const message = objectOf(parseJson(dataOf(event) ?? ""));
  const { kind } = messageOf(message);
  const isOdd = message === null || Object.hasOwn(message, "result") || Object.hasOwn(message, "error");
  return !isOdd && (kind === "request" || kind === "notification") ? message : null;
}

/**
 * A server that refuses the call has not run it; any other end of the answer may have lost it.
 */
export const faultOf = ({ status }: Response): ProviderError =>
  status >= 400 && status < 500 && status !== 408 ? { ...errorOfStatus(status), then: "stop" } : outcomeUnknownError;

/**
 * Catches the response, and passes the server's other messages: each written anew, without an event
 * id by which a client could have the stream sent again.
 */
export const caughtIn = (answer: Response, id: RequestId, sink: AnswerSink): Promise<Found | null> =>
  foundIn(answer, [id], (event) => passAnew(event, sink));

export async function passAnew(event: string, { pass }: AnswerSink): Promise<void> {
  const message = serverMessageIn(event);
  if (message !== null) await pass?.(eventOf(message));
}

/** The result as its client may have it where the policy masks it; null: it cannot be told. */
export function maskedResult({ message }: Found, terms: Pick<RequestInput, "redaction">, call: ToolCall): JsonObject | null {
  const read = resultIn(message);
  if (!read.ok) return null;
  const reply = maskedReply(terms, call, { reply: read.value, usage: nothingSpent }, { model: "", provider: "", at: 0 });
  return reply.ok ? shownResult(reply.value.value) : null;
}
