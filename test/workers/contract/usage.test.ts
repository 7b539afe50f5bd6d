// GET /admin/usage and /admin/overview: what requests came to, over all shards of the ledger, and
// what waits.

import { describe, expect, test } from "vitest";
import type { ShownUsage } from "../../../shared/record/usage.ts";
import {
  adminToken,
  admin,
  adminJson,
  answerOf,
  configure,
  eventually,
  gateway,
  model,
  openNotice,
  policy,
  routing,
  sample,
  travel,
} from "../support/gateway.ts";
import { promptMarker, replyMarker } from "../support/logs.ts";
import { decide } from "../support/reviewer.ts";

const hourMs = 3_600_000;

type Row = { readonly name: string | null; readonly isRest: boolean } & ShownUsage;
type Usage = { readonly isComplete: boolean; readonly rows: readonly Row[]; readonly total: ShownUsage; readonly next: string | null };
type Overview = {
  readonly isEmpty: boolean;
  readonly open: {
    readonly requests: number;
    readonly waiting: number;
    readonly firstDue: { readonly id: string; readonly expiresAt: string } | null;
  };
  readonly total: ShownUsage;
  readonly steps: readonly ({ readonly at: string } & ShownUsage)[];
  readonly spend: { readonly days: readonly { readonly day: string; readonly costUsd: number }[] };
  readonly budgets: readonly { readonly budget: string; readonly everything: boolean; readonly limit: number }[];
};

type Lines = {
  readonly runs: readonly {
    readonly id: string;
    readonly model: string | null;
  }[];
};

const usage = (query = ""): Promise<Usage> => adminJson<Usage>(`/usage${query}`);
const overview = (query = ""): Promise<Overview> => adminJson<Overview>(`/overview${query}`);
/** The usage, once it has so many requests: the record follows an answer a moment later. */
const counted = (requests: number, query = ""): Promise<Usage> =>
  eventually(`${requests} requests`, async () => {
    const all = await usage(query);
    return all.total.requests === requests ? all : null;
  });
const asking = (text: string) => ({ messages: [{ role: "user", content: { type: "text", text } }] });
const csvOf = async (query = "", headers: Record<string, string> = {}): Promise<Response> =>
  gateway(`/admin/usage${query}`, { key: adminToken, headers });

