// Models that answer when they are told to: for what happens while calls are under way. In place of
// the scripted ones, on the same host.

import { chatCompletion } from "../../support/providers/openai-wire.ts";
import { once } from "./lane.ts";
import { answerAt, modelHost } from "./provider.ts";

type Call = { readonly model: string; readonly asked: string };
type Body = { readonly model: string; readonly messages: readonly { readonly content: string | readonly { readonly text?: string }[] }[] };

export class HeldModels {
  readonly #underWay: Call[] = [];
  /** What they were asked, in the order in which it came: the last message's text. */
  readonly asked: string[] = [];
  /** The most calls that one model had under way at once. */
  most = 0;
  #isOver = false;

  constructor() {
    answerAt(modelHost, async (request) => {
      const { model, messages } = await request.json<Body>();
      const content = messages.at(-1)?.content ?? "";
      const asked = typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
      const call: Call = { model, asked };
      this.#underWay.push(call);
      this.asked.push(asked);
      this.most = Math.max(this.most, this.#underWay.filter((each) => each.model === model).length);
      // It looks by itself: workerd lets no request keep a promise that another one resolves.
      await once(async () => this.#isOver || !this.#underWay.includes(call));
      const usage = { input: 12, output: 5 };
      return Response.json(chatCompletion({ model, text: `Answer to ${asked}`, calls: [], stop: "stop", usage }));
    });
  }

  /** What is under way now. */
  underWay(): string[] {
    return this.#underWay.map(({ asked }) => asked);
  }

  /** Until so many calls came in all. */
  came(count: number): Promise<void> {
    return once(async () => this.asked.length >= count);
  }

  /** Answers the call that asked this; the one that came first, where it is not said. */
  answer(asked = this.#underWay[0]?.asked ?? ""): void {
    const index = this.#underWay.findIndex((each) => each.asked === asked);
    if (index < 0) throw new Error(`no call that asked "${asked}" is under way`);
    this.#underWay.splice(index, 1);
  }

  /** Answers whatever is under way, and whatever comes, at once. */
  end(): void {
    this.#isOver = true;
  }
}
