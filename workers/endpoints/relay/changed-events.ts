// A server's answer as its client gets it where some of its texts are changed: a stream by its
// events, any other answer whole.

import { dataOf, looseDatasOf, onOneLine, withData } from "../../../shared/relay/event-stream.ts";
import { readAnswer, utf8TextOf } from "../../http/body.ts";
import { eventsIn } from "../../http/events-in.ts";
import { isEventStream } from "../../mcp-client/stateless-call.ts";
import type { AppContext } from "../app-context.ts";
import { broken, errorMessages } from "./relay-request.ts";
import { longestEvent } from "./sessions/sse-relay.ts";

type AnswerChange = {
  /** Whether a text has to be read, by its words: any other passes as it came. */
  readonly mayConcern: (text: string) => boolean | Promise<boolean>;
  /** A JSON text as its client gets it; undefined: as it came. Null: nothing of it. */
  readonly changed: (text: string) => Promise<string | null | undefined> | string | null | undefined;
  /** Where no client may read what is not to pass, in whatever way it reads. */
  readonly guard?: {
    /** Whether a text that passes has something of it. */
    readonly isHidden: (text: string) => boolean;
    /** Clients read it also in the answer with an HTTP error. */
    readonly isInErrors: boolean;
  };
};

const otherEncoding = "The MCP server answered in another encoding than UTF-8";
const otherRequest = "The MCP server answered another request than the one that it was sent";

/** Clients read every answer to a GET as a stream. */
export async function changedAnswer(c: AppContext, answer: Response, change: AnswerChange): Promise<Response> {
  if (answer.body !== null && (isEventStream(answer) || c.req.method === "GET"))
    return new Response(changedEvents(answer.body, change), answer);
  const { mayConcern, changed, guard } = change;
  const bytes = await readAnswer(answer, longestEvent);
  if (bytes === null) return broken(c, errorMessages.tooLong);
  const text = utf8TextOf(bytes);
  if (text === null && guard !== undefined) return broken(c, otherEncoding);
  if (text === null || !(await mayConcern(text))) return new Response(bytes, answer);
  const left = await changed(text);
  if (left === null && answer.ok) return broken(c, otherRequest);
  const passed = new Response(left ?? bytes, answer);
  // In another charset a client would read other JSON in the same bytes.
  if (guard !== undefined && (answer.ok || guard.isInErrors)) passed.headers.set("Content-Type", "application/json");
  return passed;
}

function changedEvents(body: ReadableStream<Uint8Array>, change: AnswerChange): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const pieces = eventsIn(body, longestEvent, left.signal);
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      for (;;) {
        const { done, value } = await pieces.next();
        if (done) return controller.close();
        let text = "";
        for (const event of value.rest === "" ? value.events : [value.rest]) text += await changedEvent(event, change);
        if (text !== "") return controller.enqueue(encoder.encode(text));
      }
    },
    cancel: () => left.abort(),
  });
}

async function changedEvent(raw: string, { mayConcern, changed, guard }: AnswerChange): Promise<string> {
  if (!(await mayConcern(raw))) return raw;
  const data = dataOf(raw);
  const left = data === null ? undefined : await changed(data);
  const passed = left === undefined ? raw : left === null ? "" : withData(raw, onOneLine(left));
  // Empty where a lenient client would read it in the event that this parser does not.
  return guard !== undefined && looseDatasOf(passed).some(guard.isHidden) ? "" : passed;
}
