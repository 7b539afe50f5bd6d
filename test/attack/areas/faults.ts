// Faults of what the gateway depends on: providers, Slack, email, webhooks, KV. The caller gets an
// error that says so, what waits goes on waiting, and nothing is delivered that was not whole.

import { expect } from "vitest";
import { rmSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MailStep } from "../../support/mail-api.ts";
import type { ProviderStep } from "../../support/provider-server.ts";
import type { SlackStep } from "../../support/slack/scripted-slack.ts";
import { until } from "../../outside/support/raw-client.ts";
import { type Area, type Attack, eachOf } from "../attack.ts";
import { askedByEmail, askedByWebhook } from "../channels.ts";
import { callsWith, envelope, opened, press, rpcOf, runOf, sample } from "../people.ts";
import type { World } from "../world.ts";

const fault = (name: string, run: Attack["run"]): Attack => ({ name, isFault: true, run });

const steps: readonly [string, ProviderStep][] = [
  ["refuses the credential", { answer: "error", status: 401 }],
  ["refuses the request", { answer: "error", status: 400, message: "the provider's free text" }],
  ["has no such model", { answer: "error", status: 404 }],
  ["says 429 for a minute", { answer: "error", status: 429, headers: { "Retry-After": "60" } }],
  ["fails with 500", { answer: "error", status: 500 }],
  ["is overloaded", { answer: "error", status: 529 }],
  ["says it is well and answers an error", { answer: "errorInSuccess" }],
  ["closes the connection", { answer: "reset" }],
  ["never answers", { answer: "silent" }],
  ["begins an answer and never ends it", { answer: "silentBody" }],
  ["breaks off in the middle of an answer with a length", { answer: "cut", chunked: false }],
  ["breaks off in the middle of a chunked answer", { answer: "cut", chunked: true }],
  ["answers another JSON", { answer: "json", body: { choices: "none" } }],
  ["answers null", { answer: "json", body: null }],
  ["answers no choices", { answer: "json", body: { choices: [] } }],
  ["answers a page", { answer: "text", body: "<html>Gateway time-out</html>", type: "text/html" }],
  ["answers an empty body", { answer: "text", body: "", type: "application/json" }],
  ["answers 40 MB", { answer: "json", body: { choices: [{ message: { role: "assistant", content: "x".repeat(40_000_000) } }] } }],
  ["answers JSON of a hundred thousand levels", { answer: "text", body: "[".repeat(100_000), type: "application/json" }],
];

const always = (world: World, step: ProviderStep): void => world.model.script(...Array.from({ length: 12 }, () => step));

const ofProviders: Attack[] = steps.flatMap(([what, step]) => [
  fault(`a provider ${what}: the caller of the fast path gets an error, and no word of the provider's`, async (world) => {
    always(world, step);
    const answer = await sample(world);
    expect(rpcOf(answer).error?.code, "the error's code").toBe(-32011);
    for (const word of ["free text", "Gateway time-out", "xxxxxxxxxx"]) expect(answer.text, "the answer").not.toContain(word);
  }),
  fault(`a provider ${what} after a review: the run fails, and nobody is asked to approve a reply`, async (world) => {
    const review = await opened(world, { server: "both-gates" });
    always(world, step);
    await press(world, review.link, "approve");
    expect(rpcOf(await review.answer).error?.code, "the error's code").toBe(-32011);
    expect((await runOf(world, review.run)).status, "the run").toBe("failed");
  }),
]);

const streamBreaks = eachOf(["reset", "end", "error", "hang"] as const, (how) =>
  fault(`a provider's stream breaks (${how}) after some text: the stream ends as an error, never as a result`, async (world) => {
    world.model.script({ answer: "reply", text: "The beginning of a reply that goes on.", breaks: { after: 12, how } });
    const answer = await world.ask("/control", {
      body: { ...envelope(), task: { type: "text_generation", parameters: { prompt: "Tell.", stream: true } } },
    });
    expect(answer.text, `no error: ${answer.text.slice(-300)}`).toContain("event: error");
    expect(answer.text, "the stream").not.toContain("event: result");
  }),
);

const slackFaults: readonly [string, SlackStep][] = [
  ["refuses the token", { error: "invalid_auth" }],
  ["does not know the member", { error: "channel_not_found" }],
  ["refuses the blocks", { error: "invalid_blocks" }],
  ["breaks the connection", { breaks: true }],
  ["fails with 500", { status: 500 }],
];

/** A review whose reviewer has Slack first and email after it. */
async function reaches(world: World, prepare: () => void): Promise<void> {
  prepare();
  const review = await opened(world, { server: "by-slack-or-email", text: "either channel" });
  await press(world, review.link, "approve");
  expect(rpcOf(await review.answer).result, "the decision was not carried out").toBeDefined();
}

