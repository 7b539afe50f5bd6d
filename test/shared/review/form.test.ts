import { describe, expect, test } from "vitest";
import { editField, parseDecisionForm } from "../../../shared/review/form.ts";

const good: [string, string][] = [
  ["nonce", "n0nce_-."],
  ["version", "3"],
  ["digest", "A".repeat(43)],
  ["act", "approve:2"],
];
const but = (name: string, value: string): [string, string][] => good.map(([key, old]) => [key, key === name ? value : old]);

describe("parseDecisionForm", () => {
  test("reads what the page sends", () => {
    const fields: [string, string][] = [
      ...good,
      ["reason", "  no\r\nreally  "],
      ["model", "m2"],
      [editField("/messages/0/content/0/text"), "a\r\nb"],
    ];
    const form = parseDecisionForm(new URLSearchParams(new URLSearchParams(fields).toString()));
    expect(form).toEqual({
      ok: true,
      value: {
        nonce: "n0nce_-.",
        version: 3,
        digest: "A".repeat(43),
        act: "approve",
        promised: { count: 2 },
        reason: "no\nreally",
        model: "m2",
        edits: new Map([["/messages/0/content/0/text", "a\r\nb"]]),
      },
    });
  });

  test("reads what the page showed of the changes, and a note for the other reviewer with a hand-over alone", () => {
    const shown = parseDecisionForm([...good, ["shown", "live"], ["note", "x"]]);
    expect(shown.ok && [shown.value.promised, shown.value.note]).toEqual([{ count: 2, shown: "live" }, undefined]);
    const handed = parseDecisionForm([...but("act", "handOver"), ["to", "Grace"], ["note", " a\r\nb "]]);
    expect(handed.ok && handed.value.note).toBe("a\nb");
    expect(parseDecisionForm([...good, ["shown", "a b"]])).toEqual({ ok: false, error: { kind: "malformed", field: "shown" } });
  });

  test("reads a grant with the button that gives one, and with no other", () => {
    const grant: [string, string][] = [
      ["grant", "tool:shape"],
      ["grant-hours", "1"],
      ["grant-uses", "3"],
    ];
    const allowed = parseDecisionForm([...but("act", "allow"), ...grant]);
    expect(allowed.ok && [allowed.value.act, allowed.value.promised, allowed.value.grant]).toEqual([
      "approve",
      { count: 0 },
      { scope: "tool", what: "shape", hours: 1, uses: 3 },
    ]);
    expect(parseDecisionForm(but("act", "allow")).ok).toBe(false);
    for (const act of ["approve:0", "deny", "preview", "notMine"]) {
      const form = parseDecisionForm([...but("act", act), ...grant]);
      expect(form.ok && form.value.grant).toBeUndefined();
    }
  });

  test("takes a form that no button submitted as a preview, which decides nothing", () => {
    const form = parseDecisionForm(good.filter(([name]) => name !== "act"));
    expect(form.ok && form.value.act).toBe("preview");
  });

  test("leaves an empty reason out", () => {
    const form = parseDecisionForm([...good, ["reason", " \r\n "]]);
    expect(form.ok && "reason" in form.value).toBe(false);
  });

  test("ignores fields that it does not know, and query parameters that mail systems add", () => {
    expect(parseDecisionForm([...good, ["utm_source", "x"], ["editx", "y"]]).ok).toBe(true);
  });

  test.each([
    ["no nonce", good.filter(([name]) => name !== "nonce"), "missing", "nonce"],
    ["no digest", good.filter(([name]) => name !== "digest"), "missing", "digest"],
    ["no version", good.filter(([name]) => name !== "version"), "missing", "version"],
    ["version 0", but("version", "0"), "malformed", "version"],
    ["a version in other digits", but("version", "1e3"), "malformed", "version"],
    ["an empty nonce", but("nonce", ""), "malformed", "nonce"],
    ["a digest with a line break", but("digest", "AAAA\n"), "malformed", "digest"],
    ["an unknown act", but("act", "send"), "malformed", "act"],
    ...["approve", "approve:", "approve: 1", "approve:01", "approve:-1", "approve:1e3", "approve:1234567"].map(
      (act) => [`an approval that promises no number of changes: ${act}`, but("act", act), "malformed", "act"] as const,
    ),
    ["an empty act", but("act", ""), "malformed", "act"],
    ["two acts", [...good, ["act", "deny"]], "repeated", "act"],
    ["one edit twice", [...good, [editField("/a"), "1"], [editField("/a"), "2"]], "repeated", "edit"],
    ["an unknown field twice", [...good, ["<b>", "1"], ["<b>", "2"]], "repeated", "other"],
    ["a reason over 1,000 characters", [...good, ["reason", "x".repeat(1001)]], "tooLong", "reason"],
    ["an empty model", [...good, ["model", ""]], "malformed", "model"],
    ["a note over 1,000 characters", [...but("act", "handOver"), ["to", "Grace"], ["note", "x".repeat(1001)]], "tooLong", "note"],
    ["a grant of more words", [...but("act", "allow"), ["grant", "tool:shape:key"]], "malformed", "grant"],
    [
      "a grant for more than 30 days",
      [...but("act", "allow"), ["grant", "tool:shape"], ["grant-hours", "721"]],
      "malformed",
      "grant-hours",
    ],
    [
      "a grant of more than 1,000 uses",
      [...but("act", "allow"), ["grant", "tool:shape"], ["grant-uses", "1001"]],
      "malformed",
      "grant-uses",
    ],
  ] as [string, [string, string][], string, string][])("refuses %s", (_, fields, kind, field) => {
    expect(parseDecisionForm(fields)).toEqual({ ok: false, error: { kind, field } });
  });

  test("takes a reason of exactly 1,000 characters", () => {
    expect(parseDecisionForm([...good, ["reason", "x".repeat(1000)]]).ok).toBe(true);
  });

  test("an edit may be called like one of our own fields, and a path may hold anything", () => {
    const form = parseDecisionForm([...good, [editField("nonce"), "x"], [editField(""), "y"]]);
    expect(form.ok && [form.value.nonce, form.value.edits.get("nonce"), form.value.edits.get("")]).toEqual(["n0nce_-.", "x", "y"]);
  });
});
