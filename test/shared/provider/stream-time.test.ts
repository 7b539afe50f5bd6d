// How long a stream may take. Time is moved by hand, so that no machine is too slow for it.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSender, type SendOptions } from "../../../workers/providers/send.ts";
import { anthropicEvents } from "../../support/providers/anthropic-wire.ts";
import { chatEvents } from "../../support/providers/openai-wire.ts";
import { candidate, request } from "../../support/providers/requests.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

const answer = { model: "m", text: "Hello there", calls: [], usage: { input: 9, output: 4 } };
const pieces = (text: string): string[] => text.match(/.{1,3}/g) ?? [];
const events = {
  anthropic: anthropicEvents({ ...answer, stop: "end_turn" }, pieces),
  openai: chatEvents({ ...answer, stop: "stop" }, pieces, true),
} as const;
const options: SendOptions = { totalTimeoutMs: 60_000, attemptTimeoutMs: 30_000, maxAttemptsPerCandidate: 1 };

/**
 * One event of the stream after the other, each after a time; the connection breaks when it is
 * aborted, as a real one does.
 */
async function send(kind: "anthropic" | "openai", before: (event: number) => number) {
  let asked = 0;
  const sender = createSender({
    lookup: () => "key",
    fetch: async (_input, init) => {
      asked += 1;
      let next = 0;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => init?.signal?.addEventListener("abort", () => controller.error(new Error("aborted"))),
        pull: async (controller) => {
          // What was said is dealt with before time goes on.
          await new Promise((resolve) => setImmediate(resolve));
          vi.advanceTimersByTime(before(next));
          if (init?.signal?.aborted) return;
          const event = events[kind][next];
          next += 1;
          if (event === undefined) controller.close();
          else controller.enqueue(new TextEncoder().encode(event));
        },
      });
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    },
    now: () => Date.now(),
    sleep: async () => {},
    random: () => 0,
  });
  const deltas: string[] = [];
  const result = await sender.send(request(), [candidate(kind), candidate(kind, { id: "model-2" })], options, (text) => deltas.push(text));
  const faults = (result.ok ? result.value.attempts : result.error.attempts).map(({ fault }) => [fault.kind, fault.then]);
  return { ok: result.ok, text: deltas.join(""), faults, asked };
}

test.each(["anthropic", "openai"] as const)(
  "%s: once something was said, the reply has the time that was kept for others",
  async (kind) => {
    expect(await send(kind, (event) => (event === 5 ? 59_000 : 0))).toEqual({
      ok: true,
      text: "Hello there",
      faults: [],
      asked: 1,
    });
  },
);

test.each(["anthropic", "openai"] as const)("%s: but no more than there is in all", async (kind) => {
  const { ok, faults, asked } = await send(kind, (event) => (event === 5 ? 60_001 : 0));
  expect({ ok, faults, asked }).toEqual({ ok: false, faults: [["timeout", "stop"]], asked: 1 });
});

test.each(["anthropic", "openai"] as const)(
  "%s: before that its time is an attempt's, and the next candidate is asked in the rest",
  async (kind) => {
    const { ok, faults, asked } = await send(kind, (event) => (event === 0 ? 30_001 : 0));
    expect({ ok, faults, asked }).toEqual({
      ok: false,
      faults: [
        ["timeout", "next"],
        ["timeout", "next"],
      ],
      asked: 2,
    });
  },
);
