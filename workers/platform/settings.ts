// The Worker's variables, parsed once. An issue says which is missing or wrong, and what an
// operator can do.

import { isLoopbackHost } from "../../shared/this-machine.ts";
import { type OperatorEntry, parseOperators } from "../../shared/credential/operator-roles.ts";
import { type SecretError, secretError, secretErrorWords, shortestSecret } from "../../shared/secret-error.ts";
import { type SigningKeys, signingKey } from "../../shared/sealed-id.ts";
import type { Env } from "./env.ts";
import { isolateState } from "./isolate.ts";
import type { DoctorPhrase } from "../../shared/words/doctor.ts";
import type { AnyPhrase } from "../../shared/words/text.ts";
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
  /** How long the record is kept. */
  readonly recordKeptMs: number;
  /** A request that is answered at once waits for its line in the record. */
  readonly isRecordedBefore: boolean;
  /** Who is sent the checkpoints of the record's logs; undefined: nobody. */
  readonly witness: WitnessSettings | undefined;
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
  /** For health: each says what to fix. */
  readonly issues: readonly SettingIssue[];
};

/** `issuer`: the team's address, as the tokens' `iss` has it. */
/** `url`: where checkpoints are added. `key`: as the witness hands it on; what it signs is kept. */
export type WitnessSettings = { readonly url: string; readonly key: string | undefined };

export type AccessSettings = { readonly issuer: string; readonly audience: string };

/** What is wrong with a variable, and how to correct it. */
export type SettingIssue = { readonly variable: string; readonly says: DoctorPhrase };

/** What is wrong with a secret, as the end of a sentence that begins with its name. */
export const secretErrorPhrase = (error: SecretError): AnyPhrase =>
  error === "short" ? { key: "short", values: { least: String(shortestSecret) } } : { key: error };

/**
 * The settings of this environment. Throws a `SettingError` without a LINK_KEY that can serve as a
 * secret, because no id can be sealed, and with such a CONTENT_KEY, because content would be stored
 * as if it were protected.
 */
export const settingsOf = isolateState(parseSettings);

function parseSettings(env: Env): Settings {
  const issues: SettingIssue[] = [];
  const { LINK_KEY: linkKey = "", LINK_KEY_PREVIOUS: previous = "", DEV_API_KEY: devApiKey = "" } = env;
  const { ADMIN_TOKEN: adminToken = "", METRICS_TOKEN: metricsToken = "" } = env;
  const linkKeyError = secretError(linkKey);
  if (linkKeyError !== null)
    throw new SettingError(
      `LINK_KEY ${linkKeyError === "example" ? secretErrorWords.example : "is missing or too short"}: set it with \`wrangler secret put LINK_KEY\``,
    );
  const current = signingKey(linkKey);
  const previousError = refused("LINK_KEY_PREVIOUS", previous, "previousOr", issues);
  const keys: SigningKeys = previousError === null ? [current, signingKey(previous)] : [current];
  const contentSecrets = parseContentKeys(env, issues);
  const publicUrl = parsePublicUrl(env.PUBLIC_URL, issues);
  const loopback = publicUrl !== undefined && isLoopbackHost(new URL(publicUrl).hostname);
  const adminTokenError = refused("ADMIN_TOKEN", adminToken, "chooseRandom", issues);
  const metricsTokenError = refused("METRICS_TOKEN", metricsToken, "chooseRandom", issues);
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
    recordKeptMs: numberOf("RECORD_DAYS", env.RECORD_DAYS, 400, 7, 3650, issues) * 24 * 3_600_000,
    isRecordedBefore: recordedBefore(env, issues),
    witness: parseWitness(env, issues),
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
function refused(name: string, secret: string, fix: "previousOr" | "chooseRandom", issues: SettingIssue[]): SecretError | null {
  const error = secretError(secret);
  if (error !== null && secret !== "")
    issues.push({
      variable: name,
      says: { key: "secretRefused", values: { variable: name, error: secretErrorPhrase(error), fix: { key: fix } } },
    });
  return error;
}

/** As long as a random text of 128 bits in base64 or hexadecimal, and of as many characters. */
const isWeak = (secret: string): boolean => secret.length < 22 || new Set(secret).size < 10;

/**
 * With the previous key alone, content goes on being encrypted with that: a key that is missing by
 * mistake stores nothing as plain text.
 */
function parseContentKeys({ CONTENT_KEY: current = "", CONTENT_KEY_PREVIOUS: previous = "" }: Env, issues: SettingIssue[]): string[] {
  for (const [name, secret] of Object.entries({ CONTENT_KEY: current, CONTENT_KEY_PREVIOUS: previous })) {
    const error = secret === "" ? null : secretError(secret);
    if (error !== null)
      throw new SettingError(`${name} ${secretErrorWords[error]}: set a random one of 32 characters or more, or delete it`);
  }
  if (isWeak(current) && current !== "") issues.push({ variable: "CONTENT_KEY", says: { key: "contentKeyWeak" } });
  if (current === "" && previous !== "") issues.push({ variable: "CONTENT_KEY", says: { key: "contentKeyMissing" } });
  return [...new Set([current, previous])].filter((secret) => secret !== "");
}

function parsePublicUrl(text: string | undefined, issues: SettingIssue[]): string | undefined {
  if (text === undefined || text === "") {
    issues.push({ variable: "PUBLIC_URL", says: { key: "publicUrlUnset" } });
    return undefined;
  }
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.search !== "" || url.hash !== "" || url.username !== "") {
    issues.push({ variable: "PUBLIC_URL", says: { key: "publicUrlWrong" } });
    return undefined;
  }
  if (url.protocol === "http:" && !isLoopbackHost(url.hostname)) {
    issues.push({ variable: "PUBLIC_URL", says: { key: "publicUrlPlain" } });
    return undefined;
  }
  return url.href.replace(/\/+$/, "");
}

