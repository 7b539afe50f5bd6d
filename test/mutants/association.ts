// Association: which client request a sampling belongs to, and what repeats what.

import type { Mutant } from "./mutant.ts";

const session = { file: "shared/association/session.ts", test: { file: "test/shared/association/session.test.ts" } };

const relay = { file: "shared/association/relay-association.ts", test: { file: "test/shared/association/relay.test.ts" } };
const inFlight = {
  file: "workers/objects/session/session-object.ts",
  test: { file: "test/workers/contract/relay-entry.test.ts", only: "does not count for a request" },
};

const endedRequests = {
  file: "workers/objects/session/originating-requests.ts",
  test: { file: "test/workers/objects/ended-requests.test.ts", only: "ended or lapsed" },
};

export const associationMutants: readonly Mutant[] = [
  {
    ...relay,
    name: "nothing is inferred where the setting is strict",
    from: 'if (setting === "strict") return err("nothingShown");',
    to: "",
  },
  { ...relay, name: "of several in flight none is taken", from: 'return setting === "inFlight" ? ok(', to: "return setting ? ok(" },
  {
    ...relay,
    name: "a stream that may not be sampled for is no guess",
    from: 'if (stream !== null) return err("unknownTask");',
    to: "",
  },
  {
    ...relay,
    name: "an unknown task is of a request that asked for one",
    from: "task === null || asTask === true",
    to: "task === null || asTask !== false",
  },
  {
    name: "a reply in prose does not answer a request for JSON",
    file: "shared/wire/identity.ts",
    from: "...(format === undefined ? {} :",
    to: "...(format !== null ? {} :",
    test: { file: "test/shared/wire/identity.test.ts", only: "depends on the format of the reply" },
  },
  {
    name: "what is inferred is not told as observed",
    file: "shared/association/evidence.ts",
    from: 'onlyInFlight: "inferred",',
    to: 'onlyInFlight: "observed",',
    test: { file: "test/workers/contract/relay-entry.test.ts", only: "counts by default for the only request" },
  },
  {
    ...inFlight,
    name: "a cancelled request is not in flight",
    from: "this.#inFlight.closeFor(originating);",
    to: "",
  },
  {
    name: "a reserved request is known before it is written",
    file: "workers/objects/session/session-object.ts",
    from: "this.#deps.names.add(resultName(input), input.originating);",
    to: "",
    test: { file: "test/workers/objects/reserving.test.ts", only: "asks the tables nothing" },
  },
  {
    name: "an originating request that ends is known by its name",
    file: "workers/objects/session/originating-requests.ts",
    from: "this.#deps.names.add(key);\n    this.#deps.sql.exec(\n",
    to: "this.#deps.sql.exec(\n",
    test: endedRequests.test,
  },
  {
    name: "a write that fails holds up no later one",
    file: "workers/objects/session/session-deps.ts",
    from: "this.#unwritten = [...writes, ...this.#unwritten];",
    to: "",
    test: { file: "test/workers/objects/reserving.test.ts", only: "holds up no later write" },
  },
  {
    name: "a request that has sampled is written with its reservation",
    file: "workers/objects/session/session-object.ts",
    from: "this.#inFlight.write();\n    if (input.sessionPermitUntil",
    to: "if (input.sessionPermitUntil",
    test: { file: "test/workers/objects/in-flight.test.ts", only: "is written with the reservation" },
  },
  {
    name: "a request that is longer under way is written",
    file: "workers/objects/session/session-in-flight.ts",
    from: "this.#timer ??= setTimeout(() => {",
    to: "this.#timer ??= setTimeout(() => { if (requests.length > 0) return;",
    test: { file: "test/workers/objects/in-flight.test.ts", only: "is written, and a reset leaves it" },
  },
  {
    ...inFlight,
    file: "workers/objects/session/session-in-flight.ts",
    name: "a request of which nobody is heard is not in flight",
    from: "FROM in_flight WHERE until > ? ORDER BY",
    to: "FROM in_flight WHERE until >= 0 AND ? > 0 ORDER BY",
  },
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
    file: "workers/pipeline/incoming/sampling-call.ts",
    from: 'if (sessionName === undefined) return err({ kind: "notAssociated", why: "noSession" });',
    to: 'if (sessionName === undefined) throw new Error("none");',
    test: { file: "test/workers/contract/errors.test.ts", only: "params against the schema|before the model" },
  },
  {
    name: "sampling without a client request is refused",
    file: "workers/pipeline/incoming/sampling-call.ts",
    from: 'if (originating === undefined) return err({ kind: "notAssociated", why: "noOriginatingRequest" });',
    to: 'if (originating === undefined) throw new Error("none");',
    test: { file: "test/workers/contract/errors.test.ts", only: "params against the schema|before the model" },
  },
  {
    ...endedRequests,
    name: "a packed request stays ended",
    from: 'if (row.state === "ended" || this.#ended.has(key)) return',
    to: 'if (row.state === "ended") return',
  },
  {
    ...endedRequests,
    file: "workers/objects/session/session-object.ts",
    name: "a session of very many ended requests opens no more",
    from: "known === null && !alone && this.#originating.isFull()",
    to: "false",
    test: { file: "test/workers/objects/ended-requests.test.ts", only: "opens no more" },
  },
  {
    ...endedRequests,
    name: "the rows of ended requests are bounded",
    from: "if (this.#unpacked > mostUnpacked) this.#pack(",
    to: "if (this.#unpacked < 0) this.#pack(",
    test: { file: "test/workers/objects/ended-requests.test.ts", only: "are few" },
  },
  {
    name: "a session forgets a request whose id stands for another",
    file: "workers/pipeline/admit/associate.ts",
    from: 'if (reserve !== null && asked.value.kind === "fresh") await forgetReservation(context);',
    to: "",
    test: { file: "test/workers/contract/control/repeats.test.ts", only: "in two sessions at once" },
  },
  {
    name: "an id that stands for another request is a conflict",
    file: "workers/pipeline/admit/associate.ts",
    from: 'if (reserved.status === "fulfilled" && reserved.value) return asked.value;',
    to: 'if (reserved.status === "fulfilled") return asked.value;',
    test: { file: "test/workers/contract/control/repeats.test.ts", only: "in two sessions at once" },
  },
  {
    name: "an identical request of another server is another",
    file: "shared/run/run-input.ts",
    from: "    server,\n    provenance,\n    tool: boundTo",
    to: "    provenance,\n    tool: boundTo",
    test: { file: "test/shared/run/run-input.test.ts" },
  },
  {
    ...relay,
    name: "a task that another task's request names is not sampled for",
    from: 'task !== "unknown" && maySample(task)',
    to: 'task !== "unknown"',
  },
];
