// Signing in to the inbox by a link to the address on file. A GET decides nothing, signs nobody in
// and sets no cookie. The answer to whoever asks is the same for every address, and comes before
// anything is done about it.

import { Hono } from "hono";
import type { PeoplesIssuer } from "../../../shared/credential/issuers.ts";
import { toBase64url } from "../../../shared/encoding.ts";
import { formFields } from "../../../shared/review/form.ts";
import {
  type SignInClaims,
  addressDigest,
  askedToken,
  browserSecretLength,
  inboxNameOf,
  isSignInTarget,
  parseAskedToken,
  parseReviewKey,
  parseSignInToken,
  secretDigest,
  sessionToken,
  signInMs,
} from "../../../shared/review/inbox.ts";
import { type NonceSubject, type NonceVerdict, judgeNonce } from "../../../shared/review/link.ts";
import { canSendEmail } from "../../channels/email/email-channel.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { inboxReviewUrl, inboxUrl, issuerSignInUrl, pathOfUrl, paths } from "../../platform/urls.ts";
import { issuersOf } from "../../stores/documents.ts";
import { inboxStub } from "../../stubs/stubs.ts";
import type { SignInProblem } from "../../ui/inbox/sign-in-pages.tsx";
import type { App, AppContext } from "../app-context.ts";
import { isFlooding } from "../auth.ts";
import { asPage, inPath, formRefusals } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { answerFault } from "../review/review.ts";
import { noSuchLink, nonceOf, readForm } from "../review/review-link.ts";
import { cookieOf, homeOfNew, setCookie } from "../session-address.ts";
import { type InboxSettings, currentDocuments, inboxSettings, peopleOf, personAt } from "./reader.ts";

export const signInRoutes = new Hono<App>();

/** What the nonces of the two forms are bound to, in place of a link and a version. */
export const askSubject = { token: "inbox/ask", version: 0, digest: "ask" } as const;
const enterSubject = (token: string) => ({ token, version: 0, digest: "sign-in" }) as const;

const smallForm = 10_000;
/** The names of the form's own fields. */
const fieldNames = { email: "email", to: "to" } as const;

const refusals = {
  403: asPage("From another site, or with a nonce of another form"),
  409: asPage("Too late"),
  ...formRefusals,
};

/** However soon a form comes: a password manager is quick, and it is the email that signs in. */
export function judgeForm({ keys }: InboxSettings, subject: NonceSubject, fields: URLSearchParams): Exclude<NonceVerdict, "early"> {
  const judged = judgeNonce(keys, subject, fields.get(formFields.nonce) ?? "", Date.now());
  return judged === "early" ? "good" : judged;
}

/**
 * The page for whoever is not signed in. `to`: the review or the page that they wanted. `email`:
 * what was typed.
 */
export async function signInPage(
  c: AppContext,
  settings: InboxSettings,
  {
    to = null,
    email = "",
    problem,
    status = 200,
  }: { readonly to?: string | null; readonly email?: string; readonly problem?: SignInProblem; readonly status?: SignInStatus } = {},
): Promise<Response> {
  const input = {
    action: pathOfUrl(`${inboxUrl(settings.publicUrl)}/sign-in`),
    nonce: nonceOf({ settings, token: askSubject.token }, askSubject.version, askSubject.digest),
    to,
    email,
    canSend: canSendEmail(c.env),
    issuers: { action: pathOfUrl(issuerSignInUrl(inboxUrl(settings.publicUrl))), names: (await peoplesIssuers(c)).map(([name]) => name) },
    ...(problem === undefined ? {} : { problem }),
  };
  return answerPage(c, { kind: "signIn", input }, status);
}

export type SignInStatus = 200 | 403 | 404 | 409 | 410 | 422 | 502;

/** The issuers at which people may sign in, by their names in the document. */
export async function peoplesIssuers(c: AppContext): Promise<readonly (readonly [string, PeoplesIssuer])[]> {
  const { issuers } = await issuersOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
  return Object.entries(issuers).filter((each): each is [string, PeoplesIssuer] => each[1].signIn !== undefined);
}

