// The published description against the gateway itself: every operation in it is asked for.

import { Ajv2020 } from "ajv/dist/2020.js";
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { httpStatuses } from "../../../shared/wire/status.ts";
import { inboxNameOf } from "../../../shared/review/inbox.ts";
import { formNonce, nonceLatestMs, nonceRandomLength } from "../../../shared/review/link.ts";
import { signingKey } from "../../../shared/sealed-id.ts";
import { approveAct } from "../../../shared/review/form.ts";
import { app } from "../../../workers/app.ts";
import { type ListedTool, listedTool } from "../../../shared/relay/tool-definition.ts";
import { type Stop, toolStopFrom } from "../../../shared/policy/stops.ts";
import { paths } from "../../../workers/platform/urls.ts";
import type { DocumentName } from "../../../workers/stubs/config-calls.ts";
import { toolStopId } from "../../../workers/stubs/stop-calls.ts";
import { configStub, ledgerShardOf, stopStub, toolsStub } from "../../../workers/stubs/stubs.ts";
import type { App } from "../../../workers/endpoints/app-context.ts";
import { examples } from "../../../workers/endpoints/openapi/examples.ts";
import { openapi } from "../../../workers/endpoints/openapi/openapi.ts";
import { type Operation, operationsOf } from "../../../workers/endpoints/openapi/operations.ts";
import { Authenticator } from "../../support/authenticator.ts";
import { ScriptedPushService } from "../../support/push-service.ts";
import { signatureOf } from "../../support/slack/scripted-slack.ts";
import { approvalIn, askAbout, askApproval, deletion, hookInput } from "../support/approvals.ts";
import {
  admin,
  adminToken,
  configure,
  createKey,
  devKey,
  env,
  eventually,
  gateway,
  jsonBody,
  openNotice,
  operator,
  policy,
  routing,
  sample,
  samplingMessage,
  publicUrl,
} from "../support/gateway.ts";
import { everyKind } from "../support/control.ts";
import { InboxBrowser, addresses, beforeThePage, configureInbox, newestSignInLink, waits } from "../support/inbox.ts";
import { addingForm, withPasskey } from "../support/passkeys.ts";
import { ConsoleBrowser, atConsole } from "../support/console.ts";
import { givenGrant } from "../support/grants.ts";
import { expectPublished, unjudged } from "../support/published.ts";
import { formOf, nonceFor, pathOf } from "../support/reviewer.ts";

const operations = operationsOf(app);

type Ask = { readonly path: string; readonly init?: RequestInit; readonly key?: string | null };

const waitingRun = async () => {
  void sample({ server: "notes" });
  return openNotice("request");
};
const at = (path: string, init: RequestInit = {}): Ask => ({ path, init });
const asAdmin = (path: string, init: RequestInit = {}): Ask => ({ path: `/admin${path}`, init, key: adminToken });
const current = { "If-Match": "1" };
const servers = { servers: { notes: { url: "https://notes.example.com/mcp" } } };
const pinned = { servers: { notes: { url: "https://notes.example.com/mcp", pin: "hold" } } };
/** A tool in a list that passes. */
function listed(name: string): ListedTool {
  const tool = listedTool({ name, description: `Does ${name}.`, inputSchema: { type: "object" } });
  if (tool === null) throw new Error("not a tool");
  return tool;
}
const issuers = {
  issuers: {
    idp: {
      issuer: "https://idp.example.com/",
      algorithm: "RS256",
      audience: "countersign",
      jwksUrl: "https://idp.example.com/keys",
      subjects: {},
    },
  },
};

/** An envelope that nobody has to be asked about: its call is handed back. */
const envelope = (more: object = {}) => ({
  protocol_version: "1.0",
  request_id: crypto.randomUUID(),
  model: { name: "first" },
  task: { type: "function_call", parameters: { functions: [{ name: "f" }], function_call: { name: "f", parameters: { a: 1 } } } },
  ...more,
});
const text = (parameters: object) => ({ task: { type: "text_generation", parameters: { prompt: "Say hello.", ...parameters } } });

/** Requests, and the status of each. */
type Asking = () => Promise<readonly (readonly [number, Ask])[]>;
type Asks = Record<string, Asking>;

