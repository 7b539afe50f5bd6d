// The console: the operator's pages. The pages Worker makes them from what the operator's API
// answers, and has no authority but that API, for the length of one request. A GET changes nothing;
// every form is checked for its session and its origin before anything is done.

import { Hono } from "hono";
import { getCookie } from "hono/cookie";
import { consoleFormToken, formTokenName, isConsoleFormToken } from "../../../shared/credential/console-session.ts";
import { isTimeZone } from "../../../shared/zoned-time.ts";
import { toBase64url } from "../../../shared/encoding.ts";
import { languageFor } from "../../../shared/channels/words/languages.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { consoleUrl, inboxUrl, pathOfUrl, paths } from "../../platform/urls.ts";
import { zoneCookie } from "../../platform/zone-cookie.ts";
import type { ConsoleVisit } from "../../ui/console/visit.ts";
import type { App, AppContext } from "../app-context.ts";
import { type InboxSettings, inboxSettings } from "../inbox/reader.ts";
import { asPage, inPath } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { errorPage } from "../page-answer.ts";
import { pageHeaders } from "../page-headers.ts";
import { answerFault } from "../review/review.ts";
import { noSuchLink, readForm } from "../review/review-link.ts";
import { apiFor, callAsOperator } from "./console-api.ts";
import { type ConsoleOperator, consoleOperator } from "./console-operator.ts";
import { signIn, signInPage, signOut } from "./console-sign-in.ts";

export const consoleRoutes = new Hono<App>();

/** A document of the configuration has up to a megabyte; a form may write three bytes for one. */
const longestForm = 4_000_000;

/**
 * What can be saved as a file: its path in the operator's API, in which `:id` is a field of the
 * form, what its query always has, and its name. Saving is a form of the session, since an export
 * is recorded: another site can have a browser ask for any address, with the sign-in of Cloudflare
 * Access.
 */
const downloadPrefix = "download/";
type Download = { readonly path: string; readonly query?: Readonly<Record<string, string>>; readonly file: string };
const downloads: Readonly<Record<string, Download>> = {
  record: { path: paths.admin.record, file: "countersign-record.ndjson" },
  "requests-csv": { path: paths.admin.runs, query: { format: "csv" }, file: "countersign-requests.csv" },
  "requests-ndjson": { path: paths.admin.runs, query: { format: "ndjson" }, file: "countersign-requests.ndjson" },
  "decisions-csv": { path: paths.admin.decisions, query: { format: "csv" }, file: "countersign-decisions.csv" },
  "decisions-ndjson": { path: paths.admin.decisions, query: { format: "ndjson" }, file: "countersign-decisions.ndjson" },
  receipt: { path: paths.admin.runReceipt, file: "countersign-receipt.json" },
  usage: { path: paths.admin.usage, query: { format: "csv" }, file: "countersign-usage.csv" },
};

const atRoot = describe("root", {
  summary: "Leads to the console",
  302: { description: "To the console", headers: { Location: "The console" } },
});

consoleRoutes.get("/", atRoot, async (c) => {
  const settings = inboxSettings(c);
  return settings === null ? noSuchLink(c) : c.redirect(pathOfUrl(consoleUrl(settings.publicUrl)), 302);
});

const refusals = {
  401: asPage("Nobody is signed in: the page to sign in"),
  403: asPage("From another site, or a form of another session"),
  404: asPage("There is no such page, or no PUBLIC_URL is configured"),
  413: asPage("Too large"),
  415: asPage("Not a form"),
  429: asPage("Too many attempts to sign in from one address"),
  500: asPage("A fault of the gateway, with an id to quote"),
  503: asPage("The pages Worker does not answer"),
};
const anyPage = inPath(
  "page",
  "Its name, such as requests or routing; sign-in, sign-out; download/record, download/usage, download/requests-csv, download/requests-ndjson, download/decisions-csv, download/decisions-ndjson or download/receipt for a file",
);
const reading = { 200: asPage("The page"), 401: refusals[401], 404: refusals[404], 500: refusals[500], 503: refusals[503] };
const home = describe("showConsoleHome", { summary: "The console's overview", ...reading });
const show = describe("showConsole", {
  summary: "A page of the console",
  parameters: [anyPage],
  ...reading,
  303: { description: "What was searched for has a page of its own", headers: { Location: "The page" } },
  422: asPage("The page, which says what of the query cannot be used"),
});
const act = describe("actInConsole", {
  summary: "What an operator does on a page of the console",
  parameters: [anyPage],
  body: { type: "application/x-www-form-urlencoded" },
  200: asPage("What the page's script asked for"),
  422: asPage("The page with what is wrong; nothing was done"),
  303: { description: "Done; the page that shows it", headers: { Location: "The page" } },
  ...refusals,
});

