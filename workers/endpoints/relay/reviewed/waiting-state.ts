// The state that a client of 2026-07-28 brings back of a call that waits for a person, who reviews
// it or signs in: it sends the call again, with what this attempt had for the server.

import { type JsonObject, digestOf, fromUtf8, utf8ToBytes } from "../../../../shared/encoding.ts";
import { ownerOf } from "../../../../shared/credential/call-owner.ts";
import { valueAsWritten } from "../../../../shared/json/as-written.ts";
import { edited, memberIn, memberOf, textAt, withoutMember } from "../../../../shared/json/spans.ts";
import { parseJson } from "../../../../shared/json/values.ts";
import { paramsIn } from "../../../../shared/relay/message-bytes.ts";
import { paramsOf } from "../../../../shared/relay/messages.ts";
import { restOf, roundResult } from "../../../../shared/relay/rounds.ts";
import { type SigningKeys, seal, unsealAny } from "../../../../shared/sealed-id.ts";
import { type RequestId, success } from "../../../../shared/wire/json-rpc.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import type { RelayRequest } from "../relay-request.ts";

/**
 * Which call waits, how often its client came back, and what this attempt brought for the server,
 * as it was written.
 */
type WaitingState = [content: string, times: number, state: string | null, responses: string | null];

type WaitingCall = {
  readonly id: RequestId;
  readonly message: PostedMessage;
  /** `contentOf` of the call. */
  readonly content: string;
  /** How often its client came back with it. */
  readonly times: number;
};

/** What a call waits for: a state of one is none of the other. */
type WaitsFor = "review" | "signIn";

const stateDomains = {
  review: "countersign/waiting-call/v2",
  signIn: "countersign/signing-in-call/v1",
} as const satisfies Record<WaitsFor, string>;

/** Asks the client to send its call again. `asks`: what else it is asked; null: nothing. */
export function comeBack(
  keys: SigningKeys,
  waitsFor: WaitsFor,
  { id, message: { body }, content, times }: WaitingCall,
  asks: JsonObject | null = null,
): JsonObject {
  const waiting: WaitingState = [content, times + 1, writtenIn(body, "requestState"), writtenIn(body, "inputResponses")];
  const requestState = seal(keys, stateDomains[waitsFor], utf8ToBytes(JSON.stringify(waiting)));
  return { ...success(id, roundResult(asks, requestState)) };
}

/**
 * A client throws after ten rounds (SDK 2.x, the AI SDK). Before that its model is told to call
 * again, and two rounds are left for what the server asks.
 */
export const mostTimes = 8;

/**
 * The message as it was before it waited, with how often it came back since. Null: it has the state
 * of another call.
 */
export function broughtBack(
  keys: SigningKeys,
  waitsFor: WaitsFor,
  relay: RelayRequest,
  message: PostedMessage,
): (PostedMessage & { times: number }) | null {
  const { value, body } = message;
  const given = paramsOf(value)?.["requestState"];
  const payload = typeof given === "string" ? unsealAny(keys, stateDomains[waitsFor], given) : undefined;
  if (payload === undefined) return { ...message, times: 0 };
  const [content, times, state, responses] = JSON.parse(fromUtf8(payload)) as WaitingState; // sealed above
  if (content !== contentOf(relay, body)) return null;
  // Asked for nothing, a client may have sent its own answers once more; those to sign in are ours.
  const came = waitsFor === "signIn" ? edited(body, withoutMember(body, paramsIn(body), "inputResponses")) : body;
  const params = paramsIn(came);
  const own = memberOf(came, params, "requestState");
  const restored = edited(came, [
    ...(state === null || own === undefined ? withoutMember(came, params, "requestState") : [{ ...own, text: state }]),
    ...(responses === null || memberOf(came, params, "inputResponses") !== undefined
      ? []
      : [{ from: params.from + 1, to: params.from + 1, text: `"inputResponses":${responses},` }]),
  ]);
  return { body: restored, value: parseJson(fromUtf8(restored)), times };
}

/** What makes a call the same again: its params as they were written, and its server's user. */
export const contentOf = ({ authorization }: RelayRequest, body: Uint8Array): string =>
  digestOf("countersign/relayed-tool-call/v1", {
    params: valueAsWritten(restOf(body)),
    user: ownerOf(authorization)?.token ?? null,
  });

/** A digest of what goes to the server with this attempt alone; null where nothing does. */
export function attemptOf(body: Uint8Array): string | null {
  const written = ["requestState", "inputResponses"].map((name) => {
    const text = writtenIn(body, name);
    return text === null ? null : valueAsWritten(text);
  });
  return written.every((each) => each === null) ? null : digestOf("countersign/relayed-attempt/v1", { written });
}

function writtenIn(body: Uint8Array, name: string): string | null {
  const span = memberIn(body, "params", name);
  return span === undefined ? null : textAt(body, span);
}
