// Association: which client request a sampling belongs to, and what repeats what.

import type { Mutant } from "./mutant.ts";

const session = { file: "shared/association/session.ts", test: { file: "test/shared/association/session.test.ts" } };

export const associationMutants: readonly Mutant[] = [
  { ...session, name: "an ended session stays ended", from: 'if (known.sessionEnded) return { kind: "ended", what: "session" };', to: "" },
  {
    ...session,
    name: "an ended request stays ended",
    from: 'if (known.originating !== null && !isLive(known.originating, now)) return { kind: "ended", what: "originatingRequest" };',
    to: "",
  },
  {
    ...session,
    name: "an idle request lapses",
    from: 'originating.state === "open" && now - originating.lastAt < originatingLapsesMs',
    to: 'originating.state === "open"',
  },
  {
    ...session,
    name: "one id with other params is a conflict",
    from: 'if (earlier.digest !== asked.digest) return { kind: "conflict" };',
    to: "",
  },
  {
    ...session,
    name: "a holder is replaced only after its lease",
    from: 'earlier.state !== "fast" || now < earlier.leaseUntil',
    to: 'earlier.state !== "fast"',
  },
  {
    ...session,
    name: "a run is never taken over by a Worker",
    from: 'earlier.state !== "fast" || now < earlier.leaseUntil',
    to: "now < earlier.leaseUntil",
  },
  {
    ...session,
    name: "rounds are limited",
    from: 'if (rounds >= asked.roundsLimit) return { kind: "tooManyRounds", limit: asked.roundsLimit };',
    to: "",
  },
  {
    ...session,
    name: "rounds are counted",
    from: 'return { kind: "fresh", rounds: rounds + 1, reservation: fresh(asked, now) };',
    to: 'return { kind: "fresh", rounds, reservation: fresh(asked, now) };',
  },
  {
    name: "sampling without a session is refused",
    file: "workers/pipeline/sampling.ts",
    from: 'if (sessionName === undefined) return err({ kind: "notAssociated", why: "noSession" });',
    to: 'if (sessionName === undefined) throw new Error("none");',
    test: { file: "test/workers/contract/errors.test.ts", only: "params against the schema|before the model" },
  },
  {
    name: "sampling without a client request is refused",
    file: "workers/pipeline/sampling.ts",
    from: 'if (originating === undefined) return err({ kind: "notAssociated", why: "noOriginatingRequest" });',
    to: 'if (originating === undefined) throw new Error("none");',
    test: { file: "test/workers/contract/errors.test.ts", only: "params against the schema|before the model" },
  },
  {
    name: "an identical request of another server is another",
    file: "shared/run/opening.ts",
    from: 'digestOf("countersign/identical/v2", { server, provenance',
    to: 'digestOf("countersign/identical/v2", { provenance',
    test: { file: "test/workers/contract/kept-reply.test.ts", only: "durable path|fast path" },
  },
];
