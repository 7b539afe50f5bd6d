// What follows a server's first round: it is checked, a CallObject takes it over, and the call is
// driven on.

import { type JsonObject, toBase64url } from "../../../../shared/encoding.ts";
import type { Originating } from "../../../../shared/association/relay-association.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import { answeredHere } from "../../../../shared/relay/answered-here.ts";
import { defaultLimits } from "../../../../shared/policy/limits.ts";
import {
  type InputMethod,
  type InputRequest,
  type Round,
  type RoundMethod,
  checkRound,
  roundResult,
  roundRefusal,
} from "../../../../shared/relay/rounds.ts";
import { samplingMethod } from "../../../../shared/relay/messages.ts";
import type { RelaySession } from "../../../../shared/relay/session-id.ts";
import { withoutOurs } from "../../../../shared/relay/url-elicitation.ts";
import { type RequestId, type RpcAnswer, type RpcError, success } from "../../../../shared/wire/json-rpc.ts";
import { type RelayedState, sealState } from "../../../credentials/request-state.ts";
import { settingsOf } from "../../../platform/settings.ts";
import type { Attempt, CallCalls, CallStatus } from "../../../stubs/call-calls.ts";
import type { AppContext } from "../../app-context.ts";
import type { ResponseStream } from "./response-stream.ts";
import { type SamplingContext, noStream } from "../sampling/relay-sampling.ts";
import type { RoundContext } from "./round-sampling.ts";
import type { WatchedRelayRequest } from "../relay-request.ts";
import { transportContext } from "../../../telemetry/begin-trace.ts";
import { traceContextIn } from "../../../../shared/telemetry/trace-context.ts";

/** A client's request to a server of 2026-07-28. */
export type ClientRequest = {
  readonly c: AppContext;
  readonly relay: WatchedRelayRequest;
  /** The session by which sampling and open streams are known. */
  readonly session: RelaySession;
  readonly method: string;
  /** What `Mcp-Name` repeats. */
  readonly name: string | null;
  /** The client's own capabilities, without what the gateway adds. */
  readonly capabilities: JsonObject;
  /** The `Mcp-Param-…` headers. */
  readonly headers: readonly (readonly [string, string])[];
};

/** A request whose server may ask for input. */
export type RoundCall = ClientRequest & {
  readonly method: RoundMethod;
  /** The client's request as its session knows it, for an attempt of the call. */
  readonly originatingOf: (attempt: string) => Originating;
  /** What the server gets as `_meta`. */
  readonly meta: JsonObject;
  /** The params, without what belongs to one attempt (`restOf`). */
  readonly rest: string;
  /** The name of the call's object among those of the key. */
  readonly digest: string;
  readonly call: DurableObjectStub<CallCalls>;
};

/** Where progress and the server's notifications go meanwhile. */
export type ResponseStreamOutput = Pick<ResponseStream, "say" | "tell">;

/** So many rounds a call may have, where its sampling is not limited to fewer. */
export const mostRounds = 100;

/** What the gateway answers in this client's place. */
export const oursOf = ({ relay, session }: Pick<RoundCall, "relay" | "session">): readonly InputMethod[] =>
  answeredHere(relay.server, session);

/** Whether the gateway answers this client's sampling. */
export const samplesHere = (call: Pick<RoundCall, "relay" | "session">): boolean => oursOf(call).includes(samplingMethod);

type AskedClient = Pick<RoundCall, "c" | "relay" | "session" | "capabilities">;

const termsOf = ({ c, relay, session, capabilities }: AskedClient) => ({
  ours: oursOf({ relay, session }),
  capabilities,
  ownUrl: settingsOf(c.env).publicUrl,
});

/** `checkRound` for this client. */
export const checkedRound = (client: AskedClient, method: string, result: JsonObject) => checkRound(method, result, termsOf(client));

/** `roundRefusal` for this client. Asked of every round. */
export const refusedRound = (client: AskedClient, requests: readonly InputRequest[]) => roundRefusal(requests, termsOf(client));

/** Keeps the round, or finds the call that waits already. Null where the key was revoked. */
export function openCall({ c, relay, session, method, name, rest, headers, call }: RoundCall, round: Round): Promise<CallStatus | null> {
  const limits = c.var.key.limits ?? defaultLimits;
  return call.open({
    keyId: c.var.key.id,
    server: relay.name,
    method,
    name,
    attempt: newAttempt(),
    rest,
    headers,
    round: jsonOf(round),
    ours: oursOf({ relay, session }),
    mostRounds: Math.max(mostRounds, limits.roundsPerOriginatingRequest),
  }) as Promise<CallStatus | null>;
}

const attemptLength = 16;
const newAttempt = (): string => toBase64url(crypto.getRandomValues(new Uint8Array(attemptLength)));

/** Where the sampling of a call belongs. `toClient`: gets what its reviews offer to the client. */
export function roundContext(call: RoundCall, stream: ResponseStreamOutput, toClient: SamplingContext["toClient"] = null): RoundContext {
  const { c, relay, session, meta } = call;
  return {
    ...call,
    sampling: {
      env: c.env,
      ctx: c.executionCtx,
      key: c.var.key,
      session,
      server: relay.server,
      authorization: relay.authorization,
      originating: null,
      ...noStream,
      onProgress: (state) => stream.say(state),
      toClient,
      clientTrace: traceContextIn({ _meta: meta }) ?? transportContext(c.req.raw.headers),
    },
  };
}

export const attemptWith = ({ c, meta, relay }: RoundCall, stream: ResponseStreamOutput): Attempt => ({
  meta: jsonOf(meta),
  authorization: relay.authorization,
  owner: c.var.key.owner,
  account: relay.server.login?.account,
  tell: (message) => stream.tell(message),
});

/** How long a client's state is good for. */
const stateMs = 24 * 3_600_000;

/** Asks a client of 2026-07-28 for these, with the state by which it comes back. */
export async function inputRequired(
  { env }: AppContext,
  { id, bound }: { readonly id: RequestId; readonly bound: string },
  inputRequests: JsonObject | null,
  state: RelayedState,
): Promise<JsonObject> {
  const requestState = await sealState(settingsOf(env).keys, bound, state, Date.now() + stateMs);
  return { ...success(id, roundResult(inputRequests, requestState)) };
}

/**
 * A server's message, with an error of the gateway's in place of one that wants an address of the
 * gateway opened.
 */
export const withoutOwnAddress = <T extends object>({ c }: Pick<RoundCall, "c">, message: T) => {
  const { publicUrl } = settingsOf(c.env);
  return (publicUrl === undefined ? undefined : withoutOurs(message, publicUrl)) ?? message;
};

/** The end of a call, for its client. */
export const endOf = (call: Pick<RoundCall, "c">, answer: JsonOf<RpcAnswer>): RpcAnswer => withoutOwnAddress(call, readJsonOf(answer));

export const goneError: RpcError = {
  code: -32_602,
  message:
    "This call is not known any more: its time is over, its API key was revoked, or it was begun with another Authorization; send the request again from the beginning",
};
