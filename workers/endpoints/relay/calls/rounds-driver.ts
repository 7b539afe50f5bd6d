// Carries a call from round to round until its server's last word, or until the client is needed or
// has waited long enough.

import type { JsonObject } from "../../../../shared/encoding.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import type { RpcAnswer, RpcError } from "../../../../shared/wire/json-rpc.ts";
import { mcpCodec } from "../../../../shared/wire/mcp-codecs.ts";
import { revision2026 } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { type MissingLogin, loginFor, loginWithin } from "../../../mcp-client/ask-upstream.ts";
import { logEvent } from "../../../platform/log.ts";
import { callMethod } from "../../../../shared/relay/call-notices.ts";
import type { InputRequest } from "../../../../shared/relay/rounds.ts";
import { refusedNotice } from "../../../../shared/run/relayed-tool-call.ts";
import { samplingMethod } from "../../../../shared/relay/messages.ts";
import type { Attempt, CallStatus } from "../../../stubs/call-calls.ts";
import { type ResponseStreamOutput, type RoundCall, attemptWith, roundContext, refusedRound, samplesHere } from "./call-rounds.ts";
import type { SamplingContext } from "../sampling/relay-sampling.ts";
import { type RoundContext, type Waiting, answerAll, releaseCall } from "./round-sampling.ts";
import { stoppedCall } from "../relay-request.ts";

export type Driven =
  | { readonly kind: "ended"; readonly answer: JsonOf<RpcAnswer> }
  /** The round asks for what only the client has. What the gateway answers is under way. */
  | { readonly kind: "asks"; readonly requests: readonly InputRequest[]; readonly at: Waiting }
  | { readonly kind: "waits"; readonly at: Waiting }
  /** The call is not known any more: its time is over, or its key was revoked. */
  | { readonly kind: "gone" };

type Drive = {
  readonly stream: ResponseStreamOutput;
  /** Gets what the reviews of the call offer to the client. */
  readonly toClient?: SamplingContext["toClient"];
  /**
   * Gets the answers of what only the client has into the call; absent: the client has to come back
   * with them.
   */
  readonly ask?: (requests: readonly InputRequest[], at: Waiting) => Promise<void>;
  /**
   * The server refused the round for its login. Resolves where it may be sent again; with the
   * result, where the call ends for that. Absent: it waits as long as its client does.
   */
  readonly signIn?: (login: MissingLogin) => Promise<JsonObject | null>;
  /** Resolves when the client has waited long enough, or has left. */
  readonly enough: Promise<unknown>;
};

/**
 * Drives the call from this state. Sampling of a round begins at once, also where the client is
 * needed for its other parts.
 */
export async function drive(call: RoundCall, from: CallStatus | null, { stream, toClient, ask, signIn, enough }: Drive): Promise<Driven> {
  const context = roundContext(call, stream, toClient);
  const attempt = attemptWith(call, stream);
  for (let state = from, stuck = 0; ;) {
    if (state === null) return { kind: "gone" };
    if (state.kind === "ended") {
      context.sampling.ctx.waitUntil(releaseCall(context, state.attempt));
      if (state.isLost) call.relay.reportFailure?.("lost");
      return { kind: "ended", answer: state.answer };
    }
    const at = await withSamplingHere(call, state);
    const refused = refusedRound(call, readJsonOf(at.requests));
    if (refused !== null) return endRefused(context, at, refused.error);
    const open = openRequests(at);
    const ours = open.filter(({ key }) => at.gateway.includes(key));
    const theirs = open.filter(({ key }) => !at.gateway.includes(key));
    const answered = answerAll(context, at, ours);
    context.sampling.ctx.waitUntil(answered);
    if (theirs.length > 0 && ask === undefined) return { kind: "asks", requests: theirs, at };
    const asked = theirs.length > 0 ? ask?.(theirs, at) : undefined;
    const next = Promise.all([answered, asked]).then(() => proceed(call, at, attempt));
    const first = await Promise.race([next, enough.then(() => "enough" as const)]);
    if (first === "enough") {
      context.sampling.ctx.waitUntil(next.catch(() => {}));
      return { kind: "waits", at };
    }
    const isSame = first?.kind === "waiting" && first.round === at.round;
    const login = isSame ? await loginFor(call.c.env, call.relay.server) : null;
    if (login !== null && login.kind !== "ready") {
      const again = signIn?.(login.kind) ?? loginWithin(call.c.env, call.relay.server, login.kind).then(() => null);
      const result = await Promise.race([again, enough.then(() => "enough" as const)]);
      if (result === "enough") return { kind: "waits", at };
      state = result === null ? first : await context.call.end(at.attempt, at.round, completed(result));
      continue;
    }
    stuck = isSame ? stuck + 1 : 0;
    state = stuck < mostStuck ? first : await endBroken(context, at);
  }
}

