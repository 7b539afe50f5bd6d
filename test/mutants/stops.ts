// The kill switch: what a text names, and where its forms lead.

import type { Mutant } from "./mutant.ts";

const stops = { file: "workers/endpoints/admin/stops.ts" };
const contract = (only: string): Mutant["test"] => ({ file: "test/workers/contract/stops.test.ts", only });
const pages = (only: string): Mutant["test"] => ({ file: "test/workers/contract/console/stops.test.ts", only });

export const stopMutants: readonly Mutant[] = [
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
