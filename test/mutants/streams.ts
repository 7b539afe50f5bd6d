// Streams of the relay: what a client can come back to, and what is closed.

import type { Mutant } from "./mutant.ts";

const test = "test/workers/contract/relay-streams.test.ts";
const outside = "test/rest/relay/broken-streams.test.ts";

const association = {
  file: "shared/association/relay-association.ts",
  test: { file: "test/shared/association/relay.test.ts", only: "a sampling request serves" },
};

export const streamMutants: readonly Mutant[] = [
  {
    name: "a resumed stream of a translated call begins with its id",
    file: "workers/endpoints/relay/translated/client-rounds.ts",
    from: "if (place !== null) await asking.mark(place);",
    to: "if (from === null && place !== null) await asking.mark(place);",
    test: { file: test, only: "breaks again before its first message" },
  },
  {
    name: "who has left a stream without ids is found out before a heartbeat",
    file: "workers/endpoints/relay/sessions/sse-relay.ts",
    from: "setInterval(() => this.#mayComeBack || this.#beat(), unreadMs),",
    to: "",
    test: { file: outside, only: "leaves without a word" },
  },
  {
    name: "a stand-alone stream begins before its server says a word",
    file: "workers/endpoints/relay/sessions/session-relay.ts",
    from: "last === undefined ? Math.min(unreadMs, heartbeatMs) : heartbeatMs",
    to: "heartbeatMs",
    test: { file: outside, only: "has not said a word" },
  },
  {
    name: "a stream that can be resumed has heartbeats alone",
    file: "workers/endpoints/relay/sessions/sse-relay.ts",
    from: "      this.#mayComeBack = this.#context.originating !== null;",
    to: "      this.#mayComeBack = false;",
    test: { file: test, only: "cannot come back has a comment" },
  },
  {
    name: "a call has a place to come back to before its server samples on its stream",
    file: "workers/endpoints/relay/sessions/sse-relay.ts",
    from: "const marking = setTimeout(() => this.#context.inFlight !== null && void",
    to: "const marking = setTimeout(() => this.#context.inFlight === null && void",
    test: { file: test, only: "takes a while has a place" },
  },
  {
    name: "who has left the stand-alone stream is found out, whatever ids it has",
    file: "workers/endpoints/relay/sessions/sse-relay.ts",
    from: "      this.#mayComeBack = this.#context.originating !== null;",
    to: "      this.#mayComeBack = true;",
    test: { file: outside, only: "from which the client has an event id" },
  },
  {
    name: "what is sent again on the resumed stream of a list is not sampled",
    file: "workers/endpoints/relay/sessions/sse-relay.ts",
    from: "isOver: this.#isOver || isElsewhere,",
    to: "isOver: this.#isOver,",
    test: { file: "test/workers/contract/relay.test.ts", only: "on the resumed stream of a list" },
  },
  {
    ...association,
    name: "the stream of an unknown task's result serves no request",
    from: '!method.startsWith("tasks/")',
    to: 'method !== ""',
  },
  {
    ...association,
    name: "a list in flight does not count for what shows no request",
    from: "inFlight.filter(countsInFlight).filter",
    to: "inFlight.filter(maySample).filter",
  },
];
