// The review's address, offered inside the client to the person who owns its key: without any
// token, so that an agent that holds the client cannot approve by it. It opens for somebody signed
// in to their inbox.

import type { JsonObject } from "../../../../shared/encoding.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import { elicitationMethod, offerDone, offerOf } from "../../../../shared/relay/url-elicitation.ts";
import type { RunProgress } from "../../../../shared/review/view.ts";
import { isSignInSetUp } from "../../../channels/sign-in-ways.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { inboxReviewUrl, inboxUrl } from "../../../platform/urls.ts";
import { runStub } from "../../../stubs/stubs.ts";
import type { SamplingContext } from "./relay-sampling.ts";

/** The offers of one run, one for each gate. */
export class OfferedReview {
  readonly #context: SamplingContext;
  readonly #run: string;
  readonly #isForm: boolean;
  readonly #offers = new Map<Gate, string>();
  #pending: Promise<void> = Promise.resolve();

  constructor(context: SamplingContext, run: string, method: string) {
    this.#context = context;
    this.#run = run;
    this.#isForm = method === elicitationMethod;
  }

  /**
   * The run has come so far: its open gate is offered once, and what was offered before is done.
   * Never throws.
   */
  reached(state: RunProgress): void {
    const { session, key } = this.#context;
    if (!session.clientElicits || key.owner === undefined) return;
    this.#pending = this.#pending.then(() => this.#offer(state)).catch(() => {});
    this.#context.ctx.waitUntil(this.#pending);
  }

  async #offer(state: RunProgress): Promise<void> {
    const { env } = this.#context;
    const { publicUrl } = settingsOf(env);
    const gate = state === "waiting" ? "request" : state === "responseReview" ? "response" : null;
    for (const [offered, id] of this.#offers) if (offered !== gate && this.#offers.delete(offered)) this.#send(offerDone(id));
    if (gate === null || publicUrl === undefined || this.#offers.has(gate)) return;
    if ((await runStub(env, this.#run).ownersGate()) !== gate) return;
    if (!(await isSignInSetUp(env, Date.now(), (work) => this.#context.ctx.waitUntil(work)))) return;
    const offer = crypto.randomUUID();
    this.#offers.set(gate, offer);
    this.#send(offerOf(offer, inboxReviewUrl(inboxUrl(publicUrl), gate, this.#run), this.#isForm ? formMessage : messages[gate]));
  }

  #send(message: JsonObject): void {
    this.#context.toClient?.(message);
  }
}

/** English: nothing here says which language the client shows. */
const messages: Readonly<Record<Gate, string>> = {
  request: "A request of this MCP server for a model waits for your review. Sign in to Countersign to read and decide it.",
  response: "The model's reply waits for your review before this MCP server gets it. Sign in to Countersign to read and decide it.",
};

const formMessage = "This MCP server asks you a question. Sign in to Countersign to read and answer it.";