/** A signed-in reviewer with a review that waits: their cookie, and the review's run. */
async function signedIn(): Promise<{ cookie: string; run: string; browser: InboxBrowser }> {
  await configureInbox();
  const browser = new InboxBrowser();
  await browser.signIn(addresses.Ada);
  const run = await waits();
  await browser.lists(1);
  return { cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "), run, browser };
}

const posted = (path: string, fields: URLSearchParams | string, headers: Record<string, string> = {}): Ask => ({
  path,
  key: null,
  init: {
    method: "POST",
    body: fields.toString(),
    headers: { "Content-Type": "application/x-www-form-urlencoded", Origin: publicUrl, ...headers },
  },
});
const opened = (path: string, cookie: string, headers: Record<string, string> = {}): Ask => ({
  path,
  key: null,
  init: { headers: { Cookie: cookie, ...headers } },
});
const upgrade = (origin = publicUrl) => ({ Upgrade: "websocket", Origin: origin });

/** The same for the console. */
function consoleAsks(): Asks {
  const form = async (browser: ConsoleBrowser, page: string): Promise<string> =>
    new URLSearchParams({ session: /name="session" value="([^"]+)"/.exec((await browser.get(page)).text)?.[1] ?? "" }).toString();
  return {
    root: async () => [[302, { path: "/", key: null }]],
    showConsoleHome: async () => [[401, { path: "/console", key: null }]],
    showConsole: async () => {
      const { cookie, home } = await atConsole();
      return [
        [200, opened(`${home}/stops`, cookie)],
        [303, opened(`${home}/requests?q=${await waitingRun().then(({ run }) => run)}`, cookie)],
        [422, opened(`${home}/requests?since=never`, cookie)],
        [401, { path: "/console/stops", key: null }],
        [404, opened(`${home}/none`, cookie)],
      ];
    },
    actInConsole: async () => {
      const browser = await atConsole();
      const fields = await form(browser, "stops");
      const { cookie, home } = browser;
      return [
        [401, posted("/console/stops", fields)],
        [403, posted(`${home}/stops`, "session=x", { Cookie: cookie })],
        [404, posted(`${home}/none`, fields, { Cookie: cookie })],
        [413, posted(`${home}/stops`, "x".repeat(4_000_001), { Cookie: cookie })],
        [415, posted(`${home}/stops`, "", { Cookie: cookie, "Content-Type": "text/plain" })],
        [422, posted(`${home}/stops`, `${fields}&resume=servers%2Fnone`, { Cookie: cookie })],
        [303, posted(`${home}/stops`, `${fields}&kind=servers&name=notes`, { Cookie: cookie })],
      ];
    },
  };
}

/** The same for the inbox. */
function inboxAsks(): Asks {
  return {
    askToSignIn: async () => {
      await configureInbox();
      const fields = await new InboxBrowser().form("/inbox");
      fields.set("email", addresses.Ada);
      const late = new URLSearchParams(fields);
      late.set("nonce", lateNonce("inbox/ask", "ask"));
      const asked = new URLSearchParams(fields);
      const bad = new URLSearchParams(asked);
      bad.set("email", "x");
      return [
        [409, posted("/inbox/sign-in", late)],
        [200, posted("/inbox/sign-in", asked)],
        [403, posted("/inbox/sign-in", asked, { Origin: "null" })],
        [413, posted("/inbox/sign-in", "x".repeat(10_001))],
        [415, posted("/inbox/sign-in", asked, { "Content-Type": "text/plain" })],
        [422, posted("/inbox/sign-in", bad)],
      ];
    },
    showSignIn: async () => [[404, { path: "/inbox/sign-in/x", key: null }]],
    signIn: async () => {
      await configureInbox();
      const browser = new InboxBrowser();
      await browser.ask(addresses.Ada);
      const { pathname } = new URL(await newestSignInLink(addresses.Ada));
      const nonce = (await browser.form(pathname)).get("nonce") ?? "";
      const late = lateNonce(pathname.slice("/inbox/sign-in/".length), "sign-in");
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      return [
        [404, posted("/inbox/sign-in/x", "")],
        [409, posted(pathname, `nonce=${late}`, { Cookie: cookie })],
        [403, posted(pathname, `nonce=${nonce}`)],
        [303, posted(pathname, `nonce=${nonce}`, { Cookie: cookie })],
        [410, posted(pathname, `nonce=${nonce}`, { Cookie: cookie })],
        [413, posted(pathname, "x".repeat(10_001))],
        [415, posted(pathname, "", { "Content-Type": "text/plain" })],
      ];
    },
    showInbox: async () => {
      const { cookie, browser } = await signedIn();
      return [[200, opened(browser.at("/inbox"), cookie)]];
    },
    watchInbox: async () => {
      const { cookie, browser } = await signedIn();
      return [
        [403, opened(browser.at("/inbox/live"), cookie, upgrade("https://evil.example.com"))],
        [404, opened("/inbox/live", "", upgrade())],
        [426, opened(browser.at("/inbox/live"), cookie)],
      ];
    },
    signOut: async () => {
      const { cookie, browser } = await signedIn();
      const fields = await browser.form("/inbox", "leave");
      return [
        [403, posted(browser.at("/inbox/sign-out"), "nonce=x", { Cookie: cookie })],
        [413, posted(browser.at("/inbox/sign-out"), "x".repeat(10_001), { Cookie: cookie })],
        [415, posted(browser.at("/inbox/sign-out"), "", { Cookie: cookie, "Content-Type": "text/plain" })],
        [303, posted(browser.at("/inbox/sign-out"), fields, { Cookie: cookie })],
      ];
    },
    setAvailability: async () => {
      const { cookie, browser } = await signedIn();
      const fields = await browser.form("/inbox", "in stack");
      const wrong = new URLSearchParams([...fields, ["zone", "Nowhere/Else"]].toReversed());
      return [
        [403, posted(browser.at("/inbox/availability"), "nonce=x", { Cookie: cookie })],
        [413, posted(browser.at("/inbox/availability"), "x".repeat(10_001), { Cookie: cookie })],
        [415, posted(browser.at("/inbox/availability"), "", { Cookie: cookie, "Content-Type": "text/plain" })],
        [422, posted(browser.at("/inbox/availability"), wrong, { Cookie: cookie })],
        [303, posted(browser.at("/inbox/availability"), fields, { Cookie: cookie })],
      ];
    },
    showPasskeys: async () => {
      const { cookie, browser } = await signedIn();
      return [[200, opened(browser.at("/inbox/passkeys"), cookie)]];
    },
    addPasskey: async () => {
      const { cookie, browser } = await signedIn();
      const fields = await addingForm(browser, await Authenticator.at(publicUrl));
      const path = browser.at("/inbox/passkeys");
      return [
        [403, posted(path, "nonce=x", { Cookie: cookie })],
        [413, posted(path, "x".repeat(10_001), { Cookie: cookie })],
        [415, posted(path, "", { Cookie: cookie, "Content-Type": "text/plain" })],
        [422, posted(path, new URLSearchParams({ nonce: fields.get("nonce") ?? "" }), { Cookie: cookie })],
        [303, posted(path, fields, { Cookie: cookie })],
      ];
    },
    setDevice: async () => {
      const { cookie, browser } = await signedIn();
      const html = await browser.text("/inbox");
      const nonce = /id="devices".*?name="nonce" value="([^"]+)"/s.exec(html)?.[1] ?? "";
      return [
        [403, posted(browser.at("/inbox/devices"), "nonce=x", { Cookie: cookie })],
        [413, posted(browser.at("/inbox/devices"), "x".repeat(10_001), { Cookie: cookie })],
        [415, posted(browser.at("/inbox/devices"), "", { Cookie: cookie, "Content-Type": "text/plain" })],
        [200, posted(browser.at("/inbox/devices"), new URLSearchParams({ nonce, act: "key" }), { Cookie: cookie })],
        [303, posted(browser.at("/inbox/devices"), new URLSearchParams({ nonce, act: "off" }), { Cookie: cookie })],
      ];
    },
    renewDevice: async () => {
      const { browser } = await signedIn();
      const service = new ScriptedPushService("https://push.example.com");
      const secret = "s".repeat(43);
      const nonce = /id="devices".*?name="nonce" value="([^"]+)"/s.exec(await browser.text("/inbox"))?.[1] ?? "";
      const subscription = async () => {
        const { endpoint, p256dh, auth } = await service.subscribe("phone");
        return { endpoint, p256dh, auth };
      };
      await browser.post("/inbox/devices", new URLSearchParams({ nonce, act: "on", secret, ...(await subscription()) }));
      const token = `${inboxNameOf("Ada")}.${secret}`;
      const path = "/inbox/devices/renew";
      return [
        [403, posted(path, "", { Origin: "https://evil.example" })],
        [404, posted(path, "token=x")],
        [413, posted(path, "x".repeat(10_001))],
        [415, posted(path, "", { "Content-Type": "text/plain" })],
        [204, posted(path, new URLSearchParams({ token, ...(await subscription()) }))],
      ];
    },
    showPushWorker: async () => [[200, { path: "/inbox/push.js", key: null }]],
    showManifest: async () => [[200, { path: "/inbox/app.webmanifest", key: null }]],
    showInboxIcon: async () => [
      [200, { path: "/inbox/icons/192.png", key: null }],
      [404, { path: "/inbox/icons/193.png", key: null }],
    ],
    showInboxReview: async () => {
      const { cookie, run, browser } = await signedIn();
      return [
        [200, opened(browser.at(`/inbox/reviews/request/${run}`), cookie)],
        [404, opened(browser.at(`/inbox/reviews/response/${run}`), cookie)],
      ];
    },
    decideInboxReview: async () => {
      const { cookie, run, browser } = await signedIn();
      const path = browser.at(`/inbox/reviews/request/${run}`);
      const fields = await browser.form(path);
      beforeThePage();
      const form = (change: Record<string, string>, headers: Record<string, string> = {}): Ask =>
        posted(path, new URLSearchParams({ ...Object.fromEntries(fields), ...change }), { Cookie: cookie, ...headers });
      return [
        [200, form({ act: "preview" })],
        [400, form({ version: "x" })],
        [403, form({}, { Origin: "null" })],
        [404, { ...form({}), path: browser.at(`/inbox/reviews/response/${run}`) }],
        [409, form({ act: "deny" })],
        [415, form({}, { "Content-Type": "text/plain" })],
      ];
    },
    askPasskey: async () => {
      await configureInbox({ confirm: "passkey" });
      const browser = new InboxBrowser();
      await browser.signIn(addresses.Ada);
      await withPasskey(browser);
      const run = await waits();
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const path = browser.at(`/inbox/reviews/request/${run}/passkey`);
      const fields = await browser.form(browser.at(`/inbox/reviews/request/${run}`));
      return [
        [200, posted(path, fields, { Cookie: cookie })],
        [400, posted(path, "version=x", { Cookie: cookie })],
        [403, posted(path, fields, { Cookie: cookie, Origin: "null" })],
        [404, posted(browser.at(`/inbox/reviews/response/${run}/passkey`), fields, { Cookie: cookie })],
        [415, posted(path, "", { Cookie: cookie, "Content-Type": "text/plain" })],
      ];
    },
    watchInboxReview: async () => {
      const { cookie, run, browser } = await signedIn();
      const live = browser.at(`/inbox/reviews/request/${run}/live`);
      return [
        [403, opened(live, cookie, upgrade("https://evil.example.com"))],
        [404, opened(browser.at(`/inbox/reviews/response/${run}/live`), cookie, upgrade())],
        [426, opened(live, cookie)],
      ];
    },
    showBulk: async () => {
      const { cookie, run, browser } = await signedIn();
      return [[200, opened(browser.at(`/inbox/together?pick=request:${run}`), cookie)]];
    },
    decideBulk: async () => {
      const { cookie, run, browser } = await signedIn();
      const fields = await browser.form(`/inbox/together?pick=request:${run}`);
      return [
        [303, posted(browser.at("/inbox/together"), fields, { Cookie: cookie })],
        [400, posted(browser.at("/inbox/together"), "review=x", { Cookie: cookie })],
        [403, posted("/inbox/together", fields)],
        [413, posted(browser.at("/inbox/together"), "x".repeat(100_001), { Cookie: cookie })],
        [415, posted(browser.at("/inbox/together"), "", { Cookie: cookie, "Content-Type": "text/plain" })],
        [200, posted(browser.at("/inbox/together"), `${fields.toString()}&act=deny`, { Cookie: cookie })],
      ];
    },
    removePasskey: async () => [
      [200, asAdmin("/inboxes/Ada/passkeys/none", { method: "DELETE" })],
      [401, at("/admin/inboxes/Ada/passkeys/none", { method: "DELETE" })],
    ],
    endInboxSessions: async () => [
      [200, asAdmin("/inboxes/Ada/sessions", { method: "DELETE" })],
      [401, at("/admin/inboxes/Ada/sessions", { method: "DELETE" })],
    ],
  };
}

