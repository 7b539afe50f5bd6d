import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SamplingReply, SamplingRequest } from "../../../shared/model/sampling.ts";
import {
  type RedactionRule,
  beforeRedaction,
  liftMark,
  markStates,
  redactReply,
  redactRequest,
  redactText,
  rulesAt,
} from "../../../shared/redaction/redact.ts";

const secret = `ghp_${"aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA2bC4"}`;
const rules: readonly RedactionRule[] = [
  { name: "secrets", at: ["request", "reply"], secrets: "known" },
  { name: "customers", at: ["request", "reply"], pattern: "CUST-[0-9]{8}", label: "customer number" },
];
const chat = (more: Partial<Extract<SamplingRequest, { kind: "chat" }>> = {}): SamplingRequest => ({
  kind: "chat",
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  maxTokens: 10,
  ...more,
});
const masked = (request: SamplingRequest) => {
  const done = redactRequest(request, rules);
  if (!done.ok) throw new Error(done.error.kind);
  return done.value;
};

/** The request with the secret in every text that a provider gets. */
const everywhere = chat({
  systemPrompt: `system ${secret}`,
  messages: [
    {
      role: "assistant",
      content: [
        { type: "text", text: `text ${secret}` },
        { type: "tool_use", id: "call_1", name: "look", input: { a: [{ b: secret }], [secret]: 1 } },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          toolUseId: "call_1",
          content: [
            { type: "text", text: secret },
            { type: "resource_link", uri: `file:///${secret}`, name: secret, description: secret },
            { type: "resource", resource: { uri: `x:${secret}`, text: secret } },
            { type: "resource", resource: { uri: `x:${secret}`, blob: "AAAA" } },
          ],
          structuredContent: { deep: { deeper: secret } },
        },
      ],
    },
    { role: "user", content: [{ type: "pdf", data: "AAAA", name: `${secret}.pdf` }] },
  ],
  tools: [{ name: "look", description: secret, inputSchema: { type: "object", description: secret } }],
  stopSequences: [secret],
  metadata: { note: secret },
  responseFormat: { type: "json", schema: { description: secret } },
  modelPreferences: { hints: [{ name: secret }] },
});

describe("a request", () => {
  test("has a marker in place of a secret, wherever it stands", () => {
    const { value, redaction } = masked(everywhere);
    expect(JSON.stringify(value)).not.toContain(secret.slice(0, 12));
    expect(JSON.stringify(value)).toContain("[redacted: GitHub token]");
    expect(redaction?.counts).toEqual([{ rule: "secrets", label: "GitHub token", count: 19 }]);
  });

  test("that no rule is about is the very same", () => {
    const request = chat();
    expect(masked(request)).toEqual({ value: request, redaction: null });
    expect(masked(request).value).toBe(request);
  });

  test("is masked once: what is masked has nothing more to mask", () => {
    expect(masked(masked(everywhere).value).redaction).toBeNull();
  });

  test("whose tool has a secret for a name is refused, because another name is another tool", () => {
    expect(redactRequest(chat({ tools: [{ name: secret, inputSchema: {} }] }), rules)).toEqual({
      ok: false,
      error: { kind: "inName", rule: "secrets" },
    });
  });

  test("keeps its tool uses and results together where an id is masked", () => {
    const value = masked(
      chat({
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "CUST-12345678", name: "look", input: {} }] },
          { role: "user", content: [{ type: "tool_result", toolUseId: "CUST-12345678", content: [] }] },
        ],
      }),
    ).value;
    expect(JSON.stringify(value)).not.toContain("CUST-12345678");
    expect(value.messages.map(({ content: [block] }) => block)).toMatchObject([{ id: "redacted_1" }, { toolUseId: "redacted_1" }]);
  });

  test("loses no member where two names are masked to one", () => {
    const { value } = masked(chat({ metadata: { "CUST-00000001": 1, "CUST-00000002": 2 } }));
    expect(value.metadata).toEqual({ "[redacted: customer number]": 1, "[redacted: customer number] 2": 2 });
  });

  test("on which a pattern would work for too long is refused", () => {
    const slow: RedactionRule = { name: "slow", at: ["request"], pattern: "[a-z]{200}Z", label: "slow" };
    expect(redactRequest(chat({ systemPrompt: "a".repeat(400_000) }), [slow])).toEqual({
      ok: false,
      error: { kind: "tooMuch", rule: "slow" },
    });
  });

  test("on which the finder of secrets would work for too long is refused, and a note that it would is not shown", () => {
    const secrets: RedactionRule = { name: "secrets", at: ["request"], secrets: "known" };
    const text = "sk-proj-".repeat(487_500);
    expect(redactRequest(chat({ systemPrompt: text }), [secrets])).toEqual({ ok: false, error: { kind: "tooMuch", rule: "secrets" } });
    expect(redactText(text, [secrets])).toBe("");
  });

  test("has one marker for parts that overlap", () => {
    const overlapping: RedactionRule[] = [
      { name: "one", at: ["request"], pattern: "abcd", label: "one" },
      { name: "two", at: ["request"], pattern: "cdef", label: "two" },
    ];
    const done = redactRequest(chat({ systemPrompt: "xabcdefx" }), overlapping);
    expect(done.ok && done.value.value.systemPrompt).toBe("x[redacted: one]x");
  });
});

