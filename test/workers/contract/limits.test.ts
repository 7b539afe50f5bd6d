// The limits of a key: how often, how many at once, how many rounds, how large; and content of
// every size that they let in.

import { describe, expect, test, vi } from "vitest";
import {
  createKey,
  errorOf,
  answerOf,
  configure,
  eventually,
  gateway,
  model,
  openNotice,
  routing,
  sample,
  travel,
} from "../support/gateway.ts";
import { replyMarker } from "../support/logs.ts";
import { decide } from "../support/reviewer.ts";

describe("requestsPerMinute", () => {
  test("over it: 429 with when to come again, which is true", async () => {
    const { key } = await createKey({ limits: { requestsPerMinute: 2 } });
    // Time stands still, however long the requests take.
    const at = Date.now();
    const clock = vi.spyOn(Date, "now").mockReturnValue(at);
    for (let i = 0; i < 2; i += 1) expect(await answerOf(sample({}, { key }))).toHaveProperty("result");
    const response = await sample({}, { key });
    expect(response.status).toBe(429);
    const { code, data } = await errorOf(response.clone());
    expect(code).toBe(-32013);
    expect(data).toEqual({ limit: "requestsPerMinute", max: 2, retryAfterMs: expect.any(Number) });
    const retryAfterMs = Number(data?.["retryAfterMs"]);
    expect(retryAfterMs).toBe(30_000);
    expect(response.headers.get("Retry-After")).toBe("30");
    clock.mockReturnValue(at + retryAfterMs - 1);
    expect((await sample({}, { key })).status).toBe(429);
    clock.mockReturnValue(at + retryAfterMs);
    expect((await sample({}, { key })).status).toBe(200);
    expect(model.calls).toHaveLength(3);
  });

  test("a refused request may come again with the same id, and was no round", async () => {
    const { key } = await createKey({ limits: { requestsPerMinute: 1, roundsPerOriginatingRequest: 2 } });
    await sample({}, { key });
    for (let i = 0; i < 5; i += 1) expect((await sample({ id: "again" }, { key })).status).toBe(429);
    travel(61_000);
    const { result } = await answerOf(sample({ id: "again" }, { key }));
    expect(result).toBeDefined();
  });

  test("two at once, the same request and over the limit, are both refused and break nothing", async () => {
    const { key } = await createKey({ limits: { requestsPerMinute: 1 } });
    await sample({}, { key });
    const answers = await Promise.all([sample({ id: "twin" }, { key }), sample({ id: "twin" }, { key })]);
    for (const response of answers) {
      expect(response.status).not.toBe(500);
      expect((await errorOf(response)).code).toBe(-32013);
    }
    expect(model.calls).toHaveLength(1);
  });

  test("one key's requests never count against another's", async () => {
    const [one, two] = [await createKey({ limits: { requestsPerMinute: 1 } }), await createKey({ limits: { requestsPerMinute: 1 } })];
    expect((await sample({}, { key: one.key })).status).toBe(200);
    expect((await sample({}, { key: two.key })).status).toBe(200);
    expect((await sample({}, { key: one.key })).status).toBe(429);
  });
});

describe("concurrent", () => {
  test("those that wait for a person count; a place is free once one has ended", async () => {
    const { key } = await createKey({ limits: { concurrent: 1 } });
    const first = sample({ server: "request-gate" }, { key });
    const { run } = await openNotice("request");
    const response = await sample({ server: "open" }, { key });
    expect([response.status, response.headers.get("Retry-After")]).toEqual([429, "1"]);
    expect(await errorOf(response)).toMatchObject({ code: -32013, data: { limit: "concurrent", max: 1, retryAfterMs: 1_000 } });
    await decide("request", "deny", run);
    await first;
    await eventually("a free place", async () => (await sample({ server: "open" }, { key })).status === 200);
  });

  test("a repeat takes no place of its own", async () => {
    const { key } = await createKey({ limits: { concurrent: 1 } });
    const [first, second] = [sample({ id: 1, server: "request-gate" }, { key }), sample({ id: 1, server: "request-gate" }, { key })];
    await decide("request", "approve");
    for (const answer of await Promise.all([answerOf(first), answerOf(second)])) expect(answer).toHaveProperty("result");
    expect(model.calls).toHaveLength(1);
  });

  test("a fast request gives its place back", async () => {
    const { key } = await createKey({ limits: { concurrent: 1 } });
    for (let i = 0; i < 3; i += 1) expect((await sample({}, { key })).status).toBe(200);
  });
});

describe("roundsPerOriginatingRequest", () => {
  test("one more is refused, for this originating request only", async () => {
    const { key } = await createKey({ limits: { roundsPerOriginatingRequest: 2 } });
    for (let i = 0; i < 2; i += 1) expect((await sample({ originating: 1 }, { key })).status).toBe(200);
    const response = await sample({ originating: 1 }, { key });
    expect(response.status).toBe(429);
    expect(await errorOf(response)).toMatchObject({ code: -32013, data: { limit: "roundsPerOriginatingRequest", max: 2 } });
    expect((await sample({ originating: 2 }, { key })).status).toBe(200);
    expect((await sample({ originating: "1" }, { key })).status).toBe(200);
    expect(model.calls).toHaveLength(4);
  });

  test("a repeat is no round", async () => {
    const { key } = await createKey({ limits: { roundsPerOriginatingRequest: 1 } });
    for (let i = 0; i < 3; i += 1) expect(await answerOf(sample({ id: 1 }, { key }))).toHaveProperty("result");
    expect(model.calls).toHaveLength(1);
  });
});

describe("bodyBytes", () => {
  test("is counted in bytes, and a body of exactly that many is let in", async () => {
    const { key } = await createKey({ limits: { bodyBytes: 2048 } });
    const send = (bytes: number): Promise<Response> =>
      gateway("/sampling", { method: "POST", key, body: `"${"x".repeat(bytes - 4)}é"`, headers: { "Content-Type": "application/json" } });
    expect((await send(2048)).status).toBe(400);
    expect((await send(2049)).status).toBe(413);
  });
});

test.each([0, 1])("a prompt of a megabyte of emoji, shifted by %i, is sent exactly as it was approved", async (shift) => {
  await configure("routing", { ...routing, models: routing.models.map((each) => ({ ...each, contextTokens: 10_000_000 })) });
  const prompt = "x".repeat(shift) + "🗼".repeat(260_000);
  const answer = sample({
    server: "request-gate",
    params: { messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 5 },
  });
  const { run } = await openNotice("request");
  // The form repeats every text, as a browser sends it.
  await decide("request", "approve", run);
  expect((await answerOf(answer)).result).toMatchObject({ content: { text: `Hello. ${replyMarker}` } });
  expect(JSON.stringify(model.calls[0]?.body)).toContain(prompt);
});
