// Walks the way of a client that connects by OAuth, up to the sign-in, and says where it ends: the
// challenge, the server's metadata, and the authorization server's. From outside, because a proxy
// or a firewall in front of the gateway may take a header or a path away.

import { z } from "zod";
import type { Check } from "../client/doctor/report.ts";

const resourceSchema = z.object({ resource: z.string(), authorization_servers: z.array(z.string()).min(1) });
const serverSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string(),
  code_challenge_methods_supported: z.array(z.string()),
});

const title = "connections";
const answerMs = 15_000;
const fix = (text: string): Check => ({ check: title, state: "fix", text });

const askOrUndefined = (url: string, init: RequestInit = {}): Promise<Response | undefined> =>
  fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(answerMs) }).catch(() => undefined);

async function readAt<T>(url: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const answer = await askOrUndefined(url, { headers: { Accept: "application/json" } });
  const read = schema.safeParse(await answer?.json().catch(() => undefined));
  return answer?.status === 200 && read.success ? read.data : undefined;
}

/**
 * One check for all servers that people may connect clients to; none where there is none. The first
 * thing that is wrong is told.
 * @param servers their names.
 */
export async function connectionChecks(publicUrl: string, servers: readonly string[]): Promise<readonly Check[]> {
  if (servers.length === 0) return [];
  for (const server of servers) {
    const address = `${publicUrl}/mcp/${encodeURIComponent(server)}`;
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const refused = await askOrUndefined(address, { method: "POST", body: "{}", headers });
    if (refused === undefined) return [fix(`Nothing answers at ${address}: clients cannot connect. Check PUBLIC_URL and its route.`)];
    if (refused.status !== 401)
      return [fix(`${address} answers ${refused.status} to a request without a key, not 401: something in front of the gateway answers.`)];
    const metadata = /resource_metadata="([^"]+)"/.exec(refused.headers.get("WWW-Authenticate") ?? "")?.[1];
    if (metadata === undefined)
      return [
        fix(`The 401 of ${address} has no WWW-Authenticate with resource_metadata: let it pass whatever is in front of the gateway.`),
      ];
    const resource = await readAt(metadata, resourceSchema);
    if (resource?.resource !== address || resource.authorization_servers[0] !== publicUrl)
      return [fix(`${metadata} does not say that ${publicUrl} lets clients in to ${address}: let /.well-known/ reach the gateway.`)];
  }
  return [await issuerCheck(publicUrl, servers.length)];
}

/** The authorization server's own metadata, where clients look for it (RFC 8414 section 3.1). */
async function issuerCheck(publicUrl: string, count: number): Promise<Check> {
  const { origin, pathname } = new URL(publicUrl);
  const address = `${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`;
  const server = await readAt(address, serverSchema);
  if (server === undefined)
    return fix(`${address} is not the authorization server's metadata: let it reach the gateway, or give the gateway a host of its own.`);
  if (server.issuer !== publicUrl) return fix(`${address} names the issuer ${server.issuer}, and PUBLIC_URL is ${publicUrl}.`);
  const ends = [server.authorization_endpoint, server.token_endpoint, server.registration_endpoint];
  if (!ends.every((each) => each.startsWith(`${publicUrl}/`)) || !server.code_challenge_methods_supported.includes("S256"))
    return fix(`${address} has addresses that are not below ${publicUrl}, or no PKCE: something in front of the gateway changes it.`);
  const what = count === 1 ? "1 server" : `${count} servers`;
  return { check: title, state: "good", text: `Clients without a key find the way to the sign-in at ${what}.` };
}
