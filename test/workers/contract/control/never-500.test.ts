// Whatever is sent to the control endpoint, it answers in its published shape, never with a fault
// of its own, and in time.

import * as fc from "fast-check";
import { afterAll, beforeEach, expect, test } from "vitest";
import { base64Of, png } from "../../../support/image-files.ts";
import {
  type ControlAnswer,
  type Sent,
  controlRaw,
  documentedAnswer,
  envelopeOf,
  eventsOf,
  everyKind,
  gates,
  prompt,
} from "../../support/control.ts";
import { configure, createKey, gateway } from "../../support/gateway.ts";
import { loggedLines } from "../../support/logs.ts";
import { answerAt } from "../../support/provider.ts";
import { wholeOr } from "../../support/whole.ts";

const runs = { numRuns: wholeOr(120, 25) };
let key: string;

beforeEach(async () => {
  await gates({}, { imageHosts: ["images.example.com"] });
  answerAt("https://images.example.com", () => new Response(png, { headers: { "Content-Type": "image/png" } }));
  await configure("routing", everyKind);
  ({ key } = await createKey({ limits: { requestsPerMinute: 100_000, concurrent: 10_000, bodyBytes: 1_000_000 } }));
});

afterAll(() => {
  expect(loggedLines().filter((line) => /request\.failed|effectFailed|alarmFailed/.test(line))).toEqual([]);
});

const deadlineMs = 45_000;

/**
 * The answer: in time, no fault of ours, and of the published shape, as JSON or as the last event
 * of a stream.
 */
async function answered(sent: Promise<Response>): Promise<{ readonly response: Response; readonly answer: ControlAnswer }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer")), deadlineMs);
  });
  try {
    const response = await Promise.race([sent, late]);
    const text = await Promise.race([response.text(), late]);
    const isStream = response.headers.get("Content-Type") === "text/event-stream";
    const last = isStream ? eventsOf(text).at(-1) : undefined;
    if (isStream) expect(["result", "error"]).toContain(last?.name);
    else expect(response.headers.get("Content-Type")).toBe("application/json");
    const answer = last?.data ?? documentedAnswer(JSON.parse(text));
    expect(response.status).not.toBe(500);
    expect(answer.error?.code).not.toBe(-32603);
    expect(response.status < 400).toBe(isStream || answer.error === undefined);
    return { response, answer };
  } finally {
    clearTimeout(timer);
  }
}

const send = (body: BodyInit, who: "key" | "none" = "key"): Promise<Response> => controlRaw(body, { key: who === "key" ? key : null });
const who = fc.constantFrom("key" as const, "none" as const);

test("any JSON value, with credentials and without", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), who, async (value, who) => {
      const { response } = await answered(send(JSON.stringify(value), who));
      expect(response.status).toBe(who === "none" ? 401 : 400);
    }),
    runs,
  );
});

test("any text and any bytes", async () => {
  const body = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), fc.uint8Array({ maxLength: 200 }));
  await fc.assert(
    fc.asyncProperty(
      body,
      who,
      async (body, who) => void (await answered(send(typeof body === "string" ? body : new Uint8Array(body), who))),
    ),
    runs,
  );
});

/**
 * An envelope of each task with every member that there is; most of what follows is a change to one
 * of these.
 */
const generation = { prompt, max_tokens: 200, temperature: 0.5, top_p: 1, top_k: 3, stop: ["#"], stream: true, response_format: "json" };
const weather = { name: "f", description: "d", parameters: { type: "object", properties: { city: { type: "string" } } } };
const image = { type: "base64", value: base64Of(png) };
const tasks: [string, object][] = [
  ["text_generation", generation],
  ["multimodal_generation", { ...generation, images: [image, { type: "url", value: "https://images.example.com/a.png" }] }],
  ["translation", { text: prompt, source_lang: "en", target_lang: "fr", formality: "formal" }],
  ["embedding", { text: ["a", "b"] }],
  ["function_call", { functions: [weather], function_call: { name: "f", parameters: { city: "Oslo" } } }],
  ["function_call", { functions: [weather, { name: "g" }], prompt }],
];
const members = {
  model: { name: "demo", version: "latest", provider: "demo" },
  context: {
    session_id: "chat-1",
    history: [
      { role: "system", content: "s" },
      { role: "user", content: "u" },
    ],
    system_prompt: "p",
    remember: { ttl: 60 },
  },
  control: { timeout: 30_000, priority: "high", retryable: false, cache: { enable: true, ttl: 60 } },
};
const whole = fc.constantFrom(...tasks).map(([type, parameters]) => structuredClone(envelopeOf(type, parameters, members)));

test.each(tasks)("%s as it stands is answered", async (type, parameters) => {
  const { answer } = await answered(send(JSON.stringify(envelopeOf(type, parameters, members))));
  expect([answer.status, JSON.stringify(answer.error)]).toEqual(["completed", undefined]);
});

/** Places of a value, as the names that lead there; the value itself is none. */
function placesIn(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [[...at, name], ...placesIn(member, [...at, name])]);
}

/** The value with another in this place, or with nothing in it where that is undefined. */
function changed(value: Sent, place: readonly string[], to: unknown): Sent {
  const copy = structuredClone(value);
  let container: Record<string, unknown> = copy;
  for (const name of place.slice(0, -1)) container = container[name] as Record<string, unknown>; // `placesIn` was there
  const last = place.at(-1) ?? "";
  if (to === undefined) delete container[last];
  else container[last] = to;
  return copy;
}

