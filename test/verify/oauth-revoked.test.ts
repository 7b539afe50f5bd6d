// How soon a token is refused after its revocation, from outside: at each endpoint that takes it,
// for each way of revoking. There are two isolates of the gateway on the same objects: one is asked
// to revoke, and the other, which knows the token well, is where the client is. With MEASURED_TO
// the times are written to that file; test/verify/results/oauth.md has the longest.

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { type Gateway, freePort, localUrl, startServer } from "../../scripts/local-gateway.ts";
import { InboxPerson } from "../outside/support/inbox-person.ts";
import { type OldServer, serveOld } from "../outside/support/old-server.ts";
import type { MailApi } from "../support/mail-api.ts";
import { startMailServer } from "../support/mail-server.ts";
import type { Served } from "../support/serve.ts";

const script = fileURLToPath(new URL("../../scripts/serve.ts", import.meta.url));
const adminToken = "admin-token-of-the-tests-0123456789";
const address = "ada@example.org";
const callback = "http://127.0.0.1:33418/callback";
const verifier = "verifier-of-the-tests-0123456789-0123456789-0123456789";
const challenge = createHash("sha256").update(verifier).digest("base64url");
const mostMs = 2_000;
const rounds = 3;
/** In which the sessions and streams of such a key are opened. */
const endsAfterMs = 15_000;
/** Sends what has this header to the second isolate. */
const second = { "X-Isolate": "second" };
const front = `export default { fetch: (request, { FIRST, SECOND }) => (request.headers.get("X-Isolate") === "second" ? SECOND : FIRST).fetch(request) };`;

