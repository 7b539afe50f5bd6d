import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeImageUrl } from "../../../../shared/wire/control/image-address.ts";
import { imageTypeOf } from "../../../../shared/image/image-type.ts";
import { images, noImages, padded } from "../../../support/image-files.ts";

describe("the type of an image's bytes", () => {
  test.each(Object.entries(images))("%s is known by its first twelve bytes", (type, bytes) => {
    expect(imageTypeOf(bytes)).toBe(type);
    expect(imageTypeOf(padded(bytes, 12))).toBe(type);
  });

  test.each(Object.entries(noImages))("%s is none", (_name, bytes) => {
    expect(imageTypeOf(bytes)).toBeUndefined();
  });

  test("is none where the signature does not stand at the very beginning", () => {
    for (const bytes of Object.values(images)) expect(imageTypeOf(Uint8Array.from([0, ...bytes]))).toBeUndefined();
  });
});

const hosts = ["images.example.com", "xn--bcher-kva.example"];
const judge = (url: string, listed: readonly string[] = hosts) => judgeImageUrl(url, (text) => URL.parse(text) ?? undefined, listed);

describe("an address that an image is to be fetched from", () => {
  test.each([
    ["https://images.example.com/a.png", "https://images.example.com/a.png"],
    ["https://images.example.com/a.png?size=2#part", "https://images.example.com/a.png?size=2"],
    ["HTTPS://IMAGES.Example.COM:443/a", "https://images.example.com/a"],
    ["https://images.example.com", "https://images.example.com/"],
    ["https://bücher.example/a", "https://xn--bcher-kva.example/a"],
    ["https://images.example.com/../../a%2f..", "https://images.example.com/a%2f.."],
  ])("%s is fetched as %s", (url, fetched) => {
    expect(judge(url)).toEqual({ ok: true, value: fetched });
  });

  test.each([
    ["nothing", "", "noAddress"],
    ["a path", "/a.png", "noAddress"],
    ["white space around it", " https://images.example.com/a", "noAddress"],
    ["a line break within", "https://images.exam\nple.com/a", "noAddress"],
    ["a backslash", "https://images.example.com\\@evil.example/a", "noAddress"],
    ["more letters than any address needs", `https://images.example.com/${"a".repeat(2_048)}`, "noAddress"],
    ["plain http", "http://images.example.com/a", "notHttps"],
    ["a file", "file:///etc/passwd", "notHttps"],
    ["data", "data:image/png;base64,AAAA", "notHttps"],
    ["a blob", "blob:https://images.example.com/1", "notHttps"],
    ["a user name", "https://user@images.example.com/a", "credentials"],
    ["a password alone", "https://:secret@images.example.com/a", "credentials"],
    ["the listed host as a user name", "https://images.example.com@evil.example/a", "credentials"],
    ["another port", "https://images.example.com:8443/a", "port"],
    ["port 80", "https://images.example.com:80/a", "port"],
    ["another host", "https://evil.example/a", "notListed"],
    ["a host under the listed one", "https://cdn.images.example.com/a", "notListed"],
    ["a host that ends like it", "https://myimages.example.com/a", "notListed"],
    ["a host that begins like it", "https://images.example.com.evil.example/a", "notListed"],
    ["a dot at its end", "https://images.example.com./a", "notListed"],
  ])("with %s is fetched from nowhere", (_name, url, fault) => {
    expect(judge(url)).toEqual({ ok: false, error: fault });
  });

  test.each([
    "127.0.0.1",
    "8.8.8.8",
    "8.8.8.8.",
    "2130706433",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "[::1]",
    "[::ffff:10.0.0.1]",
    "[2606:4700::1111]",
    "①②⑦.0.0.1",
    "169.254.169.254",
  ])("with the numeric host %s is fetched from nowhere, even where the policy lists it", (host) => {
    const read = URL.parse(`https://${host}/a`)?.hostname ?? host;
    expect(judge(`https://${host}/a`, [...hosts, host, read])).toEqual({ ok: false, error: "literalAddress" });
  });

  test.each(["localhost", "metadata.google.internal", "printer.local"])("with the inner name %s, even where it is listed", (host) => {
    expect(judge(`https://${host}/a`, [host])).toEqual({ ok: false, error: "notListed" });
  });

  test("leads to a listed host by https on its default port, whatever was given", () => {
    const part = fc.constantFrom(
      "https:",
      "//",
      "http:",
      "images.example.com",
      "@",
      ":",
      "443",
      "8080",
      "/",
      "\\",
      "?",
      "#",
      ".",
      "evil.example",
      "127.0.0.1",
      "[::1]",
      "%2e",
      "。",
      "\t",
    );
    const text = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.array(part, { maxLength: 9 }).map((parts) => parts.join("")),
      fc.string(),
    );
    fc.assert(
      fc.property(text, (url) => {
        const judged = judge(url);
        if (!judged.ok) return;
        const { origin, username, password, hash } = new URL(judged.value);
        expect(hosts.map((host) => `https://${host}`)).toContain(origin);
        expect([username, password, hash]).toEqual(["", "", ""]);
      }),
      { numRuns: 2_000 },
    );
  });
});
