// Envelopes of the Model Control Protocol as a caller sends them to POST /control, and what the
// endpoint answers.
//
// Use it beside gateway.ts, whose policy closes both gates for whoever it does not name: `gates`
// says it for the control endpoint.

import { Ajv2020 } from "ajv/dist/2020.js";
import { answerJsonSchema } from "../../../shared/wire/control/answer-schema.ts";
import { type PostOptions, configure, gateway, jsonBody, model, policy, routing } from "./gateway.ts";
import { promptMarker } from "./logs.ts";
import { modelHost } from "./provider.ts";
import { framesOf, isComment, messageOf } from "./stream.ts";

/** Any JSON object: an envelope may be as wrong as a test wants it. */
export type Sent = Record<string, unknown>;

export const prompt = `${promptMarker} What is the capital of France?`;

let envelopes = 0;

/**
 * An envelope of this task for the model `first`, with a `request_id` of its own; `members` stand
 * beside the task or replace what is there.
 */
export function envelopeOf(type: string, parameters: object, members: object = {}): Sent {
  envelopes += 1;
  return {
    protocol_version: "2.1",
    request_id: `req-${envelopes}`,
    model: { name: "first" },
    task: { type, parameters },
    ...members,
  };
}

export const textEnvelope = (parameters: object = {}, members: object = {}): Sent =>
  envelopeOf("text_generation", { prompt, ...parameters }, members);

/**
 * Posts any value as JSON to the control endpoint, with the development key in the header unless it
 * is said otherwise (null: with none).
 */
export function control(message: unknown, { key, headers = {}, signal }: PostOptions = {}): Promise<Response> {
  return gateway("/control", {
    ...jsonBody("POST", message, headers),
    ...(key === undefined ? {} : { key }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Posts a body as it is. */
export const controlRaw = (body: BodyInit, { key, headers = {} }: PostOptions = {}): Promise<Response> =>
  gateway("/control", {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", ...headers },
    ...(key === undefined ? {} : { key }),
  });

export type ControlError = { readonly code: number; readonly message: string; readonly details?: Record<string, unknown> };

export type ControlCallAnswer = {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly status: string;
  readonly content?: readonly Record<string, unknown>[];
  readonly structured_content?: unknown;
  readonly is_error?: boolean;
  readonly run?: string;
  readonly error?: ControlError;
};

export type ControlResult = Record<string, unknown> & {
  readonly type: string;
  readonly text?: string;
  readonly json?: unknown;
  readonly stop_reason?: string | null;
  readonly calls?: readonly ControlCallAnswer[];
  readonly embeddings?: readonly { readonly index: number; readonly vector: readonly number[] }[];
};

export type ControlAnswer = {
  readonly protocol_version: string | null;
  readonly request_id: string | null;
  readonly status: string;
  readonly model?: { readonly id?: string; readonly name?: string; readonly requested: Record<string, unknown>; readonly why?: string };
  readonly result?: ControlResult;
  readonly usage?: Record<string, unknown>;
  readonly run?: string;
  readonly edited?: { readonly request: boolean; readonly response: boolean };
  readonly cache?: { readonly hit: boolean; readonly at: string };
  readonly notes?: readonly string[];
  readonly error?: ControlError;
};

const documented = new Ajv2020({ strict: false, validateFormats: false }).compile<ControlAnswer>(answerJsonSchema);

/** The answer, which is of the published shape. */
export function documentedAnswer(answer: unknown): ControlAnswer {
  if (documented(answer)) return answer;
  throw new Error(`no answer as it is published: ${JSON.stringify(documented.errors?.slice(0, 5))}`);
}

/** The one JSON value of an answer, white space before it or not; of the published shape. */
export const controlAnswerOf = async (response: Response | Promise<Response>): Promise<ControlAnswer> =>
  documentedAnswer(await (await response).json());

/** Sends an envelope, and waits for its answer. */
export const asked = (message: unknown, options: PostOptions = {}): Promise<ControlAnswer> => controlAnswerOf(control(message, options));

export const controlErrorOf = async (response: Response | Promise<Response>): Promise<ControlError> => {
  const answer = await controlAnswerOf(response);
  if (answer.error === undefined) throw new Error(`no error: ${answer.status}`);
  return answer.error;
};

/** Which gates are closed at the control endpoint, and what else the policy's default says. */
export const gates = (then: object = {}, more: object = {}): Promise<void> =>
  configure("policy", { ...policy, rules: [], default: { ...policy.default, request: "allow", response: "allow", ...then }, ...more });

/**
 * A table with the models `first` and `second` (OpenAI-compatible), `claude` (Anthropic), `vectors`
 * (embeddings) and `demo`; all scripted but the last.
 */
export const everyKind = {
  providers: {
    ...routing.providers,
    anthropic: { kind: "anthropic", baseUrl: `${modelHost}/anthropic`, keyless: true },
    demo: { kind: "demo" },
  },
  models: [
    ...routing.models.map((each) => ({ ...each, accepts: ["text", "image"] })),
    { ...routing.models[0], id: "claude", provider: "anthropic", name: "vendor/claude", accepts: ["text", "image"] },
    { ...routing.models[0], id: "vectors", name: "vendor/vectors", tasks: ["embedding"], tools: false },
    {
      ...routing.models[0],
      id: "demo",
      provider: "demo",
      name: "countersign-demo",
      tasks: ["chat", "embedding"],
      accepts: ["text", "image"],
    },
  ],
};

export type ControlEvent = { readonly name: string; readonly data: ControlAnswer & { readonly text?: string; readonly state?: string } };

/**
 * The events of a stream, in order, without its comments; an answer among them is of the published
 * shape.
 */
export const eventsOf = (text: string): ControlEvent[] =>
  framesOf(text)
    .filter((frame) => !isComment(frame))
    .map((frame) => {
      const name = /^event: (\w+)$/m.exec(frame)?.[1] ?? "";
      const data = messageOf(frame) as ControlEvent["data"]; // the endpoint's own events
      return { name, data: name === "result" || name === "error" ? documentedAnswer(data) : data };
    });

/** The text that the deltas say together. */
export const saidIn = (events: readonly ControlEvent[]): string =>
  events.flatMap(({ name, data }) => (name === "delta" ? [data.text ?? ""] : [])).join("");

/** What the scripted models were sent with the call at this position, the first being 0. */
export const sentBody = (position = 0): Record<string, unknown> => model.calls[position]?.body ?? {};
