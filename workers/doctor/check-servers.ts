// Checks the MCP servers of the relay: each is asked to initialize a session, which is ended at
// once.

import type { Server } from "../../shared/relay/servers.ts";
import type { DoctorPhrase } from "../../shared/words/doctor.ts";
import type { Env } from "../platform/env.ts";
import { serverEntry, serversOf } from "../stores/documents.ts";
import { askUpstream } from "../mcp-client/ask-upstream.ts";
import { lookupIn } from "../platform/lookup.ts";
import { type Check, type Title, good, guardedCall, howToSet, fix, note } from "./check.ts";

const hello = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "countersign-doctor", version: "1" } },
});
const timeoutMs = 10_000;

export async function serverChecks(env: Env): Promise<readonly Check[]> {
  const { servers } = await serversOf(env, Date.now(), () => {});
  const checks = await Promise.all(
    Object.entries(servers).map(([name, server]) => guardedCall({ key: "server", values: { name } }, () => check(env, name, server))),
  );
  return checks.flat();
}

/** The check of one server; null where the servers document has none of this name. */
export async function serverCheck(env: Env, name: string): Promise<Check | null> {
  const server = await serverEntry(env, name, Date.now(), () => {});
  if (server === undefined) return null;
  const [checked = null] = await guardedCall({ key: "server", values: { name } }, () => check(env, name, server));
  return checked;
}

async function check(env: Env, name: string, server: Server): Promise<Check> {
  const title: Title = { key: "server", values: { name } };
  if (server.passAuthorization) return note(title, "clientsSignIn");
  if (server.auth !== undefined) return note(title, "ownersSignIn");
  if (server.secret !== undefined && !lookupIn(env)(server.secret)?.trim())
    return fix(title, { key: "secretUnset", values: { variable: server.secret, how: howToSet(env, [server.secret]) } });
  const headers = new Headers({ "Content-Type": "application/json", Accept: "application/json, text/event-stream" });
  const signal = AbortSignal.timeout(timeoutMs);
  const asked = await askUpstream(env, server, { method: "POST", body: hello, session: null, headers, authorization: null, signal });
  const address: DoctorPhrase = { key: "serverUrl", values: { name } };
  if (!asked.ok) {
    return fix(title, { key: asked.error === "redirected" ? "serverRedirects" : "unreachable", values: { address } });
  }
  const { status, body } = asked.value;
  body?.cancel().catch(() => {});
  const session = asked.value.headers.get("Mcp-Session-Id");
  if (session !== null) {
    const ended = await askUpstream(env, server, { method: "DELETE", session, headers, authorization: null, signal });
    if (ended.ok) ended.value.body?.cancel().catch(() => {});
  }
  if (status === 200) return good(title, "session");
  if (status === 401 || status === 403)
    return fix(title, { key: "serverRefuses", values: { status: String(status), secret: server.secret ?? { key: "aSecret" } } });
  return fix(title, { key: "serverAnswers", values: { status: String(status), address } });
}
