// Calls that pass the client's own credential on: whose they are.

import type { Mutant } from "./mutant.ts";

const owner = (only: string): Mutant["test"] => ({ file: "test/workers/contract/call-owner.test.ts", only });

export const callMutants: readonly Mutant[] = [
  {
    file: "workers/endpoints/relay/stateless/stateless-relay.ts",
    name: "the same request of another user is another call",
    from: "token: owner?.token ?? null });",
    to: "token: null });",
    test: owner("have calls of their own"),
  },
  {
    file: "workers/endpoints/relay/stateless/stateless-relay.ts",
    name: "the same request with a JWT that only claims its user is another call",
    from: "token: owner?.token ?? null });",
    to: "token: owner?.user ?? null });",
    test: owner("whoever wrote the same claims"),
  },
  {
    file: "shared/credential/call-owner.ts",
    name: "a state is its user's alone",
    from: 'if (owner?.user !== caller?.user) return "other";',
    to: "",
    test: owner("cannot go on with each other's state"),
  },
  {
    file: "workers/endpoints/relay/stateless/stateless-relay.ts",
    name: "a refreshed JWT is believed once the server accepted it",
    from: 'if (found.value.kind === "unclear") return passUnclear(found.value.response, relay);\n      return found',
    to: "return found",
    test: owner("anybody can write a JWT"),
  },
  {
    file: "workers/endpoints/relay/stateless/stateless-relay.ts",
    name: "a task's id is its user's alone",
    from: "const refused = await refuseOther(visit, place.owner);",
    to: "const refused = await refuseOther(visit, ownerOf(visit.relay.authorization));",
    test: owner("a task is its user's alone"),
  },
  {
    file: "workers/endpoints/relay/stateless/stateless-relay.ts",
    name: "a bridge's state is good with one token",
    from: 'ownerOf(relay.authorization)) !== "own") return refuse(request.id, 400, otherOwner);',
    to: 'ownerOf(relay.authorization)) === "other" && false) return refuse(request.id, 400, otherOwner);',
    test: owner("at a server with sessions"),
  },
  {
    file: "workers/endpoints/relay/translated/translated-relay.ts",
    name: "a session's id leads to no call of another user",
    from: "user: ownerOf(relay.authorization)?.user ?? null,",
    to: "user: null,",
    test: { file: "test/workers/contract/call-owner.test.ts", only: "is neither resumed nor answered" },
  },
  {
    file: "workers/endpoints/relay/translated/translated-relay.ts",
    name: "a JWT's claims find a session's call once the server accepted it",
    from: "if (owner === null || owner.user === owner.token) return null;",
    to: "if (owner !== undefined) return null;",
    test: { file: "test/workers/contract/call-owner.test.ts", only: "with none that the server refuses" },
  },
  {
    file: "workers/endpoints/relay/translated/translated-relay.ts",
    name: "a server that does not say that it took a JWT did not take it",
    from: 'return found.value.kind === "stateless" ? null : sessionNotFound(c);',
    to: "return null;",
    test: { file: "test/workers/contract/call-owner.test.ts", only: "with none that the server refuses" },
  },
];
