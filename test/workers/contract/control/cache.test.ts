// Replies that are kept because that was asked for: who gets them, and for how long.

import { beforeEach, describe, expect, test } from "vitest";
import { cached, filled, hits } from "../../support/cached.ts";
import {
  type Sent,
  asked,
  control,
  controlAnswerOf,
  envelopeOf,
  eventsOf,
  everyKind,
  gates,
  prompt,
  saidIn,
  textEnvelope,
} from "../../support/control.ts";
import { admin, adminJson, configure, createKey, eventually, model, travel } from "../../support/gateway.ts";
import { promptMarker, replyMarker } from "../../support/logs.ts";
import { recordLines } from "../../support/record.ts";
import { scriptToolServer } from "../../support/tool-server.ts";

beforeEach(async () => {
  await gates();
  await configure("routing", everyKind);
});

const text = `Hello. ${replyMarker}`;

describe("a reply that is kept", () => {
  test("answers the same request again, says so, and costs nothing", async () => {
    const before = Date.now();
    const first = await filled();
    const again = await asked(cached());
    expect(again).toMatchObject({
      status: "completed",
      model: first.model,
      result: first.result,
      cache: { hit: true },
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 },
      edited: { request: false, response: false },
    });
    expect(again.run).not.toBe(first.run);
    const at = Date.parse(again.cache?.at ?? "");
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });

  test("stands in the record as what it is, without a word of it, and counts as nothing spent", async () => {
    await filled();
    const calls = model.calls.length;
    const { run } = await asked(cached());
    const facts = await eventually("the record", async () => {
      const lines = (await recordLines()).filter((line) => line.run === run);
      return lines.some(({ fact }) => fact.kind === "finished") ? lines.map(({ fact }) => fact) : null;
    });
    expect(facts.map(({ kind }) => kind)).toEqual(["received", "fromCache", "finished"]);
    expect(facts[1]).toMatchObject({ model: "first", digest: expect.any(String), cachedAt: expect.stringMatching(/Z$/) });
    expect(JSON.stringify(await recordLines())).not.toMatch(new RegExp(`${promptMarker}|${replyMarker}`));
    const { runs } = await adminJson<{ runs: { id: string; usage: object }[] }>("/runs");
    expect(runs.find(({ id }) => id === run)?.usage).toMatchObject({ costUsd: 0 });
    expect(model.calls).toHaveLength(calls);
  });

  test("comes as a stream too", async () => {
    await filled();
    const calls = model.calls.length;
    const events = eventsOf(
      await (await control({ ...cached(), task: { type: "text_generation", parameters: { prompt, stream: true } } })).text(),
    );
    expect(saidIn(events)).toBe(text);
    expect(events.at(-1)).toMatchObject({ name: "result", data: { cache: { hit: true }, result: { text } } });
    expect(model.calls).toHaveLength(calls);
  });

  test("may be vectors", async () => {
    const vectors = (): Sent =>
      envelopeOf("embedding", { text: ["a", "b"] }, { model: { name: "demo" }, control: { cache: { enable: true, ttl: 60 } } });
    const first = await filled(vectors);
    expect((await asked(vectors())).result).toEqual(first.result);
  });

  test("is there until its time is over, and until the time of whoever asks is", async () => {
    await filled(() => cached({}, 600));
    travel(500_000);
    expect(hits(await asked(cached({}, 600)))).toBe(true);
    expect(hits(await asked(cached({}, 400)))).toBe(false);
  });

  test("is gone in the moment in which its time is over", async () => {
    await filled();
    const calls = model.calls.length;
    travel(60_001);
    expect(hits(await asked(cached()))).toBe(false);
    expect(model.calls).toHaveLength(calls + 1);
  });
});

describe("nothing is taken from there", () => {
  const without = (control: object = {}): Sent => textEnvelope({}, { control });

  test.each<[string, () => Sent]>([
    ["where it was not asked for", without],
    ["where it was asked for not to be", () => without({ cache: { enable: false, ttl: 60 } })],
    ["for another prompt", () => cached({ task: { type: "text_generation", parameters: { prompt: `${prompt}!` } } })],
    ["for another parameter", () => cached({ task: { type: "text_generation", parameters: { prompt, temperature: 0.1 } } })],
    ["for another system prompt", () => cached({ context: { system_prompt: "Be brief." } })],
    ["for another model", () => cached({ model: { name: "second" } })],
    ["for one attempt at one model, which is another list of them", () => cached({ model: { name: "claude" } })],
    [
      "for a history",
      () =>
        cached({
          context: {
            history: [
              { role: "user", content: "Hi" },
              { role: "assistant", content: "Hi." },
            ],
          },
        }),
    ],
  ])("%s", async (_name, other) => {
    await filled();
    const calls = model.calls.length;
    expect(hits(await asked(other()))).toBe(false);
    expect(model.calls).toHaveLength(calls + 1);
  });

  test("for another key", async () => {
    await filled();
    const { key } = await createKey();
    expect(hits(await asked(cached(), { key }))).toBe(false);
  });

  test("for another session, where the request has a history; for any, where it has none", async () => {
    const history = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hi." },
    ];
    const inSession = (name: string, more: object = {}): Sent => cached({ context: { session_id: name, ...more } });
    await filled(() => inSession("s-1", { history }));
    expect(hits(await asked(inSession("s-2", { history })))).toBe(false);
    await filled(() => inSession("s-1"));
    expect(hits(await asked(inSession("s-2")))).toBe(true);
  });

  test("where nothing was asked to be kept", async () => {
    await asked(without());
    expect(hits(await asked(cached()))).toBe(false);
  });

  test("of an error", async () => {
    model.script({ status: 400, message: "no" });
    const once = (): Sent => cached({ control: { cache: { enable: true, ttl: 60 }, retryable: false } });
    expect((await asked(once())).status).toBe("failed");
    expect(hits(await asked(once()))).toBe(false);
  });

  test("of a function", async () => {
    const server = await scriptToolServer();
    const call = (): Sent =>
      envelopeOf(
        "function_call",
        { function_call: { name: "sum", parameters: { a: 1, b: 2 } } },
        { control: { cache: { enable: true, ttl: 60 } } },
      );
    for (const _ of [1, 2]) expect(await asked(call())).not.toHaveProperty("cache");
    expect(server.ran()).toHaveLength(2);
  });
});

test("a repeat of one request_id is the same answer, and no hit", async () => {
  const envelope = cached();
  const first = await asked(envelope);
  expect(await asked(envelope)).toEqual(first);
});

test("a revoked key gets nothing that is kept for it", async () => {
  const { key, id } = await createKey();
  await filled(cached, { key });
  await admin(`/keys/${id}`, { method: "DELETE" });
  expect((await controlAnswerOf(control(cached(), { key }))).status).toBe("unauthorized");
});
