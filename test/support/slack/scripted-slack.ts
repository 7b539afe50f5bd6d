// Slack as it documents itself, scripted: the methods that the gateway calls, with Slack's own
// checks and errors, and what it sends when somebody presses a button or submits a modal. It
// answers requests and opens no socket.

import { messageRefusal, viewRefusal } from "./block-rules.ts";

export type SlackStep =
  /** Slack's `ok: false`. */
  | { readonly error: string }
  | { readonly status: number; readonly retryAfter?: string }
  /** Answers as it would otherwise, once the promise is kept. */
  | { readonly until: Promise<unknown> }
  /** The connection breaks. */
  | { readonly breaks: true };

type Blocks = readonly Record<string, unknown>[];
export type SlackMessageSeen = {
  readonly channel: string;
  readonly ts: string;
  text: string;
  blocks: Blocks;
  readonly threadTs: string | null;
  edits: number;
  deleted: boolean;
};
export type SlackView = Record<string, unknown> & { readonly private_metadata?: string; readonly blocks: Blocks };
export type SlackEphemeral = { readonly channel: string; readonly user: string; readonly text: string; readonly blocks: Blocks };

export type SlackWorld = {
  readonly token: string;
  readonly secret: string;
  /** Who and what there is; a message to a member goes to the direct channel of their id. */
  readonly members: readonly string[];
  readonly channels?: readonly string[];
  readonly now?: () => number;
};

export const slackTeam = "T0TEAM";
export const slackApp = "A0APP";

export type SlackCall = {
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
  readonly authorization: string | null;
};

export class ScriptedSlack {
  /** Every call of the API, oldest first; and every body that came to the incoming webhook. */
  readonly calls: SlackCall[] = [];
  readonly posted: { readonly text: string; readonly blocks: Blocks }[] = [];
  readonly messages: SlackMessageSeen[] = [];
  readonly views: { readonly user: string; readonly view: SlackView }[] = [];
  readonly ephemerals: SlackEphemeral[] = [];
  readonly #members: Set<string>;
  readonly #channels: ReadonlySet<string>;
  readonly #steps = new Map<string, SlackStep[]>();
  readonly #triggers = new Map<string, { readonly user: string; readonly at: number; used: boolean }>();
  readonly #token: string;
  readonly #secret: string;
  readonly #now: () => number;
  #count = 0;

  constructor({ token, secret, members, channels = [], now = () => Date.now() }: SlackWorld) {
    this.#token = token;
    this.#secret = secret;
    this.#members = new Set(members);
    this.#channels = new Set(channels);
    this.#now = now;
  }

  /** Somebody new in the workspace. */
  join(member: string): void {
    this.#members.add(member);
  }

  /**
   * What the next calls of a method (or of `webhook`) meet, before they are answered as documented.
   */
  script(method: string, ...steps: readonly SlackStep[]): void {
    this.#steps.set(method, [...(this.#steps.get(method) ?? []), ...steps]);
  }

  callsOf(method: string): SlackCall[] {
    return this.calls.filter((call) => call.method === method);
  }

  /**
   * Answers one request to `…/api/<method>`, or to an incoming webhook's address (`…/services/…`).
   */
  async handle(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const method = /\/api\/([a-zA-Z.]+)$/.exec(pathname)?.[1] ?? "webhook";
    const text = new TextDecoder().decode(await request.arrayBuffer());
    const params = method === "webhook" ? {} : Object.fromEntries(new URLSearchParams(text));
    this.calls.push({ method, params, authorization: request.headers.get("Authorization") });
    const step = this.#steps.get(method)?.shift();
    if (step !== undefined && "breaks" in step) throw new TypeError("fetch failed");
    if (step !== undefined && "until" in step) await Promise.race([step.until, aborted(request.signal)]);
    if (step !== undefined && "status" in step) {
      const headers = step.retryAfter === undefined ? {} : { "Retry-After": step.retryAfter };
      return Response.json({ ok: false, error: "ratelimited" }, { status: step.status, headers });
    }
    if (method === "webhook") return this.#webhook(text, step);
    if (step !== undefined && "error" in step) return Response.json({ ok: false, error: step.error });
    if (request.headers.get("Authorization") !== `Bearer ${this.#token}`) return Response.json({ ok: false, error: "invalid_auth" });
    return Response.json(this.#answer(method, params));
  }

  #webhook(text: string, step: SlackStep | undefined): Response {
    const body = JSON.parse(text) as { text: string; blocks: Blocks }; // what the gateway sent: a test's own failure otherwise
    if (step !== undefined && "error" in step) return new Response(step.error, { status: webhookStatus[step.error] ?? 400 });
    if (messageRefusal(body.blocks) !== null) return new Response("invalid_blocks", { status: 400 });
    this.posted.push(body);
    return new Response("ok");
  }

