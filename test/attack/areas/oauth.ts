// OAuth in front of the relay: somebody who wants a code, a token or a person's Allow that is not
// theirs. Each attack says for which paragraph of RFC 9700 or of MCP's it stands.

import { createHash } from "node:crypto";
import { expect } from "vitest";
import { InboxPerson, leadsTo } from "../../outside/support/inbox-person.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { signedIn } from "../people.ts";
import type { Answer, World } from "../world.ts";

const callback = "https://client.example/callback";
const evil = "evil.example.net";
const verifier = "verifier-of-the-attacks-0123456789-0123456789-0123456789";
const challengeOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

type Tokens = { readonly access_token: string; readonly refresh_token: string; readonly scope: string };
type Fields = Readonly<Record<string, string>>;

async function register(world: World, more: object = {}): Promise<string> {
  const body = { client_name: "Attacked", redirect_uris: [callback], token_endpoint_auth_method: "none", ...more };
  const answer = await world.ask("/oauth/register", { key: null, body });
  if (answer.status !== 201) throw new Error(`register: ${answer.status} ${answer.text}`);
  return (answer.json as { readonly client_id: string }).client_id; // RFC 7591
}

const queryOf = (world: World, client: string, more: Fields = {}): string =>
  new URLSearchParams({
    response_type: "code",
    client_id: client,
    redirect_uri: callback,
    state: "state-1",
    scope: "mcp:use",
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
    resource: `${world.url}/mcp/notes`,
    ...more,
  }).toString();

const token = (world: World, fields: Fields): Promise<Answer> =>
  world.ask("/oauth/token", { key: null, body: new URLSearchParams(fields) });

const trade = (world: World, client: string, code: string, more: Fields = {}): Promise<Answer> =>
  token(world, { grant_type: "authorization_code", client_id: client, redirect_uri: callback, code, code_verifier: verifier, ...more });

const refresh = (world: World, client: string, { refresh_token }: Tokens, more: Fields = {}): Promise<Answer> =>
  token(world, { grant_type: "refresh_token", client_id: client, refresh_token, ...more });

const tokensOf = ({ status, text, json }: Answer): Tokens => {
  if (status !== 200) throw new Error(`tokens: ${status} ${text}`);
  return json as Tokens; // RFC 6749 section 5.1
};

async function codeOf(world: World, query: string, by?: InboxPerson): Promise<string> {
  const ada = by ?? (await signedIn(world));
  return (await ada.allow(new URL(`${world.url}/oauth/authorize?${query}`))).searchParams.get("code") ?? "";
}

/** A client that Ada let in to `notes`. */
async function connected(world: World): Promise<{ client: string; tokens: Tokens }> {
  const client = await register(world);
  return { client, tokens: tokensOf(await trade(world, client, await codeOf(world, queryOf(world, client)))) };
}

async function statusAt(world: World, server: string, key: string): Promise<number> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "attacker", version: "1" } };
  const body = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  return (await world.ask(`/mcp/${server}`, { key, headers: { Accept: "application/json, text/event-stream" }, body })).status;
}

/** The page that asks was not shown, and nothing leads to the attacker. */
async function mustStay(world: World, query: string): Promise<void> {
  const answer = await (await signedIn(world)).send(`/inbox/connect?${query}`);
  const html = await answer.text();
  expect(answer.status, "the status").toBe(400);
  expect([answer.headers.get("Refresh"), answer.headers.get("Location")], "where the browser goes").toEqual([null, null]);
  expect(html, "the page").not.toContain(evil);
  expect(html, "the page").not.toContain('value="allow"');
}

/** The link of a page that goes nowhere by itself. */
const linkIn = (html: string): URL => new URL((/<a href="(https:[^"]*)" rel="noreferrer"/.exec(html)?.[1] ?? "").replaceAll("&amp;", "&"));

