// Signing in to the console by the admin token or at an issuer, and out again. Where Cloudflare
// Access brings the operator, neither is needed.

import {
  type IssuerOperator,
  consoleCookie,
  consoleFormToken,
  consoleSecretLength,
  consoleSessionMs,
  formTokenName,
  isConsoleFormToken,
  issuerOpener,
  sessionIdOf,
} from "../../../shared/credential/console-session.ts";
import type { Operator } from "../../../shared/record/record.ts";
import { consoleUrl, inboxUrl, issuerSignInUrl, pathOfUrl } from "../../platform/urls.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { ConsoleSignInInput, ConsoleSignInProblem } from "../../ui/console/sign-in-page.tsx";
import type { AppContext } from "../app-context.ts";
import { isFlooding, operatorOf } from "../auth.ts";
import type { InboxSettings } from "../inbox/reader.ts";
import { askSubject, peoplesIssuers } from "../inbox/sign-in.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { nonceOf, readForm } from "../review/review-link.ts";
import { homeOfNew, setCookie } from "../session-address.ts";
import { consoleOperator } from "./console-operator.ts";

const smallForm = 10_000;
/** The form to sign in belongs to no session yet: its origin is what is checked. */
const nobody = "sign-in";

type Status = 200 | 401 | 403;

/** `to`: the page that was wanted. */
export async function signInPage(
  c: AppContext,
  settings: InboxSettings,
  { status, to = "", problem }: { readonly status: Status; readonly to?: string; readonly problem?: ConsoleSignInProblem },
): Promise<Response> {
  const input: ConsoleSignInInput = {
    action: pathOfUrl(`${consoleUrl(settings.publicUrl)}/sign-in`),
    formToken: consoleFormToken(settings.keys, nobody),
    to,
    hasToken: settings.adminToken !== undefined,
    issuers: await issuersOf(c, settings),
    ...(problem === undefined ? {} : { problem }),
  };
  return answerPage(c, { kind: "consoleSignIn", input }, status);
}

/** The issuers at which operators sign in: none where OPERATORS names nobody. */
async function issuersOf(c: AppContext, settings: InboxSettings): Promise<ConsoleSignInInput["issuers"]> {
  return {
    action: pathOfUrl(issuerSignInUrl(inboxUrl(settings.publicUrl))),
    nonce: nonceOf({ settings, token: askSubject.token }, askSubject.version, askSubject.digest),
    names: settings.operators.length === 0 ? [] : (await peoplesIssuers(c)).map(([name]) => name),
  };
}

/** Signs an operator in by the admin token of the form. */
export async function signIn(c: AppContext, settings: InboxSettings): Promise<Response> {
  if (await isFlooding(c, "console")) return errorPage(c, "tooMany", 429);
  const read = await readForm(c, { settings }, smallForm);
  if (read instanceof Response) return read;
  const form = new URLSearchParams(read.text);
  const to = form.get("to") ?? "";
  if (!isConsoleFormToken(settings.keys, nobody, form.get(formTokenName) ?? ""))
    return signInPage(c, settings, { status: 403, to, problem: "over" });
  const operator = operatorOf(c.env, (form.get("token") ?? "").trim());
  if (operator === null || operator.kind !== "adminToken") return signInPage(c, settings, { status: 403, to, problem: "wrong" });
  const { home, cookie } = await openSession(c, settings, operator.fingerprint, operator);
  return seeOther(consolePath(home, to), cookie);
}

/** A new session: the URL of its console, and its cookie. `opener`: whose it is, for its row. */
async function openSession(
  c: AppContext,
  settings: InboxSettings,
  opener: string,
  operator: Operator,
): Promise<{ readonly home: string; readonly cookie: string }> {
  const secret = crypto.getRandomValues(new Uint8Array(consoleSecretLength));
  const until = Date.now() + consoleSessionMs;
  const id = sessionIdOf(secret);
  await configStub(c.env).openConsoleSession({ id, fingerprint: opener, until }, operator);
  const home = homeOfNew(consoleUrl(settings.publicUrl), settings, id);
  return { home, cookie: cookieAt(settings, home, consoleCookie(settings.keys, secret)) };
}

/** The same for an operator whom an issuer vouched for. */
export const openIssuerSession = (c: AppContext, settings: InboxSettings, who: IssuerOperator) =>
  openSession(c, settings, issuerOpener(who), { kind: "issuer", ...who });

/** A page of the console and nothing else: a form must not lead elsewhere. */
export function consolePath(home: string, page: string): string {
  const base = pathOfUrl(home);
  return /^[\w-]+(\/[\w-]+)*$/.test(page) && !page.startsWith("sign-") ? `${base}/${page}` : base;
}

/** The session's cookie; without a value, its end. */
const cookieAt = ({ publicUrl }: InboxSettings, home: string, value = ""): string =>
  setCookie("countersign-console", value, { maxAge: value === "" ? 0 : consoleSessionMs / 1000, publicUrl, home });

const seeOther = (location: string, cookie: string): Response =>
  new Response(null, { status: 303, headers: { Location: location, "Set-Cookie": cookie, "Cache-Control": "no-store" } });

/** Ends the session of this browser, or with `everywhere=yes` every session of the console. */
export async function signOut(c: AppContext, settings: InboxSettings): Promise<Response> {
  const read = await readForm(c, { settings }, smallForm);
  if (read instanceof Response) return read;
  const form = new URLSearchParams(read.text);
  const signedIn = await consoleOperator(c, settings);
  if (signedIn?.session != null) {
    if (!isConsoleFormToken(settings.keys, signedIn.bound, form.get(formTokenName) ?? "")) return errorPage(c, "crossSite", 403);
    // Of every operator: not for whoever only may see.
    const everywhere = form.get("everywhere") === "yes" && signedIn.role === "change";
    await configStub(c.env).endConsoleSessions(everywhere ? null : signedIn.session, signedIn.operator);
  }
  const home = consoleUrl(settings.publicUrl);
  return seeOther(consolePath(home, ""), cookieAt(settings, signedIn?.home ?? home));
}
