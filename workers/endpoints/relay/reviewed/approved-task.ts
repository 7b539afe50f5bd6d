// A client's call that is a task of the gateway's, once it is approved: its run has it sent in the
// client's place, as the client would have. What the server asks meanwhile goes to the client where
// it comes for that.

import { type JsonObject, utf8ToBytes } from "../../../../shared/encoding.ts";
import { withMembers, withoutMember } from "../../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { errorOfStatus } from "../../../../shared/provider/provider-error.ts";
import { callMethod } from "../../../../shared/relay/call-notices.ts";
import { eventOf } from "../../../../shared/relay/event-stream.ts";
import { paramsIn } from "../../../../shared/relay/message-bytes.ts";
import { messageOf, paramsOf } from "../../../../shared/relay/messages.ts";
import { isRound } from "../../../../shared/relay/rounds.ts";
import { reachedBy } from "../../../../shared/relay/servers.ts";
import { relayedCall } from "../../../../shared/run/relayed-tool-call.ts";
import type { RelayedRequest } from "../../../../shared/run/work.ts";
import { refusedIds } from "../../../../shared/wire/json-rpc.ts";
import { isStateless } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { serverEntry } from "../../../stores/documents.ts";
import type { AbsentClient, ApprovedAnswer, CallRound, InsideVisit, KeptRound } from "../../../stubs/inside-relay.ts";
import type { AppContext } from "../../app-context.ts";
import { intoCell } from "../into-cell.ts";
import { inContext } from "../relay-inside.ts";
import { knownSession } from "../sessions/known-sessions.ts";
import type { PostedMessage } from "../sessions/session-relay.ts";
import { isTranslated } from "../translated/translated-relay.ts";
import { isKept } from "../stateless/stateless-relay.ts";
import { type CallClient, type CameCall, type Claimed, type GoingOn, type SentRequests, sendApproved } from "./approved-call.ts";
import { serverMessageIn } from "./call-answer.ts";
import { cancellationOf, changed, underOwnId, writtenMessage } from "./sent-call.ts";

/** `SendApproved`. */
export async function sendApprovedTask(
  visit: InsideVisit,
  relayed: RelayedRequest,
  claim: Claimed,
  client: AbsentClient,
  from: KeptRound | null,
): Promise<ApprovedAnswer> {
  const { promise, resolve } = Promise.withResolvers<ApprovedAnswer>();
  const request = new Request("https://relay/", {
    method: "POST",
    headers: new Headers(relayed.headers.map(([name, value]) => [name, value])),
    signal: visit.over,
  });
  await inContext(visit, request, async (c) => {
    const came = await cameCall(c, visit, relayed, claim.keepsResult);
    if (came === null) resolve(notSent);
    else {
      const going = new TaskClient(came, client);
      const sent = await sendApproved(came, claim, going, from === null ? undefined : going.from(from));
      going.done();
      resolve(
        sent.kind === "unsent"
          ? { kind: "unsent", why: sent.login === null ? "withdrawn" : "login" }
          : { ...sent, response: sent.response?.text ?? null },
      );
    }
    return c.body(null);
  });
  return promise;
}

const notSent: ApprovedAnswer = {
  kind: "sent",
  returned: { kind: "failed", fault: { ...errorOfStatus(403), then: "stop" } },
  response: null,
};

/** The call as its client sent it; null where its server is gone from the servers document. */
async function cameCall(
  c: AppContext,
  { env, ctx, server: name, authorization, over }: InsideVisit,
  { body: text, account }: RelayedRequest,
  keepsResult: boolean,
): Promise<CameCall | null> {
  const server = await serverEntry(env, name, Date.now(), (work) => ctx.waitUntil(work));
  const given: PostedMessage = { body: utf8ToBytes(text), value: parseJson(text) };
  const session = knownSession(c, { name });
  const message = keepsResult && session !== undefined && !isTranslated(session) ? underOwnId(given) : given;
  const call = relayedCall(message.body, message.value, name);
  if (server === undefined || !call.ok) return null;
  // By these the relay's own refusals are known as responses.
  c.set("ids", refusedIds(message.value));
  return {
    c,
    relay: { name, server: reachedBy(server, name, c.var.key.owner, account), authorization, over, slow: undefined, handsBack: true },
    message,
    call: call.value,
    isStateless: isStateless(message.value, c.req.raw.headers),
  };
}