const completed = (result: JsonObject): JsonOf<RpcAnswer> => jsonOf<RpcAnswer>({ result: { resultType: "complete", ...result } });

/**
 * An object that was reset, or a database that failed: so often in a row the round is tried again.
 */
const mostStuck = 3;
const stuckMs = 300;

/** Each round sends the call again, unless an operator has stopped it meanwhile. */
async function proceed({ c, relay, method, call }: RoundCall, at: Waiting, attempt: Attempt): Promise<CallStatus | null> {
  try {
    const stopped = method === callMethod ? await stoppedCall(c, relay) : null;
    const notice = stopped === null ? null : refusedNotice(stopped);
    if (notice !== null) return await call.end(at.attempt, at.round, completed(notice));
    const state = (await call.proceed(at.attempt, at.round, attempt)) as CallStatus | null;
    if (state?.kind !== "waiting" || state.round !== at.round) return state;
  } catch {
    // The object was reset. Whether the server got the request is in its tables.
  }
  await new Promise((resolve) => setTimeout(resolve, stuckMs));
  return call.look(at.attempt);
}

/** The server asked for what its client must not be asked for. */
async function endRefused(context: RoundContext, at: Waiting, error: RpcError): Promise<Driven> {
  const answer = jsonOf({ error });
  await context.call.end(at.attempt, at.round, answer);
  context.sampling.ctx.waitUntil(releaseCall(context, at.attempt));
  return { kind: "ended", answer };
}

async function endBroken({ call }: RoundContext, at: Waiting): Promise<CallStatus | null> {
  const quote = crypto.randomUUID();
  logEvent("request.failed", { quote, error: "Stuck" });
  const answer: RpcAnswer = mcpCodec(revision2026).encode({ kind: "broken", quote });
  return call.end(at.attempt, at.round, jsonOf(answer));
}

/** What the round asks for and nobody has answered. */
const openRequests = ({ requests, answered }: Waiting): readonly InputRequest[] =>
  readJsonOf(requests).filter(({ key }) => !answered.includes(key));

/**
 * A client may have been asked for sampling before the operator had the gateway answer it: then its
 * answer does not count any more, and the gateway gives one.
 */
export async function withSamplingHere(
  { relay, session, call }: Pick<RoundCall, "relay" | "session" | "call">,
  at: Waiting,
): Promise<Waiting> {
  if (!samplesHere({ relay, session })) return at;
  const asked = openRequests(at).filter(({ key, method }) => method === samplingMethod && !at.gateway.includes(key));
  if (asked.length === 0) return at;
  await Promise.all(asked.map(({ key }) => call.decline(at.attempt, at.round, key)));
  return { ...at, gateway: [...at.gateway, ...asked.map(({ key }) => key)] };
}

/** Keeps the client's answers to what is open of a round, but those that the gateway gives. */
export async function keepAnswers(call: RoundCall, at: Waiting, answerTo: (key: string) => string | undefined): Promise<void> {
  const { gateway } = await withSamplingHere(call, at);
  for (const { key } of openRequests(at)) {
    const response = answerTo(key);
    if (response !== undefined && !gateway.includes(key)) await call.call.answer(at.attempt, at.round, key, response);
  }
}
