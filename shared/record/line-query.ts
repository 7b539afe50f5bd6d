// What a search of the requests may ask of their lines, as the API takes it, and how each is
// compared. What is compared in a way of its own, workers/objects/ledger/line-filters.ts has.

import * as z from "zod";
import type { RunSummary } from "./run-summary.ts";

/** In the order in which people are asked for them. */
export function lineFilters() {
  const name = z.string().min(1).max(512).optional();
  const id = z.string().min(1).max(128).optional();
  const dollars = z.coerce.number().min(0).max(1_000_000).optional();
  return {
    server: name.describe("An MCP server's name; control for what came by POST /control"),
    tool: name.describe("The name of the tool, prompt or resource"),
    key: id.describe("A key's id"),
    model: name.describe("The model that answered; of a failure, any that failed"),
    provider: name.describe("The provider of the model that answered, by the routing table as it is now; of a failure, any that failed"),
    reviewer: name.describe("The name of somebody who was asked or decided"),
    rule: name.describe("The name of the policy's rule that the request came under"),
    run: id.describe("A part of a request's id"),
    costOver: dollars.describe("Requests that cost more than this, in US dollars"),
    costUnder: dollars.describe("Requests that cost less than this, in US dollars"),
  };
}

export type LineFilterName = keyof ReturnType<typeof lineFilters>;
type Given = { readonly [Name in LineFilterName]: NonNullable<z.infer<ReturnType<typeof lineFilters>[Name]>> };

/** A text is the member's, or a number is above or below it. */
export type Comparison = { readonly is: keyof RunSummary } | { readonly isOver: keyof RunSummary } | { readonly isUnder: keyof RunSummary };

/** By the member of a line; `own`: not by one member. */
export const lineComparisons = {
  server: { is: "server" },
  tool: { is: "name" },
  key: { is: "key" },
  model: "own",
  provider: "own",
  reviewer: "own",
  rule: { is: "rule" },
  run: "own",
  costOver: { isOver: "costUsd" },
  costUnder: { isUnder: "costUsd" },
} as const satisfies Readonly<Record<LineFilterName, Comparison | "own">>;

/** What narrows a list by names and numbers as they were given. */
export type LineFilters = { readonly [Name in Exclude<LineFilterName, "provider">]?: Given[Name] };

/** Whether a filter asks for a number. */
export function isOfNumber(name: LineFilterName): boolean {
  const by: Comparison | "own" = lineComparisons[name];
  return by !== "own" && !("is" in by);
}
