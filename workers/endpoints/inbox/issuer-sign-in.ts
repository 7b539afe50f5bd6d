// Signing in at an OIDC issuer of the issuers document, to the inbox and the console at once, with
// the authorization code flow and PKCE (OpenID Connect Core 3.1). The person leaves by a form's
// button, and comes back to a page whose button signs them in: a GET signs nobody in. What comes
// back counts once, for ten minutes, and in the browser that began it: a code that somebody else
// got signs nobody in as them (RFC 9700 section 4.5 and 4.7).

import { Hono } from "hono";
import type { Issuer, PeoplesIssuer } from "../../../shared/credential/issuers.ts";
import {
  type BegunSignIn,
  begunSignInName,
  emailOf,
  issuerBinding,
  issuerBrowserDigest,
  issuerSecretLength,
  issuerSignInMs,
} from "../../../shared/credential/person-sign-in.ts";
import { roleOf } from "../../../shared/credential/operator-roles.ts";
import { toBase64url } from "../../../shared/encoding.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { LoginFault, LoginServer } from "../../../shared/relay/login.ts";
import { type Result, err } from "../../../shared/result.ts";
import type { SignInWay } from "../../../shared/receipt/known.ts";
import { addressDigest, consoleTargetPage, inboxNameOf, isSignInTarget } from "../../../shared/review/inbox.ts";
import { verified } from "../../credentials/token.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { lookupIn } from "../../platform/lookup.ts";
import { inboxUrl, issuerReturnUrl, pathOfUrl, paths } from "../../platform/urls.ts";
import { begunSignIns } from "../../stubs/oauth-store.ts";
import { inboxStub } from "../../stubs/stubs.ts";
import type { SignInProblem } from "../../ui/inbox/sign-in-pages.tsx";
import type { App, AppContext } from "../app-context.ts";
import { isFlooding } from "../auth.ts";
import { consolePath, openIssuerSession, signInPage as consoleSignInPage } from "../console/console-sign-in.ts";
import { asPage, formRefusals } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { answerFault } from "../review/review.ts";
import { noSuchLink, nonceOf, readForm } from "../review/review-link.ts";
import { cookieOf, setCookie } from "../session-address.ts";
import { type InboxSettings, type Person, currentDocuments, inboxSettings, peopleOf, personAt } from "./reader.ts";
import { type SignInStatus, askSubject, inboxSession, judgeForm, peoplesIssuers, signInPage, signedInAt, targetOf } from "./sign-in.ts";

export const issuerSignInRoutes = new Hono<App>();

const smallForm = 20_000;
const returnSubject = (state: string) => ({ token: "inbox/issuer", version: 0, digest: `return ${state}` }) as const;

const refusals = {
  403: asPage("From another site, not this browser's sign-in, or nobody of the policy"),
  404: asPage("No PUBLIC_URL is configured, or people cannot sign in at this issuer"),
  409: asPage("The page was open for too long"),
  ...formRefusals,
  502: asPage("The issuer does not answer, or its configuration cannot be used"),
};

const random = (): string => toBase64url(crypto.getRandomValues(new Uint8Array(issuerSecretLength)));

/** The form, where a request may have one; or the answer in its place. */
async function formOf(c: AppContext): Promise<{ settings: InboxSettings; fields: URLSearchParams } | Response> {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  if (await isFlooding(c, "sign-ins")) return errorPage(c, "tooMany", 429);
  const body = await readForm(c, { settings }, smallForm);
  return body instanceof Response ? body : { settings, fields: new URLSearchParams(body.text) };
}

const issuerNamed = async (c: AppContext, name: string): Promise<PeoplesIssuer | undefined> =>
  (await peoplesIssuers(c)).find(([each]) => each === name)?.[1];

/** The issuer as a server that is asked. `secret`: "" where its variable is not set. */
function serverOf(env: Env, { issuer, allowPrivate, signIn }: PeoplesIssuer): LoginServer {
  const secret = signIn.secret === undefined ? null : (lookupIn(env)(signIn.secret)?.trim() ?? "");
  return { url: issuer, headers: {}, allowPrivate, secret };
}

const begin = describe("beginIssuerSignIn", {
  summary: "Leads a person to the sign-in of an issuer of the issuers document",
  body: { type: "application/x-www-form-urlencoded" },
  200: asPage("The browser goes on to the issuer, with a cookie that proves that this one began"),
  ...refusals,
});

