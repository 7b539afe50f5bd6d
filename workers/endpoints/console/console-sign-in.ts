// Signing in to the console by the admin token, and out again. Where Cloudflare Access brings the operator, neither is needed.

import { Hono } from "hono";
import {
  consoleCookie,
  consoleFormToken,
  consoleSecretLength,
  consoleSessionMs,
  formTokenName,
  isConsoleFormToken,
  sessionIdOf,
} from "../../../shared/credential/console-session.ts";
import { tokenOperator } from "../../../shared/record/operators.ts";
import { consoleUrl, pathOfUrl, paths } from "../../platform/urls.ts";
import { configStub } from "../../stubs/stubs.ts";
import type { ConsoleSignInInput, ConsoleSignInProblem } from "../../ui/console/sign-in-page.tsx";
import type { App, AppContext } from "../app-context.ts";
import { isFlooding, operatorOf } from "../auth.ts";
import { type InboxSettings, inboxSettings } from "../inbox/reader.ts";
import { asPage } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { noSuchLink, readForm } from "../review/review-link.ts";
import { setConsoleCookie } from "./console-cookie.ts";
import { consoleOperator } from "./console-operator.ts";

export const signInRoutes = new Hono<App>();

const smallForm = 10_000;
/** The form to sign in belongs to no session yet: its origin is what is checked. */
const nobody = "sign-in";

type Status = 200 | 401 | 403;

/** `to`: the page that was wanted. */
export function signInPage(
  c: AppContext,
  settings: InboxSettings,
  { status, to = "", problem }: { readonly status: Status; readonly to?: string; readonly problem?: ConsoleSignInProblem },
): Promise<Response> {
  const input: ConsoleSignInInput = {
    action: pathOfUrl(`${consoleUrl(settings.publicUrl)}/sign-in`),
    formToken: consoleFormToken(settings.keys, nobody),
    to,
    hasToken: settings.adminToken !== undefined,
    ...(problem === undefined ? {} : { problem }),
  };
  return answerPage(c, { kind: "consoleSignIn", input }, status);
}

const refusals = {
  403: asPage("From another site, a form of another session, or a wrong token"),
  404: asPage("No PUBLIC_URL is configured"),
  413: asPage("Too large"),
  415: asPage("Not a form"),
  429: asPage("Too many attempts from one address"),
};
const body = { type: "application/x-www-form-urlencoded" };

const signIn = describe("signInToConsole", {
  summary: "Signs an operator in to the console by the admin token",
  body,
  303: { description: "Signed in; the page that was wanted", headers: { Location: "The page", "Set-Cookie": "The session" } },
  ...refusals,
});

signInRoutes.post(paths.consoleSignIn, signIn, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  if (await isFlooding(c, "console")) return errorPage(c, "tooMany", 429);
  const read = await readForm(c, { settings }, smallForm);
  if (read instanceof Response) return read;
  const form = new URLSearchParams(read.text);
  const to = form.get("to") ?? "";
  if (!isConsoleFormToken(settings.keys, nobody, form.get(formTokenName) ?? ""))
    return signInPage(c, settings, { status: 403, to, problem: "over" });
  const operator = operatorOf(c.env, (form.get("token") ?? "").trim());
  if (operator === null || operator.kind !== "adminToken") return signInPage(c, settings, { status: 403, to, problem: "wrong" });
  const secret = crypto.getRandomValues(new Uint8Array(consoleSecretLength));
  const until = Date.now() + consoleSessionMs;
  await configStub(c.env).openConsoleSession({ id: sessionIdOf(secret), fingerprint: operator.fingerprint, until }, operator);
  const cookie = setConsoleCookie(consoleCookie(settings.keys, secret), consoleSessionMs / 1000, settings.publicUrl);
  return seeOther(consolePath(settings, to), cookie);
});

/** A page of the console and nothing else: a form must not lead elsewhere. */
function consolePath({ publicUrl }: InboxSettings, page: string): string {
  const base = pathOfUrl(consoleUrl(publicUrl));
  return /^[\w-]+(\/[\w-]+)*$/.test(page) && !page.startsWith("sign-") ? `${base}/${page}` : base;
}

const seeOther = (location: string, cookie: string): Response =>
  new Response(null, { status: 303, headers: { Location: location, "Set-Cookie": cookie, "Cache-Control": "no-store" } });

const signOut = describe("signOutOfConsole", {
  summary: "Ends the session in this browser; with everywhere=yes, every session of the console",
  body,
  303: { description: "Signed out", headers: { Location: "The page to sign in", "Set-Cookie": "Deletes the session" } },
  ...refusals,
});

signInRoutes.post(paths.consoleSignOut, signOut, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  const read = await readForm(c, { settings }, smallForm);
  if (read instanceof Response) return read;
  const form = new URLSearchParams(read.text);
  const signedIn = await consoleOperator(c, settings);
  if (signedIn?.session != null) {
    if (!isConsoleFormToken(settings.keys, signedIn.bound, form.get(formTokenName) ?? "")) return errorPage(c, "crossSite", 403);
    const everywhere = form.get("everywhere") === "yes";
    const by = settings.adminToken === undefined ? signedIn.operator : tokenOperator(settings.keys, settings.adminToken);
    await configStub(c.env).endConsoleSessions(everywhere ? null : signedIn.session, by);
  }
  return seeOther(consolePath(settings, ""), setConsoleCookie("", 0, settings.publicUrl));
});

const signInAgain = (c: AppContext): Response | Promise<Response> => {
  const settings = inboxSettings(c);
  return settings === null ? noSuchLink(c) : c.redirect(consolePath(settings, ""), 302);
};
signInRoutes.get(paths.consoleSignIn, describe("consoleSignIn", { summary: "Leads to the console", 302: "To the console" }), signInAgain);
signInRoutes.get(paths.consoleSignOut, describe("consoleSignOut", { summary: "Leads to the console", 302: "To the console" }), signInAgain);
