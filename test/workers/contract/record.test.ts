// The record: every request of either path in it, and never a word of what was asked,
// answered or said.

import { expect, test } from "vitest";
import { areActs } from "../../../shared/record/operators.ts";
import { firstGap } from "../../../shared/record/record.ts";
import { admin, adminJson, answerOf, createKey, devKey, eventually, gateway, openNotice, sample } from "../support/gateway.ts";
import { promptMarker, reasonMarker, replyMarker } from "../support/logs.ts";
import { recordLines } from "../support/record.ts";
import { decide, tokenOf } from "../support/reviewer.ts";

type Line = { readonly id: string };

const kindsOf = async (run: string): Promise<string[]> =>
  (await recordLines()).filter((line) => line.run === run).map(({ fact }) => fact.kind);

const runIdOf = async (answer: ReturnType<typeof answerOf>): Promise<string> => (await answer).result?._meta?.["countersign/run"]?.id ?? "";

const finished = (run: string): Promise<string[]> =>
  eventually("the end in the record", async () => {
    const kinds = await kindsOf(run);
    return kinds.includes("finished") ? kinds : null;
  });

test("a run's whole life is there, in order", async () => {
  const answer = answerOf(sample({ server: "notes" }));
  await decide("request", "approve", undefined, (fields) => {
    for (const [name, value] of fields) if (value.includes("capital")) fields.set(name, value.replace("capital", "largest city"));
  });
  await decide("response", "approve");
  const kinds = await finished(await runIdOf(answer));
  expect(kinds.filter((kind) => kind !== "requestorLeft" && kind !== "requestorBack")).toEqual([
    "received",
    "reviewOpened",
    "noticed",
    "opened",
    "edited",
    "approved",
    "called",
    "answered",
    "reviewOpened",
    "noticed",
    "opened",
    "approved",
    "finished",
  ]);
});

test("a fast request is there too", async () => {
  const run = await runIdOf(answerOf(sample()));
  expect(await finished(run)).toEqual(["received", "called", "answered", "finished"]);
});

test("each run has every event from the first to the last", async () => {
  const fast = await runIdOf(answerOf(sample()));
  const answer = answerOf(sample({ server: "request-gate" }));
  const { run } = await decide("request", "deny");
  await answer;
  await Promise.all([finished(fast), finished(run)]);
  const byRun = Map.groupBy(
    (await recordLines()).filter(({ run }) => !areActs(run)),
    (line) => line.run,
  );
  expect(byRun.size).toBe(2);
  for (const events of byRun.values()) expect(firstGap(events)).toBeNull();
  expect(firstGap((byRun.get(run) ?? []).slice(1))).toBe(1);
});

test("no prompt, reply, reason, key or token is in the record, the lists or the notices", async () => {
  const made = await createKey({ name: "team key" });
  const answer = answerOf(sample({ server: "notes" }, { key: made.key }));
  const first = await decide("request", "approve");
  const second = await decide("response", "deny", undefined, (fields) => fields.set("reason", reasonMarker));
  await answer;
  await finished(first.run);
  const everything = [
    JSON.stringify(await recordLines()),
    await (await admin("/runs")).text(),
    await (await admin(`/runs/${first.run}`)).text(),
    JSON.stringify((await adminJson<{ notices: { link: string }[] }>("/notices")).notices.map((notice) => ({ ...notice, link: "" }))),
    await (await admin("/keys")).text(),
  ].join("\n");
  for (const secret of [promptMarker, replyMarker, reasonMarker, made.key, devKey, tokenOf(first.link), tokenOf(second.link)])
    expect(everything).not.toContain(secret);
});