let folder: string;
let url: string;
let gateway: Gateway;
let mail: MailApi & Served;
let old: OldServer;
let ada: InboxPerson;
let operator: Awaited<ReturnType<typeof signInAtConsole>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-revoked-"));
  [mail, old] = await Promise.all([startMailServer(), serveOld()]);
  const port = await freePort();
  url = localUrl(port);
  const [first, ...others] = inject("builtWorkers");
  if (first === undefined) throw new Error("no Worker was built");
  const bindings = {
    PUBLIC_URL: url,
    ADMIN_TOKEN: adminToken,
    LINK_KEY: "link-key-of-the-tests-0123456789abcdef",
    EMAIL_FROM: "Countersign <reviews@example.com>",
    RESEND_API_KEY: mail.keys.sending,
    RESEND_BASE_URL: mail.url,
  };
  const objects = Object.entries(first.durableObjects ?? {}).map(([name, of]) => {
    const className = typeof of === "string" ? of : of.className;
    return [name, { className, scriptName: "countersign" }];
  });
  const services = { FIRST: "countersign", SECOND: "countersign-second" };
  const frontWorker = { name: "front", modules: true, script: front, compatibilityDate: "2026-11-02", serviceBindings: services };
  const workers = [
    frontWorker,
    { ...first, bindings },
    { ...first, name: "countersign-second", bindings, durableObjects: Object.fromEntries(objects) },
    ...others,
  ];
  gateway = await startServer(port, script, { port, persistTo: folder, workers });
  await put("servers", { servers: { old: { url: old.url, allowPrivate: true, connections: { reviewers: ["everyone"] } } } });
  const then = { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600, selfApproval: true };
  await put("policy", {
    rules: [{ name: "calls", when: { subject: "toolCall" }, then }],
    default: { request: "allow", response: "allow" },
    reviewers: { everyone: [{ name: "Ada", email: address }] },
  });
  ada = new InboxPerson(url);
  await ada.signIn(mail, address);
  operator = await signInAtConsole();
});
afterAll(async () => {
  await gateway?.stop("kill");
  await Promise.all([old?.close(), mail?.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const asAdmin = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };

async function put(name: string, document: object): Promise<void> {
  const { version } = (await (await fetch(`${url}/admin/${name}`, { headers: asAdmin })).json()) as { version: number };
  const headers = { ...asAdmin, "If-Match": String(version) };
  const answer = await fetch(`${url}/admin/${name}`, { method: "PUT", body: JSON.stringify(document), headers });
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`);
}

type Connected = { readonly client: string; readonly access: string; readonly refresh: string; readonly key: string };

const token = (fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(`${url}/oauth/token`, { method: "POST", body: new URLSearchParams(fields) });

async function connect(): Promise<Connected> {
  const body = JSON.stringify({ client_name: "Measured", redirect_uris: [callback], token_endpoint_auth_method: "none" });
  const headers = { "Content-Type": "application/json" };
  const registered = await fetch(`${url}/oauth/register`, { method: "POST", body, headers });
  const { client_id: client } = (await registered.json()) as { readonly client_id: string }; // RFC 7591
  const asked = new URL(`${url}/oauth/authorize`);
  asked.search = new URLSearchParams({
    response_type: "code",
    client_id: client,
    redirect_uri: callback,
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: `${url}/mcp/old`,
  }).toString();
  const code = (await ada.allow(asked)).searchParams.get("code") ?? "";
  const traded = await token({
    grant_type: "authorization_code",
    client_id: client,
    redirect_uri: callback,
    code,
    code_verifier: verifier,
  });
  const { access_token: access, refresh_token: refresh } = (await traded.json()) as Record<string, string>; // RFC 6749
  const { keys } = (await (await fetch(`${url}/admin/keys`, { headers: asAdmin })).json()) as { keys: readonly { id: string }[] };
  return { client, access: access ?? "", refresh: refresh ?? "", key: keys.at(-1)?.id ?? "" };
}

const renewed = async ({ client, refresh }: Connected): Promise<string> =>
  ((await (await token({ grant_type: "refresh_token", client_id: client, refresh_token: refresh })).json()) as Record<string, string>)[
    "refresh_token"
  ] ?? "";

type Revoke = () => Promise<unknown>;

/** Each is made ready first; what it resolves with is the revocation itself. */
const ways: Readonly<Record<string, (of: Connected) => Promise<Revoke>>> = {
  "an operator, by `DELETE /admin/keys/{id}`":
    async ({ key }) =>
    () =>
      fetch(`${url}/admin/keys/${key}`, { method: "DELETE", headers: asAdmin }),
  "an operator, by the console's form": async ({ key }) => {
    const { cookie, home } = operator;
    const page = await (await fetch(url + home, { headers: { Cookie: cookie } })).text();
    return () => postAtConsole(`${home}/keys`, page, { revoke: key }, cookie);
  },
  "the person, on `/inbox/connections`": async ({ key }) => {
    const form = await ada.form("/inbox/connections");
    form.set("end", key);
    return () => ada.post("/inbox/connections", form);
  },
  "the client, with its access token":
    async ({ client, access }) =>
    () =>
      token({ token: access, client_id: client }),
  "the client, with its refresh token":
    async ({ client, refresh }) =>
    () =>
      token({ token: refresh, client_id: client }),
  "a refresh token that comes again": async (connected) => {
    await renewed({ ...connected, refresh: await renewed(connected) });
    return () => renewed(connected);
  },
};

async function postAtConsole(path: string, page: string, fields: Readonly<Record<string, string>>, cookie = ""): Promise<Response> {
  const session = /name="session" value="([^"]+)"/.exec(page)?.[1] ?? "";
  const answer = await fetch(url + path, {
    method: "POST",
    redirect: "manual",
    headers: { "Sec-Fetch-Site": "same-origin", Cookie: cookie },
    body: new URLSearchParams({ session, ...fields }),
  });
  if (answer.status !== 303) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

async function signInAtConsole(): Promise<{ readonly cookie: string; readonly home: string }> {
  const page = await (await fetch(`${url}/console`)).text();
  const { headers } = await postAtConsole("/console/sign-in", page, { token: adminToken });
  return { cookie: headers.getSetCookie()[0]?.split(";")[0] ?? "", home: new URL(headers.get("Location") ?? "", url).pathname };
}

/**
 * A key whose end is near. A person's choice of an end is a day away or more, so this is an API
 * key: whatever a request came with, its key's record has the end.
 */
async function endingKey(): Promise<{ readonly access: string; readonly expiresAt: number }> {
  const expiresAt = Date.now() + endsAfterMs;
  const body = JSON.stringify({ name: `ending ${expiresAt}`, scopes: ["sampling"], expiresAt: new Date(expiresAt).toISOString() });
  const made = await fetch(`${url}/admin/keys`, { method: "POST", headers: asAdmin, body });
  if (!made.ok) throw new Error(`keys: ${made.status} ${await made.text()}`);
  return { access: ((await made.json()) as { readonly key: string }).key, expiresAt };
}

const initialize = {
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "measured", version: "1" } },
};

class Client {
  readonly #headers: Record<string, string>;

  constructor(access: string) {
    this.#headers = { Authorization: `Bearer ${access}`, Accept: "application/json, text/event-stream", ...second };
  }

  send(method: string, session: string | null, message?: object, signal?: AbortSignal): Promise<Response> {
    const body = message === undefined ? {} : { body: JSON.stringify(message) };
    const headers = { ...this.#headers, ...(session === null ? {} : { "Mcp-Session-Id": session }), "Content-Type": "application/json" };
    return fetch(`${url}/mcp/old`, { method, headers, ...body, ...(signal === undefined ? {} : { signal }) });
  }

  async begin(): Promise<string> {
    const answer = await this.send("POST", null, initialize);
    await answer.text();
    const session = answer.headers.get("Mcp-Session-Id");
    if (session === null) throw new Error(`initialize: ${answer.status}`);
    return session;
  }
}

/** When the last of its answers was not 401, after `since`: the token is refused from then on. */
async function refusedAfter(ask: () => Promise<Response>, since: () => number): Promise<number> {
  for (;;) {
    const sent = performance.now();
    const answer = await ask();
    await answer.body?.cancel();
    if (answer.status === 401) return Math.max(0, sent - since());
  }
}

async function measuredWay(way: (of: Connected) => Promise<Revoke>): Promise<Record<string, number>> {
  const connected = await connect();
  const revoke = await way(connected);
  return measured(connected.access, async () => {
    const at = performance.now();
    return { at, revoked: revoke() };
  });
}

async function measuredEnd(): Promise<Record<string, number>> {
  const { access, expiresAt } = await endingKey();
  return measured(access, async () => {
    const leftMs = expiresAt - Date.now();
    if (leftMs < 0) throw new Error("the key ended before its streams were open");
    await new Promise((resolve) => setTimeout(resolve, leftMs - 100));
    return { at: performance.now() + expiresAt - Date.now(), revoked: Promise.resolve() };
  });
}

/**
 * After how many milliseconds each endpoint refused the token, or ended. `begin` revokes it, and
 * says when that is.
 */
async function measured(
  access: string,
  begin: () => Promise<{ readonly at: number; readonly revoked: Promise<unknown> }>,
): Promise<Record<string, number>> {
  const client = new Client(access);
  const session = await client.begin();
  const sessions = await Promise.all(Array.from({ length: 20 }, () => client.begin()));
  const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "plain", arguments: {} } };
  const [running, stream] = await Promise.all([client.send("POST", session, call), client.send("GET", session)]);
  expect([running.status, stream.status]).toEqual([200, 200]);
  const warm = { jsonrpc: "2.0", id: 8, method: "tools/list", params: {} };
  for (let count = 0; count < 5; count += 1) await (await client.send("POST", session, warm)).text();
  const { at, revoked } = await begin();
  const since = (): number => at;
  const ended = async (answer: Response): Promise<number> => {
    await answer.text().catch(() => "");
    return Math.max(0, performance.now() - at);
  };
  const [, first, inSession, listening, deleting, ofCall, ofStream] = await Promise.all([
    revoked,
    refusedAfter(() => client.send("POST", null, initialize), since),
    refusedAfter(() => client.send("POST", session, warm), since),
    refusedAfter(() => client.send("GET", session), since),
    refusedAfter(() => client.send("DELETE", sessions.pop() ?? "none"), since),
    ended(running),
    ended(stream),
  ]);
  return {
    "`initialize`": first,
    "`POST` in a session": inSession,
    "`GET`": listening,
    "`DELETE`": deleting,
    "a running call ends": ofCall,
    "an open `GET` ends": ofStream,
  };
}

test("a token is refused, and what it opened ends, within two seconds of its revocation", async () => {
  const lines: string[] = [];
  const measurements = Object.entries(ways).map(([name, way]) => [name, () => measuredWay(way)] as const);
  for (const [name, measure] of [...measurements, ["its key's end by date", measuredEnd] as const]) {
    const worst: Record<string, number> = {};
    for (let round = 0; round < rounds; round += 1)
      for (const [endpoint, ms] of Object.entries(await measure())) worst[endpoint] = Math.max(worst[endpoint] ?? 0, Math.round(ms));
    if (lines.length === 0)
      lines.push(`| revoked by | ${Object.keys(worst).join(" | ")} |`, `|---|${"---|".repeat(Object.keys(worst).length)}`);
    lines.push(`| ${name} | ${Object.values(worst).join(" | ")} |`);
    for (const [endpoint, ms] of Object.entries(worst)) expect(ms, `${name}: ${endpoint}`).toBeLessThan(mostMs);
  }
  const to = process.env["MEASURED_TO"];
  if (to !== undefined) writeFileSync(to, `${lines.join("\n")}\n`);
});
