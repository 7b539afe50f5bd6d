// The operator's API for the console's pages: each call is answered with its value, or with what
// the API says is wrong, in the reader's language where the API has a phrase of it.

import type { Language } from "../../../shared/channels/words/languages.ts";
import type { AnyPhrase } from "../../../shared/words/text.ts";
import { phraseIn } from "./phrases.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import type { ApiAnswer, ApiCall, ConsoleApi } from "./visit.ts";

/**
 * What the API refused. `body`: all of its answer, such as the current document of a version
 * conflict.
 */
export type ApiError = { readonly status: number; readonly error: string; readonly body: Readonly<Record<string, unknown>> };

export type ApiValue<T> = { readonly value: T; readonly eTag: string | null };

/** A page cannot be made without this answer: the visit ends with a page that says so. */
export class ApiFailed extends Error {
  override readonly name = "ApiFailed";
  readonly failure: ApiError;

  constructor(failure: ApiError) {
    super("the operator's API refused");
    this.failure = failure;
  }
}

export class Api {
  readonly #call: ConsoleApi;
  readonly #language: Language;

  constructor(call: ConsoleApi, language: Language) {
    this.#call = call;
    this.#language = language;
  }

  /**
   * GET: the value. Throws `ApiFailed` where there is none; the visit then ends with a page that
   * says why.
   */
  async read<T>(path: string): Promise<T> {
    return (await this.readWithTag<T>(path)).value;
  }

  async readWithTag<T>(path: string): Promise<ApiValue<T>> {
    const answer = await this.#answered<T>({ method: "GET", path });
    if (!answer.ok) throw new ApiFailed(answer.error);
    return answer.value;
  }

  /** GET: the value, or null where there is none of it. */
  async find<T>(path: string): Promise<T | null> {
    const answer = await this.#answered<T>({ method: "GET", path });
    if (answer.ok) return answer.value.value;
    if (answer.error.status === 404) return null;
    throw new ApiFailed(answer.error);
  }

  /** Everything but GET: the value, or what the API refused, for the page to say. */
  async send<T = null>(
    method: Exclude<ApiCall["method"], "GET">,
    path: string,
    body?: unknown,
    ifMatch?: string,
  ): Promise<Result<T, ApiError>> {
    const answer = await this.#answered<T>({
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(ifMatch === undefined ? {} : { ifMatch }),
    });
    return answer.ok ? ok(answer.value.value) : answer;
  }

  async #answered<T>(call: ApiCall): Promise<Result<ApiValue<T>, ApiError>> {
    const { status, text, eTag } = await this.#call(call);
    const value = withDetails(jsonOf({ status, text, eTag }), this.#language);
    if (status < 400) return ok({ value: value as T, eTag }); // the API's own answer
    const body = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
    return err({ status, error: typeof body["error"] === "string" ? body["error"] : text.slice(0, 500), body });
  }
}

/** `details`: what is wrong, each with a pointer. All pages show its `message`. */
function withDetails(value: unknown, language: Language): unknown {
  if (typeof value !== "object" || value === null || !("details" in value) || !Array.isArray(value.details)) return value;
  const details = value.details as readonly { readonly message?: string; readonly says?: AnyPhrase }[]; // the API's own
  return { ...value, details: details.map((each) => ({ ...each, message: phraseIn(language, each.says, each.message ?? "") })) };
}

function jsonOf({ text }: ApiAnswer): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
