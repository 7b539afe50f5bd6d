// Spans as OTLP/HTTP's JSON has them (OpenTelemetry Protocol 1.11, "JSON Protobuf Encoding"): ids
// as hexadecimal digits, 64-bit numbers as decimal text, enumerations as numbers.

import type { AttributeValue, Attributes, Span, SpanKind } from "./span.ts";

type Resource = { readonly serviceName: string; readonly version: string };

/** The body of a request to `/v1/traces`. */
export const otlpTraces = ({ serviceName, version }: Resource, spans: readonly Span[]): object => ({
  resourceSpans: [
    {
      resource: { attributes: keyValues({ "service.name": serviceName, "service.version": version }) },
      scopeSpans: [{ scope: { name: "countersign", version }, spans: spans.map(otlpSpan) }],
    },
  ],
});

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
/**
 * Beside the flags of W3C: bit 8 says that it is known whether the parent is remote, bit 9 that it
 * is.
 */
const flags = { sampled: 0x1, isRemoteKnown: 0x100, isRemote: 0x200 } as const;

const otlpSpan = ({
  traceId,
  spanId,
  parent,
  state,
  name,
  kind,
  startedAt,
  endedAt,
  attributes,
  events,
  links,
  isError,
}: Span): object => ({
  traceId,
  spanId,
  ...(state === undefined ? {} : { traceState: state }),
  ...(parent === null ? {} : { parentSpanId: parent.spanId }),
  flags: flags.sampled | flags.isRemoteKnown | (parent?.isRemote === true ? flags.isRemote : 0),
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanos(startedAt),
  endTimeUnixNano: nanos(Math.max(startedAt, endedAt)),
  attributes: keyValues(attributes),
  ...(events.length === 0
    ? {}
    : { events: events.map((event) => ({ timeUnixNano: nanos(event.at), name: event.name, attributes: keyValues(event.attributes) })) }),
  ...(links.length === 0
    ? {}
    : {
        links: links.map((link) => ({
          traceId: link.traceId,
          spanId: link.spanId,
          ...(link.state === undefined ? {} : { traceState: link.state }),
          flags: (link.isSampled ? flags.sampled : 0) | flags.isRemoteKnown | flags.isRemote,
        })),
      }),
  ...(isError ? { status: { code: 2 } } : {}),
});

/** Whole milliseconds as nanoseconds, which a JavaScript number cannot hold. */
const nanos = (milliseconds: number): string => `${Math.floor(milliseconds)}000000`;

const keyValues = (attributes: Attributes): object[] => Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: AttributeValue): object {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "number":
      return { intValue: String(Math.round(value)) };
    default:
      return "double" in value ? { doubleValue: value.double } : { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
  }
}
