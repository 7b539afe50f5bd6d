// Clients of the relay that name themselves by the address of a metadata document: which documents
// are believed, and what becomes of a connection whose document is gone.

import { createHash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { documentRedirect, evilRedirect } from "../../support/client-documents.ts";
import { gateway, publicUrl } from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox } from "../support/inbox.ts";
import { RelayClient, configureServers, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";

const verifier = "verifier-of-the-tests-0123456789-0123456789-0123456789";
const challenge = createHash("sha256").update(verifier).digest("base64url");
const host = "https://client.example.com";

let browser: InboxBrowser;
beforeEach(async () => {
  scriptUpstream();
  await configureInbox({}, [{ name: "Ada", email: addresses.Ada }]);
  await configureServers({ notes: { url: `${upstreamOrigin}/mcp`, connections: { reviewers: ["everyone"] } } });
  browser = new InboxBrowser();
  await browser.signIn(addresses.Ada);
});

const queryFor = (client: string, redirect: string): string =>
  new URLSearchParams({
    response_type: "code",
    client_id: client,
    redirect_uri: redirect,
    state: "state-1",
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: `${publicUrl}/mcp/notes`,
  }).toString();

async function pageFor(client: string, redirect = documentRedirect): Promise<{ status: number; html: string; leads: string | null }> {
  const answer = await browser.get(`/inbox/connect?${queryFor(client, redirect)}`);
  return { status: answer.status, html: await answer.text(), leads: answer.headers.get("Refresh") };
}

async function token(fields: Readonly<Record<string, string>>) {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  return gateway("/oauth/token", { key: null, method: "POST", body: new URLSearchParams(fields).toString(), headers });
}

test.each(["client.json", "special.json"])("the page names the host of a document, that it is checked: %s", async (path) => {
  const { status, html } = await pageFor(`${host}/${path}`);
  expect(status).toBe(200);
  expect(html).toMatch(/Claude<.*client\.example\.com/s);
  expect(html).not.toContain("registered itself");
  expect((await pageFor(`${host}/${path}`, evilRedirect)).status).toBe(400);
});

test("with its port, where it has one, and where the access goes, where that is another host", async () => {
  expect((await pageFor(`${host}:8443/client.json`)).html).toContain("client.example.com:8443");
  const { html } = await pageFor(`${host}/elsewhere.json`, evilRedirect);
  expect([html.includes("client.example.com"), html.includes("evil.example.net")]).toEqual([true, true]);
});

test("a client of a document is let in, uses its server, and is refreshed", async () => {
  const { access_token, refresh } = await connect(`${host}/client.json?of=connected`);
  expect((await new RelayClient("notes", { key: access_token }).connect({})).status).toBe(200);
  expect((await refresh()).status).toBe(200);
  expect(await browser.text("/inbox/connections")).toContain("client.example.com");
});

/** Lets a client in by its document. */
async function connect(client: string): Promise<{ access_token: string; refresh: () => Promise<Response> }> {
  const query = queryFor(client, documentRedirect);
  const form = await browser.form(`/inbox/connect?${query}`);
  form.set("act", "allow");
  const answer = await browser.post(`/inbox/connect?${query}`, form);
  const code = new URL((answer.headers.get("Refresh") ?? "").slice("0; url=".length)).searchParams.get("code") ?? "";
  const own = { client_id: client, redirect_uri: documentRedirect, code_verifier: verifier };
  const tokens = await (
    await token({ grant_type: "authorization_code", code, ...own })
  ).json<{ access_token: string; refresh_token: string }>();
  return {
    access_token: tokens.access_token,
    refresh: () => token({ grant_type: "refresh_token", client_id: client, refresh_token: tokens.refresh_token }),
  };
}

// Draft-ietf-oauth-client-id-metadata-document, 5 and 8. The first five vouch for an attacker.
test.each([
  ["that a redirect of the host leads to", "/open-redirect"],
  ["of a host that serves what is left there, as text", "/upload.txt"],
  ["as a page", "/page.html"],
  ["of no type", "/untyped"],
  ["with another status than 200", "/made.json"],
  ["inside, where a redirect leads to", "/inward"],
  ["that is too large", "/large.json"],
  ["of another client", "/other-id.json"],
  ["that is no JSON", "/not-json.json"],
  ["with a secret", "/secret.json"],
  ["of a client with a shared secret", "/shared-secret.json"],
  ["without a redirect URI", "/no-redirects.json"],
  ["whose redirect URI is a script", "/script.json"],
  ["that is not there", "/none.json"],
])("a document %s is not believed, and the browser stays", async (_, path) => {
  for (const redirect of [documentRedirect, evilRedirect, "javascript:alert(1)"]) {
    const { status, html, leads } = await pageFor(`${host}${path}`, redirect);
    expect([status, leads]).toEqual([400, null]);
    expect(html).toContain("metadata document cannot be read");
  }
});

test.each(["10.0.0.1", "127.0.0.1", "[fd00::1]", "169.254.169.254", "0x7f.1", "localhost", "intranet", "db.internal", "wiki.corp"])(
  "a document inside is not read: %s",
  async (inside) => {
    expect(await pageFor(`https://${inside}/client.json`)).toMatchObject({ status: 400, leads: null });
  },
);

test("a document is read again, or kept as long as its host says", async () => {
  const readOf = async (path: string): Promise<number> => Number(/Read (\d+)/.exec((await pageFor(`${host}${path}`)).html)?.[1]);
  expect(await readOf("/counted.json")).toBeLessThan(await readOf("/counted.json"));
  expect(await readOf("/cached.json?max-age=600")).toBe(await readOf("/cached.json?max-age=600"));
});

test("a host that does not answer for a moment costs no connection, and a document that is gone does", async () => {
  const client = `${host}/client.json?of=fading`;
  const { refresh } = await connect(client);
  await pageFor(`${host}/stop?status=503&of=${encodeURIComponent(client)}`);
  const answer = await refresh();
  expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "30"]);
  expect(await answer.json()).toMatchObject({ error: "temporarily_unavailable" });
  await pageFor(`${host}/stop?status=404&of=${encodeURIComponent(client)}`);
  expect([(await refresh()).status, await (await refresh()).json()]).toMatchObject([401, { error: "invalid_client" }]);
  await pageFor(`${host}/stop?status=200&of=${encodeURIComponent(client)}`);
  expect((await refresh()).status).toBe(200);
});
