// A client of 2026-07-28 at the relay's endpoint without an SDK: what it sends, and when, is up to
// the test.

import { relayKey } from "./relay-office.ts";

export type StatelessAnswer = {
  readonly status: number;
  readonly message: {
    readonly id?: string | number;
    readonly result?: {
      readonly resultType?: string;
      readonly requestState?: string;
      readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params?: Readonly<Record<string, unknown>> }>>;
      readonly content?: readonly { readonly text?: string }[];
      readonly isError?: boolean;
      readonly [more: string]: unknown;
    };
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  };
  /** The notifications that came before it. */
  readonly told: readonly { readonly method: string; readonly params: Readonly<Record<string, unknown>> }[];
};

export type RawStateless = {
  readonly send: (method: string, params?: object, options?: SendOptions) => Promise<StatelessAnswer>;
  readonly call: (name: string, given?: object, more?: object, options?: SendOptions) => Promise<StatelessAnswer>;
};

export type SendOptions = { readonly signal?: AbortSignal; readonly meta?: object };

let last = 0;

type Asked = { readonly id: string; readonly response: Response };
type Sender = { readonly key: string; readonly capabilities: object; readonly headers: Record<string, string> };

async function post(
  url: string,
  { key, capabilities, headers }: Sender,
  method: string,
  params: object,
  options: SendOptions,
): Promise<Asked> {
  const { signal, meta = {} } = options;
  const named = params as { name?: string; uri?: string; taskId?: string };
  const name = method === "resources/read" ? (named.uri ?? "") : (named.name ?? named.taskId);
  const id = `raw-${(last += 1)}`;
  const response = await fetch(url, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${key}`,
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
      ...(name === undefined ? {} : { "Mcp-Name": name }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id,
      method,
      params: {
        ...params,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": capabilities,
          ...meta,
        },
      },
    }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { id, response };
}

export function rawStateless(
  url: string,
  {
    key = relayKey,
    capabilities = { elicitation: {}, roots: {} },
    headers = {},
  }: { key?: string; capabilities?: object; headers?: Record<string, string> } = {},
): RawStateless {
  const send: RawStateless["send"] = async (method, params = {}, options = {}) => {
    const { id, response } = await post(url, { key, capabilities, headers }, method, params, options);
    const text = await response.text();
    const isStream = response.headers.get("Content-Type")?.includes("event-stream") === true;
    const messages = isStream
      ? text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6)) as StatelessAnswer["message"]] : []))
      : [JSON.parse(text) as StatelessAnswer["message"]];
    const message = messages.at(-1);
    if (message === undefined || message.id !== id) throw new Error(`no answer: ${response.status} ${text}`);
    return { status: response.status, message, told: messages.slice(0, -1) as unknown as StatelessAnswer["told"] };
  };
  return { send, call: (name, given = {}, more = {}, options = {}) => send("tools/call", { name, arguments: given, ...more }, options) };
}

/** Comes back for a call until it is answered with something else than a state alone. */
export async function comeBack(
  client: RawStateless,
  [name, given]: readonly [string, object],
  state: string,
  responses?: object,
): Promise<StatelessAnswer> {
  let more: object = { requestState: state, ...(responses === undefined ? {} : { inputResponses: responses }) };
  for (let tries = 0; tries < 300; tries += 1) {
    const answer = await client.call(name, given, more);
    const { result } = answer.message;
    if (result?.resultType !== "input_required" || result.inputRequests !== undefined) return answer;
    more = { requestState: result.requestState ?? "" };
  }
  throw new Error("the call never ended");
}

/** A message on a stream that a client listens to. */
export type Told = { readonly id?: string; readonly method?: string; readonly params?: object; readonly result?: object };

export type Listening = {
  /** The id of its request. */
  readonly id: string;
  /** What came, in order. */
  readonly told: Told[];
  /** Resolves when the stream is over. */
  readonly over: Promise<void>;
  readonly close: () => Promise<void>;
};

/** Listens (`subscriptions/listen`); resolves when the first message is there. */
export async function listenRaw(url: string, notifications: object, key = relayKey): Promise<Listening> {
  const left = new AbortController();
  const sender = { key, capabilities: {}, headers: {} };
  const { id, response } = await post(url, sender, "subscriptions/listen", { notifications }, { signal: left.signal });
  if (!response.ok || response.body === null) throw new Error(`no stream: ${response.status} ${await response.text()}`);
  const told: Told[] = [];
  const first = Promise.withResolvers<void>();
  const over = readTold(response.body, (message) => {
    told.push(message);
    first.resolve();
  }).catch(() => {});
  await Promise.race([first.promise, over]);
  return { id, told, over, close: () => (left.abort(), over) };
}

async function readTold(body: ReadableStream<Uint8Array>, tell: (message: Told) => void): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of body) {
    const lines = (text + decoder.decode(bytes, { stream: true })).split("\n");
    text = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: {")) tell(JSON.parse(line.slice(6)) as Told);
  }
}
