// The checks of `countersign doctor`: what a user of a gateway can see from outside. It changes
// nothing at the gateway, and samples nothing.

import { isObject, type Members, parseJson } from "../../shared/json/values.ts";
import { sessionRevisions } from "../../shared/wire/mcp-2025/features.ts";
import { revision2026 } from "../../shared/wire/mcp-2026/meta-keys.ts";
import { Unasked } from "../subcommand.ts";
import type { FetchLike } from "../response-streams.ts";
import { asAnswer, objectIn } from "../rpc-messages.ts";
import type { Check } from "./report.ts";

type Checked = {
  /** The gateway's base address, without a slash at its end. */
  readonly url: string;
  readonly apiKey: string | undefined;
  /** This client's version. */
  readonly version: string;
  readonly fetch: FetchLike;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const answerMilliseconds = 15_000;
/** `Date` has whole seconds, and an answer takes some. */
const clockMilliseconds = 60_000;

/**
 * Asks a gateway how it is, and whether it accepts the key.
 * @throws Unasked where nothing answers there, or something else than Countersign. The key is sent
 *   to neither.
 */
export async function checksFromOutside({ url, apiKey, version, fetch, now }: Checked): Promise<readonly Check[]> {
  const askedAt = now();
  const [health, contract] = await Promise.all([
    ask(fetch, `${url}/healthz`),
    ask(fetch, `${url}/openapi.json`).catch((): Reply => ({ status: 0, date: null, body: undefined })),
  ]);
  const clockAt = (askedAt + now()) / 2;
  const { status, issues } = healthIn(url, health, contract);
  if (status === "down")
    return issues.map((issue) => ({ check: "gateway", state: "fix", text: `The gateway is down; tell its operator. ${issue}.` }));
  return [
    ...gatewayChecks(issues, contract, version),
    ...clockChecks(health, clockAt),
    await keyCheck(url, apiKey, fetch),
    protocolCheck(contract),
  ];
}

type Reply = { readonly status: number; readonly date: string | null; readonly body: unknown };

/**
 * Redirects are not followed: the key is for this address alone. @throws Unasked where nothing
 * answers.
 */
async function ask(fetch: FetchLike, url: string, init: RequestInit = {}): Promise<Reply> {
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(answerMilliseconds) });
    return { status: response.status, date: response.headers.get("date"), body: parseJson(await response.text()) };
  } catch (error) {
    throw new Unasked(`nothing answers at ${new URL(url).origin}: ${whyNot(error)}`);
  }
}

const untrusted =
  "this machine does not trust its certificate; set NODE_EXTRA_CA_CERTS to a file with that of the authority that signed it";

/** By the code of the error that `fetch` gives as the cause. */
const reasons: Readonly<Record<string, string>> = {
  ENOTFOUND: "its host name is not known; check the address",
  EAI_AGAIN: "its host name could not be looked up; check that this machine is online",
  ECONNREFUSED: "the connection was refused; check that the gateway is running, and its port",
  CERT_HAS_EXPIRED: "its certificate has expired, or this machine's clock is wrong",
  CERT_NOT_YET_VALID: "its certificate is not valid yet, or this machine's clock is wrong",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name; check the address",
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak https; check whether the address begins with http",
};

function whyNot(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return `no answer in ${answerMilliseconds / 1_000} seconds`;
  const cause = error instanceof Error && isObject(error.cause) ? error.cause["code"] : undefined;
  const code = typeof cause === "string" ? cause : "";
  return Object.hasOwn(reasons, code) ? (reasons[code] ?? "") : `check the address${code === "" ? "" : ` (${code})`}`;
}

type Health = { readonly status: string; readonly issues: readonly string[] };

