// Exhaustion: what is too large, too deep, too many or too slow ends with an error that says so,
// and the gateway keeps its memory.

import { expect } from "vitest";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { familyOf } from "../../outside/support/processes.ts";
import { apng, ascii, flatPng, gifOf, joined, pngChunk, pngHeader, pngSignature } from "../../support/made-images.ts";
import { base64Of } from "../../support/image-files.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { envelope, isUndecided, opened, pathOf, press, rpcOf, sample, samplingMessage } from "../people.ts";
import { rawBytes } from "../raw-http.ts";
import { beginSession } from "../relay-client.ts";
import type { Answer, World } from "../world.ts";

/** What the gateway's processes have in memory, in MiB. Linux alone; 0 elsewhere. */
function memoryOf(world: World): number {
  return familyOf(world.pid()).reduce((sum, pid) => {
    try {
      const [, kib = "0"] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
      return sum + Number(kib) / 1024;
    } catch {
      return sum; // It ended meanwhile, or this is no Linux.
    }
  }, 0);
}

/** The isolates of four Workers may have 128 MB each; workerd itself has a hundred. */
const mostGrowthMiB = 640;

const bounded = (name: string, run: Attack["run"]): Attack => ({
  name,
  run: async (world) => {
    const before = memoryOf(world);
    await run(world);
    const grown = Math.round(memoryOf(world) - before);
    expect(grown, `the gateway's memory grew by ${grown} MiB`).toBeLessThan(mostGrowthMiB);
  },
});

const isClear = ({ status, json, text }: Answer, what: string): void => {
  expect(status, `${what}: ${status} ${text.slice(0, 200)}`).toBeLessThan(500);
  const error = (json as { error?: { message?: string } | string } | undefined)?.error;
  expect(error !== undefined && JSON.stringify(error).length > 20, `${what}: no error that says something: ${text.slice(0, 200)}`).toBe(
    true,
  );
};

const megabyte = 1024 * 1024;

const bodies: readonly [string, string, () => unknown, readonly number[]][] = [
  ["a body over the key's limit", "/sampling", () => samplingMessage({ text: "x".repeat(5 * megabyte) }), [413]],
  ["a body of 60 MB", "/sampling", () => samplingMessage({ text: "x".repeat(60 * megabyte) }), [413]],
  ["an envelope over the key's limit", "/control", () => envelope({ prompt: "x".repeat(5 * megabyte) }), [413]],
  [
    "a message at the relay over the key's limit",
    "/mcp/notes",
    () => ({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { x: "x".repeat(5 * megabyte) } }),
    [413],
  ],
  ["a Slack body of 30 MB", "/slack/interactions", () => "x".repeat(30 * megabyte), [401, 413]],
];

const large = eachOf(bodies, ([what, path, body, statuses]) =>
  bounded(`${what} is refused, and says so`, async (world) => {
    // The connection may be closed before all of it was sent.
    const answer = await world.ask(path, { body: body() }).catch(() => null);
    expect(answer === null || statuses.includes(answer.status), `the status is ${answer?.status}`).toBe(true);
    expect(world.model.requests.length, "calls of the model").toBe(0);
  }),
);

const compressed = bounded("a body that is compressed a thousandfold is not unpacked", async (world) => {
  const body = gzipSync(JSON.stringify(samplingMessage({ text: "x".repeat(200 * megabyte) })));
  const answer = await world.ask("/sampling", { body: new Uint8Array(body), headers: { "Content-Encoding": "gzip" } });
  expect(answer.status >= 400 && answer.status < 500, `the status is ${answer.status}`).toBe(true);
  expect(world.model.requests.length, "calls of the model").toBe(0);
});

