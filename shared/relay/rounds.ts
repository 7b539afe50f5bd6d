// The rounds of a request in revision 2026-07-28: a server that needs something of its client
// answers `input_required`, and the client sends the request again with what was asked for. Here:
// what a round asks, who answers each part, and the params of the next request. Source:
// basic/patterns/mrtr.

import type { JsonObject } from "../encoding.ts";
import { isDeeperThan } from "../json/json-rules.ts";
import { type Span, memberIn, membersOf, textAt, whole } from "../json/spans.ts";
import { isObject, objectOf } from "../json/values.ts";
import { type Result, err, ok } from "../result.ts";
import { paramsIn } from "./message-bytes.ts";
import { samplingMethod } from "./messages.ts";
import { elicitationMethod, elicitsOurs, isNamedAsOurs, refusedElicitation } from "./url-elicitation.ts";
import type { RpcError } from "../wire/json-rpc.ts";
import { missingCapabilityCode } from "../wire/mcp-2026/meta-keys.ts";

export const rootsMethod = "roots/list";

/** What a server may ask of its client. */
export const inputMethods = [samplingMethod, elicitationMethod, rootsMethod] as const;
export type InputMethod = (typeof inputMethods)[number];
export const isInputMethod = (method: unknown): method is InputMethod => inputMethods.some((each) => each === method);

/** Requests whose answer may ask for more. */
const roundMethods = ["tools/call", "prompts/get", "resources/read"] as const;
export type RoundMethod = (typeof roundMethods)[number];
export const mayAskForInput = (method: string): method is RoundMethod => roundMethods.some((each) => each === method);

/** One thing that a round asks for, under the server's own key. */
export type InputRequest = {
  readonly key: string;
  readonly method: InputMethod;
  readonly params: JsonObject | null;
};

export type Round = { readonly requests: readonly InputRequest[]; /** The server's state, byte for byte. */ readonly state: string | null };

/** In UTF-16 code units: what goes through a client, which sends it back in a body. */
const longestState = 262_144;
const mostInputRequests = 64;
const longestKey = 256;
const deepest = 100;

/** What is wrong with a server's round: a sentence that ends "The MCP server …". */
type RoundError = string;

/** Whether a result is a round. */
export const isRound = (result: JsonObject): boolean => result["resultType"] === "input_required";

/**
 * The round of an `input_required` result to a request of this method, or what is wrong with it.
 */
export function readRound(method: string, result: JsonObject): Result<Round, RoundError> {
  if (!mayAskForInput(method)) return err(`asked for input in answer to ${method}, which the protocol does not allow`);
  const { inputRequests = {}, requestState: state = null } = result;
  if (state !== null && typeof state !== "string") return err("sent a requestState that is no text");
  if (state !== null && state.length > longestState) return err(`sent a requestState of more than ${longestState} characters`);
  if (!isObject(inputRequests)) return err("sent inputRequests that are no object");
  const entries = Object.entries(inputRequests);
  if (entries.length === 0 && state === null) return err("asked for input without saying which, and without a requestState");
  if (entries.length > mostInputRequests) return err(`asked for more than ${mostInputRequests} inputs at once`);
  const requests: InputRequest[] = [];
  for (const [key, value] of entries) {
    if (isNamedAsOurs(key)) return err(`asked for an input under a key that begins with countersign/, which only the gateway may use`);
    const request = inputRequestOf(key, value);
    if (request === null)
      return err("asked for an input that is no sampling/createMessage, elicitation/create or roots/list, or that cannot be read");
    requests.push(request);
  }
  return ok({ requests, state });
}

/** What a round asks, as its result has it. */
export const inputsOf = (requests: readonly InputRequest[]): JsonObject =>
  Object.fromEntries(requests.map(({ key, method, params }) => [key, { method, ...(params === null ? {} : { params }) }]));

/** The result that has a client come back with this state; `asks`: from `inputsOf`, or null. */
export const roundResult = (asks: JsonObject | null, requestState: string): JsonObject => ({
  resultType: "input_required",
  ...(asks === null ? {} : { inputRequests: asks }),
  requestState,
});

const encoder = new TextEncoder();

/** The members of a message, and of its result, that say what it is. */
const telling: readonly string[] = ["id", "method", "result", "error"];
const tellingOfResult: readonly string[] = ["resulttype", "inputrequests", "requeststate"];

/**
 * Whether clients may differ in what they read in a JSON text that JSON.parse accepts: some take a
 * name in any case for the protocol's own, and of two members of one name some take the first.
 */
export function isAmbiguous(json: string): boolean {
  const bytes = encoder.encode(json);
  const result = memberIn(bytes, "result");
  return differs(bytes, whole(bytes), telling) || (result !== undefined && differs(bytes, result, tellingOfResult));
}

function differs(bytes: Uint8Array, object: Span, names: readonly string[]): boolean {
  const found = membersOf(bytes, object).map(({ name }) => name);
  const known = found.filter((name) => names.includes(name.toLowerCase()));
  return new Set(known.map((name) => name.toLowerCase())).size < known.length || known.some((name) => !isOwnName(name));
}

const ownNames: ReadonlySet<string> = new Set([...telling, "resultType", "inputRequests", "requestState"]);
const isOwnName = (name: string): boolean => ownNames.has(name);

