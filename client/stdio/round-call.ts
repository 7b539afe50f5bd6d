// One call of the client in revision 2026-07-28 while its server asks for input: its rounds, and
// what each still waits for. Sends nothing.

import type { JsonObject } from "../../shared/encoding.ts";
import type { Result } from "../../shared/result.ts";
import { err } from "../../shared/result.ts";
import { valueAsWritten } from "../../shared/json/as-written.ts";
import { samplingMethod } from "../../shared/relay/messages.ts";
import { type InputRequest, type InputResponses, type Round, readRound, undeclared } from "../../shared/relay/rounds.ts";
import { elicitationMethod, elicitsOurs, refusedElicitation } from "../../shared/relay/url-elicitation.ts";
import { missingCapabilityCode } from "../../shared/wire/mcp-2026/meta-keys.ts";
import { sortedJson } from "../open-requests.ts";
import type { JsonRpcId } from "../rpc-messages.ts";
import type { StatelessRequest } from "./stateless-lines.ts";

/**
 * A request of the client that waits for its response: the call's first, or one by which the client
 * came back.
 */
export type Leg = {
  readonly id: JsonRpcId;
  readonly rawId: string;
  /** What the server gets as `_meta` of its next attempt. */
  readonly meta: JsonObject;
  readonly since: number;
};

export type CurrentRound = Round & {
  /** By key, as text. */
  readonly answers: Map<string, string>;
  /** A round that asks for nothing: the client decides when to come back. */
  isPaced: boolean;
};

/** The last word of a call. */
export type Ending = { readonly result: JsonObject } | { readonly error: JsonObject };

export type RoundCall = {
  /** The id of its first request, by which the gateway knows it. */
  readonly origin: JsonRpcId;
  readonly method: string;
  /** The params without what belongs to one attempt: as they were written, and for comparison. */
  readonly rest: string;
  readonly same: string;
  /** What the client itself declared last. */
  capabilities: JsonObject;
  /** Undefined while the client has to come back. */
  leg: Leg | undefined;
  /** The id under which the server is working on it. */
  upstream: JsonRpcId | undefined;
  rounds: number;
  current: CurrentRound | undefined;
  /** How it ended while the client was away. */
  ending: Ending | undefined;
  isOver: boolean;
};

/** So many rounds a call may have, as in the relay. */
export const MOST_ROUNDS = 100;

const sameness = (method: string, rest: string): string => sortedJson([method, valueAsWritten(rest)]);

export const newCall = (request: StatelessRequest, rest: string, leg: Leg): RoundCall => ({
  origin: request.id,
  method: request.method,
  rest,
  same: sameness(request.method, rest),
  capabilities: request.capabilities,
  leg,
  upstream: request.id,
  rounds: 0,
  current: undefined,
  ending: undefined,
  isOver: false,
});

/**
 * Whether a request is another attempt at this call: only what belongs to one attempt may differ.
 */
export const continues = ({ method }: StatelessRequest, rest: string, call: RoundCall): boolean => sameness(method, rest) === call.same;

const isOurs = ({ method }: InputRequest): boolean => method === samplingMethod;

/** What only the client can answer. */
export const isTheirs = (request: InputRequest): boolean => !isOurs(request);

/** What of a round the gateway answers. */
export const samplingIn = ({ requests }: Round): readonly InputRequest[] => requests.filter(isOurs);

/** What of a round is not answered yet. */
export const openIn = ({ requests, answers }: CurrentRound): readonly InputRequest[] => requests.filter(({ key }) => !answers.has(key));

/**
 * Takes the client's answers to what it was asked, and no others: a reply to sampling comes from
 * the gateway alone.
 */
export function takeResponses(current: CurrentRound, responses: InputResponses | null): void {
  for (const { key } of openIn(current).filter(isTheirs)) {
    const response = responses?.get(key);
    if (response?.startsWith("{") === true) current.answers.set(key, response);
  }
}

/** The answers of a round in its own order; null where it asked for none. */
export const responsesOf = ({ requests, answers }: CurrentRound): InputResponses | null =>
  requests.length === 0 ? null : new Map(requests.map(({ key }) => [key, answers.get(key) ?? "{}"]));

/** The round of a server's result, or the error with which the call ends. */
export function checkedRound(
  call: Pick<RoundCall, "method" | "rounds" | "capabilities">,
  result: JsonObject,
  gateway: string,
): Result<Round, JsonObject> {
  const round = readRound(call.method, result);
  if (!round.ok) return err({ code: -32_603, message: `The MCP server ${round.error}` });
  if (call.rounds >= MOST_ROUNDS)
    return err({ code: -32_603, message: `The MCP server asked for input in more than ${MOST_ROUNDS} rounds` });
  const { requests } = round.value;
  if (requests.some(({ method, params }) => method === elicitationMethod && elicitsOurs(params, gateway)))
    return err({ code: -32_603, message: refusedElicitation });
  const missing = undeclared(requests.filter(isTheirs), call.capabilities);
  if (missing === null) return round;
  const message = "The MCP server asked for an input that this client did not declare";
  return err({ code: missingCapabilityCode, message, data: { requiredCapabilities: missing.missing } });
}
