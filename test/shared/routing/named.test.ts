import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { describeRefusal } from "../../../shared/wire/describe.ts";
import type { NamedModel, ChatRequest } from "../../../shared/model/sampling.ts";
import { chooseCandidates, type Choice, type RoutingInput, whySentence } from "../../../shared/routing/choose.ts";
import { defaultRoutingTable } from "../../../shared/routing/default-table.ts";
import { explainRouting } from "../../../shared/routing/explain.ts";
import { foldCase } from "../../../shared/routing/fold-case.ts";
import { parseRoutingTable, type Provider, type RoutingTable } from "../../../shared/routing/table.ts";
import { reasonText } from "../../../shared/words/reasons.ts";
import { noCredential, demo, inputOf, requestOf, tableOf, type ModelOverrides, embedding } from "./examples.ts";

const naming = (namedModel: NamedModel, members: Partial<ChatRequest> = {}): ChatRequest => requestOf({ namedModel, ...members });
const choose = (input: RoutingInput): Choice => {
  const chosen = chooseCandidates(input);
  if (!chosen.ok) throw new Error(JSON.stringify(chosen.error));
  return chosen.value;
};
const order = (input: RoutingInput): string[] => {
  const chosen = chooseCandidates(input);
  return chosen.ok ? chosen.value.ranked.map(({ model }) => model.id) : [];
};
const ordered = (table: RoutingTable, namedModel: NamedModel): string[] => order(inputOf(table, { request: naming(namedModel) }));
const whysOf = (table: RoutingTable, namedModel: NamedModel): string[] =>
  choose(inputOf(table, { request: naming(namedModel) })).ranked.map(({ why }) => whySentence(why));
const whyFirst = (table: RoutingTable, namedModel: NamedModel): string => whysOf(table, namedModel)[0] ?? "";
const reasonsOf = (input: RoutingInput): Record<string, string> => {
  const chosen = chooseCandidates(input);
  const passed = chosen.ok ? chosen.value.passedOver : chosen.error.reasons;
  return Object.fromEntries(passed.map(({ model, why }) => [model, reasonText(why)]));
};
const neither = "it is neither the requested model nor one of its equivalents";

