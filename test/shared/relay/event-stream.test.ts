import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventReader, EventSplitter, dataOf, eventOf, looseDatasOf, withData, withEventId } from "../../../shared/relay/event-stream.ts";

/** What a splitter or a reader makes of a text that comes in pieces. */
function eventsOf<T>(stream: { push: (piece: string) => readonly T[] | "tooLong" }, text: string, cuts: readonly number[] = []): T[] {
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
  return [...places, text.length].flatMap((place, index) => {
    const events = stream.push(text.slice(places[index - 1] ?? 0, place));
    if (events === "tooLong") throw new Error("too long");
    return events;
  });
}

const all = (text: string, cuts?: readonly number[]): { raws: string[]; rest: string } => {
  const splitter = new EventSplitter(1_000_000);
  return { raws: eventsOf(splitter, text, cuts), rest: splitter.rest() };
};

/** What a client makes of a stream: the HTML Standard's algorithm, line by line. */
function readByStandard(text: string): { data: string; id: string | null }[] {
  const events: { data: string; id: string | null }[] = [];
  let data: string[] = [];
  let id: string | null = null;
  const lines = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");
  // What follows the last line end is no line.
  for (const line of lines.slice(0, -1)) {
    if (line === "") {
      if (data.length > 0) events.push({ data: data.join("\n"), id });
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") data.push(value);
    if (name === "id") id = value;
  }
  return events;
}

const lineEnd = fc.constantFrom("\n", "\r", "\r\n");
const field = fc.oneof(
  fc.constantFrom(
    "data",
    "data:",
    "data: ",
    "id",
    "id:",
    "id: ",
    "id:  ",
    ": comment",
    "event: message",
    "retry: 5",
    "datax: no",
    " data: no",
  ),
  fc
    .tuple(fc.constantFrom("data:", "data: ", "id:", "id: ", ":"), fc.string({ unit: "grapheme" }))
    .map(([name, value]) => name + value.replaceAll(/[\r\n]/g, "")),
  fc.constant('data: {"a":"\u2028"}'),
);
const stream = fc
  .array(
    fc.oneof(
      fc.tuple(field, lineEnd).map(([line, end]) => line + end),
      lineEnd,
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));
const cuts = fc.array(fc.nat(400), { maxLength: 12 });

const datasOf = (raws: readonly string[]): string[] => raws.map(dataOf).filter((data) => data !== null);

describe("a stream that is cut into events", () => {
  test("loses and adds no character, whatever pieces it comes in", () => {
    fc.assert(
      fc.property(stream, cuts, (text, places) => {
        const { raws, rest } = all(text, places);
        expect(raws.join("") + rest).toBe(text);
      }),
    );
  });

  test("has the same data in the same order, whatever pieces it comes in, and those that the standard's algorithm reads", () => {
    fc.assert(
      fc.property(stream, cuts, (text, places) => {
        const expected = readByStandard(text).map(({ data }) => data);
        expect(datasOf(all(text, places).raws)).toEqual(expected);
        expect(
          datasOf(
            all(
              text,
              [...text].map((_, index) => index),
            ).raws,
          ),
        ).toEqual(expected);
      }),
    );
  });

  test.each([
    ["line feeds", "data: a\n\ndata: b\n\n"],
    ["carriage returns", "data: a\r\rdata: b\r\r"],
    ["both", "data: a\r\n\r\ndata: b\r\n\r\n"],
    ["a mixture", "data: a\n\r\ndata: b\r\n\n"],
  ])("ends its events at blank lines of %s", (_name, text) => {
    for (let cut = 0; cut <= text.length; cut += 1) expect(datasOf(all(text, [cut]).raws)).toEqual(["a", "b"]);
  });

  test("ends no event at the line ends of Unicode", () => {
    for (const end of ["\u2028", "\u2029", "\u0085", "\v", "\f"]) expect(all(`data: a${end}${end}data: b`).raws).toEqual([]);
  });

  test("is refused where an event is one character over the limit, and not where it is at it", () => {
    for (const piece of [1, 7, 100]) {
      const push = (length: number): readonly string[] | "tooLong" => {
        const splitter = new EventSplitter(100);
        let last: readonly string[] | "tooLong" = [];
        for (let at = 0; at < length && last !== "tooLong"; at += piece) last = splitter.push("x".repeat(Math.min(piece, length - at)));
        return last;
      };
      expect(push(100)).toEqual([]);
      expect(push(101)).toBe("tooLong");
    }
  });

  test("is not refused for being long as a whole", () => {
    const splitter = new EventSplitter(20);
    for (let count = 0; count < 100; count += 1) expect(splitter.push("data: abc\n\n")).toHaveLength(1);
  });
});

describe("a stream that is read", () => {
  test("has the data and the ids that the standard's algorithm reads, whatever pieces it comes in", () => {
    fc.assert(
      fc.property(stream, cuts, (text, places) => {
        let last: string | null = null;
        const read = eventsOf(new EventReader(1_000_000), text, places).flatMap(({ data, id }) => {
          last = id ?? last;
          return data === null ? [] : [{ data, id: last }];
        });
        expect(read).toEqual(readByStandard(text));
      }),
    );
  });

  test.each([
    ["id: 7\ndata: a\n\n", [{ data: "a", id: "7" }]],
    ["data: a\rid:7\r\r", [{ data: "a", id: "7" }]],
    ["id: 7\n\n", [{ data: null, id: "7" }]],
    ["id: 6\nid: 7\n\n", [{ data: null, id: "7" }]],
    ["id\n\n", [{ data: null, id: "" }]],
    ["id: 7\nid: \0\n\n", [{ data: null, id: "7" }]],
    ["data: id: 7\n\n", [{ data: "id: 7", id: undefined }]],
    ["identity: 7\n\n", []],
    ["\uFEFFdata: a\n\n\uFEFFdata: b\n\n", [{ data: "a", id: undefined }]],
  ])("%j has %j", (text, events) => {
    for (let cut = 0; cut <= text.length; cut += 1) expect(eventsOf(new EventReader(100), text, [cut])).toEqual(events);
  });

  test("is refused from where an event's data is over the limit, and not where it is at it", () => {
    for (const piece of [1, 7, 100]) {
      const reader = new EventReader(100);
      const push = (text: string): (readonly object[] | "tooLong")[] =>
        (text.match(new RegExp(`[^]{1,${piece}}`, "g")) ?? []).map((part) => reader.push(part));
      expect(push(`data:${"x".repeat(95)}`)).not.toContain("tooLong");
      expect(push("\n\n").flat()).toEqual([{ data: "x".repeat(95), id: undefined }]);
      expect(push(`data:${"x".repeat(96)}`).at(-1)).toBe("tooLong");
      expect(reader.push("\n\ndata: z\n\n")).toBe("tooLong");
    }
  });

  test("is not refused for being long as a whole, nor for a long comment", () => {
    const reader = new EventReader(20);
    for (let count = 0; count < 100; count += 1) expect(reader.push(`:${"-".repeat(30)}\ndata: abc\n\n`)).toHaveLength(1);
  });
});

test.each([
  ["\uFEFFdata: a\n\n", null],
  ["data: a", "a"],
  ["data: a\r\n\r", "a"],
  ["data", ""],
  [": data: a\n\n", null],
])("the data of the raw event %j is %j", (raw, data) => {
  expect(dataOf(raw)).toBe(data);
});

describe("marking an event's id", () => {
  test("puts the mark before every id that is one, and changes nothing else", () => {
    fc.assert(
      fc.property(stream, (text) => {
        const { raws } = all(text);
        const before = readByStandard(raws.join(""));
        const after = readByStandard(raws.map((raw) => withEventId(raw, "mark.")).join(""));
        expect(after.map(({ data }) => data)).toEqual(before.map(({ data }) => data));
        expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => (id === null || id === "" ? id : `mark.${id}`)));
      }),
    );
  });

  test.each([
    ["id: 7\ndata: a\n\n", "id: mark.7\ndata: a\n\n"],
    ["id:7\rdata: a\r\r", "id:mark.7\rdata: a\r\r"],
    ["id:  7\n\n", "id: mark. 7\n\n"],
    ["id\ndata: a\n\n", "id\ndata: a\n\n"],
    ["id: \n\n", "id: \n\n"],
    ["id:\r\n\r\n", "id:\r\n\r\n"],
    ["data: id: 7\n\n", "data: id: 7\n\n"],
    ["data: a\u2028id: 7\n\n", "data: a\u2028id: 7\n\n"],
    ["idx: 7\n\n", "idx: 7\n\n"],
    ["id: a\nid: b\n\n", "id: mark.a\nid: mark.b\n\n"],
  ])("%j becomes %j", (raw, marked) => {
    expect(withEventId(raw, "mark.")).toBe(marked);
  });
});

