// A person's own login at a server behind the relay, with both ends of it real: `oidc-provider` as
// the authorization server, an MCP server that checks tokens by the SDK's bearer auth, and as much
// of a browser as both need. A call waits for a person while its token expires or is revoked.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { InvalidTokenError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { requireBearerAuth } from "@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js";
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { Provider } from "oidc-provider";
import { type IncomingMessage, type RequestListener, type Server, type ServerResponse, createServer } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { freePort } from "../../../scripts/local-gateway.ts";
import type { MailApi } from "../../support/mail-api.ts";
import { startMailServer } from "../../support/mail-server.ts";
import type { Served } from "../../support/serve.ts";
import { InboxPerson, leadsTo } from "../../outside/support/inbox-person.ts";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { openedReview } from "../../outside/support/opened-review.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type RelayOffice, openGates, relayOffice } from "../../outside/support/relay-office.ts";

const address = "ada@example.org";

let mail: MailApi & Served;
let office: RelayOffice;
let provider: Provider;
let issuer: string;
let mcp: string;
let ada: InboxPerson;
let client: Client;
const servers: Server[] = [];

/** How long the next access token is good. One of 20 seconds is renewed with each use. */
let seconds = 3_600;
/** How often a refresh token was traded. */
let refreshes = 0;
/** The access tokens that the tool was called with, and those that were refused. */
let called: string[] = [];
let refused: string[] = [];
/** What is revoked at the provider as the next call arrives, before its token is looked at. */
let revokesAtCall: "accessToken" | "grant" | null = null;
/** The bodies of calls, as they arrived. */
let arrived: string[] = [];
/** When the login at "aged" was made, which is the same server, before any test. */
let agedAt = 0;
/** The last one that was good. */
let latest = "";

async function serve(port: number, listener: RequestListener): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  servers.push(server);
}

function startProvider(): RequestListener {
  provider = new Provider(issuer, {
    scopes: ["openid", "offline_access", "use"],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    features: {
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: "use", audience: mcp, accessTokenTTL: seconds, accessTokenFormat: "opaque" }),
      },
    },
  });
  provider.on("grant.success", ({ oidc }) => void (oidc.params.grant_type === "refresh_token" && (refreshes += 1)));
  return provider.callback();
}

function startMcp(): RequestListener {
  const app = createMcpExpressApp();
  app.get("/.well-known/oauth-protected-resource/mcp", (_: unknown, response: { json: (value: object) => void }) =>
    response.json({ resource: mcp, authorization_servers: [issuer], scopes_supported: ["use"] }),
  );
  const verifyAccessToken = async (token: string) => {
    const found = await provider.AccessToken.find(token);
    if (found === undefined) {
      refused.push(token);
      throw new InvalidTokenError("unknown");
    }
    latest = token;
    const expiresAt = Math.floor(Date.now() / 1_000) + 60;
    return {
      token,
      clientId: "gateway",
      scopes: ["use"],
      expiresAt,
      resource: new URL(String(found.aud)),
      extra: { account: found.accountId },
    };
  };
  const resourceMetadataUrl = new URL("/.well-known/oauth-protected-resource/mcp", mcp).href;
  const answer = async (request: IncomingMessage & { readonly body?: unknown }, response: ServerResponse) => {
    const server = new McpServer({ name: "notes", version: "1" });
    for (const name of ["who", "whose"])
      server.registerTool(name, { description: "Whose account this is" }, ({ authInfo }) => {
        called.push(authInfo?.token ?? "");
        return { content: [{ type: "text", text: `the notes of ${String(authInfo?.extra?.["account"])}` }] };
      });
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport as Transport);
    await transport.handleRequest(request, response, request.body);
  };
  const auth = requireBearerAuth({ verifier: { verifyAccessToken }, resourceMetadataUrl, expectedResource: new URL(mcp) });
  const revoke = async (request: IncomingMessage & { readonly body?: unknown }): Promise<void> => {
    const { method } = (request.body ?? {}) as { readonly method?: string }; // JSON-RPC
    if (method !== "tools/call") return;
    arrived.push(JSON.stringify(request.body));
    const token = await provider.AccessToken.find((request.headers.authorization ?? "").slice("Bearer ".length));
    const what = revokesAtCall;
    revokesAtCall = null;
    if (what !== null) await token?.destroy();
    if (what === "grant") await provider.RefreshToken.revokeByGrantId(token?.grantId ?? "");
  };
  app.post("/mcp", (request: IncomingMessage, _: unknown, next: () => void) => void revoke(request).then(next));
  app.post("/mcp", auth, (request: IncomingMessage, response: ServerResponse) => void answer(request, response));
  return app;
}

