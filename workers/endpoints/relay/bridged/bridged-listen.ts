// `subscriptions/listen` of a client of 2026-07-28 at a server with sessions: a stream without an
// end, which tells what the BridgeObject hears of the server. Where that ends, or loses what it
// knew, the stream ends with its result, and the client asks again.

import type { JsonObject } from "../../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import { acknowledgement, isEmptyFilter, listenResult, readFilter, toldChange } from "../../../../shared/relay/listening.ts";
import { failure, responseMessage } from "../../../../shared/wire/json-rpc.ts";
import type { StatelessRequest } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { within } from "../../../http/keep-alive.ts";
import { settingsOf } from "../../../platform/settings.ts";
import type { BridgeCalls, BridgeHeard, BridgeListening, BridgeState, BridgeVisit } from "../../../stubs/bridge-calls.ts";
import type { AppContext } from "../../app-context.ts";
import { ResponseStream, eventResponse } from "../calls/response-stream.ts";

type Listener = {
  readonly c: AppContext;
  readonly request: StatelessRequest;
  readonly relay: BridgeVisit;
  readonly stub: () => DurableObjectStub<BridgeCalls>;
  /** The answer where it cannot listen: with its HTTP status, and on a stream that has begun. */
  readonly whole: (state: BridgeState) => Response;
  readonly message: (state: BridgeState) => JsonObject;
};

const heardMs = 20_000;

export async function listenBridged(listener: Listener): Promise<Response> {
  const { c, request, relay, stub, whole } = listener;
  const { id, params } = request;
  const filter = readFilter(params);
  if (!filter.ok) return Response.json(failure(id, { code: -32_602, message: `Invalid params: ${filter.error}` }), { status: 400 });
  const name = crypto.randomUUID();
  const listening = stub().listen(relay, name, jsonOf(filter.value)) as Promise<BridgeListening>;
  const first = await within(listening, settingsOf(c.env).heartbeatMs);
  if (first !== null && first.kind !== "listening") return whole(first);
  const stream = new ResponseStream(c, { id });
  stream.left.addEventListener("abort", () => c.executionCtx.waitUntil(Promise.resolve(stub().unlisten(name)).catch(() => {})));
  stream.run(async () => {
    const state = await listening;
    return state.kind === "listening" ? told(listener, stream, name, state) : listener.message(state);
  });
  return eventResponse(stream);
}

/**
 * Tells the client until nothing more is to come: the end of its request, or null where its key
 * says why.
 */
async function told(
  { request: { id }, relay, stub }: Listener,
  stream: ResponseStream,
  name: string,
  state: Extract<BridgeListening, { kind: "listening" }>,
): Promise<JsonObject | null> {
  const filter = readJsonOf(state.filter);
  const end = responseMessage(id, { result: listenResult(id, readJsonOf(state.initialized)) });
  stream.send(acknowledgement(id, filter));
  if (isEmptyFilter(filter)) return end;
  for (;;) {
    // An object that was reset knows of no listener.
    const heard = await (stub().heard(relay, name, heardMs) as Promise<BridgeHeard>).catch((): BridgeHeard => ({ kind: "over" }));
    if (heard.kind === "over") return end;
    if (heard.kind === "gone" || stream.left.aborted) return null;
    for (const change of heard.told) stream.send(toldChange(id, change));
  }
}
