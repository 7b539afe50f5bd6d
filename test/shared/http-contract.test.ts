// docs/http-contract.md against the code: it has every error as it is sent.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeOutcome, describeRefusal } from "../../shared/wire/describe.ts";

const contract = readFileSync(new URL("../../docs/http-contract.md", import.meta.url), "utf8");

describe("docs/http-contract.md", () => {
  test("has every error with its code and status", () => {
    const described = [
      describeRefusal({ kind: "notJson" }),
      describeRefusal({ kind: "notSingleRequest", why: "" }),
      describeRefusal({ kind: "unauthorized", why: "missing" }),
      describeRefusal({ kind: "tooLarge", limitBytes: 1 }),
      describeRefusal({ kind: "notJsonType" }),
      describeRefusal({ kind: "unknownMethod", method: "x" }),
      describeRefusal({ kind: "invalidParams", errors: [] }),
      describeRefusal({ kind: "rateLimited", limit: "concurrent", max: 1, retryAfterMs: 1 }),
      describeRefusal({ kind: "policyRefused", rule: "x" }),
      describeRefusal({ kind: "noModel", reasons: [] }),
      describeRefusal({ kind: "broken", quote: "x" }),
      describeOutcome({ kind: "rejected", gate: "request", reason: null }),
      describeOutcome({ kind: "cancelled" }),
      describeOutcome({ kind: "failed", attempts: [] }),
    ];
    const rows = contract.split("\n").filter((line) => line.startsWith("|"));
    for (const { code, status } of described)
      expect(rows.some((row) => row.includes(`| ${code}`) && row.includes(`| ${status}`))).toBe(true);
  });
});
