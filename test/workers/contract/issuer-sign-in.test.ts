// Signing in to the inbox at an OIDC issuer: whom it lets in, and that nothing which another
// browser, another sign-in or another issuer made does.

import { createHash, randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readForm } from "../../../scripts/page-form.ts";
import type { Env } from "../../../workers/platform/env.ts";
import { admin, configure, eventually, gateway, gatewayWith, notices, publicUrl, travel } from "../support/gateway.ts";
import { recordOf } from "../objects/inside.ts";
import { InboxBrowser, addresses, configureInbox, readFor, waits } from "../support/inbox.ts";
import { type SigningPair, madeUp, nowSeconds, signingPair, tokenBy } from "../support/issuer.ts";
import { neverLogged } from "../support/logs.ts";
import { answerAt } from "../support/provider.ts";
import { recordLines } from "../support/record.ts";
import { pathOf } from "../support/reviewer.ts";
import { scopedEnv } from "../support/scope.ts";

const idp = "https://login.example.com";
const clientId = "countersign-at-the-office";
const minute = 60_000;

let pair: SigningPair;
let strange: SigningPair;
let browser: InboxBrowser;
/** Of the next ID token, over what is right. */
let claims: Record<string, unknown>;
let metadata: Record<string, unknown>;
/** What the token endpoint got. */
let asked: URLSearchParams[];
/** Signs the next ID token; by default the issuer does. */
let sign: (claims: Record<string, unknown>) => Promise<string>;
let keys: object[];

beforeAll(async () => {
  [pair, strange] = await Promise.all([signingPair("RS256", "k1"), signingPair("RS256", "k1")]);
});

const entry = (more: object = {}): object => ({
  issuer: idp,
  algorithm: "RS256",
  audience: "countersign",
  jwksUrl: `${idp}/keys.json`,
  subjects: {},
  signIn: { clientId },
  ...more,
});

type Code = { readonly challenge: string; readonly nonce: string; readonly redirect: string };
let codes: Map<string, Code>;

beforeEach(async () => {
  await configureInbox({}, [
    { name: "Ada", email: addresses.Ada },
    { name: "Grace", email: addresses.Grace },
  ]);
  await configure("issuers", { issuers: { office: entry() } });
  browser = new InboxBrowser();
  [claims, metadata, asked, codes, keys] = [{}, {}, [], new Map(), [pair.jwk]];
  sign = (payload) => tokenBy(pair, payload);
  answerAt(idp, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/.well-known/openid-configuration")
      return Response.json({
        issuer: idp,
        authorization_endpoint: `${idp}/authorize`,
        token_endpoint: `${idp}/token`,
        jwks_uri: `${idp}/keys.json`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        authorization_response_iss_parameter_supported: true,
        token_endpoint_auth_methods_supported: ["none"],
        ...metadata,
      });
    if (pathname === "/keys.json") return Response.json({ keys });
    if (pathname !== "/token") return new Response(null, { status: 404 });
    const body = new URLSearchParams(await request.text());
    asked.push(body);
    const code = codes.get(body.get("code") ?? "");
    codes.delete(body.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(body.get("code_verifier") ?? "")
      .digest("base64url");
    if (code === undefined || code.challenge !== challenge || code.redirect !== body.get("redirect_uri"))
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    const standard = { iss: idp, aud: clientId, sub: "7", email: addresses.Ada, email_verified: true, nonce: code.nonce };
    const payload = { ...standard, iat: nowSeconds(), exp: nowSeconds() + 300, ...claims };
    return Response.json({ access_token: "unused", token_type: "Bearer", id_token: await sign(payload) });
  });
});

/** Presses the issuer's button: where the browser goes on to; null where it stays. */
async function begin(by = browser, { issuer = "office", to = "/inbox" } = {}): Promise<{ status: number; to: URL | null; html: string }> {
  const form = await by.form(to);
  form.delete("email");
  form.set("issuer", issuer);
  const answer = await by.post("/inbox/issuer", form);
  const next = /^0; url=(.*)$/.exec(answer.headers.get("Refresh") ?? "")?.[1];
  return { status: answer.status, to: next === undefined ? null : new URL(next), html: await answer.text() };
}

