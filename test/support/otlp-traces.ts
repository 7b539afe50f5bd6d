// Reads an OTLP/HTTP request for traces as a collector does, by the JSON encoding of
// opentelemetry-proto 1.11, and refuses what is not of it.

export type ReadSpan = {
  readonly traceId: string;
  readonly spanId: string;
  /** "" where it has none. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: "internal" | "server" | "client";
  /** Nanoseconds. */
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string; readonly at: bigint; readonly attributes: Readonly<Record<string, unknown>> }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly isError: boolean;
};

export type ReadExport = { readonly resource: Readonly<Record<string, unknown>>; readonly spans: readonly ReadSpan[] };

/** The members of a message: its own, no others, and none of them null. */
function membersOf(value: unknown, at: string, known: readonly string[]): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error(`${at}: not an object`);
  for (const [name, member] of Object.entries(value)) {
    if (!known.includes(name)) throw new Error(`${at}/${name}: no such member`);
    if (member === null || member === undefined) throw new Error(`${at}/${name}: null`);
  }
  return value as Record<string, unknown>;
}

function listOf(value: unknown, at: string): readonly unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error(`${at}: not a list`);
  return value;
}

function hex(value: unknown, digits: number, at: string): string {
  if (typeof value !== "string" || !new RegExp(`^[0-9a-f]{${digits}}$`).test(value) || /^0+$/.test(value))
    throw new Error(`${at}: not an id`);
  return value;
}

function text(value: unknown, at: string): string {
  if (typeof value !== "string") throw new Error(`${at}: not a text`);
  return value;
}

function nanos(value: unknown, at: string): bigint {
  if (typeof value !== "string" || !/^\d{19}$/.test(value)) throw new Error(`${at}: not nanoseconds of our time`);
  return BigInt(value);
}

function attributesOf(value: unknown, at: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [index, each] of listOf(value, at).entries()) {
    const { key, value: any } = membersOf(each, `${at}/${index}`, ["key", "value"]);
    const name = text(key, `${at}/${index}/key`);
    if (name === "" || name in found) throw new Error(`${at}/${index}: a key that is empty or given twice`);
    found[name] = anyValue(any, `${at}/${name}`);
  }
  return found;
}

function anyValue(value: unknown, at: string): unknown {
  const members = Object.entries(membersOf(value, at, ["stringValue", "boolValue", "intValue", "doubleValue", "arrayValue"]));
  const [kind, given] = members[0] ?? [];
  if (members.length !== 1) throw new Error(`${at}: not one value`);
  if (kind === "stringValue") return text(given, at);
  if (kind === "boolValue" && typeof given === "boolean") return given;
  if (kind === "intValue" && typeof given === "string" && /^-?\d+$/.test(given)) return Number(given);
  if (kind === "doubleValue" && typeof given === "number") return given;
  if (kind === "arrayValue") return listOf(membersOf(given, at, ["values"])["values"], at).map((each) => anyValue(each, at));
  throw new Error(`${at}: not a value of its kind`);
}

const kinds = { 1: "internal", 2: "server", 3: "client" } as const;

function spanOf(value: unknown, at: string): ReadSpan {
  const span = membersOf(value, at, [
    "traceId",
    "spanId",
    "traceState",
    "parentSpanId",
    "flags",
    "name",
    "kind",
    "startTimeUnixNano",
    "endTimeUnixNano",
    "attributes",
    "events",
    "links",
    "status",
  ]);
  const kind = kinds[span["kind"] as keyof typeof kinds];
  const [start, end] = [nanos(span["startTimeUnixNano"], `${at}/start`), nanos(span["endTimeUnixNano"], `${at}/end`)];
  const name = text(span["name"], `${at}/name`);
  if (kind === undefined || name === "" || end < start)
    throw new Error(`${at}: a span of no kind, without a name, or that ends before it begins`);
  const status = span["status"] === undefined ? {} : membersOf(span["status"], `${at}/status`, ["code", "message"]);
  return {
    traceId: hex(span["traceId"], 32, `${at}/traceId`),
    spanId: hex(span["spanId"], 16, `${at}/spanId`),
    parentSpanId: span["parentSpanId"] === undefined ? "" : hex(span["parentSpanId"], 16, `${at}/parentSpanId`),
    traceState: span["traceState"] === undefined ? "" : text(span["traceState"], `${at}/traceState`),
    flags: Number(span["flags"]),
    name,
    kind,
    start,
    end,
    attributes: attributesOf(span["attributes"], `${at}/attributes`),
    events: listOf(span["events"], at).map((each, index) => {
      const event = membersOf(each, `${at}/events/${index}`, ["timeUnixNano", "name", "attributes"]);
      return { name: text(event["name"], at), at: nanos(event["timeUnixNano"], at), attributes: attributesOf(event["attributes"], at) };
    }),
    links: listOf(span["links"], at).map((each, index) => {
      const link = membersOf(each, `${at}/links/${index}`, ["traceId", "spanId", "traceState", "flags", "attributes"]);
      return { traceId: hex(link["traceId"], 32, at), spanId: hex(link["spanId"], 16, at) };
    }),
    isError: status["code"] === 2,
  };
}

/** The exported spans; throws where the body is no export. */
export function readOtlpTraces(body: unknown): ReadExport {
  const { resourceSpans } = membersOf(body, "", ["resourceSpans"]);
  const [only, ...others] = listOf(resourceSpans, "/resourceSpans");
  if (others.length > 0) throw new Error("/resourceSpans: more than one");
  const { resource, scopeSpans } = membersOf(only, "/resourceSpans/0", ["resource", "scopeSpans"]);
  const spans = listOf(scopeSpans, "/scopeSpans").flatMap((each) => {
    const scoped = membersOf(each, "/scopeSpans", ["scope", "spans"]);
    const { name } = membersOf(scoped["scope"], "/scope", ["name", "version"]);
    if (name !== "countersign") throw new Error("/scope/name: not ours");
    return listOf(scoped["spans"], "/spans").map((span, index) => spanOf(span, `/spans/${index}`));
  });
  return { resource: attributesOf(membersOf(resource, "/resource", ["attributes"])["attributes"], "/resource/attributes"), spans };
}
