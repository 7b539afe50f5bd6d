// `fetch` for every provider: no redirect is followed, and of an error answer only the status and headers are read.

import { isObject } from "../../shared/json/values.ts";

/** An error answer's status and headers, thrown as OpenAI's SDK throws them. */
export class ErrorAnswer extends Error {
  readonly status: number;
  readonly headers: Headers;

  constructor({ status, headers }: Response) {
    super(`The provider answered with status ${status}`);
    this.status = status;
    this.headers = headers;
  }
}

/**
 * A redirect could carry the credential elsewhere. An error's body may have the prompt or the key in it, and an SDK would read it whole,
 * of any length, into the message that it throws. Where no answer came the error has a cause, unlike that of a request that could not be
 * made.
 */
export const providerFetch =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" }).catch((cause: unknown) => {
      throw new Error("The provider did not answer", { cause });
    });
    if (response.status < 300) return response;
    response.body?.cancel().catch(() => {});
    return new Response(null, { status: response.status, headers: response.headers });
  };

/** The ids in a list `{ data: [{ id }] }`. Google's list has `models/` before each name, and its calls take both. */
export function idsIn(body: unknown): ReadonlySet<string> | undefined {
  const data = isObject(body) ? body["data"] : undefined;
  if (!Array.isArray(data)) return undefined;
  const ids = data.map((each: unknown) => (isObject(each) ? each["id"] : undefined));
  return new Set(ids.flatMap((id) => (typeof id === "string" ? [id, id.replace(/^models\//, "")] : [])));
}
