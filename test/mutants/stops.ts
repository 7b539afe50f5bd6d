// The kill switch: what a text names, and where its forms lead.

import type { Mutant } from "./mutant.ts";

const stops = { file: "workers/endpoints/admin/stops.ts" };
const contract = (only: string): Mutant["test"] => ({ file: "test/workers/contract/stops.test.ts", only });
const pages = (only: string): Mutant["test"] => ({ file: "test/workers/contract/console/stops.test.ts", only });

const calls = (only: string): Mutant["test"] => ({ file: "test/workers/contract/relayed-calls.test.ts", only });

export const stopMutants: readonly Mutant[] = [
  {
    file: "workers/endpoints/relay/reviewed/reviewed-call.ts",
    name: "a call that no rule is about is stopped",
    from: "if (stopped !== null) return refusedUnread(",
    to: "if (stopped !== null && calls.length === 0) return refusedUnread(",
    test: calls("no rule is about"),
  },
  {
    file: "workers/endpoints/relay/reviewed/reviewed-call.ts",
    name: "the stop of a call is of its own server and key",
    from: "Promise.all([hasCallRules(c, relay), stoppedCall(c, relay)])",
    to: 'Promise.all([hasCallRules(c, relay), stoppedCall(c, { ...relay, name: "" })])',
    test: calls("every key's at a server"),
  },
  {
    file: "workers/endpoints/relay/calls/rounds-driver.ts",
    name: "a stopped call is not sent again with its answers",
    from: "const stopped = method === callMethod ? await",
    to: "const stopped = method !== callMethod ? await",
    test: { file: "test/workers/contract/forms.test.ts", only: "once an operator stops everything" },
  },
  {
    ...stops,
    name: "a key that there is not is not stopped",
    from: 'return found.ok ? stopNow(c, { scope: "key", key: found.value }) : c.json(found.error.body, found.error.status);',
    to: 'return stopNow(c, { scope: "key", key: found.ok ? found.value : c.req.param("key") });',
    test: contract("that there is not stops nothing"),
  },
  {
    ...stops,
    name: "a name of several keys stops none",
    from: "if (only !== undefined && others.length === 0) return ok(only.id);",
    to: "if (only !== undefined) return ok(only.id);",
    test: contract("by a name that several have"),
  },
  {
    ...stops,
    name: "a revoked key is none that may be stopped",
    from: "stored.filter(({ revokedAt }) => revokedAt === null)",
    to: "stored",
    test: contract("that was revoked meanwhile"),
  },
  {
    ...stops,
    name: "a stop of a key that is gone is taken back",
    from: "const found = isStopped ? ok(name) : ",
    to: 'const found = isStopped && name === "" ? ok(name) : ',
    test: contract("that was revoked meanwhile"),
  },
  {
    file: "workers/ui/console/stops/stops-page.tsx",
    name: "a form of the kill switch leads to no other address",
    from: "if (comesFrom.test(from))",
    to: 'if (from !== "")',
    test: pages("leads back to no other address"),
  },
];
