// Streams of the relay: what a client can come back to, and what is closed.

import type { Mutant } from "./mutant.ts";

const test = "test/workers/contract/relay-streams.test.ts";

const association = {
  file: "shared/association/relay-association.ts",
  test: { file: "test/shared/association/relay.test.ts", only: "a sampling request serves" },
};

export const streamMutants: readonly Mutant[] = [
  {
    name: "a resumed stream of a translated call begins with its id",
    file: "workers/endpoints/relay/client-rounds.ts",
    from: "if (place !== null) await stream.mark(place);",
    to: "if (from === null && place !== null) await stream.mark(place);",
    test: { file: test, only: "breaks again before its first message" },
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