/** Both variables, or none: a token for another audience would be another application's. */
function parseAccess(
  { ACCESS_TEAM_DOMAIN: team = "", ACCESS_AUD: audience = "" }: Env,
  issues: SettingIssue[],
): AccessSettings | undefined {
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
    issues.push({ variable: "ACCESS_TEAM_DOMAIN", says: { key: "accessDomain" } });
    return undefined;
  }
  if (!/^[\x21-\x7e]{1,200}$/.test(audience)) {
    issues.push({ variable: "ACCESS_AUD", says: { key: "accessAudience" } });
    return undefined;
  }
  return { issuer: url.origin, audience };
}

function operatorsOf({ OPERATORS: text = "" }: Env, issues: SettingIssue[]): readonly OperatorEntry[] {
  const operators = parseOperators(text);
  if (operators.ok) return operators.value;
  issues.push({ variable: "OPERATORS", says: { key: "operators", values: { part: operators.error } } });
  return [];
}

/** What is none of the two is the stricter one: a misspelled `before` must lose no line. */
function recordedBefore({ RECORD: text = "" }: Env, issues: SettingIssue[]): boolean {
  if (text === "" || text === "behind") return false;
  if (text !== "before") issues.push({ variable: "RECORD", says: { key: "recordWhen" } });
  return true;
}

function parseWitness(
  { RECORD_WITNESS_URL: text = "", RECORD_WITNESS_KEY: keyText = "" }: Env,
  issues: SettingIssue[],
): WitnessSettings | undefined {
  if (text.trim() === "") return undefined;
  const url = URL.parse(text.trim());
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  if (url !== null && isSafe && url.username === "" && url.password === "" && url.hash === "" && url.search === "")
    return { url: `${url.href.replace(/\/+$/, "")}/add-checkpoint`, key: keyText.trim() || undefined };
  issues.push({ variable: "RECORD_WITNESS_URL", says: { key: "witnessAddress" } });
  return undefined;
}

function numberOf(name: string, text: string | undefined, standard: number, least: number, most: number, issues: SettingIssue[]): number {
  if (text === undefined || text === "") return standard;
  const value = Number(text);
  if (Number.isFinite(value) && value >= least && value <= most) return value;
  const bounds = { least: String(least), most: String(most), standard: String(standard) };
  issues.push({ variable: name, says: { key: "outOfRange", values: { variable: name, ...bounds } } });
  return standard;
}
