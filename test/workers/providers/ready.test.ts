import { describe, expect, test } from "vitest";
import type { Provider } from "../../../shared/routing/table.ts";
import { reasonText } from "../../../shared/words/reasons.ts";
import { providerReady } from "../../../workers/providers/ready.ts";

const provider = (changes: Partial<Provider> = {}): Provider => ({ kind: "openai", keyless: false, allowPrivate: false, ...changes });
const environment: Record<string, string> = {
  KEY: "sk-1",
  EMPTY: "  ",
  HOME_URL: "http://127.0.0.1:11434/v1",
  PUBLIC_API: "https://api.example.com/v1",
};
const ready = (changes: Partial<Provider>) => {
  const verdict = providerReady(provider(changes), (name) => environment[name]);
  return verdict.ok ? verdict : { ok: false, error: reasonText(verdict.error) };
};

describe("whether a provider can be called", () => {
  test.each([
    ["a key in the environment", { secret: "KEY" }, { apiKey: "sk-1" }],
    [
      "an address and a key",
      { secret: "KEY", baseUrl: "https://api.example.com/v1" },
      { baseUrl: "https://api.example.com/v1", apiKey: "sk-1" },
    ],
    [
      "an address from the environment",
      { secret: "KEY", baseUrlFrom: "PUBLIC_API" },
      { baseUrl: "https://api.example.com/v1", apiKey: "sk-1" },
    ],
    [
      "a local server that wants no key",
      { keyless: true, baseUrlFrom: "HOME_URL", allowPrivate: true },
      { baseUrl: "http://127.0.0.1:11434/v1" },
    ],
    ["a key where none is wanted but one is named", { keyless: true, secret: "KEY" }, { apiKey: "sk-1" }],
    ["the demo", { kind: "demo" }, {}],
  ] as const)("%s", (_name, changes, value) => {
    expect(ready(changes)).toEqual({ ok: true, value });
  });

  test.each([
    ["no key named", {}, "its provider has no credential"],
    ["a key that is not set", { secret: "ABSENT" }, "its provider has no credential"],
    ["a key of white space", { secret: "EMPTY" }, "its provider has no credential"],
    [
      "an address that is not set",
      { secret: "KEY", baseUrlFrom: "ABSENT" },
      "its provider has no address: the variable that holds it is not set",
    ],
    ["a private address from the environment", { secret: "KEY", baseUrlFrom: "HOME_URL" }, "its provider's address is not https"],
    ["no URL", { secret: "KEY", baseUrl: "example.com" }, "its provider's address is not an absolute http or https URL"],
    ["another scheme", { secret: "KEY", baseUrl: "file:///etc/passwd" }, "its provider's address is not an absolute http or https URL"],
    [
      "a password in the address",
      { secret: "KEY", baseUrl: "https://u:p@api.example.com" },
      "its provider's address carries a user name, a query or a fragment",
    ],
  ] as const)("%s", (_name, changes, error) => {
    expect(ready(changes)).toEqual({ ok: false, error });
  });

  test.each([
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:a9fe:a9fe]",
    "[fc00::1]",
    "[fd12::1]",
    "[fe80::1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001:db8::1]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "printer.local",
    "metadata.google.internal",
    "intranet",
    "nas.home.arpa",
  ])("refuses https://%s without allowPrivate, and takes it with it", (host) => {
    expect(ready({ secret: "KEY", baseUrl: `https://${host}/v1` })).toEqual({
      ok: false,
      error: "its provider's address is private or loopback",
    });
    expect(ready({ secret: "KEY", baseUrl: `https://${host}/v1`, allowPrivate: true }).ok).toBe(true);
  });

  test.each(["api.openai.com", "8.8.8.8", "172.32.0.1", "[2606:4700::1111]", "local.example.com", "localhost.example.com"])(
    "takes https://%s",
    (host) => {
      expect(ready({ secret: "KEY", baseUrl: `https://${host}/v1` }).ok).toBe(true);
    },
  );

  test("a reason holds no address, key or name of a variable", () => {
    for (const changes of [{ secret: "ABSENT" }, { baseUrlFrom: "HOME_URL", secret: "KEY" }]) {
      const result = ready(changes);
      expect(JSON.stringify(result)).not.toMatch(/127|11434|sk-1|ABSENT|HOME_URL/);
    }
  });
});
