// The console's page of the record, and what it reads: operators' acts as sentences, newest first,
// by month and kind; and whether they hold.

import { abortAllDurableObjects, runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { actKinds } from "../../../../shared/record/record.ts";
import { ledgerShardOf, ledgerStub, configStub } from "../../../../workers/stubs/stubs.ts";
import { admin, adminJson, configure, createKey, env, jsonBody, operator, travel } from "../../support/gateway.ts";
import { ConsoleBrowser, atConsole } from "../../support/console.ts";
import { recordLines } from "../../support/record.ts";

type Acts = {
  readonly month: string;
  readonly acts: readonly { seq: number; at: string; fact: { kind: string } }[];
  readonly next: number | null;
};
const acts = (query = ""): Promise<Acts> => adminJson<Acts>(`/acts${query}`);
const check = (query = "") => adminJson<{ events: number; issue: string | null; at: number | null }>(`/acts/check${query}`);
const month = (): string => new Date(Date.now()).toISOString().slice(0, 7);
const asked = async (n: number): Promise<void> => {
  for (let i = 0; i < n; i += 1) await configStub(env).record({ kind: "doctorAsked", by: operator });
};

describe("GET /admin/acts", () => {
  test("gives the newest first, page by page, and writes nothing", async () => {
    await asked(7);
    const before = (await recordLines({ run: `operators/${month()}` })).length;
    const first = await acts("?limit=3&kind=doctorAsked");
    expect(first.acts).toHaveLength(3);
    const second = await acts(`?limit=3&kind=doctorAsked&before=${first.next}`);
    const third = await acts(`?limit=3&kind=doctorAsked&before=${second.next}`);
    expect([second.acts.length, third.acts.length, third.next]).toEqual([3, 1, null]);
    const seqs = [first, second, third].flatMap((page) => page.acts.map(({ seq }) => seq));
    expect(seqs).toEqual(seqs.toSorted((a, b) => b - a));
    expect(new Set(seqs).size).toBe(7);
    // The export that counted them is the one event since.
    expect(await recordLines({ run: `operators/${month()}` })).toHaveLength(before + 1);
  });

  test("without a kind is every act; the link to the month before is none", async () => {
    await asked(2);
    travel(32 * 86_400_000);
    await asked(1);
    const { acts: found, next } = await acts();
    expect(found.map(({ fact }) => fact.kind)).toEqual(["doctorAsked"]);
    expect(next).toBeNull();
    expect((await recordLines({ run: `operators/${month()}` }))[0]?.fact.kind).toBe("continued");
  });

  test.each(["month=2026-1", "kind=continued", "limit=0", "limit=201", "before=x", "after=1"])("%s is refused", async (query) => {
    expect((await admin(`/acts?${query}`)).status).toBe(400);
  });
});

describe("GET /admin/acts/check", () => {
  const acts = (): string => `operators/${month()}`;
  /** Changes the text of the entry with this event, or takes the entry out of the index. */
  const change = (seq: number, to: ((text: string) => string) | null, of = acts()): Promise<void> =>
    runInDurableObject(ledgerStub(env, ledgerShardOf(of)) as DurableObjectStub, (_object, { storage: { sql } }) => {
      const { first } = sql.exec<{ first: number }>("SELECT first FROM log_entry WHERE run = ? AND first_seq = ?", of, seq).one();
      if (to === null) return void sql.exec("DELETE FROM log_entry WHERE run = ? AND first_seq = ?", of, seq);
      const row = sql.exec<{ id: number; entries: string }>("SELECT first AS id, entries FROM log_batch WHERE first = ?", first).one();
      return void sql.exec("UPDATE log_batch SET entries = ? WHERE first = ?", to(row.entries), row.id);
    });

  test("holds where nothing was changed", async () => {
    await asked(3);
    const { events, issue } = await check();
    expect([events >= 3, issue]).toEqual([true, null]);
    expect(await check("?month=2020-01")).toMatchObject({ events: 0, issue: null });
  });

  test("finds an event that was changed", async () => {
    await asked(3);
    await change(4, (text) => text.replace("doctorAsked", "signedIn"));
    expect(await check()).toMatchObject({ issue: "changed", at: 4 });
  });

  test("finds that one was written anew while the object was away", async () => {
    await asked(3);
    await abortAllDurableObjects();
    await change(4, (text) => text.replace("doctorAsked", "signedIn"));
    await abortAllDurableObjects();
    expect(await check()).toMatchObject({ issue: "changed", at: 1 });
  });

  test("finds that the newest events are missing", async () => {
    await asked(3);
    const { events } = await check();
    await change(events, null);
    expect(await check()).toMatchObject({ events: events - 1, issue: "cutOff", at: events });
  });

  test("finds that the month before was cut", async () => {
    await asked(3);
    const earlier = acts();
    const { events: last } = await check();
    travel(32 * 86_400_000);
    await asked(1);
    expect(await check()).toMatchObject({ issue: null });
    await change(last, null, earlier);
    expect(await check()).toMatchObject({ issue: "monthBefore", at: 1 });
  });
});

describe("the page", () => {
  test("has a sentence for every act", async () => {
    const { id } = await createKey({ name: "of the record", owner: "Ada" });
    await configure("budgets", { budgets: {} });
    await admin("/budgets/versions/1/restore", { method: "POST" });
    await admin(`/keys/${id}`, { method: "DELETE" });
    await admin("/inboxes/Ada/sessions", { method: "DELETE" });
    await admin("/channels/test", jsonBody("POST", { reviewer: "Ada", channel: "outbox" }));
    await recordLines();
    const more = [
      { kind: "grantRevoked", by: operator, key: "key_1", grant: "key_1.x" },
      { kind: "doctorAsked", by: { kind: "access", email: "ann@example.com" } },
      { kind: "signedOut", by: operator, everywhere: true },
      { kind: "stopped", by: operator, scope: "server", of: "notes" },
      { kind: "resumed", by: operator, scope: "everything", of: null },
      {
        kind: "budgetReached",
        budget: "all",
        part: null,
        unit: "usd",
        limit: 5_000_000_000,
        per: "day",
        since: "2026-11-01T00:00:00.000Z",
        percent: 80,
      },
    ] as const;
    for (const fact of more) await configStub(env).record(fact);
    const browser = await atConsole();
    const plain = (await browser.get("record")).text.replaceAll(/<[^>]+>/g, "");
    for (const said of [
      `created the key of the record, ${id}, for Ada`,
      `revoked the key ${id}`,
      "restored version 1 of budgets (version 2)",
      "changed budgets (version 1)",
      "signed Ada out of the inbox",
      "tested outbox for Ada: sent",
      "exported the whole record",
      "ended the grant key_1.x",
      "ann@example.com ran the doctor",
      "ended all sessions of the console",
      "stopped the server notes",
      "resumed all requests and calls",
      "80 % of the budget all is used: $5.00 a day",
      "signed in to the console",
    ])
      expect(plain).toContain(said);
  });

  test("shows one kind alone, and its pages", async () => {
    await asked(60);
    const browser = await atConsole();
    const { text } = await browser.get("record?kind=doctorAsked");
    expect(text.match(/ran the doctor/g)).toHaveLength(50);
    const older = /href="([^"]*before=\d+)"/.exec(text)?.[1]?.replaceAll("&amp;", "&").replace("/console/", "") ?? "";
    const second = (await browser.get(older)).text;
    expect(second.match(/ran the doctor/g)).toHaveLength(10);
    expect((await browser.get("record?kind=keyRevoked")).text).toContain("Nothing is recorded for this month and choice.");
  });

  test("checks the month on request, and exports it", async () => {
    await asked(1);
    const browser = await atConsole();
    expect((await browser.get("record")).text).not.toContain("The month is whole");
    expect((await browser.get("record?check=yes")).text).toContain("The month is whole");
    const { status, text } = await browser.post("download/record", { run: `operators/${month()}` });
    expect(status).toBe(200);
    expect(text).toContain("doctorAsked");
  });

  test("in Chinese names every kind", async () => {
    const browser = await new ConsoleBrowser({}, { "Accept-Language": "zh-CN" }).signIn();
    const { text } = await browser.get("record?kind=nothing&month=1999-01");
    expect(text.match(/<option/g)?.length).toBe(14 + 1 + actKinds.length);
    expect(text).toContain("登录了控制台");
  });
});
