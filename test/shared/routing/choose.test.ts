import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelPreferences, ChatRequest } from "../../../shared/model/sampling.ts";
import { chooseCandidates, type Choice, type RoutingInput, whySentence } from "../../../shared/routing/choose.ts";
import { defaultRoutingTable } from "../../../shared/routing/default-table.ts";
import type { Provider } from "../../../shared/routing/table.ts";
import { reasonText } from "../../../shared/words/reasons.ts";
import { noCredential, demo, inputOf, requestOf, tableOf, type ModelOverrides, embedding } from "./examples.ts";

const choose = (input: RoutingInput): Choice => {
  const chosen = chooseCandidates(input);
  if (!chosen.ok) throw new Error(JSON.stringify(chosen.error));
  return chosen.value;
};
const order = (input: RoutingInput): string[] => choose(input).ranked.map(({ model }) => model.id);
const reasonFor = (input: RoutingInput, id: string): string | undefined => {
  const chosen = chooseCandidates(input);
  return (chosen.ok ? chosen.value.passedOver : chosen.error.reasons).flatMap(({ model, why }) =>
    model === id ? [reasonText(why)] : [],
  )[0];
};
const whyFirst = ({ ranked: [first] }: Choice): string => (first === undefined ? "" : whySentence(first.why));
const preferring = (modelPreferences: ModelPreferences): ChatRequest => requestOf({ modelPreferences });
const hinting = (...names: (string | undefined)[]): ChatRequest =>
  preferring({ hints: names.map((name) => (name === undefined ? {} : { name })) });

describe("eligibility", () => {
  const only = (model: ModelOverrides): ModelOverrides[] => [model, { id: "spare" }];

  const cases: [string, ModelOverrides, Partial<RoutingInput>, RegExp][] = [
    ["is disabled", { id: "m", enabled: false }, {}, /disabled/],
    ["is for other keys", { id: "m", onlyKeys: ["other"] }, {}, /not for this key/],
    ["is outside the key's own list", { id: "m" }, { onlyModels: ["spare"] }, /not for this key/],
    ["is for other servers", { id: "m", onlyServers: ["other"] }, {}, /not for this server/],
    [
      "has no credential",
      { id: "m", provider: "beta", accepts: ["text"] },
      { ready: (_: Provider, name: string) => (name === "beta" ? noCredential() : undefined) },
      /no credential/,
    ],
    ["makes no embeddings", { id: "m" }, { request: embedding }, /not an embedding model/],
    [
      "makes vectors of one size",
      { id: "m", tasks: ["embedding"] },
      { request: { ...embedding, dimensions: 256 } },
      /dimensions cannot be asked for/,
    ],
    ["does not chat", { id: "m", tasks: ["embedding"] }, {}, /not a chat model/],
    [
      "takes no images",
      { id: "m", accepts: ["text"] },
      { request: requestOf({ messages: [{ role: "user", content: [{ type: "image", data: "AA==", mimeType: "image/png" }] }] }) },
      /does not accept image/,
    ],
    [
      "takes no PDFs",
      { id: "m", accepts: ["text", "image"] },
      { request: requestOf({ messages: [{ role: "user", content: [{ type: "pdf", data: "JVBERi0=" }] }] }) },
      /does not accept PDF/,
    ],
    [
      "takes no audio inside a tool result",
      { id: "m", accepts: ["text", "image"] },
      {
        request: requestOf({
          messages: [
            {
              role: "user",
              content: [{ type: "tool_result", toolUseId: "1", content: [{ type: "audio", data: "AA==", mimeType: "audio/wav" }] }],
            },
          ],
        }),
      },
      /does not accept audio/,
    ],
    ["has no tools", { id: "m", tools: false }, { request: requestOf({ tools: [{ name: "t", inputSchema: {} }] }) }, /cannot use tools/],
    [
      "has no tools and the history has a tool use",
      { id: "m", tools: false },
      { request: requestOf({ messages: [{ role: "assistant", content: [{ type: "tool_use", id: "1", name: "t", input: {} }] }] }) },
      /cannot use tools/,
    ],
    [
      "cannot be forced to call a tool",
      { id: "m", toolChoices: ["auto", "none"] },
      { request: requestOf({ tools: [{ name: "t", inputSchema: {} }], toolChoice: "required" }) },
      /made to call a tool/,
    ],
    ["cannot give maxTokens", { id: "m", maxOutputTokens: 99 }, {}, /maxTokens is above its limit of 99/],
    ["has too small a context", { id: "m", contextTokens: 99 }, {}, /do not fit its context of 99 tokens/],
    [
      "cannot be given what the request holds",
      { id: "m" },
      { cannotCarry: (_, model) => (model.id === "m" ? { key: "opaqueResource" } : undefined) },
      /neither text, image nor audio/,
    ],
  ];
  test.each(cases)("a model that %s is passed over, with that reason", (_, model, members, reason) => {
    expect(reasonFor(inputOf(tableOf(only(model)), members), "m")).toMatch(reason);
  });

  test("a limit that is exactly met is no reason", () => {
    expect(order(inputOf(tableOf([{ id: "m", maxOutputTokens: 100, contextTokens: 106 }])))).toEqual(["m"]);
    expect(reasonFor(inputOf(tableOf([{ id: "m", maxOutputTokens: 100, contextTokens: 105 }])), "m")).toMatch(/context/);
  });

  test("maxTokens does not count for embeddings", () => {
    expect(order(inputOf(tableOf([{ id: "m", tasks: ["embedding"], maxOutputTokens: 1 }]), { request: embedding }))).toEqual(["m"]);
  });

  test("a key is known by its id or by its name", () => {
    expect(order(inputOf(tableOf([{ id: "m", onlyKeys: ["key-1"] }])))).toEqual(["m"]);
    expect(order(inputOf(tableOf([{ id: "m", onlyKeys: ["ci"] }])))).toEqual(["m"]);
  });

  test("of a model that a key may not use, nothing else is told", () => {
    const input = inputOf(tableOf(only({ id: "m", onlyKeys: ["other"] })), { ready: noCredential });
    expect(reasonFor(input, "m")).toBe("it is not for this key");
  });

  test("where nothing is eligible, the error has every model and its reason", () => {
    const chosen = chooseCandidates(inputOf(tableOf([{ id: "a" }, { id: "b", enabled: false }]), { ready: noCredential }));
    expect(chosen).toEqual({
      ok: false,
      error: {
        kind: "noModel",
        reasons: [
          { model: "a", why: { key: "noCredential" } },
          { model: "b", why: { key: "disabled" } },
        ],
      },
    });
  });
});

