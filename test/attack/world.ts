// The gateway under attack: the real Workers in a process of their own, and fakes only where the
// world begins (providers, Slack, email, webhooks, MCP servers), each on a socket of this machine.

import type { MailApi } from "../support/mail-api.ts";
import { startMailServer } from "../support/mail-server.ts";
import { ScriptedNtfy } from "../support/ntfy-server.ts";
import { ScriptedPushService } from "../support/push-service.ts";
import { type RawMcpServer, startRawMcpServer } from "../support/raw-mcp-server.ts";
import { type Served, serve } from "../support/serve.ts";
import { ScriptedSlack } from "../support/slack/scripted-slack.ts";
import { startSlackServer } from "../support/slack-server.ts";
import { ScriptedTelegram } from "../support/telegram-server.ts";
import { type WebhookReceiver, createWebhookReceiver } from "../support/webhook-receiver.ts";
import { type Killable, adminToken, apiKey, killableGateway, linkKey } from "../outside/support/killable-gateway.ts";
import { until } from "../outside/support/raw-client.ts";
import { type Trap, startTrap } from "./trap.ts";
import {
  fewPlaces,
  ntfyName,
  ntfyTopic,
  placesPerChannel,
  policy,
  routing,
  servers,
  slackMember,
  telegramChat,
  webhookName,
} from "./documents.ts";

export const secrets = {
  admin: adminToken,
  link: linkKey,
  olderLink: "older-link-key-of-the-attacks-0123456789",
  content: "content-key-of-the-attacks-0123456789abcdef",
  dev: apiKey,
  slackToken: "xoxb-token-of-the-attacks-0123456789",
  slackSigning: "signing-secret-of-the-attacks-0123456789",
  webhook: `whsec_${btoa("s".repeat(32))}`,
  server: "secret-of-the-mcp-server-0123456789",
  ntfy: "tk_token-of-the-attacks-0123456789",
  telegram: "123456789:token-of-the-attacks-0123456789abcdef",
} as const;

const places = Array.from({ length: placesPerChannel }, (_, place) => place);
const few = places.slice(0, fewPlaces);

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined where the body is not JSON. */
  readonly json: unknown;
};

export type Asking = {
  readonly method?: string;
  /** An API key or the admin token; null: none. Absent: the first key. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is not text or bytes is sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
};

export type Key = { readonly id: string; readonly key: string };

export type World = Pick<Killable, "url" | "port" | "folder" | "pid" | "model" | "start" | "kill" | "close"> & {
  readonly mail: MailApi;
  readonly slack: ScriptedSlack;
  readonly webhooks: WebhookReceiver;
  readonly ntfy: ScriptedNtfy;
  readonly telegram: ScriptedTelegram;
  readonly push: ScriptedPushService;
  readonly mcp: RawMcpServer;
  /** A server inside, which nothing may ever lead to. */
  readonly trap: Trap;
  /** Two API keys of two people. */
  readonly ann: Key;
  readonly bob: Key;
  readonly ask: (path: string, asking?: Asking) => Promise<Answer>;
  readonly admin: (path: string, asking?: Asking) => Promise<Answer>;
  readonly newKey: (wish?: object) => Promise<Key>;
  /** Replaces a document, whatever its version is; gives the answer. */
  readonly put: (name: string, document: object) => Promise<Answer>;
};

const limits = {
  requestsPerMinute: 100_000,
  callsPerMinute: 1_000_000,
  concurrent: 1_000,
  heldStreams: 1_000,
  roundsPerOriginatingRequest: 10_000,
};

type Edge = Pick<World, "mail" | "slack" | "webhooks" | "ntfy" | "telegram" | "push" | "mcp" | "trap"> & {
  readonly variables: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
};

