import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fromBase64url, toBase64url } from "../../shared/encoding.ts";
import { type SigningKeys, parseRunId, runIdOf, runRandomLength, seal, signingKey, unseal } from "../../shared/sealed-id.ts";

const key = signingKey("the first secret, long enough");
const older = signingKey("the second secret, long enough");
const keys: SigningKeys = [key];
const random = fc.uint8Array({ minLength: runRandomLength, maxLength: runRandomLength });

test("a run id gives back its random bytes, to whoever has the key", () => {
  fc.assert(
    fc.property(random, (bytes) => {
      const id = runIdOf(keys, bytes);
      expect(id).toMatch(/^run_[A-Za-z0-9_-]{44}$/);
      expect(parseRunId(keys, id)).toEqual(bytes);
      expect(parseRunId([older], id)).toBeUndefined();
      expect(parseRunId([older, key], id)).toEqual(bytes);
    }),
  );
});

test("a run id with any bit changed is none, and so is one without its prefix or with more behind it", () => {
  const id = runIdOf(keys, new Uint8Array(runRandomLength));
  const sealed = fromBase64url(id.slice(4)) ?? new Uint8Array();
  for (let at = 0; at < sealed.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const changed = Uint8Array.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ (1 << bit);
      expect(parseRunId(keys, `run_${toBase64url(changed)}`)).toBeUndefined();
    }
  }
  for (const text of [id.slice(4), `run_${id}`, `RUN_${id.slice(4)}`, `${id}A`, `${id}=`, `${id} `, "", "run_"])
    expect(parseRunId(keys, text)).toBeUndefined();
});

test("no text that was not sealed is ever accepted", () => {
  fc.assert(fc.property(fc.string({ maxLength: 80 }), (text) => void expect(parseRunId(keys, `run_${text}`)).toBeUndefined()));
});

test("a seal is for one domain and one length of payload", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (payload) => {
      const text = seal(keys, "one", payload);
      expect(unseal(keys, "one", text, payload.length)).toEqual(payload);
      expect(unseal(keys, "two", text, payload.length)).toBeUndefined();
      expect(unseal(keys, "one", text, payload.length + 1)).toBeUndefined();
      if (payload.length > 0) expect(unseal(keys, "one", text, payload.length - 1)).toBeUndefined();
    }),
  );
});

test("a key is made of its secret alone, and says nothing of it", () => {
  expect(signingKey("the first secret, long enough")).toEqual(key);
  expect(signingKey("the first secret, long enough ").bytes).not.toEqual(key.bytes);
  expect(new TextDecoder().decode(key.bytes)).not.toContain("secret");
});