/** A nonce as a page that was open for too long has it. */
const lateNonce = (token: string, digest: string): string =>
  formNonce(
    [signingKey(env.LINK_KEY ?? "")],
    { token, version: 0, digest },
    Date.now() - nonceLatestMs - 1,
    crypto.getRandomValues(new Uint8Array(nonceRandomLength)),
  );

const budgets = { budgets: { all: { of: "everything", usd: 1, per: "day" } } };

/** The stop of everything, of a server and of a key, and its path. */
const stops = {
  Everything: ["/stops/everything", { scope: "everything" }],
  Server: ["/stops/servers/notes", { scope: "server", server: "notes" }],
  Key: ["/stops/keys/key_dev", { scope: "key", key: "key_dev" }],
} as const satisfies Record<string, readonly [string, Stop]>;

/** The same for receipts. */
function receiptAsks(): Asks {
  return {
    receiptKeys: async () => [[200, { path: "/.well-known/jwks.json", key: null }]],
    getReceipt: async () => {
      const { run } = await waitingRun();
      return [
        [404, at(`/receipts/${run}`)],
        [401, { path: `/receipts/${run}`, key: null }],
      ];
    },
    getRunReceipt: async () => {
      const { run } = await waitingRun();
      return [
        [404, asAdmin(`/runs/${run}/receipt`)],
        [401, at(`/admin/runs/${run}/receipt`)],
      ];
    },
    showReceipt: async () => {
      const { cookie, run, browser } = await signedIn();
      return [
        [200, { path: `/inbox/receipts/${run}`, key: null }],
        [404, opened(browser.at(`/inbox/receipts/${run}`), cookie)],
      ];
    },
    addReceiptKey: async () => [
      [201, asAdmin("/receipt-keys", { method: "POST" })],
      [401, at("/admin/receipt-keys", { method: "POST" })],
    ],
    revokeReceiptKey: async () => {
      const { kid } = await (await admin("/receipt-keys", { method: "POST" })).json<{ kid: string }>();
      return [
        [404, asAdmin("/receipt-keys/none", { method: "DELETE" })],
        [204, asAdmin(`/receipt-keys/${kid}`, { method: "DELETE" })],
        [401, at(`/admin/receipt-keys/${kid}`, { method: "DELETE" })],
      ];
    },
  };
}

/** The same for OAuth in front of the relay. */
function oauthAsks(): Asks {
  const json = (path: string, value: object): Ask => ({ ...at(path, jsonBody("POST", value)), key: null });
  const known = async (): Promise<void> => configure("servers", { servers: { notes: { url: "https://notes.example.com/mcp" } } });
  return {
    oauthResource: async () => {
      await known();
      return [
        [200, { path: "/.well-known/oauth-protected-resource/mcp/notes", key: null }],
        [404, { path: "/.well-known/oauth-protected-resource/mcp/none", key: null }],
      ];
    },
    oauthServer: async () => [[200, { path: "/.well-known/oauth-authorization-server", key: null }]],
    oauthServerOpenid: async () => [[200, { path: "/.well-known/openid-configuration", key: null }]],
    oauthToken: async () => [
      [400, posted("/oauth/token", "{}", { "Content-Type": "application/json" })],
      [401, posted("/oauth/token", "grant_type=authorization_code&client_id=nobody&code=x")],
    ],
    oauthRegister: async () => [
      [201, json("/oauth/register", { redirect_uris: ["http://127.0.0.1/callback"], token_endpoint_auth_method: "none" })],
      [400, json("/oauth/register", { redirect_uris: [] })],
    ],
    oauthAuthorize: async () => [[303, { path: "/oauth/authorize?client_id=nobody", key: null }]],
    showConnect: async () => {
      const { cookie, browser } = await signedIn();
      return [
        [200, { path: "/inbox/connect?client_id=nobody", key: null }],
        [400, opened(browser.at("/inbox/connect?client_id=nobody"), cookie)],
      ];
    },
    decideConnect: async () => {
      const { cookie, browser } = await signedIn();
      return [
        [400, posted(browser.at("/inbox/connect?client_id=nobody"), "act=allow", { Cookie: cookie })],
        [403, posted("/inbox/connect?client_id=nobody", "act=allow")],
      ];
    },
    showConnections: async () => {
      const { cookie, browser } = await signedIn();
      return [[200, opened(browser.at("/inbox/connections"), cookie)]];
    },
    oauthClient: async () => {
      await configure("servers", { servers: { own: { url: "https://notes.example.com/mcp", auth: { kind: "oauth" } } } });
      return [
        [200, { path: "/oauth/clients/own", key: null }],
        [404, { path: "/oauth/clients/none", key: null }],
      ];
    },
    decideLogin: async () => {
      await configure("servers", { servers: { own: { url: "https://notes.example.com/mcp", auth: { kind: "oauth" } } } });
      const { cookie, browser } = await signedIn();
      const fields = await browser.form("/inbox/connections");
      fields.set("disconnect", "own");
      return [
        [200, posted(browser.at("/inbox/connections/servers"), fields, { Cookie: cookie })],
        [403, posted(browser.at("/inbox/connections/servers"), "nonce=x", { Cookie: cookie })],
        [404, posted(browser.at("/inbox/connections/servers"), `nonce=${fields.get("nonce")}&connect=none`, { Cookie: cookie })],
      ];
    },
    beginIssuerSignIn: async () => [[403, posted("/inbox/issuer", "nonce=x", {})]],
    showIssuerReturn: async () => [[200, { path: "/inbox/issuer/return?state=x", key: null }]],
    finishIssuerSignIn: async () => [[403, posted("/inbox/issuer/return", "nonce=x", {})]],
    showLoginReturn: async () => [[404, { path: "/inbox/connections/return/own?state=x", key: null }]],
    finishLogin: async () => {
      const { cookie, browser } = await signedIn();
      return [[403, posted(browser.at("/inbox/connections/return/own"), "nonce=x", { Cookie: cookie })]];
    },
    endConnection: async () => {
      const { cookie, browser } = await signedIn();
      const fields = await browser.form("/inbox/connections");
      return [
        [200, posted(browser.at("/inbox/connections"), fields, { Cookie: cookie })],
        [403, posted(browser.at("/inbox/connections"), "nonce=x", { Cookie: cookie })],
        [413, posted(browser.at("/inbox/connections"), "x".repeat(10_001), { Cookie: cookie })],
        [415, posted(browser.at("/inbox/connections"), "", { Cookie: cookie, "Content-Type": "text/plain" })],
      ];
    },
  };
}

