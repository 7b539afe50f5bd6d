// A server's answer as its client gets it: a stream by its events, any other answer whole.

import { readAnswer, utf8TextOf } from "../../http/body.ts";
import { eventsIn } from "../../http/events-in.ts";
import { isEventStream } from "../../mcp-client/stateless-call.ts";
import type { AppContext } from "../app-context.ts";
import { broken, errorMessages } from "./relay-request.ts";
import { longestEvent } from "./sessions/sse-relay.ts";

type AnswerChange = {
  /** Gives an event's text, or an empty one for none. */
  readonly event: (raw: string) => Promise<string> | string;
  /** `text`: null where it is no JSON in UTF-8. */
  readonly whole: (bytes: Uint8Array, text: string | null) => Promise<Response> | Response;
};

/** Clients read every answer to a GET as a stream. */
export async function changedAnswer(c: AppContext, answer: Response, { event, whole }: AnswerChange): Promise<Response> {
  if (answer.body !== null && (isEventStream(answer) || c.req.method === "GET"))
    return new Response(changedEvents(answer.body, event), answer);
  const bytes = await readAnswer(answer, longestEvent);
  return bytes === null ? broken(c, errorMessages.tooLong) : whole(bytes, utf8TextOf(bytes));
}

function changedEvents(body: ReadableStream<Uint8Array>, change: (raw: string) => Promise<string> | string): ReadableStream<Uint8Array> {
  const left = new AbortController();
  const pieces = eventsIn(body, longestEvent, left.signal);
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      for (;;) {
        const { done, value } = await pieces.next();
        if (done) return controller.close();
        let text = "";
        for (const event of value.rest === "" ? value.events : [value.rest]) text += await change(event);
        if (text !== "") return controller.enqueue(encoder.encode(text));
      }
    },
    cancel: () => left.abort(),
  });
}
