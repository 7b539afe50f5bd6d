// Server-sent events as they pass: cut into events without changing a byte of those that are not ours to change.
// Source: the event stream format of the HTML Standard (server-sent events, section "Parsing an event stream").

/** Cuts a text that comes in pieces into events. What is over `mostCharacters` without an end is refused with `tooLong`. */
export class EventSplitter {
  readonly #most: number;
  #kept = "";
  /** Up to here the kept text has no end of an event in it. */
  #searched = 0;

  constructor(mostCharacters: number) {
    this.#most = mostCharacters;
  }

  /** The events that are complete with this piece, as raw text each. */
  push(piece: string): string[] | "tooLong" {
    this.#kept += piece;
    const events: string[] = [];
    for (;;) {
      const end = endOfEvent(this.#kept, this.#searched);
      if (end === null) break;
      events.push(this.#kept.slice(0, end));
      this.#kept = this.#kept.slice(end);
      this.#searched = 0;
    }
    if (this.#kept.length > this.#most) return "tooLong";
    // A line break at the very end may be the first half of the blank line.
    this.#searched = Math.max(0, this.#kept.length - 3);
    return events;
  }

  /** What is left when the stream has ended: no whole event. */
  rest(): string {
    return this.#kept;
  }
}

/**
 * Where the first blank line after `from` ends. Of a carriage return and line feed that come in two pieces the second may be left to the
 * next event, where it is one more blank line and means nothing.
 */
function endOfEvent(text: string, from: number): number | null {
  const blank = /(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r)/g;
  blank.lastIndex = from;
  const found = blank.exec(text);
  return found === null ? null : found.index + found[0].length;
}

/** The data of a raw event, or null. */
export function dataOf(raw: string): string | null {
  let data: string | null = null;
  for (const line of raw.split(/\r\n|\n|\r/)) {
    if (line !== "data" && !line.startsWith("data:")) continue;
    const value = line.slice(5).replace(/^ /, "");
    data = data === null ? value : `${data}\n${value}`;
  }
  return data;
}

/** The same event with `prefix` before its id, where it has one. An empty id stays: it says that there is none. */
export const withEventId = (raw: string, prefix: string): string =>
  raw.replaceAll(/(^|\r\n|\n|\r)id:( ?)([^\r\n]+)/g, (_, start: string, space: string, id: string) => `${start}id:${space}${prefix}${id}`);

/** The same event with other data. */
export function withData(raw: string, data: string): string {
  const others = raw.split(/\r\n|\n|\r/).filter((line) => line !== "" && line !== "data" && !line.startsWith("data:"));
  return [...others, `data: ${data}`, "", ""].join("\n");
}

/** An event of ours. */
export const eventOf = (message: object): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