/** The same for the API under /v1, and the tokens for it. */
function v1Asks(): Asks {
  const post = (path: string, value: unknown, headers: Record<string, string> = {}): Ask => at(path, jsonBody("POST", value, headers));
  const refusedAlike = async (path: string): Promise<readonly (readonly [number, Ask])[]> => [
    [400, post(path, {})],
    [401, { ...post(path, {}), key: null }],
    [403, { ...post(path, {}), key: (await createKey({ scopes: ["sampling"] })).key }],
    [413, { ...post(path, "x".repeat(2_000)), key: (await createKey({ limits: { bodyBytes: 1024 } })).key }],
    [415, at(path, { method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } })],
  ];
  const chat = (more: object = {}) => ({ model: "first", messages: [{ role: "user", content: "Say hello." }], ...more });
  const listAlike = async (path: string): Promise<readonly (readonly [number, Ask])[]> => [
    [200, at(path)],
    [401, { ...at(path), key: null }],
    [403, { ...at(path), key: (await createKey({ scopes: ["sampling"] })).key }],
  ];
  return {
    chatCompletions: async () => {
      await configure("policy", { ...policy, default: { ...policy.default, request: "allow", response: "allow" } });
      const once = { "Idempotency-Key": "once" };
      return [
        ...(await refusedAlike("/v1/chat/completions")),
        [200, post("/v1/chat/completions", chat())],
        [200, post("/v1/chat/completions", chat({ stream: true }))],
        [200, post("/v1/chat/completions", chat(), once)],
        [404, post("/v1/chat/completions", chat({ model: "of nobody" }))],
        [409, post("/v1/chat/completions", chat({ model: "auto" }), once)],
      ];
    },
    createResponse: async () => {
      await configure("policy", { ...policy, default: { ...policy.default, request: "allow", response: "allow" } });
      const once = { "Idempotency-Key": "once" };
      const response = (more: object = {}) => ({ model: "first", input: "Say hello.", ...more });
      return [
        ...(await refusedAlike("/v1/responses")),
        [200, post("/v1/responses", response())],
        [200, post("/v1/responses", response({ stream: true }))],
        [200, post("/v1/responses", response(), once)],
        [404, post("/v1/responses", response({ model: "of nobody" }))],
        [409, post("/v1/responses", response({ model: "auto" }), once)],
      ];
    },
    embeddings: async () => {
      await configure("policy", { ...policy, default: { ...policy.default, request: "allow", response: "allow" } });
      await configure("routing", everyKind);
      return [
        ...(await refusedAlike("/v1/embeddings")),
        [200, post("/v1/embeddings", { model: "vectors", input: ["a", "b"] })],
        [404, post("/v1/embeddings", { model: "first", input: "a" })],
      ];
    },
    listModels: () => listAlike("/v1/models"),
    getModel: async () => [...(await listAlike("/v1/models/first")), [404, at("/v1/models/of-nobody")]],
    makeToken: async () => {
      const ended = { id: 1, method: "tools/call", name: "summarize", server: "notes" };
      const asked = { session: "s", originatingRequest: { ...ended, id: 2 }, maxUsd: 0.5 };
      await gateway("/sessions/s/requests/1?server=notes", { method: "DELETE", key: devKey });
      return [
        [201, post("/tokens", asked)],
        [400, post("/tokens", { ...asked, maxUsd: 0 })],
        [400, post("/tokens", { ...asked, session: "" })],
        [401, { ...post("/tokens", asked), key: null }],
        [403, { ...post("/tokens", asked), key: (await createKey({ scopes: ["sampling"] })).key }],
        [403, post("/tokens", { ...asked, originatingRequest: ended })],
      ];
    },
  };
}

