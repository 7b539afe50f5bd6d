// W3C Trace Context (https://www.w3.org/TR/trace-context-2/): reads and writes `traceparent` and
// `tracestate`.
//
// What cannot be read is ignored, as the specification wants it: a request with a bad header is a
// request without one.

import { isObject } from "../json/values.ts";

/** A place in a trace: the span that what comes next belongs under. */
export type TraceContext = {
  /** 32 lower-case hexadecimal digits, not all of them zero. */
  readonly traceId: string;
  /** 16 of them, not all zero. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** `tracestate`, which belongs to the tracing systems on the way and is passed on unread. */
  readonly state?: string;
};

/** As members of `_meta`, or as HTTP headers. */
export type TraceMembers = { readonly traceparent: string; readonly tracestate?: string };

const parent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Section 3.2.2. A later version may have more at its end, which is ignored; version ff is none.
 * Null where it is not valid.
 */
export function parseTraceparent(text: unknown): Omit<TraceContext, "state"> | null {
  const [, version, traceId = "", spanId = "", flags = "", more] = typeof text === "string" ? (parent.exec(text.trim()) ?? []) : [];
  if (version === undefined || version === "ff" || (version === "00" && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Longer ones may be dropped (section 3.3.1.5). */
const longestState = 512;
const mostMembers = 32;
const member =
  /^(?:[a-z0-9][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,256}$/;

/**
 * The list without its empty members (section 3.3.1); undefined where it is not valid, or too long
 * to pass on.
 */
export function parseTracestate(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > longestState) return undefined;
  const members = text.split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
  const keys = new Set(members.map((each) => each.slice(0, each.indexOf("="))));
  const isValid = members.length <= mostMembers && keys.size === members.length && members.every((each) => member.test(each));
  return members.length > 0 && isValid ? members.join(",") : undefined;
}

/**
 * The context of two members; null without a valid `traceparent`, for then `tracestate` does not
 * count (section 4.3).
 */
export function traceContextOf(traceparent: unknown, tracestate: unknown): TraceContext | null {
  const context = parseTraceparent(traceparent);
  const state = context === null ? undefined : parseTracestate(tracestate);
  return context === null || state === undefined ? context : { ...context, state };
}

/**
 * The context in the `_meta` of a message's params (MCP 2026-07-28, and earlier by convention:
 * SEP-414).
 */
export function traceContextIn(params: unknown): TraceContext | null {
  const meta = isObject(params) ? params["_meta"] : undefined;
  return isObject(meta) ? traceContextOf(meta["traceparent"], meta["tracestate"]) : null;
}

/** Written as version 00, whatever version it came in. */
export const traceMembers = ({ traceId, spanId, isSampled, state }: TraceContext): TraceMembers => ({
  traceparent: `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`,
  ...(state === undefined ? {} : { tracestate: state }),
});
