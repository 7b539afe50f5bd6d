// `stream: true`: what comes while the model writes, what comes while people decide, and how each
// stream ends.

import { beforeEach, describe, expect, test } from "vitest";
import {
  type ControlEvent,
  control,
  controlAnswerOf,
  envelopeOf,
  eventsOf,
  everyKind,
  gates,
  prompt,
  saidIn,
  sentBody,
  textEnvelope,
} from "../../support/control.ts";
import { configure, gatewayWith, jsonBody, model, openNotice } from "../../support/gateway.ts";
import { replyMarker } from "../../support/logs.ts";
import { decide } from "../../support/reviewer.ts";
import { Stream, framesOf, isComment } from "../../support/stream.ts";

beforeEach(async () => {
  await gates();
  await configure("routing", { ...everyKind, equivalents: [{ hint: "either", models: ["first", "second"] }] });
});

const streamed = (parameters: object = {}, members: object = {}) => textEnvelope({ stream: true, ...parameters }, members);

/** All the events of a stream, once it has ended. */
async function eventsOfWhole(response: Response | Promise<Response>): Promise<ControlEvent[]> {
  const ended = await response;
  expect([ended.status, ended.headers.get("Content-Type"), ended.headers.get("Cache-Control")]).toEqual([
    200,
    "text/event-stream",
    "no-store",
  ]);
  return eventsOf(await ended.text());
}

const namesIn = (events: readonly ControlEvent[]): string[] => events.map(({ name }) => name);

/** Reads on until this has come, and gives all the events so far. */
async function until(stream: Stream, text: string): Promise<ControlEvent[]> {
  while (!stream.text.includes(text)) if ((await stream.next()) === "") throw new Error("the stream ended before that");
  return eventsOf(stream.text);
}

/** A promise, and what resolves it. */
function gate(): { readonly passed: Promise<void>; readonly open: () => void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}

const kinds = [["first"], ["claude"]];
const pieces = ["Par", "is, ", `of course. ${replyMarker}`];
const whole = pieces.join("");

describe.each(kinds)("with a provider of the kind of %s and no gate", (name) => {
  const at = { model: { name } };

  test("the text comes while the model writes, and the result says the same", async () => {
    const rest = gate();
    model.script({ pieces: [...pieces.slice(0, 1), rest.passed, ...pieces.slice(1)] });
    const envelope = streamed({}, at);
    const stream = new Stream(await control(envelope));
    const before = await until(stream, '"Par"');
    expect(namesIn(before)).toEqual(["progress", "delta"]);
    expect(before[0]?.data).toMatchObject({ state: "generating", message: expect.stringMatching(/./) });
    rest.open();
    await stream.rest();
    const events = eventsOf(stream.text);
    expect(saidIn(events)).toBe(whole);
    expect(namesIn(events).filter((each) => each !== "delta")).toEqual(["progress", "result"]);
    expect(namesIn(events).at(-1)).toBe("result");
    for (const { data } of events) expect(data).toMatchObject({ protocol_version: "2.1", request_id: envelope["request_id"] });
    expect(sentBody()).toMatchObject({ stream: true });
    // A repeat gets the same answer, without the model.
    const again = await eventsOfWhole(control(envelope));
    expect([again.at(-1), saidIn(again)]).toEqual([events.at(-1), whole]);
    expect(events.at(-1)?.data).toMatchObject({
      status: "completed",
      model: { id: name },
      result: { type: "text_generation", text: whole, stop_reason: "end_turn" },
      usage: { input_tokens: 12, output_tokens: 5 },
      edited: { request: false, response: false },
    });
    expect(model.calls).toHaveLength(1);
  });

  test.each(["end", "error"] as const)(
    "the provider breaks off (%s): an error and never a clean end, and nobody else is asked",
    async (how) => {
      await configure("routing", { ...everyKind, equivalents: [{ hint: "either", models: [name, "second"] }] });
      model.script({ pieces: pieces.slice(0, 2), breaksOff: how });
      const events = await eventsOfWhole(control(streamed({}, { model: { name: "either" } })));
      expect(saidIn(events)).toBe("Paris, ");
      expect(namesIn(events).filter((each) => each !== "delta")).toEqual(["progress", "error"]);
      const last = events.at(-1)?.data;
      expect(last).toMatchObject({
        status: "failed",
        error: { code: -32011, details: { attempts: [{ model: name, fault: "brokenAnswer" }] } },
      });
      expect(last).not.toHaveProperty("result");
      expect(model.calls).toHaveLength(1);
    },
  );

  test.each([
    ["refuses", { status: 529, message: "overloaded" }],
    ["breaks off before its first word", { pieces: [], breaksOff: "end" } as const],
  ])("a provider that %s: the next one is asked, and its text alone is told", async (_name, first) => {
    await configure("routing", { ...everyKind, equivalents: [{ hint: "either", models: [name, "second"] }] });
    model.script(first, ...("status" in first ? [first, first] : []), { pieces });
    const events = await eventsOfWhole(control(streamed({}, { model: { name: "either" } })));
    expect(saidIn(events)).toBe(whole);
    expect(events.at(-1)).toMatchObject({ name: "result", data: { model: { id: "second" }, result: { text: whole } } });
  });

  test("every provider fails before its first word: an error", async () => {
    model.script({ status: 400, message: "no" });
    const events = await eventsOfWhole(control(streamed({}, at)));
    expect(namesIn(events)).toEqual(["progress", "error"]);
    expect(events.at(-1)?.data).toMatchObject({ status: "failed", error: { code: -32011 } });
  });
});