/** For each operation, requests that together get most of its answers: status first. */
const asks: Asks = {
  sampling: async () => [
    [200, at("/sampling", jsonBody("POST", samplingMessage()))],
    [200, at("/sampling", jsonBody("POST", samplingMessage(), { Accept: "text/event-stream" }))],
    [202, at("/sampling", jsonBody("POST", samplingMessage({ server: "notes" }), { Prefer: "respond-async" }))],
    [200, at("/sampling", jsonBody("POST", { jsonrpc: "2.0", id: 1, method: "elicitation/create", params: {} }))],
    [202, at("/sampling", jsonBody("POST", { jsonrpc: "2.0", method: "notifications/cancelled" }))],
    [400, at("/sampling", jsonBody("POST", []))],
    [401, { ...at("/sampling", jsonBody("POST", {})), key: null }],
    [403, { ...at("/sampling", jsonBody("POST", {})), key: (await createKey({ scopes: ["control"] })).key }],
    [413, { ...at("/sampling", jsonBody("POST", "x".repeat(2_000))), key: (await createKey({ limits: { bodyBytes: 1024 } })).key }],
    [415, at("/sampling", { method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } })],
  ],
  requestApproval: async () => {
    await askAbout();
    const { tool: _asked, ...more } = deletion;
    const open = { ...more, tool: "read_file" };
    const ask = (value: unknown, headers = {}): Ask => at("/approvals", jsonBody("POST", value, headers));
    return [
      [200, ask(open)],
      [200, ask({ ...open, tool: "drop_table" })],
      [200, ask(open, { Accept: "text/event-stream" })],
      [202, ask(deletion, { Prefer: "respond-async" })],
      [200, ask(open, { "Idempotency-Key": "a" })],
      [409, ask({ ...open, tool: "read_files" }, { "Idempotency-Key": "a" })],
      [400, ask({})],
      [400, ask("x", { "Idempotency-Key": "a b" })],
      [401, { ...ask(open), key: null }],
      [403, { ...ask(open), key: (await createKey({ scopes: ["control"] })).key }],
      [413, { ...ask("x".repeat(2_000)), key: (await createKey({ limits: { bodyBytes: 1024 } })).key }],
      [415, at("/approvals", { method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } })],
    ];
  },
  withdrawApproval: async () => {
    await askAbout();
    await askApproval(deletion, { id: "withdrawn", headers: { Prefer: "respond-async" } });
    const ask = (id: string, more: Pick<Ask, "key"> = {}): Ask => ({
      ...at("/approvals", { method: "DELETE", headers: { "Idempotency-Key": id } }),
      ...more,
    });
    return [
      [204, ask("withdrawn")],
      [404, ask("withdrawn")],
      [400, ask("a b")],
      [401, ask("withdrawn", { key: null })],
      [403, ask("withdrawn", { key: (await createKey({ scopes: ["control"] })).key })],
    ];
  },
  returnResult: async () => {
    await askAbout({}, { redaction: { rules: [{ name: "keys", when: { subject: "toolCall" }, pattern: "sk-[a-z]+" }] } });
    const result = examples["returnResult"];
    const post = async (value: unknown, headers = {}): Promise<Ask> => {
      const { id } = await approvalIn(askApproval({ ...deletion, tool: "read_file", returnsResult: true }));
      return at(`/approvals/${id}/result`, jsonBody("POST", value, headers));
    };
    return [
      [200, await post(result)],
      [200, await post(result, { Accept: "text/event-stream" })],
      [400, await post({})],
      [401, { ...(await post(result)), key: null }],
      [403, { ...(await post(result)), key: (await createKey({ scopes: ["control"] })).key }],
      [404, { ...(await post(result)), key: (await createKey()).key }],
      [413, { ...(await post("x".repeat(2_000))), key: (await createKey({ limits: { bodyBytes: 1024 } })).key }],
      [415, { ...(await post(result)), init: { method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } } }],
    ];
  },
  claudeCodeHook: async () => {
    const post = (value: unknown, query = ""): Ask => at(`/hooks/claude-code${query}`, jsonBody("POST", value));
    return [
      [200, post(hookInput())],
      [200, post(hookInput("x", { hook_event_name: "Stop" }))],
      [200, post({})],
      [200, post(hookInput(), "?wait=soon")],
      [200, { ...post(hookInput()), key: null }],
    ];
  },
  endOriginatingRequest: async () => [
    [204, at("/sessions/s/requests/7?server=notes", { method: "DELETE" })],
    [400, at("/sessions/s/requests/x?server=notes", { method: "DELETE" })],
    [401, { ...at("/sessions/s/requests/7?server=notes", { method: "DELETE" }), key: null }],
    [403, { ...at("/sessions/s/requests/7?server=notes", { method: "DELETE" }), key: (await createKey({ scopes: ["control"] })).key }],
  ],
  endSession: async () => [
    [204, at("/sessions/s", { method: "DELETE" })],
    [400, at("/sessions/%20", { method: "DELETE" })],
    [401, { ...at("/sessions/s", { method: "DELETE" }), key: null }],
    [403, { ...at("/sessions/s", { method: "DELETE" }), key: (await createKey({ scopes: ["control"] })).key }],
  ],
  control: async () => {
    await configure("policy", { ...policy, default: { ...policy.default, request: "allow", response: "allow" } });
    const ask = (value: unknown): Ask => at("/control", jsonBody("POST", value));
    return [
      [200, ask(envelope())],
      [200, ask(envelope(text({})))],
      [200, ask(envelope(text({ stream: true })))],
      [400, ask({})],
      [400, ask(envelope({ auth: 1 }))],
      [401, { ...ask(envelope()), key: null }],
      [403, { ...ask(envelope()), key: (await createKey({ scopes: ["sampling"] })).key }],
      [200, ask(envelope({ request_id: "twice" }))],
      [409, ask(envelope({ request_id: "twice", model: { name: "other" } }))],
      [413, { ...ask("x".repeat(2_000)), key: (await createKey({ limits: { bodyBytes: 1024 } })).key }],
      [415, at("/control", { method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } })],
      [422, ask(envelope({ model: { name: "of nobody" }, ...text({}) }))],
    ];
  },
  controlSchema: async () => [
    [200, { ...at("/control/schema/2.1.json"), key: null }],
    [404, { ...at("/control/schema/3.0.json"), key: null }],
  ],
  forgetControlSession: async () => [
    [204, { ...at("/control/sessions/s", { method: "DELETE" }), key: (await createKey({ scopes: ["control"] })).key }],
    [400, { ...at("/control/sessions/%20", { method: "DELETE" }), key: (await createKey({ scopes: ["control"] })).key }],
    [401, { ...at("/control/sessions/s", { method: "DELETE" }), key: null }],
    [403, { ...at("/control/sessions/s", { method: "DELETE" }), key: (await createKey({ scopes: ["sampling"] })).key }],
  ],
  ...v1Asks(),
  getRun: async () => {
    const { run } = await waitingRun();
    return [
      [200, at(`/runs/${run}`)],
      [401, { ...at(`/runs/${run}`), key: null }],
      [404, at("/runs/run_x")],
    ];
  },
  cancelRun: async () => {
    const { run } = await waitingRun();
    return [
      [401, { ...at(`/runs/${run}`, { method: "DELETE" }), key: null }],
      [204, at(`/runs/${run}`, { method: "DELETE" })],
      [409, at(`/runs/${run}`, { method: "DELETE" })],
      [404, at("/runs/run_x", { method: "DELETE" })],
    ];
  },
  showReview: async () => [
    [200, { ...at(pathOf((await waitingRun()).link)), key: null }],
    [404, { ...at("/r/x"), key: null }],
  ],
  ...Object.fromEntries(
    (["POST", "GET", "DELETE"] as const).map((method) => [
      { POST: "relayMessage", GET: "relayListen", DELETE: "relayEnd" }[method],
      async () => {
        await configure("servers", servers);
        const body = method === "POST" ? { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }) } : {};
        const ask = (path: string, headers: Record<string, string> = {}): Ask => at(path, { method, headers, ...body });
        return [
          [400, ask("/mcp/notes")],
          [401, { ...ask("/mcp/notes"), key: null }],
          [403, ask("/mcp/notes", { Origin: "https://evil.example.com" })],
          [404, ask("/mcp/nowhere")],
          [404, ask("/mcp/notes", { "Mcp-Session-Id": "made-up" })],
        ] as const;
      },
    ]),
  ),
  ...inboxAsks(),
  ...oauthAsks(),
  ...receiptAsks(),
  ...consoleAsks(),
  slackInteractions: async () => {
    const secret = env.SLACK_SIGNING_SECRET ?? "";
    const timestamp = String(Math.floor(Date.now() / 1000));
    const sent = async (body: string, signature?: string): Promise<Ask> => ({
      path: "/slack/interactions",
      key: null,
      init: {
        method: "POST",
        body,
        headers: {
          "Content-Type": "application/x-www-form-urlencoded",
          "X-Slack-Request-Timestamp": timestamp,
          "X-Slack-Signature": signature ?? (await signatureOf(secret, timestamp, body)),
        },
      },
    });
    return [
      [200, await sent("ssl_check=1")],
      [400, await sent("payload=x")],
      [401, await sent("payload=x", `v0=${"0".repeat(64)}`)],
      [413, await sent("x".repeat(1_000_001))],
    ];
  },
  watchReview: async () => {
    const live = `${pathOf((await waitingRun()).link)}/live`;
    const asking = (origin: string): RequestInit => ({ headers: { Upgrade: "websocket", Origin: origin } });
    return [
      [403, { ...at(live, asking("https://evil.example.com")), key: null }],
      [404, { ...at("/r/x/live", asking(publicUrl)), key: null }],
      [426, { ...at(live), key: null }],
    ];
  },
  decideReview: async () => {
    const { link } = await waitingRun();
    const fields = await formOf(link);
    const form = (change: Record<string, string>, headers: Record<string, string> = { Origin: publicUrl }): Ask => {
      const changed = new URLSearchParams(fields);
      changed.set("nonce", nonceFor(link, fields, 5_000));
      for (const [name, value] of Object.entries(change)) changed.set(name, value);
      return {
        path: pathOf(link),
        key: null,
        init: { method: "POST", body: changed.toString(), headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers } },
      };
    };
    return [
      [200, form({ act: "preview" })],
      [400, form({ version: "x" })],
      [403, form({}, { Origin: "null" })],
      [404, { ...form({}), path: "/r/x" }],
      [409, form({ act: approveAct(0), nonce: nonceFor(link, fields, -60_000) })],
      [415, form({}, { "Content-Type": "text/plain", Origin: publicUrl })],
      [422, form({ act: approveAct(0), model: "none" })],
      [303, form({ act: "deny" })],
    ];
  },
  ...Object.fromEntries(
    (Object.entries({ policy, routing, servers, issuers, budgets }) as [DocumentName, object][]).flatMap(([name, good]) => [
      [
        `get-${name}`,
        async () =>
          [
            [200, asAdmin(`/${name}`)],
            [401, at(`/admin/${name}`)],
          ] as const,
      ],
      [
        `put-${name}`,
        async () => {
          // Every other document is at its first version already.
          if (name !== "policy" && name !== "routing") await configure(name, good);
          return [
            [200, asAdmin(`/${name}`, jsonBody("PUT", good, current))],
            [412, asAdmin(`/${name}`, jsonBody("PUT", good, current))],
            [400, asAdmin(`/${name}`, jsonBody("PUT", { surprise: 1 }, current))],
            [401, at(`/admin/${name}`, jsonBody("PUT", good, current))],
            [413, asAdmin(`/${name}`, { method: "PUT", body: " ".repeat(1_000_001) })],
            [428, asAdmin(`/${name}`, jsonBody("PUT", good))],
          ] as const;
        },
      ],
      [
        `get-${name}-schema`,
        async () =>
          [
            [200, asAdmin(`/${name}/schema`)],
            [401, at(`/admin/${name}/schema`)],
          ] as const,
      ],
      [
        `check-${name}`,
        async () =>
          [
            [200, asAdmin(`/${name}/check`, jsonBody("POST", good))],
            [200, asAdmin(`/${name}/check`, jsonBody("POST", { surprise: 1 }))],
            [400, asAdmin(`/${name}/check`, { method: "POST", body: "{" })],
            [401, at(`/admin/${name}/check`, jsonBody("POST", good))],
            [413, asAdmin(`/${name}/check`, { method: "POST", body: " ".repeat(1_000_001) })],
          ] as const,
      ],
      [
        `list-${name}-versions`,
        async () =>
          [
            [200, asAdmin(`/${name}/versions`)],
            [401, at(`/admin/${name}/versions`)],
          ] as const,
      ],
      [
        `get-${name}-version`,
        async () => {
          if (name !== "policy" && name !== "routing") await configure(name, good);
          return [
            [200, asAdmin(`/${name}/versions/1`)],
            [404, asAdmin(`/${name}/versions/9`)],
            [401, at(`/admin/${name}/versions/1`)],
          ] as const;
        },
      ],
      [
        `restore-${name}-version`,
        async () => {
          if (name !== "policy" && name !== "routing") await configure(name, good);
          return [
            [200, asAdmin(`/${name}/versions/1/restore`, { method: "POST" })],
            [412, asAdmin(`/${name}/versions/1/restore`, { method: "POST", headers: current })],
            [404, asAdmin(`/${name}/versions/9/restore`, { method: "POST" })],
            [401, at(`/admin/${name}/versions/1/restore`, { method: "POST" })],
          ] as const;
        },
      ],
    ]),
  ),
  explainRouting: async () => [
    [200, asAdmin("/routing/explain", jsonBody("POST", { preferences: { speedPriority: 1 } }))],
    [200, asAdmin("/routing/explain", jsonBody("POST", { namedModel: { name: "first", version: "latest" }, task: "embedding" }))],
    [400, asAdmin("/routing/explain", jsonBody("POST", { surprise: 1 }))],
    [401, at("/admin/routing/explain", jsonBody("POST", {}))],
  ],
  listReadyProviders: async () => [
    [200, asAdmin("/routing/ready")],
    [401, at("/admin/routing/ready")],
  ],
  replayPolicy: async () => {
    await sample({ server: "open" });
    return [
      [200, asAdmin("/policy/replay", jsonBody("POST", { policy: { default: { request: "allow", response: "allow" } }, days: 1 }))],
      [400, asAdmin("/policy/replay", jsonBody("POST", { policy: { rules: 1 } }))],
      [400, asAdmin("/policy/replay", jsonBody("POST", { policy: {}, next: "x" }))],
      [401, at("/admin/policy/replay", jsonBody("POST", {}))],
    ];
  },
  listSpend: async () => [
    [200, asAdmin("/budgets/spend")],
    [401, at("/admin/budgets/spend")],
  ],
  getSunset: async () => {
    await sample({ server: "open" });
    await eventually("the server in the report", async () =>
      (await admin("/sunset?format=text")).text().then((text) => text.includes("open")),
    );
    return [
      [200, asAdmin("/sunset")],
      [200, asAdmin("/sunset?format=text")],
      [400, asAdmin("/sunset?format=xml")],
      [401, at("/admin/sunset")],
    ];
  },
  getUsage: async () => {
    await sample({ server: "open" });
    await eventually("the server in the usage", async () =>
      (await admin("/usage?by=server&format=csv")).text().then((csv) => csv.includes("open")),
    );
    return [
      [200, asAdmin("/usage?by=server")],
      [200, asAdmin("/usage?by=model")],
      [200, asAdmin("/usage?by=hour")],
      [200, asAdmin("/usage?format=csv")],
      [400, asAdmin("/usage?by=tool")],
      [401, at("/admin/usage")],
    ];
  },
  getOverview: async () => {
    await waitingRun();
    await eventually("what waits", async () =>
      (await admin("/overview")).json<{ open: { firstDue: unknown } }>().then(({ open }) => open.firstDue !== null),
    );
    return [
      [200, asAdmin("/overview")],
      [200, asAdmin("/overview?period=month")],
      [400, asAdmin("/overview?period=year")],
      [401, at("/admin/overview")],
    ];
  },
  getOutcomes: async () => {
    await sample({ server: "open" });
    await eventually("an outcome", async () =>
      (await admin("/outcomes")).json<{ servers: readonly unknown[] }>().then(({ servers }) => servers.length > 0),
    );
    return [
      [200, asAdmin("/outcomes")],
      [401, at("/admin/outcomes")],
    ];
  },
  lastDiagnosis: async () => {
    await admin("/doctor", { method: "POST" });
    return [
      [200, asAdmin("/doctor")],
      [401, at("/admin/doctor")],
    ];
  },
  listWaitingTools: async () => {
    await configure("servers", pinned);
    return [
      [200, asAdmin("/tools")],
      [401, at("/admin/tools")],
    ];
  },
  listServerTools: async () => {
    await configure("servers", pinned);
    await toolsStub(env, "notes").seen({ server: "notes", pin: "hold", tools: [listed("read")], isLast: true });
    await toolsStub(env, "notes").seen({ server: "notes", pin: "hold", tools: [listed("write")], isLast: true });
    return [
      [200, asAdmin("/tools/notes")],
      [200, asAdmin("/tools/notes?waiting=true&limit=1")],
      [400, asAdmin("/tools/notes?limit=0")],
      [401, at("/admin/tools/notes")],
      [404, asAdmin("/tools/none")],
    ];
  },
  ...Object.fromEntries(
    (["accept", "hide"] as const).map((what): [string, Asking] => [
      `${what}Tools`,
      async () => {
        await configure("servers", pinned);
        await toolsStub(env, "notes").seen({ server: "notes", pin: "hold", tools: [listed("read")], isLast: true });
        const { name, digest } = listed("read");
        const tools = [{ name, digest }];
        return [
          [204, asAdmin(`/tools/notes/${what}`, jsonBody("POST", { tools }))],
          [400, asAdmin(`/tools/notes/${what}`, jsonBody("POST", {}))],
          [401, at(`/admin/tools/notes/${what}`, jsonBody("POST", { tools }))],
          [404, asAdmin(`/tools/none/${what}`, jsonBody("POST", { tools }))],
          [409, asAdmin(`/tools/notes/${what}`, jsonBody("POST", { tools: [{ name, digest: "another" }] }))],
        ];
      },
    ]),
  ),
  listStops: async () => [
    [200, asAdmin("/stops")],
    [401, at("/admin/stops")],
  ],
  ...Object.fromEntries(
    Object.entries(stops).flatMap(([name, [path, stop]]): [string, Asking][] => [
      [
        `stop${name}`,
        async () => [
          [204, asAdmin(path, { method: "PUT" })],
          ...(name === "Key" ? ([[404, asAdmin("/stops/keys/nobody", { method: "PUT" })]] as const) : []),
          [401, at(`/admin${path}`, { method: "PUT" })],
        ],
      ],
      [
        `resume${name}`,
        async () => {
          await stopStub(env, 0).stop(stop, null);
          return [
            [204, asAdmin(path, { method: "DELETE" })],
            [404, asAdmin(path, { method: "DELETE" })],
            [401, at(`/admin${path}`, { method: "DELETE" })],
          ];
        },
      ],
    ]),
  ),
  resumeTool: async () => {
    const stop = toolStopFrom({ key: "key_dev", server: "notes", tool: "read", session: null, by: "Ada" }, Date.now());
    await stopStub(env, 0).stop(stop, null);
    const path = `/stops/tools/${toolStopId(stop)}`;
    return [
      [401, at(`/admin${path}`, { method: "DELETE" })],
      [204, asAdmin(path, { method: "DELETE" })],
      [404, asAdmin(path, { method: "DELETE" })],
    ];
  },
  createKey: async () => [
    [201, asAdmin("/keys", jsonBody("POST", { name: "ci", once: "once-and-no-more" }))],
    [409, asAdmin("/keys", jsonBody("POST", { name: "ci", once: "once-and-no-more" }))],
    [400, asAdmin("/keys", jsonBody("POST", {}))],
    [401, at("/admin/keys", jsonBody("POST", { name: "ci" }))],
  ],
  listKeys: async () => {
    await createKey();
    return [
      [200, asAdmin("/keys")],
      [401, at("/admin/keys")],
    ];
  },
  changeKey: async () => {
    const [{ id }, revoked] = await Promise.all([createKey(), createKey()]);
    await admin(`/keys/${revoked.id}`, { method: "DELETE" });
    const change = (body: object, headers: Record<string, string> = current, of = id): Ask =>
      asAdmin(`/keys/${of}`, jsonBody("PUT", body, headers));
    return [
      [200, change({ name: "ci" })],
      [400, change({})],
      [401, at(`/admin/keys/${id}`, jsonBody("PUT", { name: "ci" }, current))],
      [404, change({ name: "ci" }, current, "key_none")],
      [409, change({ name: "ci" }, current, revoked.id)],
      [412, change({ name: "ci" })],
      [428, change({ name: "ci" }, {})],
    ];
  },
  revokeKey: async () => {
    const { id } = await createKey();
    return [
      [401, at(`/admin/keys/${id}`, { method: "DELETE" })],
      [204, asAdmin(`/keys/${id}`, { method: "DELETE" })],
      [404, asAdmin("/keys/key_none", { method: "DELETE" })],
    ];
  },
  listRuns: async () => {
    await waitingRun();
    return [
      [200, asAdmin("/runs?state=open&limit=10")],
      [400, asAdmin("/runs?limit=x")],
      [401, at("/admin/runs")],
    ];
  },
  listDecisions: async () => [
    [200, asAdmin("/decisions?by=Ada&decision=approved")],
    [400, asAdmin("/decisions?decision=x")],
    [401, at("/admin/decisions")],
  ],
  totalRuns: async () => {
    await waitingRun();
    return [
      [200, asAdmin("/run-totals?state=open")],
      [400, asAdmin("/run-totals?limit=1")],
      [401, at("/admin/run-totals")],
    ];
  },
  getOperatorRun: async () => {
    const { run } = await waitingRun();
    return [
      [200, asAdmin(`/runs/${run}`)],
      [404, asAdmin("/runs/run_x")],
      [401, at(`/admin/runs/${run}`)],
    ];
  },
  cancelRunAsOperator: async () => {
    const { run } = await waitingRun();
    return [
      [401, at(`/admin/runs/${run}`, { method: "DELETE" })],
      [404, asAdmin("/runs/run_x", { method: "DELETE" })],
      [204, asAdmin(`/runs/${run}`, { method: "DELETE" })],
      [409, asAdmin(`/runs/${run}`, { method: "DELETE" })],
    ];
  },
  getRunReview: async () => {
    const { run } = await waitingRun();
    return [
      [200, asAdmin(`/runs/${run}/review`)],
      [401, at(`/admin/runs/${run}/review`)],
      [404, asAdmin("/runs/run_x/review")],
    ];
  },
  sendNoticesAgain: async () => {
    const { run } = await waitingRun();
    const again = (reviewer: unknown, of = run): Ask => asAdmin(`/runs/${of}/notices`, jsonBody("POST", { reviewer }));
    return [
      [204, again("Ada")],
      [400, again(1)],
      [401, at(`/admin/runs/${run}/notices`, jsonBody("POST", { reviewer: "Ada" }))],
      [404, again("Ada", "run_x")],
      [409, again("Nobody")],
      ...Array.from({ length: 4 }, () => [204, again("Ada")] as const),
      [429, again("Ada")],
    ];
  },
  askReviewer: async () => {
    const { run } = await waitingRun();
    const also = (reviewer: unknown, of = run): Ask => asAdmin(`/runs/${of}/reviewers`, jsonBody("POST", { reviewer }));
    return [
      [204, also("Ada")],
      [400, also(1)],
      [401, at(`/admin/runs/${run}/reviewers`, jsonBody("POST", { reviewer: "Ada" }))],
      [404, also("Ada", "run_x")],
      [409, also("Nobody")],
    ];
  },
  listRunEvents: async () => {
    const { run } = await waitingRun();
    return [
      [200, asAdmin(`/runs/${run}/events`)],
      [400, asAdmin(`/runs/${run}/events?after=x`)],
      [404, asAdmin("/runs/run_x/events")],
      [401, at(`/admin/runs/${run}/events`)],
    ];
  },
  listNotices: async () => {
    await waitingRun();
    return [
      [200, asAdmin("/notices")],
      [400, asAdmin("/notices?limit=0")],
      [401, at("/admin/notices")],
    ];
  },
  listGrants: async () => [
    [200, asAdmin("/grants?key=key_dev&state=live")],
    [400, asAdmin("/grants?state=x")],
    [401, at("/admin/grants")],
  ],
  giveBypass: async () => {
    const bypass = (value: unknown): Ask => asAdmin("/grants", jsonBody("POST", value));
    return [
      [201, bypass({ key: (await createKey({})).id, hours: 2 })],
      [400, bypass({ hours: 2 })],
      [401, at("/admin/grants", jsonBody("POST", {}))],
      [404, bypass({ key: "key_none" })],
    ];
  },
  revokeGrant: async () => {
    const id = await givenGrant();
    return [
      [401, at(`/admin/grants/${id}`, { method: "DELETE" })],
      [204, asAdmin(`/grants/${id}`, { method: "DELETE" })],
      [404, asAdmin("/grants/key_none.0123456789012345678901", { method: "DELETE" })],
    ];
  },
  exportRecord: async () => [
    [200, asAdmin("/record")],
    [401, at("/admin/record")],
  ],
  listKeyUse: async () => {
    const { id } = await createKey({ budget: { usd: 1, per: "month" } });
    return [
      [200, asAdmin(`/key-use?ids=${id},key_none`)],
      [200, asAdmin("/key-use")],
      [400, asAdmin("/key-use?ids=")],
      [401, at("/admin/key-use")],
    ];
  },
  listActs: async () => [
    [200, asAdmin("/acts?kind=documentWritten&limit=1")],
    [400, asAdmin("/acts?month=2026-13")],
    [401, at("/admin/acts")],
  ],
  checkActs: async () => [
    [200, asAdmin("/acts/check")],
    [400, asAdmin("/acts/check?month=x")],
    [401, at("/admin/acts/check")],
  ],
  listReviewers: async () => [
    [200, asAdmin("/reviewers")],
    [400, asAdmin("/reviewers?after=")],
    [401, at("/admin/reviewers")],
  ],
  testChannel: async () => {
    const of = (reviewer: string, channel: string): Ask => asAdmin("/channels/test", jsonBody("POST", { reviewer, channel }));
    return [
      ...Array.from({ length: 5 }, () => [200, of("Ada", "outbox")] as const),
      [429, of("Ada", "outbox")],
      [400, of("Ada", "pigeon")],
      [404, of("Nobody", "outbox")],
      [409, of("Ada", "email")],
      [401, at("/admin/channels/test", jsonBody("POST", {}))],
    ];
  },
  doctorOfServer: async () => {
    await configure("servers", { servers: { notes: { url: "https://notes.example.com/mcp", passAuthorization: true } } });
    return [
      [200, asAdmin("/doctor/servers/notes", { method: "POST" })],
      [404, asAdmin("/doctor/servers/none", { method: "POST" })],
      [401, at("/admin/doctor/servers/notes", { method: "POST" })],
    ];
  },
  doctor: async () => [
    [200, asAdmin("/doctor", { method: "POST" })],
    [401, at("/admin/doctor", { method: "POST" })],
  ],
  health: async () => [[200, { ...at("/healthz"), key: null }]],
  metrics: async () => [
    [200, { ...at("/metrics"), key: adminToken }],
    [401, at("/metrics")],
  ],
  recordCheckpoint: async () => [
    [200, { ...at("/record/3/checkpoint"), key: adminToken }],
    [404, { ...at("/record/16/checkpoint"), key: adminToken }],
    [401, at("/record/3/checkpoint")],
  ],
  recordCosigned: async () => [
    [404, { ...at("/record/3/cosigned"), key: adminToken }],
    [401, at("/record/3/cosigned")],
  ],
  recordTile: async () => {
    await configStub(env).record({ kind: "doctorAsked", by: operator });
    const shard = ledgerShardOf(`operators/${new Date().toISOString().slice(0, 7)}`);
    return [
      [200, { ...at(`/record/${shard}/tile/entries/000.p/1`), key: adminToken }],
      [404, { ...at(`/record/${shard}/tile/entries/900`), key: adminToken }],
      [401, at(`/record/${shard}/tile/entries/000`)],
    ];
  },
  openapi: async () => [[200, { ...at("/openapi.json"), key: null }]],
  openapiPage: async () => [[200, { ...at("/openapi"), key: null }]],
};

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(openapi(app), "openapi");

