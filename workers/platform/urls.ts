// The gateway's paths and links. A link is built from PUBLIC_URL alone, never from a request's
// headers.

import type { AlertKind } from "../../shared/policy/alert-terms.ts";

export const paths = {
  sampling: "/sampling",
  sessions: "/sessions/:session",
  sessionRequest: "/sessions/:session/requests/:id",
  control: "/control",
  controlSchema: "/control/schema/:file",
  controlSession: "/control/sessions/:session",
  tokens: "/tokens",
  v1: {
    chat: "/v1/chat/completions",
    responses: "/v1/responses",
    embeddings: "/v1/embeddings",
    models: "/v1/models",
    model: "/v1/models/:id{.+}",
    other: "/v1/*",
  },
  approvals: "/approvals",
  approvalResult: "/approvals/:id/result",
  claudeCodeHook: "/hooks/claude-code",
  run: "/runs/:id",
  receipt: "/receipts/:run",
  jwks: "/.well-known/jwks.json",
  mcp: "/mcp/:server",
  oauth: {
    resource: "/.well-known/oauth-protected-resource/mcp/:server",
    server: "/.well-known/oauth-authorization-server",
    openid: "/.well-known/openid-configuration",
    authorize: "/oauth/authorize",
    token: "/oauth/token",
    register: "/oauth/register",
    client: "/oauth/clients/:server",
  },
  review: "/r/:token",
  reviewLive: "/r/:token/live",
  inbox: "/inbox",
  inboxLive: "/inbox/live",
  inboxBulk: "/inbox/together",
  inboxAsk: "/inbox/sign-in",
  inboxSignIn: "/inbox/sign-in/:token",
  inboxSignOut: "/inbox/sign-out",
  inboxAvailability: "/inbox/availability",
  inboxPasskeys: "/inbox/passkeys",
  inboxDevices: "/inbox/devices",
  inboxDeviceRenewal: "/inbox/devices/renew",
  inboxPushWorker: "/inbox/push.js",
  inboxManifest: "/inbox/app.webmanifest",
  inboxIcon: "/inbox/icons/:name",
  inboxIssuer: "/inbox/issuer",
  inboxIssuerReturn: "/inbox/issuer/return",
  inboxConnect: "/inbox/connect",
  inboxConnections: "/inbox/connections",
  inboxLogins: "/inbox/connections/servers",
  inboxLoginReturn: "/inbox/connections/return/:server",
  inboxReceipt: "/inbox/receipts/:run",
  inboxReview: "/inbox/reviews/:gate/:run",
  inboxReviewLive: "/inbox/reviews/:gate/:run/live",
  inboxReviewPasskey: "/inbox/reviews/:gate/:run/passkey",
  console: "/console",
  consolePage: "/console/:page{.+}",
  slackInteractions: "/slack/interactions",
  health: "/healthz",
  metrics: "/metrics",
  recordCheckpoint: "/record/:shard/checkpoint",
  recordCosigned: "/record/:shard/cosigned",
  recordTile: "/record/:shard/tile/:path{.+}",
  openapi: "/openapi.json",
  openapiPage: "/openapi",
  admin: {
    routing: "/admin/routing",
    explain: "/admin/routing/explain",
    ready: "/admin/routing/ready",
    policy: "/admin/policy",
    policyReplay: "/admin/policy/replay",
    servers: "/admin/servers",
    issuers: "/admin/issuers",
    budgets: "/admin/budgets",
    spend: "/admin/budgets/spend",
    stops: "/admin/stops",
    stopEverything: "/admin/stops/everything",
    stopServer: "/admin/stops/servers/:server",
    stopKey: "/admin/stops/keys/:key",
    stopTool: "/admin/stops/tools/:id",
    keys: "/admin/keys",
    key: "/admin/keys/:id",
    keyUse: "/admin/key-use",
    runs: "/admin/runs",
    decisions: "/admin/decisions",
    runTotals: "/admin/run-totals",
    run: "/admin/runs/:id",
    runEvents: "/admin/runs/:id/events",
    runReceipt: "/admin/runs/:id/receipt",
    runReview: "/admin/runs/:id/review",
    runNotices: "/admin/runs/:id/notices",
    runReviewers: "/admin/runs/:id/reviewers",
    notices: "/admin/notices",
    grants: "/admin/grants",
    grant: "/admin/grants/:id",
    inboxSessions: "/admin/inboxes/:reviewer/sessions",
    inboxPasskey: "/admin/inboxes/:reviewer/passkeys/:passkey",
    reviewers: "/admin/reviewers",
    receiptKeys: "/admin/receipt-keys",
    receiptKey: "/admin/receipt-keys/:kid",
    channelTest: "/admin/channels/test",
    doctor: "/admin/doctor",
    doctorServer: "/admin/doctor/servers/:server",
    tools: "/admin/tools",
    serverTools: "/admin/tools/:server",
    acceptTools: "/admin/tools/:server/accept",
    hideTools: "/admin/tools/:server/hide",
    record: "/admin/record",
    acts: "/admin/acts",
    actsCheck: "/admin/acts/check",
    sunset: "/admin/sunset",
    usage: "/admin/usage",
    overview: "/admin/overview",
    outcomes: "/admin/outcomes",
  },
} as const;

