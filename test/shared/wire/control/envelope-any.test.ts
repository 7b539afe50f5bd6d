// Any value and any envelope: the reader never throws, and never takes what the published schema
// refuses.

import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { versions, type Version } from "../../../../shared/wire/control/envelope.ts";
import { envelopeIdentity } from "../../../../shared/wire/control/envelope-identity.ts";
import { envelopeJsonSchema } from "../../../../shared/wire/control/envelope-schema.ts";
import { parseEnvelope } from "../../../../shared/wire/control/read-envelope.ts";
import { edited } from "./envelopes.ts";

const published = Object.fromEntries(
  versions.map((version) => [version, new Ajv2020({ strict: false }).compile(envelopeJsonSchema(version) ?? false)]),
);
const fits = (version: Version, value: unknown): boolean => published[version]?.(value) === true;

const some = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }, requiredKeys: (keyof T)[] = []): fc.Arbitrary<unknown> =>
  fc.record(members, { requiredKeys, noNullPrototype: true });
const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
/** JSON without the one name that is refused everywhere. */
const anything = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes("__proto__"));
const arguments_ = fc.dictionary(
  word.filter((name) => name !== "__proto__"),
  anything,
  { maxKeys: 3, noNullPrototype: true },
);
const generation = {
  prompt: word,
  max_tokens: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  temperature: fc.double({ min: 0, max: 1, noNaN: true }),
  top_p: fc.double({ min: 0, max: 1, noNaN: true }),
  top_k: fc.integer({ min: 1 }),
  stop: fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 })),
  stream: fc.boolean(),
  response_format: fc.constantFrom("text", "json"),
};
const language = fc.constantFrom("en", "zh-CN", "de-AT-1996", "zh-Hant-TW", "en-US-u-ca-buddhist");
const functions = fc.uniqueArray(fc.constantFrom("f", "g", "h"), { minLength: 1 }).chain((names) =>
  fc.tuple(
    ...names.map((name) =>
      some(
        {
          name: fc.constant(name),
          description: fc.string({ unit: "grapheme" }),
          parameters: fc.constantFrom<unknown>({}, { type: "object", properties: { a: { type: "string", format: "x" } } }),
        },
        ["name"],
      ),
    ),
  ),
);
const task = (version: Version): fc.Arbitrary<unknown> => {
  const of = (type: string, parameters: fc.Arbitrary<unknown>) =>
    fc.record({ type: fc.constant(type), parameters }, { noNullPrototype: true });
  const image = fc.record({ type: fc.constantFrom("url", "base64"), value: word }, { noNullPrototype: true });
  return fc.oneof(
    of("text_generation", some(generation, ["prompt"])),
    of(
      "translation",
      some({ text: word, source_lang: language, target_lang: language, formality: fc.constantFrom("formal", "informal") }, [
        "text",
        "target_lang",
      ]),
    ),
    of("embedding", some({ text: fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 4 })) }, ["text"])),
    of(
      "function_call",
      some({ functions, function_call: some({ name: word, parameters: arguments_ }, ["name"]), prompt: word }, ["function_call"]),
    ),
    of("function_call", some({ functions, prompt: word }, ["functions", "prompt"])),
    ...(version === "1.0"
      ? []
      : [
          of(
            "multimodal_generation",
            some({ ...generation, images: fc.array(image, { minLength: 1, maxLength: 3 }) }, ["prompt", "images"]),
          ),
        ]),
  );
};
const spelled: { readonly [version in Version]: fc.Arbitrary<string> } = {
  "1.0": fc.constantFrom("1.0", "1.1", "1.23"),
  "2.0": fc.constant("2.0"),
  "2.1": fc.constantFrom("2.1", "2.2", "2.10"),
};
const envelope = (version: Version): fc.Arbitrary<unknown> =>
  some(
    {
      protocol_version: spelled[version],
      request_id: fc.stringMatching(/^[!-~ ]{1,64}$/),
      model: some({ name: word, version: word, provider: word }, ["name"]),
      task: task(version),
      context: some(
        {
          session_id: fc.stringMatching(/^[!-~]{1,64}$/),
          history: fc.array(
            fc.record(
              { role: fc.constantFrom("user", "assistant", "system"), content: fc.string({ unit: "grapheme" }) },
              { noNullPrototype: true },
            ),
            { maxLength: 4 },
          ),
          system_prompt: fc.string({ unit: "grapheme" }),
          remember: fc.record({ ttl: fc.integer({ min: 1, max: 2_592_000 }) }, { noNullPrototype: true }),
        },
        ["session_id"],
      ),
      control: some({
        timeout: fc.integer({ min: 1, max: 600_000 }),
        priority: fc.constantFrom("low", "normal", "high"),
        retryable: fc.boolean(),
        cache: some({ enable: fc.boolean(), ttl: fc.integer({ min: 1, max: 86_400 }) }, ["enable"]),
      }),
      auth: some({ api_key: word, token: word }),
      colour: anything,
    },
    ["protocol_version", "request_id", "model", "task"],
  );

