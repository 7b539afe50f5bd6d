// A client of revision 2026-07-28 at the relay, and what a server of that revision answers: every
// byte of both can be looked at.

import { encodeHeaderValue } from "../../../shared/wire/mcp-2026/header-values.ts";
import {
  clientCapabilitiesKey,
  clientInfoKey,
  mirroredName,
  protocolVersionKey,
  revision2026,
} from "../../../shared/wire/mcp-2026/stateless-request.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { promptMarker } from "./logs.ts";
import { devKey, gateway, type RpcError } from "./gateway.ts";
import { type UpstreamCall, streamOf } from "./mcp-server.ts";
import { framesOf, messageOf } from "./stream.ts";

export type Input = { readonly method: string; readonly params?: object };
export type Said = {
  readonly id?: string | number | null;
  readonly result?: JsonObject & { readonly requestState?: string; readonly inputRequests?: Record<string, Input> };
  readonly error?: RpcError;
};

export const metaOf = (capabilities: object = {}, more: object = {}): object => ({
  [protocolVersionKey]: revision2026,
  [clientCapabilitiesKey]: capabilities,
  ...more,
});

/** `headers`: null leaves one out. */
export type Asked = {
  readonly id?: string | number;
  readonly capabilities?: object;
  readonly meta?: object;
  readonly headers?: Readonly<Record<string, string | null>>;
};

let ids = 0;

export class StatelessClient {
  readonly #path: string;
  readonly #key: string | null;
  readonly #send: typeof gateway;
  readonly #info: object;

  /** `name`: the client's own, in every request; absent, it says none. */
  constructor(server = "open", options: { readonly key?: string | null; readonly send?: typeof gateway; readonly name?: string } = {}) {
    this.#info = options.name === undefined ? {} : { [clientInfoKey]: { name: options.name, version: "1" } };
    this.#path = `/mcp/${server}`;
    this.#key = options.key === undefined ? devKey : options.key;
    this.#send = options.send ?? gateway;
  }

  /** A body as it is, with these headers beside the usual ones. */
  post(body: string, headers: Asked["headers"] = {}, method = "POST"): Promise<Response> {
    const all = { Accept: "application/json, text/event-stream", "Content-Type": "application/json", ...headers };
    return this.#send(this.#path, {
      method,
      key: this.#key,
      headers: Object.entries(all).filter((each): each is [string, string] => each[1] !== null),
      ...(method === "POST" ? { body } : {}),
    });
  }

  /** One request, with the headers that belong to it. */
  request(method: string, params: object = {}, { id, capabilities, meta = {}, headers = {} }: Asked = {}): Promise<Response> {
    ids += 1;
    const name = mirroredName(method, params as JsonObject);
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: id ?? `c${ids}`,
      method,
      params: { ...params, _meta: metaOf(capabilities, { ...this.#info, ...meta }) },
    });
    const mirrored = name === null ? {} : { "Mcp-Name": encodeHeaderValue(name) };
    return this.post(body, { "MCP-Protocol-Version": revision2026, "Mcp-Method": method, ...mirrored, ...headers });
  }

  async says(method: string, params: object = {}, asked: Asked = {}): Promise<Said> {
    return lastOf(await this.request(method, params, asked));
  }

  /** `tools/call` of one tool. */
  call(params: object = {}, asked: Asked = {}): Promise<Said> {
    return this.says("tools/call", { name: "summarize", arguments: {}, ...params }, asked);
  }

  /** Comes back for as long as the gateway only says to come back. */
  async callToEnd(params: object = {}, asked: Asked = {}): Promise<Said> {
    for (let said = await this.call(params, asked); ;) {
      const { requestState, inputRequests } = said.result ?? {};
      if (requestState === undefined || inputRequests !== undefined) return said;
      said = await this.call({ ...params, requestState }, asked);
    }
  }
}

/** The messages of an answer: one JSON value, or those of a stream. */
export async function messagesOf(response: Response): Promise<Said[]> {
  const text = await response.text();
  if (!(response.headers.get("Content-Type") ?? "").includes("event-stream")) return text === "" ? [] : [JSON.parse(text) as Said];
  return framesOf(text).flatMap((frame) => (/^data: ./m.test(frame) ? [messageOf(frame) as Said] : []));
}

export async function lastOf(response: Response): Promise<Said> {
  const last = (await messagesOf(response)).at(-1);
  if (last === undefined) throw new Error(`no message: ${response.status}`);
  return last;
}

/** What a server asks its client to sample. */
export const samplingInput = (text = "Summarize this.", params: object = {}): Input => ({
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text: `${promptMarker} ${text}` } }], maxTokens: 50, ...params },
});
export const formInput: Input = {
  method: "elicitation/create",
  params: { mode: "form", message: "Is it right?", requestedSchema: { type: "object", properties: { ok: { type: "boolean" } } } },
};
export const urlInput = (url: string): Input => ({ method: "elicitation/create", params: { mode: "url", message: "Please sign in", url } });
export const rootsInput: Input = { method: "roots/list" };

export const roundOf = (inputRequests?: Readonly<Record<string, unknown>>, requestState?: unknown): object => ({
  resultType: "input_required",
  ...(inputRequests === undefined ? {} : { inputRequests }),
  ...(requestState === undefined ? {} : { requestState }),
});
export const textResult = (text: string): object => ({ resultType: "complete", content: [{ type: "text", text }] });

export const resultFor = ({ message }: UpstreamCall, result: unknown): object => ({ jsonrpc: "2.0", id: message.id, result });
/** The result as one JSON value, or as an event. */
export const answerWith = (call: UpstreamCall, result: unknown, asStream = false): Response =>
  asStream ? streamOf(`event: message\ndata: ${JSON.stringify(resultFor(call, result))}\n\n`) : Response.json(resultFor(call, result));

/** The params as the server got them. */
export const paramsOf = ({ message }: UpstreamCall): Record<string, unknown> => message.params ?? {};
export const responsesTo = (call: UpstreamCall): Record<string, unknown> | undefined =>
  paramsOf(call)["inputResponses"] as Record<string, unknown> | undefined;
export const stateAt = (call: UpstreamCall): unknown => paramsOf(call)["requestState"];
export const capabilitiesAt = (call: UpstreamCall | undefined): Record<string, unknown> =>
  ((call?.message.params?.["_meta"] as Record<string, unknown> | undefined)?.[clientCapabilitiesKey] ?? {}) as Record<string, unknown>;

/**
 * A server whose tools sample once: the first request is a round, the next one ends with what was
 * answered.
 */
export const samplesOnce =
  (inputs: Readonly<Record<string, unknown>> = { reply: samplingInput() }, state: string | undefined = "the server's state") =>
  (call: UpstreamCall): Response | undefined => {
    const { method } = call.message;
    if (method !== "tools/call" && method !== "prompts/get" && method !== "resources/read") return undefined;
    const responses = responsesTo(call);
    return answerWith(call, responses === undefined ? roundOf(inputs, state) : textResult(JSON.stringify(responses)));
  };

/** The requests that answer a round. */
export const continuations = (calls: readonly UpstreamCall[]): UpstreamCall[] =>
  calls.filter((call) => responsesTo(call) !== undefined || stateAt(call) !== undefined);
