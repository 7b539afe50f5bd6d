// Clients of both SDK generations that know nothing but the address of the relay: they find the
// authorization server, register, send their user there, and call a tool with the token that comes
// of it. The user reads the page as a browser would, without one.

import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  UnauthorizedError as UnauthorizedV2,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { UnauthorizedError as UnauthorizedV1 } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectionChecks } from "../../../scripts/doctor-connections.ts";
import { freePort } from "../../../scripts/local-gateway.ts";
import { serve } from "../../support/serve.ts";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { InboxPerson } from "../../outside/support/inbox-person.ts";
import { type OAuthOffice, address, oauthOffice } from "../../outside/support/oauth-office.ts";
import { openedReview } from "../../outside/support/opened-review.ts";
import { until } from "../../outside/support/raw-client.ts";
import { authorizationConformance2026Of } from "../../outside/support/relay-conformance.ts";

const callback = "http://127.0.0.1:33418/callback";
const proxy = fileURLToPath(new URL("../../../node_modules/mcp-remote/dist/proxy.js", import.meta.url));

let office: OAuthOffice;
beforeAll(async () => {
  office = await oauthOffice();
});
afterAll(() => office?.close());

/** What an SDK asks its host to keep for a server, and to open for its user. */
class Host {
  readonly redirectUrl = callback;
  readonly clientMetadata = { client_name: "A host of the tests", redirect_uris: [callback], token_endpoint_auth_method: "none" };
  readonly opened: URL[] = [];
  readonly #kept = new Map<string, unknown>();
  state = (): string => "state-of-the-tests";
  clientInformation = (): never => this.#kept.get("client") as never;
  saveClientInformation = (client: unknown): void => void this.#kept.set("client", client);
  tokens = (): never => this.#kept.get("tokens") as never;
  saveTokens = (tokens: unknown): void => void this.#kept.set("tokens", tokens);
  redirectToAuthorization = (url: URL): void => void this.opened.push(url);
  saveCodeVerifier = (verifier: string): void => void this.#kept.set("verifier", verifier);
  codeVerifier = (): string => String(this.#kept.get("verifier"));
}

type Session = {
  readonly connect: () => Promise<void>;
  /** With what came to the callback. */
  readonly finish: (came: URLSearchParams) => Promise<void>;
  readonly call: () => Promise<unknown>;
  readonly close: () => Promise<void>;
};

const about = { name: "host", version: "1" };
const ask = { name: "plain", arguments: {} };

function sessionV1(host: Host): Session {
  const client = new ClientV1(about, { capabilities: {} });
  const transport = (): TransportV1 => new TransportV1(new URL(office.relay("old")), { authProvider: host });
  const first = transport();
  let isFinished = false;
  return {
    connect: () => client.connect((isFinished ? transport() : first) as Transport),
    finish: (came) => first.finishAuth(came.get("code") ?? "").then(() => void (isFinished = true)),
    call: () => client.callTool(ask),
    close: () => client.close(),
  };
}

function sessionV2(host: Host): Session {
  const client = new ClientV2(about, { capabilities: {} });
  const transport = (): TransportV2 => new TransportV2(new URL(office.relay("old")), { authProvider: host });
  const first = transport();
  let isFinished = false;
  return {
    connect: () => client.connect(isFinished ? transport() : first),
    finish: (came) => first.finishAuth(came).then(() => void (isFinished = true)),
    call: () => client.callTool(ask),
    close: () => client.close(),
  };
}

test.each([
  ["SDK 1.x", sessionV1, UnauthorizedV1],
  ["SDK 2.x", sessionV2, UnauthorizedV2],
] as const)("%s: from nothing but the address to a call that a person approves", async (_, session, unauthorized) => {
  const host = new Host();
  const { connect, finish, call, close } = session(host);
  await expect(connect()).rejects.toBeInstanceOf(unauthorized);
  const [asked] = host.opened;
  if (asked === undefined) throw new Error("the client sent its user nowhere");
  expect(asked.origin).toBe(office.url);
  const ada = new InboxPerson(office.url);
  await ada.signIn(office.mail, address);
  await finish((await ada.allow(asked)).searchParams);
  await connect();
  try {
    const { called, link } = await openedReview(office, call);
    expect((await decideByLink(link, "approve")).status).toBe(303);
    expect(JSON.stringify(await called)).toContain("Plain.");
  } finally {
    await close();
  }
});

test("mcp-remote, the bridge of clients over stdio: from nothing but the address to a call that a person approves", async () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-mcp-remote-"));
  const ada = new InboxPerson(office.url);
  await ada.signIn(office.mail, address);
  const client = new ClientV1(about, { capabilities: {} });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [proxy, office.relay("old"), "--transport", "http-only"],
    // No path: it opens no browser.
    env: { HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, PATH: folder },
    stderr: "pipe",
  });
  let said = "";
  transport.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString()));
  try {
    const connecting = client.connect(transport as Transport, { timeout: 300_000 });
    const asked = await until(
      "the address that it asks to open",
      async () => /authorize this client by visiting:\s+(http\S+)/.exec(said)?.[1],
    );
    expect((await fetch(await ada.allow(new URL(asked)))).status).toBe(200);
    await connecting;
    const { called, link } = await openedReview(office, () => client.callTool(ask));
    expect((await decideByLink(link, "approve")).status).toBe(303);
    expect(JSON.stringify(await called)).toContain("Plain.");
  } finally {
    await client.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the doctor walks the way from outside, and says where something in front of the gateway ends it", async () => {
  expect(await connectionChecks(office.url, ["old"])).toMatchObject([{ state: "good" }]);
  expect(await connectionChecks(office.url, ["none"])).toMatchObject([{ state: "fix", text: expect.stringContaining("WWW-Authenticate") }]);
  const front = await serve(async ({ url }) =>
    url.includes("/mcp/") ? new Response(null, { status: 401 }) : new Response("a page of the front", { status: 200 }),
  );
  expect(await connectionChecks(front.url, ["old"])).toMatchObject([{ state: "fix" }]);
  expect(await connectionChecks(front.url, [])).toEqual([]);
  await front.close();
});

test("the conformance suite's scenarios for authorization servers are passed", async () => {
  const port = await freePort();
  const body = { client_name: "suite", redirect_uris: [`http://127.0.0.1:${port}/callback`], token_endpoint_auth_method: "none" };
  const headers = { "Content-Type": "application/json" };
  const registered = await fetch(`${office.url}/oauth/register`, { method: "POST", headers, body: JSON.stringify(body) });
  const { client_id: id } = (await registered.json()) as { readonly client_id: string };
  const ada = new InboxPerson(office.url);
  await ada.signIn(office.mail, address);
  const findings = await authorizationConformance2026Of(office.url, { client: id, resource: office.relay("old"), port }, async (asked) => {
    await fetch(await ada.allow(asked));
  });
  expect([...findings.keys()]).toHaveLength(2);
  const complaints = [...findings.values()].flat().filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
  expect(complaints).toEqual([]);
});
