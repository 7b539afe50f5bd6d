// The same key, request_id and body is one request, asked once and paid once; another body under
// the id is a conflict.

import { describe, expect, test, vi } from "vitest";
import { runStub, sessionStub } from "../../../../workers/stubs/stubs.ts";
import { devKeyId } from "../../../../workers/stores/keys.ts";
import { SessionObject } from "../../../../workers/objects/session/session-object.ts";
import { tablesOf } from "../../objects/inside.ts";
import {
  type ControlAnswer,
  type Sent,
  asked,
  control,
  controlAnswerOf,
  envelopeOf,
  eventsOf,
  gates,
  prompt,
  textEnvelope,
} from "../../support/control.ts";
import { createKey, env, eventually, gateway, model, notices, openNotice, travel } from "../../support/gateway.ts";
import { recordLines } from "../../support/record.ts";
import { decide, press } from "../../support/reviewer.ts";

const id = { request_id: "req-once" };
const inSession = (session: string | undefined): Sent => (session === undefined ? {} : { context: { session_id: session } });
const once = (parameters: object = {}, members: object = {}): Sent => textEnvelope(parameters, { ...id, ...members });

const expectConflict = async (response: Response | Promise<Response>): Promise<void> => {
  const refused = await response;
  expect(refused.status).toBe(409);
  const answer = await controlAnswerOf(refused);
  expect(answer).toMatchObject({ ...id, status: "conflict", error: { code: -32600, message: expect.stringContaining("used before") } });
};