describe("the model that was named", () => {
  const table = tableOf([
    { id: "a", name: "Llama3-70B", aliases: ["old-llama"] },
    { id: "b", provider: "beta", name: "llama3-70b", accepts: ["text"] },
    { id: "c", name: "llama3-70b-instruct" },
    { id: "d", name: "llama3-70b:2.0" },
  ]);

  test.each([["llama3-70b"], ["LLAMA3-70b"], [" llama3-70b "]])("%j is every model of that whole name, in the table's order", (name) => {
    expect(ordered(table, { name })).toEqual(["a", "b"]);
  });

  test.each([
    ["c", "c"],
    ["old-llama", "a"],
    ["llama3-70b-instruct", "c"],
  ])("%s is found as id, alias or name", (name, id) => {
    expect(ordered(table, { name })).toEqual([id]);
  });

  test("a part of a name is no name", () => {
    expect(ordered(table, { name: "llama3" })).toEqual([]);
    expect(ordered(table, { name: "" })).toEqual([]);
  });

  test.each(["m-2.0", "m:2.0", "m@2.0", "m_2.0", "m 2.0", "m/2.0", "m-v2.0", "M v2.0"])("in version 2.0 is %s", (name) => {
    const versions = tableOf([
      { id: "bare", aliases: ["m"] },
      { id: "x", name },
      { id: "y", name: "m-2.01" },
    ]);
    expect(ordered(versions, { name: "m", version: "2.0" })).toEqual(["x", "bare"]);
    expect(ordered(versions, { name: "m" })).toEqual(["bare"]);
  });

  test("without a version is also what a server calls its latest", () => {
    expect(ordered(tableOf([{ id: "x", name: "m:latest" }]), { name: "m" })).toEqual(["x"]);
  });

  test("of a provider is first the one of that provider, then the same name of another, then the name without that version", () => {
    const asked = { name: "llama3-70b", version: "2.0", provider: "Beta" };
    const wider = tableOf([
      { id: "bare-elsewhere", name: "llama3-70b" },
      { id: "bare", provider: "beta", name: "llama3-70b", accepts: ["text"] },
      { id: "elsewhere", name: "llama3-70b@2.0" },
      { id: "exact", provider: "beta", name: "llama3-70b-2.0", accepts: ["text"] },
    ]);
    expect(ordered(wider, asked)).toEqual(["exact", "elsewhere", "bare", "bare-elsewhere"]);
    expect(whysOf(wider, asked).map((why) => why.split(". ")[0])).toEqual([
      'Matched "llama3-70b" version "2.0" of "Beta"',
      'Matched the name of "llama3-70b" version "2.0" of "Beta"; the provider differs',
      'Matched the name of "llama3-70b" version "2.0" of "Beta"; the version differs',
      'Matched the name of "llama3-70b" version "2.0" of "Beta"; the version and the provider differ',
    ]);
  });

  test("a provider is known by its kind only where it is the maker itself", () => {
    const document = {
      providers: {
        mine: { kind: "openai", secret: "MINE_KEY" },
        compatible: { kind: "openai", secret: "THEIR_KEY", baseUrl: "https://models.example.com/v1" },
      },
      models: ["compatible", "mine"].map((provider) => ({
        id: `of-${provider}`,
        provider,
        name: "m",
        contextTokens: 1_000,
        maxOutputTokens: 1_000,
        price: { inputPerMTok: 0, outputPerMTok: 0 },
        scores: { intelligence: 0, speed: 0, cost: 0 },
      })),
    };
    const parsed = parseRoutingTable(document);
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
    expect(ordered(parsed.value, { name: "m", provider: "OpenAI" })).toEqual(["of-mine", "of-compatible"]);
    expect(ordered(parsed.value, { name: "m", provider: "compatible" })).toEqual(["of-compatible", "of-mine"]);
    expect(whyFirst(parsed.value, { name: "m", provider: "OpenAI" })).toMatch(/^Matched "m" of "OpenAI"\./);
  });
});

describe("its equivalents", () => {
  const table = tableOf(
    [{ id: "a" }, { id: "b" }, { id: "c" }, { id: "d" }],
    [
      { hint: "llama3", models: ["c", "b"] },
      { hint: "llama", models: ["d"] },
      { hint: "2.0", models: ["a"] },
      { hint: "gpt-4o", models: ["d"] },
      { hint: "gpt", models: ["a"] },
    ],
  );

  test("are those of the first entry whose hint is a part of the name, in its order, and no other", () => {
    expect(ordered(table, { name: "Llama3-70b", version: "2.0", provider: "meta" })).toEqual(["c", "b"]);
    expect(whyFirst(table, { name: "Llama3-70b", version: "2.0", provider: "meta" })).toBe(
      'Matched "Llama3-70b" version "2.0" of "meta" through the alias "llama3". No priorities given, so the routing table\'s order applies.',
    );
    expect(reasonsOf(inputOf(table, { request: naming({ name: "Llama3-70b" }) }))).toEqual({ a: neither, d: neither });
  });

  test("are those of the next entry where the first leads to no model that can serve", () => {
    const input = inputOf(table, { request: naming({ name: "llama3-70b" }), onlyModels: ["a", "d"] });
    expect(order(input)).toEqual(["d"]);
  });

  test("come after the model itself, which is not listed twice", () => {
    const own = tableOf([{ id: "x" }, { id: "llama3" }], [{ hint: "llama", models: ["llama3", "x"] }]);
    expect(ordered(own, { name: "llama3" })).toEqual(["llama3", "x"]);
  });

  test("may be told by the version together with the name, and never by the version alone", () => {
    expect(ordered(table, { name: "gpt", version: "4o" })).toEqual(["d"]);
    expect(ordered(table, { name: "other", version: "2.0" })).toEqual([]);
  });

  test("priorities order the models of a tier and no tier", () => {
    const scored = tableOf(
      [
        { id: "dear", name: "m", scores: { intelligence: 0, speed: 0, cost: 0.1 } },
        { id: "cheap", aliases: ["m"], scores: { intelligence: 0, speed: 0, cost: 0.2 } },
        { id: "free", scores: { intelligence: 0, speed: 0, cost: 1 } },
      ],
      [{ hint: "m", models: ["free"] }],
    );
    const request = naming({ name: "m" }, { modelPreferences: { costPriority: 1, hints: [{ name: "free" }] } });
    expect(order(inputOf(scored, { request }))).toEqual(["cheap", "dear", "free"]);
  });
});

