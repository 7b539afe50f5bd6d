import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Grant,
  type GrantQuery,
  type GrantScope,
  type GrantUse,
  bypassFrom,
  covers,
  giveBack,
  grantState,
  requestCharacters,
  microUsd,
  sameMomentMs,
  shapeDigest,
  sizeCeiling,
  useGrants,
} from "../../../shared/policy/grant.ts";
import type { Form } from "../../../shared/model/subject/form.ts";
import type { ToolCall } from "../../../shared/model/subject/tool-call.ts";
import type { Reach } from "../../../shared/policy/evaluate.ts";
import type { ChatRequest } from "../../../shared/model/sampling.ts";
import type { Candidate } from "../../../shared/routing/choose.ts";
import { providerOf } from "../../../shared/routing/table.ts";
import { tableOf } from "../routing/examples.ts";
import { defaultModel } from "../../support/model-why.ts";

const given = 1_000_000;
const expires = given + 24 * 3_600_000;

const tool = { method: "tools/call", name: "summarize" };

const grantOf = (over: Partial<Grant> = {}): Grant => ({
  id: "key_a.1",
  key: "key_a",
  gate: "request",
  scope: { kind: "tool", server: "notes", tool },
  what: "shape",
  digest: "shape-1",
  charactersAtMost: 1_000,
  maxTokensAtMost: 100,
  riskAtMost: "medium",
  provenance: "claimed",
  by: "Ada",
  run: "run_1",
  rule: "default",
  givenAt: given,
  expiresAt: expires,
  usesGiven: 2,
  usesLeft: 2,
  spendLeftMicroUsd: 200,
  lastUsedAt: null,
  revokedAt: null,
  ...over,
});

const revoked = (grant: Grant, revokedAt: number): Grant => ({ ...grant, revokedAt });

const queryOf = (over: Partial<GrantQuery> = {}): GrantQuery => ({
  gates: ["request"],
  identity: "identity-1",
  run: "run_2",
  asked: "fresh",
  exact: "exact-1",
  shape: "shape-1",
  session: "session-1",
  server: "notes",
  tool,
  boundTo: "tool",
  characters: 900,
  maxTokens: 100,
  risk: "medium",
  provenance: "claimed",
  worstCostMicroUsd: 100,
  rule: "default",
  deciders: ["Ada", "Bo"],
  ...over,
});

const passes = (grant: Grant, query: GrantQuery, now = given): boolean => useGrants([grant], [], query, now).passes.length > 0;