async function expectAsDescribed(operation: Operation, response: Response): Promise<void> {
  const answer = operation.answers[response.status];
  if (answer === undefined) throw new Error(`${operation.id}: ${response.status} is not described`);
  // workerd warns of text() on a body whose type is not text.
  const text = new TextDecoder().decode(await response.arrayBuffer());
  if (text === "") return;
  const type = response.headers.get("Content-Type")?.split(";")[0] ?? "";
  const body = answer.bodies?.find((each) => each.type === type);
  expect([operation.id, response.status, type, body !== undefined]).toEqual([operation.id, response.status, type, true]);
  if (body?.schema === undefined) return;
  const validate = ajv.getSchema(`openapi#/components/schemas/${body.schema.name}`);
  if (validate === undefined) throw new Error(`no schema ${body.schema.name}`);
  validate(JSON.parse(text));
  expect([operation.id, response.status, validate.errors ?? []]).toEqual([operation.id, response.status, []]);
}

describe("each operation answers as it is described", () => {
  test.each(operations.map((operation) => [operation.id, operation] as const))("%s", async (id, operation) => {
    const listed = await asks[id]?.();
    if (listed === undefined) throw new Error(`nobody asks for ${id}`);
    for (const [status, { path, init = {}, key = devKey }] of listed) {
      expect((init.method ?? "GET").toLowerCase()).toBe(operation.method);
      const response = await gateway(path, { ...init, key });
      expect([path.slice(0, 40), response.status]).toEqual([path.slice(0, 40), status]);
      const { headers = {} } = operation.answers[status] ?? {};
      for (const name of Object.keys(status === 202 && (await response.clone().text()) === "" ? {} : headers))
        expect([id, status, name, response.headers.get(name)]).toEqual([id, status, name, expect.any(String)]);
      await expectAsDescribed(operation, response);
    }
  });
});