describe("where nothing is left", () => {
  const table = tableOf([{ id: "a" }, { id: "b", onlyKeys: ["other"] }]);

  test("the error says of each model why, and of one for other keys only that", () => {
    const chosen = chooseCandidates(inputOf(table, { request: naming({ name: "b" }), ready: noCredential }));
    expect(chosen).toEqual({
      ok: false,
      error: {
        kind: "noModel",
        named: true,
        reasons: [
          { model: "a", why: { key: "notMeant" } },
          { model: "b", why: { key: "notForKey" } },
        ],
      },
    });
    expect(!chosen.ok && describeRefusal(chosen.error)).toMatchObject({
      code: -32010,
      message: expect.stringMatching(/^Neither a model with the requested name nor one of its equivalents can serve this request/),
    });
  });

  test("what is wrong with the model itself is said", () => {
    expect(reasonsOf(inputOf(table, { request: naming({ name: "a" }), ready: noCredential }))["a"]).toBe("its provider has no credential");
  });

  test("what was named is not in the error", () => {
    const chosen = chooseCandidates(inputOf(table, { request: naming({ name: "SECRET-1", version: "SECRET-2", provider: "SECRET-3" }) }));
    expect(JSON.stringify(!chosen.ok && describeRefusal(chosen.error))).not.toContain("SECRET");
  });
});

describe("the demo model", () => {
  const table = tableOf([{ id: "real" }, demo], [{ hint: "llama", models: ["real", "demo"] }]);
  const noneReady = (provider: Provider) => (provider.kind === "demo" ? undefined : noCredential());

  test("stands in for others only until another provider is ready", () => {
    const request = naming({ name: "llama3" });
    expect(order(inputOf(table, { request, ready: noneReady }))).toEqual(["demo"]);
    expect(order(inputOf(table, { request }))).toEqual(["real"]);
  });

  test.each([{ name: "Demo" }, { name: "demo", provider: "demo" }])("answers where %j names it exactly", (named) => {
    expect(ordered(table, named)).toEqual(["demo"]);
  });

  test.each([
    { name: "demo", provider: "openai" },
    { name: "demo", version: "2" },
  ])("does not once another provider is ready and %j names it otherwise", (named) => {
    expect(ordered(table, named)).toEqual([]);
  });

  test("a hint beside a named model does not call it in", () => {
    expect(order(inputOf(table, { request: naming({ name: "llama" }, { modelPreferences: { hints: [{ name: "demo" }] } }) }))).toEqual([
      "real",
    ]);
  });
});

test("what is unseen in a name is spelled out in the reason, and what is long is shortened", () => {
  const table = tableOf([{ id: "m" }], [{ hint: "x", models: ["m"] }]);
  const why = whyFirst(table, { name: "x\u202E", version: "\u2066", provider: "p".repeat(300) });
  expect(why).toContain('"x\\u{202e}" version "\\u{2066}" of "ppp');
  expect(why.length).toBeLessThan(240);
});

test("an explanation shows the named model, the tiers and what was not meant", () => {
  const table = tableOf([{ id: "m" }, { id: "n" }, { id: "o" }], [{ hint: "m", models: ["n"] }]);
  const named = { name: "m", version: "2" };
  const request = naming(named, { modelPreferences: { hints: [{ name: "o" }] } });
  expect(explainRouting(inputOf(table, { request }))).toMatchObject({
    namedModel: named,
    hints: [],
    hintsIgnored: 1,
    ranked: [
      { model: "m", tier: { kind: "nearlyNamed", named, differs: ["version"] } },
      { model: "n", tier: { kind: "namedEquivalent", named, entry: "m" } },
    ],
    passedOver: [{ model: "o", reason: neither, why: { key: "notMeant" } }],
  });
  expect(explainRouting(inputOf(table, { request: naming({ name: "z" }) })).why).toMatch(/with this name/);
});

