// OAuth in front of the relay, for clients that cannot send a key: which authorization server lets
// them in (RFC 9728), and that server's own addresses. A person allows at /inbox/connect.

import { Hono } from "hono";
import { cors } from "hono/cors";
import { relayScope } from "../../../shared/relay/relay-scope.ts";
import { readBody } from "../../http/body.ts";
import { keyOfConnection } from "../../credentials/access-token.ts";
import { connectUrl, inboxUrl, mcpUrl, paths } from "../../platform/urls.ts";
import { serversOf } from "../../stores/documents.ts";
import { oauthStore } from "../../stubs/oauth-store.ts";
import type { Issuer } from "../../oauth/worker.ts";
import type { App, AppContext } from "../app-context.ts";
import { isFlooding } from "../auth.ts";
import { inboxSettings, ownersAt } from "../inbox/reader.ts";
import { asJson, asPage, inPath, jsonObject, problem } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { serverAt, serverNamed } from "../relay/mcp-origin.ts";
import { connectionTerms } from "../../../shared/relay/servers.ts";

export const oauthRoutes = new Hono<App>();

/**
 * The gateway as issuer, with every server of the relay that people may connect clients to; null
 * without PUBLIC_URL.
 */
export async function issuerOf(c: AppContext): Promise<Issuer | null> {
  const publicUrl = inboxSettings(c)?.publicUrl;
  if (publicUrl === undefined) return null;
  const { servers } = await serversOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
  const names = Object.entries(servers).flatMap(([name, server]) => (connectionTerms(server) === null ? [] : [name]));
  // Where there is none, the library still asks for one: nothing is at this address.
  const resources = names.length === 0 ? [`${publicUrl}/mcp`] : names.map((name) => mcpUrl(publicUrl, name));
  return { issuer: publicUrl, resources };
}

/** The server that a resource is, by its name. */
export const serverOf = ({ issuer }: Pick<Issuer, "issuer">, resource: string): string =>
  decodeURIComponent(resource.slice(mcpUrl(issuer, "").length));

const fromAnywhere = cors({ origin: "*", allowMethods: ["GET", "POST"], maxAge: 600 });
const nothing = { error: "There is no such server here that takes an access token of this gateway" };

const resourceMetadata = describe("oauthResource", {
  summary: "Which authorization server lets a client in to a server of the relay (RFC 9728)",
  parameters: [inPath("server", "The server's name in the servers document")],
  200: asJson(jsonObject, "The metadata"),
  404: asJson(problem, "No such server, one that nobody may connect clients to, or no PUBLIC_URL is configured"),
});

oauthRoutes.use(paths.oauth.resource, fromAnywhere);
oauthRoutes.get(paths.oauth.resource, resourceMetadata, async (c) => {
  const [settings, server] = [inboxSettings(c), await serverAt(c)];
  if (settings === null || server === undefined || connectionTerms(server) === null) return c.json(nothing, 404);
  const name = c.req.param("server");
  return c.json({
    resource: mcpUrl(settings.publicUrl, name),
    authorization_servers: [settings.publicUrl],
    scopes_supported: [relayScope],
    bearer_methods_supported: ["header"],
    resource_name: name,
  });
});

const serverMetadata = describe("oauthServer", {
  summary: "The authorization server's metadata (RFC 8414)",
  200: asJson(jsonObject, "The metadata"),
  404: asJson(problem, "No PUBLIC_URL is configured"),
});
const openidMetadata = describe("oauthServerOpenid", {
  summary: "The same where clients of OpenID Connect look for it",
  200: asJson(jsonObject, "The metadata"),
  404: asJson(problem, "No PUBLIC_URL is configured"),
});
const token = describe("oauthToken", {
  summary: "Trades a code or a refresh token for an access token, and revokes a token (RFC 6749, 7009)",
  body: { type: "application/x-www-form-urlencoded" },
  200: asJson(jsonObject, "The tokens, or nothing where one was revoked"),
  400: asJson(jsonObject, "As RFC 6749 section 5.2 has it"),
  401: asJson(jsonObject, "The client is not known"),
  404: asJson(problem, "No PUBLIC_URL is configured"),
  429: asJson(problem, "Too many requests from one address"),
  503: asJson(jsonObject, "The client's metadata cannot be read now"),
});
const register = describe("oauthRegister", {
  summary: "Registers a client that has no metadata document of its own (RFC 7591)",
  body: { type: "application/json", schema: jsonObject },
  201: asJson(jsonObject, "The registration"),
  400: asJson(jsonObject, "As RFC 7591 section 3.2.2 has it"),
  404: asJson(problem, "No PUBLIC_URL is configured"),
  429: asJson(problem, "Too many requests from one address"),
});

/** Of a form for tokens, or of a registration. */
const mostBodyBytes = 32 * 1024;

/** By the library, under the gateway's own address whatever a proxy before it is called. */
async function answer(c: AppContext): Promise<Response> {
  const issuer = await issuerOf(c);
  if (issuer === null) return c.json({ error: "No PUBLIC_URL is configured, so there is no authorization server" }, 404);
  const isRegistration = c.req.path === paths.oauth.register;
  if (c.req.method === "POST" && (await isFlooding(c, isRegistration ? "registrations" : "oauth")))
    return c.json({ error: "Too many requests from this address; wait a minute" }, 429, { "Retry-After": "60" });
  const url = `${issuer.issuer}${c.req.path === paths.oauth.openid ? paths.oauth.server : c.req.path}`;
  const isGood = async (key: string, resource: string): Promise<boolean> => {
    const now = Date.now();
    const mayConnect = ownersAt(c, await serverNamed(c, serverOf(issuer, resource)));
    return (await keyOfConnection(c.env, key, mayConnect, now)).ok;
  };
  const body = c.req.method === "POST" ? await readBody(c.req.raw, mostBodyBytes) : null;
  if (typeof body === "string") return c.json({ error: "invalid_request", error_description: `The body is ${body}` }, 400);
  const request = new Request(url, { method: c.req.method, headers: c.req.raw.headers, ...(body === null ? {} : { body: body.text }) });
  return await c.env.OAUTH.answer(request, issuer, oauthStore(c.env), isGood);
}

for (const path of [paths.oauth.server, paths.oauth.openid, paths.oauth.token, paths.oauth.register]) oauthRoutes.use(path, fromAnywhere);
oauthRoutes.get(paths.oauth.server, serverMetadata, (c) => answer(c));
oauthRoutes.get(paths.oauth.openid, openidMetadata, (c) => answer(c));
oauthRoutes.post(paths.oauth.token, token, (c) => answer(c));
oauthRoutes.post(paths.oauth.register, register, (c) => answer(c));

const authorize = describe("oauthAuthorize", {
  summary: "Where a client sends its user: to the page that asks whether the client may come in",
  303: { description: "To that page, which is the inbox's", headers: { Location: "The page" } },
  404: asPage("No PUBLIC_URL is configured"),
});

oauthRoutes.get(paths.oauth.authorize, authorize, (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return c.text("No PUBLIC_URL is configured, so there is no authorization server", 404);
  return c.body(null, 303, {
    Location: `${connectUrl(inboxUrl(settings.publicUrl))}${new URL(c.req.url).search}`,
    "Cache-Control": "no-store",
  });
});
