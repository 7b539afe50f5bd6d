// What a host says in `_meta` of its requests to the gateway: the session, the client request that is served, the progress token. These are
// the host's claims; association judges them.

import { isObject } from "../../json/values.ts";
import { type Field, flag, object, oneOf, optional, parsed, refined, text } from "../../json/fields.ts";
import { IssueCollector } from "../../json/issue-collector.ts";
import { type RequestId, toRequestId } from "../json-rpc.ts";

const SESSION_META = "countersign/session";
const ORIGINATING_REQUEST_META = "countersign/originatingRequest";

/** In the place of an MCP server's name: a client's own request, at the control endpoint. */
export const CONTROL_SERVER = "control";

/**
 * Whether a server's name is reserved for the control endpoint, in whatever case: a rule for what clients ask for themselves must not apply
 * to what a host says its server asks.
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

/** The prefix of the names of the relay's own sessions, to which its servers' requests belong. No client can name one. */
export const RELAY_SESSION_PREFIX = "mcp:";

/** Whether a client may name its session so: 1 to 128 visible ASCII characters, and none of the relay's names. */
export const isSessionName = (name: string): boolean => /^(?!mcp:)[\x21-\x7e]{1,128}$/.test(name);

export const sessionNameError = `must be 1 to 128 visible ASCII characters, and not begin with ${RELAY_SESSION_PREFIX}`;

export type SamplingMeta = {
  /** A name that `isSessionName` accepts. */
  readonly session?: string;
  readonly originating?: OriginatingRequest;
  readonly progressToken?: string | number;
};

const session = parsed((value) => (typeof value === "string" && isSessionName(value) ? value : undefined), sessionNameError, "", {
  type: "string",
});

export const requestId = parsed<RequestId>(toRequestId, "must be a string or an integer", 0, { type: ["string", "integer"] });

/** Names are shown to reviewers and become keys: bounded in UTF-16 code units, and without control characters. */
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
  `must not be ${CONTROL_SERVER}, which is reserved for the gateway: use another name`,
);

const originatingNamed = (name: Field<string>) =>
  object({ id: requestId, method: oneOf(["tools/call", "resources/read", "prompts/get"]), inferred: optional(flag), name, server });
const ofResource = originatingNamed(nameWithin(4_096));
const ofOther = originatingNamed(nameWithin(512));

const originatingRequest: Field<OriginatingRequest> = {
  read(value, at, issues) {
    const isResource = isObject(value) && value["method"] === "resources/read";
    const { inferred, ...named } = (isResource ? ofResource : ofOther).read(value, at, issues);
    return { ...named, ...(inferred === true && { inferred }) };
  },
  schema: ofResource.schema,
};

const isToken = (value: unknown): value is string | number => typeof value === "string" || Number.isSafeInteger(value);

const members = object({
  progressToken: optional(
    parsed<string | number>((value) => (isToken(value) ? value : undefined), "must be a string or an integer", 0, {
      type: ["string", "integer"],
    }),
  ),
  [SESSION_META]: optional(session),
  [ORIGINATING_REQUEST_META]: optional(originatingRequest),
});

/** The `_meta` of a request to the gateway. Other members are ignored. */
export const samplingMeta: Field<SamplingMeta> = {
  ...members,
  read(value, at, issues) {
    const { [SESSION_META]: session, [ORIGINATING_REQUEST_META]: originating, progressToken } = members.read(value, at, issues);
    return {
      ...(session !== undefined && { session }),
      ...(originating !== undefined && { originating }),
      ...(progressToken !== undefined && { progressToken }),
    };
  },
};

/** The client request that params name, whatever else is wrong with them; undefined where it cannot be read. */
export function originatingIn(params: unknown): OriginatingRequest | undefined {
  const issues = new IssueCollector();
  const { originating } = samplingMeta.read(isObject(params) ? params["_meta"] : undefined, "/_meta", issues);
  return issues.found.length === 0 ? originating : undefined;
}