describe("properties", () => {
  const word = fc.constantFrom("llama", "Llama3", "gpt", "gpt-4", "qwen", "m", "other");
  const version = fc.constantFrom("2.0", "1", "latest-1", "gpt");
  const providers = fc.constantFrom("alpha", "beta");
  const name = fc.oneof(
    word,
    fc.tuple(word, fc.constantFrom("-", ":", "@", "_", " "), version).map(([base, separator, suffix]) => `${base}${separator}${suffix}`),
  );
  const model = fc.record({
    name,
    provider: providers,
    aliases: fc.array(name, { maxLength: 2 }),
    enabled: fc.boolean(),
    scores: fc.record({ intelligence: fc.constantFrom(0, 0.5, 1), speed: fc.constantFrom(0, 1), cost: fc.constantFrom(0, 1) }),
  });
  const entries = fc.array(
    fc.record({ hint: word, models: fc.array(fc.oneof(word, fc.constantFrom("id-0", "id-1", "id-2")), { minLength: 1, maxLength: 3 }) }),
    { maxLength: 4 },
  );
  type Entries = { hint: string; models: string[] }[];
  const tableFrom = (list: readonly object[], equivalents: Entries): RoutingTable =>
    tableOf(
      list.map((each, index): ModelOverrides => ({ id: `id-${index}`, accepts: ["text"], ...each })),
      equivalents,
    );
  const models = fc.array(model, { minLength: 1, maxLength: 8 });
  const table = fc.tuple(models, entries).map(([list, equivalents]) => tableFrom(list, equivalents));
  const named = fc.record(
    { name: word, version, provider: fc.constantFrom("alpha", "BETA", "anthropic", "meta") },
    { requiredKeys: ["name"] },
  );
  const priority = fc.constantFrom(0, 0.5, 1);
  const modelPreferences = fc.record(
    { costPriority: priority, speedPriority: priority, hints: fc.array(fc.record({ name: word }), { maxLength: 2 }) },
    { requiredKeys: [] },
  );

  /** The rule in other words: what a name may lead to at all. */
  const mayLead = (routing: RoutingTable, asked: NamedModel, id: string): boolean => {
    const found = routing.models.find((each) => each.id === id);
    const names = found === undefined ? [] : [found.id, found.name, ...found.aliases].map(foldCase);
    const base = foldCase(asked.name);
    const own = new Set([
      base,
      ...(asked.version === undefined ? [`${base}:latest`] : ["-", ":", "@", "_", " "].map((each) => base + each + asked.version)),
    ]);
    return (
      names.some((each) => own.has(each)) ||
      routing.equivalents.some(
        ({ hint, models: references }) =>
          `${base}-${asked.version ?? ""}`.includes(foldCase(hint)) && references.some((each) => names.includes(foldCase(each))),
      )
    );
  };
  const isExact = (routing: RoutingTable, asked: NamedModel, id: string): boolean => {
    const found = routing.models.find((each) => each.id === id);
    if (found === undefined) return false;
    const names = new Set([found.id, found.name, ...found.aliases].map(foldCase));
    const own = ["-", ":", "@", "_", " "].map((each) => foldCase(asked.name + each + (asked.version ?? "")));
    const ofProvider =
      asked.provider === undefined ||
      [found.provider, found.provider === "alpha" ? "openai" : "anthropic"].includes(asked.provider.toLowerCase());
    return ofProvider && (asked.version === undefined ? names.has(foldCase(asked.name)) : own.some((each) => names.has(each)));
  };

  test("nothing serves but the model that was named, one of its name, or an equivalent", () => {
    let served = 0;
    fc.assert(
      fc.property(table, named, modelPreferences, (routing, namedModel, preferences) => {
        for (const id of order(inputOf(routing, { request: naming(namedModel, { modelPreferences: preferences }) }))) {
          served += 1;
          expect([id, mayLead(routing, namedModel, id)]).toEqual([id, true]);
        }
      }),
      { numRuns: 1000 },
    );
    expect(served).toBeGreaterThan(100);
  });

  test("where the table has the very model and it can serve, it comes first, whatever is preferred", () => {
    let exact = 0;
    fc.assert(
      fc.property(table, named, modelPreferences, (routing, namedModel, preferences) => {
        const canServe = routing.models.filter(({ id, enabled }) => enabled && isExact(routing, namedModel, id));
        if (canServe.length === 0) return;
        exact += 1;
        const [first = ""] = order(inputOf(routing, { request: naming(namedModel, { modelPreferences: preferences }) }));
        expect(canServe.map(({ id }) => id)).toContain(first);
      }),
      { numRuns: 3000 },
    );
    expect(exact).toBeGreaterThan(50);
  });

  test("more models in the table never change that, nor does any other table's order of models and entries", () => {
    fc.assert(
      fc.property(models, models, entries, named, (list, more, equivalents, namedModel) => {
        const before = tableFrom(list, equivalents);
        const [first] = order(inputOf(before, { request: naming(namedModel) }));
        fc.pre(first !== undefined && isExact(before, namedModel, first));
        const position = Number(first?.slice(3));
        const after = tableFrom([...more, ...list], equivalents);
        const [now = ""] = order(inputOf(after, { request: naming(namedModel) }));
        expect(isExact(after, namedModel, now)).toBe(true);
        // The same one, where none of the added models goes by that name too.
        if (!more.some(({ enabled }, index) => enabled && isExact(after, namedModel, `id-${index}`)))
          expect(now).toBe(`id-${position + more.length}`);
      }),
      { numRuns: 500 },
    );
  });

  test("every model is ranked or passed over, once; equal inputs have equal answers; explaining is choosing", () => {
    fc.assert(
      fc.property(table, named, modelPreferences, (routing, namedModel, preferences) => {
        const input = inputOf(routing, { request: naming(namedModel, { modelPreferences: preferences }) });
        const chosen = chooseCandidates(input);
        expect(chosen).toEqual(chooseCandidates({ ...input, table: structuredClone(routing) }));
        const ranked = chosen.ok ? chosen.value.ranked.map(({ model: { id } }) => id) : [];
        const passed = (chosen.ok ? chosen.value.passedOver : chosen.error.reasons).map(({ model: id }) => id);
        expect([...ranked, ...passed].toSorted()).toEqual(routing.models.map(({ id }) => id).toSorted());
        expect(explainRouting(input).ranked.map(({ model: id }) => id)).toEqual(ranked);
      }),
    );
  });
});

