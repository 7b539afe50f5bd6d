// Which texts are refused as secrets, and that no random one is.

import { assert, pre, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { secretError } from "../../shared/secret-error.ts";

test.each([
  ["", "empty"],
  ["                    ", "empty"],
  ["0123456789abcde", "short"],
  ["changemechangeme", "example"],
  ["CHANGE-ME-CHANGE-ME", "example"],
  ["replace-with-32-random-characters", "example"],
  ["your-secret-key-goes-here", "example"],
  ["<your admin token>", "example"],
  ["an-example-of-a-token-0123", "example"],
  ["xxxxxxxxxxxxxxxxxxxxxxxxxxxx", "example"],
  ["aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "example"],
  ["abcabcabcabcabcabcabc", "example"],
  ["1234567890123456", "example"],
  ["abcdefghijklmnop", "example"],
  ["0123456789abcdef", "example"],
  ["password-password-1234", "example"],
  ["secret-admin-token", "example"],
] as const)("%j is refused as %s", (text, error) => {
  expect(secretError(text)).toBe(error);
});

test("16 characters with variety pass, and 15 do not", () => {
  expect(secretError("k3vX0rT2mB1cQ9aZ")).toBeNull();
  expect(secretError("k3vX0rT2mB1cQ9a")).toBe("short");
});

test("what openssl makes of random bytes passes, as base64 and as hexadecimal", () => {
  assert(
    property(uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      // Bytes that a random source cannot make: fast-check's smallest ones are all alike.
      pre(new Set(bytes).size > 16);
      const made = Buffer.from(bytes);
      return secretError(made.toString("base64")) === null && secretError(made.toString("hex")) === null;
    }),
    { numRuns: 2000 },
  );
});