describe("hints", () => {
  const table = tableOf(
    [{ id: "claude-sonnet-5", aliases: ["Sonnet"] }, { id: "gpt-6" }, { id: "gemini-pro" }, { id: "STRASSE" }],
    [
      { hint: "mistral", models: ["gemini-pro", "gpt-6"] },
      { hint: "gemini-1", models: ["gemini-pro"] },
      { hint: "mini", models: ["gpt-6"] },
    ],
  );

  test("the first hint's matches come first, the next hint's after them, everything else last", () => {
    expect(order(inputOf(table, { request: hinting("gemini", "gpt") }))).toEqual(["gemini-pro", "gpt-6", "claude-sonnet-5", "STRASSE"]);
  });

  test("a hint is a substring of id, name or alias, whatever the case", () => {
    expect(order(inputOf(table, { request: hinting("SONNET") }))[0]).toBe("claude-sonnet-5");
    expect(order(inputOf(table, { request: hinting("straße") }))[0]).toBe("STRASSE");
  });

  test("a hint that matches nothing falls back on its equivalents, in the order in which they are listed", () => {
    const chosen = choose(inputOf(table, { request: hinting("Mistral-Large") }));
    expect(chosen.ranked.map(({ model }) => model.id)).toEqual(["gemini-pro", "gpt-6", "claude-sonnet-5", "STRASSE"]);
    expect(whyFirst(chosen)).toBe(
      'Matched "Mistral-Large" through the alias "mistral". No priorities given, so the routing table\'s order applies.',
    );
  });

  test("of several equivalents the first that leads to an eligible model counts", () => {
    expect(order(inputOf(table, { request: hinting("gemini-1.5-ultra") }))[0]).toBe("gemini-pro");
  });

  test("equivalents are not used where the hint itself matches an eligible model", () => {
    expect(order(inputOf(table, { request: hinting("mini") }))[0]).toBe("gemini-pro");
  });

  test("equivalents stand in where the models that match are not eligible", () => {
    const input = inputOf(table, { request: hinting("gemini-1", "x"), onlyModels: ["gpt-6", "STRASSE"] });
    expect(order(input)).toEqual(["gpt-6", "STRASSE"]);
  });

  test.each([
    [hinting("")],
    [hinting("   ")],
    [hinting(undefined)],
    [hinting("x".repeat(257))],
    [preferring({ hints: [] })],
    [requestOf()],
  ])("an empty, missing or endless hint is ignored", (request) => {
    expect(order(inputOf(table, { request }))).toEqual(["claude-sonnet-5", "gpt-6", "gemini-pro", "STRASSE"]);
  });

  test("hints beyond the sixteenth are ignored", () => {
    const names = Array.from({ length: 16 }, (_, index) => `nothing-${index}`);
    expect(order(inputOf(table, { request: hinting(...names, "gpt") }))[0]).toBe("claude-sonnet-5");
  });

  test("a hint that names a model outside the key's list routes on", () => {
    expect(order(inputOf(table, { request: hinting("gpt"), onlyModels: ["gemini-pro"] }))).toEqual(["gemini-pro"]);
  });

  test("what is unseen in a hint is spelled out in the reason, and a long hint is shortened", () => {
    const bidi = choose(inputOf(tableOf([{ id: "m", aliases: ["a\u202Eb"] }]), { request: hinting("\u202E") }));
    expect(whyFirst(bidi)).toContain("\\u{202e}");
    const long = choose(inputOf(tableOf([{ id: "m", aliases: ["y".repeat(200)] }]), { request: hinting("y".repeat(150)) }));
    expect(whyFirst(long).length).toBeLessThan(160);
  });
});