issuerSignInRoutes.post(paths.inboxIssuer, begin, async (c) => {
  const form = await formOf(c);
  if (form instanceof Response) return form;
  const { settings, fields } = form;
  const wanted = fields.get("to") ?? "";
  const to = isSignInTarget(wanted) || consoleTargetPage(wanted) !== undefined ? wanted : null;
  const judged = judgeForm(settings, askSubject, fields);
  if (judged !== "good") return signInPage(c, settings, { to, problem: judged, status: judged === "forged" ? 403 : 409 });
  const name = fields.get("issuer") ?? "";
  const entry = await issuerNamed(c, name);
  if (entry === undefined) return noSuchLink(c);
  const [browser, state, nonce] = [random(), random(), random()];
  const redirectUri = issuerReturnUrl(settings.publicUrl);
  const { clientId } = entry.signIn;
  const started = await c.env.TOOLS.startSignIn({ server: serverOf(c.env, entry), clientId, redirectUri, state, nonce }).catch(unanswered);
  if (started.kind === "failed") return failed(c, settings, started.why, to);
  const begun: BegunSignIn = {
    issuer: name,
    binding: issuerBinding(entry),
    nonce,
    verifier: started.verifier,
    grant: started.grant,
    to,
  };
  const expiresAt = Date.now() + issuerSignInMs;
  await begunSignIns(c.env).write(begunSignInName(state), issuerBrowserDigest(browser), { value: jsonOf(begun), expiresAt });
  const { publicUrl } = settings;
  const cookie = setCookie("countersign-issuer", browser, { maxAge: issuerSignInMs / 1000, publicUrl });
  const input = { issuer: name, to: started.to, host: new URL(started.to).host };
  // Not 303: a page's form may lead to us alone, and this leads to the issuer.
  return answerPage(c, { kind: "issuerLeave", input }, 200, { headers: { Refresh: `0; url=${started.to}`, "Set-Cookie": cookie } });
});

/** What an issuer sends a browser back with. */
const returned = ["state", "code", "iss", "error"] as const;

const showReturn = describe("showIssuerReturn", {
  summary: "Where an issuer sends a browser back to: a page whose button signs in. It signs nobody in",
  200: asPage("The page"),
  ...refusals,
});

issuerSignInRoutes.get(paths.inboxIssuerReturn, showReturn, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return noSuchLink(c);
  if (await isFlooding(c, "sign-ins")) return errorPage(c, "tooMany", 429);
  return returnPage(c, settings, new URL(c.req.url).searchParams);
});

function returnPage(c: AppContext, settings: InboxSettings, given: URLSearchParams, problem?: "late" | "forged"): Promise<Response> {
  const { token, version, digest } = returnSubject(given.get("state") ?? "");
  const input = {
    action: pathOfUrl(issuerReturnUrl(settings.publicUrl)),
    nonce: nonceOf({ settings, token }, version, digest),
    fields: Object.fromEntries(returned.flatMap((name) => (given.has(name) ? [[name, given.get(name) ?? ""]] : []))),
    ...(problem === undefined ? {} : { problem }),
  };
  return answerPage(c, { kind: "issuerReturn", input }, problem === undefined ? 200 : problem === "forged" ? 403 : 409);
}

const finish = describe("finishIssuerSignIn", {
  summary: "The form of that page: signs in the reviewer whose verified address the issuer names, once, in the browser that began",
  body: { type: "application/x-www-form-urlencoded" },
  303: {
    description: "Signed in; the inbox, or what was wanted",
    headers: { Location: "The page", "Set-Cookie": "The session" },
  },
  ...refusals,
  410: asPage("Not begun here, used before, or too late"),
});

issuerSignInRoutes.post(paths.inboxIssuerReturn, finish, async (c) => {
  const form = await formOf(c);
  if (form instanceof Response) return form;
  const { settings, fields } = form;
  const state = fields.get("state") ?? "";
  const judged = judgeForm(settings, returnSubject(state), fields);
  if (judged !== "good") return returnPage(c, settings, fields, judged);
  const begun = await takeBegun(c, settings, state);
  const entry = begun === null ? undefined : await issuerNamed(c, begun.issuer);
  if (begun === null || entry === undefined || begun.binding !== issuerBinding(entry))
    return signInPage(c, settings, { problem: "issuerOver", status: 410 });
  const { issuer, to, grant, verifier } = begun;
  const code = fields.has("error") ? null : fields.get("code");
  if (code === null) return failed(c, settings, "refused", to);
  const came = { code, iss: fields.get("iss"), verifier };
  const answer = await c.env.TOOLS.finishSignIn(serverOf(c.env, entry), grant, came).catch(unanswered);
  if (answer.kind === "failed") return failed(c, settings, answer.why, to);
  const identity = await identified(c.env, entry, answer.idToken, begun.nonce);
  if (!identity.ok) return stranger(c, settings, to, identity.error === "domain");
  const email = identity.value;
  const person = personAt(peopleOf((await currentDocuments(c)).policy), email);
  const isOperator = roleOf(settings.operators, email) !== null;
  const page = to === null ? undefined : consoleTargetPage(to);
  if (page === undefined ? person === undefined : !isOperator) return stranger(c, settings, to);
  const inbox = person === undefined ? null : await openInbox(c, settings, person, issuer);
  const console = isOperator ? await openIssuerSession(c, settings, { issuer, email }) : null;
  const used = setCookie("countersign-issuer", "", { maxAge: 0, publicUrl: settings.publicUrl });
  const cookies = [inbox, console].flatMap((session) => (session === null ? [] : [session.cookie]));
  if (page !== undefined && console !== null) return signedInAt(consolePath(console.home, page), [...cookies, used]);
  return signedInAt(targetOf(inbox?.home ?? inboxUrl(settings.publicUrl), to), [...cookies, used]);
});

