// The Worker's variables, parsed once. An issue says which is missing or wrong, and what an
// operator can do.

import { isLoopbackHost } from "../../shared/address.ts";
import { type OperatorEntry, parseOperators } from "../../shared/credential/operator-roles.ts";
import { type SecretError, secretError, secretErrorWords } from "../../shared/secret-error.ts";
import { type SigningKeys, signingKey } from "../../shared/sealed-id.ts";
import type { Env } from "./env.ts";
import { type OtlpSettings, parseOtlp } from "./otlp-settings.ts";

export type Settings = {
  /**
   * Without a trailing slash; undefined where it is not configured, and then no notices can be
   * sent.
   */
  readonly publicUrl: string | undefined;
  readonly keys: SigningKeys;
  /**
   * The secrets with which stored content is encrypted: the first one encrypts, all of them
   * decrypt. Empty: it is stored as plain text.
   */
  readonly contentSecrets: readonly string[];
  readonly adminToken: string | undefined;
  /** Undefined: only the admin token reads metrics. */
  readonly metricsToken: string | undefined;
  /** Undefined where no spans are exported. */
  readonly otlp: OtlpSettings | undefined;
  readonly devApiKey: string | undefined;
  /** Whether notices go to the outbox, where anyone with the admin token can read links. */
  readonly outbox: boolean;
  readonly retentionMs: number;
  /** For one model call with its retries and failover. */
  readonly modelTimeoutMs: number;
  readonly heartbeatMs: number;
  /**
   * How long one request of a client without a session is held while its call waits; then the
   * client is asked to come back.
   */
  readonly holdMs: number;
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

const parsed = new WeakMap<object, Settings>();

/**
 * The settings of this environment. Throws a `SettingError` without a LINK_KEY that can serve as a
 * secret, because no id can be sealed, and with such a CONTENT_KEY, because content would be stored
 * as if it were protected.
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
  const { LINK_KEY: linkKey = "", LINK_KEY_PREVIOUS: previous = "", DEV_API_KEY: devApiKey = "" } = env;
  const { ADMIN_TOKEN: adminToken = "", METRICS_TOKEN: metricsToken = "" } = env;
  const linkKeyError = secretError(linkKey);
  if (linkKeyError !== null)
    throw new SettingError(
      `LINK_KEY ${linkKeyError === "example" ? secretErrorWords.example : "is missing or too short"}: set it with \`wrangler secret put LINK_KEY\``,
    );
  const current = signingKey(linkKey);
  const previousError = refused("LINK_KEY_PREVIOUS", previous, "remove it, or set it to the previous LINK_KEY", issues);
  const keys: SigningKeys = previousError === null ? [current, signingKey(previous)] : [current];
  const contentSecrets = parseContentKeys(env, issues);
  const publicUrl = parsePublicUrl(env.PUBLIC_URL, issues);
  const loopback = publicUrl !== undefined && isLoopbackHost(new URL(publicUrl).hostname);
  const adminTokenError = refused("ADMIN_TOKEN", adminToken, "choose a random one of 32 characters or more", issues);
  const metricsTokenError = refused("METRICS_TOKEN", metricsToken, "choose a random one of 32 characters or more", issues);
  return {
    publicUrl,
    keys,
    contentSecrets,
    adminToken: adminTokenError === null ? adminToken : undefined,
    metricsToken: metricsTokenError === null ? metricsToken : undefined,
    otlp: parseOtlp(env, issues),
    // DEV_API_KEY comes from a file, and is valid on a loopback address only.
    devApiKey: loopback && secretError(devApiKey) === null ? devApiKey : undefined,
    outbox: env.OUTBOX === "on" || (loopback && env.OUTBOX !== "off"),
    retentionMs: numberOf("RETENTION_HOURS", env.RETENTION_HOURS, 24, 1, 24 * 30, issues) * 3_600_000,
    modelTimeoutMs: numberOf("MODEL_TIMEOUT_SECONDS", env.MODEL_TIMEOUT_SECONDS, 120, 1, 600, issues) * 1000,
    linkMs: numberOf("LINK_HOURS", env.LINK_HOURS, 72, 1, 24 * 14, issues) * 3_600_000,
    inboxSessionMs: numberOf("INBOX_SESSION_HOURS", env.INBOX_SESSION_HOURS, 8, 1, 72, issues) * 3_600_000,
    access: parseAccess(env, issues),
    operators: operatorsOf(env, issues),
    holdMs: numberOf("RELAY_HOLD_SECONDS", env.RELAY_HOLD_SECONDS, 50, 1, 300, issues) * 1000,
    heartbeatMs: numberOf("HEARTBEAT_SECONDS", env.HEARTBEAT_SECONDS, 15, 1, 60, issues) * 1000,
    issues,
  };
}

/**
 * A setting without which nothing can be served. The message is one sentence for an operator,
 * without a full stop and without the value.
 */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/** Why this secret is not accepted; an empty one is not set, and no issue. */
function refused(name: string, secret: string, fix: string, issues: string[]): SecretError | null {
  const error = secretError(secret);
  if (error !== null && secret !== "") issues.push(`${name} ${secretErrorWords[error]}, so it is not accepted; ${fix}`);
  return error;
}

/** As long as a random text of 128 bits in base64 or hexadecimal, and of as many characters. */
const isWeak = (secret: string): boolean => secret.length < 22 || new Set(secret).size < 10;

/**
 * With the previous key alone, content goes on being encrypted with that: a key that is missing by
 * mistake stores nothing as plain text.
 */
function parseContentKeys({ CONTENT_KEY: current = "", CONTENT_KEY_PREVIOUS: previous = "" }: Env, issues: string[]): string[] {
  for (const [name, secret] of Object.entries({ CONTENT_KEY: current, CONTENT_KEY_PREVIOUS: previous })) {
    const error = secret === "" ? null : secretError(secret);
    if (error !== null)
      throw new SettingError(`${name} ${secretErrorWords[error]}: set a random one of 32 characters or more, or delete it`);
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