/** The person signs in at the issuer: where they come back to. */
function visit(to: URL | null): URL {
  const of = (name: string): string => to?.searchParams.get(name) ?? "";
  const code = `code-${randomUUID()}`;
  neverLogged(code);
  codes.set(code, { challenge: of("code_challenge"), nonce: of("nonce"), redirect: of("redirect_uri") });
  const back = new URL(of("redirect_uri"));
  for (const [name, value] of Object.entries({ code, state: of("state"), iss: idp })) back.searchParams.set(name, value);
  return back;
}

/** Comes back, and presses the page's button. */
async function comeBack(back: URL, by = browser, headers?: Record<string, string>): Promise<Response> {
  return by.post("/inbox/issuer/return", await by.form(`/inbox/issuer/return${back.search}`), headers);
}

const isSignedIn = async (by = browser): Promise<boolean> => !(await by.text("/inbox")).includes('name="issuer"');

describe("a person signs in at an issuer", () => {
  test("and is the reviewer of their verified address, for the inbox, connections and what was wanted", async () => {
    expect(await browser.text("/inbox")).toMatch(/Sign in with[\s\S]{0,40}office/);
    const { to } = await begin();
    expect(to?.origin).toBe(idp);
    expect(Object.fromEntries(to?.searchParams ?? [])).toEqual({
      response_type: "code",
      client_id: clientId,
      redirect_uri: `${publicUrl}/inbox/issuer/return`,
      scope: "openid email",
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: "S256",
    });
    const back = visit(to);
    // A GET signs nobody in, and asks nobody.
    expect((await browser.get(`/inbox/issuer/return${back.search}`)).headers.getSetCookie()).toEqual([]);
    expect([await isSignedIn(), asked.length]).toEqual([false, 0]);
    const answer = await comeBack(back);
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, `${publicUrl}${browser.home}`]);
    expect(await isSignedIn()).toBe(true);
    expect(await browser.text("/inbox/connections")).toContain("Clients that act for you");
    expect([...browser.cookies.keys()]).toEqual(["countersign-session"]);
  });

  test("in any case of the address, and goes on to the consent that was wanted", async () => {
    claims = { email: "ADA@Example.ORG" };
    const { to } = await begin(browser, { to: "/inbox/connect?client_id=one&state=two" });
    const answer = await comeBack(visit(to));
    expect(answer.headers.get("Location")).toBe(`${publicUrl}${browser.home}/connect?client_id=one&state=two`);
  });

  test("as a client with a secret, which without its variable asks nobody", async () => {
    await configure("issuers", { issuers: { office: entry({ signIn: { clientId, secret: "OFFICE_CLIENT_SECRET" } }) } });
    const { status, html } = await begin();
    expect([status, html.includes("ask the operator")]).toEqual([502, true]);
  });

  test("and the doctor says whether they can", async () => {
    const said = async (): Promise<string> => (await admin("/doctor", { method: "POST" })).text();
    expect(await said()).toContain("People can sign in there");
    await configure("issuers", { issuers: { office: entry({ signIn: { clientId, secret: "OFFICE_CLIENT_SECRET" } }) } });
    expect(await said()).toContain("OFFICE_CLIENT_SECRET, which is not set");
    await configure("issuers", { issuers: { office: entry() } });
    metadata = { issuer: "https://evil.example.com" };
    expect(await said()).toContain("Nobody can sign in there (issuer)");
  });

  test("and sees what waits, also where that is the only way to sign in", async () => {
    Object.assign(scopedEnv(), { EMAIL_FROM: "", RESEND_API_KEY: "" });
    const run = await waits();
    const link = await eventually("the review's link", async () => (await notices()).find((each) => each.run === run)?.link);
    expect(await (await gateway(pathOf(link), { key: null })).text()).toContain('href="/inbox"');
    await comeBack(visit((await begin()).to));
    expect(await browser.lists(1)).toEqual([expect.stringContaining(run)]);
    const review = `/inbox/reviews/request/${run}`;
    const form = await browser.form(review);
    form.set("act", "deny");
    readFor();
    await browser.post(review, form);
    expect((await recordOf(run)).find(({ fact }) => fact.kind === "denied")?.fact).toMatchObject({
      known: { how: "issuer", issuer: "office" },
    });
    expect(await browser.text(review)).toMatch(/signed in at[\s\S]{0,40}office/);
  });

  test("their session ends as every other does: with the policy", async () => {
    await comeBack(visit((await begin()).to));
    await configureInbox({}, [{ name: "Grace", email: addresses.Grace }]);
    expect(await isSignedIn()).toBe(false);
  });
});

