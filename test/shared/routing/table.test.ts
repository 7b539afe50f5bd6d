import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { isPrivateHost, readBaseUrl } from "../../../shared/address.ts";
import { parseRoutingTable, routingJsonSchema } from "../../../shared/routing/table.ts";

const model = {
  id: "m",
  provider: "p",
  name: "m-1",
  contextTokens: 1000,
  maxOutputTokens: 100,
  price: { inputPerMTok: 1, outputPerMTok: 2 },
  scores: { intelligence: 0.9, speed: 0.6, cost: 0.4 },
};
const tableWith = (members: object): object => ({ providers: { p: { kind: "anthropic", secret: "P_KEY" } }, models: [model], ...members });
const pointersOf = (document: unknown): string[] => {
  const parsed = parseRoutingTable(document);
  return parsed.ok ? [] : parsed.error.map(({ pointer }) => pointer);
};

test("defaults are filled in", () => {
  const parsed = parseRoutingTable(tableWith({}));
  expect(parsed.ok && parsed.value).toMatchObject({
    version: 0,
    equivalents: [],
    providers: { p: { kind: "anthropic", secret: "P_KEY", keyless: false, allowPrivate: false } },
    models: [
      {
        tasks: ["chat"],
        aliases: [],
        accepts: ["text"],
        tools: false,
        tokenField: "max_tokens",
        omits: [],
        overLimit: "cut",
        onlyKeys: [],
        onlyServers: [],
        enabled: true,
      },
    ],
  });
});

test("the table of the design is accepted, and its local server wants no credential", () => {
  const parsed = parseRoutingTable({
    version: 7,
    providers: {
      anthropic: { kind: "anthropic", secret: "ANTHROPIC_API_KEY" },
      local: { kind: "openai", baseUrl: "http://127.0.0.1:11434/v1", allowPrivate: true },
    },
    models: [
      {
        id: "claude-sonnet-4-5",
        provider: "anthropic",
        name: "claude-sonnet-4-5-20250929",
        tasks: ["chat"],
        aliases: ["claude-3-sonnet", "sonnet"],
        accepts: ["text", "image"],
        tools: true,
        contextTokens: 200000,
        maxOutputTokens: 64000,
        price: { inputPerMTok: 3, outputPerMTok: 15 },
        scores: { intelligence: 0.9, speed: 0.6, cost: 0.4 },
        tokenField: "max_tokens",
        omits: [],
        metadataKeys: [],
        onlyKeys: [],
        onlyServers: [],
        enabled: true,
      },
    ],
    equivalents: [{ hint: "claude-opus", models: ["Sonnet"] }],
  });
  expect(parsed.ok && parsed.value.providers["local"]?.keyless).toBe(true);
});

test("an equivalent may name models that this table does not have: it is written for more tables than one", () => {
  expect(parseRoutingTable(tableWith({ equivalents: [{ hint: "x", models: ["m", "nobody"] }] })).ok).toBe(true);
});

const faults: [string, unknown, string][] = [
  ["something that is not an object", 7, ""],
  ["an unknown member", tableWith({ modles: [] }), "/modles"],
  ["an unknown provider", tableWith({ models: [{ ...model, provider: "q" }] }), "/models/0/provider"],
  ["a provider name that every object has", tableWith({ models: [{ ...model, provider: "constructor" }] }), "/models/0/provider"],
  ["a duplicate id", tableWith({ models: [model, { ...model, id: "M" }] }), "/models/1/id"],
  ["an equivalent with an empty hint", tableWith({ equivalents: [{ hint: " ", models: ["m"] }] }), "/equivalents/0/hint"],
  [
    "a secret that is not a name",
    tableWith({ providers: { p: { kind: "anthropic", secret: "sk-ant-api03-abc" } } }),
    "/providers/p/secret",
  ],
  [
    "a secret of the gateway itself",
    tableWith({ providers: { p: { kind: "openai", baseUrl: "https://evil.example.com", secret: "ADMIN_TOKEN" } } }),
    "/providers/p/secret",
  ],
  [
    "a provider without a credential and without an address of its own",
    tableWith({ providers: { p: { kind: "anthropic" } } }),
    "/providers/p/secret",
  ],
  [
    "a private address",
    tableWith({ providers: { p: { kind: "openai", secret: "P", baseUrl: "https://10.0.0.1/v1" } } }),
    "/providers/p/baseUrl",
  ],
  [
    "plain http",
    tableWith({ providers: { p: { kind: "openai", secret: "P", baseUrl: "http://api.example.com/v1" } } }),
    "/providers/p/baseUrl",
  ],
  [
    "credentials in a base URL",
    tableWith({ providers: { p: { kind: "openai", secret: "P", baseUrl: "https://u:p@api.example.com/v1" } } }),
    "/providers/p/baseUrl",
  ],
  [
    "a base URL that is none",
    tableWith({ providers: { p: { kind: "openai", secret: "P", baseUrl: "ftp://api.example.com" } } }),
    "/providers/p/baseUrl",
  ],
  [
    "two sources of a base URL",
    tableWith({ providers: { p: { kind: "openai", secret: "P", baseUrl: "https://a.example.com", baseUrlFrom: "B" } } }),
    "/providers/p/baseUrlFrom",
  ],
  ["embeddings from Anthropic", tableWith({ models: [{ ...model, tasks: ["embedding"] }] }), "/models/0/tasks"],
  ["audio to Anthropic", tableWith({ models: [{ ...model, accepts: ["audio"] }] }), "/models/0/accepts"],
  ["a score over 1", tableWith({ models: [{ ...model, scores: { ...model.scores, cost: 1.1 } }] }), "/models/0/scores/cost"],
  [
    "a score with seven decimals",
    tableWith({ models: [{ ...model, scores: { ...model.scores, cost: 0.1234567 } }] }),
    "/models/0/scores/cost",
  ],
];
test.each(faults)("%s is refused, and pointed at", (_, document, pointer) => {
  expect(pointersOf(document)).toContain(pointer);
});

