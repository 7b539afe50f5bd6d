// `control` and `auth`: how long an answer may take, how often a model may be asked, and
// credentials that are seen nowhere.

import { beforeEach, describe, expect, test } from "vitest";
import { ringNextAlarm, stubOf } from "../../objects/inside.ts";
import { asked, control, controlAnswerOf, envelopeOf, eventsOf, everyKind, gates, prompt, textEnvelope } from "../../support/control.ts";
import {
  admin,
  configure,
  createKey,
  devKey,
  eventually,
  gateway,
  gatewayWith,
  jsonBody,
  model,
  notices,
  openNotice,
  runOf,
  runReaches,
  travel,
} from "../../support/gateway.ts";
import { audience, issuerName, madeUp, signingPair, tokenBy } from "../../support/issuer.ts";
import { loggedLines, neverLogged } from "../../support/logs.ts";
import { recordLines } from "../../support/record.ts";
import { decide } from "../../support/reviewer.ts";
import { Stream } from "../../support/stream.ts";

beforeEach(async () => {
  await gates();
  await configure("routing", { ...everyKind, equivalents: [{ hint: "either", models: ["first", "second"] }] });
});

const never = new Promise(() => {});
const either = { model: { name: "either" } };

describe("timeout", () => {
  test("is over for a model that does not answer: every attempt together takes no longer", async () => {
    model.script({ until: never, step: {} }, { until: never, step: {} });
    const answer = await asked(textEnvelope({}, { ...either, control: { timeout: 1_500 } }));
    expect(answer).toMatchObject({ status: "failed", error: { code: -32011 } });
    const attempts = answer.error?.details?.["attempts"] as { durationMs: number; fault: string }[];
    expect(attempts.map(({ fault }) => fault)).toContain("timeout");
    expect(model.calls.length).toBeGreaterThan(0);
  });

  test("is over in the middle of a stream: an error and never a clean end", async () => {
    model.script({ pieces: ["Par", never] });
    const stream = new Stream(await control(textEnvelope({ stream: true }, { control: { timeout: 1_000 } })));
    await stream.rest();
    expect(eventsOf(stream.text).at(-1)).toMatchObject({ name: "error", data: { status: "failed" } });
  });

  test("is never longer than the gateway's own", async () => {
    model.script({ until: never, step: {} });
    const envelope = textEnvelope({}, { control: { timeout: 600_000, retryable: false } });
    const response = await gatewayWith({ MODEL_TIMEOUT_SECONDS: "1" }, "/control", jsonBody("POST", envelope));
    expect(await controlAnswerOf(response)).toMatchObject({ status: "failed" });
  });

  test("does not count the time that a person takes", async () => {
    await gates({ request: "review", response: "review" });
    const waiting = asked(textEnvelope({}, { control: { timeout: 5_000 } }));
    const { run } = await openNotice("request");
    travel(60_000);
    await ringNextAlarm(stubOf(run));
    expect((await runOf(run)).state).toBe("waiting");
    await decide("request", "approve", run);
    await openNotice("response", run);
    travel(60_000);
    await ringNextAlarm(stubOf(run));
    await decide("response", "approve", run);
    expect((await waiting).status).toBe("completed");
  });

  test.each(["request", "response"] as const)("counts it at the %s gate where the policy says so", async (gate) => {
    await gates({ [gate]: "review", timeoutCoversReview: true });
    const waiting = asked(textEnvelope({}, { control: { timeout: 60_000 } }));
    const { run } = await openNotice(gate);
    travel(40_000);
    await ringNextAlarm(stubOf(run));
    expect((await runOf(run)).status).toBe("working");
    travel(21_000);
    await ringNextAlarm(stubOf(run));
    const answer = await waiting;
    expect(answer).toMatchObject({ status: "expired", error: { code: -1, details: { outcome: "expired" } } });
    expect(model.calls).toHaveLength(gate === "request" ? 0 : 1);
  });

  test("where it covers review, the model has what is left of it", async () => {
    await gates({ request: "review", timeoutCoversReview: true });
    model.script({ until: never, step: {} });
    const waiting = asked(textEnvelope({}, { control: { timeout: 60_000 } }));
    const { run } = await openNotice("request");
    // Ten seconds are left: enough to decide in on a busy machine.
    travel(50_000);
    await decide("request", "approve", run);
    const answer = await waiting;
    expect(["failed", "expired"]).toContain(answer.status);
    expect(answer).not.toHaveProperty("result");
  });
});

