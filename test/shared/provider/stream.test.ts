import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { textOfReply } from "../../../shared/provider/json-reply.ts";
import { finishReply } from "../../../shared/provider/reply.ts";
import { TextDeltas, usageSoFar } from "../../../shared/provider/text-deltas.ts";
import { callOf, request } from "../../support/providers/requests.ts";
import { anyCut, anyStops, anyText } from "../../support/providers/streams.ts";
import type { ChatRequest } from "../../../shared/model/sampling.ts";

const json = { responseFormat: { type: "json" as const } };

/** What is handed on of text blocks that come in these pieces, before the reply is finished. */
function saidOf(blocks: readonly (readonly string[])[], changes: Partial<ChatRequest> = {}) {
  const said: string[] = [];
  const deltas = new TextDeltas(request(changes), (text) => said.push(text));
  for (const pieces of blocks) {
    for (const piece of pieces) deltas.add(piece);
    if (blocks.length > 1) deltas.endBlock();
  }
  return { said, deltas };
}
const stops = (...stopSequences: string[]) => ({ stopSequences });

describe("the text of a reply on its way", () => {
  test("is handed on at once where nothing can become of it", () => {
    expect(saidOf([["Hel", "lo", " END"]]).said).toEqual(["Hel", "lo", " END"]);
  });

  test("is held back from where a stop sequence could begin, and goes on where it did not come", () => {
    expect(saidOf([["one E", "N", "O two"]], stops("END")).said).toEqual(["one ", "ENO two"]);
  });

  test("ends where a stop sequence begins, whatever comes after it", () => {
    const { said, deltas } = saidOf([["one E", "ND two", " three"]], stops("END"));
    expect(said.join("")).toBe("one ");
    expect(deltas.finish({ content: [{ type: "text", text: "one " }] })).toBe(true);
    expect(said.join("")).toBe("one ");
  });

  test("ends at a short sequence only once a longer one that began before it has not come", () => {
    expect(saidOf([["xab", "d"]], stops("b", "abc")).said.join("")).toBe("xa");
    expect(saidOf([["xab", "c"]], stops("b", "abc")).said.join("")).toBe("x");
  });

  test("ends at a short sequence where the block ends before the longer one came", () => {
    expect(saidOf([["xab"], ["more"]], stops("b", "abc")).said.join("")).toBe("xa");
  });

  test("has no stop sequence that goes from one block into the next", () => {
    expect(saidOf([["one EN"], ["D two"]], stops("END")).said.join("")).toBe("one END two");
  });

  test("is handed on in whole characters, and half a one at the end of a block is the replacement character", () => {
    const [high = "", low = ""] = "😀".split("");
    expect(saidOf([[`a${high}`, `${low}b`]]).said).toEqual(["a", "😀b"]);
    expect(saidOf([[`a${high}`], [`${low}b`]]).said.join("")).toBe("a\uFFFD\uFFFDb");
  });

  test("counts as said only once somebody got a piece of it", () => {
    expect(saidOf([["", "E", "N"]], stops("END")).deltas.any).toBe(false);
    expect(saidOf([["", "x"]]).deltas.any).toBe(true);
  });

  test("is no reply where that says something else than was handed on", () => {
    const { said, deltas } = saidOf([["Hello"]]);
    expect(deltas.finish({ content: [{ type: "text", text: "Goodbye" }] })).toBe(false);
    expect(said).toEqual(["Hello"]);
  });
});

describe("JSON on its way", () => {
  test("is handed on from its first character", () => {
    expect(saidOf([[" ", '{"a"', ": 1}"]], json).said).toEqual([' {"a"', ": 1}"]);
  });

  test.each([
    ["a fence", ["``", "`json\n{", "}\n```"]],
    ["a sentence", ["Here ", "it is: {}"]],
    ["nothing but space", [" ", "\n"]],
  ])("waits for the end where %s comes first", (_what, pieces) => {
    expect(saidOf([pieces], json).said).toEqual([]);
  });

  test("comes out of its fence at the end", () => {
    const { said, deltas } = saidOf([["```json\n{", "}\n```"]], json);
    expect(deltas.finish({ content: [{ type: "text", text: "{}" }] })).toBe(true);
    expect(said).toEqual(["{}"]);
  });
});

test("however a reply's blocks are cut, the pieces together are the text that the whole reply says", () => {
  const blocks = fc.array(anyText, { minLength: 1, maxLength: 3 });
  const fenced = fc.constantFrom(
    (text: string) => text,
    (text: string) => `\`\`\`json\n${JSON.stringify(text)}\n\`\`\``,
    (text: string) => JSON.stringify(text),
  );
  fc.assert(
    fc.property(blocks, anyStops, anyCut, fenced, fc.boolean(), (texts, stopSequences, cut, dress, asJson) => {
      const changes = { stopSequences, ...(asJson ? json : {}) };
      const dressed = asJson && texts.length === 1 ? texts.map(dress) : texts;
      const whole = finishReply(callOf("openai", changes), { content: dressed.map((text) => ({ type: "text", text })), model: "m" });
      const { said, deltas } = saidOf([...dressed.map(cut), []], changes);
      if (!whole.ok) return;
      expect(deltas.finish(whole.value.reply)).toBe(true);
      expect(said.join("")).toBe(textOfReply(whole.value.reply));
      expect(said).not.toContain("");
    }),
    { numRuns: 1_000 },
  );
});

describe("what a stream has cost that broke off", () => {
  const so = (characters: number, outputTokens?: number) =>
    usageSoFar(request(), {
      characters: () => characters,
      usage: () => (outputTokens === undefined ? undefined : { inputTokens: 7, outputTokens }),
    });

  test("is what the provider counted, where that is no less than what came", () => {
    expect(so(40, 10)).toEqual({ inputTokens: 7, outputTokens: 10 });
    expect(so(0, 1)).toEqual({ inputTokens: 7, outputTokens: 1 });
  });

  test("is at least four characters to a token of what came, where the provider counted less or nothing", () => {
    expect(so(41, 1)).toEqual({ inputTokens: 7, outputTokens: 11, estimated: true });
    expect(so(41)).toMatchObject({ outputTokens: 11, estimated: true });
    expect(so(41)?.inputTokens).toBeGreaterThan(5);
  });

  test("is not known where nothing came and nothing was counted", () => {
    expect(so(0)).toBeUndefined();
  });
});