/** A session of this reviewer, as `inboxSession` has it. */
async function openInbox(
  c: AppContext,
  settings: InboxSettings,
  { name, email }: Person,
  issuer: string,
): Promise<ReturnType<typeof inboxSession>> {
  const inbox = inboxNameOf(name);
  const way = jsonOf<SignInWay>({ how: "issuer", issuer });
  return inboxSession(settings, { inbox, secret: await inboxStub(c.env, inbox).beginSession(addressDigest(email), way) });
}

/** The page of what was wanted, which says that the account is nobody's here. */
function stranger(c: AppContext, settings: InboxSettings, to: string | null, isOtherDomain = false): Promise<Response> {
  const page = to === null ? undefined : consoleTargetPage(to);
  if (page !== undefined) return consoleSignInPage(c, settings, { to: page, problem: "stranger", status: 403 });
  return signInPage(c, settings, { to, problem: isOtherDomain ? "issuerDomain" : "issuerStranger", status: 403 });
}

/**
 * The sign-in of this state, taken: a second one finds nothing. Null too in a browser that did not
 * begin it, which takes nothing.
 */
async function takeBegun(c: AppContext, { publicUrl }: InboxSettings, state: string): Promise<BegunSignIn | null> {
  const browser = cookieOf(c, "countersign-issuer", publicUrl);
  if (browser === undefined || browser === "") return null;
  const stored = await begunSignIns(c.env).take(begunSignInName(state), issuerBrowserDigest(browser));
  return stored === null ? null : readJsonOf(stored.value as JsonOf<BegunSignIn>); // written above
}

/** The address that the issuer's own signature vouches for; or which check failed. */
async function identified(env: Env, entry: PeoplesIssuer, idToken: string, nonce: string): Promise<Result<string, string>> {
  try {
    const email = emailOf(await verified(idToken, forPeople(entry), env, Date.now()), { ...entry.signIn, nonce });
    if (!email.ok) logEvent("inbox.issuerRefused", { error: email.error });
    return email;
  } catch (error) {
    logEvent("inbox.issuerRefused", { error: errorClass(error) });
    return err(errorClass(error));
  }
}

const peoples = new WeakMap<Issuer, Issuer>();

/**
 * The entry for ID tokens, which are for the gateway as a client. One value, so that its keys stay
 * cached.
 */
function forPeople(entry: PeoplesIssuer): Issuer {
  const known = peoples.get(entry);
  const issuer = known ?? { ...entry, audience: entry.signIn.clientId };
  if (known === undefined) peoples.set(entry, issuer);
  return issuer;
}

const problems = {
  noSignIn: ["issuerFault", 502],
  metadata: ["issuerFault", 502],
  noClient: ["issuerFault", 502],
  issuer: ["issuerOther", 403],
  refused: ["issuerRefused", 403],
  unreachable: ["issuerAway", 502],
} as const satisfies Record<LoginFault, readonly [SignInProblem, SignInStatus]>;

function failed(c: AppContext, settings: InboxSettings, why: LoginFault, to: string | null): Promise<Response> {
  logEvent("inbox.issuerFailed", { error: why });
  const [problem, status] = problems[why];
  return signInPage(c, settings, { to, problem, status });
}

function unanswered(error: unknown): { readonly kind: "failed"; readonly why: "unreachable" } {
  logEvent("tools.failed", { error: errorClass(error) });
  return { kind: "failed", why: "unreachable" };
}

issuerSignInRoutes.all(paths.inboxIssuer, (c) => errorPage(c, "badRequest", 405, { Allow: "POST" }));
issuerSignInRoutes.all(paths.inboxIssuerReturn, (c) => errorPage(c, "badRequest", 405, { Allow: "GET, HEAD, POST" }));

issuerSignInRoutes.onError(answerFault);
