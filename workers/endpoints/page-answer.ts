// Answers with a page that the pages Worker makes: in the reader's language, under headers that let
// nothing else of it run.

import { toBase64url } from "../../shared/encoding.ts";
import { languageFor } from "../../shared/channels/words/languages.ts";
import { shownDigest } from "../../shared/review/changes.ts";
import { isLive } from "../../shared/review/permissions.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import type { Page } from "../ui/page.ts";
import type { PageError } from "../ui/plain-pages.tsx";
import type { AppContext } from "./app-context.ts";
import { pageHeaders } from "./page-headers.ts";

type PageOptions = {
  readonly headers?: Readonly<Record<string, string>>;
  /** A language tag of the reader's; without one the browser's languages count. */
  readonly language?: string | undefined;
};

/** Whether a program reads the page: `countersign review` in a terminal. */
const wantsJson = (c: AppContext): boolean => {
  const accept = c.req.header("Accept") ?? "";
  return /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept);
};

/**
 * What a program gets in place of a page: a review with what its form needs and what the posted
 * edits would change, or the name of the page that a person would see.
 */
function asJson(page: Page): object {
  if (page.kind === "error") return { page: "error", error: page.input.error };
  if (page.kind !== "review") return { page: page.kind };
  const { view, action, nonce, problem, changes = [] } = page.input;
  const form = { action, nonce, version: view.version, digest: view.digest, shown: shownDigest(changes) };
  return { page: "review", review: view, form, changes, ...(problem === undefined ? {} : { problem }) };
}

/** The page as a response; 503 in plain text where the pages Worker does not answer. */
export async function answerPage(c: AppContext, page: Page, status: number, { headers, language }: PageOptions = {}): Promise<Response> {
  const cspNonce = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
  if (wantsJson(c)) {
    const type = { "Content-Type": "application/json" };
    return new Response(JSON.stringify(asJson(page)), { status, headers: { ...pageHeaders(cspNonce), ...type, ...headers } });
  }
  const reader = { cspNonce, language: languageFor(language, c.req.header("Accept-Language")) };
  try {
    const html = await c.env.PAGES.page(page, reader);
    return new Response(html, {
      status,
      headers: {
        ...pageHeaders(cspNonce, hasScript(page), listens(page), page.kind === "inbox"),
        "Content-Language": reader.language,
        ...headers,
      },
    });
  } catch (error) {
    logEvent("pages.failed", { error: errorClass(error) });
    return new Response(unmade, { status: 503, headers: { ...pageHeaders(cspNonce), "Content-Type": "text/plain; charset=utf-8" } });
  }
}

const scripted: ReadonlySet<Page["kind"]> = new Set(["review", "signIn", "consoleSignIn", "passkeys", "connections"]);
const hasScript = ({ kind }: Page): boolean => scripted.has(kind) || listensAlways(kind);
/** A review's page while something can change. */
const listens = (page: Page): boolean => (page.kind === "review" ? isLive(page.input.view) : listensAlways(page.kind));
const listensAlways = (kind: Page["kind"]): boolean => kind === "inbox" || kind === "bulk";

/** A decision that was posted may have counted: the page that would say so is what is missing. */
const unmade =
  "This page could not be made. Open it again in a minute to see whether anything was decided. If that does not help, ask the operator of this Countersign: its pages Worker (countersign-pages) does not answer.\n";

type ErrorStatus = 400 | 403 | 405 | 413 | 415 | 429;

export const errorPage = (c: AppContext, error: PageError, status: ErrorStatus, headers: Record<string, string> = {}): Promise<Response> =>
  answerPage(c, { kind: "error", input: { error } }, status, { headers });
