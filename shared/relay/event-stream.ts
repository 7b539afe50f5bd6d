// Reads server-sent events with `eventsource-parser`, as most MCP clients do, and cuts a stream
// into events as raw text: the relay passes those that are not the gateway's without changing a
// byte.
// Source: the event stream format of the HTML Standard (server-sent events, section "Parsing an
// event stream").

import { createParser } from "eventsource-parser";

/** `data`: null for an event that has an id alone. `id`: undefined where it has none. */
type ServerSentEvent = { readonly data: string | null; readonly id: string | undefined };

/**
 * Reads a text that comes in pieces. An event whose data is over `mostCharacters` is refused with
 * `tooLong`, and so is all that follows it.
 */
export class EventReader {
  readonly #parser: ReturnType<typeof createParser>;
  #events: ServerSentEvent[] = [];

  constructor(mostCharacters: number) {
    this.#parser = createParser({
      maxBufferSize: mostCharacters,
      // Comes before the event's data, where it has some.
      onId: (id) => this.#events.push({ data: null, id }),
      onEvent: ({ data, id }) => {
        if (id !== undefined) this.#events.pop();
        this.#events.push({ data, id });
      },
    });
  }

  /** The events that are complete with this piece. */
  push(piece: string): readonly ServerSentEvent[] | "tooLong" {
    this.#events = [];
    try {
      this.#parser.feed(piece);
      // Throws where the limit was exceeded. `onError` would say so too, and would make an Error of
      // each line that is no field: 27 seconds of work in 8 MB.
      this.#parser.feed("");
    } catch {
      return "tooLong";
    }
    return this.#events;
  }
}

/**
 * Cuts a text that comes in pieces into events. An event over `mostCharacters` is refused with
 * `tooLong`. Each character is looked at once, so that a long event in many pieces costs no more
 * than in one.
 */
export class EventSplitter {
  readonly #most: number;
  #pending: string[] = [];
  #length = 0;
  /** The end of what is pending: a blank line may have begun there. */
  #tail = "";

  constructor(mostCharacters: number) {
    this.#most = mostCharacters;
  }

  /** The events that are complete with this piece, as raw text each. */
  push(piece: string): string[] | "tooLong" {
    const text = this.#tail + piece;
    let from = this.#tail.length;
    const events: string[] = [];
    for (const found of text.matchAll(blankLine)) {
      const end = found.index + found[0].length;
      events.push(this.#pending.join("") + text.slice(from, end));
      this.#pending = [];
      this.#length = 0;
      from = end;
    }
    this.#pending.push(text.slice(from));
    this.#length += text.length - from;
    if (this.#length > this.#most) return "tooLong";
    this.#tail = (events.length === 0 ? text : text.slice(from)).slice(-3);
    return events;
  }

  /** The incomplete event that is left when the stream has ended. */
  rest(): string {
    return this.#pending.join("");
  }
}

/**
 * The end of an event. Of a carriage return and line feed in two pieces, the line feed may go to
 * the next event, where it is one more blank line without meaning.
 */
const blankLine = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/g;

/** What a raw event says, also one that the end of its stream cut off. */
export function readEvent(raw: string): ServerSentEvent {
  let read: ServerSentEvent = { data: null, id: undefined };
  const parser = createParser({ onId: (id) => (read = { ...read, id }), onEvent: ({ data }) => (read = { ...read, data }) });
  // A byte order mark begins a stream, and not each of its events.
  parser.feed("\n");
  parser.feed(`${raw}\n\n`);
  return read;
}

/** The data of a raw event, or null. */
export const dataOf = (raw: string): string | null => readEvent(raw).data;

// oxlint-disable-next-line no-control-regex
const otherLineEnd = /[\v\f\u001c-\u001e\u0085\u2028\u2029]/g;

/**
 * The data of each event that clients find in this one whose line ends are those of Unicode
 * (Python's `splitlines`, which older HTTP libraries use). Empty where they read the same as
 * others.
 */
export function looseDatasOf(raw: string): string[] {
  if (raw.search(otherLineEnd) === -1) return [];
  const datas: string[] = [];
  for (const event of raw
    .replaceAll(/\r\n|\r/g, "\n")
    .replaceAll(otherLineEnd, "\n")
    .split("\n\n")) {
    const data = dataOf(event);
    if (data !== null) datas.push(data);
  }
  return datas;
}

/**
 * The same event with `prefix` before its id, where it has one. An empty id stays: it says that
 * there is none.
 */
export const withEventId = (raw: string, prefix: string): string =>
  raw.replaceAll(/(^|\r\n|\n|\r)id:(?! ?(?:[\r\n]|$))( ?)/g, (_, start: string, space: string) => `${start}id:${space}${prefix}`);

export function withData(raw: string, data: string): string {
  const others = raw.split(/\r\n|\n|\r/).filter((line) => line !== "" && line !== "data" && !line.startsWith("data:"));
  return [...others, `data: ${data}`, "", ""].join("\n");
}

/** An event with a message of the gateway's own. */
export const eventOf = (message: object): string => `event: message\ndata: ${onOneLine(JSON.stringify(message))}\n\n`;

/**
 * JSON without the characters that some clients take for the end of a line. The wide ones stand in
 * strings alone.
 */
export const onOneLine = (json: string): string =>
  json.replaceAll(/[\u0085\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).replaceAll(/[\r\n]+/g, " ");