const redirects = eachOf(
  [
    ["another host", `https://${evil}/callback`],
    ["a host that begins as the client's", `https://client.example.${evil}/callback`],
    ["the client's host as a user name", `https://client.example@${evil}/callback`],
    ["a path that leads out of the client's", "https://client.example/callback/../open?to=evil"],
    ["a path that begins as the client's", "https://client.example/callback2"],
    ["a query of its own", `${callback}?next=https://${evil}`],
    ["a fragment", `${callback}#https://${evil}`],
    ["another scheme", "http://client.example/callback"],
    ["another port", "https://client.example:8443/callback"],
    ["letters in another case", "https://client.example/CALLBACK"],
    ["a script", "javascript:alert(1)//client.example/callback"],
    ["data", "data:text/html,<script>alert(1)</script>"],
    ["an encoded slash", "https://client.example%2f.evil.example.net/callback"],
    ["white space behind it", `${callback} `],
    ["nothing", ""],
  ] as const,
  ([what, to]) => ({
    name: `a redirect URI with ${what} leads nowhere (RFC 9700, 4.1)`,
    run: async (world) => mustStay(world, queryOf(world, await register(world), { redirect_uri: to })),
  }),
);

const inward = eachOf(
  [
    "https://127.0.0.1/client.json",
    "https://[::1]/client.json",
    "https://localhost/client.json",
    "https://169.254.169.254/latest/meta-data",
    "https://10.0.0.1/client.json",
    "https://0x7f000001/client.json",
    "https://user:pass@127.0.0.1/client.json",
    "https://127.0.0.1/a/../client.json",
    "http://127.0.0.1/client.json",
    "file:///etc/passwd",
  ],
  (address) => ({
    name: `a client whose metadata are at ${address.replace(/^\w+:\/\//, "")} (${address.split(":")[0]}) is not read`,
    run: async (world) => {
      const { port } = new URL(world.trap.url);
      const led = /^https?:\/\/[^/]*(?:127\.0\.0\.1|localhost|::1\])/.test(address) ? new URL(address) : null;
      if (led !== null) led.port = port;
      await mustStay(world, queryOf(world, led?.href ?? address));
    },
  }),
);

