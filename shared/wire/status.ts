// How a request ended, for the wires that are not JSON-RPC: one word and an HTTP status, both from
// the error that every endpoint gives for the cause.

import type { JsonObject } from "../encoding.ts";
import type { Described } from "../model/outcome.ts";

export type ControlError = { readonly code: number; readonly message: string; readonly data?: JsonObject };

/** Every `status` that an answer can have. */
export const statuses = [
  "completed",
  /** The envelope cannot be read, or contradicts itself: `error.details.errors` says where. */
  "invalid",
  /** This request_id was used before: with another body, or its answer is no longer kept. */
  "conflict",
  /** The credential is missing, wrong, or not for this endpoint. */
  "unauthorized",
  /** By policy, without a review. */
  "refused",
  /** By a reviewer. */
  "rejected",
  /** No reviewer decided in time, or the request's timeout passed. */
  "expired",
  /** No reviewer could be reached. */
  "undeliverable",
  "cancelled",
  "rate_limited",
  /** The budget of the key is used up. */
  "over_budget",
  /** No model can serve it: `error.details.models` says why each was passed over. */
  "no_model",
  /** Every model, or the function's server, failed: `error.details.attempts` says how. */
  "failed",
  /** Something that is needed to answer is not available now; try again. */
  "unavailable",
  /** An internal error of the gateway. */
  "error",
] as const;
export type Status = (typeof statuses)[number];

/** The outcomes that `data.outcome` of error -1 names; all of them are statuses too. */
const outcomes = ["refused", "rejected", "expired", "undeliverable"] as const;

const byCode: ReadonlyMap<number, Status> = new Map([
  [-32_800, "cancelled"],
  // JSON-RPC's "invalid request": for an envelope only a repeated id gives it.
  [-32_600, "conflict"],
  [-32_700, "invalid"],
  [-32_601, "invalid"],
  [-32_602, "invalid"],
  [-32_015, "invalid"],
  [-32_016, "invalid"],
  [-32_010, "no_model"],
  [-32_011, "failed"],
  [-32_012, "over_budget"],
  [-32_013, "rate_limited"],
  [-32_014, "unauthorized"],
  [-32_017, "unavailable"],
]);

/**
 * The word for an error, from its code and, where one code is several endings (-1), its
 * `data.outcome`. A code that is not known is `error`.
 */
export const statusWord = ({ code, data }: ControlError): Status =>
  code === -1 ? (outcomes.find((outcome) => outcome === data?.["outcome"]) ?? "refused") : (byCode.get(code) ?? "error");

/** The HTTP status of each word, where nothing was sent yet. */
export const httpStatuses: { readonly [status in Status]: number } = {
  completed: 200,
  invalid: 400,
  unauthorized: 401,
  // The budget, not a rate: waiting does not help, and the operator has to act.
  over_budget: 402,
  refused: 403,
  rejected: 403,
  conflict: 409,
  // Withdrawn by the caller in another request: the state of the request conflicts with an answer.
  cancelled: 409,
  // The envelope is valid, and the routing table has no model for it. Not 503: a retry changes
  // nothing.
  no_model: 422,
  rate_limited: 429,
  error: 500,
  failed: 502,
  unavailable: 503,
  undeliverable: 503,
  expired: 504,
};

/**
 * The HTTP status of an answer where nothing has been sent yet. An error that has a status of its
 * own on the sampling endpoint (401, 403, 413, 415, 429, 500, 503) has it here too; one that is
 * answered there with 200, as JSON-RPC, has the status of its word.
 */
export const statusOf = (described: ControlError & Partial<Pick<Described, "status">>): number =>
  described.status !== undefined && described.status !== 200 ? described.status : httpStatuses[statusWord(described)];
