// The email channel with both senders, inside workerd. What a mail says and looks like is in
// test/rest/pages/mail.test.ts.

import { afterEach, describe, expect, test, vi } from "vitest";
import { doctorText } from "../../../shared/words/doctor.ts";
import type { Channel, Notice, DeliveryResult } from "../../../workers/channels/channel.ts";
import { emailChannel, emailDoctor, emailIssues } from "../../../workers/channels/email/email-channel.ts";
import { decided, editedRequest, openResponse } from "../../outside/pages/examples.ts";
import { apiWords, createMailApi, documentedErrors, type MailApi, type MailStep } from "../../support/mail-api.ts";
import { neverLogged } from "../support/logs.ts";
import { envWith, heard, network, noticeOf, unanswered } from "./notices.ts";

const from = "Countersign <reviews@example.com>";
for (const secret of ["ada@example.org", "reviews@example.com", apiWords, "re_send_0123456789abcdef"]) neverLogged(secret);

afterEach(() => {
  vi.restoreAllMocks();
});

function channelOf(variables: object): Channel {
  const channel = emailChannel(envWith({ EMAIL_FROM: from, ...variables }));
  if (channel === undefined) throw new Error("the channel is configured");
  return channel;
}

function overHttp(...steps: MailStep[]): { api: MailApi; channel: Channel; send: (changes?: Partial<Notice>) => Promise<DeliveryResult> } {
  const api = createMailApi();
  api.script(...steps);
  network(api.answer);
  const channel = channelOf({ RESEND_API_KEY: api.keys.sending });
  return { api, channel, send: (changes) => channel.send(noticeOf(changes)) };
}

type Message = Parameters<SendEmail["send"]>[0] & { readonly headers: Record<string, string>; readonly subject: string };
function overBinding(result: () => unknown = () => ({ messageId: "<m-1@example.com>" })) {
  const messages: Message[] = [];
  const EMAIL = {
    send: async (message: Message) => {
      messages.push(message);
      return result();
    },
  };
  const channel = channelOf({ EMAIL });
  return { messages, channel, send: (changes?: Partial<Notice>) => channel.send(noticeOf(changes)) };
}