test("GET /admin/runs lists open and ended runs, by key, server, state and time, page by page", async () => {
  const other = await createKey();
  const begun = new Date().toISOString();
  await sample();
  void answerOf(sample({ server: "notes" }, { key: other.key }));
  const { run } = await openNotice("request");
  const listed = async (query: string): Promise<readonly Line[]> => (await adminJson<{ runs: Line[] }>(`/runs${query}`)).runs;
  const both = await eventually("both", async () => {
    const lines = await listed("");
    return lines.length === 2 ? lines : null;
  });
  expect(await listed("?state=open")).toEqual([
    {
      id: run,
      state: "waiting",
      server: "notes",
      tool: "summarize",
      key: other.id,
      model: null,
      at: expect.stringMatching(/Z$/),
      endedAt: null,
      cause: null,
      causeFacts: null,
      rule: expect.any(String),
      review: {
        people: expect.arrayContaining([expect.any(String)]),
        by: [],
        votes: 0,
        quorum: 1,
        edits: 0,
        askedAt: expect.stringMatching(/Z$/),
        waitedMs: 0,
      },
      usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
    },
  ]);
  const ids = async (query: string): Promise<string[]> => (await listed(query)).map(({ id }) => id);
  expect(await ids(`?key=${other.id}`)).toEqual([run]);
  expect(await ids("?server=notes")).toEqual([run]);
  expect(await ids("?server=notes&state=completed")).toEqual([]);
  expect(await ids("?server=open&state=completed")).toHaveLength(1);
  expect(await ids(`?since=${begun}`)).toHaveLength(2);
  expect(await ids(`?since=${begun.slice(0, 10)}`)).toHaveLength(2);
  expect(await ids("?since=2126-01-01T00:00:00+01:00")).toEqual([]);
  const first = await adminJson<{ runs: Line[]; next: string }>("/runs?limit=1");
  const second = await adminJson<{ runs: Line[]; next: null }>(`/runs?limit=1&after=${encodeURIComponent(first.next)}`);
  expect([...first.runs, ...second.runs]).toEqual(both);
  expect(second.next).toBeNull();
});

test("GET /admin/runs finds requests by tool, model, reviewer, part of the id, cost, end, and words in any of these and the key's name", async () => {
  const named = await createKey({ name: "Night shift" });
  const fast = await runIdOf(answerOf(sample()));
  const answer = answerOf(sample({ server: "notes" }, { key: named.key }));
  const { run } = await decide("request", "deny");
  await answer;
  const found = async (query: string): Promise<string[]> => (await adminJson<{ runs: Line[] }>(`/runs?${query}`)).runs.map(({ id }) => id);
  const ended = await eventually("both ended", async () => {
    const ids = await found("");
    return ids.length === 2 && (await found("state=open")).length === 0 ? ids : null;
  });
  expect(ended.toSorted()).toEqual([fast, run].toSorted());
  const [line] = (await adminJson<{ runs: { model: string; review: { people: string[]; by: string[] } | null }[] }>(`/runs?run=${fast}`))
    .runs;
  const { review } = await adminJson<{ review: { people: string[]; by: string[] } }>(`/runs/${run}`);
  const [reviewer = ""] = review.by;
  expect(line?.review).toBeNull();
  expect(review.people).toContain(reviewer);
  expect(await found(`model=${line?.model}`)).toEqual([fast]);
  expect([await found("provider=scripted"), await found("provider=other")]).toEqual([[fast], []]);
  expect(await found("tool=summarize&state=completed")).toEqual([fast]);
  expect(await found("tool=summariz")).toEqual([]);
  expect(await found(`reviewer=${encodeURIComponent(reviewer)}`)).toEqual([run]);
  expect(await found(`run=${run.slice(8, 24)}`)).toEqual([run]);
  expect(await found("state=unanswered")).toEqual([run]);
  expect(await found("costOver=0")).toEqual([fast]);
  expect(await found("costUnder=0.000000001")).toEqual([run]);
  expect(await found("until=2020-01-01")).toEqual([]);
  for (const q of ["NIGHT", reviewer.toUpperCase(), named.id.slice(4), run.slice(10, 30)])
    expect(await found(`q=${encodeURIComponent(q)}`)).toEqual([run]);
  expect(await found("q=SUMMAR")).toHaveLength(2);
  for (const q of ["capital", "completed", "createdAt"]) expect(await found(`q=${q}`)).toEqual([]);
});

