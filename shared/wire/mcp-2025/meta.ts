// What `_meta` says in requests to the gateway. The session, the client request that is served and
// the progress token are the host's claims, which association judges; the format of the reply, and
// a token asked for in its place, are the MCP server's own.

import { isObject } from "../../json/values.ts";
import {
  type Field,
  type ReadOf,
  flag,
  integerWithin,
  list,
  numberWithin,
  object,
  oneOf,
  optional,
  parsed,
  refined,
  text,
} from "../../json/fields.ts";
import { IssueCollector } from "../../json/issue-collector.ts";
import { responseFormatKey } from "../extension-keys.ts";
import { type RequestId, toRequestId } from "../json-rpc.ts";
import { type ResponseFormat, responseFormat } from "./response-format.ts";

const SESSION_META = "countersign/session";
const ORIGINATING_REQUEST_META = "countersign/originatingRequest";

/** In the place of an MCP server's name: a client's own request, at the control endpoint. */
export const CONTROL_SERVER = "control";
/** The same for the API under /v1. */
export const V1_SERVER = "v1";

/**
 * Whether a server's name is reserved for what clients ask for themselves, in whatever case: a rule
 * for that must not apply to what a host says its server asks.
 */
export const isReservedServer = (name: string): boolean => [CONTROL_SERVER, V1_SERVER].includes(name.toLowerCase());

/**
 * The client's own request that a sampling request serves. `name` is the tool's, the prompt's, or
 * the resource's URI.
 */
export type OriginatingRequest = {
  readonly id: RequestId;
  readonly method: string;
  readonly name: string;
  readonly server: string;
  /** The host could not tell which of its requests in flight is served, and took the newest. */
  readonly inferred?: boolean;
};

/**
 * The prefix of the names of the relay's own sessions, to which its servers' requests belong. No
 * client can name one.
 */
export const RELAY_SESSION_PREFIX = "mcp:";

/**
 * Whether a client may name its session so: 1 to 128 visible ASCII characters, and none of the
 * relay's names.
 */
export const isSessionName = (name: string): boolean => /^(?!mcp:)[\x21-\x7e]{1,128}$/.test(name);

export const sessionNameError = `must be 1 to 128 visible ASCII characters, and not begin with ${RELAY_SESSION_PREFIX}`;

export type SamplingMeta = {
  /** A name that `isSessionName` accepts. */
  readonly session?: string;
  readonly originating?: OriginatingRequest;
  readonly progressToken?: string | number;
  /** At the relay: a token for `/v1` would do as well as a reply. */
  readonly token?: TokenAsked;
};

export const sessionField = parsed(
  (value) => (typeof value === "string" && isSessionName(value) ? value : undefined),
  sessionNameError,
  "",
  {
    type: "string",
  },
);

export const requestId = parsed<RequestId>(toRequestId, "must be a string or an integer", 0, { type: ["string", "integer"] });

/**
 * Names are shown to reviewers and become keys: bounded in UTF-16 code units, and without control
 * characters.
 */
const nameWithin = (longest: number): Field<string> => {
  const bounded = refined(
    text(),
    (name) => (name === "" || name.length > longest ? undefined : name),
    `must be 1 to ${longest} characters`,
  );
  return refined(bounded, (name) => (/\p{Cc}/u.test(name) ? undefined : name), "must not have control characters");
};

const server = refined(
  nameWithin(512),
  (name) => (isReservedServer(name) ? undefined : name),
  `must not be ${CONTROL_SERVER} or ${V1_SERVER}, which are reserved for the gateway: use another name`,
);

const originatingNamed = (name: Field<string>) =>
  object({ id: requestId, method: oneOf(["tools/call", "resources/read", "prompts/get"]), inferred: optional(flag), name, server });
const ofResource = originatingNamed(nameWithin(4_096));
const ofOther = originatingNamed(nameWithin(512));

export const originatingRequest: Field<OriginatingRequest> = {
  read(value, at, issues) {
    const isResource = isObject(value) && value["method"] === "resources/read";
    const { inferred, ...named } = (isResource ? ofResource : ofOther).read(value, at, issues);
    return { ...named, ...(inferred === true && { inferred }) };
  },
  schema: ofResource.schema,
};

const isToken = (value: unknown): value is string | number => typeof value === "string" || Number.isSafeInteger(value);

export const TOKEN_META = "countersign/v1Token";

/** What a server asks for in place of a reply: a token for `/v1`, or less than its entry allows. */
export const tokenAsked = object({
  models: optional(list(text({ min: 1, max: 128 }), { min: 1, max: 100 })),
  maxUsd: optional(numberWithin(0, 1_000)),
  seconds: optional(integerWithin(1, 86_400)),
});
export type TokenAsked = ReadOf<typeof tokenAsked>;

const claims = {
  progressToken: optional(
    parsed<string | number>((value) => (isToken(value) ? value : undefined), "must be a string or an integer", 0, {
      type: ["string", "integer"],
    }),
  ),
  [SESSION_META]: optional(sessionField),
  [ORIGINATING_REQUEST_META]: optional(originatingRequest),
  [TOKEN_META]: optional(tokenAsked),
};
const members = object(claims);
const membersOfRequest = object({ ...claims, [responseFormatKey]: optional(responseFormat) });

/** The claims in the `_meta` of any message to the gateway. Other members are ignored. */
export const samplingMeta: Field<SamplingMeta> = {
  ...members,
  read: (value, at, issues) => claimsOf(members.read(value, at, issues)),
};

/**
 * The `_meta` of a sampling request: the claims, and the format that its reply must have. Other
 * members are ignored.
 */
export const samplingRequestMeta: Field<SamplingMeta & { readonly responseFormat?: ResponseFormat }> = {
  ...membersOfRequest,
  read(value, at, issues) {
    const { [responseFormatKey]: format, ...read } = membersOfRequest.read(value, at, issues);
    return { ...claimsOf(read), ...(format !== undefined && { responseFormat: format }) };
  },
};

const claimsOf = ({
  [SESSION_META]: session,
  [ORIGINATING_REQUEST_META]: originating,
  [TOKEN_META]: token,
  progressToken,
}: ReadOf<typeof members>): SamplingMeta => ({
  ...(session !== undefined && { session }),
  ...(originating !== undefined && { originating }),
  ...(progressToken !== undefined && { progressToken }),
  ...(token !== undefined && { token }),
});

/**
 * The client request that params name, whatever else is wrong with them; undefined where it cannot
 * be read.
 */
export function originatingIn(params: unknown): OriginatingRequest | undefined {
  const issues = new IssueCollector();
  const { originating } = samplingMeta.read(isObject(params) ? params["_meta"] : undefined, "/_meta", issues);
  return issues.found.length === 0 ? originating : undefined;
}