/** Every pointer of a value, the deepest included. */
const pointersOf = (value: unknown, at = ""): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, member]) => {
        const here = `${at}/${name}`;
        return name.includes("/") || name.includes("~") || name === "__proto__" ? [] : [here, ...pointersOf(member, here)];
      });

/** What is as good as, nearly, or not at all what stands there. */
const replacement = fc.oneof(
  anything,
  fc.constantFrom<unknown>(
    undefined,
    null,
    "",
    0,
    1,
    -1,
    1.5,
    2 ** 53,
    true,
    [],
    {},
    [""],
    "x".repeat(300),
    "1.0",
    "2.0",
    "json",
    "url",
    "function_call",
    "translation",
    "a\nb",
  ),
);
const mutated = (version: Version): fc.Arbitrary<unknown> =>
  fc.tuple(envelope(version), fc.array(fc.tuple(fc.nat(), replacement), { minLength: 1, maxLength: 2 })).map(([value, changes]) =>
    changes.reduce<unknown>((now, [which, member]) => {
      const pointers = pointersOf(now);
      return edited(now, pointers[which % pointers.length] ?? "/x", member);
    }, value),
  );

const pointer = /^(?:\/(?:[^~/]|~[01])*)*$/;

describe.each(versions)("of %s", (version) => {
  test("every envelope that its description allows is taken, as that version, and fits its schema", () => {
    fc.assert(
      fc.property(envelope(version), (value) => {
        expect(parseEnvelope(value)).toMatchObject({ ok: true, value: { version } });
        expect(fits(version, value)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("a changed one is taken only where the schema takes it, and refused beyond the schema only for what no schema can say", () => {
    const counts = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(mutated(version), (value) => {
        const parsed = parseEnvelope(value);
        if (parsed.ok) {
          counts.taken += 1;
          expect([parsed.value.version, fits(parsed.value.version, value)]).toEqual([parsed.value.version, true]);
          return;
        }
        counts.refused += 1;
        const { errors } = parsed.error;
        expect(errors.length).toBeGreaterThan(0);
        expect(errors.length).toBeLessThanOrEqual(50);
        for (const error of errors) expect(error.pointer).toMatch(pointer);
        if (parsed.error.version === null || !fits(parsed.error.version, value)) return;
        const beyond = /BCP 47|name of an earlier function|lone surrogate|__proto__|levels deep/;
        for (const error of errors) if (!/\/functions\/\d+\/parameters/.test(error.pointer)) expect(error.message).toMatch(beyond);
      }),
      { numRuns: 1_500 },
    );
    expect(Math.min(counts.taken, counts.refused)).toBeGreaterThan(100);
  });

  test("the credentials alone make no other request of it; anything else does", () => {
    fc.assert(
      fc.property(envelope(version), fc.nat(), (value, which) => {
        const identity = envelopeIdentity(value);
        expect(envelopeIdentity(edited(value, "/auth", { token: "another" }))).toBe(identity);
        expect(envelopeIdentity(edited(value, "/auth", undefined))).toBe(identity);
        const others = pointersOf(value).filter((each) => each !== "/auth" && !each.startsWith("/auth/"));
        expect(envelopeIdentity(edited(value, others[which % others.length] ?? "", "\u0001"))).not.toBe(identity);
        expect(envelopeIdentity(edited(value, "/auth2", 1))).not.toBe(identity);
      }),
      { numRuns: 200 },
    );
  });
});

test("any value at all is an envelope or is refused, and nothing throws", () => {
  const name = fc.constantFrom(
    "protocol_version",
    "request_id",
    "model",
    "task",
    "type",
    "parameters",
    "name",
    "context",
    "history",
    "control",
    "auth",
    "prompt",
    "functions",
    "__proto__",
  );
  const { any } = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 5 },
      fc.oneof(
        fc.anything({ maxDepth: 2, withBigInt: true, withNullPrototype: true, withSparseArray: true }),
        fc.constantFrom("1.0", "text_generation", "function_call"),
      ),
      fc.dictionary(name, tie("any"), { maxKeys: 6 }),
      fc.array(tie("any"), { maxLength: 3 }),
    ),
  }));
  fc.assert(
    fc.property(any, (value) => {
      const parsed = parseEnvelope(value);
      if (parsed.ok) return;
      expect(parsed.error.errors.length).toBeGreaterThan(0);
      expect(parsed.error.errors.length).toBeLessThanOrEqual(50);
      for (const error of parsed.error.errors) expect(error.pointer).toMatch(pointer);
    }),
    { numRuns: 2_000 },
  );
});