consoleRoutes.get(paths.console, home, (c) => answerVisit(c));
consoleRoutes.get(paths.consolePage, show, (c) => answerVisit(c));
consoleRoutes.post(paths.consolePage, act, (c) => answerVisit(c));
consoleRoutes.all(paths.console, (c) => errorPage(c, "badRequest", 405, { Allow: "GET, HEAD" }));
consoleRoutes.all(paths.consolePage, (c) => errorPage(c, "badRequest", 405, { Allow: "GET, HEAD, POST" }));

async function answerVisit(c: AppContext): Promise<Response> {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  const page = pageOf(c);
  if (c.req.method === "POST" && page === "sign-in") return signIn(c, settings);
  if (c.req.method === "POST" && page === "sign-out") return signOut(c, settings);
  const signedIn = await consoleOperator(c, settings);
  if (c.req.method !== "POST") {
    if (signedIn === null) return signInPage(c, settings, { status: 401, to: page });
    return downloadOf(page) === undefined ? consolePage(c, settings, signedIn, null) : errorPage(c, "badRequest", 405, { Allow: "POST" });
  }
  const body = await readForm(c, { settings }, longestForm);
  if (body instanceof Response) return body;
  if (signedIn === null) return signInPage(c, settings, { status: 401, problem: "over" });
  const form = new URLSearchParams(body.text);
  const isOwn = isConsoleFormToken(settings.keys, signedIn.bound, form.get(formTokenName) ?? "");
  if (!isOwn) return errorPage(c, "crossSite", 403);
  const file = downloadOf(page);
  return file === undefined ? consolePage(c, settings, signedIn, form) : download(c, signedIn, file, form);
}

const downloadOf = (page: string): Download | undefined =>
  page.startsWith(downloadPrefix) ? downloads[page.slice(downloadPrefix.length)] : undefined;

/** A part of what the operator's API answers, to save as a file. */
async function download(
  c: AppContext,
  signedIn: ConsoleOperator,
  { path, query = {}, file }: Download,
  form: URLSearchParams,
): Promise<Response> {
  const asked = new URLSearchParams({ ...Object.fromEntries(form), ...query });
  asked.delete(formTokenName);
  const at = path.replace(":id", () => encodeURIComponent(asked.get("id") ?? ""));
  if (at !== path) asked.delete("id");
  const answer = await callAsOperator(c, signedIn, { method: "GET", path: asked.size === 0 ? at : `${at}?${asked}` });
  const headers = new Headers(answer.headers);
  if (answer.ok) headers.set("Content-Disposition", `attachment; filename="${file}"`);
  headers.set("X-Content-Type-Options", "nosniff");
  headers.set("Cache-Control", "no-store");
  // It has what clients sent, as they wrote it: a browser that opens it in spite of the above runs
  // none of it.
  headers.set("Content-Security-Policy", "default-src 'none'; sandbox");
  return new Response(answer.body, { status: answer.status, headers });
}

/** The zone that the console's script wrote into a cookie. */
function zoneOf(c: AppContext): string | null {
  const zone = getCookie(c, zoneCookie);
  return zone !== undefined && isTimeZone(zone) ? zone : null;
}

/** The page's name: what stands behind the console's path. */
const pageOf = (c: AppContext): string => c.req.path.slice(paths.console.length).replaceAll(/^\/+|\/+$/g, "");

async function consolePage(
  c: AppContext,
  settings: InboxSettings,
  signedIn: ConsoleOperator,
  form: URLSearchParams | null,
): Promise<Response> {
  const cspNonce = toBase64url(crypto.getRandomValues(new Uint8Array(16)));
  const { operator, role, session, bound, home } = signedIn;
  const language = languageFor(undefined, c.req.header("Accept-Language"));
  const visit: ConsoleVisit = {
    page: pageOf(c),
    query: [...new URL(c.req.url).searchParams],
    form: form === null ? null : [...form].filter(([name]) => name !== formTokenName),
    base: pathOfUrl(home),
    inbox: pathOfUrl(inboxUrl(settings.publicUrl)),
    publicUrl: settings.publicUrl,
    operator,
    role,
    canSignOut: session !== null,
    formToken: consoleFormToken(settings.keys, bound),
    now: Date.now(),
    cspNonce,
    language,
    zone: zoneOf(c),
  };
  try {
    const answer = await c.env.PAGES.console(visit, apiFor(c, signedIn));
    const headers = { ...pageHeaders(cspNonce, true), "Content-Language": language };
    if (answer.kind === "redirect")
      return new Response(null, { status: 303, headers: { Location: answer.to, "Cache-Control": "no-store" } });
    return new Response(answer.html, { status: answer.status, headers });
  } catch (error) {
    logEvent("pages.failed", { error: errorClass(error) });
    return new Response(unmade, { status: 503, headers: { ...pageHeaders(cspNonce), "Content-Type": "text/plain; charset=utf-8" } });
  }
}

const unmade =
  "This page could not be made. What you sent may have been done: open the page again in a minute to see. If that does not help, deploy the pages Worker (countersign-pages) of this version.\n";

consoleRoutes.onError(answerFault);
