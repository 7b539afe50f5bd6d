// The requests of providers' APIs: no redirect is followed, and of an error answer only the status
// and headers are read.

import { isObject } from "../../shared/json/values.ts";
import { type TraceContext, traceMembers } from "../../shared/telemetry/trace-context.ts";

/** An error answer's status and headers. */
class ErrorAnswer extends Error {
  override readonly name = "ErrorAnswer";
  readonly status: number;
  readonly headers: Headers;

  constructor({ status, headers }: Response) {
    super(`The provider answered with status ${status}`);
    this.status = status;
    this.headers = headers;
  }
}

type ProviderRequest = {
  /** With or without a slash at its end. */
  readonly baseUrl: string;
  /** From a slash. */
  readonly path: string;
  /** Undefined: no credential is sent. */
  readonly apiKey: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The caller's place in its trace, for the provider's own spans. */
  readonly trace?: TraceContext | undefined;
  /** ProviderAnswer as JSON with POST; absent: the request is a GET. */
  readonly body?: object;
  readonly signal: AbortSignal;
};

/**
 * Sends a request; a 2xx answer is returned unread. Any other status is thrown as an `ErrorAnswer`:
 * a redirect could carry the credential elsewhere, and an error's body may have the prompt or the
 * key in it. Where no answer came the error has a cause, unlike that of a request that could not be
 * made, such as one with a credential that is not valid in a header.
 */
export async function askProvider(
  fetch: typeof globalThis.fetch,
  { baseUrl, path, apiKey, headers: more, trace, body, signal }: ProviderRequest,
): Promise<Response> {
  const headers = new Headers({
    Accept: "application/json",
    "User-Agent": "countersign",
    ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
    ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    ...more,
    ...(trace === undefined ? {} : traceMembers(trace)),
  });
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${baseUrl.replace(/\/$/, "")}${path}`, { ...sent, headers, redirect: "manual", signal }).catch(
    (cause: unknown) => {
      throw new Error("The provider did not answer", { cause });
    },
  );
  if (response.ok) return response;
  response.body?.cancel().catch(() => {});
  throw new ErrorAnswer(response);
}

/**
 * The ids in a list `{ data: [{ id }] }`. Google's list has `models/` before each name, and its
 * calls take both.
 */
export function idsIn(body: unknown): ReadonlySet<string> | undefined {
  const data = isObject(body) ? body["data"] : undefined;
  if (!Array.isArray(data)) return undefined;
  const ids = data.map((each: unknown) => (isObject(each) ? each["id"] : undefined));
  return new Set(ids.flatMap((id) => (typeof id === "string" ? [id, id.replace(/^models\//, "")] : [])));
}
