// The Grafana dashboard and docs/telemetry.md against the metrics that there are.

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Family, families } from "../../../shared/telemetry/metric-families.ts";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

type Panel = {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { expr: string; legendFormat: string }[];
};
const dashboard = JSON.parse(read("docs/grafana-dashboard.json")) as { readonly panels: readonly Panel[] }; // ours

const targets = dashboard.panels.flatMap(({ title, targets: all = [] }) => all.map((target) => ({ title, ...target })));

/** The family of a series' name, as a histogram's parts are named. */
function familyOf(name: string): Family | undefined {
  const exact = families[name as keyof typeof families] as Family | undefined; // undefined where it is no name of ours
  if (exact !== undefined) return exact.type === "histogram" ? undefined : exact;
  const [, base = ""] = /^(.+)_(?:bucket|sum|count)$/.exec(name) ?? [];
  const histogram = families[base as keyof typeof families] as Family | undefined;
  return histogram?.type === "histogram" ? histogram : undefined;
}

describe("the dashboard", () => {
  test("asks only for series that there are, with labels that they have", () => {
    expect(targets.length).toBeGreaterThan(15);
    for (const { title, expr, legendFormat } of targets) {
      const names = expr.match(/countersign_\w+/g) ?? [];
      expect([title, names.length]).toEqual([title, 1]);
      const family = familyOf(names[0] ?? "");
      expect([title, family === undefined]).toEqual([title, false]);
      const used = [
        ...(/\bby \(([^)]*)\)/
          .exec(expr)?.[1]
          ?.split(",")
          .map((each) => each.trim()) ?? []),
        ...[...expr.matchAll(/(\w+)(?:=|!=|=~)"/g)].map(([, label = ""]) => label),
        ...[...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label),
      ];
      const known = new Set([...(family?.labels ?? []), ...(family?.type === "histogram" ? ["le"] : [])]);
      expect([title, used.filter((label) => !known.has(label))]).toEqual([title, []]);
    }
  });

  test("shows counters as rates or increases, and gauges as they are", () => {
    for (const { title, expr } of targets) {
      const family = familyOf(/countersign_\w+/.exec(expr)?.[0] ?? "");
      expect([title, /\b(?:rate|increase)\(/.test(expr)]).toEqual([title, family?.type !== "gauge"]);
    }
  });

  test("leaves no metric out", () => {
    const text = targets.map(({ expr }) => expr).join("\n");
    expect(Object.keys(families).filter((name) => !text.includes(name))).toEqual([]);
  });

  test("has a panel for each place, and no id twice", () => {
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});

describe("docs/telemetry.md", () => {
  const text = read("docs/telemetry.md");

  test("has every metric with its labels", () => {
    const rows = text.split("\n").filter((line) => line.startsWith("| `countersign_"));
    const wanted = Object.entries(families).map(([name, { type, labels }]) => [
      name,
      type,
      labels.map((label) => `\`${label}\``).join(", "),
    ]);
    const found = rows.map((row) =>
      row
        .split("|")
        .slice(1, 4)
        .map((cell) => cell.trim().replace(/^`(countersign_\w+)`$/, "$1")),
    );
    expect(found).toEqual(wanted);
  });

  test("has every attribute that spans have and OpenTelemetry does not define", () => {
    const source = ["request-spans", "gate-spans", "model-spans"].map((name) => read(`shared/telemetry/${name}.ts`)).join("\n");
    const names = new Set([...source.matchAll(/"(countersign\.[a-z_.]+)"/g)].map(([, name = ""]) => name));
    expect(names.size).toBeGreaterThan(15);
    expect([...names].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