describe("an operator signs in at an issuer", () => {
  const variables: Partial<Env> = { OPERATORS: "ada@example.org decide, ops@example.org see" };
  const send = (cookies: ReadonlyMap<string, string>, path: string, fields?: URLSearchParams): Promise<Response> => {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const type = { "Content-Type": "application/x-www-form-urlencoded", Origin: publicUrl };
    const init = fields === undefined ? {} : { method: "POST", body: fields.toString() };
    return gatewayWith(variables, path, { key: null, ...init, headers: { Cookie, ...(fields === undefined ? {} : type) } });
  };
  const formAt = async (cookies: ReadonlyMap<string, string>, path: string, action: string): Promise<URLSearchParams> => {
    const html = await (await send(cookies, path)).text();
    const form = readForm(html.slice(Math.max(0, html.indexOf(`action="${action}"`) - 30)), publicUrl);
    if (form === null) throw new Error(`no form at ${path}`);
    return form.fields;
  };

  /** The whole way from a page of the console. */
  async function enter(page: string): Promise<{ answer: Response; cookies: Map<string, string> }> {
    const cookies = new Map<string, string>();
    const take = (answer: Response): void => {
      for (const each of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
        cookies.set(name, value);
        if (value !== "") neverLogged(value);
      }
    };
    const form = await formAt(cookies, page, "/inbox/issuer");
    form.set("issuer", "office");
    const left = await send(cookies, "/inbox/issuer", form);
    take(left);
    const back = visit(new URL((left.headers.get("Refresh") ?? "").slice("0; url=".length)));
    const answer = await send(cookies, back.pathname, await formAt(cookies, back.pathname + back.search, "/inbox/issuer/return"));
    take(answer);
    return { answer, cookies };
  }

  test("and is at the console with their role, and in their inbox, by one sign-in", async () => {
    const { answer, cookies } = await enter("/console/stops");
    const to = new URL(answer.headers.get("Location") ?? "", publicUrl);
    expect([answer.status, to.pathname.replace(/~[\w-]+/, "~")]).toEqual([303, "/console/~/stops"]);
    const shown = await send(cookies, to.pathname);
    expect([shown.status, (await shown.text()).includes(addresses.Ada)]).toEqual([200, true]);
    expect(cookies.has("countersign-session")).toBe(true);
    const form = await formAt(cookies, to.pathname, to.pathname);
    for (const [name, value] of Object.entries({ kind: "servers", name: "notes" })) form.set(name, value);
    expect((await send(cookies, to.pathname, form)).status).toBe(303);
    const stopped = await eventually("the event", async () => (await recordLines()).find(({ fact }) => fact.kind === "stopped"));
    expect(stopped.fact).toMatchObject({ by: { kind: "issuer", issuer: "office", email: addresses.Ada } });
    // Whoever may decide changes no document, and the issuer that is gone vouches for nobody.
    expect(await (await send(cookies, to.pathname.replace("stops", "documents/policy"))).text()).not.toContain('value="save"');
    await configure("issuers", { issuers: {} });
    expect((await send(cookies, to.pathname)).status).toBe(401);
  });

  test("who reviews nothing is at the console alone; a reviewer who is none is not there", async () => {
    claims = { email: "ops@example.org" };
    const operator = await enter("/console");
    expect([operator.answer.status, operator.cookies.has("countersign-session")]).toEqual([303, false]);
    claims = { email: addresses.Grace };
    const reviewer = await enter("/console");
    expect([reviewer.answer.status, reviewer.answer.headers.getSetCookie()]).toEqual([403, []]);
    expect(await reviewer.answer.text()).toContain("no verified email address of an operator");
  });

  test("an address at a domain that is not the issuer's is no operator's either", async () => {
    await configure("issuers", { issuers: { office: entry({ signIn: { clientId, domains: ["other.example"] } }) } });
    const { answer } = await enter("/console");
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
  });
});