const chunkedForever = bounded("a chunked body without an end is cut off at the limit", async (world) => {
  const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
  const head = `POST /sampling HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${world.ann.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const text = await rawBytes(world.port, head + chunk.repeat(300), 5_000);
  expect(/^HTTP\/1\.1 4\d\d/.test(text) || text === "", `the answer is ${text.slice(0, 60)}`).toBe(true);
});

const image = (bytes: Uint8Array, mimeType = "image/png"): object => ({ type: "image", data: base64Of(bytes), mimeType });
const white = { width: 2, height: 2, colorType: 2, pixel: () => [255, 255, 255] } as const;
const bombOf = (width: number, height: number): Uint8Array =>
  joined(pngSignature, pngHeader(width, height, 6), pngChunk("IDAT", [0x78, 0x9c, 3, 0, 0, 0, 0, 1]), pngChunk("IEND", []));

const pictures: readonly [string, () => object][] = [
  ["a header of 60,000 x 60,000 pixels", () => image(bombOf(60_000, 60_000))],
  ["a header of 2,147,483,647 x 1 pixels", () => image(bombOf(2_147_483_647, 1))],
  ["a PNG that is animated, with another default image", () => image(apng(white, { ...white, pixel: () => [0, 0, 0] }))],
  [
    "a GIF whose first picture lasts 10 ms",
    () =>
      image(
        gifOf(
          2,
          2,
          [0, 0, 0, 255, 255, 255],
          [
            { width: 2, height: 2, delay: 1, pixel: () => 0 },
            { width: 2, height: 2, pixel: () => 1 },
          ],
        ),
        "image/gif",
      ),
  ],
  ["a PNG that says it is a JPEG", () => image(flatPng(2, 2, [1, 2, 3]), "image/jpeg")],
  ["a page that says it is a PNG", () => image(Uint8Array.from(ascii("<!doctype html><script>1</script>")))],
  ["an SVG", () => image(Uint8Array.from(ascii('<svg xmlns="http://www.w3.org/2000/svg" onload="x"/>')), "image/svg+xml")],
  ["half a PNG", () => image(flatPng(200, 200, [1, 2, 3]).subarray(0, 60))],
  [
    "rows that cannot be inflated",
    () => image(joined(pngSignature, pngHeader(2, 2, 2), pngChunk("IDAT", ascii("nonsense")), pngChunk("IEND", []))),
  ],
  ["a text that is no base64", () => ({ type: "image", data: "!!!", mimeType: "image/png" })],
];

const decoders = eachOf(pictures, ([what, block]) =>
  bounded(`${what} as an image is refused before anybody is asked`, async (world) => {
    const answer = await sample(world, { server: "request-gate", params: { messages: [{ role: "user", content: block() }] } });
    expect(rpcOf(answer).error, `it was taken: ${answer.text.slice(0, 200)}`).toBeDefined();
    expect(world.model.requests.length, "calls of the model").toBe(0);
  }),
);

const manyImages = bounded("forty images of sixteen megapixels each are refused together", async (world) => {
  const big = image(joined(pngSignature, pngHeader(4_000, 4_000, 2), pngChunk("IDAT", [1]), pngChunk("IEND", [])));
  const answer = await sample(world, { params: { messages: Array.from({ length: 40 }, () => ({ role: "user", content: big })) } });
  expect(rpcOf(answer).error, "it was served").toBeDefined();
});

/**
 * Put together as text: the platform's own `JSON.stringify` does not reach five thousand levels.
 */
const call = (schema: object | string, parameters: object): string =>
  JSON.stringify({
    ...envelope(),
    task: {
      type: "function_call",
      parameters: { functions: [{ name: "f", description: "f", parameters: "SCHEMA" }], function_call: { name: "f", parameters } },
    },
  }).replace('"SCHEMA"', () => (typeof schema === "string" ? schema : JSON.stringify(schema)));

const schemas: readonly [string, object | string, object][] = [
  ["a pattern that backtracks without end", { type: "object", properties: { a: { pattern: "^(a+)+$" } } }, { a: `${"a".repeat(50_000)}!` }],
  ["a pattern of a million states", { type: "object", properties: { a: { pattern: "(a{1000}){1000}" } } }, { a: "a" }],
  ["a backreference", { type: "object", properties: { a: { pattern: "(a*)*\\1$" } } }, { a: "a".repeat(100) }],
  ["a reference to itself", { $ref: "#" }, {}],
  ["two definitions that refer to each other", { $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } }, $ref: "#/$defs/a" }, {}],
  ["a reference to a place inside", { $ref: "http://169.254.169.254/latest" }, {}],
  ["alternatives that double at each level", doubling(24), nested(24)],
  ["five thousand nested schemas", deepSchema(5_000), {}],
];

function doubling(levels: number): object {
  const $defs = Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `d${level}`,
      { anyOf: [0, 1].map(() => ({ type: "object", properties: { a: { $ref: `#/$defs/d${level + 1}` } }, required: ["b"] })) },
    ]),
  );
  return { $defs: { ...$defs, [`d${levels}`]: { type: "object" } }, $ref: "#/$defs/d0" };
}

