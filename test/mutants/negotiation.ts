// Which family a server is spoken to in: a wrong finding takes sampling, elicitation or
// subscriptions from every client of it.

import type { Mutant } from "./mutant.ts";

const found = (only: string): Mutant["test"] => ({ file: "test/workers/contract/negotiation.test.ts", only });
const file = "workers/endpoints/relay/negotiation.ts";

export const negotiationMutants: readonly Mutant[] = [
  {
    file,
    name: "a server that gives a session is not spoken to in 2026-07-28",
    from: `if (answer.headers.has("Mcp-Session-Id")) {`,
    to: `if (answer.headers.has("Mcp-Session-Id-2")) {`,
    test: found("a server of both families is spoken to by each client in its own"),
  },
  {
    file,
    name: "an error about one initialize does not decide for other clients",
    from: "if (said.ok && isPlain && isOfStateless(said.value.message))",
    to: "if (said.ok && isPlain)",
    test: found("an error that is about one client's initialize decides nothing"),
  },
  {
    file,
    name: "an initialize that claims 2026-07-28 does not decide for other clients",
    from: "if (said.ok && isPlain && isOfStateless(said.value.message))",
    to: "if (said.ok && isOfStateless(said.value.message))",
    test: found("an error that answers a claim of 2026-07-28 decides nothing"),
  },
  {
    file,
    name: "a server that gives no session is asked for one again",
    from: "noSession: 15 * 60_000,",
    to: "noSession: 24 * 3_600_000,",
    test: found("a server that goes from noSession to both"),
  },
  {
    file,
    name: "a server that is not there now is not spoken to in 2026-07-28",
    from: `if (relay.server.protocol !== "auto" || isUnclear(answer)) return null;`,
    to: `if (relay.server.protocol !== "auto") return null;`,
    test: found("a server that is not there for an initialize"),
  },
  {
    file: "workers/endpoints/relay/relay-inside.ts",
    name: "a bridge is not spoken for by a translation",
    from: `{ ...server, protocol: "2025" }`,
    to: "server",
    test: found("does not speak for its client a second time"),
  },
];
