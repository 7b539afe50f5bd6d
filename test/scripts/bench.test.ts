import { describe, expect, test } from "vitest";
import { isShown, withReport } from "../../bench/docs.ts";
import { readOptions } from "../../bench/options.ts";
import { type Report, cellOf, median, quantile } from "../../bench/report.ts";

const names = ["overhead", "relay"];

describe("the arguments", () => {
  test("without any, all parts are measured in full", () => {
    expect(readOptions([], names)).toMatchObject({ ok: true, value: { parts: [], settings: { short: false }, results: "bench/results" } });
  });

  test("a short run has a folder of its own, so that its figures replace none", () => {
    expect(readOptions(["relay", "--short"], names)).toMatchObject({
      ok: true,
      value: { parts: ["relay"], settings: { short: true }, results: ".bench/short" },
    });
  });

  test("rounds, seconds and connections are taken as they are given", () => {
    expect(readOptions(["--rounds", "3", "--seconds", "0.5", "--connections", "1,64"], names)).toMatchObject({
      value: { settings: { rounds: 3, seconds: 0.5, connections: [1, 64] } },
    });
  });

  test.each([
    [["nothing"], 'There is no part "nothing". The parts are overhead, relay.'],
    [["--rounds", "0"], '--rounds takes a whole number from 1 to 1000, not "0".'],
    [["--seconds", "soon"], '--seconds takes a number above 0 and up to 3600, not "soon".'],
    [["--connections", "1,300"], '--connections takes whole numbers from 1 to 256 with commas between them, not "1,300".'],
  ])("%j are refused", (args, error) => {
    expect(readOptions(args, names)).toEqual({ ok: false, error });
  });

  test("an unknown option is refused", () => {
    expect(readOptions(["--fast"], names)).toMatchObject({ ok: false, error: expect.stringContaining("--fast") });
  });
});

describe("the figures", () => {
  test("a cell has the median with the least and the greatest", () => {
    expect(cellOf([3, 1, 2], 1)).toBe("2.0 (1.0 to 3.0)");
    expect(cellOf([1_234.5], 0)).toBe("1,235");
    expect(cellOf([], 0)).toBe("");
    expect(cellOf([-0.001], 2)).toBe("0.00");
  });

  test("the median of an even number lies between the two in the middle", () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  test("a quantile is one of the values", () => {
    expect(quantile([3, 1, 2], 0.5)).toBe(2);
    expect(quantile([3, 1, 2], 0.99)).toBe(3);
    expect(quantile([3, 1, 2], 1)).toBe(3);
  });
});

describe("the tables of docs/performance.md", () => {
  const report: Report = {
    part: "relay",
    date: "2026-11-22T20:00:00.000Z",
    commit: "abc1234",
    changed: false,
    machine: "2 CPUs",
    node: "24.0.0",
    workerd: "1.0.0",
    settings: { rounds: 1, seconds: 1, warmUpSeconds: 1, connections: null, short: false, base: null },
    pictures: [],
    tables: [
      { title: "T", labels: ["who"], columns: [{ key: "ms", title: "ms", digits: 1 }], rows: [{ labels: ["we"], values: { ms: [1] } }] },
    ],
  };
  const marks = "<!-- bench relay: written by npm run bench -- --write-docs -->";
  const page = `before\n${marks}\nold figures\n<!-- end of bench relay -->\nafter\n`;

  test("a report replaces what stood between its marks", () => {
    const written = withReport(page, report, "../bench/results");
    expect(written).toContain("| we | 1.0 |");
    expect(written).not.toContain("old figures");
    expect(withReport(written, report, "../bench/results")).toBe(written);
  });

  test("the page has the median of the rounds, without the columns that only the results have", () => {
    const columns = [...(report.tables[0]?.columns ?? []), { key: "perSecond", title: "requests a second", digits: 0 }];
    const rows = [{ labels: ["we"], values: { ms: [3, 1, 2], perSecond: [7] } }];
    const written = withReport(page, { ...report, tables: [{ title: "T", labels: ["who"], columns, rows }] }, "");
    expect(written).toContain("| we | 2.0 |\n");
    expect(written).not.toContain("requests a second");
    expect(written).toContain("1 round of 1 s: median.");
  });

  test("pictures stand in the place of the tables that they show", () => {
    const written = withReport(page, { ...report, pictures: [{ file: "growth.svg", title: "Growth" }] }, "../bench/results");
    expect(written).toContain("![Growth](../bench/results/growth.svg)");
    expect(written).not.toContain("| we |");
  });

  test("a part whose marks the page has is shown, and no other", () => {
    expect([isShown(page, "relay"), isShown(page, "growth")]).toEqual([true, false]);
  });

  test("a report whose requests failed is refused", () => {
    const rows = [{ labels: ["we"], values: { ms: [1], failed: [2] } }];
    const tables = report.tables.map((table) => ({ ...table, rows }));
    expect(() => withReport(page, { ...report, tables }, "")).toThrow('requests of "relay" failed');
  });

  test("a page without marks for the part, and a short run, are refused", () => {
    expect(() => withReport("no marks", report, "")).toThrow('no marks for the part "relay"');
    expect(() => withReport(page, { ...report, settings: { ...report.settings, short: true } }, "")).toThrow("short run");
  });
});