/** Signs in and consents at the provider's own pages; where its last redirect leads. */
async function visit(to: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let [at, body]: [URL, URLSearchParams | null] = [new URL(to), null];
  for (let hops = 0; hops < 20 && at.origin === issuer; hops += 1) {
    const answer: Response = await fetch(at, {
      method: body === null ? "GET" : "POST",
      body,
      redirect: "manual",
      headers: { Cookie: [...cookies].map((each) => each.join("=")).join("; ") },
    });
    for (const each of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = answer.headers.get("Location");
    const prompt = location === null ? /name="prompt" value="(\w+)"/.exec(await answer.text())?.[1] : undefined;
    if (location === null && prompt === undefined) throw new Error(`the provider's page has no form: ${answer.status} ${at.pathname}`);
    body = prompt === undefined ? null : new URLSearchParams({ prompt, login: "ada-at-work", password: "x" });
    if (location !== null) at = new URL(location, at);
  }
  return at;
}

/** Presses a button of the page of connections. */
async function press(button: "connect" | "disconnect", server = "notes"): Promise<Response> {
  const form = await ada.form("/inbox/connections");
  form.set(button, server);
  return ada.post("/inbox/connections/servers", form);
}

async function connect(server = "notes"): Promise<string> {
  const answer = await press("connect", server);
  if (!answer.headers.has("Refresh")) throw new Error(plainText(await answer.text()));
  const back = await visit(leadsTo(answer).href);
  expect(back.searchParams.get("iss")).toBe(issuer);
  await ada.send(back.pathname + back.search);
  return (await ada.submit(back.pathname + back.search, {})).text();
}

const who = (name = "who") => client.callTool({ name, arguments: {} });
const plainText = (html: string): string => html.replaceAll(/<(script|style)[^>]*>.*?<.\1>|<[^>]*>/gs, "");
const pageOf = async (link: string): Promise<string> => plainText(await (await fetch(link)).text());

beforeAll(async () => {
  const [atProvider, atMcp] = [await freePort(), await freePort()];
  [issuer, mcp] = [`http://localhost:${atProvider}`, `http://localhost:${atMcp}/mcp`];
  await serve(atProvider, startProvider());
  await serve(atMcp, startMcp());
  mail = await startMailServer();
  office = await relayOffice({
    EMAIL_FROM: "Countersign <reviews@example.com>",
    RESEND_API_KEY: mail.keys.sending,
    RESEND_BASE_URL: mail.url,
  });
  const entry = { url: mcp, allowPrivate: true, auth: { kind: "oauth", scopes: ["openid", "use"] } };
  await office.serve({ notes: entry, aged: entry });
  await office.rule({
    ...openGates,
    rules: [
      {
        name: "calls",
        when: { subject: "toolCall" },
        then: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600, selfApproval: true },
      },
    ],
    reviewers: { everyone: [{ name: "Ada", email: address }] },
  });
  ada = new InboxPerson(office.url);
  await ada.signIn(mail, address);
  await connect("aged");
  agedAt = Date.now();
});
afterAll(async () => {
  await Promise.all([office?.close(), mail?.close()]);
  for (const server of servers) server.close().closeAllConnections();
});

beforeEach(async () => {
  [seconds, refreshes, called, refused, arrived, revokesAtCall] = [3_600, 0, [], [], [], null];
});
afterEach(() => client?.close());