describe.each([
  ["in no session", undefined],
  ["in a session", "chat-1"],
])("%s", (_name, session) => {
  const envelope = (): Sent => once({}, inSession(session));

  test("twenty at once reach the model once and get the one answer", async () => {
    await gates();
    let answerNow = (): void => {};
    model.script({ until: new Promise<void>((resolve) => (answerNow = resolve)), step: {} });
    const answers = Promise.all(Array.from({ length: 20 }, () => asked(envelope())));
    await eventually("a call of the model", async () => model.calls.length > 0);
    answerNow();
    const [first, ...others] = await answers;
    expect(first?.status).toBe("completed");
    for (const other of others) expect(other).toEqual(first);
    expect(model.calls).toHaveLength(1);
  });

  test("one that comes after the answer gets the kept one, a failure as well", async () => {
    await gates();
    model.script({ status: 400, message: "no" });
    const first = await control(envelope());
    const again = await control(envelope());
    expect([first.status, again.status]).toEqual([502, 502]);
    expect(await controlAnswerOf(again)).toEqual(await controlAnswerOf(first));
    expect(model.calls).toHaveLength(1);
  });

  test("while a review waits nobody is asked twice, and after it everybody has its answer", async () => {
    await gates({ request: "review" });
    const answers = Array.from({ length: 3 }, () => asked(envelope()));
    const { run } = await openNotice("request");
    const late = asked(envelope());
    await decide("request", "approve", run);
    const all = await Promise.all([...answers, late]);
    expect(new Set(all.map((answer) => answer.run))).toEqual(new Set([run]));
    expect(await asked(envelope())).toEqual(all[0]);
    expect(await notices()).toHaveLength(1);
    expect(model.calls).toHaveLength(1);
  });

  test("a no is the answer of every repeat too", async () => {
    await gates({ request: "review" });
    const first = asked(envelope());
    await decide("request", "deny");
    expect(await asked(envelope())).toEqual(await first);
    expect((await first).status).toBe("rejected");
    expect(await notices()).toHaveLength(1);
  });

  test("a caller who left while a person thinks finds the same review", async () => {
    await gates({ request: "review" });
    const left = await control(envelope());
    const { run } = await openNotice("request");
    await left.body?.cancel();
    const again = asked(envelope());
    await decide("request", "approve", run);
    expect((await again).run).toBe(run);
    expect(await notices()).toHaveLength(1);
  });

  test.each<[string, Sent]>([
    ["another prompt", once({ prompt: "Another." }, inSession(session))],
    ["another parameter", once({ max_tokens: 511 }, inSession(session))],
    ["another model", once({}, { ...inSession(session), model: { name: "second" } })],
    ["a member that is ignored", once({}, { ...inSession(session), colour: "blue" })],
    ["another session", once({}, inSession("chat-2"))],
    ["another task", envelopeOf("translation", { text: prompt, target_lang: "fr" }, { ...id, ...inSession(session) })],
    [
      "a call that is handed back",
      envelopeOf("function_call", { functions: [{ name: "f" }], function_call: { name: "f" } }, { ...id, ...inSession(session) }),
    ],
  ])("%s under the id is a conflict, after the answer and while it waits", async (_what, other) => {
    await gates();
    const first = await asked(envelope());
    await expectConflict(control(other));
    expect(await asked(envelope())).toEqual(first);
    expect(model.calls).toHaveLength(1);
  });

  test("a conflict while a review waits leaves it as it was", async () => {
    await gates({ request: "review" });
    const first = asked(envelope());
    const { run } = await openNotice("request");
    await expectConflict(control(once({ max_tokens: 511 }, inSession(session))));
    await expectConflict(control(once({}, inSession("chat-2"))));
    await decide("request", "approve", run);
    expect((await first).status).toBe("completed");
    expect(await notices()).toHaveLength(1);
  });

  test("another key's request of the same id is another request", async () => {
    await gates();
    const { key } = await createKey();
    const runs = [(await asked(envelope())).run, (await asked(envelope(), { key })).run];
    expect(new Set(runs).size).toBe(2);
    expect(model.calls).toHaveLength(2);
  });

  test.each<[string, () => Promise<unknown>, Sent]>([
    ["by the policy", () => gates({ request: "refuse" }), {}],
    ["for want of a model", () => gates(), { model: { name: "made-up" } }],
  ])("what was refused %s may be sent again in other words", async (_what, refusing, members) => {
    await refusing();
    const refused = await asked(once({}, { ...inSession(session), ...members }));
    expect(["refused", "no_model"]).toContain(refused.status);
    await gates();
    expect((await asked(once({ max_tokens: 100 }, inSession(session)))).status).toBe("completed");
  });

  test("what was refused for the key's rate may be sent again, in the same or in other words", async () => {
    await gates();
    const { key } = await createKey({ limits: { requestsPerMinute: 1 } });
    await asked(textEnvelope(), { key });
    expect((await asked(envelope(), { key })).status).toBe("rate_limited");
    travel(61_000);
    const other = once({ max_tokens: 100 }, inSession(session));
    expect((await asked(other, { key })).status).toBe("completed");
  });
});

test("what was handed back is refused for the key's rate, and may then be sent in other words", async () => {
  await gates();
  const { key } = await createKey({ limits: { requestsPerMinute: 1 } });
  await asked(textEnvelope(), { key });
  const call = envelopeOf("function_call", { functions: [{ name: "f" }], function_call: { name: "f" } }, id);
  expect((await asked(call, { key })).status).toBe("rate_limited");
  travel(61_000);
  expect((await asked(once(), { key })).status).toBe("completed");
});

test("an id stays taken for a day", async () => {
  await gates();
  await asked(once());
  travel(23 * 3_600_000);
  for (const session of [undefined, "chat-2"]) await expectConflict(control(once({ max_tokens: 100 }, inSession(session))));
  travel(3_600_000);
  expect((await asked(once({ max_tokens: 100 }, inSession("chat-2")))).status).toBe("completed");
});

test("of two bodies under one id in two sessions at once, one is answered, and the other leaves nothing in its session", async () => {
  await gates();
  const sessions = ["chat-1", "chat-2"];
  const answers = await Promise.all(sessions.map((session, index) => asked(once({ max_tokens: 10 + index }, inSession(session)))));
  expect(answers.map(({ status }) => status).toSorted()).toEqual(["completed", "conflict"]);
  expect(model.calls).toHaveLength(1);
  const refused = sessions[answers.findIndex(({ status }) => status === "conflict")] ?? "";
  expect((await tablesOf(sessionStub(env, devKeyId, refused)))["sampling"] ?? []).toEqual([]);
});

