// What a host says in `_meta` of its requests to us: the session, the client request that is served, the progress token. These are the
// host's claims; whether they hold is for association.

import { toRequestId, type RequestId } from "../json-rpc.ts";
import { type Members, Reading, isObject } from "../../json/reading.ts";

export const SESSION_META = "countersign/session";
export const ORIGINATING_REQUEST_META = "countersign/originatingRequest";

/** What stands where others have their MCP server's name in what a client asks for itself, at the control endpoint. */
export const CONTROL_SERVER = "control";

/**
 * Whether a server's name is kept for the control endpoint, in whatever case: a rule that is written for what clients ask for themselves must
 * not hold for what a host says its server asks.
 */
export const isReservedServer = (name: string): boolean => name.toLowerCase() === CONTROL_SERVER;

/** The client's own request that a sampling request serves. `name` is the tool's, the prompt's, or the resource's URI. */
export type OriginatingRequest = {
  readonly id: RequestId;
  readonly method: "tools/call" | "resources/read" | "prompts/get";
  readonly name: string;
  readonly server: string;
  /** The host could not tell which of its requests in flight is served, and took the newest. */
  readonly inferred?: boolean;
};

/** What the names of the relay's own sessions begin with. What its servers ask belongs to them, and no client can name one. */
export const RELAY_SESSION_PREFIX = "mcp:";

/** Whether a client may call its session so: 1 to 128 visible ASCII characters, and none of the relay's names. */
export const isSessionName = (name: string): boolean => /^(?!mcp:)[\x21-\x7e]{1,128}$/.test(name);

export const sessionNameError = `must be 1 to 128 visible ASCII characters, and not begin with ${RELAY_SESSION_PREFIX}`;

export type SamplingMeta = {
  /** As `isSessionName` has it. */
  readonly session?: string;
  readonly originating?: OriginatingRequest;
  readonly progressToken?: string | number;
};

/** The `_meta` of a request of ours, with pointers under `/_meta`. Other members are not ours to judge. */
export function readMeta(value: unknown, reading: Reading): SamplingMeta {
  const meta = reading.object(value, "/_meta") ?? {};
  const { [SESSION_META]: session, [ORIGINATING_REQUEST_META]: originating, progressToken: token } = meta;
  if (token !== undefined && typeof token !== "string" && !Number.isSafeInteger(token)) {
    reading.fault("/_meta/progressToken", "must be a string or an integer");
  }
  return {
    ...(session !== undefined && { session: readSession(session, reading) }),
    ...(originating !== undefined && readOriginating(originating, reading)),
    ...((typeof token === "string" || typeof token === "number") && { progressToken: token }),
  };
}

/** The client request that params name, whatever else is wrong with them; undefined where it cannot be read. */
export function originatingIn(params: unknown): OriginatingRequest | undefined {
  const reading = new Reading();
  const { originating } = readMeta(isObject(params) ? params["_meta"] : undefined, reading);
  return reading.errors.length === 0 ? originating : undefined;
}

function readSession(value: unknown, reading: Reading): string {
  if (typeof value === "string" && isSessionName(value)) return value;
  reading.fault("/_meta/countersign~1session", sessionNameError);
  return "";
}

function readOriginating(value: unknown, reading: Reading): { readonly originating?: OriginatingRequest } {
  const at = "/_meta/countersign~1originatingRequest";
  const given = reading.object(value, at);
  if (given === undefined) return {};
  const id = toRequestId(given["id"]);
  if (id === undefined) reading.fault(`${at}/id`, "must be a string or an integer");
  const method = reading.oneOf(["tools/call", "resources/read", "prompts/get"], given, "method", at) ?? "tools/call";
  const inferred = given["inferred"];
  if (inferred !== undefined && typeof inferred !== "boolean") reading.fault(`${at}/inferred`, "must be true or false");
  const name = readName(method === "resources/read" ? 4096 : 512, given, "name", at, reading);
  const server = readName(512, given, "server", at, reading);
  if (isReservedServer(server))
    reading.fault(`${at}/server`, `must not be ${CONTROL_SERVER}, which is the gateway's own: call the server something else`);
  return { originating: { id: id ?? 0, method, name, server, ...(inferred === true && { inferred }) } };
}

/** Names are shown to reviewers and become keys: bounded in UTF-16 code units, and without control characters. */
function readName(longest: number, of: Members, name: string, at: string, reading: Reading): string {
  const value = reading.string(of, name, at);
  if (typeof of[name] !== "string") return value;
  if (value === "" || value.length > longest) reading.fault(`${at}/${name}`, `must be 1 to ${longest} characters`);
  else if (/\p{Cc}/u.test(value)) reading.fault(`${at}/${name}`, "must not have control characters");
  return value;
}