describe("retryable: false", () => {
  const once = { ...either, control: { retryable: false } };
  const down = { status: 503, message: "down" };

  test("asks one model once", async () => {
    model.script(down, {});
    const answer = await asked(textEnvelope({}, once));
    expect(answer).toMatchObject({ status: "failed", error: { details: { attempts: [{ model: "first", fault: "overloaded" }] } } });
    expect(model.calls).toHaveLength(1);
  });

  test("asks one model once behind a gate, which shows no other", async () => {
    await gates({ request: "review" });
    model.script(down, {});
    const waiting = asked(textEnvelope({}, once));
    await decide("request", "approve");
    expect((await waiting).error?.details?.["attempts"]).toHaveLength(1);
    expect(model.calls).toHaveLength(1);
  });

  test("asks one model once for vectors", async () => {
    const vectors = everyKind.models.filter((each) => (each as { id: string }).id === "vectors");
    const others = vectors.map((each) => ({ ...each, id: "other-vectors" }));
    await configure("routing", {
      ...everyKind,
      models: [...vectors, ...others],
      equivalents: [{ hint: "either", models: ["vectors", "other-vectors"] }],
    });
    model.script(down, {});
    expect((await asked(envelopeOf("embedding", { text: "a" }, once))).status).toBe("failed");
    expect(model.calls).toHaveLength(1);
  });

  test("without it another attempt is made, and then another model", async () => {
    model.script(down, down, down);
    expect(await asked(textEnvelope({}, either))).toMatchObject({ status: "completed", model: { id: "second" } });
    expect(model.calls).toHaveLength(4);
  });
});

describe("credentials in the body", () => {
  const issuer = signingPair("ES256");

  test("open the endpoint, and are in no answer, page, record, list, object or log", async () => {
    await gates({ request: "review" });
    const made = await createKey();
    const pair = await issuer;
    const entry = { issuer: issuerName, algorithm: "ES256", audience, keys: { keys: [pair.jwk] }, subjects: { ada: made.id } };
    await configure("issuers", JSON.parse(JSON.stringify({ issuers: { idp: entry } })) as object);
    const token = await tokenBy(pair);
    const waiting = control(textEnvelope({}, { auth: { api_key: made.key, token } }), { key: null });
    const { run, link } = await openNotice("request");
    const page = await (await gateway(link, { key: null })).text();
    await decide("request", "approve", run);
    const answer = await (await waiting).text();
    expect(JSON.parse(answer)).toMatchObject({ status: "completed", run });
    await runReaches(run, "completed", made.key);
    const record = await eventually("the record", async () => {
      const lines = await recordLines();
      return lines.some((line) => line.run === run && line.fact.kind === "finished") ? JSON.stringify(lines) : null;
    });
    const listed = await Promise.all(["/runs", "/notices", "/keys", "/issuers"].map(async (path) => (await admin(path)).text()));
    const seen = [answer, page, record, JSON.stringify(await notices()), ...listed, ...loggedLines()].join("\n");
    expect(seen).toContain(run);
    for (const secret of [made.key, token, ...token.split(".").slice(1)]) expect(seen.includes(secret)).toBe(false);
  });

  test.each<[string, () => string | Promise<string>]>([
    ["of an API key that nobody made", () => "csk_made-up-0123456789-made-up"],
    ["of a caller who mistyped them", () => `${devKey}x`],
  ])("%s are refused and never told", async (_name, make) => {
    const secret = await make();
    neverLogged(secret);
    const response = await control(textEnvelope({}, { auth: { api_key: secret } }), { key: null });
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain(secret);
    expect(model.calls).toHaveLength(0);
  });

  test("a token that nobody signed is refused and never told", async () => {
    const token = madeUp({ alg: "ES256" }, { iss: issuerName, aud: audience, sub: "ada", exp: 4_000_000_000 });
    const response = await control(textEnvelope({}, { auth: { token } }), { key: null });
    expect(response.status).toBe(401);
    const text = await response.text();
    for (const part of token.split(".").slice(1)) expect(text).not.toContain(part);
  });

  test("are not told where they stand in the wrong member or have the wrong type", async () => {
    const { key } = await createKey();
    for (const auth of [{ api_key: [key] }, { api_key: { key } }, { token: 7, apikey: key }, key, [key]]) {
      const answer = await (await control(textEnvelope({}, { auth }))).text();
      expect(answer).not.toContain(key);
    }
    const elsewhere = await (await control({ ...textEnvelope(), [key]: prompt })).text();
    expect(elsewhere).not.toContain(prompt);
  });
});