function nested(levels: number): object {
  return levels === 0 ? {} : { a: nested(levels - 1) };
}

function deepSchema(levels: number): string {
  return `${'{"properties":{"a":'.repeat(levels)}{"type":"object"}${"}}".repeat(levels)}`;
}

const checked = eachOf(schemas, ([what, schema, parameters]) =>
  bounded(`a schema with ${what} is checked within bounds, or refused`, async (world) => {
    const began = Date.now();
    const answer = await world.ask("/control", { body: call(schema, parameters) });
    expect(answer.status, "the status").toBeLessThan(500);
    // Not a measure of speed: without bounds these take longer than the universe.
    expect(Date.now() - began, "it took a minute").toBeLessThan(60_000);
  }),
);

const floods: readonly Attack[] = [
  bounded("a batch of 48,000 notifications is refused, and none of it is passed on", async (world) => {
    const session = await beginSession(world, "notes", world.ann.key);
    const before = world.mcp.calls.length;
    const answer = await session.post(Array.from({ length: 48_000 }, () => ({ jsonrpc: "2.0", method: "notifications/x" })));
    expect([answer.status, world.mcp.calls.length], "the status, and requests to the server").toEqual([400, before]);
  }),
  bounded("a key over its rate is refused with when to come again, and another key is served", async (world) => {
    const { key } = await world.newKey({ limits: { requestsPerMinute: 3 } });
    const answers = await Promise.all(Array.from({ length: 60 }, () => sample(world, {}, key)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length, `only ${refused.length} of 60 were refused`).toBeGreaterThanOrEqual(50);
    for (const each of refused) expect(Number(each.headers.get("retry-after")), "no Retry-After").toBeGreaterThan(0);
    expect(rpcOf(await sample(world)).result, "another key was refused").toBeDefined();
  }),
  bounded("a key that makes up a session with each request has as many as its limit allows", async (world) => {
    const { key } = await world.newKey({ limits: { requestsPerMinute: 10_000, sessions: 3, concurrent: 500 } });
    const answers = await Promise.all(Array.from({ length: 80 }, () => sample(world, {}, key)));
    expect(answers.filter((answer) => rpcOf(answer).result !== undefined).length, "requests that were served").toBe(3);
  }),
  bounded("a key has no more requests under way than its limit allows", async (world) => {
    const { key } = await world.newKey({ limits: { requestsPerMinute: 10_000, concurrent: 2 } });
    const stop = new AbortController();
    const waiting = Array.from({ length: 30 }, () =>
      world.ask("/sampling", {
        key,
        signal: stop.signal,
        headers: { Prefer: "respond-async" },
        body: samplingMessage({ server: "request-gate" }),
      }),
    );
    const answers = await Promise.all(waiting);
    stop.abort();
    expect(answers.filter(({ status }) => status === 202).length, "requests under way").toBe(2);
    expect(answers.filter(({ status }) => status === 429).length, "requests that were refused").toBe(28);
  }),
  bounded("one originating request causes no more sampling than its limit allows", async (world) => {
    const { key } = await world.newKey({ limits: { requestsPerMinute: 10_000, roundsPerOriginatingRequest: 4, concurrent: 500 } });
    const answers = await Promise.all(Array.from({ length: 30 }, () => sample(world, { session: "loop", originating: 1 }, key)));
    expect(answers.filter((answer) => rpcOf(answer).result !== undefined).length, "requests that were served").toBe(4);
  }),
  bounded("fifty requests of a megabyte at the same time are served, or refused clearly", async (world) => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => sample(world, { text: "x".repeat(megabyte) })));
    for (const answer of answers) if (rpcOf(answer).result === undefined) isClear(answer, "a request");
  }),
  bounded("wrong keys from one address are refused for a while, and a good one from elsewhere is not", async (world) => {
    const guess = (address: string, key: string): Promise<Answer> =>
      world.ask("/sampling", { key, headers: { "CF-Connecting-IP": address }, body: samplingMessage() });
    const statuses = new Set<number>();
    for (let round = 0; round < 20; round += 1)
      for (const { status } of await Promise.all(Array.from({ length: 20 }, () => guess("192.0.2.77", "csk_wrong")))) statuses.add(status);
    expect(statuses, "none of 400 was refused").toContain(429);
    expect(rpcOf(await guess("192.0.2.78", world.ann.key)).result, "a good key from elsewhere was refused").toBeDefined();
  }),
  bounded("links that are made up are refused for a while at their address, and a reviewer's own opens", async (world) => {
    const review = await opened(world);
    const look = (path: string): Promise<Answer> => world.ask(path, { key: null, headers: { "CF-Connecting-IP": "192.0.2.79" } });
    const statuses = new Set<number>();
    for (let round = 0; round < 20; round += 1)
      for (const { status } of await Promise.all(Array.from({ length: 20 }, (_, index) => look(`/r/${"A".repeat(70)}${round}${index}`))))
        statuses.add(status);
    expect(statuses, "none of 400 was refused").toContain(429);
    expect((await look(pathOf(review.link))).status, "the reviewer's link").toBe(200);
    await press(world, review.link, "deny");
  }),
  bounded("200 connections that send a header and nothing more keep nobody out", async (world) => {
    const head = `POST /sampling HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${world.ann.key}\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`;
    const slow = Array.from({ length: 200 }, () => rawBytes(world.port, head, 3_000));
    expect(rpcOf(await sample(world)).result, "a request was not served").toBeDefined();
    await Promise.all(slow);
  }),
  bounded("almost two million line breaks in a prompt are counted on the page, which can be decided", async (world) => {
    const review = await opened(world, { text: `a${"\n".repeat(1_900_000)}b` });
    expect((await world.ask(pathOf(review.link), { key: null })).status, "the page's status").toBe(200);
    expect((await press(world, review.link, "deny")).status, "the decision").toBe(303);
  }),
  bounded("a form of 40 MB decides nothing", async (world) => {
    const review = await opened(world);
    // The connection may be closed before all of it was sent.
    const sending = world.ask(pathOf(review.link), {
      method: "POST",
      key: null,
      body: `nonce=${"x".repeat(40 * megabyte)}`,
      headers: { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" },
    });
    const answer = await sending.catch(() => null);
    expect(answer === null || answer.status === 413, `the status is ${answer?.status}`).toBe(true);
    expect(await isUndecided(world, review), "it was decided").toBe(true);
    await press(world, review.link, "deny");
  }),
  bounded("ten thousand stop sequences, tools or hints are refused or served, and nothing fails", async (world) => {
    const many = Array.from({ length: 10_000 }, (_, index) => index);
    for (const params of [
      { stopSequences: many.map((each) => `stop ${each}`) },
      { tools: many.map((each) => ({ name: `tool-${each}`, inputSchema: { type: "object" } })) },
      { modelPreferences: { hints: many.map((each) => ({ name: `hint ${each}` })) } },
      { metadata: Object.fromEntries(many.map((each) => [`m${each}`, each])) },
    ]) {
      const answer = await sample(world, { params });
      expect(answer.status, "the status").toBeLessThan(500);
    }
  }),
];

export const exhaustion: Area = {
  name: "exhaustion",
  about: "what is too large, too deep, too many or too slow",
  attacks: [...large, compressed, chunkedForever, ...decoders, manyImages, ...checked, ...floods],
};