/**
 * A document's paths. Each document has its own, so that no path is a pattern of another one: then
 * one regular expression finds a route.
 */
export const documentPaths = <Name extends "routing" | "policy" | "servers" | "issuers" | "budgets">(name: Name) =>
  ({
    document: paths.admin[name],
    schema: `${paths.admin[name]}/schema`,
    check: `${paths.admin[name]}/check`,
    versions: `${paths.admin[name]}/versions`,
    version: `${paths.admin[name]}/versions/:version`,
    restore: `${paths.admin[name]}/versions/:version/restore`,
  }) as const;

/** The path of a run, for a `Location` header. */
export const runPath = (id: string): string => `/runs/${encodeURIComponent(id)}`;

/** The link to a review's page. */
export const reviewUrl = (publicUrl: string, token: string): string => `${publicUrl}/r/${token}`;

/**
 * A review's page for somebody who is signed in to their inbox: without a token. `inbox`: the URL
 * or the path of the inbox.
 */
export const inboxReviewUrl = (inbox: string, gate: "request" | "response", run: string): string => `${inbox}/reviews/${gate}/${run}`;

/** Where the review page's form posts to: relative, so that a path prefix in PUBLIC_URL is kept. */
export const reviewFormAction = (publicUrl: string, token: string): string => new URL(reviewUrl(publicUrl, token)).pathname;

/** The base URL of the API that OpenAI's SDKs speak. */
export const v1Url = (publicUrl: string): string => `${publicUrl}/v1`;

/** A server of the relay: as OAuth names it, the resource. */
export const mcpUrl = (publicUrl: string, server: string): string => `${publicUrl}/mcp/${encodeURIComponent(server)}`;

/** Where a client reads which authorization server lets it in (RFC 9728). */
export const resourceMetadataUrl = (publicUrl: string, server: string): string =>
  `${publicUrl}/.well-known/oauth-protected-resource/mcp/${encodeURIComponent(server)}`;

/** The inbox, and what is under it. */
export const inboxUrl = (publicUrl: string): string => `${publicUrl}/inbox`;

/** Where a reviewer's holiday and quiet hours are posted to. `inbox`: the URL of the inbox. */
export const availabilityUrl = (inbox: string): string => `${inbox}/availability`;

/** A reviewer's passkeys. `inbox`: the URL of the inbox. */
export const passkeysUrl = (inbox: string): string => `${inbox}/passkeys`;
/** Where a reviewer turns devices on and off. `inbox`: the URL of the inbox. */
export const devicesUrl = (inbox: string): string => `${inbox}/devices`;

/** Where a person lets a client in. `inbox`: the URL of the inbox. */
export const connectUrl = (inbox: string): string => `${inbox}/connect`;

/** The clients that a person let in. */
export const connectionsUrl = (inbox: string): string => `${inbox}/connections`;

/** Where a person begins and ends their own logins at servers. `inbox`: the URL of the inbox. */
export const loginsUrl = (inbox: string): string => `${connectionsUrl(inbox)}/servers`;

/**
 * Where a browser comes back to from this server's own sign-in. No other server's leads there: a
 * code that one server's sign-in gave for another would be told apart by it (RFC 9700 section
 * 4.4.2.2).
 */
export const loginReturnUrl = (inbox: string, server: string): string => `${connectionsUrl(inbox)}/return/${encodeURIComponent(server)}`;

/** What the gateway says of itself to this server's sign-in: as OAuth names it, its id there. */
export const clientDocumentUrl = (publicUrl: string, server: string): string => `${publicUrl}/oauth/clients/${encodeURIComponent(server)}`;

/** Where a person begins to sign in at an issuer. `inbox`: the URL of the inbox. */
export const issuerSignInUrl = (inbox: string): string => `${inbox}/issuer`;

/** Where a browser comes back to from an issuer: the redirect URI that is registered there. */
export const issuerReturnUrl = (publicUrl: string): string => `${publicUrl}${paths.inboxIssuerReturn}`;

/** The operator's pages. */
export const consoleUrl = (publicUrl: string): string => `${publicUrl}/console`;

/** Where the console shows what is behind an alert. */
export function alertUrl(publicUrl: string, kind: AlertKind): string {
  const pages: Readonly<Record<AlertKind, string>> = {
    providerFailing: "now",
    budgetUsedUp: "budgets",
    nobodyReached: "requests?state=undeliverable",
    reviewsExpire: "requests?state=expired",
  };
  return `${consoleUrl(publicUrl)}/${pages[kind]}`;
}

/** The link that signs a reviewer in to their inbox. */
export const signInUrl = (publicUrl: string, token: string): string => `${publicUrl}/inbox/sign-in/${token}`;

/**
 * The path of one of our own addresses, for links and forms: relative to the host, so that a path
 * prefix in PUBLIC_URL is kept.
 */
export const pathOfUrl = (url: string): string => new URL(url).pathname;
