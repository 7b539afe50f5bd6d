// The answer of a cell to one call: the response is found in it, whether it is one JSON value or
// comes on an event stream. It passes with its bytes, or is caught before its client has it.

import { type JsonObject, digestOf, fromUtf8, utf8ToBytes } from "../../../../shared/encoding.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import type { ProviderError } from "../../../../shared/model/call.ts";
import type { ToolCall, ToolResult } from "../../../../shared/model/subject/tool-call.ts";
import { errorOfStatus, outcomeUnknownError } from "../../../../shared/provider/provider-error.ts";
import { EventSplitter, dataOf, eventOf, onOneLine, withData } from "../../../../shared/relay/event-stream.ts";
import { messageOf } from "../../../../shared/relay/messages.ts";
import { isRound } from "../../../../shared/relay/rounds.ts";
import { type RequestId, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { toolResultOf } from "../../../../shared/run/functions.ts";
import { maskedReply } from "../../../../shared/run/masked-reply.ts";
import { errorResult, shownResult } from "../../../../shared/run/relayed-tool-call.ts";
import { type RequestInput, nothingSpent } from "../../../../shared/run/run-input.ts";
import { readAnswer } from "../../../http/body.ts";
import { isEventStream } from "../../../mcp-client/stateless-call.ts";
import type { CallReturn } from "../../../stubs/run-calls.ts";
import { longestEvent } from "../sessions/sse-relay.ts";

/** `pass`: writes events to the client; null where it takes one JSON value alone. */
export type AnswerSink = { readonly pass: ((events: string) => Promise<void>) | null };

/** The response to the call. `event`: it came on a stream, as this raw event. */
type Found = { readonly message: JsonObject; readonly text: string; readonly event: string | null };

const answers = (value: unknown, id: RequestId): boolean => {
  const message = objectOf(value);
  return message !== null && toRequestId(message["id"]) === id && (Object.hasOwn(message, "result") || Object.hasOwn(message, "error"));
};

/** What comes before the response goes to `before`. Null: the answer ended without it. */
export async function foundIn(
  answer: Response,
  id: RequestId,
  before: (event: string) => Promise<void>,
  over?: AbortSignal,
): Promise<Found | null> {
  if (!isEventStream(answer)) {
    const bytes = answer.body === null ? null : await readAnswer(answer, longestEvent);
    const text = bytes === null ? "" : new TextDecoder().decode(bytes);
    const value = parseJson(text);
    return answers(value, id) ? { message: objectOf(value) ?? {}, text, event: null } : null;
  }
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader(); // an event stream has one
  over?.addEventListener("abort", () => void reader.cancel().catch(() => {}), { once: true });
  const splitter = new EventSplitter(longestEvent);
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    const events = done ? [splitter.rest()] : splitter.push(decoder.decode(value, { stream: true }));
    if (events === "tooLong") break;
    for (const event of events) {
      const text = dataOf(event);
      const parsed = text === null ? undefined : parseJson(text);
      const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
      const mine = list.find((each) => answers(each, id));
      if (mine === undefined) {
        await before(event);
        continue;
      }
      reader.cancel().catch(() => {});
      return {
        message: objectOf(mine) ?? {},
        text: list.length === 1 ? (text ?? "") : JSON.stringify(mine),
        event: list.length === 1 ? event : null,
      };
    }
    if (done) return null;
  }
  reader.cancel().catch(() => {});
  return null;
}

type Passed = {
  readonly returned: CallReturn;
  /** The response as it goes to the client; undefined where there is none. */
  readonly response: string | undefined;
};

/** Passes the answer to the client. `changed`: the response with what is said of an edit. */
export async function passAnswer(
  answer: Response,
  id: RequestId,
  { pass }: AnswerSink,
  changed: (response: Uint8Array) => Uint8Array,
  over: AbortSignal,
): Promise<Passed> {
  const found = await foundIn(answer, id, async (event) => pass?.(event), over);
  if (found === null) return { returned: { kind: "failed", fault: faultOf(answer) }, response: undefined };
  const { text, event } = found;
  const said = fromUtf8(changed(utf8ToBytes(text)));
  const returned = returnedIn(text, false);
  if (pass === null) return { returned, response: said };
  const written =
    event === null ? `event: message\ndata: ${onOneLine(said)}\n\n` : said === text ? event : withData(event, onOneLine(said));
  return { returned, response: written };
}

/** What came of a call by its response's text. `keepsResult`: its run has to have the result. */
export function returnedIn(text: string, keepsResult: boolean): CallReturn {
  const message = objectOf(parseJson(text)) ?? {};
  const result = objectOf(message["result"]);
  if (keepsResult) {
    const read = toolResultOf(result ?? errorResult(objectOf(message["error"]) ?? {}));
    return read.ok ? { kind: "result", result: read.value } : { kind: "failed", fault: { kind: "brokenAnswer", then: "stop" } };
  }
  if (result === null) return { kind: "failed", fault: { kind: "providerError", then: "stop" } };
  return { kind: "passed", digest: digestOf("countersign/passed-result/v1", text), isError: result["isError"] === true };
}

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

type Caught =
  | { readonly kind: "result"; readonly result: ToolResult; readonly shown: JsonObject }
  /** The server wants to know more of its client first. */
  | { readonly kind: "round"; readonly response: JsonObject }
  | { readonly kind: "failed"; readonly fault: ProviderError };

/**
 * Catches the result, and passes the server's other messages: each written anew, without an event
 * id by which a client could have the stream sent again. A server's error is a result too, whose
 * text a person reviews.
 * @param masked By which rules the result is masked here; null where its run masks it.
 */
export async function caughtResult(
  answer: Response,
  id: RequestId,
  { pass }: AnswerSink,
  masked: { readonly terms: Pick<RequestInput, "redaction">; readonly call: ToolCall } | null,
): Promise<Caught> {
  const found = await foundIn(answer, id, async (event) => {
    const message = serverMessageIn(event);
    if (message !== null) await pass?.(eventOf(message));
  });
  if (found === null) return { kind: "failed", fault: faultOf(answer) };
  const { message } = found;
  const result = objectOf(message["result"]);
  if (result !== null && isRound(result)) return { kind: "round", response: message };
  const read = toolResultOf(result ?? errorResult(objectOf(message["error"]) ?? {}));
  if (!read.ok) return { kind: "failed", fault: { kind: "brokenAnswer", then: "stop" } };
  if (masked === null) return { kind: "result", result: read.value, shown: {} };
  const reply = maskedReply(masked.terms, masked.call, { reply: read.value, usage: nothingSpent }, { model: "", provider: "", at: 0 });
  if (!reply.ok) return { kind: "failed", fault: outcomeUnknownError };
  return { kind: "result", result: reply.value.value, shown: shownResult(reply.value.value) };
}
