// Holding the line: what a caller gets for each Accept, while the gateway waits and afterwards.

import { describe, expect, test } from "vitest";
import { promptMarker, replyMarker } from "../support/logs.ts";
import { answerOf, eventually, gatewayWith, jsonBody, model, openNotice, runOf, sample, samplingMessage } from "../support/gateway.ts";
import { expectOfficial } from "../support/official.ts";
import { decide } from "../support/reviewer.ts";
import { type Frame, Stream, framesOf, isComment, messageOf } from "../support/stream.ts";

const beating = { HEARTBEAT_SECONDS: "1" };
const held = (asked: Parameters<typeof samplingMessage>[0], headers: Record<string, string>): Promise<Response> =>
  gatewayWith(beating, "/sampling", jsonBody("POST", samplingMessage(asked), headers));

describe.each([
  ["application/json", "application/json"],
  ["*/*", "application/json"],
  ["application/*;q=0.5", "application/json"],
  [undefined, "application/json"],
  ["text/event-stream", "text/event-stream"],
  ["application/json, text/event-stream", "text/event-stream"],
  ["Text/Event-Stream; q=0.9", "text/event-stream"],
])("with Accept %s", (accept, type) => {
  const headers: Record<string, string> = accept === undefined ? {} : { Accept: accept };

  test.each([
    ["open", "without a gate"],
    ["notes", "with both gates"],
  ])(`the answer for %s is ${type}, %s`, async (server) => {
    const answer = sample({ id: 9, server }, { headers });
    if (server === "notes") {
      await decide("request", "approve");
      await decide("response", "approve");
    }
    const response = await answer;
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe(type);
    // White space that keeps a response alive must reach the caller: it is not to be compressed on
    // the way.
    const keptAlive = type === "application/json" && server === "notes";
    expect(response.headers.get("Cache-Control")).toBe(keptAlive ? "no-store, no-transform" : "no-store");
    expect(response.headers.get("Content-Encoding")).toBe(keptAlive ? "identity" : null);
    const text = await response.text();
    const body = type === "application/json" ? (JSON.parse(text) as unknown) : messageOf(framesOf(text).at(-1));
    expectOfficial("JSONRPCResultResponse", body);
    expect(body).toMatchObject({ id: 9, result: { role: "assistant", content: { type: "text", text: `Hello. ${replyMarker}` } } });
  });
});

test("a JSON body starts at once, carries white space while it waits, and is one valid JSON value in the end", async () => {
  const response = await held({ server: "notes" }, { Accept: "application/json" });
  const stream = new Stream(response);
  expect(await stream.next()).toBe(" ");
  expect(await stream.next()).toBe(" ");
  await decide("request", "approve");
  await decide("response", "approve");
  const rest = await stream.rest();
  expect(JSON.parse(stream.text)).toMatchObject({ result: { role: "assistant" } });
  expect(rest.trimStart().startsWith("{")).toBe(true);
});

test("an event stream opens at once and carries comments while it waits", async () => {
  const response = await held({ server: "notes" }, { Accept: "text/event-stream" });
  const stream = new Stream(response);
  expect(await stream.next()).toMatch(/^:.*\n\n$/);
  expect(await stream.next()).toMatch(/^:.*\n\n$/);
  await decide("request", "deny");
  await stream.rest();
  const frames = framesOf(stream.text);
  expect(frames.slice(0, -1).every(isComment)).toBe(true);
  expect(messageOf(frames.at(-1))).toMatchObject({ error: { code: -1, message: "User rejected sampling request" } });
});

test("a progress token gets rising notifications that say what is waited for, and never what was asked", async () => {
  const response = await held({ server: "notes", meta: { progressToken: "p1" } }, { Accept: "text/event-stream" });
  const stream = new Stream(response);
  await eventually("a second notification, by the heartbeat", async () => {
    await stream.next();
    return told(stream).length >= 2;
  });
  await decide("request", "approve");
  await decide("response", "approve");
  await stream.rest();
  const progress = told(stream);
  for (const each of progress) expectOfficial("ProgressNotification", each);
  expect(progress.map(({ params }) => params.progressToken)).toEqual(progress.map(() => "p1"));
  const values = progress.map(({ params }) => params.progress);
  expect(values).toEqual([...values].sort((a, b) => a - b));
  expect(new Set(values).size).toBe(values.length);
  const messages = new Set(progress.map(({ params }) => params.message));
  expect(messages).toContain("Waiting for a person to review the request");
  expect(messages).toContain("Waiting for a person to review the reply");
  expect(JSON.stringify(progress)).not.toContain(promptMarker);
  expect(messageOf(framesOf(stream.text).at(-1))).toHaveProperty("result");
});

test("a progress token that is a number keeps its type", async () => {
  const response = await sample({ server: "open", meta: { progressToken: 0 } }, { headers: { Accept: "text/event-stream" } });
  const notifications = framesOf(await response.text()).flatMap((frame) => (isComment(frame) ? [] : [messageOf(frame)]));
  expect(notifications[0]).toMatchObject({ method: "notifications/progress", params: { progressToken: 0 } });
});

test("without a progress token there is no notification", async () => {
  const response = await sample({ server: "open" }, { headers: { Accept: "text/event-stream" } });
  const messages = framesOf(await response.text()).filter((frame) => !isComment(frame));
  expect(messages).toHaveLength(1);
});

test("what is refused before anything is begun keeps its status whatever Accept says", async () => {
  for (const accept of ["text/event-stream", "application/json"]) {
    const response = await sample({ params: { maxTokens: 0 } }, { headers: { Accept: accept } });
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect((await answerOf(response)).error?.code).toBe(-32602);
  }
});

test.each(["application/json", "text/event-stream"])(
  "a caller who leaves a held line (%s) ends nothing and breaks nothing",
  async (accept) => {
    const response = await sample({ server: "notes" }, { headers: { Accept: accept } });
    const { run } = await openNotice("request");
    const stream = new Stream(response);
    await stream.next();
    await stream.leave();
    expect((await runOf(run)).state).toBe("waiting");
    await decide("request", "approve", run);
    await decide("response", "approve", run);
    await eventually("the end of the run", async () => (await runOf(run)).status === "completed");
  },
);

test("a model that is slow is waited for with white space too", async () => {
  let answerNow = (): void => {};
  model.script({ until: new Promise<void>((resolve) => (answerNow = resolve)), step: {} });
  const response = await held({ server: "open" }, { Accept: "application/json" });
  const stream = new Stream(response);
  expect(await stream.next()).toBe(" ");
  expect(await stream.next()).toBe(" ");
  answerNow();
  await stream.rest();
  expect(JSON.parse(stream.text)).toHaveProperty("result");
});

type Progress = { readonly params: { readonly progressToken: string; readonly progress: number; readonly message: string } };
const told = (stream: Stream): Progress[] =>
  framesOf(stream.text)
    .filter((frame: Frame) => !isComment(frame))
    .map((frame) => messageOf(frame) as Record<string, unknown>)
    .filter((message) => message["method"] === "notifications/progress") as unknown as Progress[];