test("a stop sequence that comes in pieces is never told, nor what stands after it", async () => {
  model.script({ pieces: ["Paris", "#", "##", " and more"] });
  const events = await eventsOfWhole(control(streamed({ stop: ["###"] })));
  expect(saidIn(events)).toBe("Paris");
  expect(events.at(-1)?.data.result).toMatchObject({ text: "Paris", stop_reason: "stop_sequence" });
});

describe("JSON", () => {
  const json = () => streamed({ response_format: "json" });

  test("in a fence is told without the fence", async () => {
    model.script({ pieces: ["```json\n", '{"city":', '"Paris"}', "\n```"] });
    const events = await eventsOfWhole(control(json()));
    expect(saidIn(events)).toBe('{"city":"Paris"}');
    expect(events.at(-1)?.data.result).toMatchObject({ text: '{"city":"Paris"}', json: { city: "Paris" } });
  });

  test("that turns out to be none ends in an error", async () => {
    model.script({ pieces: ['{"city":', "Paris"] });
    const events = await eventsOfWhole(control(json()));
    expect(namesIn(events).at(-1)).toBe("error");
    expect(namesIn(events)).not.toContain("result");
    expect(events.at(-1)?.data).toMatchObject({ status: "failed", error: { code: -32011 } });
  });
});

test("the demo streams too", async () => {
  const events = await eventsOfWhole(control(streamed({}, { model: { name: "demo" } })));
  expect(namesIn(events).filter((each) => each === "delta").length).toBeGreaterThan(3);
  expect(saidIn(events)).toBe(events.at(-1)?.data.result?.text);
  expect(saidIn(events)).toMatch(/not a model/);
});