describe("a grant covers", () => {
  test("what it was given for", () => {
    expect(useGrants([grantOf()], [], queryOf(), given)).toEqual({
      passes: [{ gate: "request", grant: "key_a.1", by: "Ada" }],
      grants: [grantOf({ usesLeft: 1, spendLeftMicroUsd: 100, lastUsedAt: given })],
      uses: [{ identity: "identity-1", gate: "request", grant: "key_a.1", run: "run_2", at: given, microUsd: 100 }],
    });
  });

  test.each<[string, Partial<GrantQuery>]>([
    ["another shape", { shape: "shape-2" }],
    ["another server", { server: "mail" }],
    ["another tool", { tool: { ...tool, name: "delete_all_files" } }],
    ["a prompt of the tool's name", { tool: { ...tool, method: "prompts/get" } }],
    ["one character more than its ceiling", { characters: 1_001 }],
    ["one token more than its ceiling", { maxTokens: 101 }],
    ["a higher risk", { risk: "high" }],
    ["a request that is tied to its originating request less surely", { provenance: "inferred" }],
    ["a request that another rule stops", { rule: "rule 2" }],
    ["a request that its giver may not decide now", { deciders: ["Bo"] }],
    ["a request that may cost more than what is left", { worstCostMicroUsd: 201 }],
    ["the other gate", { gates: ["response"] }],
  ])("not %s", (_name, over) => expect(passes(grantOf(), queryOf(over))).toBe(false));

  test.each<[string, Partial<GrantQuery>]>([
    ["as many characters as its ceiling", { characters: 1_000 }],
    ["a lower risk", { risk: "low" }],
    ["none", { risk: "none" }],
    ["what was observed", { provenance: "observed" }],
    ["what costs all that is left", { worstCostMicroUsd: 200 }],
    ["another session", { session: "session-2" }],
  ])("%s", (_name, over) => expect(passes(grantOf(), queryOf(over))).toBe(true));

  test.each<[string, Partial<Grant>]>([
    ["expired", { expiresAt: given }],
    ["used up", { usesLeft: 0 }],
    ["revoked", { revokedAt: given }],
  ])("nothing once it is %s", (_name, over) => expect(passes(grantOf(over), queryOf())).toBe(false));

  test("until the millisecond before it expires, and not at that one", () => {
    expect(passes(grantOf(), queryOf(), expires - 1)).toBe(true);
    expect(passes(grantOf(), queryOf(), expires)).toBe(false);
    expect([grantState(grantOf(), expires - 1), grantState(grantOf(), expires)]).toEqual(["live", "expired"]);
  });

  const others = [{}, { session: "session-2" }, { tool: { ...tool, name: "other" } }, { server: "mail" }] as const;
  const scopes: [GrantScope, string][] = [
    [{ kind: "session", session: "session-1", server: "notes", tool }, "yes no no no"],
    [{ kind: "tool", server: "notes", tool }, "yes yes no no"],
    [{ kind: "server", server: "notes" }, "yes yes yes no"],
    [{ kind: "key" }, "yes yes yes yes"],
  ];
  test.each(scopes)("within %j the same, another session, another tool, another server: %s", (scope, expected) => {
    const passed = others.map((over) => passes(grantOf({ scope }), queryOf({ ...over, boundTo: "key" })));
    expect(passed.map((each) => (each ? "yes" : "no")).join(" ")).toBe(expected);
  });

  test("no further than the rule lets it reach now, however it was given", () => {
    const reach = (kind: "server" | "key", boundTo: Reach): boolean =>
      passes(grantOf({ scope: kind === "key" ? { kind } : { kind, server: "notes" } }), queryOf({ boundTo }));
    expect((["tool", "server", "key"] as const).map((boundTo) => [reach("server", boundTo), reach("key", boundTo)])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
  });

  test("the exact request alone, where it was given for that", () => {
    const exact = grantOf({ what: "exact", digest: "exact-1" });
    expect(passes(exact, queryOf({ shape: "shape-2" }))).toBe(true);
    expect(passes(exact, queryOf({ exact: "exact-2" }))).toBe(false);
    // Neither digest is taken for the other.
    expect(passes(exact, queryOf({ exact: "exact-2", shape: "exact-1" }))).toBe(false);
  });
});

describe("counting", () => {
  test("of several the narrowest is used, and the one that ends first", () => {
    const exact = grantOf({ id: "exact", what: "exact", digest: "exact-1", scope: { kind: "key" } });
    const session = grantOf({ id: "session", scope: { kind: "session", session: "session-1", server: "notes", tool } });
    const sooner = grantOf({ id: "sooner", expiresAt: expires - 1 });
    const all = [grantOf({ id: "key", scope: { kind: "key" } }), grantOf(), sooner, session, exact];
    const order: string[] = [];
    for (let left = all; left.length > 0; left = left.filter(({ id }) => !order.includes(id)))
      order.push(useGrants(left, [], queryOf({ boundTo: "key" }), given).passes[0]?.grant ?? "none");
    expect(order).toEqual(["exact", "session", "sooner", "key_a.1", "key"]);
  });

  test("each closed gate needs its own grant", () => {
    const reply = grantOf({ id: "key_a.2", gate: "response", by: "Bo" });
    const query = queryOf({ gates: ["request", "response"] });
    expect(useGrants([grantOf()], [], query, given).passes).toEqual([{ gate: "request", grant: "key_a.1", by: "Ada" }]);
    expect(useGrants([reply, grantOf()], [], query, given).passes.map(({ grant }) => grant)).toEqual(["key_a.1", "key_a.2"]);
  });

  const use: GrantUse = { identity: "identity-1", gate: "request", grant: "key_a.1", run: "run_2", at: given, microUsd: 100 };
  const usedUp = grantOf({ usesLeft: 0, spendLeftMicroUsd: 0 });

  test("a simultaneous repeat passes by the same use; the same request after that moment is counted", () => {
    expect(useGrants([usedUp], [use], queryOf(), given + sameMomentMs - 1)).toMatchObject({ passes: [{ grant: "key_a.1" }], uses: [] });
    expect(useGrants([usedUp], [use], queryOf(), given + sameMomentMs).passes).toEqual([]);
    expect(useGrants([grantOf()], [use], queryOf(), given + sameMomentMs).uses).toHaveLength(1);
  });

  test("a request whose holder vanished passes by the use that was counted, and its money is taken again", () => {
    const grant = grantOf({ usesLeft: 0, spendLeftMicroUsd: 100 });
    expect(useGrants([grant], [use], queryOf({ asked: "takenOver" }), expires - 1)).toEqual({
      passes: [{ gate: "request", grant: "key_a.1", by: "Ada" }],
      grants: [{ ...grant, spendLeftMicroUsd: 0 }],
      uses: [],
    });
    expect(useGrants([usedUp], [use], queryOf({ asked: "takenOver" }), given).passes).toEqual([]);
  });

  test("a repeat passes by the use that was counted, however late, while the grant lives", () => {
    const query = queryOf({ asked: "repeat" });
    expect(useGrants([usedUp], [use], query, expires - 1)).toMatchObject({ passes: [{ grant: "key_a.1" }], uses: [] });
    expect(useGrants([usedUp], [use], query, expires).passes).toEqual([]);
    expect(useGrants([{ ...usedUp, revokedAt: given }], [use], query, given).passes).toEqual([]);
  });

  test("a repeat of what was asked before there was a grant is not let through by one", () => {
    expect(useGrants([grantOf()], [], queryOf({ asked: "repeat" }), given)).toEqual({ passes: [], grants: [], uses: [] });
    expect(useGrants([grantOf()], [], queryOf({ asked: "takenOver" }), given).uses).toHaveLength(1);
  });

  test("money is whole millionths, rounded up, so that the last use fits", () => {
    expect([microUsd(0), microUsd(0.000_000_1), microUsd(0.1), microUsd(Number.MAX_VALUE)]).toEqual([
      0,
      1,
      100_000,
      Number.MAX_SAFE_INTEGER,
    ]);
    const cost = microUsd(0.1);
    let grant = grantOf({ usesGiven: 1_000, usesLeft: 1_000, spendLeftMicroUsd: 1_000 * cost });
    for (let n = 0; n < 1_000; n += 1) {
      const { grants } = useGrants([grant], [], queryOf({ worstCostMicroUsd: cost, identity: `identity-${n}` }), given);
      grant = grants[0] ?? grant;
    }
    expect(grant).toMatchObject({ usesLeft: 0, spendLeftMicroUsd: 0 });
    expect(grantState(grant, given)).toBe("usedUp");
  });

  test("a use that is given back is a use more, and never one more than were given", () => {
    const grant = grantOf({ usesGiven: 2, usesLeft: 1, spendLeftMicroUsd: 100 });
    expect(giveBack(grant, use)).toEqual({ ...grant, usesLeft: 2, spendLeftMicroUsd: 200 });
    expect(giveBack(giveBack(grant, use), use).usesLeft).toBe(2);
  });

  test("in any interleaving of requests, repeats, returns and revocation nothing goes below zero, and every use is somebody's", () => {
    const action = fc.oneof(
      fc.record({
        kind: fc.constant("ask" as const),
        identity: fc.integer({ min: 0, max: 3 }),
        asked: fc.constantFrom("fresh" as const, "takenOver" as const, "repeat" as const),
        cost: fc.integer({ min: 0, max: 150 }),
        later: fc.integer({ min: 0, max: 2 * sameMomentMs }),
      }),
      fc.record({ kind: fc.constant("giveBack" as const), identity: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ kind: fc.constant("revoke" as const) }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 0, max: 500 }),
        fc.array(action, { maxLength: 40 }),
        (uses, spend, actions) => {
          let grant = grantOf({ usesGiven: uses, usesLeft: uses, spendLeftMicroUsd: spend });
          const kept = new Map<string, GrantUse>();
          let counted = 0;
          let spent = 0;
          let now = given;
          for (const [index, each] of actions.entries()) {
            if (each.kind === "revoke") {
              grant = revoked(grant, now);
              continue;
            }
            const identity = `identity-${each.identity}`;
            const earlier = kept.get(identity);
            if (each.kind === "giveBack") {
              if (earlier === undefined) continue;
              kept.delete(identity);
              grant = giveBack(grant, earlier);
              counted -= 1;
              spent -= earlier.microUsd;
              continue;
            }
            now += each.later;
            const query = queryOf({ identity, run: `run_${index}`, asked: each.asked, worstCostMicroUsd: each.cost });
            const granted = useGrants([grant], earlier === undefined ? [] : [earlier], query, now);
            const [changed] = granted.grants;
            // Taken over: no use, and the money once more.
            if (changed !== undefined && granted.uses.length === 0) spent += each.cost;
            grant = changed ?? grant;
            for (const use of granted.uses) {
              kept.set(identity, use);
              counted += 1;
              spent += use.microUsd;
            }
            if (granted.passes.length > 0) {
              expect(covers(grant, "request", query, now)).toBe(true);
              expect(kept.has(identity)).toBe(true);
            }
            expect(grant.usesLeft).toBe(uses - counted);
            expect(grant.spendLeftMicroUsd).toBe(spend - spent);
            expect(Math.min(grant.usesLeft, grant.spendLeftMicroUsd)).toBeGreaterThanOrEqual(0);
          }
        },
      ),
    );
  });
});