describe("priorities", () => {
  const table = tableOf([
    { id: "smart", scores: { intelligence: 0.9, speed: 0.2, cost: 0.1 }, price: { inputPerMTok: 10, outputPerMTok: 50 } },
    { id: "fast", scores: { intelligence: 0.4, speed: 0.9, cost: 0.6 } },
    { id: "cheap", scores: { intelligence: 0.3, speed: 0.5, cost: 1 }, price: { inputPerMTok: 0, outputPerMTok: 0 } },
  ]);

  test.each([
    [{ intelligencePriority: 1 }, "smart"],
    [{ speedPriority: 1 }, "fast"],
    [{ costPriority: 1 }, "cheap"],
    [{ costPriority: 0.0000001 }, "cheap"],
  ])("%j leads to %s", (preferences, id) => {
    expect(order(inputOf(table, { request: preferring(preferences) }))[0]).toBe(id);
  });

  test("no priorities at all leave the table's own order", () => {
    expect(order(inputOf(table))).toEqual(["smart", "fast", "cheap"]);
  });

  test("of equal scores the cheaper comes first, then the table's order", () => {
    expect(order(inputOf(table, { request: preferring({ costPriority: 0 }) }))).toEqual(["cheap", "fast", "smart"]);
    expect(order(inputOf(tableOf([{ id: "b" }, { id: "a" }]), { request: preferring({ costPriority: 1 }) }))).toEqual(["b", "a"]);
  });

  test("sums that only rounding would tell apart are equal", () => {
    // 0.1 x 0.3 + 0.2 x 0.3 and 0.3 x 0.3 differ in floating point.
    const close = tableOf([
      { id: "dear", scores: { intelligence: 0.3, speed: 0.3, cost: 0 }, price: { inputPerMTok: 9, outputPerMTok: 9 } },
      { id: "cheap", scores: { intelligence: 0, speed: 0.45, cost: 0 } },
    ]);
    expect(order(inputOf(close, { request: preferring({ intelligencePriority: 0.1, speedPriority: 0.2 }) }))).toEqual(["cheap", "dear"]);
  });

  test("the reason shows the sum", () => {
    const chosen = choose(inputOf(table, { request: preferring({ costPriority: 0.2, intelligencePriority: 0.8 }) }));
    expect(whyFirst(chosen)).toBe("Default model. Score: cost 0.2 x 0.1 + intelligence 0.8 x 0.9 = 0.74.");
  });
});

