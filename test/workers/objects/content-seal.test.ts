import { describe, expect, test } from "vitest";
import { ContentSeal, ContentUnreadable } from "../../../workers/objects/content-seal.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import type { Env } from "../../../workers/platform/env.ts";
import { env } from "../support/gateway.ts";
import { doctorText } from "../../../shared/words/doctor.ts";

const [old, current, other] = [
  "first-content-key-0123456789abcdef",
  "second-content-key-0123456789abc",
  "third-content-key-0123456789abcd",
];
const sealOf = (keys: Pick<Env, "CONTENT_KEY" | "CONTENT_KEY_PREVIOUS">, object = "object"): ContentSeal =>
  new ContentSeal({ ...env, ...keys }, object);
const bytesOf = (sealed: string | Uint8Array): ArrayBuffer => {
  if (typeof sealed === "string") throw new Error("not sealed");
  return sealed.slice().buffer;
};
const text = "The prompt, 提示词 \u{1F511}, and a half \\ud83d";
const seal = sealOf({ CONTENT_KEY: current });

describe("a sealed text", () => {
  test("opens where it stands, and has nothing of the text in it", () => {
    const stored = bytesOf(seal.seal(text, "content\u0000request:1\u00000"));
    expect(seal.open(stored, "content\u0000request:1\u00000")).toBe(text);
    expect(Buffer.from(stored).toString("latin1")).not.toContain("prompt");
    const twice = [seal.seal(text, "x"), seal.seal(text, "x")].map((sealed) => Buffer.from(bytesOf(sealed)).toString("hex"));
    expect(new Set(twice).size).toBe(2);
  });

  test("opens in no other row, no other object, and with no byte changed", () => {
    const stored = bytesOf(seal.seal(text, "here"));
    expect(() => seal.open(stored, "there")).toThrow(ContentUnreadable);
    expect(() => sealOf({ CONTENT_KEY: current }, "another").open(stored, "here")).toThrow(ContentUnreadable);
    for (let at = 0; at < stored.byteLength; at += 1) {
      const changed = new Uint8Array(stored.slice());
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => seal.open(changed.buffer, "here"), `byte ${at}`).toThrow(ContentUnreadable);
    }
  });

  test("of the previous key is read until that is removed, and new ones are of the current key", () => {
    const before = bytesOf(sealOf({ CONTENT_KEY: old }).seal(text, "here"));
    const rotating = sealOf({ CONTENT_KEY: current, CONTENT_KEY_PREVIOUS: old });
    expect(rotating.open(before, "here")).toBe(text);
    expect(seal.open(bytesOf(rotating.seal(text, "here")), "here")).toBe(text);
    expect(seal.mayOpen(before)).toBe(false);
    expect(() => seal.open(before, "here")).toThrow(ContentUnreadable);
    expect(() => sealOf({ CONTENT_KEY: other }).open(before, "here")).toThrow(ContentUnreadable);
    expect(() => sealOf({}).open(before, "here")).toThrow(ContentUnreadable);
  });

  test("is none without a key, and plain text stays readable once there is one", () => {
    expect(sealOf({}).seal(text, "here")).toBe(text);
    expect(seal.open(text, "here")).toBe(text);
  });

  test("within JSON is a text that opens, or null", () => {
    const sealed = seal.sealText(text, "here");
    expect(sealed).not.toContain("prompt");
    expect(seal.openText(sealed, "here")).toBe(text);
    expect(seal.openText(sealed, "there")).toBeNull();
    expect(sealOf({}).openText(sealed, "here")).toBeNull();
  });
});

describe("the settings", () => {
  const of = (keys: Pick<Env, "CONTENT_KEY" | "CONTENT_KEY_PREVIOUS">) => settingsOf({ ...env, ...keys });

  test("refuse a key that is too short, so that no content is stored as if it were protected", () => {
    expect(() => of({ CONTENT_KEY: "short" })).toThrow("CONTENT_KEY is shorter than 16 characters");
    expect(() => of({ CONTENT_KEY: current, CONTENT_KEY_PREVIOUS: "short" })).toThrow("CONTENT_KEY_PREVIOUS is shorter");
  });

  test.each([
    ["short", { CONTENT_KEY: "aB3dE5gH7jK9mN1pQ" }, "CONTENT_KEY is weak"],
    ["repetitive", { CONTENT_KEY: "abcdefgabdcfegbadcfegabdcefgabdc" }, "CONTENT_KEY is weak"],
    ["missing, and the previous one is there", { CONTENT_KEY_PREVIOUS: old }, "CONTENT_KEY is missing"],
  ])("say of a key that it is %s", (_what, keys, sentence) => {
    expect(
      of(keys)
        .issues.map(({ says }) => doctorText(says))
        .join("\n"),
    ).toContain(sentence);
  });

  test("go on encrypting where only the previous key is left", () => {
    expect(of({ CONTENT_KEY_PREVIOUS: old }).contentSecrets).toEqual([old]);
    expect(typeof sealOf({ CONTENT_KEY_PREVIOUS: old }).seal(text, "here")).toBe("object");
  });

  test("have nothing to say of a good key, or of none", () => {
    expect(of({ CONTENT_KEY: current }).issues).toEqual(of({}).issues);
  });
});