describe("over HTTP", () => {
  test("a notice is one mail to the reviewer, with our key, the notice's idempotency key and headers for machines", async () => {
    const { api, send } = overHttp();
    expect(await send()).toEqual({ kind: "sent", receipt: null });
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]).toMatchObject({ method: "POST", path: "/emails" });
    expect(api.requests[0]?.headers.get("Authorization")).toBe(`Bearer ${api.keys.sending}`);
    const [mail] = api.taken;
    expect(mail).toMatchObject({
      from: '"Countersign" <reviews@example.com>',
      to: ["ada@example.org"],
      subject: "notes · summarize_meeting asks claude-sonnet-4-5 · until 14:52 UTC · 3 warnings (run_7Hq2mWcE0x)",
      idempotencyKey: "AAECAwQFBgcICQoL-17",
      headers: { "Auto-Submitted": "auto-generated", References: expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/) },
    });
    expect(mail?.text).toContain(noticeOf().url);
    expect(mail?.html).toContain(`href="${noticeOf().url}"`);
    expect(mail?.headers).not.toHaveProperty("In-Reply-To");
    expect(mail?.headers).not.toHaveProperty("Message-ID");
  });

  test("an idempotency key of more than 256 characters goes as its digest, the same each time", async () => {
    const { api, send } = overHttp();
    await send({ idempotencyKey: "k".repeat(257) });
    await send({ idempotencyKey: "k".repeat(257) });
    expect(api.taken.map(({ idempotencyKey }) => idempotencyKey)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  test("an attempt whose answer never came is made again and sends no second mail, though the time left in it differs", async () => {
    const { api, send } = overHttp("takenAndSilent");
    expect(await unanswered(send)).toEqual({ kind: "again", why: "unavailable" });
    const later = { ...noticeOf().view, now: noticeOf().view.now + 120_000 };
    expect(await send({ view: later })).toEqual({ kind: "sent", receipt: null });
    expect(api.requests).toHaveLength(2);
    expect(api.requests[0]?.body).not.toBe(api.requests[1]?.body);
    expect(api.taken).toHaveLength(1);
  });

  test("a follow-up is in the conversation of the first mail: same subject, same reference", async () => {
    const { api, send } = overHttp();
    await send();
    for (const why of ["reminder", "changed", "newLink"] as const) {
      await send({ why, view: editedRequest, idempotencyKey: why, link: { ...noticeOf().link, id: "another-link" } });
    }
    const [first, ...others] = api.taken;
    expect(others).toHaveLength(3);
    for (const mail of others) {
      expect(mail.subject).toBe(first?.subject);
      expect(mail.headers).toMatchObject({ References: first?.headers["References"], "In-Reply-To": first?.headers["References"] });
    }
  });

  test("the other gate, another reviewer and another run are conversations of their own", async () => {
    const { api, send } = overHttp();
    const { link, view } = noticeOf();
    await send({ idempotencyKey: "1" });
    await send({ idempotencyKey: "2", link: { ...link, gate: "response" }, view: openResponse });
    await send({ idempotencyKey: "3", link: { ...link, reviewer: 4 } });
    await send({ idempotencyKey: "4", view: { ...view, run: "run_another" } });
    expect(new Set(api.taken.map(({ headers }) => headers["References"])).size).toBe(4);
  });

  const again: Record<string, DeliveryResult> = {
    rate_limit_exceeded: { kind: "again", why: "rateLimited" },
    daily_quota_exceeded: { kind: "again", why: "dailyLimit" },
    monthly_quota_exceeded: { kind: "again", why: "dailyLimit" },
    concurrent_idempotent_requests: { kind: "again", why: "unavailable" },
    application_error: { kind: "again", why: "unavailable" },
    internal_server_error: { kind: "again", why: "unavailable" },
    invalid_idempotent_request: { kind: "sent", receipt: null },
    missing_api_key: { kind: "failed", why: "unauthorized" },
    restricted_api_key: { kind: "failed", why: "unauthorized" },
    invalid_api_key: { kind: "failed", why: "unauthorized" },
    invalid_access: { kind: "failed", why: "unauthorized" },
    security_error: { kind: "failed", why: "notAllowed" },
    not_found: { kind: "failed", why: "notFound" },
  };
  const meaning = (status: number, name: string): DeliveryResult =>
    again[name] ?? { kind: "failed", why: name === "validation_error" && status === 403 ? "notVerified" : "invalid" };

  test.each(documentedErrors)("the documented error %i %s", async (status, name) => {
    const { api, send } = overHttp({ status, name });
    expect(await send()).toEqual(meaning(status, name));
    expect(api.taken).toEqual([]);
  });

  test.each<[string, MailStep, DeliveryResult]>([
    ["a success without an id", { status: 200, body: "{}" }, { kind: "sent", receipt: null }],
    ["a success that is no JSON", { status: 200, body: "queued" }, { kind: "sent", receipt: null }],
    ["a success with a body too long to read", { status: 202, body: "x".repeat(1_000_000) }, { kind: "sent", receipt: null }],
    ["their SDK's spelling of a bad key", { status: 403, name: "invalid_api_Key" }, { kind: "failed", why: "unauthorized" }],
    ["a firewall's page", { status: 403, body: "error code: 1010" }, { kind: "failed", why: "notAllowed" }],
    ["a name nobody knows with 400", { status: 400, name: "new_error" }, { kind: "failed", why: "invalid" }],
    ["a name nobody knows with 401", { status: 401, name: "new_error" }, { kind: "failed", why: "unauthorized" }],
    ["a name nobody knows with 429", { status: 429, name: "new_error" }, { kind: "again", why: "rateLimited" }],
    ["a name nobody knows with 503", { status: 503, name: "new_error" }, { kind: "again", why: "unavailable" }],
    ["408 without a body", { status: 408, body: "" }, { kind: "again", why: "unavailable" }],
    ["502 of a proxy", { status: 502, body: "<html>" }, { kind: "again", why: "unavailable" }],
    [
      "a redirect, which is not followed",
      { status: 307, body: "", headers: { Location: "https://elsewhere.example.com/emails" } },
      { kind: "failed", why: "notFound" },
    ],
    ["a broken connection", "disconnected", { kind: "again", why: "unavailable" }],
  ])("%s", async (_name, step, sent) => {
    const { api, send } = overHttp(step);
    expect(await send()).toEqual(sent);
    expect(api.requests).toHaveLength(1);
  });

  test.each([
    ["seconds", "17", 17_000],
    ["more than an hour", "7200", 3_600_000],
    ["zero", "0", 0],
    ["a date", new Date(Date.UTC(2030, 0, 1)).toUTCString(), 3_600_000],
    ["a date that has passed", "Wed, 21 Oct 2015 07:28:00 GMT", 0],
  ])("Retry-After is kept: %s", async (_name, value, afterMs) => {
    for (const [status, name] of [
      [429, "rate_limit_exceeded"],
      [429, "daily_quota_exceeded"],
      [503, "service_unavailable"],
    ] as const) {
      const { send } = overHttp({ status, name, headers: { "Retry-After": value } });
      expect(await send()).toMatchObject({ kind: "again", afterMs });
      vi.restoreAllMocks();
    }
  });

  test("a Retry-After that says nothing is none", async () => {
    const { send } = overHttp({ status: 429, name: "rate_limit_exceeded", headers: { "Retry-After": "soon" } });
    expect(await send()).toEqual({ kind: "again", why: "rateLimited" });
  });

  test("an API that does not answer is given up after 10 seconds, and not before", async () => {
    const { send } = overHttp("silent");
    expect(await unanswered(send)).toEqual({ kind: "again", why: "unavailable" });
  });

  test("it goes to RESEND_BASE_URL where that is set", async () => {
    const urls: string[] = [];
    network(async (request) => {
      urls.push(request.url);
      return Response.json({ id: "1" });
    });
    await channelOf({ RESEND_API_KEY: "re_1", RESEND_BASE_URL: "http://127.0.0.1:4000/prefix/" }).send(noticeOf());
    await channelOf({ RESEND_API_KEY: "re_1", RESEND_BASE_URL: " " }).send(noticeOf());
    expect(urls).toEqual(["http://127.0.0.1:4000/prefix/emails", "https://api.resend.com/emails"]);
  });
});

describe("over the binding", () => {
  test("a notice is one mail in the binding's own shape", async () => {
    const { messages, send } = overBinding();
    expect(await send()).toEqual({ kind: "sent", receipt: '{"messageId":"<m-1@example.com>"}' });
    expect(messages).toEqual([
      {
        from: { email: "reviews@example.com", name: "Countersign" },
        to: ["ada@example.org"],
        subject: expect.stringContaining("notes · summarize_meeting asks claude-sonnet-4-5"),
        text: expect.stringContaining(noticeOf().url),
        html: expect.stringContaining(noticeOf().url),
        headers: {
          "Auto-Submitted": "auto-generated",
          "Content-Language": "en",
          "X-Auto-Response-Suppress": "All",
          References: expect.stringContaining("@example.com>"),
        },
      },
    ]);
  });

  test("a follow-up answers the first mail by the id that it got, and keeps the receipt", async () => {
    const { messages, send } = overBinding();
    const first = await send();
    const receipt = first.kind === "sent" ? first.receipt : null;
    expect(await send({ why: "reminder", receipt })).toEqual({ kind: "sent", receipt: null });
    expect(messages[1]?.headers).toMatchObject({
      "In-Reply-To": "<m-1@example.com>",
      References: `${messages[0]?.headers["References"]} <m-1@example.com>`,
    });
  });

  test.each([
    ["no JSON", "{"],
    ["another shape", "[]"],
    ["an id that no header can hold", JSON.stringify({ messageId: "a@b.example>\r\nBcc: eve@example.net" })],
    ["an id that is no Message-ID", JSON.stringify({ messageId: "b2f1c9" })],
    ["a very long id", JSON.stringify({ messageId: `${"a".repeat(5_000)}@example.com` })],
  ])("a receipt that is %s does no harm", async (_name, receipt) => {
    const { messages, send } = overBinding();
    expect(await send({ why: "reminder", receipt })).toEqual({ kind: "sent", receipt: null });
    expect(messages[0]?.headers["In-Reply-To"]).toBe(messages[0]?.headers["References"]);
  });

  test.each([
    ["nothing", undefined],
    ["no id", {}],
    ["an empty id", { messageId: "" }],
  ])("a success with %s is a success", async (_name, result) => {
    expect(await overBinding(() => result).send()).toEqual({ kind: "sent", receipt: null });
  });

  const error = (code: string, message: string): Error => Object.assign(new Error(message), { code });
  const table: [string, DeliveryResult["kind"], string][] = [
    ["E_VALIDATION_ERROR", "failed", "invalid"],
    ["E_FIELD_MISSING", "failed", "invalid"],
    ["E_TOO_MANY_RECIPIENTS", "failed", "invalid"],
    ["E_SENDER_NOT_VERIFIED", "failed", "notVerified"],
    ["E_RECIPIENT_NOT_ALLOWED", "failed", "notAllowed"],
    ["E_RECIPIENT_SUPPRESSED", "failed", "suppressed"],
    ["E_SENDER_DOMAIN_NOT_AVAILABLE", "failed", "notVerified"],
    ["E_CONTENT_TOO_LARGE", "failed", "invalid"],
    ["E_DELIVERY_FAILED", "again", "unavailable"],
    ["E_RATE_LIMIT_EXCEEDED", "again", "rateLimited"],
    ["E_DAILY_LIMIT_EXCEEDED", "again", "dailyLimit"],
    ["E_INTERNAL_SERVER_ERROR", "again", "unavailable"],
    ["E_HEADER_NOT_ALLOWED", "failed", "invalid"],
    ["E_HEADER_USE_API_FIELD", "failed", "invalid"],
    ["E_HEADER_VALUE_INVALID", "failed", "invalid"],
    ["E_HEADER_VALUE_TOO_LONG", "failed", "invalid"],
    ["E_HEADER_NAME_INVALID", "failed", "invalid"],
    ["E_HEADERS_TOO_LARGE", "failed", "invalid"],
    ["E_HEADERS_TOO_MANY", "failed", "invalid"],
    ["E_OF_LATER_DAYS", "again", "unavailable"],
  ];
  test.each(table)("the documented error %s, as a code or in the message alone", async (code, kind, why) => {
    const failing = (thrown: unknown) =>
      overBinding(() => {
        throw thrown;
      }).send();
    expect(await failing(error(code, apiWords))).toEqual({ kind, why });
    expect(await failing(new Error(`${code}: ${apiWords}`))).toEqual({ kind, why });
  });

  test.each<[unknown, DeliveryResult]>([
    [new Error("destination address is not a verified address"), { kind: "failed", why: "notVerified" }],
    [new Error("email to ada@example.org not allowed"), { kind: "failed", why: "notAllowed" }],
    [new Error("Network connection lost."), { kind: "again", why: "unavailable" }],
    ["a string", { kind: "again", why: "unavailable" }],
    [undefined, { kind: "again", why: "unavailable" }],
  ])("an error without a code: %s", async (thrown, sent) => {
    expect(
      await overBinding(() => {
        throw thrown;
      }).send(),
    ).toEqual(sent);
  });

  test("a binding that does not answer is given up after 10 seconds", async () => {
    const { send } = overBinding(() => new Promise(() => {}));
    expect(await unanswered(send)).toEqual({ kind: "again", why: "unavailable" });
  });
});

describe("no mail is sent", () => {
  test("for somebody else's vote, and for the end", async () => {
    const { api, channel, send } = overHttp();
    expect(await send({ why: "voted" })).toEqual({ kind: "sent", receipt: null });
    expect(await channel.ended(noticeOf({ view: decided.approved }))).toEqual({ kind: "sent", receipt: null });
    expect(api.requests).toEqual([]);
  });

  test.each(["approved", "denied", "expired", "cancelled", "failed"] as const)("after the review is %s", async (state) => {
    const { api, send } = overHttp();
    expect(await send({ why: "reminder", view: decided[state] })).toEqual({ kind: "sent", receipt: null });
    expect(api.requests).toEqual([]);
  });

  test("that breaks a rule of mail: whatever the sender, it is told to nobody", async () => {
    for (const channel of [overHttp(), overBinding()]) {
      for (const email of [undefined, "", "ada", "ada@example.org\r\nBcc: eve@example.net", "a@example.org,b@example.org"]) {
        const reviewer = email === undefined ? { name: "Ada" } : { name: "Ada", email };
        expect(await channel.send({ reviewer })).toEqual({ kind: "failed", why: "invalid" });
      }
      expect("api" in channel ? channel.api.requests : channel.messages).toEqual([]);
    }
  });

  test("names from outside break no rule", async () => {
    const { api, send } = overHttp();
    const { view } = noticeOf();
    const nasty = "a\r\nBcc: eve@example.net\u2028<b>\u202e";
    const requestor = { ...view.requestor, server: nasty, name: nasty.repeat(200), method: nasty, client: nasty };
    expect(await send({ view: { ...view, requestor } })).toEqual({ kind: "sent", receipt: null });
    // oxlint-disable-next-line no-control-regex
    expect(api.taken[0]?.subject).not.toMatch(/[\u0000-\u001f\u2028\u202e]/);
  });
});

describe("configuration", () => {
  const EMAIL = { send: async () => ({ messageId: "1" }) };

  test.each<[string, object, boolean, string[]]>([
    ["nothing", {}, false, []],
    ["blanks", { RESEND_API_KEY: " ", EMAIL_FROM: "" }, false, []],
    ["a key and a sender", { RESEND_API_KEY: "re_1", EMAIL_FROM: from }, true, []],
    ["a binding and a sender", { EMAIL, EMAIL_FROM: "reviews@example.com" }, true, []],
    ["an address of this machine", { RESEND_API_KEY: "re_1", EMAIL_FROM: from, RESEND_BASE_URL: "http://localhost:4000" }, true, []],
    ["a key alone", { RESEND_API_KEY: "re_1" }, false, ["EMAIL_FROM is not set"]],
    ["a binding alone", { EMAIL }, false, ["EMAIL_FROM is not set"]],
    ["a sender alone", { EMAIL_FROM: from }, false, ["no way to send email"]],
    ["a sender that is none", { EMAIL, EMAIL_FROM: "reviews" }, false, ["EMAIL_FROM is neither"]],
    ["a sender with a line break", { EMAIL, EMAIL_FROM: "A\nB <a@example.com>" }, false, ["EMAIL_FROM has a name"]],
    ["a key with a line break in it", { RESEND_API_KEY: "re\n1", EMAIL_FROM: from }, false, ["RESEND_API_KEY has characters"]],
    ...[
      "http://api.example.com",
      "https://u:p@api.example.com",
      "https://api.example.com?a=1",
      "https://api.example.com#a",
      "api.example.com",
      "ftp://a.example",
    ].map((url): [string, object, boolean, string[]] => [
      `the address ${url}`,
      { RESEND_API_KEY: "re_1", EMAIL_FROM: from, RESEND_BASE_URL: url },
      false,
      ["RESEND_BASE_URL is not a plain https address"],
    ]),
  ])("%s", (_name, variables, open, problems) => {
    const env = envWith(variables);
    expect(emailChannel(env) !== undefined).toBe(open);
    expect(emailIssues(env).map(doctorText)).toEqual(problems.map((words) => expect.stringContaining(words)));
    for (const value of Object.values(variables))
      if (typeof value === "string" && value.length > 2) expect(emailIssues(env).map(doctorText).join()).not.toContain(value);
  });

  test("the key wins over the binding", async () => {
    const api = createMailApi();
    network(api.answer);
    await channelOf({ EMAIL, RESEND_API_KEY: api.keys.full }).send(noticeOf());
    expect(api.taken).toHaveLength(1);
  });

  test("reaches whoever has an address", () => {
    const { channel } = overBinding();
    expect([
      channel.name,
      channel.reaches({ name: "Ada", email: "ada@example.org" }),
      channel.reaches({ name: "Ada", slack: "U01" }),
    ]).toEqual(["email", true, false]);
  });
});

describe("the doctor", () => {
  const examine = async (variables: object, ...steps: MailStep[]) => {
    const api = createMailApi();
    api.script(...steps);
    network(api.answer);
    const result = await heard(emailDoctor(envWith(variables)));
    expect(result.text).not.toMatch(/@|re_|https?:/);
    return { ...result, requests: api.requests.map(({ method, path }) => `${method} ${path}`), taken: api.taken };
  };
  const { full, sending } = createMailApi().keys;

  test.each<[string, object, MailStep[], boolean, string]>([
    ["nothing configured", {}, [], true, "not configured"],
    ["a problem", { EMAIL_FROM: from }, [], false, "no way to send email"],
    ["a binding", { EMAIL: {}, EMAIL_FROM: from }, [], true, "cannot be checked without sending"],
    ["a key with full access, and a verified domain", { RESEND_API_KEY: full, EMAIL_FROM: "a@Example.com" }, [], true, "is verified"],
    [
      "a key with full access, and another domain",
      { RESEND_API_KEY: full, EMAIL_FROM: "a@mail.example.com" },
      [],
      false,
      "domain is not verified",
    ],
    ["a key that may only send", { RESEND_API_KEY: sending, EMAIL_FROM: from }, [], true, "for sending"],
    ["a key of nobody", { RESEND_API_KEY: "re_nobody", EMAIL_FROM: from }, [], false, "refused the key"],
    ["an API that is silent", { RESEND_API_KEY: full, EMAIL_FROM: from }, ["disconnected"], false, "did not answer"],
    [
      "an API that is busy",
      { RESEND_API_KEY: full, EMAIL_FROM: from },
      [{ status: 429, name: "rate_limit_exceeded" }],
      false,
      "overloaded",
    ],
    ["something else at that address", { RESEND_API_KEY: full, EMAIL_FROM: from }, [{ status: 200, body: "<html>" }], false, "refused"],
  ])("%s", async (_name, variables, steps, ok, words) => {
    const result = await examine(variables, ...steps);
    expect(result).toMatchObject({ ok, text: expect.stringContaining(words), taken: [] });
    expect(result.requests.every((request) => request === "GET /domains")).toBe(true);
  });
});