  #answer(method: string, params: Record<string, string>): object {
    const fail = (error: string, detail: object = {}): object => ({ ok: false, error, ...detail });
    switch (method) {
      case "auth.test":
        return {
          ok: true,
          url: "https://scripted.slack.com/",
          team: "Scripted",
          team_id: slackTeam,
          user: "countersign",
          user_id: "U0BOT",
          bot_id: "B0BOT",
        };
      case "chat.postMessage": {
        const channel = this.#channelOf(params["channel"]);
        if (channel === null) return fail("channel_not_found");
        const blocks = blocksOf(params["blocks"]);
        const refusal = messageRefusal(blocks);
        if (refusal !== null) return fail(refusal.error, { response_metadata: { messages: refusal.problems } });
        const thread = params["thread_ts"] ?? null;
        const ts = this.#ts();
        this.messages.push({ channel, ts, text: params["text"] ?? "", blocks, threadTs: thread, edits: 0, deleted: false });
        const message = {
          type: "message",
          ts,
          text: params["text"],
          blocks,
          bot_id: "B0BOT",
          app_id: slackApp,
          bot_profile: { app_id: slackApp, team_id: slackTeam },
        };
        return { ok: true, channel, ts, message };
      }
      case "chat.update": {
        const message = this.messages.find(({ channel, ts }) => channel === params["channel"] && ts === params["ts"]);
        if (message === undefined || message.deleted) return fail("message_not_found");
        const blocks = blocksOf(params["blocks"]);
        const refusal = messageRefusal(blocks);
        if (refusal !== null) return fail(refusal.error, { response_metadata: { messages: refusal.problems } });
        Object.assign(message, { text: params["text"] ?? "", blocks, edits: message.edits + 1 });
        return { ok: true, channel: message.channel, ts: message.ts, text: message.text };
      }
      case "chat.postEphemeral": {
        const { channel = "", user = "" } = params;
        if (!this.#channels.has(channel) && !channel.startsWith("D")) return fail("channel_not_found");
        if (!this.#members.has(user)) return fail("user_not_in_channel");
        const blocks = blocksOf(params["blocks"]);
        const refusal = messageRefusal(blocks);
        if (refusal !== null) return fail(refusal.error);
        this.ephemerals.push({ channel, user, text: params["text"] ?? "", blocks });
        return { ok: true, message_ts: this.#ts() };
      }
      case "views.open": {
        const trigger = this.#triggers.get(params["trigger_id"] ?? "");
        if (trigger === undefined) return fail("invalid_trigger_id");
        if (this.#now() - trigger.at > 3_000) return fail("expired_trigger_id");
        if (trigger.used) return fail("exchanged_trigger_id");
        const view = JSON.parse(params["view"] ?? "null") as SlackView; // checked on the next line
        const refusal = viewRefusal(view);
        if (refusal !== null) return fail(refusal.error, { response_metadata: { messages: refusal.problems } });
        trigger.used = true;
        this.views.push({ user: trigger.user, view });
        return { ok: true, view: { id: "V0VIEW", team_id: slackTeam, app_id: slackApp, ...view } };
      }
      default:
        return fail("unknown_method");
    }
  }

  #channelOf(id: string | undefined): string | null {
    if (id === undefined) return null;
    if (this.#members.has(id)) return directChannel(id);
    return this.#channels.has(id) || (id.startsWith("D") && this.#members.has(`U${id.slice(1)}`)) ? id : null;
  }

  #ts(): string {
    this.#count += 1;
    return `1800000000.${String(this.#count).padStart(6, "0")}`;
  }

  // What Slack sends

  /** A press of a button of a message, as a payload. `change` is what is not as it should be. */
  press(
    message: Pick<SlackMessageSeen, "channel" | "ts" | "blocks">,
    actionId: string,
    user: string,
    change: Record<string, unknown> = {},
  ): Record<string, unknown> {
    const action = buttonsIn(message.blocks).find(({ action_id: id }) => id === actionId);
    if (action === undefined) throw new Error(`no button ${actionId} in this message`);
    const trigger = `${this.#ts()}.trigger`;
    this.#triggers.set(trigger, { user, at: this.#now(), used: false });
    return {
      type: "block_actions",
      user: { id: user, username: "somebody", name: "somebody", team_id: slackTeam },
      api_app_id: slackApp,
      token: "deprecated",
      container: { type: "message", message_ts: message.ts, channel_id: message.channel, is_ephemeral: false },
      trigger_id: trigger,
      team: { id: slackTeam, domain: "scripted" },
      enterprise: null,
      is_enterprise_install: false,
      channel: { id: message.channel, name: "directmessage" },
      message: { type: "message", ts: message.ts, blocks: message.blocks },
      state: { values: {} },
      response_url: "https://hooks.slack.com/actions/never-used",
      actions: [{ ...action, block_id: "b", type: "button", action_ts: this.#ts() }],
      ...change,
    };
  }

  /** The submission of a modal, its fields as they were opened but for `fields`. */
  submit(
    view: SlackView,
    user: string,
    fields: Readonly<Record<string, string | null>> = {},
    change: Record<string, unknown> = {},
  ): Record<string, unknown> {
    const inputs = view.blocks.filter(({ type }) => type === "input") as {
      block_id: string;
      element: { type: string; action_id: string; initial_value?: string };
    }[]; // checked when it was opened
    const values = inputs.map(({ block_id: id, element }) => {
      const value = Object.hasOwn(fields, id) ? fields[id] : (element.initial_value ?? null);
      if (element.type === "checkboxes")
        return [id, { [element.action_id]: { type: element.type, selected_options: value === null ? [] : [{ value }] } }];
      return [id, { [element.action_id]: { type: "plain_text_input", value } }];
    });
    return {
      type: "view_submission",
      team: { id: slackTeam, domain: "scripted" },
      user: { id: user, username: "somebody", name: "somebody", team_id: slackTeam },
      api_app_id: slackApp,
      token: "deprecated",
      trigger_id: "1.2.3",
      view: { ...view, id: "V0VIEW", state: { values: Object.fromEntries(values) } },
      response_urls: [],
      ...change,
    };
  }

  /**
   * A payload as Slack posts it: form-encoded, signed over its bytes. `change` replaces headers;
   * null leaves one out.
   */
  async sign(
    payload: unknown,
    change: Readonly<Record<string, string | null>> = {},
  ): Promise<{ body: string; headers: Record<string, string> }> {
    const body = typeof payload === "string" ? payload : new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const timestamp = change["X-Slack-Request-Timestamp"] ?? String(Math.floor(this.#now() / 1_000));
    const headers: Record<string, string> = {
      "Content-Type": "application/x-www-form-urlencoded",
      "X-Slack-Request-Timestamp": timestamp,
      "X-Slack-Signature": await signatureOf(this.#secret, timestamp, body),
    };
    for (const [name, value] of Object.entries(change)) {
      if (value === null) delete headers[name];
      else headers[name] = value;
    }
    return { body, headers };
  }
}

/** Slack's signature, by the platform's own cryptography and not by ours. */
export async function signatureOf(secret: string, timestamp: string, body: string): Promise<string> {
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(`v0:${timestamp}:${body}`)));
  return `v0=${[...mac].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

export const directChannel = (member: string): string => `D${member.slice(1)}`;

const webhookStatus: Readonly<Record<string, number>> = {
  action_prohibited: 403,
  channel_is_archived: 410,
  channel_not_found: 404,
  invalid_payload: 400,
  no_service: 404,
  rollup_error: 500,
};

/** Rejects when the caller gives up, as `fetch` does. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });

const blocksOf = (text: string | undefined): Blocks => JSON.parse(text ?? "[]") as Blocks; // what the gateway sent; the rules look at it next

/** The buttons of a message. */
export const buttonsIn = (blocks: Blocks): { readonly action_id: string; readonly value?: string; readonly url?: string }[] =>
  blocks.flatMap((block) => (block["type"] === "actions" ? (block["elements"] as { action_id: string }[]) : [])); // the rules have seen them