test("an error never repeats a value of the document", () => {
  for (const member of ["secret", "baseUrl", "baseUrlFrom"]) {
    const parsed = parseRoutingTable(tableWith({ providers: { p: { kind: "openai", [member]: "sk-live-0123456789" } } }));
    expect(parsed.ok).toBe(false);
    expect(JSON.stringify(parsed)).not.toContain("sk-live");
  }
});

test("no more than fifty problems are listed", () => {
  expect(pointersOf(tableWith({ models: Array.from({ length: 80 }, () => ({})) }))).toHaveLength(50);
});

test("the published JSON Schema accepts and refuses what the parser does, as far as it can", () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(routingJsonSchema());
  expect(validate(tableWith({}))).toBe(true);
  expect(validate(tableWith({ modles: [] }))).toBe(false);
  expect(validate({ providers: {} })).toBe(false);
});

describe("addresses", () => {
  const inside =
    "localhost LOCALHOST. a.localhost ollama printer.local x.internal x.home.arpa 127.0.0.1 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255 192.0.2.1 198.51.100.7 203.0.113.9 1.2.3.4.5 256.1.1.1 1.08 0x 127.0.0.1.. localhost.. .example.com a..example.com [::1] [::] [fe80::1] [fc00::1] [fd12:3456::1] [ff02::1] [::ffff:10.0.0.1] [::ffff:7f00:1] [64:ff9b::a00:1] [2002:7f00:1::] [2001:db8::1] [::127.0.0.1] [1:2] [:::] 192.88.99.1 [2001::1] [3fff::1] [4000::1] [fec0::1] [64:ff9b:1::808:808] a@8.8.8.8 8.8.8.8/x 8.8.8.8:81";
  test.each(inside.split(" "))("%s is private", (host) => {
    expect(isPrivateHost(host)).toBe(true);
  });

  const outside =
    "api.example.com example.com. 1.1.1.1 8.8.8.8 172.15.0.1 172.32.0.1 11.0.0.1 0x08080808 134744072 [2606:4700:4700::1111] [::ffff:8.8.8.8] [64:ff9b::808:808] [2002:808:808::]";
  test.each(outside.split(" "))("%s is public", (host) => {
    expect(isPrivateHost(host)).toBe(false);
  });

  test.each([
    "https://a.example.com\\@evil.example.com",
    "https://a example.com",
    "//example.com",
    "https://",
    "https://１２７.0.0.1/",
    "https://a%2eexample.com",
    "https://a.example.com:port",
    "javascript:alert(1)",
  ])("%s is not a base URL", (url) => {
    expect(readBaseUrl(url)).toBeUndefined();
  });

  test("user information, query and fragment are noticed", () => {
    expect(readBaseUrl("https://a@b.example.com/")).toEqual({ scheme: "https", host: "b.example.com", extras: true });
    expect(readBaseUrl("HTTPS://B.example.com:8443/v1?x=1")).toEqual({ scheme: "https", host: "b.example.com", extras: true });
    expect(readBaseUrl("http://[::1]:11434/v1")).toEqual({ scheme: "http", host: "[::1]", extras: false });
  });
});