/** Connects the server, and begins a session with a key of Ada's. */
async function begin(): Promise<void> {
  expect(await connect()).toContain("is connected");
  await beginSession("notes");
}

async function beginSession(server: string): Promise<void> {
  const key = await office.key({ name: `ada ${crypto.randomUUID().slice(0, 8)}`, owner: "Ada" });
  client = new Client({ name: "host", version: "1" }, { capabilities: {} });
  const headers = { Authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(office.relay(server)), { requestInit: { headers } }) as Transport);
}

test("a person signs in there, a call that was reviewed as one of that account is sent for it, and Disconnect ends it there", async () => {
  await begin();
  const review = await openedReview(office, () => who());
  expect(await pageOf(review.link)).toContain(`ada-at-work, the login of Ada at ${issuer}`);
  expect((await decideByLink(review.link, "approve")).status).toBe(303);
  expect(JSON.stringify(await review.called)).toContain("the notes of ada-at-work");
  expect([refreshes, refused]).toEqual([0, []]);
  expect(await (await press("disconnect")).text()).toContain("is disconnected");
  await until("its end at the provider", async () => (await provider.AccessToken.find(latest)) === undefined || undefined);
});

test("a token that expires while people decide is renewed, once for all, and its refresh token with it", async () => {
  seconds = 20;
  await begin();
  const first = await openedReview(office, () => who());
  // Each use renewed it, and each time the refresh token was another.
  expect(refreshes).toBeGreaterThan(1);
  const second = await openedReview(office, () => who("whose"));
  [seconds, refreshes] = [3_600, 0];
  await Promise.all([first, second].map(({ link }) => decideByLink(link, "approve")));
  for (const { called: answer } of [first, second]) expect(JSON.stringify(await answer)).toContain("the notes of ada-at-work");
  expect([refreshes, called.length, new Set(called).size, refused]).toEqual([1, 2, 1, []]);
});

test("what is revoked while people decide is not sent: its owner is asked to sign in, and the page says so", async () => {
  await begin();
  const { called: answer, link } = await openedReview(office, () => who());
  const { grantId = "" } = (await provider.AccessToken.find(latest)) ?? {};
  await Promise.all([provider.AccessToken, provider.RefreshToken].map((kind) => kind.revokeByGrantId(grantId)));
  expect((await decideByLink(link, "approve")).status).toBe(303);
  expect(JSON.stringify(await answer.catch((error: unknown) => String(error)))).toContain("is not signed in");
  expect(called).toEqual([]);
  expect(await (await ada.send("/inbox/connections")).text()).toContain("sign in again");
  expect(await pageOf(link)).toContain("The call has not run yet");
});

test("one whose login ends with it keeps its approval: once its owner has signed in again, the same call is sent", async () => {
  await begin();
  const { called: answer, link } = await openedReview(office, () => who());
  revokesAtCall = "grant";
  expect((await decideByLink(link, "approve")).status).toBe(303);
  expect(JSON.stringify(await answer)).toContain("The call stays approved");
  expect([called, arrived.length]).toEqual([[], 1]);
  expect(await pageOf(link)).toContain("The call has not run yet");
  expect(await connect()).toContain("is connected");
  expect(JSON.stringify(await who())).toContain("the notes of ada-at-work");
  expect([called.length, arrived.length]).toEqual([1, 2]);
});

test("a token that is revoked at the very moment of sending is renewed, and the approved call is sent once more", async () => {
  // One that was issued within ten seconds, and is refused already, is not renewed. By now this one
  // is older, unless this test runs alone.
  await new Promise((resolve) => setTimeout(resolve, agedAt + 10_500 - Date.now()));
  await beginSession("aged");
  const { called: answer, link } = await openedReview(office, () => who());
  revokesAtCall = "accessToken";
  expect((await decideByLink(link, "approve")).status).toBe(303);
  expect(JSON.stringify(await answer)).toContain("the notes of ada-at-work");
  expect([refreshes, called.length, refused.length, arrived.length, new Set(arrived).size]).toEqual([1, 1, 1, 2, 1]);
});
