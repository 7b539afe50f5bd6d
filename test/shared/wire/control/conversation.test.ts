import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ConversationLimits,
  conversationEdits,
  conversationLimits,
  editedTurns,
  keptTurns,
} from "../../../../shared/wire/control/turns.ts";
import type { Turn } from "../../../../shared/wire/control/envelope.ts";
import type { ChatRequest } from "../../../../shared/model/sampling.ts";

const user = (content: string): Turn => ({ role: "user", content });
const assistant = (content: string): Turn => ({ role: "assistant", content });
const system = (content: string): Turn => ({ role: "system", content });
const bytesOf = (turns: readonly Turn[]): number => new TextEncoder().encode(turns.map(({ content }) => content).join("")).length;

describe("what a reviewer changed", () => {
  const request = (systemPrompt: string | undefined, ...texts: string[]): ChatRequest => ({
    kind: "chat",
    messages: texts.map((text, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content: [{ type: "text", text }] })),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    maxTokens: 1,
  });

  test("is the prompt, the turns that are others now, and the system prompt where it is another", () => {
    expect(conversationEdits(request("s", "a", "b", "c"), request("s", "a", "B", "C"))).toEqual({
      prompt: "C",
      edits: {
        messages: [
          { role: "assistant", asked: "b", sent: "B" },
          { role: "user", asked: "c", sent: "C" },
        ],
      },
    });
    expect(conversationEdits(request("s", "a"), request(undefined, "a")).edits).toEqual({ messages: [], system: "" });
  });

  test("is changed wherever the same role said the same, and system turns that are no longer sent fall out", () => {
    const turns = [system("x"), system("y"), user("a"), assistant("a"), user("b"), user("a")];
    const edits = { messages: [{ role: "user" as const, asked: "a", sent: "A" }], system: "only y" };
    expect(editedTurns(turns, edits)).toEqual([system("y"), user("A"), assistant("a"), user("b"), user("A")]);
    expect(editedTurns(turns, { messages: [] })).toEqual(turns);
  });
});

describe("a conversation", () => {
  const turns = [user("1"), assistant("2"), user("3"), assistant("4")];

  test("is kept whole while it is exactly within the limits", () => {
    expect(keptTurns(turns, { turns: 4, bytes: 4 })).toEqual(turns);
  });

  test.each([
    ["one turn too many", { turns: 3, bytes: 100 }],
    ["one byte too many", { turns: 100, bytes: 3 }],
  ])("loses its oldest exchange where there is %s", (_, limits) => {
    expect(keptTurns(turns, limits)).toEqual([user("3"), assistant("4")]);
  });

  test("loses several turns of the user together with their answer", () => {
    const asked = [user("a"), user("b"), assistant("c"), assistant("d"), user("e")];
    expect(keptTurns(asked, { turns: 4, bytes: 100 })).toEqual([user("e")]);
  });

  test("loses an answer to nothing before anything else", () => {
    expect(keptTurns([assistant("hello"), ...turns], { turns: 4, bytes: 100 })).toEqual(turns);
  });

  test("keeps system turns while an exchange is left to fall out, and then loses the oldest of them", () => {
    const mixed = [system("a"), user("1"), system("b"), assistant("2"), user("3")];
    expect(keptTurns(mixed, { turns: 3, bytes: 100 })).toEqual([system("a"), system("b"), user("3")]);
    expect(keptTurns(mixed, { turns: 2, bytes: 100 })).toEqual([system("a"), system("b")]);
    expect(keptTurns(mixed, { turns: 1, bytes: 100 })).toEqual([system("b")]);
  });

  test("loses all of an exchange that is too long by itself", () => {
    expect(keptTurns([user("x".repeat(10)), assistant("y")], { turns: 200, bytes: 10 })).toEqual([]);
  });

  test("counts bytes and not characters", () => {
    expect(keptTurns([user("1"), assistant("héé")], { turns: 200, bytes: 5 })).toEqual([]);
    expect(keptTurns([user("1"), assistant("héé")], { turns: 200, bytes: 6 })).toHaveLength(2);
  });

  test("is at most 200 turns and a mebibyte, if nothing else is said", () => {
    expect(conversationLimits).toEqual({ turns: 200, bytes: 1024 * 1024 });
    const long = Array.from({ length: 300 }, (_, index) => (index % 2 === 0 ? user(`${index}`) : assistant(`${index}`)));
    expect(keptTurns(long)).toEqual(long.slice(100));
  });
});

describe("properties", () => {
  const turn: fc.Arbitrary<Turn> = fc.record({
    role: fc.constantFrom("user", "assistant", "assistant", "user", "system"),
    content: fc.string({ unit: "grapheme", maxLength: 12 }),
  });
  const turns = fc.array(turn, { maxLength: 30 });
  const limits: fc.Arbitrary<ConversationLimits> = fc.record({ turns: fc.nat(20), bytes: fc.nat(120) });
  const said = (list: readonly Turn[]): Turn[] => list.filter(({ role }) => role !== "system");

  test("what is kept is within the limits, in its order, and all of it where all of it is within them", () => {
    fc.assert(
      fc.property(turns, limits, (list, most) => {
        const kept = keptTurns(list, most);
        expect(kept.length).toBeLessThanOrEqual(most.turns);
        expect(bytesOf(kept)).toBeLessThanOrEqual(most.bytes);
        const places = kept.map((each) => list.indexOf(each));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        if (list.length <= most.turns && bytesOf(list) <= most.bytes) expect(kept).toEqual(list);
      }),
      { numRuns: 1000 },
    );
  });

  test("what fell out is the beginning of what was said, and what is left begins with a user's turn", () => {
    let shortened = 0;
    fc.assert(
      fc.property(turns, limits, (list, most) => {
        const kept = said(keptTurns(list, most));
        expect(kept).toEqual(said(list).slice(said(list).length - kept.length));
        if (kept.length === 0 || kept.length === said(list).length) return;
        shortened += 1;
        expect(kept[0]?.role).toBe("user");
      }),
      { numRuns: 1000 },
    );
    expect(shortened).toBeGreaterThan(50);
  });

  test("no exchange falls out that could have stayed", () => {
    fc.assert(
      fc.property(turns, limits, (list, most) => {
        const kept = keptTurns(list, most);
        const lost = said(list).length - said(kept).length;
        if (lost === 0) return;
        // The last exchange that fell out, put back, is too much.
        const before = said(list).slice(0, lost);
        const begins = before.findLastIndex(({ role }, index) => role === "user" && before[index - 1]?.role !== "user");
        const back = before.slice(Math.max(0, begins));
        const systems = list.filter(({ role }) => role === "system");
        const fuller = [...systems, ...back, ...said(kept)];
        expect(fuller.length > most.turns || bytesOf(fuller) > most.bytes).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("trimming again changes nothing", () => {
    fc.assert(
      fc.property(turns, limits, (list, most) => {
        const kept = keptTurns(list, most);
        expect(keptTurns(kept, most)).toEqual(kept);
      }),
    );
  });
});
