// A model behind Chat Completions, scripted, in place of the network: where the world begins. Everything else is the gateway's own.

import { vi } from "vitest";
import { chatCompletion, openaiError } from "../../support/providers/openai-wire.ts";
import { replyMarker } from "./logs.ts";

export const modelHost = "https://model.example.com";

export type Step =
  | {
      readonly text?: string;
      readonly calls?: readonly { id: string; name: string; input: unknown }[];
      readonly usage?: { input: number; output: number };
    }
  | { readonly status: number; readonly message: string }
  /** Answers once the promise resolves. */
  | { readonly until: Promise<unknown>; readonly step: Step };

export type ModelCall = { readonly url: string; readonly authorization: string | null; readonly body: Record<string, unknown> };

export type ScriptedModel = {
  /** Oldest first. */
  readonly calls: ModelCall[];
  readonly script: (...steps: readonly Step[]) => void;
};

const others = new Map<string, (request: Request) => Response | Promise<Response>>();

/** What else of the world answers in the test that runs: a mail API, Slack, a webhook's receiver. */
export const answerAt = (origin: string, answerer: (request: Request) => Response | Promise<Response>): void =>
  void others.set(origin, answerer);

/** Answers every call of the model's host in the order of the script, and plainly when it is used up. Any other address is a fault. */
export function scriptModel(): ScriptedModel {
  const steps: Step[] = [];
  const calls: ModelCall[] = [];
  others.clear();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const other = others.get(new URL(request.url).origin);
    if (other !== undefined) return other(request);
    if (!request.url.startsWith(modelHost)) throw new TypeError(`no network in tests: ${new URL(request.url).origin}`);
    const body = await request.json<Record<string, unknown>>();
    calls.push({ url: request.url, authorization: request.headers.get("Authorization"), body });
    return answer(steps.shift() ?? {}, String(body["model"]));
  });
  return { calls, script: (...more) => void steps.push(...more) };
}

async function answer(step: Step, model: string): Promise<Response> {
  if ("until" in step) {
    await step.until;
    return answer(step.step, model);
  }
  if ("status" in step) return Response.json(openaiError(step.status, step.message), { status: step.status });
  const { text = `Hello. ${replyMarker}`, calls = [], usage = { input: 12, output: 5 } } = step;
  return Response.json(
    chatCompletion({ model, text: calls.length > 0 ? undefined : text, calls, stop: calls.length > 0 ? "tool_calls" : "stop", usage }),
  );
}