const askForLink = describe("askToSignIn", {
  summary: "Asks for a link that signs a reviewer in to their inbox. The answer is the same for every address",
  body: { type: "application/x-www-form-urlencoded" },
  200: asPage("Where the address is a reviewer's, an email is on its way; the browser gets a cookie in any case"),
  ...refusals,
  404: asPage("No PUBLIC_URL is configured"),
  422: asPage("Not an email address"),
});

signInRoutes.post(paths.inboxAsk, askForLink, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  if (await isFlooding(c, "sign-ins")) return errorPage(c, "tooMany", 429);
  const body = await readForm(c, { settings }, smallForm);
  if (body instanceof Response) return body;
  const fields = new URLSearchParams(body.text);
  const wanted = fields.get(fieldNames.to) ?? "";
  const to = isSignInTarget(wanted) ? wanted : null;
  const email = (fields.get(fieldNames.email) ?? "").trim();
  const judged = judgeForm(settings, askSubject, fields);
  if (judged !== "good") return signInPage(c, settings, { to, email, problem: judged, status: judged === "forged" ? 403 : 409 });
  if (!/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(email)) return signInPage(c, settings, { to, email, problem: "address", status: 422 });
  const address = addressDigest(email);
  const secret = browserOf(c, settings, address)?.secret ?? toBase64url(crypto.getRandomValues(new Uint8Array(browserSecretLength)));
  // After the answer, so that it takes the same time for every address.
  const sending = sendLink(c, email, secret, to).catch((error: unknown) => logEvent("inbox.mailFailed", { error: errorClass(error) }));
  c.executionCtx.waitUntil(sending);
  const asked = askedToken(settings.keys, { secret, askedAt: Date.now() }, address);
  const cookie = setCookie("countersign-browser", asked, { maxAge: signInMs / 1000, publicUrl: settings.publicUrl });
  const again = pathOfUrl(inboxUrl(settings.publicUrl));
  return answerPage(c, { kind: "signInAsked", input: { again } }, 200, { headers: { "Set-Cookie": cookie } });
});

/** The browser's secret, and when it asked for this address. `address`: its digest. */
const browserOf = (c: AppContext, { publicUrl, keys }: InboxSettings, address: string) =>
  parseAskedToken(keys, cookieOf(c, "countersign-browser", publicUrl) ?? "", address);

async function sendLink(c: AppContext, email: string, browser: string, to: string | null): Promise<void> {
  const person = personAt(peopleOf((await currentDocuments(c)).policy), email);
  if (person === undefined) return;
  const inbox = inboxNameOf(person.name);
  // To the address as the policy has it.
  await inboxStub(c.env, inbox).ask({
    inbox,
    email: person.email,
    language: person.language ?? null,
    browser: secretDigest(browser),
    to,
  });
}

const showLink = describe("showSignIn", {
  summary: "The page of a sign-in link: a button. It signs nobody in, and writes nothing",
  parameters: [inPath("token", "The link's token")],
  200: asPage("The page"),
  404: asPage("The token opens nothing"),
  410: asPage("The link's time is over"),
  429: refusals[429],
  500: refusals[500],
});

signInRoutes.get(paths.inboxSignIn, showLink, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  const claims = await admittedClaims(c, settings);
  return claims instanceof Response ? claims : enterPage(c, settings);
});

/**
 * The claims of a genuine link whose time is not over; else the page that says so, from which
 * another can be asked for.
 */
async function admittedClaims(c: AppContext, settings: InboxSettings): Promise<SignInClaims | Response> {
  if (await isFlooding(c, "sign-ins")) return errorPage(c, "tooMany", 429);
  const claims = parseSignInToken(settings.keys, c.req.param("token") ?? "");
  if (claims === undefined) return signInPage(c, settings, { problem: "noSuchLink", status: 404 });
  return Date.now() >= claims.expiresAtSeconds * 1000 ? signInPage(c, settings, { problem: "over", status: 410 }) : claims;
}