describe("by what an address counts as the person's", () => {
  const enterBy = async (signIn: object, of: Record<string, unknown>): Promise<{ status: number; said: string }> => {
    await configure("issuers", { issuers: { office: entry({ signIn: { clientId, ...signIn } }) } });
    claims = of;
    const answer = await comeBack(visit((await begin()).to));
    return { status: answer.status, said: await answer.text() };
  };
  const own = { emailVerified: "issuer", domains: ["example.org"] };

  test.each<[string, object, Record<string, unknown>]>([
    ["Entra's own claim", { emailVerified: "xms_edov" }, { email_verified: undefined, xms_edov: true }],
    ["the same as a text", { emailVerified: "xms_edov" }, { email_verified: undefined, xms_edov: "1" }],
    ["the issuer's word alone", own, { email_verified: undefined }],
    ["the claim, at its domain in any case", { domains: ["other.example", "example.org"] }, { email: "ADA@EXAMPLE.ORG" }],
  ])("%s", async (_, signIn, of) => {
    expect((await enterBy(signIn, of)).status).toBe(303);
  });

  test.each<[string, object, Record<string, unknown>]>([
    ["Entra's claim, which is false", { emailVerified: "xms_edov" }, { email_verified: true, xms_edov: false }],
    ["Entra's claim, which is missing", { emailVerified: "xms_edov" }, { email_verified: true }],
    ["Entra's claim, where the entry does not ask for it", {}, { email_verified: undefined, xms_edov: true }],
    ["the issuer's word, which denies it", own, { email_verified: false }],
  ])("not: %s", async (_, signIn, of) => {
    const { status, said } = await enterBy(signIn, of);
    expect([status, said.includes("no verified email address of a reviewer")]).toEqual([403, true]);
  });

  test.each(["example.com", "sub.example.org", "ample.org", "example.org.evil.example"])(
    "not at another domain: the entry is for %s",
    async (domain) => {
      const { status, said } = await enterBy({ domains: [domain] }, {});
      expect([status, said.includes("signs nobody in with an address at this domain")]).toEqual([403, true]);
      expect(await isSignedIn()).toBe(false);
    },
  );
});

