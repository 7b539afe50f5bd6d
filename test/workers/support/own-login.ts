// A person's own login at a server behind the relay: a scripted MCP server that lets in who has a
// token of the scripted authorization server, and a person who is signed in at their inbox.

import { expect } from "vitest";
import { readForm } from "../../../scripts/page-form.ts";
import { createKey, publicUrl } from "./gateway.ts";
import { InboxBrowser, addresses, configureInbox } from "./inbox.ts";
import { type LoginServer, loginOrigin, scriptLoginServer } from "./login-server.ts";
import {
  RelayClient,
  type Upstream,
  type UpstreamCall,
  configureServers,
  initializeResult,
  scriptUpstream,
  upstreamOrigin,
} from "./mcp-server.ts";
import { answerAt } from "./provider.ts";

export const url = `${upstreamOrigin}/mcp`;
export const auth = { kind: "oauth" };

export let upstream: Upstream;
export let login: LoginServer;
export let ada: InboxBrowser;
export let key: string;
/** What the server says of itself, and which of its tokens it takes. */
export let resource: Record<string, unknown>;

/**
 * Decides about a call before its token is looked at; undefined: the token decides. `discovered`:
 * what a server of 2026-07-28 says of itself.
 */
export let atCall: { decide: (call: UpstreamCall) => Response | undefined | Promise<Response | undefined>; discovered?: object };

export const bearerOf = ({ headers }: UpstreamCall): string => (headers.get("Authorization") ?? "").replace(/^Bearer /, "");
const answerTo = (message: UpstreamCall["message"], result: object): Response => Response.json({ jsonrpc: "2.0", id: message.id, result });

/** The scripted server lets in who has a token of the scripted authorization server. */
function guard(): void {
  const { calls } = upstream;
  answerAt(upstreamOrigin, async (request) => {
    if (new URL(request.url).pathname === "/.well-known/oauth-protected-resource/mcp") return Response.json(resource);
    const text = await request.text();
    const message = (text === "" ? {} : JSON.parse(text)) as UpstreamCall["message"];
    const call = { method: request.method, url: request.url, headers: request.headers, text, message };
    const decided = message.method === "tools/call" ? await atCall.decide(call) : undefined;
    if (decided !== undefined) return decided;
    if (!login.good.has(bearerOf(call))) {
      const metadata = `${upstreamOrigin}/.well-known/oauth-protected-resource/mcp`;
      return new Response(null, { status: 401, headers: { "WWW-Authenticate": `Bearer resource_metadata="${metadata}", scope="read"` } });
    }
    calls.push(call);
    if (message.method === "server/discover" && atCall.discovered !== undefined) return answerTo(message, atCall.discovered);
    if (message.method === "initialize")
      return Response.json(
        { jsonrpc: "2.0", id: message.id, result: initializeResult("2025-11-25") },
        { headers: { "Mcp-Session-Id": upstream.session } },
      );
    return message.id === undefined
      ? new Response(null, { status: 202 })
      : answerTo(message, { content: [{ type: "text", text: "done" }] });
  });
}

/** To be called before each test. */
export async function prepareOwnLogin(): Promise<void> {
  upstream = scriptUpstream();
  login = scriptLoginServer();
  atCall = { decide: () => undefined };
  resource = { resource: url, authorization_servers: [loginOrigin], scopes_supported: ["read", "write"] };
  guard();
  await configureInbox({}, [
    { name: "Ada", email: addresses.Ada },
    { name: "Grace", email: addresses.Grace },
  ]);
  await configureServers({ own: { url, auth }, plain: { url } });
  ada = new InboxBrowser();
  await ada.signIn(addresses.Ada);
  key = (await createKey({ name: "ada", owner: "Ada" })).key;
}

/** Presses Connect: where the browser goes on to; null where it stays, with the page. */
export async function begin(server = "own", by = ada): Promise<{ to: string | null; html: string }> {
  const form = await by.form("/inbox/connections");
  form.set("connect", server);
  const answer = await by.post("/inbox/connections/servers", form);
  return { to: /^0; url=(.*)$/.exec(answer.headers.get("Refresh") ?? "")?.[1] ?? null, html: await answer.text() };
}

/** Comes back to the redirect URI, and presses the page's button; the page after that. */
export async function comeBack(back: URL, by = ada): Promise<{ status: number; html: string }> {
  const first = await by.get(back.pathname + back.search);
  const html = await first.text();
  const form = readForm(html, publicUrl);
  if (form === null) return { status: first.status, html };
  const answer = await by.post(back.pathname, form.fields);
  return { status: answer.status, html: await answer.text() };
}

export async function connect(server = "own", by = ada): Promise<void> {
  const { to } = await begin(server, by);
  expect((await comeBack(login.visit(to ?? ""), by)).html).toContain("is connected");
}

export const client = (of: { server?: string; key?: string } = {}): RelayClient =>
  new RelayClient(of.server ?? "own", { key: of.key ?? key });

export async function connected(capabilities: object = {}): Promise<RelayClient> {
  const made = client();
  expect((await made.connect(capabilities)).status).toBe(200);
  return made;
}

/** Presses Disconnect: the page after that. */
export async function disconnect(server = "own", by = ada): Promise<string> {
  const form = await by.form("/inbox/connections");
  form.set("disconnect", server);
  return (await by.post("/inbox/connections/servers", form)).text();
}
