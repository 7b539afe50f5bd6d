// The operator's API for the console's pages: each call is answered with its value, or with what
// the API says is wrong, in the reader's language where the API has a phrase of it.

import type { Language } from "../../../shared/channels/words/languages.ts";
import type { PointedError } from "../../../shared/model/outcome.ts";
import type { AnyPhrase } from "../../../shared/words/text.ts";
import { phraseIn } from "./phrases.ts";
import type { ParamKeys } from "hono/types";
import { type Result, err, ok } from "../../../shared/result.ts";
import type { AdminAnswers } from "../../endpoints/admin/answers/by-path.ts";
import type { ConsoleApi } from "./visit.ts";

/**
 * What the API refused. `body`: all of its answer, such as the current document of a version
 * conflict.
 */
export type ApiError = { readonly status: number; readonly error: string; readonly body: Readonly<Record<string, unknown>> };

type Method = keyof AdminAnswers;
type PathOf<Of extends Method> = keyof AdminAnswers[Of] & string;

/** `query`: as it stands behind the path. `ifMatch`: the version that the body is a change of. */
type More = {
  readonly query?: URLSearchParams | Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly ifMatch?: number;
};

/** A value for each parameter of the path, and what else is sent. */
type At<Path extends string> = [ParamKeys<Path>] extends [never]
  ? [more?: More]
  : [more: More & { readonly [Name in ParamKeys<Path>]: string | number }];

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
  async read<Path extends PathOf<"GET">>(path: Path, ...at: At<Path>): Promise<AdminAnswers["GET"][Path]> {
    const answer = await this.#answered("GET", path, at[0]);
    if (!answer.ok) throw new ApiFailed(answer.error);
    return answer.value;
  }

  /** GET: the value, or null where there is none of it. */
  async find<Path extends PathOf<"GET">>(path: Path, ...at: At<Path>): Promise<AdminAnswers["GET"][Path] | null> {
    const answer = await this.#answered("GET", path, at[0]);
    if (answer.ok) return answer.value;
    if (answer.error.status === 404) return null;
    throw new ApiFailed(answer.error);
  }

  /** Everything but GET: the value, or what the API refused, for the page to say. */
  send<Of extends Exclude<Method, "GET">, Path extends PathOf<Of>>(
    method: Of,
    path: Path,
    ...at: At<Path>
  ): Promise<Result<AdminAnswers[Of][Path], ApiError>> {
    return this.#answered(method, path, at[0]);
  }

  async #answered<Of extends Method, Path extends PathOf<Of>>(
    method: Of,
    path: Path,
    { query = {}, body: sent, ifMatch, ...values }: More = {},
  ): Promise<Result<AdminAnswers[Of][Path], ApiError>> {
    const { status, text } = await this.#call({
      method,
      path: addressOf(path, values, new URLSearchParams(query)),
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      ...(ifMatch === undefined ? {} : { ifMatch: String(ifMatch) }),
    });
    const value = withDetails(jsonOf(text), this.#language);
    // The gateway's own, deployed with this Worker; its tests hold every answer to the schema.
    if (status < 400) return ok(value as AdminAnswers[Of][Path]);
    const body = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
    return err({ status, error: typeof body["error"] === "string" ? body["error"] : text.slice(0, 500), body });
  }
}

/** What is wrong, each with its place, as every 400 of the API has it. */
export const detailsOf = (body: ApiError["body"]): readonly PointedError[] =>
  Array.isArray(body["details"]) ? (body["details"] as readonly PointedError[]) : [];

/** `details`: what is wrong, each with a pointer. All pages show its `message`. */
function withDetails(value: unknown, language: Language): unknown {
  if (typeof value !== "object" || value === null || !("details" in value) || !Array.isArray(value.details)) return value;
  const details = value.details as readonly { readonly message?: string; readonly says?: AnyPhrase }[]; // the API's own
  return { ...value, details: details.map((each) => ({ ...each, message: phraseIn(language, each.says, each.message ?? "") })) };
}

function addressOf(path: string, values: Readonly<Record<string, unknown>>, query: URLSearchParams): string {
  const filled = path.replaceAll(/:(\w+)/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? encodeURIComponent(String(values[name])) : whole,
  );
  return query.size === 0 ? filled : `${filled}?${query.toString()}`;
}

function jsonOf(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
