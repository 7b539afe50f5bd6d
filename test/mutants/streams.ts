// Streams of the relay: what a client can come back to, and what is closed.

import type { Mutant } from "./mutant.ts";

const test = "test/workers/contract/relay-streams.test.ts";

export const streamMutants: readonly Mutant[] = [
  {
    name: "a resumed stream of a translated call begins with its id",
    file: "workers/endpoints/relay/client-rounds.ts",
    from: "if (place !== null) await stream.mark(place);",
    to: "if (from === null && place !== null) await stream.mark(place);",
    test: { file: test, only: "breaks again before its first message" },
  },
];