describe("the demo model", () => {
  const table = tableOf([{ id: "real" }, demo], [{ hint: "sonnet", models: ["real", "demo"] }]);
  const noneReady = (provider: Provider) => (provider.kind === "demo" ? undefined : noCredential());

  test("answers while no other provider is ready", () => {
    expect(order(inputOf(table, { ready: noneReady, request: hinting("sonnet") }))).toEqual(["demo"]);
  });

  test.each([[preferring({ costPriority: 1, speedPriority: 1 })], [hinting("dem")], [hinting("sonnet")]])(
    "is neither chosen nor failed over to once another provider is ready",
    (request) => {
      expect(order(inputOf(table, { request }))).toEqual(["real"]);
      expect(reasonFor(inputOf(table, { request }), "demo")).toMatch(/is used only while no other provider is ready/);
    },
  );

  test("does not hide that a configured provider cannot serve the request", () => {
    expect(chooseCandidates(inputOf(table, { request: embedding })).ok).toBe(false);
  });

  test("answers where a hint names it exactly", () => {
    expect(order(inputOf(table, { request: hinting("Demo") }))).toEqual(["demo", "real"]);
  });

  test("answers a key that may use nothing else", () => {
    expect(order(inputOf(table, { onlyModels: ["demo"] }))).toEqual(["demo"]);
  });
});

describe("properties", () => {
  const grid = fc.integer({ min: 0, max: 1000 }).map((value) => value / 1000);
  const priority = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), grid, fc.constantFrom(0, 1));
  const scores = fc.record({ intelligence: grid, speed: grid, cost: grid });
  const money = fc.constantFrom(0, 0.1, 1, 10);
  const models = fc.array(fc.record({ scores, price: fc.record({ inputPerMTok: money, outputPerMTok: money }), enabled: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
  });
  const table = models.map((list) =>
    tableOf(
      list.map((model, index) => ({ id: `model-${index}-${"abc"[index % 3] ?? ""}`, ...model })),
      [{ hint: "other", models: ["model-0-a"] }],
    ),
  );
  const hints = fc.array(fc.record({ name: fc.constantFrom("a", "b", "model-1", "other-x", "none", "") }), { maxLength: 3 });
  const preferences = fc.record(
    { hints, costPriority: priority, speedPriority: priority, intelligencePriority: priority },
    { requiredKeys: [] },
  );

  test("equal inputs have equal answers", () => {
    fc.assert(
      fc.property(table, preferences, (table, modelPreferences) => {
        const input = inputOf(table, { request: preferring(modelPreferences) });
        expect(chooseCandidates(input)).toEqual(chooseCandidates(structuredCloneOf(input)));
      }),
    );
  });

  test("every model is ranked or passed over, once", () => {
    fc.assert(
      fc.property(table, preferences, (table, modelPreferences) => {
        const chosen = chooseCandidates(inputOf(table, { request: preferring(modelPreferences) }));
        const ids = chosen.ok
          ? [...chosen.value.ranked.map(({ model }) => model.id), ...chosen.value.passedOver.map(({ model }) => model)]
          : chosen.error.reasons.map(({ model }) => model);
        expect(ids.toSorted()).toEqual(table.models.map(({ id }) => id).toSorted());
      }),
    );
  });

  test("a hint never changes which models can serve a request", () => {
    fc.assert(
      fc.property(table, preferences, (table, modelPreferences) => {
        const { hints: _, ...without } = modelPreferences;
        const served = (request: ChatRequest): string[] => {
          const chosen = chooseCandidates(inputOf(table, { request }));
          return chosen.ok ? chosen.value.ranked.map(({ model }) => model.id).toSorted() : [];
        };
        expect(served(preferring(modelPreferences))).toEqual(served(preferring(without)));
      }),
    );
  });

  test("raising one priority never lowers the chosen model's score on that axis", () => {
    const axes = fc.constantFrom(
      ["costPriority", "cost"] as const,
      ["speedPriority", "speed"] as const,
      ["intelligencePriority", "intelligence"] as const,
    );
    fc.assert(
      fc.property(table, preferences, axes, priority, (table, modelPreferences, [member, axis], raised) => {
        fc.pre(raised > (modelPreferences[member] ?? 0));
        const before = chooseCandidates(inputOf(table, { request: preferring(modelPreferences) }));
        const after = chooseCandidates(inputOf(table, { request: preferring({ ...modelPreferences, [member]: raised }) }));
        fc.pre(before.ok && after.ok);
        if (!before.ok || !after.ok) return;
        expect(after.value.ranked[0]?.model.scores[axis]).toBeGreaterThanOrEqual(before.value.ranked[0]?.model.scores[axis] ?? 0);
      }),
      { numRuns: 2000 },
    );
  });

  /**
   * A copy that shares no object with the original, so that nothing can be remembered between two
   * calls.
   */
  const structuredCloneOf = (input: RoutingInput): RoutingInput => ({
    ...input,
    table: structuredClone(input.table),
    request: structuredClone(input.request),
  });
});

