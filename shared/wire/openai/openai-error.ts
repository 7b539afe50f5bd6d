// Errors in the shape of OpenAI's API: what a caller is told, by type and code, and the HTTP status
// while nothing has been sent.

import type { JsonObject } from "../../encoding.ts";
import { isObject } from "../../json/values.ts";
import type { Completed, Described, Outcome, Refusal } from "../../model/outcome.ts";
import { describeOutcome, describeRefusal } from "../describe.ts";
import { statusOf, statusWord, type Status } from "../status.ts";

export type OpenAIError = {
  readonly status: number;
  /** `{ error: { message, type, param, code } }`. */
  readonly body: JsonObject;
  readonly retryAfterMs?: number;
  /**
   * Whether the same request may succeed if it is sent again. OpenAI's SDKs ask by themselves after
   * 408, 409, 429 and 5xx unless they are told not to.
   */
  readonly mayRetry: boolean;
};

/** The type and code of each ending, in OpenAI's words where it has one. */
const words: { readonly [word in Exclude<Status, "completed">]: { readonly type: string; readonly code: string } } = {
  invalid: { type: "invalid_request_error", code: "invalid_value" },
  conflict: { type: "invalid_request_error", code: "idempotency_conflict" },
  unauthorized: { type: "invalid_request_error", code: "invalid_api_key" },
  refused: { type: "permission_error", code: "policy_refused" },
  rejected: { type: "permission_error", code: "review_denied" },
  expired: { type: "permission_error", code: "review_expired" },
  undeliverable: { type: "permission_error", code: "no_reviewer_reached" },
  cancelled: { type: "invalid_request_error", code: "cancelled" },
  rate_limited: { type: "rate_limit_error", code: "rate_limit_exceeded" },
  over_budget: { type: "insufficient_quota", code: "insufficient_quota" },
  no_model: { type: "invalid_request_error", code: "model_not_found" },
  failed: { type: "server_error", code: "all_models_failed" },
  unavailable: { type: "server_error", code: "unavailable" },
  error: { type: "server_error", code: "internal_error" },
};

/**
 * The statuses that differ from those of the other endpoints: people said no, or nobody answered,
 * and asking again would ask them again.
 */
const ownStatuses: { readonly [word in Status]?: number } = { expired: 403, undeliverable: 403, no_model: 404 };

/** The error of a request that was refused before it began. */
export const refusalError = (refusal: Refusal): OpenAIError => errorOf(describeRefusal(refusal), refusal.kind);

/** The error of a request that ended without a reply. */
export function outcomeError(outcome: Exclude<Outcome, Completed>): OpenAIError {
  if (outcome.kind === "ran") throw new Error("a tool's result as the answer to a request for a model");
  return outcome.kind === "refused" ? refusalError(outcome.refusal) : errorOf(describeOutcome(outcome), outcome.kind);
}

function errorOf(described: Described, kind: string): OpenAIError {
  const word = statusWord(described);
  const ending = word === "completed" ? "error" : word;
  const { type, code } = kind === "wrongScope" ? { type: "permission_error", code: "wrong_scope" } : words[ending];
  const first = firstPointedIn(described.data);
  const param = first === null ? null : paramOf(first.pointer);
  return {
    status: ownStatuses[ending] ?? statusOf(described),
    body: {
      error: {
        message:
          first === null
            ? described.message
            : `${kind === "invalidParams" ? "Invalid params" : described.message}: ${[param ?? "the body", first.message].join(" ").trim()}`,
        type,
        param,
        code,
        ...(described.data === undefined ? {} : { details: described.data }),
      },
    },
    ...(described.retryAfterMs === undefined ? {} : { retryAfterMs: described.retryAfterMs }),
    // What every model failed at was tried several times already, and may have been paid for.
    mayRetry: ending === "rate_limited" ? described.retryAfterMs !== undefined : ending === "unavailable",
  };
}

/**
 * The first place in the request that the error names, and what is to be said after it; null where
 * it names none.
 */
function firstPointedIn(data: JsonObject = {}): { readonly pointer: string; readonly message: string } | null {
  if (typeof data["pointer"] === "string") return { pointer: data["pointer"], message: "" };
  const errors = data["errors"];
  const [first] = Array.isArray(errors) ? errors : [];
  if (!isObject(first)) return null;
  const { pointer, message } = first;
  return typeof pointer === "string" && typeof message === "string" ? { pointer, message } : null;
}

/** A JSON pointer in OpenAI's spelling: `messages[0].content`. */
function paramOf(pointer: string): string | null {
  if (pointer === "") return null;
  const steps = pointer
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  return steps.map((step, i) => (/^\d+$/.test(step) ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");
}
