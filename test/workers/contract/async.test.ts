// Prefer: respond-async, and a run from outside: GET and DELETE /runs/{id}.

import { describe, expect, test } from "vitest";
import { adminToken, answerOf, createKey, eventually, gateway, model, openNotice, runReaches, sample } from "../support/gateway.ts";
import { promptMarker, replyMarker } from "../support/logs.ts";
import { expectOfficial } from "../support/official.ts";
import { decide, pathOf } from "../support/reviewer.ts";

const later = { headers: { Prefer: "respond-async" } };

const locationOf = (response: Response): string => {
  expect(response.status).toBe(202);
  const location = response.headers.get("Location") ?? "";
  expect(location).toMatch(/^\/runs\/run_[A-Za-z0-9_-]+$/);
  return location;
};

describe("Prefer: respond-async", () => {
  test("is answered with 202, where the run is, and a task as body", async () => {
    const response = await sample({ id: 4, server: "notes" }, later);
    const location = locationOf(response);
    expect(response.headers.get("Preference-Applied")).toBe("respond-async");
    const answer = await answerOf(response);
    expect(answer.id).toBe(4);
    expectOfficial("CreateTaskResult", answer.result);
    expect(answer.result?.["task"]).toMatchObject({ taskId: location.slice("/runs/".length) });
  });

  test("is answered with 200 and the result once the run is finished", async () => {
    const asked = { id: 4, server: "open" };
    const id = locationOf(await sample(asked, later)).slice("/runs/".length);
    await runReaches(id, "completed");
    const response = await sample(asked, later);
    expect(response.status).toBe(200);
    const { result } = await answerOf(response);
    expectOfficial("CreateMessageResult", result);
    expect(result?._meta?.["countersign/run"]?.id).toBe(id);
    expect(model.calls).toHaveLength(1);
  });

  test.each(["respond-async", "wait=10, respond-async", "Respond-Async; x=1"])("is understood as %s", async (prefer) => {
    expect((await sample({ server: "notes" }, { headers: { Prefer: prefer } })).status).toBe(202);
  });

  test("another preference is not that one", async () => {
    expect((await sample({ server: "open" }, { headers: { Prefer: "return=minimal" } })).status).toBe(200);
  });

  test("a repeat without the preference waits for the same run", async () => {
    const asked = { id: 4, server: "request-gate" };
    const id = locationOf(await sample(asked, later)).slice("/runs/".length);
    const waiting = sample(asked);
    await decide("request", "approve", id);
    expect((await answerOf(waiting)).result?._meta?.["countersign/run"]?.id).toBe(id);
    expect(model.calls).toHaveLength(1);
  });
});

describe("GET /runs/{id}", () => {
  test("says how a run stands, and gives its result in the end", async () => {
    const location = locationOf(await sample({ server: "notes" }, later));
    await openNotice("request");
    const waiting = await gateway(location);
    expect(waiting.headers.get("Cache-Control")).toBe("no-store");
    const text = await waiting.text();
    expect(JSON.parse(text)).toMatchObject({
      id: location.slice(6),
      state: "waiting",
      status: "working",
      server: "notes",
      name: "summarize",
    });
    expect(text).not.toContain(promptMarker);
    await decide("request", "approve");
    await openNotice("response");
    // Approved by nobody yet: the reply is nobody's to see.
    const unapproved = await (await gateway(location)).text();
    expect(unapproved).not.toContain(replyMarker);
    expect(JSON.parse(unapproved)).toMatchObject({ state: "responseReview", status: "working" });
    await decide("response", "approve");
    const run = await runReaches(location.slice(6), "completed");
    expectOfficial("CreateMessageResult", run.result);
  });

  test("gives the error of a run that ended without a reply", async () => {
    const location = locationOf(await sample({ server: "request-gate" }, later));
    await decide("request", "deny");
    const run = await eventually("the error", async () => {
      const state = await (await gateway(location)).json<{ error?: unknown; status: string }>();
      return state.error === undefined ? null : state;
    });
    expect(run).toMatchObject({ status: "failed", error: { code: -1, data: { outcome: "rejected" } } });
  });

  test("is for the key that made it and for the operator; to another key it is as unknown as one that never was", async () => {
    const [mine, other] = [await createKey(), await createKey()];
    const location = locationOf(await sample({ server: "notes" }, { ...later, key: mine.key }));
    const damaged = `${location.slice(0, -3)}AAA`;
    expect((await gateway(location, { key: mine.key })).status).toBe(200);
    expect((await gateway(location, { key: adminToken })).status).toBe(200);
    const [foreign, madeUp] = [await gateway(location, { key: other.key }), await gateway(damaged, { key: mine.key })];
    expect([foreign.status, madeUp.status]).toEqual([404, 404]);
    expect(await foreign.text()).toBe(await madeUp.text());
    for (const key of [null, "csk_wrong"]) expect((await gateway(location, { key })).status).toBe(401);
  });

  test("HEAD answers as GET does, without a body", async () => {
    const location = locationOf(await sample({ server: "notes" }, later));
    const head = await gateway(location, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });
});

describe("DELETE /runs/{id}", () => {
  test("cancels a run once: 204, then 409; its caller hears it and its link says so", async () => {
    const waiting = sample({ server: "notes" });
    const { run, link } = await openNotice("request");
    expect((await gateway(`/runs/${run}`, { method: "DELETE" })).status).toBe(204);
    expect(await answerOf(waiting)).toMatchObject({ error: { code: -32800, data: { outcome: "cancelled" } } });
    const again = await gateway(`/runs/${run}`, { method: "DELETE" });
    expect(again.status).toBe(409);
    expect(await (await gateway(pathOf(link), { key: null })).text()).toContain("The requestor withdrew the request.");
  });

  test("by the operator: the link says who it was", async () => {
    const { run } = await (async () => {
      void sample({ server: "notes" });
      return openNotice("request");
    })();
    const { link } = await openNotice("request", run);
    expect((await gateway(`/runs/${run}`, { method: "DELETE", key: adminToken })).status).toBe(204);
    expect(await (await gateway(pathOf(link), { key: null })).text()).toContain("An operator cancelled the request.");
  });

  test("of a completed run is 409 and leaves its result", async () => {
    const location = locationOf(await sample({ server: "open" }, later));
    await runReaches(location.slice(6), "completed");
    expect((await gateway(location, { method: "DELETE" })).status).toBe(409);
    expect((await runReaches(location.slice(6), "completed")).result).toBeDefined();
  });

  test("by another key, or of a made-up id, is 404 and cancels nothing", async () => {
    const other = await createKey();
    const location = locationOf(await sample({ server: "notes" }, later));
    expect((await gateway(location, { method: "DELETE", key: other.key })).status).toBe(404);
    expect((await gateway(`${location}A`, { method: "DELETE" })).status).toBe(404);
    expect((await gateway(location, { method: "DELETE", key: null })).status).toBe(401);
    await runReaches(location.slice(6), "waiting");
  });
});
