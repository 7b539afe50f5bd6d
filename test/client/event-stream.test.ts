import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEventStreamReader, type StreamItem } from "../../client/event-stream.ts";

const encoder = new TextEncoder();

function read(text: string, cuts: readonly number[] = []): StreamItem[] {
  const bytes = encoder.encode(text);
  const reader = createEventStreamReader();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return places.slice(1).flatMap((end, at) => reader.push(bytes.subarray(places[at], end)));
}

const message = (data: string, id?: string): StreamItem => ({ kind: "event", event: "message", data, id });

describe("the event stream reader", () => {
  test.each<[string, string, StreamItem[]]>([
    ["one line of data", "data: a\n\n", [message("a")]],
    ["several lines of data, joined by line feeds", "data: a\ndata:b\ndata\n\n", [message("a\nb\n")]],
    ["only the first space after the colon left out", "data:  a\n\n", [message(" a")]],
    ["carriage returns as line ends", "data: a\r\rdata: b\r\r", [message("a"), message("b")]],
    ["both together as one line end", "data: a\r\n\r\ndata: b\r\n\r\n", [message("a"), message("b")]],
    ["a byte order mark before the first field", "\uFEFFdata: a\n\n", [message("a")]],
    ["a named event", "event: progress\ndata: a\n\n", [{ kind: "event", event: "progress", data: "a", id: undefined }]],
    ["an id, for its own event only", "id: 7\ndata: a\n\ndata: b\n\n", [message("a", "7"), message("b")]],
    ["an id without data, which servers send to resume from", "id: 7\ndata:\n\n", [message("", "7")]],
    ["comments as signs of life", ": still here\n\n:\n\n", [{ kind: "comment" }, { kind: "comment" }]],
    ["no event for blank lines", "\n\n\n", []],
    ["no event for what the end cut off", "data: a\n\ndata: b\n", [message("a")]],
  ])("reads %s", (_name, text, items) => {
    expect(read(text)).toEqual(items);
  });

  const line = fc.string({ unit: fc.constantFrom("a", ":", " ", "é", "😀", "{", '"', "data", "id") });
  const field = fc.oneof(
    line.map((text) => `data: ${text}`),
    line.map((text) => `: ${text}`),
    line.map((text) => `id: ${text}`),
    fc.constant(""),
  );
  const stream = fc.array(fc.tuple(field, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 30 }).map((lines) => lines.flat().join(""));

  test("gives the same events wherever the bytes are cut, within characters and line ends too", () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat({ max: 400 }), { maxLength: 12 }), (text, cuts) => {
        expect(read(text, cuts)).toEqual(read(text));
      }),
    );
  });

  test("gives the same events whichever line ends are used", () => {
    fc.assert(
      fc.property(stream, fc.constantFrom("\n", "\r\n", "\r"), (text, lineEnd) => {
        expect(read(text.replaceAll(/\r\n|\r|\n/g, lineEnd))).toEqual(read(text));
      }),
    );
  });
});
