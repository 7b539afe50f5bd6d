// What an inbox object makes of what runs tell it: twice, late and in any order.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addressDigest, inboxNameOf, reviewKey } from "../../../shared/review/inbox.ts";
import type { InboxEntry, InboxFacts } from "../../../shared/review/inbox-facts.ts";
import { visitorHeader } from "../../../workers/stubs/inbox-calls.ts";
import { inboxStub } from "../../../workers/stubs/stubs.ts";
import { env, eventually, travel } from "../support/gateway.ts";

const address = addressDigest("ada@example.org");
const facts: InboxFacts = {
  requestKind: "sampling",
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

const wholeList = { filter: "all", sort: "time", group: "alike", page: 1 } as const;

const entry = (gate: "request" | "response", deadlineAt: number): JsonOf<InboxEntry> =>
  jsonOf({ gate, deadlineAt, alike: "a", warnings: 0, isLast: false, facts });

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
          const text = await stub.list({ address, session: null }, wholeList);
          if (text === null) throw new Error("no list");
          const list = readJsonOf(text);
          const last = steps[told - 1] ?? null;
          const gate = last === null ? null : readJsonOf(last).gate;
          expect(list.items.map((item) => reviewKey(item.run, item.gate))).toEqual(gate === null ? [] : [reviewKey(run, gate)]);
        },
      ),
      { numRuns: 60 },
    );
  });

  const waits = { run: "run_1", seq: 1, address, entry: entry("request", Date.now() + 3_600_000) };
  /** Opens a window of somebody whom Cloudflare Access signed in, or by a session. */
  async function open(stub: ReturnType<typeof inboxStub>, { until, session = null }: { until: number; session?: string | null }) {
    const headers = { Upgrade: "websocket", [visitorHeader]: JSON.stringify({ address, session, until }) };
    const { status, webSocket } = await stub.fetch("https://inbox/live", { headers });
    const told: string[] = [];
    webSocket?.addEventListener("message", ({ data }) => told.push(String(data)));
    const closed: number[] = [];
    webSocket?.addEventListener("close", ({ code }) => closed.push(code));
    webSocket?.accept();
    return { status, told, closed };
  }

  test("opens fifty windows, and no more until one of them is closed", async () => {
    const stub = inboxStub(env, inboxNameOf("Ada of many windows"));
    const until = Date.now() + 3_600_000;
    for (let at = 0; at < 50; at += 1) expect((await open(stub, { until })).status).toBe(101);
    expect((await open(stub, { until })).status).toBe(503);
    await stub.signOut(null);
    expect((await open(stub, { until })).status).toBe(101);
  });

  test("tells nothing more to a window whose reader's time with Cloudflare Access is over, and opens none", async () => {
    const stub = inboxStub(env, inboxNameOf("Ada of Access"));
    const { told, closed } = await open(stub, { until: Date.now() + 60_000 });
    await eventually("the first word", async () => told.length === 1);
    travel(60_000);
    await stub.tell(waits);
    await eventually("its end, or another word", async () => closed.length > 0 || told.length > 1);
    expect([closed, told.length]).toEqual([[1008], 1]);
    expect((await open(stub, { until: Date.now() })).status).toBe(404);
  });

  test("opens no window by a session that there is not, and has nothing of another address", async () => {
    const stub = inboxStub(env, inboxNameOf("Ada of no session"));
    await stub.tell(waits);
    expect((await open(stub, { until: Date.now() + 60_000, session: "made-up" })).status).toBe(404);
    const other = addressDigest("another@example.org");
    expect([readJsonOf(await stub.overview(address)).waiting, readJsonOf(await stub.overview(other)).waiting]).toEqual([1, 0]);
    expect([await stub.session({ address, session: "made-up" }), await stub.list({ address, session: "made-up" }, wholeList)]).toEqual([
      null,
      null,
    ]);
  });
});
