// What a server with sessions asks its client, for a client of 2026-07-28: it waits in a call until
// the client comes for it. Sampling that the gateway answers does not get here: the relay takes it
// from the stream.

import type { JsonObject } from "../../../shared/encoding.ts";
import { isDeeperThan } from "../../../shared/json/json-rules.ts";
import { associationOf } from "../../../shared/association/relay-association.ts";
import { type BridgedClient, inputParams, isLogged } from "../../../shared/relay/bridging.ts";
import { changeOf } from "../../../shared/relay/listening.ts";
import { messageOf } from "../../../shared/relay/messages.ts";
import { type InputMethod, isInputMethod, rootsMethod, undeclared } from "../../../shared/relay/rounds.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import type { Server } from "../../../shared/relay/servers.ts";
import { isOfferId } from "../../../shared/relay/url-elicitation.ts";
import { type RequestId, type RpcAnswer, toRequestId } from "../../../shared/wire/json-rpc.ts";
import { type BridgeCall, mostQuestions } from "./bridge-call.ts";
import type { BridgeUpstream, Session } from "./bridge-upstream.ts";

type QuestionDeps = {
  readonly upstream: BridgeUpstream;
  readonly client: () => BridgedClient;
  /** Those that have no answer yet, newest first. */
  readonly inFlight: () => BridgeCall[];
  readonly association: () => Promise<Server["association"]>;
  /** A change that clients may listen to, as `changeOf` has it. */
  readonly onChange: (change: string) => void;
};

type ServerQuestion = { readonly id: RequestId; readonly method: string; readonly params: JsonObject | null };

const deepest = 100;
/** Requests for roots that wait for a call whose client can be asked. */
const mostEarly = 8;

const failed = (code: number, message: string): RpcAnswer => ({ error: { code, message } });

export class BridgeQuestions {
  readonly #deps: QuestionDeps;
  /** ServerQuestion before there was a call: in memory alone, since their servers ask again. */
  #early: { readonly session: string; readonly asked: ServerQuestion }[] = [];

  constructor(deps: QuestionDeps) {
    this.#deps = deps;
  }

  /**
   * A message on the stream of this call, which is no answer. True where something is kept of it.
   */
  onMessage(call: BridgeCall, value: JsonObject): boolean {
    const message = messageOf(value);
    if (message.kind === "request") return this.#ask(call, call.session, message);
    if (message.kind === "notification") return this.#notified([call], message.method, message.params, value);
    return false;
  }

  /** A message on the stream that belongs to no request. */
  onStray(session: Session, value: JsonObject): void {
    const message = messageOf(value);
    const calls = this.#deps.inFlight().filter((each) => each.session.id === session.id);
    if (message.kind === "notification") {
      this.#early = this.#early.filter(({ asked }) => asked.id !== message.params?.["requestId"]);
      this.#notified(calls, message.method, message.params, value);
    }
    if (message.kind === "request") void this.#askStray(session, calls, message);
  }

  /** A call began, whose client can be asked. */
  began(call: BridgeCall): void {
    const early = this.#early.filter(({ session }) => session === call.session.id);
    this.#early = this.#early.filter(({ session }) => session !== call.session.id);
    for (const { asked } of early) this.#ask(call, call.session, asked);
  }

  async #askStray(session: Session, calls: readonly BridgeCall[], asked: ServerQuestion): Promise<void> {
    if (calls.some((call) => call.knows(asked.id))) return;
    const [newest] = calls;
    if (asked.method === rootsMethod || !isInputMethod(asked.method)) {
      // Roots are the same for every call; other methods are refused in any.
      if (newest !== undefined) this.#ask(newest, session, asked);
      else if (asked.method === rootsMethod && this.#keepEarly(session, asked)) return;
      else {
        const judged = this.#judged(asked);
        const none = failed(-32_603, "The client cannot be asked while it has no request");
        this.#refuse(session, asked.id, judged.ok ? none : judged.error);
      }
      return;
    }
    const setting = await this.#deps.association().catch(() => "strict" as const);
    const inFlight = calls.map(({ name, method }) => ({ id: name, method, name: "" }));
    const found = associationOf(setting, { stream: null, task: null, inFlight });
    const call = found.ok ? calls.find(({ name }) => name === found.value.originating.id) : undefined;
    if (call === undefined) this.#refuse(session, asked.id, failed(-32_602, `Nothing shows which request of the client this serves`));
    else this.#ask(call, session, asked);
  }

  #keepEarly({ id }: Session, asked: ServerQuestion): boolean {
    this.#early = this.#early.filter(({ session }) => session === id);
    if (this.#early.length >= mostEarly) return false;
    this.#early.push({ session: id, asked });
    return true;
  }

  #ask(call: BridgeCall, session: Session, asked: ServerQuestion): boolean {
    const { id, method, params } = asked;
    if (call.knows(id)) return true;
    const judged = this.#judged(asked);
    if (!judged.ok) this.#refuse(session, id, judged.error);
    else if (call.isOver) this.#refuse(session, id, failed(-32_603, "The client's request is over"));
    else if (call.ask(id, judged.value, inputParams(method, params))) return true;
    else this.#refuse(session, id, failed(-32_603, `The client was asked more than ${mostQuestions} times for one request`));
    return false;
  }

  /** What the client is asked; or the answer to a request that is not for it. */
  #judged({ method, params }: ServerQuestion): Result<InputMethod, RpcAnswer> {
    if (method === "ping") return err({ result: {} });
    if (!isInputMethod(method)) return err(failed(-32_601, `Method not found: ${method}`));
    if (isDeeperThan(deepest, params)) return err(failed(-32_602, `Invalid params: nested more than ${deepest} levels deep`));
    const { capabilities } = this.#deps.client();
    const missing = undeclared([{ key: "", method, params }], capabilities);
    return missing === null ? ok(method) : err(failed(-32_601, `The client did not declare ${method}`));
  }

  #refuse(session: Session, id: RequestId, answer: RpcAnswer): void {
    void this.#deps.upstream.reply(session, id, answer);
  }

  #notified(calls: readonly BridgeCall[], method: string, params: JsonObject | null, message: JsonObject): boolean {
    switch (method) {
      case "notifications/progress":
        for (const call of calls) if (params?.["progressToken"] === call.name) call.notify(message);
        return false;
      case "notifications/message":
        // Nothing says for which of several it is.
        if (calls.length === 1 && isLogged(params?.["level"], calls[0]?.logLevel ?? null)) calls[0]?.notify(message);
        return false;
      case "notifications/cancelled": {
        const id = toRequestId(params?.["requestId"]);
        return id !== undefined && calls.some((call) => call.withdraw(id));
      }
      case "notifications/elicitation/complete":
        return calls.some((call) =>
          call.withdrawOffer((id) => isOfferId(id) && String(id).endsWith(`/${String(params?.["elicitationId"])}`)),
        );
      default: {
        const change = changeOf(method, params);
        if (change !== null) this.#deps.onChange(change);
        return false;
      }
    }
  }
}