/** Everything that is not the gateway, beside the provider. */
async function startEdge(): Promise<Edge> {
  const mail = await startMailServer();
  const slack = new ScriptedSlack({
    token: secrets.slackToken,
    secret: secrets.slackSigning,
    members: ["U0ADA", "U0EVE", ...places.map(slackMember)],
    channels: ["C0ROOM"],
  });
  const slackServer = await startSlackServer(slack);
  const webhooks = createWebhookReceiver(secrets.webhook);
  const hook = await serve(webhooks.answer);
  const ntfy = new ScriptedNtfy({ tokens: [secrets.ntfy] });
  const ntfyServer = await serve(ntfy.answer);
  const telegram = new ScriptedTelegram({ token: secrets.telegram, chats: few.map(telegramChat) });
  const telegramServer = await serve(telegram.answer);
  const push = new ScriptedPushService("");
  const pushServer = await serve(push.answer);
  push.origin = pushServer.url;
  const mcp = await startRawMcpServer();
  const trap = await startTrap();
  const closing: Served[] = [mail, hook, ntfyServer, telegramServer, pushServer, trap];
  return {
    mail,
    slack,
    webhooks,
    ntfy,
    telegram,
    push,
    mcp,
    trap,
    variables: {
      LINK_KEY_PREVIOUS: secrets.olderLink,
      CONTENT_KEY: secrets.content,
      NOTES_TOKEN: secrets.server,
      // Short: a repeat after a crash waits until the call could have ended.
      MODEL_TIMEOUT_SECONDS: "4",
      RELAY_HOLD_SECONDS: "1",
      EMAIL_FROM: "Countersign <reviews@example.com>",
      RESEND_API_KEY: mail.keys.sending,
      RESEND_BASE_URL: mail.url,
      SLACK_BOT_TOKEN: secrets.slackToken,
      SLACK_SIGNING_SECRET: secrets.slackSigning,
      SLACK_API_URL: slackServer.apiUrl,
      ...Object.fromEntries(
        places.map(webhookName).flatMap((name) => [
          [`WEBHOOK_${name}_URL`, hook.url],
          [`WEBHOOK_${name}_SECRET`, secrets.webhook],
        ]),
      ),
      ...Object.fromEntries(
        few.flatMap((place) => [
          [`NTFY_${ntfyName(place)}_URL`, `${ntfyServer.url}/${ntfyTopic(place)}`],
          [`NTFY_${ntfyName(place)}_TOKEN`, secrets.ntfy],
        ]),
      ),
      TELEGRAM_BOT_TOKEN: secrets.telegram,
      TELEGRAM_API_URL: `${telegramServer.url}/`,
    },
    close: async () => {
      await Promise.all([mcp.close(), slackServer.close(), ...closing.map((each) => each.close())]);
    },
  };
}

type Requests = Pick<World, "ask" | "admin" | "put" | "newKey">;

/** Requests to the gateway at this address. `first`: the key of those that name none. */
function requestsTo(url: string, first: () => string): Requests {
  const ask: Requests["ask"] = (path, asking = {}) =>
    answerTo(url, path, { ...asking, key: asking.key === undefined ? first() : asking.key });
  const admin: Requests["admin"] = (path, asking = {}) => ask(`/admin${path}`, { key: secrets.admin, ...asking });
  return {
    ask,
    admin,
    put: async (name, document) => {
      const current = (await admin(`/${name}`)).json as { readonly version: number }; // the contract's
      return admin(`/${name}`, { method: "PUT", body: document, headers: { "If-Match": String(current.version) } });
    },
    newKey: async (wish = {}) => {
      const made = await admin("/keys", { method: "POST", body: { name: "attacker", owner: "Ada", limits, ...wish } });
      if (made.status !== 201) throw new Error(`keys: ${made.status} ${made.text}`);
      return made.json as Key; // the contract's
    },
  };
}

/** Starts everything, with the documents of documents.ts written. `variables`: more of them. */
export async function startWorld(variables: Readonly<Record<string, string>> = {}): Promise<World> {
  const edge = await startEdge();
  const gateway = await killableGateway({ ...edge.variables, ...variables });
  const close = async (): Promise<void> => void (await Promise.all([gateway.close(), edge.close()]));
  let ann: Key = { id: "", key: "" };
  const requests = requestsTo(gateway.url, () => ann.key);
  try {
    await gateway.start();
    await gateway.put("policy", policy);
    await gateway.put("routing", routing(gateway.model.openaiUrl));
    await gateway.put("servers", servers(edge.mcp.url, edge.trap.redirectUrl));
    ann = await requests.newKey({ name: "ann", owner: "Ada" });
    const bob = await requests.newKey({ name: "bob", owner: "Ben" });
    return { ...gateway, ...edge, ...requests, ann, bob, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function answerTo(url: string, path: string, { method, key, headers = {}, body, signal }: Asking): Promise<Answer> {
  const isPlain = typeof body === "string" || body instanceof Uint8Array || body instanceof URLSearchParams;
  const sent = isPlain ? (body as string | Uint8Array<ArrayBuffer> | URLSearchParams) : JSON.stringify(body); // by isPlain
  const response = await fetch(url + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    redirect: "manual",
    headers: {
      ...(key === null || key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      ...(body === undefined || body instanceof URLSearchParams ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: sent }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Whether the gateway is healthy, or is so again soon. A connection that it closed after a refused
 * upload may be the first that is tried.
 */
export const isAlive = (world: World): Promise<boolean> =>
  until("a healthy gateway", () =>
    world.ask("/healthz", { key: null }).then(
      ({ status }) => status === 200,
      () => false,
    ),
  ).catch(() => false);