describe("the ceiling on size", () => {
  test.each([
    [0, 1_000],
    [1_000, 1_000],
    [1_001, 2_000],
    [2_001, 5_000],
    [5_001, 10_000],
    [123_456, 200_000],
  ])("of %i characters is %i", (characters, ceiling) => expect(sizeCeiling(characters)).toBe(ceiling));

  test("is never below the size, and over a thousand never more than two and a half times it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 8_000_000 }), (characters) => {
        expect(sizeCeiling(characters)).toBeGreaterThanOrEqual(characters);
        expect(sizeCeiling(characters)).toBeLessThanOrEqual(2.5 * characters);
      }),
    );
  });

  test("counts everything that the messages say", () => {
    const said = (messages: ChatRequest["messages"]): number => requestCharacters({ kind: "chat", messages, maxTokens: 1 });
    const text = said([{ role: "user", content: [{ type: "text", text: "x".repeat(500) }] }]);
    const image = said([{ role: "user", content: [{ type: "image", data: "A".repeat(500), mimeType: "image/png" }] }]);
    expect(Math.min(text, image) - said([])).toBeGreaterThanOrEqual(500);
  });
});

describe("the shape and size of a tool's call", () => {
  const call: ToolCall = { kind: "toolCall", server: "files", tool: "delete", arguments: { path: "/a" } };
  const form: Form = { kind: "form", server: "deploys", message: "Which region?", schema: { type: "object" } };

  test("is the same with other values, and another with another argument, tool or server", () => {
    const shape = shapeDigest(call, []);
    expect(shapeDigest({ ...call, arguments: { path: { deep: "/b" } } }, [])).toBe(shape);
    expect(shapeDigest({ ...call, arguments: { path: "/a", force: true } }, [])).not.toBe(shape);
    expect(shapeDigest({ ...call, arguments: {} }, [])).not.toBe(shape);
    expect(shapeDigest({ ...call, tool: "read" }, [])).not.toBe(shape);
    expect(shapeDigest({ ...call, server: "other" }, [])).not.toBe(shape);
  });

  test("of a form is another with another message or schema", () => {
    const shape = shapeDigest(form, []);
    expect(shapeDigest({ ...form, message: "Which account?" }, [])).not.toBe(shape);
    expect(shapeDigest({ ...form, schema: {} }, [])).not.toBe(shape);
  });

  test("grows with the arguments", () => {
    const sizeWith = (path: string): number => requestCharacters({ ...call, arguments: { path } });
    expect(sizeWith("x".repeat(500)) - sizeWith("")).toBe(500);
    expect(requestCharacters({ ...call, arguments: {} })).toBe(0);
  });
});

