// A client that asks again after its own time-out: people are asked once, whatever became of its
// first attempt.

import { beforeEach, expect, test } from "vitest";
import { everyKind, gates } from "../../support/control.ts";
import { configure, eventually, model, notices, openNotice, travel } from "../../support/gateway.ts";
import { decide } from "../../support/reviewer.ts";
import { chatOf, postV1 } from "../../support/v1.ts";

const again = { "X-Stainless-Retry-Count": "1" };
const ask = (headers: Record<string, string> = {}): Promise<Response> => postV1("/chat/completions", chatOf("?"), headers);
const reviews = async (): Promise<number> => (await notices()).length;
const replyIn = async (answer: Promise<Response>): Promise<unknown> =>
  (await (await answer).json<{ choices: { message: { content: string } }[] }>()).choices[0]?.message.content;

beforeEach(async () => {
  await gates({ request: "review" });
  await configure("routing", everyKind);
  model.script({ text: "Paris." });
});

test("a retry waits for the same review, also where nobody noticed that the first attempt's caller left", async () => {
  const first = ask();
  await openNotice("request");
  const second = ask(again);
  await decide("request", "approve");
  expect(await Promise.all([replyIn(first), replyIn(second)])).toEqual(["Paris.", "Paris."]);
  expect([await reviews(), model.calls.length]).toEqual([1, 1]);
});

test("without that, a second request is one of its own", async () => {
  const first = ask();
  await openNotice("request");
  const second = ask();
  await eventually("both reviews", async () => (await reviews()) === 2);
  await decide("request", "deny");
  await decide("request", "deny");
  expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([403, 403]);
});

test("a retry with another question is one of its own: nobody gets the reply to the first", async () => {
  const first = ask();
  await openNotice("request");
  const second = postV1("/chat/completions", chatOf("Another?"), again);
  await eventually("both reviews", async () => (await reviews()) === 2);
  await decide("request", "deny");
  await decide("request", "deny");
  expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([403, 403]);
});

test.each([
  ["approve", 200],
  ["deny", 403],
] as const)("a retry after the decision (%s) gets it, and nobody is asked again", async (act, status) => {
  const first = ask();
  await decide("request", act);
  expect((await first).status).toBe(status);
  const second = await ask(again);
  expect(second.status).toBe(status);
  expect([await reviews(), model.calls.length]).toEqual([1, act === "approve" ? 1 : 0]);
});

test("a minute later it is a new request", async () => {
  const first = ask();
  await decide("request", "deny");
  await first;
  travel(61_000);
  const second = ask(again);
  await eventually("a second review", async () => (await reviews()) === 2);
  await decide("request", "deny");
  expect((await second).status).toBe(403);
});

test.each(["0", "", "-1", "x", "1e9"])("no retry: %j", async (count) => {
  const first = ask();
  await openNotice("request");
  const second = ask({ "X-Stainless-Retry-Count": count });
  await eventually("both reviews", async () => (await reviews()) === 2);
  await decide("request", "deny");
  await decide("request", "deny");
  await Promise.all([first, second]);
});

test.each(["", "a b", "ä", "x".repeat(256)])("an Idempotency-Key that cannot be one is refused: %j", async (key) => {
  const answer = await postV1("/chat/completions", chatOf("?"), { "Idempotency-Key": key });
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: "Idempotency-Key" } }]);
});
