import { describe, expect, test } from "vitest";
import { type Spender, allowancesFor, budgetsJsonSchema, parseBudgets } from "../../../shared/budget/budgets.ts";
import { periodOf } from "../../../shared/budget/period.ts";

const budget = { of: "everything", usd: 10, per: "day" };
const read = (budgets: object) => parseBudgets({ budgets });

describe("a budgets document", () => {
  test("is empty where nothing is given", () => {
    expect(parseBudgets({})).toEqual({ ok: true, value: { version: 0, budgets: {} } });
  });

  test.each([
    ["everything", budget],
    ["a server", { ...budget, of: { server: "notes" } }],
    ["a key", { ...budget, of: { key: "key_1" }, usd: undefined, tokens: 1_000 }],
    ["each key", { ...budget, of: { key: "*" }, tokens: 5 }],
    ["an owner, by the month", { of: { owner: "Ada" }, tokens: 0, per: "month", notify: ["ada@example.com"] }],
  ])("has budgets of %s", (_, each) => {
    expect(read({ name: each }).ok).toBe(true);
  });

  test.each([
    ["no amount", { of: "everything", per: "day" }, "/budgets/name"],
    ["an unknown period", { ...budget, per: "week" }, "/budgets/name/per"],
    ["less than nothing", { ...budget, usd: -1 }, "/budgets/name/usd"],
    ["half a token", { ...budget, tokens: 1.5 }, "/budgets/name/tokens"],
    ["a member that is none", { ...budget, model: "m" }, "/budgets/name/model"],
    ["no address", { ...budget, notify: ["Ada"] }, "/budgets/name/notify/0"],
    ["of nothing", { ...budget, of: "all" }, "/budgets/name/of"],
  ])("is refused with %s", (_, each, pointer) => {
    const parsed = read({ name: each });
    expect(parsed.ok ? [] : parsed.error.map((issue) => issue.pointer)).toContain(pointer);
  });

  test("has no budget with the name of keys' own, nor more than a hundred", () => {
    expect(read({ key: budget })).toMatchObject({ ok: false, error: [{ pointer: "/budgets/key" }] });
    expect(read(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`b${i}`, budget]))).ok).toBe(false);
  });

  test("has a schema for editors", () => {
    expect(budgetsJsonSchema()).toMatchObject({ type: "object" });
  });
});

describe("what a request counts for", () => {
  const spender: Spender = { key: "key_1", owner: "Ada", keyBudget: null, server: "notes" };
  const of = (whose: unknown, who: Spender = spender) => {
    const parsed = read({ name: { ...budget, of: whose } });
    if (!parsed.ok) throw new Error("the document of the test is refused");
    return allowancesFor(parsed.value, who).map(({ budget: name, part, unit, limit }) => [name, part, unit, limit]);
  };
  const whole = [["name", null, "usd", 10_000_000_000]];

  test.each([
    ["everything", whole],
    [{ server: "notes" }, whole],
    [{ server: "other" }, []],
    [{ key: "key_1" }, whole],
    [{ key: "key_2" }, []],
    [{ key: "*" }, [["name", "key_1", "usd", 10_000_000_000]]],
    [{ owner: "Ada" }, whole],
    [{ owner: "Bo" }, []],
    [{ owner: "*" }, [["name", "Ada", "usd", 10_000_000_000]]],
  ])("of %j", (whose, expected) => {
    expect(of(whose)).toEqual(expected);
  });

  test("a key without an owner counts for no owner's", () => {
    expect(of({ owner: "*" }, { ...spender, owner: null })).toEqual([]);
  });

  test("a key's own budget counts beside the others, each amount by itself", () => {
    const keyBudget = { usd: 1, tokens: 500, per: "month" } as const;
    const found = allowancesFor({ budgets: {} }, { ...spender, keyBudget });
    expect(found.map(({ budget: name, part, unit, limit, per }) => [name, part, unit, limit, per])).toEqual([
      ["key", "key_1", "usd", 1_000_000_000, "month"],
      ["key", "key_1", "tokens", 500, "month"],
    ]);
  });
});

describe("a period", () => {
  test.each([
    ["day", "2026-11-23T23:59:59.999Z", "2026-11-23", "2026-11-24"],
    ["day", "2026-12-31T12:00:00Z", "2026-12-31", "2027-01-01"],
    ["month", "2026-02-28T23:59:59Z", "2026-02-01", "2026-03-01"],
    ["month", "2026-12-01T00:00:00Z", "2026-12-01", "2027-01-01"],
  ] as const)("a %s with %s is from %s to %s, in UTC", (per, at, startsAt, endsAt) => {
    expect(periodOf(per, Date.parse(at))).toEqual({ startsAt: Date.parse(startsAt), endsAt: Date.parse(endsAt) });
  });
});