describe("the shape", () => {
  const table = tableOf([{ id: "one" }, { id: "two" }]);
  const provider = providerOf(table, "alpha");
  const candidates: Candidate[] = table.models.map((model) => {
    if (provider === undefined) throw new Error("no provider");
    return { model, provider, why: defaultModel, worstCostUsd: 0 };
  });
  const request: ChatRequest = {
    kind: "chat",
    messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
    systemPrompt: "You summarize notes.",
    maxTokens: 100,
    temperature: 0.5,
    stopSequences: ["END"],
    metadata: { a: 1 },
    includeContext: "none",
    tools: [{ name: "find", description: "Finds.", inputSchema: { type: "object", properties: { q: { type: "string" } } } }],
    toolChoice: "auto",
  };
  const shape = shapeDigest(request, candidates);
  const [tool] = request.tools ?? [];
  if (tool === undefined) throw new Error("no tool");

  test.each<[string, Partial<ChatRequest>]>([
    ["one byte of the system prompt", { systemPrompt: "You summarize notes!" }],
    ["white space at the end of the system prompt", { systemPrompt: "You summarize notes. " }],
    ["an invisible character in the system prompt", { systemPrompt: "You summarize\u200b notes." }],
    ["a tool's name", { tools: [{ ...tool, name: "fund" }] }],
    ["a tool's description", { tools: [{ ...tool, description: "Finds!" }] }],
    ["one byte of a tool's schema", { tools: [{ ...tool, inputSchema: { type: "object", properties: { q: { type: "strinG" } } } }] }],
    ["a tool more", { tools: [tool, { ...tool, name: "other" }] }],
    ["no tools", { tools: [] }],
    ["the tool choice", { toolChoice: "required" }],
    ["the temperature", { temperature: 0.6 }],
    ["a stop sequence", { stopSequences: ["end"] }],
    ["metadata", { metadata: { a: 2 } }],
    ["added context", { includeContext: "thisServer" }],
    [
      "an image beside the text",
      { messages: [...request.messages, { role: "user", content: [{ type: "image", data: "", mimeType: "image/png" }] }] },
    ],
    ["an image in place of the text", { messages: [{ role: "user", content: [{ type: "image", data: "", mimeType: "image/png" }] }] }],
    [
      "a turn in the assistant's name",
      { messages: [...request.messages, { role: "assistant", content: [{ type: "text", text: "Yes." }] }, ...request.messages] },
    ],
    ["what is said in the assistant's name alone", { messages: [{ role: "assistant", content: [{ type: "text", text: "Hello" }] }] }],
    ["audio", { messages: [...request.messages, { role: "user", content: [{ type: "audio", data: "", mimeType: "audio/wav" }] }] }],
    ["a PDF", { messages: [...request.messages, { role: "user", content: [{ type: "pdf", data: "" }] }] }],
    [
      "a tool use",
      { messages: [...request.messages, { role: "assistant", content: [{ type: "tool_use", id: "1", name: "find", input: {} }] }] },
    ],
    [
      "a tool result",
      {
        messages: [
          ...request.messages,
          { role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [{ type: "text", text: "" }] }] },
        ],
      },
    ],
  ])("is another with %s", (_name, change) => expect(shapeDigest({ ...request, ...change }, candidates)).not.toBe(shape));

  test("is another where the last turn is the assistant's, from which a model goes on", () => {
    const turn = (role: "user" | "assistant"): ChatRequest["messages"][number] => ({
      role,
      content: [{ type: "text", text: "Hello" }],
    });
    const ending = (...roles: ("user" | "assistant")[]): string => shapeDigest({ ...request, messages: roles.map(turn) }, candidates);
    expect(ending("assistant", "user")).toBe(ending("user", "assistant", "assistant", "user"));
    expect(ending("user", "assistant")).not.toBe(ending("assistant", "user"));
  });

  test("is another for each kind of thing in a tool result, bytes in a resource among them", () => {
    type Piece = Extract<ChatRequest["messages"][number]["content"][number], { type: "tool_result" }>["content"][number];
    const pieces: Piece[] = [
      { type: "text", text: "" },
      { type: "image", data: "", mimeType: "image/png" },
      { type: "audio", data: "", mimeType: "audio/wav" },
      { type: "resource_link", uri: "a:b", name: "b" },
      { type: "resource", resource: { uri: "a:b", mimeType: "image/png", text: "" } },
      { type: "resource", resource: { uri: "a:b", mimeType: "image/png", blob: "" } },
      { type: "resource", resource: { uri: "a:b", mimeType: "Audio/wav", blob: "" } },
    ];
    const shapes = pieces.map((piece) =>
      shapeDigest({ ...request, messages: [{ role: "user", content: [{ type: "tool_result", toolUseId: "1", content: [piece] }] }] }, []),
    );
    expect(new Set(shapes).size).toBe(pieces.length);
  });

  test("is another where any of its fields is missing", () => {
    const fields = ["systemPrompt", "temperature", "stopSequences", "metadata", "includeContext", "tools", "toolChoice"] as const;
    const shapes = fields.map((field) => {
      const { [field]: _left, ...rest } = request;
      return shapeDigest(rest, candidates);
    });
    expect(new Set([shape, ...shapes]).size).toBe(fields.length + 1);
  });

  test("is another for other models, or the same in another order", () => {
    const lists = [candidates.slice(0, 1), candidates.slice(1), candidates.toReversed(), []];
    expect(new Set([shape, ...lists.map((list) => shapeDigest(request, list))]).size).toBe(lists.length + 1);
  });

  test("is another for any other system prompt", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (a, b) => {
        fc.pre(a.isWellFormed() && b.isWellFormed());
        const [first, second] = [a, b].map((systemPrompt) => shapeDigest({ ...request, systemPrompt }, candidates));
        expect(first === second).toBe(a === b);
      }),
    );
  });

  test("is the same whatever the user's messages say, however many they are, and whatever was hinted at", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.integer({ min: 1, max: 9 }), (said, maxTokens) => {
        const messages = said.map((text) => ({ role: "user" as const, content: [{ type: "text" as const, text }] }));
        expect(shapeDigest({ ...request, messages, maxTokens, modelPreferences: { costPriority: 1 } }, candidates)).toBe(shape);
      }),
    );
  });
});