test("multimodal generation streams as text does", async () => {
  model.script({ pieces });
  const images = [
    { type: "base64", value: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" },
  ];
  const events = await eventsOfWhole(control(envelopeOf("multimodal_generation", { prompt, images, stream: true })));
  expect(saidIn(events)).toBe(whole);
  expect(events.at(-1)).toMatchObject({ name: "result", data: { result: { type: "multimodal_generation", text: whole } } });
});

describe("behind a closed gate", () => {
  test("for the reply: progress first, nothing of it before it was approved, then all of it", async () => {
    await gates({ response: "review" });
    model.script({ pieces });
    const stream = new Stream(await control(streamed()));
    const { run } = await openNotice("response");
    const before = await until(stream, '"responseReview"');
    expect(new Set(namesIn(before))).toEqual(new Set(["progress"]));
    expect(stream.text).not.toContain(replyMarker);
    await decide("response", "approve", run);
    await stream.rest();
    const events = eventsOf(stream.text);
    expect(namesIn(events).slice(-2)).toEqual(["delta", "result"]);
    expect(saidIn(events)).toBe(whole);
    expect(events.at(-1)?.data).toMatchObject({ run, result: { text: whole }, edited: { request: false, response: false } });
  });

  test("for the reply, which a reviewer edits: the edited text alone is told", async () => {
    await gates({ response: "review" });
    model.script({ pieces });
    const response = await control(streamed());
    await decide("response", "approve", undefined, (fields) => fields.set("edit:/content/0/text", "Lyon."));
    const events = await eventsOfWhole(response);
    expect(saidIn(events)).toBe("Lyon.");
    expect(events.at(-1)?.data).toMatchObject({ result: { text: "Lyon." }, edited: { request: false, response: true } });
    expect(JSON.stringify(events)).not.toContain(replyMarker);
  });

  test("for the reply, which is denied: an error, and nothing of it", async () => {
    await gates({ response: "review" });
    model.script({ pieces });
    const response = await control(streamed());
    await decide("response", "deny");
    const events = await eventsOfWhole(response);
    expect(new Set(namesIn(events))).toEqual(new Set(["progress", "error"]));
    expect(namesIn(events).at(-1)).toBe("error");
    expect(events.at(-1)?.data).toMatchObject({ status: "rejected", error: { code: -1 } });
    expect(JSON.stringify(events)).not.toContain(replyMarker);
  });

  test("for the request: it waits, is made, and is told", async () => {
    await gates({ request: "review" });
    model.script({ pieces });
    const stream = new Stream(await control(streamed()));
    await until(stream, '"waiting"');
    expect(model.calls).toHaveLength(0);
    await decide("request", "approve");
    await stream.rest();
    const events = eventsOf(stream.text);
    expect(namesIn(events)[0]).toBe("progress");
    expect(saidIn(events)).toBe(whole);
    expect(namesIn(events).at(-1)).toBe("result");
  });

  test("the line is kept open by comments", async () => {
    await gates({ request: "review" });
    const response = await gatewayWith({ HEARTBEAT_SECONDS: "1" }, "/control", jsonBody("POST", streamed()));
    const stream = new Stream(response);
    while (framesOf(stream.text).filter(isComment).length < 2) expect(await stream.next()).not.toBe("");
    await decide("request", "deny");
    await stream.rest();
    expect(namesIn(eventsOf(stream.text)).at(-1)).toBe("error");
  });
});

test("a caller who leaves in the middle finds the whole answer later: the model is asked once", async () => {
  const rest = gate();
  model.script({ pieces: [...pieces.slice(0, 1), rest.passed, ...pieces.slice(1)] });
  const envelope = streamed();
  const stream = new Stream(await control(envelope));
  await until(stream, '"Par"');
  await stream.leave();
  const again = eventsOfWhole(control(envelope));
  rest.open();
  const events = await again;
  expect(saidIn(events)).toBe(whole);
  expect(events.at(-1)).toMatchObject({ name: "result", data: { result: { text: whole } } });
  expect(model.calls).toHaveLength(1);
});

test("what is refused before it begins is refused as JSON, with its status", async () => {
  await gates({ request: "refuse" });
  const response = await control(streamed());
  expect([response.status, response.headers.get("Content-Type")]).toEqual([403, "application/json"]);
  expect(await controlAnswerOf(response)).toMatchObject({ status: "refused" });
});