describe("usage", () => {
  test("is empty where nothing came, and is the operator's alone", async () => {
    expect(await usage()).toMatchObject({ isComplete: true, rows: [], next: null, total: { requests: 0, waitP50Ms: null } });
    expect((await gateway("/admin/usage")).status).toBe(401);
    expect((await gateway("/admin/overview")).status).toBe(401);
  });

  test("has each request once by its outcome, with tokens, cost and people's time, and no content", async () => {
    // Ten minutes into an hour, so that it does not end meanwhile.
    travel(hourMs - (Date.now() % hourMs) + 600_000);
    const started = new Date(Date.now()).toISOString();
    await answerOf(sample({ id: 1, session: "a" }));
    await answerOf(sample({ id: 1, session: "a" }));
    for (const act of ["approve", "deny"] as const) {
      const waiting = sample({ id: act, server: "request-gate", params: asking(promptMarker) });
      await decide("request", act);
      await answerOf(waiting);
    }
    model.script({ status: 400, message: "no" });
    await answerOf(sample({ id: 2, session: "b" }));
    await answerOf(sample({ id: 3, session: "b", params: { maxTokens: 0 } }));
    const { rows, total } = await counted(5, "?by=server");
    expect(total.outcomes).toMatchObject({ allowed: 1, approved: 1, denied: 1, failed: 1, refused: 1, expired: 0 });
    expect(rows.map(({ name, requests }) => [name, requests])).toEqual([
      ["open", 3],
      ["request-gate", 2],
    ]);
    const gate = rows[1];
    expect(gate?.waitP50Ms).toBeGreaterThan(0);
    expect(gate?.waitP95Ms).toBeGreaterThanOrEqual(gate?.waitP50Ms ?? Number.NaN);
    expect(rows[0]?.waitP50Ms).toBeNull();
    expect(total.costUsd).toBeGreaterThan(0);
    expect((await usage("?by=day")).rows).toMatchObject([{ name: started.slice(0, 10), requests: 5 }]);
    expect((await usage("?by=hour")).rows).toMatchObject([{ name: `${started.slice(0, 13)}:00:00.000Z`, requests: 5 }]);
    const models = (await usage("?by=model")).rows;
    expect(models.map(({ name, isRest }) => [name, isRest])).toContainEqual([null, false]);
    for (const by of ["server", "model", "key", "day", "hour"])
      for (const marker of [promptMarker, replyMarker]) expect(JSON.stringify(await usage(`?by=${by}`))).not.toContain(marker);
  });

  test("by model counts a failure for the model that was asked first, and what was not sent for none", async () => {
    await configure("routing", {
      ...routing,
      models: routing.models.map((each) => ({ ...each, price: { inputPerMTok: 1, outputPerMTok: 1 } })),
    });
    // The first is down, and the second refuses.
    model.script(...[500, 500, 500, 400].map((status) => ({ status, message: "no" })));
    expect((await answerOf(sample())).error).toBeDefined();
    const failed = await eventually("its line", async () => (await adminJson<Lines>("/runs?state=failed")).runs[0]);
    expect(failed.model).toBe("first");
    // By people's leave and without it: what is left of the budget is too little when it is to be
    // sent.
    const reviewed = sample({ server: "request-gate" });
    const { run } = await openNotice("request");
    await configure("budgets", { budgets: { all: { of: "everything", tokens: 20, per: "day" } } });
    await decide("request", "approve", run);
    for (const answer of [reviewed, sample({ server: "open" })]) expect((await answerOf(answer)).error?.code).toBe(-32012);
    const { rows } = await counted(3, "?by=model");
    expect(rows.map(({ name, outcomes }) => [name, outcomes.failed])).toEqual([
      ["first", 1],
      [null, 2],
    ]);
    const unsent = (await adminJson<Lines>("/runs?state=failed")).runs.filter(({ id }) => id !== failed.id);
    // What this isolate remembers of it must not count in the tests after this one.
    await configure("budgets", { budgets: {} });
    expect(unsent.map(({ model: asked }) => asked)).toEqual([null, null]);
  });

  test("is of the days that were asked for, and goes on where a page ended", async () => {
    for (const [server, count] of [
      ["one", 1],
      ["two", 2],
      ["three", 2],
    ] as const)
      for (let id = 0; id < count; id += 1) await answerOf(sample({ id, session: server, server: `open-${server}` }));
    await counted(5);
    const names: (string | null)[] = [];
    let next: string | null = "";
    while (next !== null) {
      const page: Usage = await usage(`?by=server&limit=1${next === "" ? "" : `&after=${encodeURIComponent(next)}`}`);
      expect(page.rows).toHaveLength(1);
      expect(page.total.requests).toBe(5);
      names.push(...page.rows.map(({ name }) => name));
      ({ next } = page);
    }
    expect(names).toEqual(["open-three", "open-two", "open-one"]);
    const today = new Date(Date.now()).toISOString().slice(0, 10);
    expect((await usage(`?until=${today}`)).total.requests).toBe(0);
    expect((await usage(`?since=${today}&by=key`)).total.requests).toBe(5);
    expect((await admin("/usage?since=yesterday")).status).toBe(400);
  });

  test("is CSV where that is asked for, and a server's name is no formula in it", async () => {
    const formula = '=HYPERLINK("https://evil.example","open")';
    await configure("policy", { ...policy, default: { ...policy.default, request: "allow", response: "allow" } });
    await answerOf(sample({ server: formula }));
    await counted(1, "?by=server");
    for (const answer of [await csvOf("?by=server", { Accept: "text/csv" }), await csvOf("?by=server&format=csv")]) {
      expect(answer.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
      const [head, row] = (await answer.text()).split("\r\n");
      expect(head).toBe(
        "server,requests,allowed,approved,denied,expired,undeliverable,cancelled,failed,refused,input_tokens,output_tokens,cost_usd,wait_p50_ms,wait_p95_ms",
      );
      expect(row).toMatch(/^"'=HYPERLINK\(""https:\/\/evil\.example"",""open""\)",1,/);
    }
    expect((await csvOf("?by=server", { Accept: "application/json, */*" })).headers.get("Content-Type")).toContain("application/json");
  });
});

describe("the overview", () => {
  test("says what waits and until when, and afterwards what became of it", async () => {
    expect(await overview()).toMatchObject({ isEmpty: true, open: { requests: 0, firstDue: null } });
    const waiting = sample({ server: "request-gate" });
    const { run } = await openNotice("request");
    const { open } = await eventually("what waits", async () => {
      const now = await overview();
      return now.open.firstDue === null ? null : now;
    });
    expect(open).toMatchObject({ requests: 1, waiting: 1, firstDue: { id: run } });
    expect(Date.parse(open.firstDue?.expiresAt ?? "")).toBeGreaterThan(Date.now());
    await decide("request", "approve");
    await answerOf(waiting);
    const after = await eventually("its end", async () => {
      const now = await overview();
      return now.total.requests === 1 ? now : null;
    });
    expect(after).toMatchObject({
      isEmpty: false,
      open: { requests: 0, waiting: 0, firstDue: null },
      total: { outcomes: { approved: 1 } },
    });
    expect(after.steps).toMatchObject([{ requests: 1 }]);
    expect(after.spend.days.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBeCloseTo(after.total.costUsd, 9);
    for (const period of ["week", "month"]) expect((await overview(`?period=${period}`)).total).toEqual(after.total);
  });

  test("asks a bounded number of budgets, those of everything first", async () => {
    const budgets = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`of-${n}`, { of: { owner: `owner-${n}` }, usd: 1, per: "day" }]),
    );
    await configure("budgets", { budgets: { ...budgets, all: { of: "everything", usd: 25, per: "month" } } });
    const all = (await overview()).budgets;
    expect(all.length).toBeLessThanOrEqual(20);
    expect(all.find(({ everything }) => everything)).toMatchObject({ budget: "all", limit: 25 });
  });
});