describe("a bypass", () => {
  const given = bypassFrom({ id: "key_1.b", key: "key_1", server: "notes", by: "ann@example.com", hours: 99 }, 0);
  const query = (over: Partial<GrantQuery> = {}): GrantQuery => ({
    gates: ["request", "response"],
    identity: "call",
    run: "run_1",
    asked: "fresh",
    exact: "exact",
    shape: "shape",
    session: null,
    server: "notes",
    tool: { method: "tools/call", name: "delete" },
    arguments: [],
    onlyBypass: true,
    boundTo: "tool",
    characters: 50,
    maxTokens: 0,
    risk: "high",
    provenance: "observed",
    worstCostMicroUsd: 0,
    rule: "any",
    deciders: [],
    ...over,
  });
  const opened = (over: Partial<GrantQuery> = {}, at = 1): unknown => useGrants([given], [], query(over), at).passes;

  test("opens both gates of a call, whatever the rules enable, for eight hours at most", () => {
    const pass = { grant: "key_1.b", by: "ann@example.com", bypass: true };
    expect(opened()).toEqual([
      { gate: "request", ...pass },
      { gate: "response", ...pass },
    ]);
    expect(opened({}, 8 * 3_600_000 - 1)).toHaveLength(2);
    expect(opened({}, 8 * 3_600_000)).toEqual([]);
  });

  test("opens nothing for another server, for what is no call, and once it was ended", () => {
    expect(opened({ server: "mail" })).toEqual([]);
    const { arguments: _call, ...message } = query();
    expect(useGrants([given], [], message, 1).passes).toEqual([]);
    expect(useGrants([{ ...given, revokedAt: 1 }], [], query(), 1).passes).toEqual([]);
  });
});
