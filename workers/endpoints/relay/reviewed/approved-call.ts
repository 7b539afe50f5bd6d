// Sends a call that was approved, in the one place where that is done: for a client that is held,
// and by a task's run in its client's place. The approval was claimed before, so that nothing here
// happens twice.

import type { JsonObject } from "../../../../shared/encoding.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import type { ProviderError } from "../../../../shared/model/call.ts";
import { type ToolCall, argumentsJsonOf } from "../../../../shared/model/subject/tool-call.ts";
import { errorOfStatus, outcomeUnknownError } from "../../../../shared/provider/provider-error.ts";
import type { ReceiptFacts } from "../../../../shared/receipt/facts.ts";
import { type RequestId, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { type MissingLogin, loginFor } from "../../../mcp-client/ask-upstream.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import { noteToolUse } from "../../../stores/tools.ts";
import type { RequestFailure } from "../../../mcp-client/request-failure.ts";
import type { CallReturn, Claim } from "../../../stubs/run-calls.ts";
import type { AppContext } from "../../app-context.ts";
import { intoCell } from "../into-cell.ts";
import type { WatchedRelayRequest } from "../relay-request.ts";
import { refusedToolCall } from "../shown-tools.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import { type Found, asksForMore, faultOf, foundIn, returnedIn, withChange } from "./call-answer.ts";
import { asApproved, withoutTasksIn } from "./sent-call.ts";
import { withReceipt } from "./sent-receipt.ts";

export type Claimed = Extract<Claim, { readonly kind: "claimed" }>;

/** A call as its client sent it. */
export type CameCall = {
  readonly c: AppContext;
  readonly relay: WatchedRelayRequest;
  readonly message: PostedMessage;
  readonly call: ToolCall;
  readonly isStateless: boolean;
};

/** Who hears of a call while it runs. */
export type CallClient = {
  /** Asked right before the first request goes: whether nobody wants the call any more. */
  readonly isWithdrawn: () => Promise<boolean>;
  /** Gets each event of the server's answer that is not the response. */
  readonly heard: (event: string) => Promise<void>;
  /** What is sent next, where this result is not the server's last word; null where it is. */
  readonly next: (result: JsonObject, sent: SentRequests) => Promise<PostedMessage | null>;
  /** Whether the last request is one that a round asked for, and may be sent again by itself. */
  readonly keepsRound: () => boolean;
};

/**
 * A call with rounds goes on: `count` requests were sent, and `next` makes the one that comes now.
 * Null: it may have gone to its server already, which is not asked twice.
 */
export type GoingOn = { readonly count: number; readonly next: (first: PostedMessage) => Promise<PostedMessage | null> };

/** What the server got so far. `first`: the approved call. `count`: that and what came after. */
export type SentRequests = { readonly first: PostedMessage; readonly count: number };

/**
 * `response`: for the client now; null where there is none, or where its run has it. `unsent`: it
 * was withdrawn before it was sent (`login`: null); or the server refused the login of the last
 * request before it did anything, and no other token could be had.
 */
type SentCall =
  | { readonly kind: "sent"; readonly returned: CallReturn; readonly response: Found | null }
  | { readonly kind: "unsent"; readonly login: MissingLogin | null };

/** The message as it may be sent: with the arguments that were approved, and its receipt. */
export async function preparedCall(
  { c, relay, message, call: came }: CameCall,
  approved: ToolCall,
  receipt: ReceiptFacts | undefined,
): Promise<{ readonly message: PostedMessage; readonly relay: WatchedRelayRequest }> {
  const [before, after] = [argumentsJsonOf(came), argumentsJsonOf(approved)];
  const prepared = await withReceipt(c.env, relay, asApproved(message, came, approved), receipt);
  await noteToolUse(c.env, relay, came.tool, c.var.key.id);
  return { message: prepared, relay: before === after ? relay : { ...relay, isEdited: true } };
}

/** A client comes back so often that it is no client any more. */
const mostSent = 2_000;

const refusedHere: ProviderError = { ...errorOfStatus(403), then: "stop" };

const failed = (fault: ProviderError, response: Found | null = null): SentCall => ({
  kind: "sent",
  returned: { kind: "failed", fault },
  response,
});

/**
 * Sends the call, and goes on until the server has said its last word. Never throws: what is not
 * known is said to be.
 */
export async function sendApproved(came: CameCall, claim: Claimed, client: CallClient, goingOn?: GoingOn): Promise<SentCall> {
  let sent = goingOn?.count ?? 0;
  let failure: RequestFailure | null = null;
  try {
    const prepared = await preparedCall(came, claim.approved.call, claim.receipt);
    const { c } = came;
    const { handsBack, ...own } = prepared.relay;
    const relay: WatchedRelayRequest = { ...own, reportFailure: (reported) => void (failure = reported) };
    // While people decided, the tool may have become another.
    const hidden = await refusedToolCall(c, relay, prepared.message.value);
    if (hidden !== null) return failed(sent === 0 ? refusedHere : outcomeUnknownError, foundAs(await hidden.text()));
    // A task of the server's would give its result to another request.
    const first = withoutTasksIn(prepared.message, handsBack !== true && !came.isStateless);
    const again = goingOn === undefined ? first : await goingOn.next(first);
    if (again === null) return failed(outcomeUnknownError);
    let message = again;
    while (sent < mostSent) {
      const id = toRequestId(objectOf(message.value)?.["id"]) ?? "";
      if (sent === 0 && (await client.isWithdrawn())) return { kind: "unsent", login: null };
      sent += 1;
      failure = null;
      const answer = await intoCell(c, sent === 1 && handsBack === true ? { ...relay, handsBack } : relay, message);
      const refused = failure as RequestFailure | null; // the compiler does not see the callback
      const ids = refused === null ? [id] : [id, refusedId(c, id)];
      const found = await foundIn(answer, ids, (event) => client.heard(event), relay.over);
      // A server that refuses the first request has run nothing.
      if (found === null) return failed(sent === 1 ? faultOf(answer) : outcomeUnknownError);
      const reported = failure as RequestFailure | null;
      if (reported === "lost") return failed(outcomeUnknownError);
      const login = reported === "noLogin" ? await loginFor(c.env, relay.server) : null;
      // A server that refuses a good token gives its own last word.
      if (login !== null && login.kind !== "ready")
        return sent === 1 || client.keepsRound() ? { kind: "unsent", login: login.kind } : failed(outcomeUnknownError);
      const result = objectOf(found.message["result"]);
      const next = result === null ? null : await client.next(result, { first, count: sent });
      if (next === null) return lastWord(came, claim, found);
      message = next;
    }
    return failed(outcomeUnknownError);
  } catch (error) {
    logEvent("request.failed", { quote: "", error: errorClass(error) });
    return failed(sent === 0 ? refusedHere : outcomeUnknownError);
  }
}

function lastWord({ call, isStateless }: CameCall, { approved, keepsResult }: Claimed, found: Found): SentCall {
  if (keepsResult)
    return asksForMore(found, isStateless)
      ? failed({ kind: "providerError", then: "stop", detail: "asksForMore" }, { ...found, event: null })
      : // Its run says itself what was edited.
        { kind: "sent", returned: returnedIn(found, true), response: null };
  const change = { before: argumentsJsonOf(call), after: argumentsJsonOf(approved.call) };
  return { kind: "sent", returned: returnedIn(found, false), response: withChange(found, change) };
}

/** By this some of the relay's own refusals are known, whatever id the call has at its server. */
function refusedId(c: AppContext, id: RequestId): RequestId {
  const ids = c.get("ids");
  return typeof ids === "string" || typeof ids === "number" ? ids : id;
}

/** A response of the gateway's own. */
const foundAs = (text: string): Found => ({ message: objectOf(parseJson(text)) ?? {}, text, event: null });