describe("the default table", () => {
  const withKeys =
    (...names: string[]) =>
    (provider: Provider, name: string) =>
      provider.kind === "demo" || names.includes(name) ? undefined : noCredential();

  test.each(["sonnet", "claude-3-5-sonnet-20241022", "gpt-4o-mini", "gemini-2.0-pro", "something-else", ""])(
    "a fresh checkout answers a request that hints at %j with the demo",
    (hint) => {
      expect(order(inputOf(defaultRoutingTable(), { request: hinting(hint), ready: withKeys() }))).toEqual(["demo"]);
    },
  );

  test("a fresh checkout makes embeddings with the demo", () => {
    expect(order(inputOf(defaultRoutingTable(), { request: embedding, ready: withKeys() }))).toEqual(["demo"]);
  });

  test.each([
    ["claude-3-5-sonnet-20241022", ["openai"], "gpt-6.2-sol"],
    ["claude-3-5-sonnet-20241022", ["anthropic", "openai"], "claude-sonnet-5-5"],
    ["claude-3-opus", ["google"], "gemini-3.1-pro"],
    ["gpt-4o-mini", ["anthropic"], "claude-haiku-5-5"],
    ["gpt-4o-mini", ["local"], "local"],
    ["gemini-1.5-flash", ["google", "openai"], "gemini-3.8-flash"],
    ["haiku", ["google"], "gemini-3.5-flash-lite"],
  ])("the hint %s with %j leads to %s", (hint, providers, id) => {
    expect(order(inputOf(defaultRoutingTable(), { request: hinting(hint), ready: withKeys(...providers) }))[0]).toBe(id);
  });

  test("a hint for an earlier model finds its successor, whatever other makers score", () => {
    const request = preferring({ hints: [{ name: "claude-3-5-sonnet" }], intelligencePriority: 1 });
    expect(order(inputOf(defaultRoutingTable(), { request, ready: withKeys("anthropic", "openai") }))[0]).toBe("claude-sonnet-5-5");
  });

  test("a preference for cost leads to the cheapest hosted model and not to the demo", () => {
    const input = inputOf(defaultRoutingTable(), {
      request: preferring({ costPriority: 1 }),
      ready: withKeys("anthropic", "openai", "google"),
    });
    expect(order(input)[0]).toBe("claude-haiku-5-5");
    expect(order(input)).not.toContain("demo");
  });

  test("the cheapness of each model follows from its price", () => {
    for (const { id, price, scores } of defaultRoutingTable().models) {
      const blend = (3 * price.inputPerMTok + price.outputPerMTok) / 4;
      expect([id, scores.cost]).toEqual([id, Math.max(0, Math.round((1 - Math.log(1 + blend) / Math.log(11)) * 100) / 100)]);
    }
  });
});