test("a route that says nothing of itself is found", () => {
  const withMore = new Hono<App>().route("/", app).get("/more", (c) => c.text(""));
  expect(() => operationsOf(withMore)).toThrow("GET /more is not described");
});

test("every answer of the operator's API with JSON is judged by a schema", () => {
  expect(operations.filter(({ auth }) => auth === "admin").length).toBeGreaterThan(50);
  expect(unjudged(operations)).toEqual([]);
});

describe("an answer of the operator's API", () => {
  const request = new Request(`${publicUrl}/admin/stops`);
  const stop = { scope: "server", server: "notes", at: "2026-11-24T10:00:00.000Z" };
  const judged = (...stops: readonly object[]): Promise<void> => expectPublished(request, Response.json({ stops }));

  test("is as its schema says", () => judged(stop, { scope: "everything", at: stop.at }));

  test.each([
    ["has a member that its schema does not name", { ...stop, by: "Ann" }],
    ["lacks a member", { scope: "server", at: stop.at }],
    ["has a value of another kind", { ...stop, at: "today" }],
  ])("that %s fails its test", async (_, changed) => {
    await expect(judged(stop, changed)).rejects.toThrow();
  });

  test("whose status is not published fails its test", async () => {
    await expect(expectPublished(request, Response.json({ stops: [] }, { status: 418 }))).rejects.toThrow("418");
  });
});