function inputRequestOf(key: string, value: unknown): InputRequest | null {
  const request = objectOf(value);
  const method = request?.["method"];
  if (key.length > longestKey || !key.isWellFormed() || isDeeperThan(deepest, value)) return null;
  return isInputMethod(method) ? { key, method, params: objectOf(request?.["params"]) } : null;
}

/**
 * The first input that the client did not declare and that is not answered here; null where there
 * is none.
 */
export function undeclared(requests: readonly InputRequest[], capabilities: JsonObject): { readonly missing: JsonObject } | null {
  for (const { method, params } of requests) {
    const missing = missingFor(method, params, capabilities);
    if (missing !== null) return { missing };
  }
  return null;
}

/**
 * What a round may ask of a client. `ours`: what is answered in its place. `ownUrl`: the gateway's
 * address; undefined: it has none.
 */
type AskableTerms = { readonly ours: readonly InputMethod[]; readonly capabilities: JsonObject; readonly ownUrl: string | undefined };

/** Why a round is not asked, with the HTTP status of that. */
type RoundRefusal = { readonly status: number; readonly error: RpcError };

/** The round of a result that may be asked, or the error with which the request ends. */
export function checkRound(method: string, result: JsonObject, terms: AskableTerms): Result<Round, RoundRefusal> {
  const round = readRound(method, result);
  if (!round.ok) return err({ status: 502, error: { code: -32_603, message: `The MCP server ${round.error}` } });
  const refusal = roundRefusal(round.value.requests, terms);
  return refusal === null ? round : err(refusal);
}

/** Why a client must not be asked for this; null where it may be. */
export function roundRefusal(requests: readonly InputRequest[], { ours, capabilities, ownUrl }: AskableTerms): RoundRefusal | null {
  if (ownUrl !== undefined && requests.some(({ method, params }) => method === elicitationMethod && elicitsOurs(params, ownUrl)))
    return { status: 502, error: { code: -32_603, message: refusedElicitation } };
  const missing = undeclared(
    requests.filter(({ method }) => !ours.includes(method)),
    capabilities,
  );
  if (missing === null) return null;
  const message = "The MCP server asked for an input that this client did not declare";
  return { status: 400, error: { code: missingCapabilityCode, message, data: { requiredCapabilities: missing.missing } } };
}

function missingFor(method: InputRequest["method"], params: JsonObject | null, capabilities: JsonObject): JsonObject | null {
  if (method === samplingMethod) return objectOf(capabilities["sampling"]) === null ? { sampling: {} } : null;
  if (method === rootsMethod) return objectOf(capabilities["roots"]) === null ? { roots: {} } : null;
  const elicitation = objectOf(capabilities["elicitation"]);
  const mode = params?.["mode"] === "url" ? "url" : "form";
  if (elicitation === null) return { elicitation: { [mode]: {} } };
  // An empty object declares forms (client/elicitation, "Capabilities").
  const has = objectOf(elicitation[mode]) !== null || (mode === "form" && objectOf(elicitation["url"]) === null);
  return has ? null : { elicitation: { [mode]: {} } };
}

const attemptMembers: ReadonlySet<string> = new Set(["_meta", "inputResponses", "requestState"]);

/**
 * The params of a request, as text, without what belongs to one attempt at it. Every other member's
 * value is as it was written: numbers that a parser would round, the order of names.
 */
export function restOf(bytes: Uint8Array): string {
  const members = membersOf(bytes, paramsIn(bytes)).filter(({ name }) => !attemptMembers.has(name));
  return `{${members.map((member) => `${JSON.stringify(member.name)}:${textAt(bytes, member)}`).join(",")}}`;
}

/** The client's answers by their keys, each as it was written. */
export type InputResponses = ReadonlyMap<string, string>;

/** The answers in a request; null where there are none. */
export function responsesIn(bytes: Uint8Array): InputResponses | null {
  const responses = memberIn(bytes, "params", "inputResponses");
  if (responses === undefined || !textAt(bytes, responses).startsWith("{")) return null;
  return new Map(membersOf(bytes, responses).map((member) => [member.name, textAt(bytes, member)]));
}

/** The params of another attempt, as text. `rest` is from `restOf`. */
export function attemptOf(rest: string, meta: JsonObject, state: string | null, responses: InputResponses | null): string {
  const members = [
    `"_meta":${JSON.stringify(meta)}`,
    ...(responses === null
      ? []
      : [`"inputResponses":{${[...responses].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`]),
    ...(state === null ? [] : [`"requestState":${JSON.stringify(state)}`]),
  ];
  const own = members.join(",");
  return rest === "{}" ? `{${own}}` : `{${own},${rest.slice(1)}`;
}

/**
 * What a server says of sampling that did not take place: a tool's result that a model reads, or an
 * error.
 */
export const endedCall = (
  method: string,
  error: { readonly code: number; readonly message: string; readonly data?: JsonObject },
): { readonly result: JsonObject } | { readonly error: typeof error } =>
  method === "tools/call"
    ? { result: { resultType: "complete", content: [{ type: "text", text: error.message }], isError: true } }
    : { error };

/**
 * The end of a call whose client answered what it was asked with an error: this revision has none
 * for one input of a round.
 */
export function declinedInput(method: string, asked: string, error: JsonObject | null): ReturnType<typeof endedCall> {
  const isUsers = asked === samplingMethod && error?.["code"] === -1;
  const message = `The client answered ${asked} with an error`;
  return endedCall(method, isUsers ? { code: -1, message: "User rejected sampling request" } : { code: -32_603, message });
}