/** @throws Unasked where this is not Countersign. */
function healthIn(url: string, health: Reply, contract: Reply): Health {
  const { status, problems: issues } = membersOf(health.body);
  const title = objectIn(membersOf(contract.body), "info")["title"];
  const isHealth = (status === "ok" || status === "degraded" || status === "down") && Array.isArray(issues);
  if (isHealth && (title === undefined || title === "Countersign")) return { status, issues: issues.map(shown) };
  const { origin, pathname } = new URL(url);
  const why =
    pathname !== "/"
      ? `the address should have no path; try ${origin}`
      : health.status >= 300 && health.status < 400
        ? `it redirects (${health.status}), and redirects are not followed; check the address`
        : "check the address";
  throw new Unasked(`the server at ${url} is not Countersign: ${why}`);
}

function gatewayChecks(issues: readonly string[], contract: Reply, own: string): Check[] {
  const version = objectIn(membersOf(contract.body), "info")["version"];
  const running = typeof version === "string" ? `Countersign ${shown(version)} is running` : "Countersign is running";
  const first: Check =
    version === undefined || version === own
      ? { check: "gateway", state: "good", text: `${running}.` }
      : {
          check: "gateway",
          state: "note",
          text: `${running}, and this client is ${own}. If something does not work, use the same version.`,
        };
  return [first, ...issues.map((issue): Check => ({ check: "gateway", state: "note", text: `Its operator should fix this: ${issue}.` }))];
}

function clockChecks({ date }: Reply, at: number): Check[] {
  const theirs = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(theirs)) return [];
  const off = at - theirs;
  if (Math.abs(off) <= clockMilliseconds)
    return [{ check: "clock", state: "good", text: "This machine's clock agrees with the gateway's." }];
  const minutes = Math.round(Math.abs(off) / 60_000);
  const span = minutes === 1 ? "a minute" : `${minutes} minutes`;
  const text = `This machine's clock is ${span} ${off > 0 ? "ahead of" : "behind"} the gateway's. Set it: certificates and tokens are valid by the clock.`;
  return [{ check: "clock", state: "note", text }];
}

/** Sends a notification that has no effect: the gateway checks the key, and counts a call. */
async function keyCheck(url: string, apiKey: string | undefined, fetch: FetchLike): Promise<Check> {
  const fix = (text: string): Check => ({ check: "key", state: "fix", text });
  if (apiKey === undefined || apiKey === "") return fix("COUNTERSIGN_API_KEY is not set: set it to an API key of the gateway.");
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    return fix("COUNTERSIGN_API_KEY has a space, a line end or another character that no key has: set it again.");
  const { status, body } = await ask(fetch, `${url}/sampling`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
  });
  if (status === 202) return { check: "key", state: "good", text: "The gateway accepts the key in COUNTERSIGN_API_KEY." };
  const answer = asAnswer(body);
  const why = answer !== undefined && "error" in answer ? ` It says: ${shown(answer.error.message)}.` : "";
  if (status === 401 || status === 403) return fix(`The gateway does not accept the key in COUNTERSIGN_API_KEY (${status}).${why}`);
  if (status === 429) return fix(`The gateway refuses requests for the moment (429): wait a minute, then try again.${why}`);
  return fix(`The gateway answered ${status} where it should accept a notification (202); tell its operator.${why}`);
}

function protocolCheck({ body }: Reply): Check {
  const paths = membersOf(body)["paths"];
  if (!isObject(paths)) return { check: "protocol", state: "note", text: "The gateway's contract could not be read at /openapi.json." };
  if (!("/sampling" in paths))
    return { check: "protocol", state: "fix", text: "This gateway has no POST /sampling: check the address, and the gateway's version." };
  const text = `Sampling goes to POST /sampling. This client speaks MCP ${[...sessionRevisions, revision2026].join(", ")}.`;
  return { check: "protocol", state: "good", text };
}

const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

/**
 * A text of the gateway's, without its full stop: what a terminal could take for a command is left
 * out.
 */
const shown = (text: unknown): string =>
  String(text)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, " ")
    .slice(0, 500)
    .replace(/\.$/, "");