test("one regular expression finds the route of a request", async () => {
  // In this isolate; the router chooses how at its first request.
  await app.request("/no-such-page");
  expect(app.router.name).toBe("SmartRouter + RegExpRouter");
});

test("the document is OpenAPI 3.1: ids and parameters are whole, references lead somewhere", async () => {
  const published = await (await gateway("/openapi.json", { key: null })).json();
  expect(published).toEqual(openapi(app));
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length);
  for (const path of Object.keys(openapi(app)["paths"] ?? {})) expect(path).toMatch(/^\/$|^(\/([\w.-]+|\{\w+\}))+$/);
  for (const { path, parameters } of operations)
    expect([...path.matchAll(/:(\w+)/g)].map(([, name]) => name)).toEqual(
      parameters.filter((each) => each.in === "path").map(({ name }) => name),
    );
  const { components } = openapi(app) as { components: { schemas: Record<string, unknown> } };
  for (const [, name] of JSON.stringify(openapi(app)["paths"]).matchAll(/"#\/components\/schemas\/(\w+)"/g))
    expect(components.schemas).toHaveProperty(name ?? "");
});

test("each JSON body has an example, and each example is of an operation", () => {
  const withBody = operations.filter(({ body }) => body?.type === "application/json").map(({ id }) => id);
  expect(Object.keys(examples).toSorted()).toEqual(withBody.toSorted());
});

test("every status that an answer of the control endpoint can have is published", () => {
  const control = operations.find(({ id }) => id === "control");
  const published = new Set(Object.keys(control?.answers ?? {}).map(Number));
  expect(Object.values(httpStatuses).filter((status) => !published.has(status))).toEqual([]);
});

test("every path of urls.ts is served: an endpoint that the app does not mount is found", () => {
  const written = Object.values({ ...paths, ...paths.admin }).filter((path) => typeof path === "string");
  const served = new Set(app.routes.map(({ path }) => path));
  expect(written.filter((path) => !served.has(path))).toEqual([]);
});
