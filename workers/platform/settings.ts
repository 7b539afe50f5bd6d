// The Worker's variables, parsed once. An issue says which is missing or wrong, and what an operator can do.

import { isLoopbackHost } from "../../shared/address.ts";
import { type OperatorEntry, parseOperators } from "../../shared/credential/operator-roles.ts";
import { type SigningKeys, signingKey } from "../../shared/sealed-id.ts";
import type { Env } from "./env.ts";

export type Settings = {
  /** Without a trailing slash; undefined where it is not configured, and then no notices can be sent. */
  readonly publicUrl: string | undefined;
  readonly keys: SigningKeys;
  /** The secrets with which stored content is encrypted: the first one encrypts, all of them decrypt. Empty: it is stored as plain text. */
  readonly contentSecrets: readonly string[];
  readonly adminToken: string | undefined;
  readonly devApiKey: string | undefined;
  /** Whether notices go to the outbox, where anyone with the admin token can read links. */
  readonly outbox: boolean;
  readonly retentionMs: number;
  /** For one model call with its retries and failover. */
  readonly modelTimeoutMs: number;
  readonly heartbeatMs: number;
  /** How long one request of a client without a session is held while its call waits; then the client is asked to come back. */
  readonly legMs: number;
  /** How long a link opens its page. In a longer review its reviewer can request a new one. */
  readonly linkMs: number;
  /** How long a reviewer stays signed in to their inbox. */
  readonly inboxSessionMs: number;
  /** Cloudflare Access, where it signs reviewers in. */
  readonly access: AccessSettings | undefined;
  /** Whom Cloudflare Access brings as operators, and what they may do. */
  readonly operators: readonly OperatorEntry[];
  /** For health: each is one sentence that says what to fix. */
  readonly issues: readonly string[];
};

/** `issuer`: the team's address, as the tokens' `iss` has it. */
export type AccessSettings = { readonly issuer: string; readonly audience: string };

const shortestSecret = 16;
const parsed = new WeakMap<object, Settings>();

/**
 * The settings of this environment. Throws without a LINK_KEY of the least length, because no id can be sealed, and with a CONTENT_KEY that is
 * too short, because content would be stored as if it were protected.
 */
export function settingsOf(env: Env): Settings {
  const known = parsed.get(env);
  if (known !== undefined) return known;
  const settings = parseSettings(env);
  parsed.set(env, settings);
  return settings;
}

function parseSettings(env: Env): Settings {
  const issues: string[] = [];
  if (env.LINK_KEY === undefined || env.LINK_KEY.length < shortestSecret) {
    throw new Error(`LINK_KEY is missing or shorter than ${shortestSecret} characters: set it with \`wrangler secret put LINK_KEY\``);
  }
  const current = signingKey(env.LINK_KEY);
  const previous = env.LINK_KEY_PREVIOUS ?? "";
  if (previous !== "" && previous.length < shortestSecret)
    issues.push(
      `LINK_KEY_PREVIOUS is shorter than ${shortestSecret} characters and is not accepted; remove it, or set it to the previous LINK_KEY`,
    );
  const keys: SigningKeys = previous.length >= shortestSecret ? [current, signingKey(previous)] : [current];
  const contentSecrets = parseContentKeys(env, issues);
  const publicUrl = parsePublicUrl(env.PUBLIC_URL, issues);
  const loopback = publicUrl !== undefined && isLoopbackHost(new URL(publicUrl).hostname);
  if (env.ADMIN_TOKEN !== undefined && env.ADMIN_TOKEN.length < shortestSecret) {
    issues.push(`ADMIN_TOKEN is shorter than ${shortestSecret} characters and is not accepted; choose a longer one`);
  }
  return {
    publicUrl,
    keys,
    contentSecrets,
    adminToken: env.ADMIN_TOKEN !== undefined && env.ADMIN_TOKEN.length >= shortestSecret ? env.ADMIN_TOKEN : undefined,
    // DEV_API_KEY comes from a file, and is valid on a loopback address only.
    devApiKey: loopback && env.DEV_API_KEY !== undefined && env.DEV_API_KEY.length >= shortestSecret ? env.DEV_API_KEY : undefined,
    outbox: env.OUTBOX === "on" || (loopback && env.OUTBOX !== "off"),
    retentionMs: numberOf("RETENTION_HOURS", env.RETENTION_HOURS, 24, 1, 24 * 30, issues) * 3_600_000,
    modelTimeoutMs: numberOf("MODEL_TIMEOUT_SECONDS", env.MODEL_TIMEOUT_SECONDS, 120, 1, 600, issues) * 1000,
    linkMs: numberOf("LINK_HOURS", env.LINK_HOURS, 72, 1, 24 * 14, issues) * 3_600_000,
    inboxSessionMs: numberOf("INBOX_SESSION_HOURS", env.INBOX_SESSION_HOURS, 8, 1, 72, issues) * 3_600_000,
    access: parseAccess(env, issues),
    operators: operatorsOf(env, issues),
    legMs: numberOf("RELAY_HOLD_SECONDS", env.RELAY_HOLD_SECONDS, 50, 1, 300, issues) * 1000,
    heartbeatMs: numberOf("HEARTBEAT_SECONDS", env.HEARTBEAT_SECONDS, 15, 1, 60, issues) * 1000,
    issues,
  };
}

