// The published schema of each version: what it is served as, and that it takes what the endpoint
// takes.

import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import allMembers from "../../../fixtures/control/all-members.json";
import complete from "../../../fixtures/control/complete.json";
import embedding from "../../../fixtures/control/embedding.json";
import functionCall from "../../../fixtures/control/function-call.json";
import multimodal from "../../../fixtures/control/multimodal-generation.json";
import textGeneration from "../../../fixtures/control/text-generation.json";
import translation from "../../../fixtures/control/translation.json";
import { base64Of, png } from "../../../support/image-files.ts";
import { control, controlAnswerOf, envelopeOf, everyKind, gates, prompt } from "../../support/control.ts";
import { configure, createKey, gateway } from "../../support/gateway.ts";

const versions = ["1.0", "2.0", "2.1"];
const schemaOf = async (version: string): Promise<object> => (await gateway(`/control/schema/${version}.json`, { key: null })).json();

describe.each(versions)("the schema of %s", (version) => {
  test("is there for everybody, as a schema that may be kept for a while", async () => {
    const response = await gateway(`/control/schema/${version}.json`, { key: null });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("application/schema+json");
    expect(response.headers.get("Cache-Control")).toBe("public, max-age=3600");
    expect(await response.json()).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: `/control/schema/${version}.json`,
      title: expect.stringContaining(version),
    });
  });

  test("is there for HEAD too, without a body", async () => {
    const response = await gateway(`/control/schema/${version}.json`, { method: "HEAD", key: null });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  });

  test("compiles in the strictest way", async () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
    expect(ajv.compile(await schemaOf(version))({})).toBe(false);
  });
});

test.each(["1.1.json", "2.json", "3.0.json", "2.1", "__proto__.json", "constructor.json", "%2e%2e.json", "2.1.json.json", ".json"])(
  "there is none at %s, and the answer says which there are",
  async (file) => {
    const response = await gateway(`/control/schema/${file}`, { key: null });
    expect(response.status).toBe(404);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect((await response.json<{ error: string }>()).error).toMatch(/1\.0\.json.*2\.0\.json.*2\.1\.json/);
  },
);

test("each example of the protocol's description fits the schema of its version", async () => {
  const examples = { allMembers, complete, embedding, functionCall, multimodal, textGeneration, translation };
  for (const [name, example] of Object.entries(examples)) {
    const fits = new Ajv2020({ strict: false }).compile(await schemaOf(example.protocol_version));
    expect([name, fits(example), fits.errors ?? []]).toEqual([name, true, []]);
  }
});

describe("whatever the endpoint takes", () => {
  let key: string;

  beforeEach(async () => {
    await gates();
    await configure("routing", everyKind);
    ({ key } = await createKey({ limits: { requestsPerMinute: 100_000, concurrent: 10_000 } }));
  });

  /** Mostly what a member takes, sometimes what it nearly takes, and sometimes anything. */
  const near = <T>(good: fc.Arbitrary<T>, ...almost: unknown[]): fc.Arbitrary<unknown> =>
    fc.oneof(
      { weight: 30, arbitrary: good },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
      ...(almost.length === 0 ? [] : [{ weight: 1, arbitrary: fc.constantFrom(...almost) }]),
    );
  const word = fc.string({ minLength: 1, maxLength: 20 });
  const generation = {
    prompt: near(fc.string({ minLength: 1, maxLength: 30 })),
    max_tokens: near(fc.integer({ min: 1, max: 2_000 }), 0, 1.5, 1e300, 2 ** 53),
    temperature: near(fc.double({ min: 0, max: 1, noNaN: true }), -1e-9, 1.0001),
    top_p: near(fc.constantFrom(0, 0.5, 1), 1.0001, -1),
    top_k: near(fc.integer({ min: 1, max: 100 }), 0),
    stop: near(fc.oneof(fc.constant("###"), fc.array(word, { minLength: 1, maxLength: 3 })), [], [""], "\ud800"),
    response_format: near(fc.constantFrom("text", "json")),
  };
  const required = { requiredKeys: ["prompt"] as ["prompt"] };
  const functions = fc.array(
    fc.record(
      { name: near(fc.constantFrom("f", "g", "h"), ""), parameters: near(fc.constant({ type: "object" })) },
      { requiredKeys: ["name"] },
    ),
    { minLength: 1, maxLength: 2 },
  );
  const tasks: [string, fc.Arbitrary<object>][] = [
    ["text_generation", fc.record(generation, required)],
    [
      "multimodal_generation",
      fc.record(
        {
          ...generation,
          images: near(fc.array(fc.record({ type: fc.constant("base64"), value: fc.constant(base64Of(png)) }), { maxLength: 2 })),
        },
        { requiredKeys: ["prompt", "images"] },
      ),
    ],
    [
      "translation",
      fc.record(
        {
          text: near(word),
          source_lang: near(fc.constantFrom("en", "de-AT", "english"), "x-klingon", "zh_CN", "en-"),
          target_lang: near(fc.constantFrom("fr", "zh-Hant-TW", "tlh"), "a", ""),
          formality: near(fc.constantFrom("formal", "informal")),
        },
        { requiredKeys: ["text", "target_lang"] },
      ),
    ],
    ["embedding", fc.record({ text: near(fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 })), [], "", ["a", ""]) })],
    [
      "function_call",
      fc.record(
        {
          functions,
          function_call: near(
            fc.record({ name: fc.constantFrom("f", "g"), parameters: fc.object({ maxDepth: 1, values: [fc.string()] }) }),
          ),
          prompt: near(fc.constant(prompt)),
        },
        { requiredKeys: [] },
      ),
    ],
  ];
  const members = fc.record(
    {
      protocol_version: near(fc.constantFrom("2.0", "2.1", "2.10"), "1.0", "1.7", "3.0", "2", 2),
      context: near(
        fc.record(
          {
            session_id: near(fc.constantFrom("s", "chat-1"), "é", ""),
            history: near(
              fc.array(fc.record({ role: near(fc.constantFrom("user", "assistant", "system"), "tool"), content: word }), { maxLength: 3 }),
            ),
            system_prompt: near(word),
          },
          { requiredKeys: [] },
        ),
      ),
      control: near(
        fc.record(
          {
            timeout: near(fc.integer({ min: 1_000, max: 600_000 }), 0, 600_001),
            priority: near(fc.constantFrom("low", "normal", "high")),
            retryable: near(fc.boolean()),
            cache: near(
              fc.record({ enable: fc.boolean(), ttl: near(fc.integer({ min: 1, max: 86_400 }), 0, 86_401) }, { requiredKeys: ["enable"] }),
            ),
          },
          { requiredKeys: [] },
        ),
      ),
      colour: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: ["protocol_version"] },
  );

  test.each(tasks)("of %s fits its schema", async (type, parameters) => {
    const schemas = new Map<string, (value: unknown) => boolean>();
    for (const version of versions) schemas.set(version, new Ajv2020({ strict: false }).compile(await schemaOf(version)));
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(parameters, members, async (given, more) => {
        const envelope = JSON.parse(JSON.stringify(envelopeOf(type, given, { model: { name: "demo" }, ...more }))) as object;
        const answer = await controlAnswerOf(control(envelope, { key }));
        if (answer.status === "invalid") return;
        taken += 1;
        const { protocol_version: version } = answer;
        expect([version, schemas.get(version ?? "")?.(envelope)]).toEqual([version, true]);
      }),
      { numRuns: 80 },
    );
    expect(taken).toBeGreaterThan(5);
  });
});
