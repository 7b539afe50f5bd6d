// What an inbox object makes of what runs tell it: twice, late and in any order.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressDigest, inboxNameOf, reviewKey } from "../../../shared/review/inbox.ts";
import type { InboxList } from "../../../shared/review/inbox-list.ts";
import { inboxStub } from "../../../workers/stubs/stubs.ts";
import { env } from "../support/gateway.ts";

const address = addressDigest("ada@example.org");
const facts = {
  asking: "sampling",
  server: "notes",
  client: "test",
  name: "summarize",
  model: "first",
  risks: [],
  cost: null,
  quorum: null,
  voters: [],
  tools: 0,
  images: 0,
  handedBy: null,
};

const entry = (gate: "request" | "response", deadlineAt: number): string =>
  JSON.stringify({ gate, deadlineAt, alike: "a", warnings: 0, isLast: false, facts });

describe("an inbox", () => {
  test("that is told in any order, and twice, shows what each run told last", async () => {
    const deadline = Date.now() + 3_600_000;
    const steps = [entry("request", deadline), null, entry("response", deadline + 1), null, entry("response", deadline + 2)];
    let number = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: steps.length }),
        fc.array(fc.nat({ max: steps.length - 1 }), { maxLength: 12 }),
        async (told, order) => {
          number += 1;
          const stub = inboxStub(env, inboxNameOf(`Ada ${number}`));
          const run = `run_${number}`;
          // Every step at least once, the last one too, in a scrambled order with repetitions.
          const all = [...order.filter((seq) => seq < told), ...Array.from({ length: told }, (_, seq) => seq)];
          const scrambled = all.toSorted((a, b) => ((a * 7 + number) % 5) - ((b * 7 + number) % 5));
          for (const seq of scrambled) await stub.tell({ run, seq, address, entry: steps[seq] ?? null });
          const list = JSON.parse((await stub.list({ address, session: null }, "all", 1)) ?? "") as InboxList; // made by the object
          const last = steps[told - 1] ?? null;
          const gate = last === null ? null : (JSON.parse(last) as { gate: "request" | "response" }).gate;
          expect(list.items.map((item) => reviewKey(item.run, item.gate))).toEqual(gate === null ? [] : [reviewKey(run, gate)]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