describe("the default table", () => {
  const withKeys =
    (...names: string[]) =>
    (provider: Provider, name: string) =>
      provider.kind === "demo" || names.includes(name) ? undefined : noCredential();
  const fresh = (namedModel: NamedModel, members: Partial<RoutingInput> = {}, request: Partial<ChatRequest> = {}): string[] =>
    order(inputOf(defaultRoutingTable(), { ready: withKeys(), ...members, request: naming(namedModel, request) }));
  const freshVectors = (namedModel: NamedModel, members: Partial<RoutingInput> = {}): string[] =>
    order(inputOf(defaultRoutingTable(), { ready: withKeys(), ...members, request: { ...embedding, namedModel } }));
  const freshFor = { chat: fresh, embedding: freshVectors };
  const image: Partial<ChatRequest> = {
    messages: [{ role: "user", content: [{ type: "image", data: "AA==", mimeType: "image/png" }] }],
  };

  test.each([
    [{ name: "gpt-4" }, {}],
    [{ name: "llama3-70b", version: "2.0", provider: "meta" }, {}],
    [{ name: "qwen-vl" }, {}],
    [{ name: "qwen-vl" }, image],
  ])("a fresh checkout answers the source's example %j", (named, request) => {
    expect(fresh(named, {}, request)).toEqual(["demo"]);
  });

  test.each(
    "claude-3-opus gemini-pro chatgpt o3-mini llama-4 qwen3-max deepseek-v3 deepseek-r1 mistral-large mixtral-8x7b codestral glm-4 gemma-3 phi-4 kimi-k2 grok-3-mini minimax-m2 ernie-4.5 hunyuan-large doubao-pro command-r-plus nemotron gpt-oss-20b yi-34b"
      .split(" ")
      .map((name) => [name]),
  )("a fresh checkout answers for %s", (name) => {
    expect(fresh({ name })).toEqual(["demo"]);
  });

  test("a fresh checkout answers for each name of the table itself, but for those that no family tells", () => {
    const { models: list } = defaultRoutingTable();
    const silent = list.flatMap(({ id, name, aliases, tasks }) =>
      [...new Set([id, name, ...aliases])].filter((each) => freshFor[tasks[0] ?? "chat"]({ name: each })[0] !== "demo"),
    );
    expect(silent).toEqual(["o1", "o3", "local"]);
  });

  test("every entry of equivalents ends in the demo", () => {
    const { equivalents } = defaultRoutingTable();
    expect(equivalents.length).toBeGreaterThan(40);
    expect(equivalents.filter(({ models: references }) => references.at(-1) !== "demo")).toEqual([]);
  });

  test("every name in equivalents is a model of the table", () => {
    const { equivalents, models: list } = defaultRoutingTable();
    const names = new Set(list.flatMap(({ id, name: own, aliases }) => [id, own, ...aliases]));
    expect(equivalents.flatMap(({ models: references }) => references).filter((each) => !names.has(each))).toEqual([]);
  });

  test("a name that means nothing is not answered by something else", () => {
    expect(fresh({ name: "whisper" })).toEqual([]);
    expect(fresh({ name: "whisper" }, { ready: withKeys("anthropic", "openai", "google") })).toEqual([]);
  });

  test.each([
    ["gpt-4", ["openai"], "gpt-6.2-sol"],
    ["gpt-4o", ["anthropic", "openai"], "gpt-6.1-terra"],
    ["llama3-70b", ["local", "openai"], "local"],
    ["llama3-70b", ["anthropic"], "claude-haiku-5-5"],
    ["deepseek-v3", ["anthropic"], "claude-sonnet-5-5"],
    ["grok-3-mini", ["openai"], "gpt-6.1-terra"],
    ["minimax-m2", ["google"], "gemini-3.8-flash"],
    ["gpt-oss-120b", ["workers-ai", "openai"], "workers-ai-gpt-oss"],
    ["claude-3-5-sonnet-20241022", ["anthropic"], "claude-sonnet-5-5"],
  ])("%s with %j is served by %s", (name, keys, id) => {
    expect(fresh({ name }, { ready: withKeys(...keys) })[0]).toBe(id);
  });

  const embeddingNames =
    "text-embedding-ada-002 text-embedding-3-large nomic-embed-text mistral-embed qwen3-embedding-8b gemini-embedding-exp bge-large-zh e5-large all-MiniLM-L6-v2"
      .split(" ")
      .map((name) => [name]);
  test.each(embeddingNames)("vectors by %s come from a model that makes them", (name) => {
    expect(freshVectors({ name })).toEqual(["demo"]);
    const served = freshVectors({ name }, { ready: withKeys("anthropic", "openai", "google", "workers-ai", "local") });
    expect(served).toEqual(["text-embedding-3-small", "gemini-embedding-001", "workers-ai-bge-m3"]);
  });

  test("no text is made by a model for vectors, and no vector by one for text, whatever is named", () => {
    const { models: list } = defaultRoutingTable();
    const names = [...list.flatMap(({ id, aliases }) => [id, ...aliases]), "gpt-4", "qwen", ...embeddingNames.flat()];
    const ready = withKeys("anthropic", "openai", "google", "workers-ai", "local");
    for (const task of ["chat", "embedding"] as const)
      for (const name of names)
        for (const id of freshFor[task]({ name }, { ready }))
          expect([name, id, list.find((each) => each.id === id)?.tasks]).toContainEqual(expect.arrayContaining([task]));
    expect(freshVectors({ name: "gpt-4" }, { ready })).toEqual([]);
    expect(fresh({ name: "text-embedding-3-small" }, { ready })).toEqual([]);
  });
});