const others: readonly Attack[] = [
  {
    name: "the authorization endpoint leads to our own page alone, whatever it is asked (open redirect, 4.11)",
    run: async (world) => {
      for (const query of [`redirect_uri=https://${evil}`, `client_id=https://${evil}/x`, `//${evil}`, `to=https://${evil}&Location=x`]) {
        const { status, headers } = await world.ask(`/oauth/authorize?${query}`, { key: null });
        expect(status, "the status").toBe(303);
        const to = new URL(headers.get("Location") ?? "");
        expect([to.origin, to.pathname], "where it leads").toEqual([world.url, "/inbox/connect"]);
      }
    },
  },
  {
    name: "an error of a client that anybody registered leads no browser to that client (open redirect, 4.11.2)",
    run: async (world) => {
      const to = `https://${evil}/callback`;
      const client = await register(world, { redirect_uris: [to] });
      for (const more of [{ resource: "https://elsewhere.example/mcp" }, { code_challenge_method: "plain" }, { response_type: "token" }]) {
        const answer = await (await signedIn(world)).send(`/inbox/connect?${queryOf(world, client, { redirect_uri: to, ...more })}`);
        expect([answer.status, answer.headers.get("Refresh"), answer.headers.get("Location")], "where it leads").toEqual([400, null, null]);
      }
    },
  },
  {
    name: "a redirect URI given twice never leads to the second",
    run: async (world) => {
      const query = `${queryOf(world, await register(world))}&redirect_uri=${encodeURIComponent(`https://${evil}/callback`)}`;
      const ada = await signedIn(world);
      const answer = await ada.post(
        `/inbox/connect?${query}`,
        new URLSearchParams({ ...Object.fromEntries(await ada.form(`/inbox/connect?${query}`)), act: "cancel" }),
      );
      expect(leadsTo(answer).origin, "where the browser goes").toBe("https://client.example");
    },
  },
  {
    name: "a code is nothing to another client, nor without the verifier of its request (code injection, 4.5)",
    run: async (world) => {
      const [client, attacker] = [await register(world), await register(world)];
      const code = await codeOf(world, queryOf(world, client));
      expect((await trade(world, attacker, code)).status, "another client").toBe(400);
      expect((await trade(world, client, code, { code_verifier: `${verifier}x` })).status, "another verifier").toBe(400);
      expect((await trade(world, client, code, { code_verifier: challengeOf(verifier) })).status, "the challenge itself").toBe(400);
      expect((await trade(world, client, code, { redirect_uri: "https://client.example/other" })).status, "another address").toBe(400);
    },
  },
  {
    name: "a request without PKCE, or with a challenge that is its own verifier, asks nobody (downgrade, 4.8.2)",
    run: async (world) => {
      const open = await register(world);
      const ada = await signedIn(world);
      const secret = await register(world, { token_endpoint_auth_method: "client_secret_post" });
      const without = { code_challenge: "", code_challenge_method: "" };
      for (const [client, more] of [
        [open, without],
        [open, { code_challenge_method: "plain" }],
        [secret, without],
      ] as const) {
        const answer = await ada.send(`/inbox/connect?${queryOf(world, client, more)}`);
        const html = await answer.text();
        expect(linkIn(html).searchParams.has("error"), "it is an error").toBe(true);
        expect(html, "the page").not.toContain('value="allow"');
      }
    },
  },
  {
    name: "every answer says which server it is of, errors too (mix-up, 4.4)",
    run: async (world) => {
      const metadata = (await world.ask("/.well-known/oauth-authorization-server", { key: null })).json as Fields; // RFC 8414
      expect(metadata["issuer"], "the issuer").toBe(world.url);
      const client = await register(world);
      const ada = await signedIn(world);
      const allowed = await ada.allow(new URL(`${world.url}/oauth/authorize?${queryOf(world, client)}`));
      const answer = await ada.send(`/inbox/connect?${queryOf(world, client, { resource: "https://elsewhere.example/mcp" })}`);
      const refused = linkIn(await answer.text());
      expect([allowed.searchParams.get("iss"), refused.searchParams.get("iss")], "iss").toEqual([world.url, world.url]);
    },
  },
  {
    name: "a page of another site allows nothing with the person's own browser, and neither does a GET (CSRF, 4.7)",
    run: async (world) => {
      const client = await register(world);
      const query = queryOf(world, client);
      const ada = await signedIn(world);
      const form = await ada.form(`/inbox/connect?${query}`);
      form.set("act", "allow");
      const before = (await world.admin("/keys")).text;
      for (const headers of [
        { Origin: `https://${evil}` },
        { "Sec-Fetch-Site": "cross-site" },
        { "Sec-Fetch-Site": "same-site" },
        { Origin: "null" },
      ])
        expect((await ada.post(`/inbox/connect?${query}`, form, headers)).status, "the status").toBe(403);
      expect((await ada.post(`/inbox/connect?${query}`, new URLSearchParams({ act: "allow" }))).status, "without a nonce").toBe(403);
      await ada.send(`/inbox/connect?${query}&act=allow&nonce=${form.get("nonce") ?? ""}`);
      expect((await world.admin("/keys")).text, "the keys").toBe(before);
    },
  },
  {
    name: "one client's consent is not another's, nor for another address, state or server (confused deputy)",
    run: async (world) => {
      const [client, attacker] = [await register(world), await register(world, { redirect_uris: [`https://${evil}/callback`] })];
      const ada = await signedIn(world);
      const form = await ada.form(`/inbox/connect?${queryOf(world, client)}`);
      form.set("act", "allow");
      for (const query of [
        queryOf(world, attacker, { redirect_uri: `https://${evil}/callback` }),
        queryOf(world, client, { state: "state-2" }),
        queryOf(world, client, { resource: `${world.url}/mcp/modern` }),
        queryOf(world, client, { code_challenge: challengeOf("the attacker's own") }),
      ])
        expect((await ada.post(`/inbox/connect?${query}`, form)).status, "the status").toBe(403);
    },
  },
  {
    name: "a reviewer who is signed in elsewhere, or nowhere, allows nothing in another's name",
    run: async (world) => {
      const query = queryOf(world, await register(world));
      const form = await (await signedIn(world)).form(`/inbox/connect?${query}`);
      form.set("act", "allow");
      const before = (await world.admin("/keys")).text;
      const ben = await signedIn(world, "ben@example.org");
      expect((await ben.post(`/inbox/connect?${query}`, form)).status, "Ben's browser").toBe(403);
      expect((await new InboxPerson(world.url).post(`/inbox/connect?${query}`, form)).status, "nobody's browser").toBe(403);
      const closed = await ben.send(`/inbox/connect?${queryOf(world, await register(world), { resource: `${world.url}/mcp/modern` })}`);
      expect(closed.status, "a server that is not Ben's").toBe(403);
      expect((await world.admin("/keys")).text, "the keys").toBe(before);
    },
  },
  {
    name: "the page that asks stands in no frame (clickjacking, 4.16)",
    run: async (world) => {
      const { headers } = await (await signedIn(world)).send(`/inbox/connect?${queryOf(world, await register(world))}`);
      expect(headers.get("Content-Security-Policy") ?? "", "the policy").toContain("frame-ancestors 'none'");
    },
  },
  {
    name: "what a client calls itself is text on the page, and never its checked name",
    run: async (world) => {
      const client = await register(world, { client_name: '<script>x</script> verified: "claude.ai"', client_uri: "https://claude.ai" });
      const html = await (await (await signedIn(world)).send(`/inbox/connect?${queryOf(world, client)}`)).text();
      expect(html, "the page").not.toContain("<script>x");
      expect(html, "the page").toContain("registered itself");
    },
  },
  {
    name: "a token of one server opens no other, and is not refreshed for one",
    run: async (world) => {
      const { client, tokens } = await connected(world);
      expect(await statusAt(world, "notes", tokens.access_token), "its own server").toBe(200);
      expect(await statusAt(world, "modern", tokens.access_token), "another server").toBe(401);
      const elsewhere = await refresh(world, client, tokens, { resource: `${world.url}/mcp/modern` });
      expect(elsewhere.status, "refreshed for another server").toBe(400);
    },
  },
  {
    name: "a token has the one scope, whatever was asked, and is no credential at any other endpoint",
    run: async (world) => {
      const client = await register(world);
      const query = queryOf(world, client, { scope: "mcp:use review:decide admin" });
      const tokens = tokensOf(await trade(world, client, await codeOf(world, query)));
      expect(tokens.scope, "the scope").toBe("mcp:use");
      for (const [method, path] of [
        ["POST", "/sampling"],
        ["POST", "/control"],
        ["POST", "/tokens"],
        ["POST", "/approvals"],
        ["GET", "/v1/models"],
        ["GET", "/admin/keys"],
      ] as const)
        expect((await world.ask(path, { method, key: tokens.access_token, ...(method === "POST" ? { body: {} } : {}) })).status, path).toBe(
          401,
        );
    },
  },
  {
    name: "a stolen refresh token ends what came of it once both hands have used it (RFC 9700, 4.14)",
    run: async (world) => {
      const { client, tokens } = await connected(world);
      const thief = tokensOf(await refresh(world, client, tokens, { scope: "mcp:use" }));
      const owner = tokensOf(await refresh(world, client, tokens));
      expect((await refresh(world, client, thief)).status, "the older hand").toBe(400);
      expect((await refresh(world, client, owner)).status, "the other").toBe(400);
      for (const each of [tokens, thief, owner]) expect(await statusAt(world, "notes", each.access_token), "an access token").toBe(401);
    },
  },
  {
    name: "a refresh token is nothing to another client, and ends nothing there",
    run: async (world) => {
      const { client, tokens } = await connected(world);
      expect((await refresh(world, await register(world), tokens)).status, "another client").toBe(400);
      expect((await refresh(world, client, tokens)).status, "its own").toBe(200);
    },
  },
  {
    name: "a thousand registrations in a minute leave clients alone that a person let in, and those that come",
    run: async (world) => {
      const { client, tokens } = await connected(world);
      let latest = tokens;
      for (let round = 0; round < 20; round += 1) {
        const flood = Array.from({ length: 50 }, (_, at) =>
          world.ask("/oauth/register", {
            key: null,
            headers: { "CF-Connecting-IP": `198.51.${round}.${at}` },
            body: { client_name: "flood", redirect_uris: [callback] },
          }),
        );
        expect(await statusAt(world, "notes", latest.access_token), "its calls").toBe(200);
        if (round % 5 === 0) latest = tokensOf(await refresh(world, client, latest));
        for (const { status } of await Promise.all(flood)) expect(status, "a registration").toBe(201);
      }
      const newcomer = await connected(world);
      expect(await statusAt(world, "notes", newcomer.tokens.access_token), "a newcomer's calls").toBe(200);
    },
  },
];

export const oauth: Area = {
  name: "oauth",
  about: "OAuth in front of the relay: codes, tokens and consent of others, forged addresses, floods, metadata inside",
  attacks: [...redirects, ...inward, ...others],
};
