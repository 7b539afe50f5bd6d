import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ChatRequest, Message } from "../../../../shared/model/sampling.ts";
import { anthropicVersion, toAnthropic } from "../../../../shared/provider/anthropic/anthropic-translation.ts";
import { cannotCarry } from "../../../../shared/provider/carry.ts";
import { anthropicRefusals, breakpointsIn } from "../../../support/providers/anthropic-wire.ts";
import { anyRequest, assistant, callOf, candidate, png, round, text, user, weather } from "../../../support/providers/requests.ts";

const paramsOf = (changes: Partial<ChatRequest>, model = {}) => toAnthropic(callOf("anthropic", changes, model)).params;
const ephemeral = { cache_control: { type: "ephemeral" } };
/** Long enough to be cached. */
const long = "All work and no play. ".repeat(100);
const manual = { ...weather, name: "manual", description: long };

describe("the prompt may be cached", () => {
  test("until the end of the last tool", () => {
    const { tools, system } = paramsOf({ tools: [manual, weather], systemPrompt: "Be brief." });
    expect(tools).toEqual([expect.not.objectContaining(ephemeral), expect.objectContaining({ name: "weather", ...ephemeral })]);
    expect(system).toEqual([{ type: "text", text: "Be brief.", ...ephemeral }]);
  });

  test("until the end of the system prompt", () => {
    expect(paramsOf({ tools: [weather], systemPrompt: long })).toMatchObject({
      tools: [expect.not.objectContaining(ephemeral)],
      system: [{ type: "text", text: long, ...ephemeral }],
    });
  });

  test("before the newest turn of a conversation, and until its end", () => {
    const messages = [
      user(text(long)),
      assistant(text("One."), text("Two.")),
      user(text("And then?")),
      assistant(text("Three.")),
      user(text("Go on,")),
      user(text("please"), text("now.")),
    ];
    const marked = paramsOf({ messages }).messages.map(({ content }) => breakpointsIn(content));
    expect(marked).toEqual([
      [],
      [],
      [],
      [{ type: "text", text: "Three.", ...ephemeral }],
      [],
      [{ type: "text", text: "now.", ...ephemeral }],
    ]);
  });

  test("before and after the results of tools, whose blocks it leaves as they are", () => {
    const messages = round(
      { type: "tool_result", toolUseId: "a", content: [{ type: "text", text: long }] },
      { type: "tool_result", toolUseId: "b", content: [{ type: "image", data: png, mimeType: "image/png" }] },
    );
    const params = paramsOf({ tools: [manual], messages });
    expect(breakpointsIn(params.messages)).toEqual([
      { type: "tool_use", id: "b", name: "weather", input: { city: "Oslo" }, ...ephemeral },
      { type: "tool_result", tool_use_id: "b", content: [{ type: "image", source: expect.anything() }], ...ephemeral },
    ]);
    expect(breakpointsIn(params)).toHaveLength(3);
  });

  test("not until the end of a reply that was begun for the model", () => {
    const messages = [user(text(long)), assistant(text("One.")), user(text("And then?")), assistant(text("Then"))];
    const marked = paramsOf({ messages }).messages.map(({ content }) => breakpointsIn(content).length);
    expect(marked).toEqual([0, 1, 1, 0]);
  });
});

describe("nothing is marked", () => {
  const turns = (said: string): Message[] => [user(text(said)), assistant(text("Yes.")), user(text("And then?"))];

  test("in the messages of a request of one turn, which is most likely sent once", () => {
    expect(breakpointsIn(paramsOf({ messages: [user(text(long))] }))).toEqual([]);
    expect(breakpointsIn(paramsOf({ messages: [user(text(long)), user(text(long))], systemPrompt: "Be brief." }))).toEqual([]);
  });

  test("before a prompt is long enough to be cached, and the system prompt stays a text", () => {
    const params = paramsOf({ systemPrompt: "Be brief.", tools: [weather], messages: turns("a short question") });
    expect(breakpointsIn(params)).toEqual([]);
    expect(params.system).toBe("Be brief.");
  });

  test.each([
    [1_535, 0],
    [1_536, 1],
  ])("of %i bytes, there are %i breakpoints", (bytes, breakpoints) => {
    expect(breakpointsIn(paramsOf({ systemPrompt: "é".repeat(Math.floor(bytes / 2)) + "x".repeat(bytes % 2) }))).toHaveLength(breakpoints);
  });

  test("where the table says so", () => {
    const request = { tools: [manual], systemPrompt: long, messages: turns(long) };
    expect(breakpointsIn(paramsOf(request))).toHaveLength(4);
    const params = paramsOf(request, { promptCache: false });
    expect(breakpointsIn(params)).toEqual([]);
    expect(params.system).toBe(long);
  });
});

test("whatever the request: the API takes it, no more than four places are marked, and without the marks it is the request itself", () => {
  fc.assert(
    fc.property(anyRequest({ audio: false }), fc.boolean(), fc.boolean(), (any, isLongSystem, isLongTurn) => {
      const request: ChatRequest = {
        ...any,
        ...(isLongSystem ? { systemPrompt: long } : {}),
        messages: isLongTurn ? [user(text(long)), assistant(text("Yes.")), ...any.messages] : any.messages,
      };
      const one = candidate("anthropic");
      fc.pre(cannotCarry(request, one.model, "anthropic") === undefined);
      const { params, notes } = toAnthropic({ request, candidate: one });
      expect(anthropicRefusals(params, anthropicVersion(params))).toEqual([]);
      expect(breakpointsIn(params).length).toBeLessThanOrEqual(4);
      const plain = toAnthropic({ request, candidate: candidate("anthropic", { promptCache: false }) });
      expect(withoutMarks(params)).toEqual(withoutMarks(plain.params));
      expect(notes).toEqual(plain.notes);
    }),
  );
});

/** With the system prompt as the one block that it is when it is marked. */
function withoutMarks(params: { readonly system?: unknown }): unknown {
  const { system } = params;
  const blocks = typeof system === "string" ? { system: [{ type: "text", text: system }] } : {};
  return JSON.parse(JSON.stringify({ ...params, ...blocks }, (key, value: unknown) => (key === "cache_control" ? undefined : value)));
}
