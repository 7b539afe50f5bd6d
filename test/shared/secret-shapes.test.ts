// Passwords by the word before them, and the numbers of payment cards: what is one, what only looks
// like one.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cardNumbers, isPasswordMember, passwordAfter } from "../../shared/secret-shapes.ts";
import { scanText } from "../../shared/policy/scan-text.ts";
import { findSecrets } from "../../shared/redaction/secrets.ts";

const masked = (text: string): string[] =>
  findSecrets(text, "assigned", { steps: 1e7 }).map(({ start, end, label }) => `${label}: ${text.slice(start, end)}`);
const hasPassword = (text: string): boolean => scanText(text).credentials.includes("password");

describe("a password", () => {
  test.each([
    ["password: hunter2", "hunter2"],
    ["Password = Tr0ub4dor&3.", "Tr0ub4dor&3"],
    ["PASSWD='s3cret!'", "s3cret!"],
    ['{"password": "hunter2"}', "hunter2"],
    ['"{\\"password\\":\\"hunter2\\"}"', "hunter2"],
    ["passphrase: correct-horse-battery-staple", "correct-horse-battery-staple"],
    ["DB_PASSWORD=pa$$word", "pa$$word"],
    ["the admin password is hunter2, as always", "hunter2"],
    ["pwd: letmein!", "letmein!"],
    ["\u5bc6\u7801\uff1aabc12345", "abc12345"],
    ["\u5bc6\u7801\u662fabc12345\u3002", "abc12345"],
  ])("is the value in %s", (text, value) => {
    expect(masked(text)).toEqual([`password: ${value}`]);
    expect(hasPassword(text)).toBe(!text.includes("\u662f"));
  });

  test.each([
    "password: string",
    "password: required",
    "The password must be at least 8 characters long.",
    "Password: at least 12 characters",
    "password: ********",
    "password: <your password>",
    "password: ${DB_PASSWORD2}",
    "password: {{ secrets.DB1 }}",
    "password = user.password2",
    "const password = hash256(input)",
    "PASSWORD: DB_PASSWORD_2",
    "password: https://example.com/reset?id=12",
    "pwd: /home/user1/app",
    "password",
    "passwords: 123456",
    "the password is in the vault",
    "password:\n123456",
  ])("is not in %s", (text) => {
    expect([hasPassword(text), masked(text)]).toEqual([false, []]);
  });

  test("stands also in a member of JSON", () => {
    expect(isPasswordMember("password", "hunter2")).toBe(true);
    expect(isPasswordMember("userPassword", "hunter2")).toBe(true);
    expect(isPasswordMember("password", "a string")).toBe(false);
    expect(isPasswordMember("name", "hunter2")).toBe(false);
  });

  test("is found behind its word wherever that stands", () => {
    const around = fc.string({ unit: "grapheme", maxLength: 40 });
    fc.assert(fc.property(around, (before) => hasPassword(`${before}\npassword: hunter2`)));
    fc.assert(
      fc.property(around, (text) => {
        const found = passwordAfter(text, 0);
        expect(found === null || (found.start >= 0 && found.end <= text.length && found.end > found.start)).toBe(true);
      }),
    );
  });
});

/**
 * A number with its check digit, by the rule as ISO/IEC 7812-1 has it: from the right, every second
 * digit doubled, sums of digits.
 */
function checked(digits: string): string {
  for (const last of "0123456789") {
    const sum = [...`${digits}${last}`]
      .toReversed()
      .flatMap((digit, at) => [...String(Number(digit) * (at % 2 === 0 ? 1 : 2))])
      .reduce((total, digit) => total + Number(digit), 0);
    if (sum % 10 === 0) return digits + last;
  }
  return digits;
}

describe("the number of a card", () => {
  test.each([
    "4111111111111111",
    "4111 1111 1111 1111",
    "4111-1111-1111-1111",
    "5555 5555 5555 4444",
    "2223 0031 2200 3222",
    "3782 822463 10005",
    "378282246310005",
    "3056 930902 5904",
    "6011111111111117",
    "3530111333300000",
    "6212 3456 7890 1232",
  ])("%s is found, and nothing around it", (number) => {
    for (const text of [number, `card ${number}.`, `(${number})`, `${number}, 12/29`, `2024 ${number} 123`, `n:${number}\n`])
      expect(cardNumbers(text).map(({ start, end }) => text.slice(start, end))).toEqual([number]);
  });

  test.each([
    ["with a wrong check digit", "4111 1111 1111 1112"],
    ["of another beginning", checked("123456789012345")],
    ["of equal digits", "4444 4444 4444 4444"],
    ["in a word", "id_4111111111111111"],
    ["before a word", "4111111111111111x"],
    ["in a longer number", "94111111111111111"],
    ["behind a point", "0.4111111111111111"],
    ["in other groups", "41 11 11 11 11 11 11 11"],
    ["too short", checked("41111111111")],
    ["a telephone number", "+49 5555 5555 5555"],
    ["milliseconds", "1732406400000"],
  ])("is not one %s", (_, text) => {
    expect(cardNumbers(text)).toEqual([]);
  });

  test("is any of an issuer's with its check digit, and none with another", () => {
    const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 14, maxLength: 14 }).map((each) => `4${each.join("")}`);
    fc.assert(
      fc.property(digits, fc.integer({ min: 1, max: 9 }), (each, other) => {
        const good = checked(each);
        const isOne = new Set(good).size > 1;
        expect(cardNumbers(good)).toHaveLength(isOne ? 1 : 0);
        expect(cardNumbers(each + String((Number(good.at(-1)) + other) % 10))).toEqual([]);
      }),
    );
  });

  test("is masked, beside other secrets and within none twice", () => {
    expect(masked("4111111111111111 password: hunter2 4111111111111111")).toEqual([
      "card number: 4111111111111111",
      "password: hunter2",
      "card number: 4111111111111111",
    ]);
    expect(masked("password: 4111111111111111")).toEqual(["password: 4111111111111111"]);
  });
});
