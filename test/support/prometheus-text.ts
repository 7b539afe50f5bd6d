// Reads the text format of Prometheus 0.0.4 as strictly as `promtool check metrics`: a family in
// one piece after its HELP and TYPE, names that are valid, escapes, no series twice, counters that
// are named so, and histograms whose buckets add up.

export type Sample = { readonly name: string; readonly labels: Readonly<Record<string, string>>; readonly value: number };
export type ReadFamily = { readonly help: string; readonly type: "counter" | "gauge" | "histogram"; readonly samples: readonly Sample[] };

const nameOf = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const labelName = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** The families by name. Throws with the number of the line that is wrong. */
export function readPrometheusText(text: string): Map<string, ReadFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families = new Map<string, { help: string; type: ReadFamily["type"]; samples: Sample[] }>();
  let current: { name: string; help: string; type?: ReadFamily["type"] } | null = null;
  const seen = new Set<string>();
  for (const [index, line] of text.slice(0, -1).split("\n").entries()) {
    const fail = (why: string): never => {
      throw new Error(`line ${index + 1}: ${why}: ${line}`);
    };
    const help = /^# HELP (\S+) (.+)$/.exec(line);
    const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
    if (help !== null) {
      const [, name = "", words = ""] = help;
      if (!nameOf.test(name) || families.has(name)) fail("a name that is not valid, or a family that was there before");
      current = { name, help: words };
    } else if (type !== null) {
      if (current === null || current.name !== type[1] || current.type !== undefined) return fail("a TYPE without its HELP");
      current.type = type[2] as ReadFamily["type"];
      if (current.type === "counter" && !current.name.endsWith("_total")) fail("a counter that is not named so");
      if (current.type !== "counter" && /_(total|count|sum|bucket)$/.test(current.name)) fail("a name that is another type's");
      families.set(current.name, { help: current.help, type: current.type, samples: [] });
    } else {
      const sample = sampleOf(line) ?? fail("not a sample");
      const family = families.get(current?.name ?? "") ?? fail("a sample without a family");
      const suffix = sample.name.slice((current?.name ?? "").length);
      const allowed = family.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      if (!sample.name.startsWith(current?.name ?? " ") || !allowed.includes(suffix)) fail("a sample of another family");
      if (family.type !== "gauge" && !(sample.value >= 0)) fail("a counter below zero");
      const key = `${sample.name}${JSON.stringify(Object.entries(sample.labels).toSorted())}`;
      if (seen.has(key)) fail("a series that was there before");
      seen.add(key);
      family.samples.push(sample);
    }
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family.samples);
  return families;
}

function sampleOf(line: string): Sample | null {
  const match = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([-+]?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|Inf)|NaN)$/.exec(line);
  if (match === null) return null;
  const [, name = "", inside, number = ""] = match;
  const labels: Record<string, string> = {};
  let rest = inside ?? "";
  while (rest !== "") {
    const pair = /^([^=]+)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(,|$)/.exec(rest);
    const [whole = "", label = "", value = ""] = pair ?? [];
    if (pair === null || !labelName.test(label) || label in labels) return null;
    labels[label] = value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
    rest = rest.slice(whole.length);
    if (rest === "" && pair[3] === ",") return null;
  }
  return { name, labels, value: number.includes("Inf") ? Number.POSITIVE_INFINITY : Number(number) };
}

/**
 * Buckets rise, the last is of everything and is the count, and each series has all of its parts.
 */
function checkHistogram(name: string, samples: readonly Sample[]): void {
  const series = Map.groupBy(samples, ({ labels: { le: _bound, ...labels } }) => JSON.stringify(Object.entries(labels).toSorted()));
  for (const [labels, all] of series) {
    const buckets = all.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map((sample) => (sample.labels["le"] === "+Inf" ? Number.POSITIVE_INFINITY : Number(sample.labels["le"])));
    const count = all.find((sample) => sample.name === `${name}_count`)?.value;
    const isRising = buckets.every(({ value }, index) => index === 0 || value >= (buckets[index - 1]?.value ?? 0));
    const areBounds = bounds.every((bound, index) => !Number.isNaN(bound) && (index === 0 || bound > (bounds[index - 1] ?? 0)));
    if (!isRising || !areBounds || bounds.at(-1) !== Number.POSITIVE_INFINITY || buckets.at(-1)?.value !== count)
      throw new Error(`${name}${labels}: buckets that do not add up`);
    if (!all.some((sample) => sample.name === `${name}_sum`)) throw new Error(`${name}${labels}: no sum`);
  }
}

/** The value of one series; 0 where it is not there. */
export function valueOf(families: ReadonlyMap<string, ReadFamily>, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ""));
  const wanted = JSON.stringify(Object.entries(labels).toSorted());
  const isIt = (sample: Sample): boolean => sample.name === name && JSON.stringify(Object.entries(sample.labels).toSorted()) === wanted;
  return family?.samples.find(isIt)?.value ?? 0;
}
