// A whole gateway that is its own process, its mail API and a webhook receiver on sockets, and a
// reviewer who has nothing but their mail.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { freePort, type Gateway, pause } from "../../../scripts/local-gateway.ts";
import { startTestGateway } from "../../outside/support/test-gateway.ts";
import { decideByLink } from "../../../scripts/page-form.ts";
import { type MailApi, type TakenMail } from "../../support/mail-api.ts";
import { startMailServer } from "../../support/mail-server.ts";
import { serve, type Served } from "../../support/serve.ts";
import { createWebhookReceiver } from "../../support/webhook-receiver.ts";

const adminToken = "admin-token-of-the-tests-0123456789";
const apiKey = "dev-key-of-the-tests-0123456789abcdef";
const secret = `whsec_${btoa("s".repeat(32))}`;
const receiver = createWebhookReceiver(secret);
const persistTo = mkdtempSync(join(tmpdir(), "countersign-mail-"));
let mail: MailApi & Served;
let hook: Served;
let gateway: Gateway;

const policy = {
  rules: [{ name: "one gate", when: { server: "one-gate" }, then: { request: "review", response: "allow", noticeExcerpt: "start" } }],
  default: { request: "review", response: "review", reviewers: ["people"], deadlineSeconds: 600 },
  reviewers: { people: [{ name: "Ada", email: "ada@example.org", webhook: "TEAMS", notify: ["email", "webhook"] }] },
};

beforeAll(async () => {
  mail = await startMailServer();
  hook = await serve(receiver.answer);
  gateway = await startTestGateway({
    port: await freePort(),
    persistTo,
    variables: {
      ADMIN_TOKEN: adminToken,
      LINK_KEY: "link-key-of-the-tests-0123456789abcdef",
      DEV_API_KEY: apiKey,
      OUTBOX: "off",
      EMAIL_FROM: "Countersign <reviews@example.com>",
      RESEND_API_KEY: mail.keys.sending,
      RESEND_BASE_URL: mail.url,
      WEBHOOK_TEAMS_URL: hook.url,
      WEBHOOK_TEAMS_SECRET: secret,
    },
  });
  const written = await fetch(`${gateway.url}/admin/policy`, {
    method: "PUT",
    body: JSON.stringify(policy),
    headers: { Authorization: `Bearer ${adminToken}`, "If-Match": "0", "Content-Type": "application/json" },
  });
  expect(written.status).toBe(200);
});
afterEach(() => {
  mail.taken.length = 0;
  receiver.taken.length = 0;
});
afterAll(async () => {
  await gateway?.stop("kill");
  await mail?.close();
  await hook?.close();
  rmSync(persistTo, { recursive: true, force: true });
});

type Answer = {
  readonly result?: { readonly content: { readonly text: string } };
  readonly error?: { readonly data?: { readonly outcome?: string } };
};

async function ask(id: string, server: string): Promise<Answer> {
  const response = await fetch(`${gateway.url}/sampling`, {
    method: "POST",
    headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "sampling/createMessage",
      params: {
        messages: [{ role: "user", content: { type: "text", text: `The question of ${id}` } }],
        maxTokens: 20,
        _meta: { "countersign/session": id, "countersign/originatingRequest": { id: 1, method: "tools/call", name: "summarize", server } },
      },
    }),
  });
  return (await response.json()) as Answer; // The gateway's answer to a sampling request.
}

async function eventually<T>(find: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const found = find();
    if (found !== undefined) return found;
    await pause(100);
  }
  throw new Error("it never came");
}

const linkIn = ({ text }: TakenMail): string => /^https?:\/\/\S+$/m.exec(text)?.[0] ?? "";

test("a reviewer decides both gates with the links of their two mails, and gets no third", async () => {
  const answer = ask("both", "notes");
  const request = await eventually(() => mail.taken[0]);
  expect(request).toMatchObject({
    to: ["ada@example.org"],
    subject: expect.stringMatching(/^notes · summarize asks .* · until .* \(run_/),
  });
  expect(request.text).not.toContain("The question of both");
  expect((await decideByLink(linkIn(request), "approve")).status).toBe(303);
  const reply = await eventually(() => mail.taken[1]);
  expect(reply.subject).toMatch(/ answers notes · summarize · until /);
  expect(reply.headers["References"]).not.toBe(request.headers["References"]);
  expect((await decideByLink(linkIn(reply), "approve")).status).toBe(303);
  expect((await answer).result?.content.text).toEqual(expect.any(String));
  await pause(1_000);
  expect(mail.taken).toHaveLength(2);
  // The mail arrived: the other channel was not needed.
  expect(receiver.taken.filter(({ event }) => event.type === "review.asked")).toEqual([]);
});

test("a mail that could not be sent is sent later, once", async () => {
  mail.script({ status: 429, name: "rate_limit_exceeded", headers: { "Retry-After": "1" } }, { status: 500, name: "application_error" });
  const answer = ask("later", "one-gate");
  const taken = await eventually(() => mail.taken[0]);
  expect(taken.text).toContain("| The question of later");
  expect((await decideByLink(linkIn(taken), "deny")).status).toBe(303);
  expect((await answer).error).toBeDefined();
  expect(mail.taken).toHaveLength(1);
});

test("where the mail is refused for good, the webhook has the link at once, and hears of the end", async () => {
  mail.script({ status: 403, name: "validation_error" });
  const answer = ask("webhook", "one-gate");
  const asked = await eventually(() => receiver.taken.find(({ event }) => event.type === "review.asked"));
  expect(asked.event.data).toMatchObject({ reviewer: "Ada", server: "one-gate", excerpt: { more: 0 } });
  expect((await decideByLink(String(asked.event.data["url"]), "approve")).status).toBe(303);
  expect((await answer).result).toBeDefined();
  const ended = await eventually(() => receiver.taken.find(({ event }) => event.type === "review.ended"));
  expect(ended.event.data).toMatchObject({ reviewer: "Ada", state: { kind: "approved", by: "Ada" } });
  expect(JSON.stringify(ended)).not.toContain("/r/");
});

test("where every channel fails for good, the request ends as undeliverable, at once", async () => {
  mail.script({ status: 403, name: "invalid_api_key" });
  receiver.script({ status: 410 });
  const before = Date.now();
  const answer = await ask("nobody", "one-gate");
  expect(answer.error?.data?.outcome).toBe("undeliverable");
  expect(Date.now() - before).toBeLessThan(300_000);
});
