// JSON of every shape at every endpoint that reads JSON: an error that says so, and nothing done.

import { expect } from "vitest";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { envelope, rpcOf, sample, samplingMessage } from "../people.ts";
import { type Answer, type World, isAlive } from "../world.ts";

const deep = (open: string, close: string, levels: number, inside = "1"): string => open.repeat(levels) + inside + close.repeat(levels);
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const utf16 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "utf16le"));
const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "latin1"));

/** Not a message of any endpoint. */
const documents: readonly [string, string | Uint8Array][] = [
  ["an empty body", ""],
  ["white space", " \n\t "],
  ["half an object", '{"jsonrpc":"2.0","id":1'],
  ["two objects", '{"jsonrpc":"2.0"}{"jsonrpc":"2.0"}'],
  ["a number", "42"],
  ["a text", '"sampling/createMessage"'],
  ["null", "null"],
  ["true", "true"],
  ["an empty array", "[]"],
  ["an empty object", "{}"],
  ["an array of nothing", "[null,null]"],
  ["a hundred thousand open arrays", deep("[", "]", 100_000)],
  ["a hundred thousand nested objects", deep('{"a":', "}", 100_000)],
  ["a million open brackets and no end", "[".repeat(1_000_000)],
  ["a number of a million digits", `{"jsonrpc":"2.0","id":${"9".repeat(1_000_000)},"method":"sampling/createMessage"}`],
  ["a number out of every range", '{"jsonrpc":"2.0","id":1e999999,"method":"sampling/createMessage"}'],
  ["a method of a million letters", JSON.stringify({ jsonrpc: "2.0", id: 1, method: "m".repeat(1_000_000) })],
  ["bytes that are not UTF-8", bytes(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d)],
  ["an overlong encoding of a slash", bytes(0x22, 0xc0, 0xaf, 0x22)],
  ["an encoded surrogate", bytes(0x22, 0xed, 0xa0, 0x80, 0x22)],
  ["UTF-16", utf16(JSON.stringify(samplingMessage()))],
  ["Latin-1", latin1(JSON.stringify({ text: "café" }))],
  ["a NUL before the text", `\0${JSON.stringify(samplingMessage())}`],
  ["comments and trailing commas", '{"jsonrpc":"2.0",/* a */"id":1,}'],
  ["NaN and Infinity", '{"jsonrpc":"2.0","id":NaN,"method":Infinity}'],
  ["single quotes", "{'jsonrpc':'2.0'}"],
  ["XML", '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ["a form", "jsonrpc=2.0&method=sampling%2FcreateMessage"],
  ["a prototype in place of members", '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage"}}'],
  ["a constructor in place of members", '{"constructor":{"prototype":{"isAdmin":true}}}'],
];

const places = ["/sampling", "/control", "/mcp/notes"] as const;

const isRefusal = ({ status, json }: Answer): boolean =>
  status === 202 || (status >= 400 && status < 500) || (status === 200 && JSON.stringify(json ?? null).includes('"error"'));

/** Nothing came to the model or to a server. */
async function refusedAt(world: World, path: string, body: string | Uint8Array): Promise<void> {
  const before = [world.model.requests.length, world.mcp.calls.length];
  const answer = await world.ask(path, { body, headers: { Accept: "application/json, text/event-stream" } });
  expect(isRefusal(answer), `the answer is ${answer.status}: ${answer.text.slice(0, 200)}`).toBe(true);
  expect([world.model.requests.length, world.mcp.calls.length], "requests to model and server").toEqual(before);
}

const atEndpoints: Attack[] = places.flatMap((path) =>
  eachOf(documents, ([what, body]) => ({
    name: `${what} at ${path} is an error and nothing is done`,
    run: (world) => refusedAt(world, path, body),
  })),
);

const inAdmin: Attack[] = ["policy", "routing", "servers", "issuers"].map((name) => ({
  name: `documents of every shape do not become the ${name}`,
  run: async (world: World) => {
    const before = await world.admin(`/${name}`);
    const version = String((before.json as { readonly version: number }).version); // the contract's
    for (const [what, body] of documents) {
      const send = (): Promise<Answer> => world.admin(`/${name}`, { method: "PUT", body, headers: { "If-Match": version } });
      // A connection that was closed after a refused upload may be the first that is tried.
      const answer = await send().catch(async () => ((await isAlive(world)) ? send() : Promise.reject(new Error(`${what}: no answer`))));
      // An empty object is a whole document: every field has a default.
      if (body === "{}" || what.includes("in place of members")) continue;
      expect(answer.status >= 400 && answer.status < 500, `${what}: ${answer.status} ${answer.text.slice(0, 200)}`).toBe(true);
    }
    await world.put(name, before.json as object);
  },
}));

const badMembers: readonly [string, (message: ReturnType<typeof samplingMessage>) => unknown][] = [
  ["no version of JSON-RPC", ({ id, method, params }) => ({ id, method, params })],
  ["an id that is an object", (message) => ({ ...message, id: { toString: 1 } })],
  ["an id that is null", (message) => ({ ...message, id: null })],
  ["an id that is a fraction", (message) => ({ ...message, id: 1.5 })],
  ["an id that is a list", (message) => ({ ...message, id: [1] })],
  ["the method `constructor`", (message) => ({ ...message, method: "constructor" })],
  ["the method `__proto__`", (message) => ({ ...message, method: "__proto__" })],
  ["params that are a list", (message) => ({ ...message, params: [message.params] })],
  ["params that are null", (message) => ({ ...message, params: null })],
  ["no messages", (message) => ({ ...message, params: { ...message.params, messages: [] } })],
  [
    "messages that are an object",
    (message) => ({ ...message, params: { ...message.params, messages: { length: 1, 0: message.params.messages[0] } } }),
  ],
  [
    "a role of its own",
    (message) => ({ ...message, params: { ...message.params, messages: [{ role: "system", content: { type: "text", text: "x" } }] } }),
  ],
  [
    "a block of an unknown type",
    (message) => ({ ...message, params: { ...message.params, messages: [{ role: "user", content: { type: "html", text: "x" } }] } }),
  ],
  [
    "a text that is a number",
    (message) => ({ ...message, params: { ...message.params, messages: [{ role: "user", content: { type: "text", text: 1 } }] } }),
  ],
  ["`maxTokens` below one", (message) => ({ ...message, params: { ...message.params, maxTokens: -1 } })],
  ["`maxTokens` that is a text", (message) => ({ ...message, params: { ...message.params, maxTokens: "50" } })],
  ["priorities above one", (message) => ({ ...message, params: { ...message.params, modelPreferences: { costPriority: 99 } } })],
  [
    "a tool use without its result",
    (message) => ({
      ...message,
      params: {
        ...message.params,
        messages: [
          ...message.params.messages,
          { role: "assistant", content: { type: "tool_use", id: "t", name: "x", input: {} } },
          { role: "user", content: { type: "text", text: "y" } },
        ],
      },
    }),
  ],
  ["a session of a thousand letters", (message) => withSession(message, "s".repeat(1_000))],
  ["a session with a line break", (message) => withSession(message, "a\r\nb")],
  ["a session that is a path", (message) => withSession(message, "../../admin ")],
  ["no session", (message) => ({ ...message, params: { ...message.params, _meta: {} } })],
  [
    "an originating request without a server",
    (message) => ({
      ...message,
      params: { ...message.params, _meta: { ...message.params._meta, "countersign/originatingRequest": { id: 7, method: "tools/call" } } },
    }),
  ],
  [
    "the reserved server `control`",
    (message) => ({
      ...message,
      params: {
        ...message.params,
        _meta: { ...message.params._meta, "countersign/originatingRequest": { id: 7, method: "tools/call", name: "x", server: "control" } },
      },
    }),
  ],
];

const withSession = (message: ReturnType<typeof samplingMessage>, session: string) => ({
  ...message,
  params: { ...message.params, _meta: { ...message.params._meta, "countersign/session": session } },
});

const members = eachOf(badMembers, ([what, change]) => ({
  name: `a sampling request with ${what} reaches no model`,
  run: async (world) => {
    const before = world.model.requests.length;
    const answer = await world.ask("/sampling", { body: change(samplingMessage()) });
    expect(isRefusal(answer), `the answer is ${answer.status}: ${answer.text.slice(0, 200)}`).toBe(true);
    expect(world.model.requests.length, "calls of the model").toEqual(before);
  },
}));

const badEnvelopes: readonly [string, object][] = [
  ["another major version", { protocol_version: "9.0" }],
  ["a task of no type", { task: { type: "shell", parameters: {} } }],
  ["a prompt that is an object", { task: { type: "text_generation", parameters: { prompt: { toString: "x" } } } }],
  ["no parameters", { task: { type: "text_generation" } }],
  ["a request id of 10,000 letters", { request_id: "r".repeat(10_000) }],
  ["a history of 5,000 turns", { context: { history: Array.from({ length: 5_000 }, () => ({ role: "user", content: "x" })) } }],
  ["a time-out of a year", { control: { timeout: 31_536_000_000 } }],
  ["a cache for a century", { control: { cache: { enable: true, ttl: 3_153_600_000 } } }],
  ["an id of another type", { request_id: 7 }],
];

const envelopes = eachOf(badEnvelopes, ([what, change]) => ({
  name: `an envelope with ${what} starts no task`,
  run: async (world) => {
    const before = world.model.requests.length;
    const answer = await world.ask("/control", { body: { ...envelope(), ...change } });
    expect(answer.status >= 400 && answer.status < 500, `the answer is ${answer.status}: ${answer.text.slice(0, 200)}`).toBe(true);
    expect(world.model.requests.length, "calls of the model").toEqual(before);
  },
}));

const twoReadings: Attack = {
  name: "a message with a member twice is read in one way: what the policy saw is what is sent",
  run: async (world) => {
    const first = JSON.stringify(samplingMessage({ server: "refused", text: "first reading" }));
    // The last one of two members counts for JSON.parse; a policy that read the first would let a
    // refused server's request pass.
    const twice = first.replace('"server":"refused"', '"server":"open","server":"refused"');
    expect(twice, "the message was not changed").not.toBe(first);
    const before = world.model.requests.length;
    expect(rpcOf(await world.ask("/sampling", { body: twice })).error, "it was served").toBeDefined();
    expect(world.model.requests.length, "calls of the model").toEqual(before);
  },
};

const polluted: Attack = {
  name: "members named `__proto__` in metadata, tools and structured content change nothing for the next request",
  run: async (world) => {
    const body = JSON.stringify(samplingMessage({ server: "request-gate" })).replace(
      '"maxTokens":50',
      '"maxTokens":50,"metadata":{"__proto__":{"request":"allow","response":"allow"}}',
    );
    const stop = new AbortController();
    world.ask("/sampling", { body, signal: stop.signal }).catch(() => {});
    expect(rpcOf(await sample(world, { server: "refused" })).error, "a refused request was served").toBeDefined();
    stop.abort();
  },
};

const wrongTypes = eachOf(
  ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "text/html"],
  (type) => ({
    name: `a good message sent as ${type}, which a web page may post anywhere, is not read`,
    run: async (world) => {
      for (const [path, body] of [
        ["/sampling", samplingMessage()],
        ["/control", envelope()],
      ] as const) {
        const answer = await world.ask(path, { body: JSON.stringify(body), headers: { "Content-Type": type } });
        expect(answer.status, path).toBe(415);
      }
    },
  }),
);

export const shapes: Area = {
  name: "shapes",
  about: "JSON of every shape, and what is not JSON",
  attacks: [...atEndpoints, ...inAdmin, ...members, ...envelopes, twoReadings, polluted, ...wrongTypes],
};
