// The OAuth Worker reads what clients say of themselves at addresses of their own: metadata
// documents, and keys. The library does that by the global fetch, follows redirects, and takes any
// 2xx of any content type. The draft says otherwise, and so does this fetch in its place
// (draft-ietf-oauth-client-id-metadata-document, section 5): a host that sends browsers on, or
// serves the files that others leave there, would vouch for whoever wrote the document.

import { isPrivateHost } from "../../shared/address.ts";
import { objectOf } from "../../shared/json/values.ts";

const unreachable = "The address does not answer";

const isPassing = (status: number): boolean => status === 429 || status >= 500;

/**
 * Whether a document that could not be read may be there another time. `detail`: as the library
 * tells it, with the message of the fetch, or of its own timeout.
 */
export function isOfAMoment(detail: unknown): boolean {
  const message = objectOf(detail)?.["message"];
  return typeof message === "string" && (message === unreachable || message.includes("timed out"));
}

/**
 * A fetch of clients' documents alone: at `https`, at no private host, 200 without a redirect, and
 * JSON. It rejects in any other case.
 */
export const documentFetch =
  (reach: typeof fetch): typeof fetch =>
  async (input, init) => {
    const { href, protocol, hostname } = new URL(input instanceof Request ? input.url : input);
    if (protocol !== "https:" || isPrivateHost(hostname)) throw new Error("The address is not a public one of https");
    const response = await reach(href, { ...init, redirect: "manual" }).catch(() => null);
    if (response === null || isPassing(response.status)) throw new Error(unreachable);
    const type = response.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "";
    if (response.status === 200 && /^application\/(?:[\w.-]+\+)?json$/.test(type)) return response;
    await response.body?.cancel();
    throw new Error(`The answer is no document: ${response.status}`);
  };
