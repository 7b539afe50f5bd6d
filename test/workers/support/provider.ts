// Models behind Chat Completions, Embeddings and Anthropic's Messages, scripted, in place of the
// network: where the world begins. Everything else is the gateway's own.

import { vi } from "vitest";
import { type TokenCounts, anthropicError, anthropicMessage } from "../../support/providers/anthropic-wire.ts";
import { chatCompletion, embeddings, openaiError } from "../../support/providers/openai-wire.ts";
import { replyMarker } from "./logs.ts";
import { type Piece, anthropicEvents, openaiEvents } from "./provider-stream.ts";

export const modelHost = "https://model.example.com";

export type Step =
  | {
      readonly text?: string;
      readonly calls?: readonly { id: string; name: string; input: unknown }[];
      readonly usage?: TokenCounts;
      /** The text piece by piece, where it is asked for as a stream. */
      readonly pieces?: readonly Piece[];
      /** Of a stream: see `StreamedReply`. */
      readonly breaksOff?: "end" | "error";
    }
  | { readonly status: number; readonly message: string }
  /** Answers once the promise resolves. */
  | { readonly until: Promise<unknown>; readonly step: Step };

export type ModelCall = {
  readonly url: string;
  readonly authorization: string | null;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  readonly body: Record<string, unknown>;
};

export type ScriptedModel = {
  /** Oldest first. */
  readonly calls: ModelCall[];
  readonly script: (...steps: readonly Step[]) => void;
};

const others = new Map<string, (request: Request) => Response | Promise<Response>>();

/**
 * What else of the world answers in the test that runs: a mail API, Slack, a webhook's receiver.
 */
export const answerAt = (origin: string, answerer: (request: Request) => Response | Promise<Response>): void =>
  void others.set(origin, answerer);

/**
 * Answers every call of the model's host in the order of the script, and plainly when it is used
 * up. Any other address is a fault.
 */
export function scriptModel(): ScriptedModel {
  const steps: Step[] = [];
  const calls: ModelCall[] = [];
  others.clear();
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const other = others.get(new URL(request.url).origin);
    if (other !== undefined) return obeyRedirects(request, await other(request));
    if (!request.url.startsWith(modelHost)) throw new TypeError(`no network in tests: ${new URL(request.url).origin}`);
    const body = await request.json<Record<string, unknown>>();
    const { url, headers } = request;
    const [authorization, traceparent, tracestate] = ["Authorization", "traceparent", "tracestate"].map((name) => headers.get(name));
    calls.push({ url, authorization: authorization ?? null, traceparent: traceparent ?? null, tracestate: tracestate ?? null, body });
    const given = answer(steps.shift() ?? {}, body, new URL(request.url).pathname, request.signal);
    return Promise.race([given, abortOf(request.signal)]);
  });
  return { calls, script: (...more) => void steps.push(...more) };
}

/**
 * As fetch does with `redirect`: "manual" hands a redirect back, "error" rejects, and the default
 * follows it, with the same headers.
 */
function obeyRedirects(request: Request, response: Response): Response | Promise<Response> {
  const location = response.headers.get("Location");
  if (location === null || ![301, 302, 303, 307, 308].includes(response.status) || request.redirect === "manual") return response;
  if (request.redirect === "error") throw new TypeError("redirected");
  return fetch(new URL(location, request.url), { headers: request.headers, signal: request.signal });
}

/** As fetch does: rejects once the caller no longer wants an answer. */
export const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));

async function answer(step: Step, body: Record<string, unknown>, path: string, signal: AbortSignal): Promise<Response> {
  if ("until" in step) {
    await step.until;
    return answer(step.step, body, path, signal);
  }
  const isAnthropic = path.endsWith("/messages");
  if ("status" in step) {
    const error = isAnthropic ? anthropicError(step.status, step.message) : openaiError(step.status, step.message);
    return Response.json(error, { status: step.status });
  }
  const model = String(body["model"]);
  if (path.endsWith("/embeddings")) return Response.json(embeddings(model, [body["input"]].flat().map(String)));
  const { calls = [], usage = { input: 12, output: 5 }, breaksOff } = step;
  const pieces = step.pieces ?? [step.text ?? `Hello. ${replyMarker}`];
  if (body["stream"] === true) {
    const reply = { model, pieces, calls, usage, ...(breaksOff === undefined ? {} : { breaksOff }) };
    return isAnthropic ? anthropicEvents(reply, signal) : openaiEvents(reply, signal);
  }
  const said = pieces.filter((piece) => typeof piece === "string").join("");
  const text = calls.length > 0 ? undefined : said;
  return Response.json(
    isAnthropic
      ? anthropicMessage({ model, text, calls, stop: calls.length > 0 ? "tool_use" : "end_turn", usage })
      : chatCompletion({ model, text, calls, stop: calls.length > 0 ? "tool_calls" : "stop", usage }),
  );
}
