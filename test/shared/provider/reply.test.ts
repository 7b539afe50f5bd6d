import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Model } from "../../../shared/routing/table.ts";
import { canonicalJson } from "../../../shared/encoding.ts";
import { finishReply, firstStop } from "../../../shared/provider/reply.ts";
import { callOf } from "../../support/providers/requests.ts";

const text = (value: string) => ({ type: "text" as const, text: value });
const long = (model: Partial<Model>, content: readonly { type: "text"; text: string }[], maxTokens = 10, reported = 20) =>
  finishReply(callOf("openai", { maxTokens }, model), {
    content,
    model: "m",
    stopReason: "endTurn",
    usage: { inputTokens: 1, outputTokens: reported },
  });

describe("a reply over the limit by the provider's own count", () => {
  test("is cut to its share, says so, and stopped for the limit", () => {
    expect(long({}, [text("0123456789"), text("abcdefghij")])).toMatchObject({
      ok: true,
      value: {
        reply: { content: [text("0123456789")], stopReason: "maxTokens" },
        usage: { outputTokens: 20 },
        notes: [{ kind: "overLimit", reportedTokens: 20, maxTokens: 10, cut: true }],
      },
    });
  });

  test("is refused where the table says so, at once and with what it cost", () => {
    expect(long({ overLimit: "refuse" }, [text("too much")])).toEqual({
      ok: false,
      error: { kind: "brokenAnswer", status: 200, then: "stop", detail: "overLimit", usage: { inputTokens: 1, outputTokens: 20 } },
    });
  });

  test("exactly at the limit is left alone", () => {
    expect(long({ overLimit: "refuse" }, [text("just right")], 20, 20)).toMatchObject({ ok: true, value: { notes: [] } });
  });

  test("with a tool use is noted and not cut: half of the calls would be another answer", () => {
    const use = { type: "tool_use" as const, id: "t", name: "weather", input: {} };
    const result = finishReply(callOf("openai", { maxTokens: 1 }), {
      content: [text("long"), use],
      model: "m",
      usage: { inputTokens: 1, outputTokens: 9 },
    });
    expect(result).toMatchObject({ ok: true, value: { reply: { content: [text("long"), use] }, notes: [{ cut: false }] } });
  });

  test("is never cut inside a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), fc.integer({ min: 1, max: 50 }), (value, maxTokens) => {
        const result = long({}, [text(value)], maxTokens, 51);
        const kept = result.ok && result.value.reply.content[0]?.type === "text" ? result.value.reply.content[0].text : "?";
        expect(value.startsWith(kept)).toBe(true);
        expect(kept.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe("stop sequences beyond what an API takes", () => {
  const stopSequences = ["1", "2", "3", "4", "END"];

  test("still end the reply, with the stop reason that the API would have given", () => {
    const result = finishReply(callOf("openai", { stopSequences }), {
      content: [text("one END two"), text("three")],
      model: "m",
      stopReason: "endTurn",
    });
    expect(result).toMatchObject({ ok: true, value: { reply: { content: [text("one ")], stopReason: "stopSequence" } } });
  });

  test("that the reply does not hold change nothing", () => {
    const result = finishReply(callOf("openai", { stopSequences }), { content: [text("one two")], model: "m", stopReason: "maxTokens" });
    expect(result).toMatchObject({ ok: true, value: { reply: { content: [text("one two")], stopReason: "maxTokens" } } });
  });

  test("no delivered text ever holds one", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ") }), { maxLength: 3 }),
        fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 3 }), { maxLength: 6 }),
        (texts, sequences) => {
          const result = finishReply(callOf("openai", { stopSequences: sequences }), { content: texts.map(text), model: "m" });
          for (const block of result.ok ? result.value.reply.content : [])
            for (const sequence of sequences) if (sequence !== "" && block.type === "text") expect(block.text).not.toContain(sequence);
        },
      ),
    );
  });

  test("an empty sequence stops nothing", () => {
    expect(firstStop("abc", ["", "c"])).toBe(2);
    expect(firstStop("abc", [""])).toBeUndefined();
  });
});

describe("tool uses of one id", () => {
  const uses = (count: number, id: string) =>
    Array.from({ length: count }, () => ({ type: "tool_use" as const, id, name: "weather", input: {} }));

  test.each(["", "call_1", "x"])("are told apart, however many a poisoned answer holds (%j)", (id) => {
    const result = finishReply(callOf("openai", {}), { content: uses(20_000, id), model: "m" });
    const ids = result.ok ? result.value.reply.content.map((block) => (block.type === "tool_use" ? block.id : "")) : [];
    expect(new Set(ids).size).toBe(20_000);
    expect(ids.slice(0, 2)).toEqual(id === "" ? ["call_1", "call_2"] : [id, `${id}_2`]);
  });
});

describe("characters that are none", () => {
  const bad = "a\ud800b";

  test("become U+FFFD wherever a provider's words stand, so that the reply has a digest", () => {
    const result = finishReply(callOf("openai", {}), {
      content: [text(bad), { type: "tool_use", id: bad, name: bad, input: {} }],
      model: bad,
      stopReason: bad,
    });
    const good = "a\ufffdb";
    const reply = { content: [text(good), { type: "tool_use", id: good, name: good, input: {} }], model: good, stopReason: good };
    expect(result).toMatchObject({ ok: true, value: { reply } });
    expect(() => canonicalJson(reply)).not.toThrow();
  });
});
