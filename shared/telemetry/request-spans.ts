// The spans of a request, from what its trace says of the first steps and the events of its record
// of the rest.
//
// The same events give the same spans with the same ids, so that a run's are right after any number
// of resets, and exporting them twice is exporting them once. No prompt, reply, person, token or
// key is in them, and no session id, which at the relay is a credential.

import { type Endpoint, type RecordEvent, type RecordFact, providersWord } from "../record/record.ts";
import { gateSpans } from "./gate-spans.ts";
import { type TracedCalls, modelSpans } from "./model-spans.ts";
import { type RequestTrace, type SpanPosition, positionIn, positionsUnder, rootLabel } from "./request-trace.ts";
import type { Attributes, Span } from "./span.ts";

/** Who asked for what, as far as it could be read. */
export type TracedRequest = {
  readonly run: string;
  readonly trace: RequestTrace;
  readonly endpoint: Endpoint;
  /** The key's id. */
  readonly key: string;
  readonly revision?: string | null | undefined;
  readonly server?: string | null | undefined;
  /** The client request that it serves. */
  readonly method?: string | null | undefined;
  readonly name?: string | null | undefined;
};

/** How it ended: a word of ours. `error`: what kept it from its reply; null where it has one. */
type TracedEnd = { readonly at: number; readonly outcome: string; readonly error: string | null };

/** The spans of a request that has ended, or that is handed over to another one's run. */
export const requestSpans = (request: TracedRequest, calls: Omit<TracedCalls, "positionOf">, events: readonly RecordEvent[]): Span[] => {
  const { run, trace } = request;
  const end = endOf(events, trace.receivedAt);
  const positionOf = positionsUnder(trace, run);
  return [
    rootSpan(request, end, events),
    ...stepSpans(request, positionOf),
    ...gateSpans(positionOf, events, end.at),
    ...modelSpans({ ...calls, positionOf }, events),
  ];
};

/**
 * Those of a request that had no run of its own: it was refused, or got the outcome of an earlier
 * one.
 */
export const briefSpans = (request: TracedRequest, end: TracedEnd): Span[] => [
  rootSpan(request, end, []),
  ...stepSpans(request, positionsUnder(request.trace, request.run)),
];

function endOf(events: readonly RecordEvent[], receivedAt: number): TracedEnd {
  const last = events.at(-1)?.at ?? receivedAt;
  const finished = events.findLast(({ fact }) => fact.kind === "finished");
  // A reply that is withheld because its key ended before the delivery.
  const withheld = events.find(({ seq, fact }) => fact.kind === "cancelled" && seq > (finished?.seq ?? Number.POSITIVE_INFINITY));
  const outcome = withheld !== undefined ? "cancelled" : finished?.fact.kind === "finished" ? finished.fact.outcome : "open";
  return { at: (withheld ?? finished)?.at ?? last, outcome, error: outcome === "completed" ? null : outcome };
}

/**
 * The span's name says which kind of request it is; what outsiders call things is in attributes,
 * where it is one word.
 */
function rootSpan(request: TracedRequest, { at, outcome, error }: TracedEnd, events: readonly RecordEvent[]): Span {
  const { run, trace, endpoint } = request;
  const { caller, transport, receivedAt } = trace;
  const { traceId, spanId, state } = positionIn(trace, run, rootLabel);
  return {
    traceId,
    spanId,
    parent: caller === null ? null : { spanId: caller.spanId, isRemote: true },
    ...(state === undefined ? {} : { state }),
    name: isMcp(endpoint) ? samplingMethod : endpoint,
    kind: "server",
    startedAt: receivedAt,
    endedAt: at,
    attributes: {
      ...askedAttributes(request),
      ...recordedAttributes(events),
      "countersign.outcome": outcome,
      ...(error === null ? {} : { "error.type": error }),
    },
    events: [],
    links: transport === undefined ? [] : [transport],
    isError: error !== null,
  };
}

const samplingMethod = "sampling/createMessage";
const isMcp = (endpoint: Endpoint): boolean => endpoint === "sampling" || endpoint === "relay";

const askedAttributes = ({ run, endpoint, key, revision, server, method, name }: TracedRequest): Attributes => ({
  "countersign.run": run,
  "countersign.endpoint": endpoint,
  "countersign.key": key,
  "network.protocol.name": "http",
  ...(isMcp(endpoint) ? { "mcp.method.name": samplingMethod } : {}),
  ...(revision == null ? {} : { "mcp.protocol.version": providersWord(revision) }),
  ...(server == null ? {} : { "countersign.server": providersWord(server) }),
  ...(method == null ? {} : { "countersign.served.method": providersWord(method) }),
  ...(method === "tools/call" && name != null ? { "gen_ai.tool.name": providersWord(name) } : {}),
  ...(method === "prompts/get" && name != null ? { "gen_ai.prompt.name": providersWord(name) } : {}),
});

const recordedAttributes = (events: readonly RecordEvent[]): Attributes =>
  Object.assign({}, ...events.map(({ fact }) => attributesOf(fact))) as Attributes; // each part is one

function attributesOf(fact: RecordFact): Attributes {
  switch (fact.kind) {
    case "received":
      return {
        "countersign.provenance": fact.provenance,
        "countersign.gate.request": fact.requestGate,
        "countersign.gate.response": fact.responseGate,
        ...(fact.takenOver ? { "countersign.taken_over": true } : {}),
      };
    case "grantUsed":
      return { [`countersign.gate.${fact.gate}`]: "granted" };
    case "jurorDecided":
      return { "countersign.juror": fact.verdict };
    case "fromCache":
      return { "countersign.from_cache": true };
    case "adopted":
      return { "countersign.adopted": true };
    case "replyWritten":
      return { "countersign.reply_written": true };
    default:
      return {};
  }
}

const stepSpans = ({ trace }: TracedRequest, positionOf: (label: string) => SpanPosition): Span[] =>
  trace.steps.map(({ name, startedAt, endedAt, isShared }, index) => ({
    ...positionOf(`step ${index} ${name}`),
    name,
    kind: "internal",
    startedAt,
    endedAt,
    attributes: isShared === true ? { "countersign.admission.shared": true } : {},
    events: [],
    links: [],
    isError: false,
  }));
