// An authorization server of an MCP server behind the relay, scripted: it registers clients, gives
// a code for a visit, and trades codes and refresh tokens, each once.

import { createHash, randomUUID } from "node:crypto";
import { neverLogged } from "./logs.ts";
import { answerAt } from "./provider.ts";

export const loginOrigin = "https://auth.example.com";

type Code = { readonly challenge: string; readonly redirect: string; readonly resource: string; readonly client: string };

export type LoginServer = {
  /** What its metadata has in place of the usual, by its origin's own path. */
  metadata: Record<string, unknown>;
  /** The bodies that the token endpoint got, oldest first. */
  readonly asked: URLSearchParams[];
  readonly registered: Record<string, unknown>[];
  /** The access tokens that are good. */
  readonly good: Set<string>;
  /** The refresh tokens that are good. */
  readonly refresh: Set<string>;
  /** What it calls the account of whoever signs in; null: it gives no ID token. */
  account: string | null;
  /** The tokens that were revoked, oldest first. */
  readonly revoked: string[];
  /** How often the revocation endpoint fails before it answers. */
  revokeFails: number;
  seconds: number | null;
  /** The status of the token endpoint's answers, where it fails. */
  fails: number | null;
  /** The clients that it has forgotten. */
  readonly forgotten: Set<string>;
  /** Resolves before the token endpoint answers. */
  held: Promise<void>;
  /** A person who signs in, at the address that they were led to: where they come back to. */
  readonly visit: (to: string) => URL;
};

export function scriptLoginServer(origin = loginOrigin): LoginServer {
  const codes = new Map<string, Code>();
  const server: LoginServer = {
    metadata: {},
    asked: [],
    registered: [],
    good: new Set(),
    refresh: new Set(),
    account: "ada-l",
    revoked: [],
    revokeFails: 0,
    seconds: 3_600,
    fails: null,
    forgotten: new Set(),
    held: Promise.resolve(),
    visit: (to) => {
      const { searchParams: asked } = new URL(to);
      const of = (name: string): string => asked.get(name) ?? "";
      const code = `code-${randomUUID()}`;
      neverLogged(code);
      codes.set(code, { challenge: of("code_challenge"), redirect: of("redirect_uri"), resource: of("resource"), client: of("client_id") });
      const back = new URL(of("redirect_uri"));
      for (const [name, value] of Object.entries({ code, state: of("state"), iss: origin })) back.searchParams.set(name, value);
      return back;
    },
  };
  const issue = (resource: string): Response => {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    for (const each of [access, refresh]) neverLogged(each);
    server.good.add(access);
    server.refresh.add(refresh);
    const claims = Buffer.from(JSON.stringify({ sub: "7", preferred_username: server.account })).toString("base64url");
    const expiry = server.seconds === null ? {} : { expires_in: server.seconds };
    return Response.json({
      access_token: access,
      refresh_token: refresh,
      token_type: "Bearer",
      ...(server.account === null ? {} : { id_token: `x.${claims}.y` }),
      scope: resource === "" ? "" : "read",
      ...expiry,
    });
  };
  const refused = (error: string): Response => Response.json({ error }, { status: 400 });
  answerAt(origin, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/.well-known/oauth-authorization-server")
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        authorization_response_iss_parameter_supported: true,
        ...server.metadata,
      });
    if (pathname === "/register") {
      const client = (await request.json()) as Record<string, unknown>;
      server.registered.push(client);
      return Response.json({ ...client, client_id: `client-${server.registered.length}` }, { status: 201 });
    }
    if (pathname === "/revoke") {
      const body = new URLSearchParams(await request.text());
      if (server.revokeFails > 0) {
        server.revokeFails -= 1;
        return new Response(null, { status: 503 });
      }
      server.revoked.push(body.get("token") ?? "");
      return new Response(null, { status: body.get("client_id") === null ? 401 : 200 });
    }
    if (pathname !== "/token") return new Response(null, { status: 404 });
    const body = new URLSearchParams(await request.text());
    server.asked.push(body);
    await server.held;
    if (server.fails !== null) return new Response("{}", { status: server.fails });
    const of = (name: string): string => body.get(name) ?? "";
    if (server.forgotten.has(of("client_id"))) return Response.json({ error: "invalid_client" }, { status: 401 });
    if (of("grant_type") === "refresh_token")
      return server.refresh.delete(of("refresh_token")) ? issue(of("resource")) : refused("invalid_grant");
    const code = codes.get(of("code"));
    codes.delete(of("code"));
    const challenge = createHash("sha256").update(of("code_verifier")).digest("base64url");
    const isGood = code?.challenge === challenge && code.redirect === of("redirect_uri") && code.resource === of("resource");
    return isGood && code.client === of("client_id") ? issue(of("resource")) : refused("invalid_grant");
  });
  return server;
}