describe("nobody is signed in", () => {
  const refused: readonly (readonly [string, () => void | Promise<void>])[] = [
    ["for another sign-in's nonce", () => void (claims = { nonce: "another" })],
    ["without a nonce", () => void (claims = { nonce: undefined })],
    ["of another issuer", () => void (claims = { iss: "https://evil.example.com" })],
    ["for another client", () => void (claims = { aud: "another" })],
    ["for the audience of the control endpoint", () => void (claims = { aud: "countersign" })],
    ["for several clients, of which another is the party", () => void (claims = { aud: [clientId, "another"], azp: "another" })],
    ["for several clients without a party", () => void (claims = { aud: [clientId, "another"] })],
    ["that is over", () => void (claims = { iat: nowSeconds() - 900, exp: nowSeconds() - 600 })],
    ["with an address that is not verified", () => void (claims = { email_verified: false })],
    ["with an address of which it says nothing", () => void (claims = { email_verified: undefined })],
    ["with an address that is verified as text alone", () => void (claims = { email_verified: "true" })],
    ["without an address", () => void (claims = { email: undefined })],
    ["of nobody in the policy", () => void (claims = { email: "mallory@example.org" })],
    ["that another key signed", () => void (sign = (payload) => tokenBy(strange, payload))],
    ["that nobody signed", () => void (sign = async (payload) => madeUp({ alg: "none" }, payload, ""))],
    ["with another algorithm", async () => void (sign = async (payload) => tokenBy(await signingPair("PS256", "k1"), payload))],
  ];
  test.each(refused)("by an ID token %s", async (_, make) => {
    await make();
    const answer = await comeBack(visit((await begin()).to));
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
    expect(await answer.text()).toContain("no verified email address of a reviewer");
    expect(await isSignedIn()).toBe(false);
  });

  test("in another browser than the one that began, and the first still is", async () => {
    const back = visit((await begin()).to);
    for (const other of [new InboxBrowser(), new InboxBrowser()]) {
      await begin(other);
      expect([(await comeBack(back, other)).status, await isSignedIn(other)]).toEqual([410, false]);
    }
    expect([(await comeBack(back, new InboxBrowser())).status, asked.length]).toEqual([410, 0]);
    expect((await comeBack(back)).status).toBe(303);
  });

  test("by the code of another sign-in, whose verifier this one has not", async () => {
    const stolen = visit((await begin(new InboxBrowser())).to).searchParams.get("code") ?? "";
    const back = visit((await begin()).to);
    back.searchParams.set("code", stolen);
    expect([(await comeBack(back)).status, await isSignedIn()]).toEqual([403, false]);
  });

  test("twice by one state, nor after ten minutes, nor after the entry has changed", async () => {
    const back = visit((await begin()).to);
    const kept = browser.cookies.get("countersign-issuer") ?? "";
    expect((await comeBack(back)).status).toBe(303);
    for (const cookie of ["", kept]) {
      browser.cookies.set("countersign-issuer", cookie);
      expect((await comeBack(back)).status).toBe(410);
    }
    expect(asked).toHaveLength(1);
    const late = new InboxBrowser();
    const tooLate = visit((await begin(late)).to);
    travel(10 * minute);
    expect((await comeBack(tooLate, late)).status).toBe(410);
    const changed = new InboxBrowser();
    const other = visit((await begin(changed)).to);
    await configure("issuers", { issuers: { office: entry({ signIn: { clientId: "another" } }) } });
    expect((await comeBack(other, changed)).status).toBe(410);
  });

  test("by the answer of another issuer: its code is sent nowhere (mix-up)", async () => {
    for (const iss of ["https://evil.example.com", null]) {
      const back = visit((await begin()).to);
      if (iss === null) back.searchParams.delete("iss");
      else back.searchParams.set("iss", iss);
      expect((await comeBack(back)).status).toBe(403);
    }
    expect([asked.length, await isSignedIn()]).toEqual([0, false]);
  });

  test("by a form of another site or of another page", async () => {
    const back = visit((await begin()).to);
    for (const headers of [{ Origin: "https://evil.example" }, { Origin: publicUrl, "Sec-Fetch-Site": "cross-site" }])
      expect((await comeBack(back, browser, headers)).status).toBe(403);
    const form = await browser.form(`/inbox/issuer/return${back.search}`);
    form.set("nonce", (await browser.form("/inbox/issuer/return?state=other")).get("nonce") ?? "");
    expect((await browser.post("/inbox/issuer/return", form)).status).toBe(403);
    expect(asked).toEqual([]);
  });

  test("where the person says no there, and the page offers to begin again", async () => {
    const back = visit((await begin()).to);
    back.searchParams.delete("code");
    back.searchParams.set("error", "access_denied");
    const answer = await comeBack(back);
    expect([answer.status, (await answer.text()).includes('name="issuer"')]).toEqual([403, true]);
  });

  test.each([
    ["names another issuer", { issuer: "https://evil.example.com" }, 403],
    ["leads inward", { authorization_endpoint: "https://127.0.0.1/authorize" }, 502],
    ["has its tokens inward", { token_endpoint: "https://10.0.0.1/token" }, 502],
    ["leads over plain http", { authorization_endpoint: "http://login.example.com/authorize" }, 502],
    ["leads to a script", { authorization_endpoint: "javascript:alert(1)" }, 502],
    ["knows no PKCE", { code_challenge_methods_supported: ["plain"] }, 502],
  ])("where an issuer's configuration %s", async (_, more, status) => {
    metadata = more;
    const left = await begin();
    expect([left.status, left.to]).toEqual([status, null]);
  });

  test("at an issuer that is only for the control endpoint", async () => {
    await configure("issuers", { issuers: { office: entry(), control: entry({ issuer: "https://idp.example.com", signIn: undefined }) } });
    expect(await browser.text("/inbox")).not.toMatch(/value="control"/);
    for (const issuer of ["control", "constructor", ""]) expect((await begin(browser, { issuer })).status).toBe(404);
    expect((await gateway("/inbox/issuer", { key: null })).status).toBe(405);
  });
});