const nested = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown[]>(
    undefined,
    null,
    "",
    "\ud800",
    "\0",
    "__proto__",
    -0,
    0.1 + 0.2,
    1e21,
    Number.MAX_SAFE_INTEGER,
    Number.MAX_VALUE,
    5e-324,
    [],
    {},
    { $ref: "#/nowhere" },
    { $ref: "#" },
    { pattern: "(a+)+$" },
    nested(62),
    nested(70),
  ),
  fc.string({ unit: "binary", maxLength: 30 }),
);

test("an envelope with anything in any of its places, with credentials and without", async () => {
  const mutated = whole.chain((envelope) =>
    fc.tuple(fc.constantFrom(...placesIn(envelope)), strange).map(([place, to]) => changed(envelope, place, to)),
  );
  await fc.assert(
    fc.asyncProperty(mutated, who, async (envelope, who) => {
      const { response } = await answered(send(JSON.stringify(envelope), who));
      if (who === "none") expect(response.status).toBe(401);
    }),
    { numRuns: wholeOr(400, 80) },
  );
});

test("an envelope with several changes at once, and members beside its own", async () => {
  const change = fc.tuple(fc.nat(), strange);
  const name = fc.oneof(fc.constantFrom("__proto__", "constructor", "toString", "auth", "", "~0/"), fc.string({ unit: "binary" }));
  await fc.assert(
    fc.asyncProperty(
      whole,
      fc.array(change, { minLength: 2, maxLength: 6 }),
      fc.dictionary(name, strange),
      async (envelope, changes, more) => {
        let sent = envelope;
        for (const [at, to] of changes) {
          const places = placesIn(sent);
          sent = changed(sent, places[at % places.length] ?? [""], to);
        }
        await answered(send(JSON.stringify({ ...sent, ...more })));
      },
    ),
    runs,
  );
});

test("whatever an envelope is, its request_id and version are in the answer where they can be read", async () => {
  const mutated = whole.chain((envelope) =>
    fc
      .tuple(fc.constantFrom(...placesIn(envelope).filter(([name]) => name !== "request_id" && name !== "protocol_version")), strange)
      .map(([place, to]) => changed(envelope, place, to)),
  );
  await fc.assert(
    fc.asyncProperty(mutated, who, async (envelope, who) => {
      const { answer } = await answered(send(JSON.stringify(envelope), who));
      expect([answer.request_id, answer.protocol_version]).toEqual([envelope["request_id"], "2.1"]);
    }),
    runs,
  );
});

/** JSON that no value gives when it is written: as text. */
const text = JSON.stringify(envelopeOf("text_generation", generation, members));
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
test.each<[string, string]>([
  ["members twice", text.replace("{", '{"request_id":"first","task":7,')],
  ["a task within a task", text.replace('"type"', '"type":"embedding","type"')],
  ["a member __proto__", text.replace("{", '{"__proto__":{"request_id":"polluted"},')],
  ["a number that is infinite", text.replace('"max_tokens":200', '"max_tokens":1e999')],
  ["a number of ten thousand digits", text.replace('"max_tokens":200', `"max_tokens":${"9".repeat(10_000)}`)],
  ["a lone surrogate in the id", text.replace(/"request_id":"[^"]*"/, '"request_id":"\\ud800"')],
  ["a name with a lone surrogate", text.replace("{", '{"\\udfff":1,')],
  ["nesting of ten thousand levels", text.replace("{", `{"deep":${deep(10_000)},`)],
  ["nesting of ten thousand levels in a schema", text.replace('"stream":true', `"functions":[{"name":"f","parameters":${deep(10_000)}}]`)],
  ["fifty thousand members", `{${Array.from({ length: 50_000 }, (_, at) => `"m${at}":0`).join(",")}}`],
  ["twenty thousand turns", text.replace('"history":[', `"history":[${'{"role":"x"},'.repeat(20_000)}`)],
  ["a byte order mark", `\ufeff${text}`],
  ["two values", `${text}${text}`],
  ["a number", "1e999"],
  ["null", "null"],
])("%s", async (_what, body) => {
  for (const credentials of ["key", "none"] as const) {
    const { response } = await answered(send(body, credentials));
    if (credentials === "none") expect([400, 401, 413]).toContain(response.status);
  }
});

test("any headers beside a good envelope", async () => {
  const value = fc.string({ maxLength: 60 });
  const headers = fc.record(
    {
      Accept: value,
      Prefer: value,
      Authorization: fc.oneof(
        value,
        value.map((text) => `Bearer ${text}`),
      ),
      "X-Countersign-Key": value,
      "Content-Type": fc.oneof(value, fc.constant("application/json")),
      "Content-Encoding": fc.constantFrom("identity", "x"),
      Origin: value,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(headers, async (headers) => {
      const init = { method: "POST", body: text, headers: { "Content-Type": "application/json", ...headers } };
      await answered(gateway("/control", { ...init, key }));
    }),
    runs,
  );
});

test("anything as credentials in the body", async () => {
  const auth = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.record({ api_key: strange, token: strange }, { requiredKeys: [] }));
  await fc.assert(
    fc.asyncProperty(auth, who, async (auth, who) => {
      const { response } = await answered(send(JSON.stringify({ ...envelopeOf("embedding", { text: "a" }), auth }), who));
      if (who === "none") expect(response.status).toBe(401);
    }),
    runs,
  );
});