test("other data in an event leaves its id, its name and its comments", () => {
  expect(withData("id: 7\r\nevent: message\r\n: why\r\ndata: a\r\ndata: b\r\n\r\n", "c")).toBe("id: 7\nevent: message\n: why\ndata: c\n\n");
});

test("an event of ours is one event with one line of data, whatever stands in it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const raw = eventOf({ text });
      expect(all(raw)).toEqual({ raws: [raw], rest: "" });
      expect(JSON.parse(dataOf(raw) ?? "")).toEqual({ text: text.toWellFormed() === text ? text : JSON.parse(JSON.stringify(text)) });
    }),
  );
});

describe("what is read by clients whose lines end where Python's do", () => {
  test.each(["\u2028", "\u2029", "\u0085", "\v", "\f", "\u001c", "\u001d", "\u001e"])("is seen behind %j", (end) => {
    expect(looseDatasOf(`: a comment${end}data: {"hidden":1}\n\n`)).toEqual(['{"hidden":1}']);
    expect(looseDatasOf(`data: {"shown":1}${end}${end}data: {"hidden":1}\n\n`)).toEqual(['{"shown":1}', '{"hidden":1}']);
    expect(looseDatasOf(`id: 7${end}data: {"hidden":1}\r\n\r\n`)).toEqual(['{"hidden":1}']);
  });

  test("is nothing else where no such character is in the event", () => {
    expect(looseDatasOf('data: {"shown":1}\r\n\r\n')).toEqual([]);
  });
});