function enterPage(c: AppContext, settings: InboxSettings, problem?: SignInProblem, status: SignInStatus = 200): Promise<Response> {
  const { token, version, digest } = enterSubject(c.req.param("token") ?? "");
  const input = {
    action: pathOfUrl(`${inboxUrl(settings.publicUrl)}/sign-in/${token}`),
    nonce: nonceOf({ settings, token }, version, digest),
    ...(problem === undefined ? {} : { problem }),
  };
  return answerPage(c, { kind: "signInEnter", input }, status);
}

const useLink = describe("signIn", {
  summary: "Signs in: once, within ten minutes, and only in the browser that asked for the link",
  parameters: [inPath("token", "The link's token")],
  body: { type: "application/x-www-form-urlencoded" },
  303: {
    description: "Signed in; the inbox, or the review that was wanted",
    headers: { Location: "The page", "Set-Cookie": "The session" },
  },
  ...refusals,
  404: asPage("The token opens nothing"),
  410: asPage("Used before, too late, or the reviewer's address has changed"),
});

signInRoutes.post(paths.inboxSignIn, useLink, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  const claims = await admittedClaims(c, settings);
  if (claims instanceof Response) return claims;
  const body = await readForm(c, { settings }, smallForm);
  if (body instanceof Response) return body;
  const judged = judgeForm(settings, enterSubject(c.req.param("token") ?? ""), new URLSearchParams(body.text));
  if (judged !== "good") return enterPage(c, settings, judged, judged === "forged" ? 403 : 409);
  const person = peopleOf((await currentDocuments(c)).policy).find(({ name }) => inboxNameOf(name) === claims.inbox);
  if (person === undefined) return signInPage(c, settings, { problem: "over", status: 410 });
  const address = addressDigest(person.email);
  const browser = browserOf(c, settings, address);
  const answer = await inboxStub(c.env, claims.inbox).signIn({
    id: claims.id,
    browser: browser === undefined ? null : secretDigest(browser.secret),
    askedAt: browser?.askedAt ?? null,
    address,
  });
  if (answer.kind !== "signedIn") {
    const status = answer.kind === "over" ? 410 : 403;
    return signInPage(c, settings, { problem: answer.kind, status });
  }
  const { home, cookie } = inboxSession(settings, { inbox: claims.inbox, secret: answer.secret });
  return signedInAt(targetOf(home, answer.to), [
    cookie,
    setCookie("countersign-browser", "", { maxAge: 0, publicUrl: settings.publicUrl }),
  ]);
});

/** A session that began: the URL of its inbox, and its cookie. */
export function inboxSession(settings: InboxSettings, { inbox, secret }: { readonly inbox: string; readonly secret: string }) {
  const { publicUrl, keys, inboxSessionMs } = settings;
  const home = homeOfNew(inboxUrl(publicUrl), settings, secretDigest(secret));
  const token = sessionToken(keys, { inbox, secret });
  return { home, cookie: setCookie("countersign-session", token, { maxAge: inboxSessionMs / 1000, publicUrl, home }) };
}

/** On to a page, with what the browser keeps from now on. */
export function signedInAt(to: string, cookies: readonly string[]): Response {
  const headers = new Headers({ Location: to, "Cache-Control": "no-store" });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}

export function targetOf(home: string, to: string | null): string {
  const review = to === null ? undefined : parseReviewKey(to);
  if (review !== undefined) return inboxReviewUrl(home, review.gate, review.run);
  return to === null || !isSignInTarget(to) ? home : `${home}/${to}`;
}

signInRoutes.all(paths.inboxAsk, (c) => errorPage(c, "badRequest", 405, { Allow: "POST" }));
signInRoutes.all(paths.inboxSignIn, (c) => errorPage(c, "badRequest", 405, { Allow: "GET, HEAD, POST" }));

signInRoutes.onError(answerFault);
