// A client's call that is a task of the gateway's, once it is approved: its run sends it here in
// the client's place, as the client would have, until there is a response. What the server asks
// meanwhile goes to the client where it comes for that.

import { type JsonObject, utf8ToBytes, fromUtf8 } from "../../../../shared/encoding.ts";
import { edited, memberOf, withMembers, withoutMember } from "../../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { argumentsJsonOf } from "../../../../shared/model/subject/tool-call.ts";
import { errorOfStatus, outcomeUnknownError } from "../../../../shared/provider/provider-error.ts";
import { callMethod, editedNotice } from "../../../../shared/relay/call-notices.ts";
import { eventOf } from "../../../../shared/relay/event-stream.ts";
import { messageOf } from "../../../../shared/relay/messages.ts";
import { isRound } from "../../../../shared/relay/rounds.ts";
import { reachedBy } from "../../../../shared/relay/servers.ts";
import { relayedCall } from "../../../../shared/run/relayed-tool-call.ts";
import type { RelayedRequest } from "../../../../shared/run/run-input.ts";
import { type RequestId, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { isStateless } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { serversOf } from "../../../stores/documents.ts";
import { noteToolUse } from "../../../stores/tools.ts";
import type { AbsentClient, ApprovedAnswer, InsideVisit } from "../../../stubs/inside-relay.ts";
import type { Claim } from "../../../stubs/run-calls.ts";
import type { AppContext } from "../../app-context.ts";
import { intoCell } from "../into-cell.ts";
import { inContext } from "../relay-inside.ts";
import type { WatchedRelayRequest } from "../relay-request.ts";
import { refusedToolCall } from "../shown-tools.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import { faultOf, foundIn, returnedIn, serverMessageIn } from "./call-answer.ts";
import { withReceipt } from "./sent-receipt.ts";
import { changed, withArguments, withoutTasksIn, writtenMessage } from "./sent-call.ts";
import { paramsIn } from "./waiting-state.ts";

type Claimed = Extract<Claim, { kind: "claimed" }>;

/** `SendApproved`. */
export async function sendApprovedCall(
  visit: InsideVisit,
  relayed: RelayedRequest,
  claim: Claimed,
  client: AbsentClient,
): Promise<ApprovedAnswer> {
  const { promise, resolve } = Promise.withResolvers<ApprovedAnswer>();
  const request = new Request("https://relay/", {
    method: "POST",
    headers: new Headers(relayed.headers.map(([name, value]) => [name, value])),
    signal: visit.over,
  });
  await inContext(visit, request, async (c) => {
    resolve(await answerOf(c, visit, relayed, { claim, client }));
    return c.body(null);
  });
  return promise;
}

const notSent: ApprovedAnswer = { returned: { kind: "failed", fault: { ...errorOfStatus(403), then: "stop" } }, response: null };
const unknown: ApprovedAnswer = { returned: { kind: "failed", fault: outcomeUnknownError }, response: null };

async function answerOf(
  c: AppContext,
  { env, ctx, server: name, authorization, over }: InsideVisit,
  { body: text, account }: RelayedRequest,
  { claim, client }: { readonly claim: Claimed; readonly client: AbsentClient },
): Promise<ApprovedAnswer> {
  const { servers } = await serversOf(env, Date.now(), (work) => ctx.waitUntil(work));
  const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
  const came: PostedMessage = { body: utf8ToBytes(text), value: parseJson(text) };
  const call = relayedCall(came.body, came.value, name);
  if (server === undefined || !call.ok) return notSent;
  const before = argumentsJsonOf(call.value);
  const after = argumentsJsonOf(claim.approved.call);
  const isEdited = before !== after;
  const reached = reachedBy(server, name, c.var.key.owner, account);
  const relay: WatchedRelayRequest = { name, server: reached, authorization, over, slow: undefined, ...(isEdited ? { isEdited } : {}) };
  await noteToolUse(env, relay, call.value.tool, c.var.key.id);
  const approved = await withReceipt(env, relay, withArguments(came, before, after), claim.receipt);
  // While people decided, the tool may have become another.
  const hidden = await refusedToolCall(c, relay, approved.value);
  if (hidden !== null) return { ...notSent, response: await hidden.text() };
  const sending = new Sending(c, relay, client);
  const found = await sending.response(withoutTasksIn(approved));
  if (found.response === null) return found.lost;
  const said = isEdited ? edited(found.response, editedNotice(found.response, before, after)) : found.response;
  const response = fromUtf8(said);
  // The run says itself what was edited of a call whose result it has.
  return claim.keepsResult
    ? { returned: returnedIn(fromUtf8(found.response), true), response: null }
    : { returned: returnedIn(fromUtf8(found.response), false), response };
}

/** A client comes back so often that it is no client any more. */
const mostSent = 2_000;
const paceMs = 250;

type Found = { readonly response: Uint8Array } | { readonly response: null; readonly lost: ApprovedAnswer };

/** One call on its way, which may take several requests. */
class Sending {
  readonly #c: AppContext;
  readonly #relay: WatchedRelayRequest;
  readonly #client: AbsentClient;
  readonly #ended: Promise<never>;

  constructor(c: AppContext, relay: WatchedRelayRequest, client: AbsentClient) {
    this.#c = c;
    this.#relay = relay;
    this.#client = client;
    this.#ended = new Promise((_resolve, reject) =>
      relay.over.addEventListener("abort", () => reject(new Error("the run ended")), { once: true }),
    );
    this.#ended.catch(() => {});
  }

  async response(first: PostedMessage): Promise<Found> {
    let message = first;
    for (let sent = 0; sent < mostSent; sent += 1) {
      const id = toRequestId(objectOf(message.value)?.["id"]) ?? "";
      const cancel = (): void => this.#cancel(message, id);
      this.#relay.over.addEventListener("abort", cancel, { once: true });
      const answer = await intoCell(this.#c, this.#relay, message);
      const found = await foundIn(answer, id, async (event) => this.#heard(event), this.#relay.over);
      this.#relay.over.removeEventListener("abort", cancel);
      // A server that refuses the first request has run nothing.
      if (found === null)
        return { response: null, lost: sent === 0 ? { ...unknown, returned: { kind: "failed", fault: faultOf(answer) } } : unknown };
      const result = objectOf(found.message["result"]);
      const next = result === null ? null : await this.#next(first, result, sent);
      if (next === null) return { response: utf8ToBytes(found.text) };
      message = next;
    }
    return { response: null, lost: unknown };
  }

  /** What is sent next, where this result is not the last. */
  async #next(first: PostedMessage, result: JsonObject, sent: number): Promise<PostedMessage | null> {
    const method = objectOf(first.value)?.["method"];
    // A tool of which its server makes a task in any case.
    const taskId = objectOf(result["task"])?.["taskId"];
    if (typeof taskId === "string" && method === callMethod && sent === 0 && "task" in (objectOf(objectOf(first.value)?.["params"]) ?? {}))
      return writtenMessage({ jsonrpc: "2.0", id: crypto.randomUUID(), method: "tasks/result", params: { taskId } });
    // The call goes on only where the protocol has rounds: elsewhere that would be a second call.
    if (!isRound(result) || !isStateless(first.value, (name) => this.#c.req.raw.headers.get(name))) return null;
    const requests = objectOf(result["inputRequests"]) ?? {};
    const { requestState } = result;
    const responses = Object.keys(requests).length === 0 ? null : await this.#asked(requests, `${sent}.`);
    if (responses === null) await new Promise((resolve) => setTimeout(resolve, paceMs));
    return comeBack(first, {
      ...(requestState === undefined ? {} : { requestState }),
      ...(responses === null ? {} : { inputResponses: responses }),
    });
  }

  /** No key is asked twice in the life of a task: each has its round before it. */
  async #asked(requests: JsonObject, round: string): Promise<JsonObject> {
    const keyed = Object.entries(requests).map(([key, value]) => [`${round}${key}`, value] as const);
    const answers = await Promise.race([this.#client.ask(Object.fromEntries(keyed)), this.#ended]);
    return Object.fromEntries(Object.entries(answers).map(([key, value]) => [key.slice(round.length), value]));
  }

  #heard(event: string): void {
    const message = serverMessageIn(event);
    if (message !== null) this.#client.tell(eventOf(message), messageOf(message).kind === "request");
  }

  /** A server with sessions hears that nobody waits any more. */
  #cancel({ value }: PostedMessage, id: RequestId): void {
    const { method, params } = objectOf(value) ?? {};
    if (isStateless(value, (name) => this.#c.req.raw.headers.get(name))) return;
    const taskId = objectOf(params)?.["taskId"];
    const about =
      method === callMethod
        ? { method: "notifications/cancelled", params: { requestId: id, reason: "The task was cancelled" } }
        : { id: crypto.randomUUID(), method: "tasks/cancel", params: { taskId } };
    const relay = { ...this.#relay, over: new AbortController().signal };
    this.#c.executionCtx.waitUntil(
      intoCell(this.#c, relay, writtenMessage({ jsonrpc: "2.0", ...about }))
        .then(({ body }) => body?.cancel())
        .catch(() => {}),
    );
  }
}

/** The next request of a call with rounds: a new id, the same params, and its own members. */
function comeBack(first: PostedMessage, members: JsonObject): PostedMessage {
  const bare = ["requestState", "inputResponses"].reduce(
    (message, name) => changed(message, withoutMember(message.body, paramsIn(message.body), name)),
    first,
  );
  const whole = { from: 0, to: bare.body.length };
  const id = memberOf(bare.body, whole, "id") ?? whole;
  return changed(bare, [{ ...id, text: JSON.stringify(crypto.randomUUID()) }, ...withMembers(bare.body, paramsIn(bare.body), members)]);
}
