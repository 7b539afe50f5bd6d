// Metrics in the text format of Prometheus, version 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats/).

import { type CountedName, type Family, type GaugeName, families } from "./metric-families.ts";
import { type MetricSums, histogramOf } from "./metric-sums.ts";

export const prometheusType = "text/plain; version=0.0.4; charset=utf-8";

/** What stands, by family: label values and the number. */
export type Gauges = { readonly [name in GaugeName]: readonly (readonly [labels: readonly string[], value: number])[] };

/** Families without a series have their lines of help and type alone. */
export function prometheusText(sums: MetricSums, gauges: Gauges): string {
  const samples = (name: string, family: Family): string[] =>
    name in gauges
      ? gauges[name as GaugeName].map(([labels, value]) => sample(name, family.labels, labels, value))
      : Object.entries(sums[name as CountedName] ?? {})
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .flatMap(([labels, amounts]) => samplesOf(name, family, JSON.parse(labels) as string[], amounts)); // written by `add`
  return Object.entries(families)
    .flatMap(([name, family]) => [`# HELP ${name} ${family.help}`, `# TYPE ${name} ${family.type}`, ...samples(name, family)])
    .map((line) => `${line}\n`)
    .join("");
}

function samplesOf(name: string, family: Family, values: readonly string[], amounts: readonly number[]): string[] {
  if (family.type !== "histogram") return [sample(name, family.labels, values, amounts[0] ?? 0)];
  const { sum, buckets, count } = histogramOf(family, amounts);
  return [
    ...buckets.map(({ bound, count: below }) => sample(`${name}_bucket`, [...family.labels, "le"], [...values, numberOf(bound)], below)),
    sample(`${name}_sum`, family.labels, values, sum),
    sample(`${name}_count`, family.labels, values, count),
  ];
}

function sample(name: string, labels: readonly string[], values: readonly string[], value: number): string {
  const pairs = labels.map((label, index) => `${label}="${escaped(values[index] ?? "")}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${numberOf(value)}`;
}

const numberOf = (value: number): string => (value === Number.POSITIVE_INFINITY ? "+Inf" : String(value));

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