test("an id stays taken by what was served, where a repeat of it is refused", async () => {
  await gates();
  await asked(once({}, inSession("chat-1")));
  await gateway("/sessions/chat-1", { method: "DELETE" });
  expect((await asked(once({}, inSession("chat-1")))).status).toBe("invalid");
  await expectConflict(control(once()));
  expect(model.calls).toHaveLength(1);
});

test("an answer is not lost with a call that was to take it along", async () => {
  await gates();
  const envelope = once({}, inSession("chat-1"));
  const first = await asked(envelope);
  vi.spyOn(SessionObject.prototype, "associate").mockImplementationOnce(() => {
    throw new Error("the object is gone");
  });
  expect((await control(textEnvelope({}, inSession("chat-1")))).status).toBe(500);
  expect(await asked(envelope)).toEqual(first);
  expect(model.calls).toHaveLength(1);
});

test.each([
  ["the same request under another id takes over what its caller left", {}, 1],
  ["one that may not be retried does not", { retryable: false }, 2],
  ["one that has less time does not", { timeout: 5_000 }, 2],
])("%s", async (_name, said, reviews) => {
  await gates({ request: "review" });
  const left = new AbortController();
  const first = control(textEnvelope(), { signal: left.signal });
  const { run } = await openNotice("request");
  left.abort();
  await first.then((response) => response.text()).catch(() => null);
  await eventually("that nobody waits", async () => (await tablesOf(runStub(env, run)))["run"]?.[0]?.["requestor_gone"] === true);
  const second = asked(textEnvelope({}, { control: said }));
  if (reviews === 2) await eventually("a second review", async () => (await notices()).length === 2);
  for (const { link } of await notices()) await press(link, "approve");
  const answer = await second;
  expect(answer.status).toBe("completed");
  expect(answer.run === run).toBe(reviews === 1);
});

test("auth, the order of members and white space are no part of what was asked", async () => {
  await gates();
  const envelope = once();
  const first = await asked(envelope);
  const { key, id: keyId } = await createKey();
  expect(keyId).toMatch(/./);
  const theirs = await asked({ ...envelope, auth: { api_key: key } }, { key: null });
  expect(theirs.run).not.toBe(first.run);
  const reordered = Object.fromEntries(Object.entries({ ...envelope, auth: { api_key: key } }).toReversed());
  expect(await asked(reordered, { key })).toEqual(theirs);
  expect(model.calls).toHaveLength(2);
});

test("an answer that was streamed is the answer of a repeat, as a stream", async () => {
  await gates({ response: "review" });
  const envelope = once({ stream: true });
  const first = control(envelope).then((response) => response.text());
  await decide("response", "approve");
  const told = eventsOf(await first).at(-1);
  const again = eventsOf(await (await control(envelope)).text()).at(-1);
  expect(told?.name).toBe("result");
  expect(again).toEqual(told);
  expect(model.calls).toHaveLength(1);
});

test("a call that is handed back again is counted as a request and recorded each time", async () => {
  const call = envelopeOf("function_call", { functions: [{ name: "f" }], function_call: { name: "f", parameters: { a: 1 } } }, id);
  const first = await asked(call);
  expect(await asked(call)).toEqual(first);
  await expectConflict(control(once()));
  await eventually("the record", async () => (await recordLines()).some(({ fact }) => fact.kind === "handedBack"));
});

test("of twenty at once with other words each, one is served and the others are conflicts", async () => {
  await gates();
  const answers: ControlAnswer[] = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      asked(once({ max_tokens: index + 1 }, inSession(index % 2 === 0 ? undefined : `chat-${index}`))),
    ),
  );
  const served = answers.filter(({ status }) => status === "completed");
  expect(served).toHaveLength(1);
  expect(answers.filter(({ status }) => status === "conflict")).toHaveLength(19);
  expect(model.calls).toHaveLength(1);
});