/** As long as a random text of 128 bits in base64 or hexadecimal, and of as many characters. */
const isWeak = (secret: string): boolean => secret.length < 22 || new Set(secret).size < 10;

/** With the previous key alone, content goes on being encrypted with that: a key that is missing by mistake stores nothing as plain text. */
function parseContentKeys({ CONTENT_KEY: current = "", CONTENT_KEY_PREVIOUS: previous = "" }: Env, issues: string[]): string[] {
  for (const [name, secret] of Object.entries({ CONTENT_KEY: current, CONTENT_KEY_PREVIOUS: previous })) {
    if (secret !== "" && secret.length < shortestSecret)
      throw new Error(`${name} is shorter than ${shortestSecret} characters: set a random one of 32 or more, or delete it`);
  }
  if (isWeak(current) && current !== "")
    issues.push("CONTENT_KEY is weak, so stored content could be decrypted by guessing it; set a random one of 32 characters or more");
  if (current === "" && previous !== "")
    issues.push("CONTENT_KEY is missing while CONTENT_KEY_PREVIOUS is set: content is encrypted with the previous key; set CONTENT_KEY");
  return [...new Set([current, previous])].filter((secret) => secret !== "");
}

function parsePublicUrl(text: string | undefined, issues: string[]): string | undefined {
  if (text === undefined || text === "") {
    issues.push("PUBLIC_URL is not set, so review links cannot be sent; set it to the address at which reviewers reach the gateway");
    return undefined;
  }
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.search !== "" || url.hash !== "" || url.username !== "") {
    issues.push("PUBLIC_URL is not a plain http or https address; correct it");
    return undefined;
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    issues.push("PUBLIC_URL must be https unless it is a loopback address; correct it");
    return undefined;
  }
  return url.href.replace(/\/+$/, "");
}

/** Both variables, or none: a token for another audience would be another application's. */
function parseAccess({ ACCESS_TEAM_DOMAIN: team = "", ACCESS_AUD: audience = "" }: Env, issues: string[]): AccessSettings | undefined {
  if (team === "" && audience === "") return undefined;
  const url = URL.parse(team.includes("://") ? team : `https://${team}`);
  if (
    url?.protocol !== "https:" ||
    url.pathname !== "/" ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== "" ||
    url.host === ""
  ) {
    issues.push("ACCESS_TEAM_DOMAIN is not a host such as team.cloudflareaccess.com: Cloudflare Access signs nobody in; correct it");
    return undefined;
  }
  if (!/^[\x21-\x7e]{1,200}$/.test(audience)) {
    issues.push("ACCESS_AUD is missing or not an audience tag: Cloudflare Access signs nobody in; set it to the application's tag");
    return undefined;
  }
  return { issuer: url.origin, audience };
}

function operatorsOf({ OPERATORS: text = "" }: Env, issues: string[]): readonly OperatorEntry[] {
  const operators = parseOperators(text);
  if (operators.ok) return operators.value;
  issues.push(`OPERATORS is not understood, so Cloudflare Access brings no operators: ${operators.error}; correct it`);
  return [];
}

function numberOf(name: string, text: string | undefined, standard: number, least: number, most: number, issues: string[]): number {
  if (text === undefined || text === "") return standard;
  const value = Number(text);
  if (Number.isFinite(value) && value >= least && value <= most) return value;
  issues.push(`${name} must be a number from ${least} to ${most}; the default ${standard} is used instead`);
  return standard;
}
