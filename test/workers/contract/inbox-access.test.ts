// The inbox signed in by Cloudflare Access: whose token counts, and whose does not.

import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { reviewKey } from "../../../shared/review/inbox.ts";
import type { Env } from "../../../workers/platform/env.ts";
import { recordOf } from "../objects/inside.ts";
import { configure, eventually, gatewayWith, policy, publicUrl, travel } from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox, readFor, waits } from "../support/inbox.ts";
import { readForm } from "../../../scripts/page-form.ts";
import { type SigningPair, hidden, madeUp, nowSeconds, signingPair, tokenBy } from "../support/issuer.ts";
import { answerAt } from "../support/provider.ts";

const team = "https://team.cloudflareaccess.com";
const audience = "aud-of-the-inbox";
const variables: Partial<Env> = { ACCESS_TEAM_DOMAIN: "team.cloudflareaccess.com", ACCESS_AUD: audience };

let pair: SigningPair;
let fetched: string[];

beforeAll(async () => {
  pair = await signingPair("RS256", "k1");
});

beforeEach(async () => {
  await configureInbox();
  fetched = [];
  answerAt(team, (request) => {
    fetched.push(new URL(request.url).pathname);
    return Response.json({ keys: [pair.jwk] });
  });
});

const claims = (more: object = {}): Record<string, unknown> => ({
  iss: team,
  aud: [audience],
  sub: "user-1",
  email: addresses.Ada,
  iat: nowSeconds(),
  exp: nowSeconds() + 3_600,
  ...more,
});

const asAccess = (path: string, token: string | null, init: RequestInit = {}, also: Partial<Env> = variables): Promise<Response> =>
  gatewayWith(also, path, {
    key: null,
    ...init,
    headers: { ...(token === null ? {} : { "Cf-Access-Jwt-Assertion": token }), ...(init.headers as Record<string, string> | undefined) },
  });

const isSignedIn = async (answer: Response | Promise<Response>): Promise<boolean> => (await (await answer).text()).includes("for you</h1>");

describe("a token of Cloudflare Access", () => {
  test("signs its reviewer in, by the team's own keys, without a cookie, and decides as they would", async () => {
    const token = await tokenBy(pair, claims());
    const run = await waits();
    const home = await asAccess("/inbox", token);
    expect(home.headers.getSetCookie()).toEqual([]);
    expect(await isSignedIn(home)).toBe(true);
    expect(fetched).toEqual(["/cdn-cgi/access/certs"]);
    const path = `/inbox/reviews/request/${run}`;
    const form = readForm(await (await asAccess(path, token)).text(), publicUrl);
    if (form === null) throw new Error("no form");
    form.fields.set("act", "deny");
    readFor();
    const post = (headers: Record<string, string>): Promise<Response> =>
      asAccess(path, token, {
        method: "POST",
        body: form.fields.toString(),
        headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      });
    expect((await post({ "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect((await post({ Origin: publicUrl })).status).toBe(303);
    expect((await recordOf(run)).find(({ fact }) => fact.kind === "denied")?.fact).toMatchObject({ known: { how: "access" } });
    await eventually("the empty inbox", async () => !(await (await asAccess("/inbox", token)).text()).includes(reviewKey(run, "request")));
  });

  test("has forms of its own: another reader's is no good with it", async () => {
    const both = [
      { name: "Ada", email: addresses.Ada },
      { name: "Grace", email: addresses.Grace },
    ];
    await configureInbox({}, both);
    const [hers, other] = [await tokenBy(pair, claims()), await tokenBy(pair, claims({ email: addresses.Grace }))];
    const path = `/inbox/reviews/request/${await waits()}`;
    const form = readForm(await (await asAccess(path, other)).text(), publicUrl);
    form?.fields.set("act", "deny");
    readFor();
    const headers = { "Content-Type": "application/x-www-form-urlencoded", Origin: publicUrl };
    const post = (token: string) => asAccess(path, token, { method: "POST", headers, body: String(form?.fields) });
    expect((await post(hers)).status).toBe(403);
    expect((await post(other)).status).toBe(303);
  });

  test("takes the address in any case, and says to whom it is no reviewer's", async () => {
    expect(await isSignedIn(asAccess("/inbox", await tokenBy(pair, claims({ email: "ADA@example.org" }))))).toBe(true);
    const stranger = await (await asAccess("/inbox", await tokenBy(pair, claims({ email: "nobody@example.org" })))).text();
    expect(stranger).toContain("your address is no reviewer");
  });

  const refused: readonly [string, () => Promise<string>][] = [
    ["for another audience", () => tokenBy(pair, claims({ aud: ["another application"] }))],
    ["of another team", () => tokenBy(pair, claims({ iss: "https://evil.cloudflareaccess.com" }))],
    ["that has expired", () => tokenBy(pair, claims({ exp: nowSeconds() - 60 }))],
    ["without an end", () => tokenBy(pair, claims({ exp: undefined }))],
    ["that is not good yet", () => tokenBy(pair, claims({ nbf: nowSeconds() + 600 }))],
    ["without an email address, as a service token's", () => tokenBy(pair, claims({ email: undefined, common_name: "service" }))],
    ["with a list for an address", () => tokenBy(pair, claims({ email: [addresses.Ada] }))],
    ["with another key's signature", async () => tokenBy({ ...(await signingPair("RS256", "k1")), jwk: pair.jwk }, claims())],
    ["by another algorithm", async () => tokenBy({ ...(await signingPair("PS256", "k1")), jwk: pair.jwk }, claims())],
    ["without a signature", async () => hidden(madeUp({ alg: "none" }, claims(), ""))],
    ["that is none", async () => "x.y.z"],
  ];

  test.each(refused)("%s signs nobody in", async (_, make) => {
    expect(await isSignedIn(asAccess("/inbox", await make()))).toBe(false);
  });

  test("signs nobody in where Access is not set up, or not wholly", async () => {
    const token = await tokenBy(pair, claims());
    for (const also of [
      {},
      { ACCESS_AUD: audience },
      { ACCESS_TEAM_DOMAIN: "team.cloudflareaccess.com" },
      { ...variables, ACCESS_TEAM_DOMAIN: "http://team.cloudflareaccess.com" },
    ])
      expect(await isSignedIn(asAccess("/inbox", token, {}, also))).toBe(false);
  });

  test("signs nobody in while the team's keys cannot be had", async () => {
    answerAt(team, () => new Response(null, { status: 500 }));
    expect(await isSignedIn(asAccess("/inbox", await tokenBy(pair, claims()), {}, { ...variables }))).toBe(false);
  });

  test("of somebody who leaves the policy opens nothing more", async () => {
    const token = await tokenBy(pair, claims());
    expect(await isSignedIn(asAccess("/inbox", token))).toBe(true);
    await configure("policy", { ...policy, reviewers: { everyone: [{ name: "Grace", email: addresses.Grace }] } });
    expect(await isSignedIn(asAccess("/inbox", token))).toBe(false);
  });

  test("leaves the session of a browser as it is", async () => {
    const browser = new InboxBrowser();
    await browser.signIn(addresses.Ada);
    travel(1_000);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const stranger = await tokenBy(pair, claims({ email: "nobody@example.org" }));
    expect(await isSignedIn(asAccess(browser.home, stranger, { headers: { Cookie: cookie } }))).toBe(true);
  });
});