const paceMs = 250;

/** An absent client, which goes on with its call by itself. */
class TaskClient implements CallClient {
  readonly #came: CameCall;
  readonly #client: AbsentClient;
  readonly #over = Promise.withResolvers<never>();
  /** What the server works on. */
  #sent: PostedMessage;
  #isRound = false;

  constructor(came: CameCall, client: AbsentClient) {
    this.#came = came;
    this.#client = client;
    this.#sent = came.message;
    this.#over.promise.catch(() => {});
    came.relay.over.addEventListener("abort", this.#end, { once: true });
  }

  readonly #end = (): void => {
    this.#cancel();
    this.#over.reject(new Error("the run ended"));
  };

  /** The server has said its last word: there is nothing left to cancel. */
  done(): void {
    this.#came.relay.over.removeEventListener("abort", this.#end);
  }

  async isWithdrawn(): Promise<boolean> {
    return this.#came.relay.over.aborted;
  }

  async heard(event: string): Promise<void> {
    const message = serverMessageIn(event);
    if (message !== null) this.#client.tell(eventOf(message), messageOf(message).kind === "request");
  }

  async next(result: JsonObject, sent: SentRequests): Promise<PostedMessage | null> {
    const next = await this.#nextAfter(result, sent);
    if (next !== null) this.#sent = next;
    return next;
  }

  keepsRound(): boolean {
    return this.#isRound;
  }

  async #nextAfter(result: JsonObject, { first, count }: SentRequests): Promise<PostedMessage | null> {
    // A tool of which its server makes a task in any case.
    const taskId = objectOf(result["task"])?.["taskId"];
    if (typeof taskId === "string" && count === 1 && "task" in (paramsOf(first.value) ?? {}))
      return writtenMessage({ jsonrpc: "2.0", id: crypto.randomUUID(), method: "tasks/result", params: { taskId } });
    // The call goes on only where the protocol has rounds: elsewhere that would be a second call.
    if (!isRound(result) || !this.#came.isStateless) return null;
    const { requestState } = result;
    const asks = objectOf(result["inputRequests"]);
    const round: CallRound = { count, asks, ...(requestState === undefined ? {} : { requestState }) };
    this.#isRound = true;
    const answers = await Promise.race([this.#client.round(round), this.#over.promise]);
    if (asks === null || Object.keys(asks).length === 0) await new Promise((resolve) => setTimeout(resolve, paceMs));
    return comeBack(first, round, answers);
  }

  /** Goes on with a round: an attempt that had gone comes again only where that is the same one. */
  from({ answers, isSent, ...round }: KeptRound): GoingOn {
    const { c, relay } = this.#came;
    this.#isRound = true;
    return {
      count: round.count,
      next: async (first) => {
        const message = comeBack(first, round, answers);
        this.#sent = message;
        return !isSent || (await isKept(c, relay, message)) ? message : null;
      },
    };
  }

  /** A server with sessions hears that nobody waits any more. */
  #cancel(): void {
    const { c, relay, isStateless: stateless } = this.#came;
    if (stateless) return;
    const { id, method, params } = objectOf(this.#sent.value) ?? {};
    const taskId = objectOf(params)?.["taskId"];
    const about =
      method === callMethod
        ? cancellationOf(id, "The task was cancelled")
        : writtenMessage({ jsonrpc: "2.0", id: crypto.randomUUID(), method: "tasks/cancel", params: { taskId } });
    const still = { ...relay, over: new AbortController().signal };
    c.executionCtx.waitUntil(
      intoCell(c, still, about)
        .then(({ body }) => body?.cancel())
        .catch(() => {}),
    );
  }
}

/** The next request of a call with rounds: a new id, the same params, and its own members. */
function comeBack(first: PostedMessage, { asks, requestState }: CallRound, answers: JsonObject): PostedMessage {
  const members = {
    ...(requestState === undefined ? {} : { requestState }),
    ...(asks === null || Object.keys(asks).length === 0 ? {} : { inputResponses: answers }),
  };
  const bare = ["requestState", "inputResponses"].reduce(
    (message, name) => changed(message, withoutMember(message.body, paramsIn(message.body), name)),
    underOwnId(first),
  );
  return changed(bare, withMembers(bare.body, paramsIn(bare.body), members));
}
