// Carries calls at a server with sessions: sends each once, reads its stream, and goes on reading
// where the stream breaks and can be resumed.

import { type Backoff, backoffMs } from "../../../shared/backoff.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import { bridgedAnswer } from "../../../shared/relay/bridging.ts";
import type { RpcAnswer } from "../../../shared/wire/json-rpc.ts";
import { isTooLong } from "../../http/events-in.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { BridgeState } from "../../stubs/bridge-calls.ts";
import type { RequestFailure } from "../../mcp-client/request-failure.ts";
import type { BridgeCall } from "./bridge-call.ts";
import type { SessionRow } from "./bridge-tables.ts";
import { type BridgeUpstream, type Refused, type Session, answerIn, arrivalsOf, refusalOf } from "./bridge-upstream.ts";

type RunnerDeps = {
  readonly upstream: BridgeUpstream;
  readonly over: AbortSignal;
  /** A new session in place of one that the server does not know. */
  readonly renewed: (lost: Session) => Promise<SessionRow | BridgeState>;
  /** Every message that is no answer to the call; true where it changed what is kept. */
  readonly onMessage: (call: BridgeCall, message: JsonObject) => boolean;
};

/** The server's stream has to come back within some minutes. */
const resumeTries = 12;
const resume: Backoff = { firstMs: 200, mostMs: 30_000 };

export class BridgeRunner {
  readonly #deps: RunnerDeps;

  constructor(deps: RunnerDeps) {
    this.#deps = deps;
  }

  /**
   * Posts a request; the server's answer, its body unread. A server that does not know the session
   * has not looked at the request: it is sent again in a new one, once.
   */
  async send(session: Session, text: string): Promise<{ readonly session: Session; readonly response: Response } | Refused> {
    let failure: RequestFailure | undefined;
    const post = (to: Session): Promise<Response> => this.#deps.upstream.post(to, text, (reported) => void (failure = reported));
    const response = await post(session);
    if (response.ok) return { session, response };
    const refused = await refusalOf(response, failure);
    if (!refused.lost) return refused;
    const next = await this.#deps.renewed(session);
    if ("kind" in next) return next.kind === "refused" ? { ...refused, answer: null, state: next } : { ...refused, answer: answerOf(next) };
    const again = await post(next);
    return again.ok ? { session: next, response: again } : refusalOf(again, failure);
  }

  /** Sends the call and reads until its answer. Never throws. */
  run(call: BridgeCall, text: string): Promise<void> {
    return this.#reading(call, async () => {
      const sent = await this.send(call.session, text);
      if (!("response" in sent)) {
        if (sent.answer === null) call.refuse(sent.state);
        else call.end(sent.answer);
        return;
      }
      call.session = sent.session;
      await this.#read(call, sent.response);
      await this.#resume(call);
    });
  }

  /** Goes on with a call whose reader is gone. Never throws. */
  revive(call: BridgeCall): Promise<void> {
    return this.#reading(call, () => this.#resume(call));
  }

  async #reading(call: BridgeCall, read: () => Promise<void>): Promise<void> {
    call.isRunning = true;
    try {
      await read();
    } catch (error) {
      logEvent("bridge.failed", { error: errorClass(error) });
      call.end(unknown, "lost");
    } finally {
      call.isRunning = false;
    }
  }

  async #resume(call: BridgeCall): Promise<void> {
    const { upstream, over } = this.#deps;
    for (let failures = 0; !call.isOver && !over.aborted; failures += 1) {
      if (call.eventId === null || failures >= resumeTries) return call.end(unknown, "lost");
      await new Promise((done) => setTimeout(done, backoffMs(resume, failures, Math.random())));
      const response = await upstream.listen(call.session, call.eventId, over).catch(() => null);
      if (response?.ok === true) {
        call.attached();
        if (await this.#read(call, response)) failures = 0;
        continue;
      }
      response?.body?.cancel().catch(() => {});
      // The session is over, or this stream: nobody will know.
      if (response !== null && response.status < 500 && response.status !== 429 && response.status !== 409)
        return call.end(unknown, "lost");
    }
  }

  /** Reads until the answer, or the end of this connection. Whether anything came. */
  async #read(call: BridgeCall, response: Response): Promise<boolean> {
    let hasCome = false;
    try {
      for await (const { eventId, messages } of arrivalsOf(response, this.#deps.over)) {
        if (call.isOver || this.#deps.over.aborted) break;
        hasCome = true;
        let matters = call.eventId === null;
        for (const message of messages) {
          const answer = answerIn(message, call.name);
          if (answer !== null) call.end(bridgedAnswer(call.method, answer));
          else if (this.#deps.onMessage(call, message)) matters = true;
        }
        if (eventId !== null && !call.isOver) call.passed(eventId, matters);
      }
    } catch (error) {
      // The connection broke, or an event was too long: that one would come again.
      if (isTooLong(error)) call.end(tooLong);
    }
    return hasCome;
  }
}

const answerOf = (state: Exclude<BridgeState, { kind: "refused" }>): RpcAnswer =>
  state.kind === "answered" ? readJsonOf(state.answer) : unknown;

/** Nothing was sent twice, and nothing will be. */
export const unknown: RpcAnswer = {
  error: {
    code: -32_603,
    message:
      "The connection to the MCP server broke and cannot be resumed: the outcome of the request is unknown, and it is not sent again",
  },
};
const tooLong: RpcAnswer = { error: { code: -32_603, message: "The MCP server's answer is too long" } };
