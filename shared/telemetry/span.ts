// A span as it is exported: ids, times, and attributes from a fixed set of names. It has no place
// for content.

import { bytesToHex, digestOf, fromBase64url } from "../encoding.ts";
import type { TraceContext } from "./trace-context.ts";

/** `double`: a number that may have a fraction, and is written as one also where it has none. */
export type AttributeValue = string | number | boolean | readonly string[] | { readonly double: number };
export type Attributes = Readonly<Record<string, AttributeValue>>;

export type SpanKind = "internal" | "server" | "client";

export type SpanEvent = { readonly name: string; readonly at: number; readonly attributes: Attributes };

export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  /** Null: the trace begins with it. `isRemote`: the parent is another process's. */
  readonly parent: { readonly spanId: string; readonly isRemote: boolean } | null;
  readonly state?: string;
  readonly name: string;
  readonly kind: SpanKind;
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** Other places that led to it. */
  readonly links: readonly TraceContext[];
  readonly isError: boolean;
};

/**
 * The id of a run's trace, where the caller has none, and of its spans. They follow from the run
 * and the span's name alone, so that what is exported twice, before and after a reset, is one span.
 */
export const traceIdOf = (run: string): string => hexOf(digestOf("countersign/trace-id/v1", run), 32);
export const spanIdOf = (run: string, label: string): string => hexOf(digestOf("countersign/span-id/v1", [run, label]), 16);

const hexOf = (digest: string, digits: number): string => bytesToHex(fromBase64url(digest) ?? new Uint8Array()).slice(0, digits);
