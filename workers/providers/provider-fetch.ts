// How any provider is asked, whoever writes the request: no redirect is followed, and of an error nothing is read but its status and headers.

import { isObject } from "../../shared/json/values.ts";

/** What a provider's SDK throws, and we: the status and headers of an answer that is an error. */
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
 * `fetch` for requests with a credential. A redirect could carry it elsewhere. An error's body may hold anything, the prompt and the
 * key among it, and an SDK would read it whole, however long, into the message of what it throws. Who got no answer at all throws an
 * error with a cause, so that it is told from a request that could not be made.
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