const ofSlack = eachOf(slackFaults, ([what, step]) =>
  fault(`Slack ${what}: the review can be decided, and the request goes on`, (world) =>
    reaches(world, () => world.slack.script("chat.postMessage", step, step, step)),
  ),
);

const slackHangs: readonly Attack[] = [
  fault("Slack answers nothing: a decision does not wait for it", async (world) => {
    let release = (): void => {};
    const until = new Promise<void>((resolve) => (release = resolve));
    await reaches(world, () => world.slack.script("chat.postMessage", { until }));
    release();
  }),
  fault("Slack says 429: a decision does not wait for it", (world) =>
    reaches(world, () => world.slack.script("chat.postMessage", { status: 429, retryAfter: "30" })),
  ),
];

const mailFaults: readonly [string, MailStep][] = [
  ["refuses the key", { status: 403, name: "invalid_api_key" }],
  ["does not know the domain", { status: 403, name: "validation_error" }],
  ["refuses the address", { status: 422, name: "invalid_to_address" }],
  ["has its daily limit", { status: 429, name: "daily_quota_exceeded" }],
  ["is rate limited", { status: 429, name: "rate_limit_exceeded", headers: { "Retry-After": "1" } }],
  ["fails with 500", { status: 500, name: "internal_server_error" }],
  ["breaks the connection", "disconnected"],
  ["answers a page", { status: 200, body: "<html></html>" }],
];

const ofEmail = eachOf(mailFaults, ([what, step]) =>
  fault(`email ${what}: the request waits or is refused as undeliverable, and is never approved`, async (world) => {
    world.mail.script(...Array.from({ length: 3 }, () => step));
    const before = world.mail.requests.length;
    const asked = askedByEmail(world, { text: `mail fault ${what}` }).catch((error: unknown) => error);
    await until("a try", () => world.mail.requests.length > before);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(callsWith(world, `mail fault ${what}`), "calls of the model").toBe(0);
    void asked;
  }),
);

const webhookFaults = eachOf([{ status: 500 }, { status: 401 }, { status: 410 }, "disconnected", "silent"] as const, (step) =>
  fault(`a webhook ${typeof step === "string" ? `is ${step}` : `answers ${step.status}`}: nothing is approved by it`, async (world) => {
    world.webhooks.script(step);
    const before = world.webhooks.requests.length;
    const asked = askedByWebhook(world, { text: "webhook fault" }).catch((error: unknown) => error);
    await until("a try", () => world.webhooks.requests.length > before);
    expect(callsWith(world, "webhook fault"), "calls of the model").toBe(0);
    void asked;
  }),
);

/** Every file of stored values in KV: Miniflare keeps them as blobs beside its table. */
function blobsOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(^|\/)kv\//.test(name) && name.includes("blobs") && statSync(join(folder, name)).isFile())
    .map((name) => join(folder, name));
}

const kvFaults: readonly [string, (path: string) => void][] = [
  ["is garbled", (path) => writeFileSync(path, '{"version":99,"text":"{}"')],
  [
    "says that everything is allowed",
    (path) => writeFileSync(path, JSON.stringify({ version: 99, rules: [], default: { request: "allow", response: "allow" } })),
  ],
  ["has lost its values", (path) => rmSync(path)],
];

const ofKv = eachOf(kvFaults, ([what, damage]) =>
  fault(`KV ${what}: the documents as written serve, and a refused server stays refused`, async (world) => {
    await world.kill();
    const blobs = blobsOf(world.folder);
    expect(blobs.length, "no values of KV were found: the fault shows nothing").toBeGreaterThan(0);
    for (const path of blobs) damage(path);
    await world.start();
    expect(rpcOf(await sample(world, { server: "refused" })).error?.code, "a refused request was served").toBe(-1);
    const review = await opened(world);
    await press(world, review.link, "approve");
    expect(rpcOf(await review.answer).result, "a request was not served").toBeDefined();
    expect(rpcOf(await sample(world, { server: "open" }, world.bob.key)).result, "Bob's key is unknown").toBeDefined();
    for (const name of ["policy", "routing", "servers"]) await world.put(name, (await world.admin(`/${name}`)).json as object);
  }),
);

export const faults: Area = {
  name: "faults",
  about: "faults of providers, Slack, email, webhooks and KV",
  attacks: [...ofProviders, ...streamBreaks, ...ofSlack, ...slackHangs, ...ofEmail, ...webhookFaults, ...ofKv],
};