test("the events of one request are read without an event of their own, page by page, and of no other request", async () => {
  const answer = answerOf(sample({ server: "notes" }));
  const { run } = await decide("request", "deny");
  await answer;
  const kinds = await finished(run);
  const exports = async (): Promise<number> => (await recordLines()).filter(({ fact }) => fact.kind === "recordExported").length;
  const before = await exports();
  type Events = { readonly events: { readonly run: string; readonly seq: number; readonly at: string; readonly fact: { kind: string } }[] };
  const { events } = await adminJson<Events>(`/runs/${run}/events`);
  expect(events.map(({ fact }) => fact.kind)).toEqual(kinds);
  expect(new Set(events.map((event) => event.run))).toEqual(new Set([run]));
  expect(events[0]?.at).toMatch(/Z$/);
  expect((await adminJson<Events>(`/runs/${run}/events?after=2`)).events[0]?.seq).toBe(3);
  // One for each look at the record itself.
  expect(await exports()).toBe(before + 1);
  expect((await admin("/runs/run_x/events")).status).toBe(404);
});

test("an operator cancels an open request once, and the record says who", async () => {
  const answer = answerOf(sample({ server: "notes" }));
  const { run } = await openNotice("request");
  const cancelled = await Promise.all([1, 2].map(async () => (await admin(`/runs/${run}`, { method: "DELETE" })).status));
  expect(cancelled.toSorted()).toEqual([204, 409]);
  expect((await answer).error?.code).toBe(-32_800);
  expect(await finished(run)).toContain("cancelled");
  const event = (await recordLines()).find((line) => line.run === run && line.fact.kind === "cancelled");
  expect(event?.fact).toMatchObject({ cause: "admin", by: { kind: "adminToken" } });
  expect((await admin(`/runs/${run}`, { method: "DELETE" })).status).toBe(409);
  expect((await admin("/runs/run_x", { method: "DELETE" })).status).toBe(404);
});

test.each([
  ["limit=0", "/limit"],
  ["state=closed", "/state"],
  ["since=yesterday", "/since"],
  ["since=1795275352008", "/since"],
  ["after=run_x", "/after"],
  ["sate=failed", ""],
  ["server=", "/server"],
  ["costOver=much", "/costOver"],
  ["costUnder=-1", "/costUnder"],
  ["until=tomorrow", "/until"],
  ["q=%20", "/q"],
])("GET /admin/runs?%s is refused and says where", async (query, pointer) => {
  const answer = await admin(`/runs?${query}`);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ details: [{ pointer, message: expect.stringMatching(/./) }] });
});

test("a notice is listed with its link and the state of its review, newest last", async () => {
  const answer = answerOf(sample({ server: "request-gate" }));
  const { run, link } = await openNotice("request");
  expect(link).toMatch(/^http:\/\/localhost:8787\/r\/[A-Za-z0-9_-]{72}$/);
  await decide("request", "approve", run);
  await answer;
  await eventually("the decision on the notice", async () => {
    const { notices } = await adminJson<{ notices: { run: string; state: string; reviewer: string; channel: string; gate: string }[] }>(
      "/notices",
    );
    return notices.some(
      (notice) =>
        notice.run === run &&
        notice.state === "approved" &&
        notice.reviewer === "Ada" &&
        notice.channel === "outbox" &&
        notice.gate === "request",
    );
  });
});

test("the lists are for the operator only", async () => {
  for (const path of ["/admin/record", "/admin/runs", "/admin/notices", "/admin/keys", "/admin/policy", "/admin/routing"]) {
    for (const key of [null, devKey]) {
      const response = await gateway(path, { key });
      expect([path, response.status, response.headers.get("WWW-Authenticate")]).toEqual([path, 401, "Bearer"]);
    }
  }
});