describe("a redaction that is lifted", () => {
  const text = `one ${secret} two CUST-12345678 three ${secret}`;
  const { value, redaction } = masked(chat({ systemPrompt: text }));
  if (redaction === null) throw new Error("nothing was masked");

  test("is the original again when each is lifted, in any order", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([1, 2, 3]), (order) => {
        const lifted = new Set<number>();
        let now = value;
        for (const id of order) {
          const next = liftMark(now, redaction, lifted, id);
          if (!next.ok) throw new Error(next.error);
          now = next.value;
          lifted.add(id);
          expect([...markStates(now, redaction, lifted).values()].filter((state) => state === "lifted")).toHaveLength(lifted.size);
        }
        if (order.length === 3) expect(now.systemPrompt).toBe(text);
        else expect(now.systemPrompt).toContain("[redacted: ");
      }),
    );
  });

  test("is none where it was lifted before, is unknown, or its text was edited since", () => {
    expect(liftMark(value, redaction, new Set([1]), 1)).toEqual({ ok: false, error: "unknown" });
    expect(liftMark(value, redaction, new Set(), 9)).toEqual({ ok: false, error: "unknown" });
    expect(liftMark(chat({ systemPrompt: `${value.systemPrompt ?? ""}!` }), redaction, new Set(), 1)).toEqual({
      ok: false,
      error: "edited",
    });
  });

  test("is that of its own text alone", () => {
    const two = masked(
      chat({ systemPrompt: `system ${secret} and more`, messages: [{ role: "user", content: [{ type: "text", text: secret }] }] }),
    );
    if (two.redaction === null) throw new Error("nothing was masked");
    const ofPrompt = two.redaction.marks.find(({ pointer }) => pointer === "/systemPrompt")?.id ?? 0;
    const lifted = liftMark(two.value, two.redaction, new Set(), ofPrompt);
    if (!lifted.ok) throw new Error(lifted.error);
    expect(lifted.value.systemPrompt).toBe(`system ${secret} and more`);
    expect(lifted.value.messages).toEqual(two.value.messages);
    expect([...markStates(lifted.value, two.redaction, new Set([ofPrompt])).values()].toSorted()).toEqual(["lifted", "masked"]);
  });

  test("is shown to others as a difference without what is masked", () => {
    expect(beforeRedaction(value, redaction, true).systemPrompt).toBe(text);
    expect(beforeRedaction(value, redaction, false).systemPrompt).toBe("one •••••••• two •••••••• three ••••••••");
  });
});

describe("a reply", () => {
  const reply = (text: string): SamplingReply => ({ content: [{ type: "text", text }], model: "m" });

  test("that has to be JSON stays JSON, also where a rule masks more than a text of it", () => {
    const wide: RedactionRule[] = [{ name: "wide", at: ["reply"], pattern: '"key": *"[^"]*"', label: "key" }, ...rules];
    const done = redactReply(reply(`{"key": "x", "token": "${secret}"}`), wide, { isJson: true });
    const [block] = done.ok ? done.value.value.content : [];
    expect(block?.type === "text" ? JSON.parse(block.text) : null).toEqual({ key: "x", token: "[redacted: GitHub token]" });
  });

  test("that has to be JSON has no secret in a member's name either, where a rule masks more than a text of it", () => {
    const wide: RedactionRule[] = [{ name: "wide", at: ["reply"], pattern: '"key": *"[^"]*"', label: "key" }, ...rules];
    const done = redactReply(reply(`{"key": "x", "${secret}": 1}`), wide, { isJson: true });
    expect(JSON.stringify(done)).not.toContain(secret);
    const [block] = done.ok ? done.value.value.content : [];
    expect(block?.type === "text" ? JSON.parse(block.text) : null).toEqual({ key: "x", "[redacted: GitHub token]": 1 });
  });

  test("has a marker in the input of a tool use, and no secret in a tool's name", () => {
    const done = redactReply({ content: [{ type: "tool_use", id: "c", name: secret, input: { a: secret } }], model: "m" }, rules);
    expect(done.ok && done.value.value.content).toEqual([
      { type: "tool_use", id: "c", name: "redacted", input: { a: "[redacted: GitHub token]" } },
    ]);
  });
});

test("a rule masks where it says, and a notice is masked by every rule", () => {
  const asked: RedactionRule = { name: "asked", at: ["request"], secrets: "known" };
  const answered: RedactionRule = { name: "answered", at: ["reply"], secrets: "known" };
  const told: RedactionRule = { name: "told", at: ["notice"], secrets: "known" };
  const terms = { rules: [asked, answered, told], mayLift: [] };
  expect(rulesAt(terms, "request")).toEqual([asked]);
  expect(rulesAt(terms, "reply")).toEqual([answered]);
  expect(rulesAt(terms, "notice")).toEqual([asked, answered, told]);
});
