// Decisions that come after a response has begun: its status is 200 by then, white space came
// before the answer, and the SDK reads it.

import { OpenAI } from "openai";
import { beforeEach, expect, test } from "vitest";
import { everyKind, gates } from "../../support/control.ts";
import { configure, devKey, gatewayWith, model, publicUrl } from "../../support/gateway.ts";
import { decide } from "../../support/reviewer.ts";
import { chatOf, inputOf, runIn } from "../../support/v1.ts";

/**
 * The SDK at a gateway that begins a response after three seconds; what came is kept, as it came.
 */
function hasty(): { readonly client: OpenAI; readonly begun: Promise<void>; readonly bodies: Promise<string>[] } {
  const begun = Promise.withResolvers<void>();
  const bodies: Promise<string>[] = [];
  const client = new OpenAI({
    apiKey: devKey,
    baseURL: `${publicUrl}/v1`,
    maxRetries: 0,
    fetch: async (input, init) => {
      const { method, body, headers } = new Request(input instanceof URL ? input.href : input, init);
      const answer = await gatewayWith({ HEARTBEAT_SECONDS: "1" }, String(input), { method, body, headers });
      begun.resolve();
      bodies.push(answer.clone().text());
      return answer;
    },
  });
  return { client, begun: begun.promise, bodies };
}

beforeEach(async () => {
  await gates({ request: "review" });
  await configure("routing", everyKind);
});

test.each(["approve", "deny"] as const)("a completion (%s)", async (act) => {
  model.script({ text: "Paris." });
  const { client, begun, bodies } = hasty();
  const asked = client.chat.completions.create(chatOf("?"));
  await begun;
  await decide("request", act);
  const answer = await asked;
  expect(await bodies[0]).toMatch(/^ +\{"id":"chatcmpl-/);
  if (act === "approve") {
    expect(answer.choices[0]?.message).toMatchObject({ content: "Paris.", refusal: null });
    expect(runIn(answer)).toMatch(/^run_/);
  } else
    expect(answer).toMatchObject({
      choices: [{ finish_reason: "content_filter", message: { content: null, refusal: "User rejected sampling request" } }],
      error: { code: "review_denied", type: "permission_error" },
    });
});

test.each(["approve", "deny"] as const)("a response (%s)", async (act) => {
  model.script({ text: "Paris." });
  const { client, begun, bodies } = hasty();
  const asked = client.responses.create(inputOf("?"));
  await begun;
  await decide("request", act);
  const answer = await asked;
  expect(await bodies[0]).toMatch(/^ +\{"id":"resp_/);
  if (act === "approve") expect(answer).toMatchObject({ status: "completed", output_text: "Paris.", error: null });
  else
    expect(answer).toMatchObject({
      status: "failed",
      output: [],
      error: { code: "review_denied", message: "User rejected sampling request" },
    });
});

test("embeddings are vectors, or the error in their place", async () => {
  const { client, begun } = hasty();
  const asked = client.embeddings.create({ model: "vectors", input: ["a"] });
  await begun;
  await decide("request", "approve");
  expect((await asked).data[0]?.embedding.length).toBeGreaterThan(0);
  const other = hasty();
  const denied = other.client.embeddings.create({ model: "vectors", input: ["b"] });
  await other.begun;
  await decide("request", "deny");
  expect(await denied).toMatchObject({ error: { code: "review_denied" } });
  expect(await denied).not.toHaveProperty("data");
});
