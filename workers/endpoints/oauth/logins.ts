// Where a signed-in person begins and ends their own login at a server of the relay. They leave for
// the server's own sign-in, and come back to a page whose button connects it: a GET connects
// nothing. What they come back with counts once, for the session that began it, and for them alone.

import { Hono } from "hono";
import { toBase64url } from "../../../shared/encoding.ts";
import { loginState, parseLoginState } from "../../../shared/relay/login.ts";
import { clientDocumentUrl, inboxUrl, loginReturnUrl, pathOfUrl, paths } from "../../platform/urls.ts";
import { loginStub } from "../../stubs/stubs.ts";
import type { App } from "../app-context.ts";
import { admittedReader, readerForm } from "../inbox/admitted.ts";
import { inboxSettings, readerNonce } from "../inbox/reader.ts";
import { asJson, asPage, inPath, jsonObject, problem, formRefusals } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerPage, errorPage } from "../page-answer.ts";
import { answerFault } from "../review/review.ts";
import { serverNamed } from "../relay/mcp-origin.ts";
import { noSuchLink } from "../review/review-link.ts";
import { connectionsPage } from "./connect.ts";
import { ownServer } from "./login-list.ts";

export const loginRoutes = new Hono<App>();

const randomLength = 24;

const refusals = {
  403: asPage("From another site, not this session's form, or not signed in"),
  404: asPage("No PUBLIC_URL is configured, or there is no such server or sign-in"),
  ...formRefusals,
};

const clientDocument = describe("oauthClient", {
  summary: "How the gateway describes itself to the sign-in of a server that it is an OAuth client of: the address is its client id",
  parameters: [inPath("server", "The server's name in the servers document")],
  200: asJson(jsonObject, "The document"),
  404: asJson(problem, "No PUBLIC_URL is configured, or there is no such server with `auth`"),
});

loginRoutes.get(paths.oauth.client, clientDocument, async (c) => {
  const settings = inboxSettings(c);
  if (settings === null) return c.json({ error: "No PUBLIC_URL is configured" }, 404);
  const { publicUrl } = settings;
  const name = c.req.param("server");
  if ((await serverNamed(c, name))?.auth === undefined)
    return c.json({ error: "There is no such server whose users sign in there themselves" }, 404);
  return c.json({
    client_id: clientDocumentUrl(publicUrl, name),
    client_name: "Countersign",
    client_uri: publicUrl,
    redirect_uris: [loginReturnUrl(inboxUrl(publicUrl), name)],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
    application_type: "web",
  });
});

const decideLogin = describe("decideLogin", {
  summary: "The buttons of the page of connections for servers: leads to a server's own sign-in, or forgets a login there",
  body: { type: "application/x-www-form-urlencoded" },
  200: asPage("The browser goes on to the server's sign-in; or the page of connections, with what became of it"),
  ...refusals,
});

loginRoutes.post(paths.inboxLogins, decideLogin, async (c) => {
  const form = await readerForm(c, "connections");
  if (form instanceof Response) return form;
  const { reader, fields } = form;
  const ended = fields.get("disconnect");
  const name = ended ?? fields.get("connect") ?? "";
  const own = await ownServer(c, reader, name);
  if (own === undefined) return noSuchLink(c);
  const login = loginStub(c.env, reader.inbox, name);
  if (ended !== null) {
    await login.endLogin(own.entry);
    return connectionsPage(c, reader, false, { server: name, what: "disconnected" });
  }
  const { keys, publicUrl } = reader.settings;
  const { clientId, issuer } = own.auth;
  const random = toBase64url(crypto.getRandomValues(new Uint8Array(randomLength)));
  const begun = await login.beginLogin({
    entry: own.entry,
    bound: reader.bound,
    scopes: own.auth.scopes ?? null,
    client: clientId === undefined || issuer === undefined ? null : { id: clientId, issuer },
    clientUrl: clientDocumentUrl(publicUrl, name),
    redirectUri: loginReturnUrl(inboxUrl(publicUrl), name),
    state: loginState(keys, { server: name, home: pathOfUrl(reader.home), random }),
  });
  if (begun.kind === "failed") return connectionsPage(c, reader, false, { server: name, what: begun.why });
  const input = { server: name, to: begun.to, host: new URL(begun.to).host };
  // Not 303: a page's form may lead to us alone, and this leads to the server's sign-in.
  return answerPage(c, { kind: "loginLeave", input }, 200, {
    language: reader.person.language,
    headers: { Refresh: `0; url=${begun.to}` },
  });
});

/** What the server's sign-in sends a browser back with. */
const returned = ["state", "code", "iss", "error"] as const;

const showReturn = describe("showLoginReturn", {
  summary: "Where a server's own sign-in sends a browser back to: a page whose button connects it. It connects nothing",
  parameters: [inPath("server", "The server's name in the servers document")],
  200: asPage("The page"),
  303: { description: "To the same page of the session's own address", headers: { Location: "The page" } },
  ...refusals,
});

loginRoutes.get(paths.inboxLoginReturn, showReturn, async (c) => {
  const settings = inboxSettings(c);
  const query = new URL(c.req.url).searchParams;
  const state = settings === null ? undefined : parseLoginState(settings.keys, query.get("state") ?? "");
  // A state of another server: its sign-in sent the browser to this one's, for a code of this one.
  if (settings === null || state === undefined || state.server !== c.req.param("server")) return noSuchLink(c);
  const { pathname, search } = new URL(c.req.url);
  // On a loopback host a session's cookie is for its own address alone, which no redirect URI has.
  if (state.home.includes("/~") && !pathname.includes("/~"))
    return c.body(null, 303, { Location: loginReturnUrl(state.home, state.server) + search, "Cache-Control": "no-store" });
  const reader = await admittedReader(c);
  if (reader instanceof Response) return reader;
  const input = {
    action: pathOfUrl(loginReturnUrl(reader.home, state.server)),
    nonce: readerNonce(reader, "connections"),
    server: state.server,
    isRefused: query.has("error"),
    fields: Object.fromEntries(returned.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ""]] : []))),
    reader: reader.person.name,
    inbox: { path: pathOfUrl(reader.home), count: reader.count },
  };
  return answerPage(c, { kind: "loginReturn", input }, 200, { language: reader.person.language });
});

const finishReturn = describe("finishLogin", {
  summary: "The form of that page: connects the server, once, for the session that began it",
  parameters: [inPath("server", "The server's name in the servers document")],
  body: { type: "application/x-www-form-urlencoded" },
  200: asPage("The page of connections, with what became of it"),
  ...refusals,
});

loginRoutes.post(paths.inboxLoginReturn, finishReturn, async (c) => {
  const form = await readerForm(c, "connections");
  if (form instanceof Response) return form;
  const { reader, fields } = form;
  const text = fields.get("state") ?? "";
  const server = parseLoginState(reader.settings.keys, text)?.server;
  const own = server === c.req.param("server") ? await ownServer(c, reader, server) : undefined;
  if (own === undefined) return noSuchLink(c);
  const code = fields.has("error") ? null : fields.get("code");
  const back = { state: text, code, iss: fields.get("iss"), bound: reader.bound };
  const what = await loginStub(c.env, reader.inbox, own.name).finishLogin(own.entry, back);
  return connectionsPage(c, reader, false, { server: own.name, what });
});

loginRoutes.all(paths.inboxLogins, (c) => errorPage(c, "badRequest", 405, { Allow: "POST" }));
loginRoutes.all(paths.inboxLoginReturn, (c) => errorPage(c, "badRequest", 405, { Allow: "GET, HEAD, POST" }));

loginRoutes.onError(answerFault);
