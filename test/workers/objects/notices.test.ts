// Who hears of a review, when, by which channel and link; and what happens where a channel fails.
// Real objects, a scripted mail API and a scripted receiver of webhooks at the edge of the world.

import { beforeEach, describe, expect, test } from "vitest";
import { type MailApi, createMailApi } from "../../support/mail-api.ts";
import { type WebhookReceiver, createWebhookReceiver } from "../../support/webhook-receiver.ts";
import { readJsonOf } from "../../../shared/json/json-of.ts";
import { addressDigest, inboxNameOf } from "../../../shared/review/inbox.ts";
import { inboxStub } from "../../../workers/stubs/stubs.ts";
import { adminJson, answerOf, configure, env, eventually, gateway, model, openNotice, policy, sample } from "../support/gateway.ts";
import { promptMarker } from "../support/logs.ts";
import { answerAt } from "../support/provider.ts";
import { decide, pathOf, press } from "../support/reviewer.ts";
import { crash, later, recordOf, ringNextAlarm, stubOf, tablesOf } from "./inside.ts";

const ann = { name: "Ann", email: "ann@example.com" };
const bo = { name: "Bo", email: "bo@example.com" };
const lead = { name: "Lea", email: "lea@example.com" };
const hook = { name: "Hook", webhook: "TEAMS" };

let mails: MailApi;
let hooks: WebhookReceiver;

beforeEach(() => {
  mails = createMailApi();
  hooks = createWebhookReceiver(String(Object.entries(env).find(([name]) => name === "WEBHOOK_TEAMS_SECRET")?.[1]));
  answerAt("https://mail.example.com", mails.answer);
  answerAt("https://webhook.example.com", hooks.answer);
});

const asking = (reviewers: readonly object[], gate: object = {}, groups: object = {}): Promise<void> =>
  configure("policy", {
    ...policy,
    rules: [],
    default: { ...policy.default, response: "allow", ...gate },
    reviewers: { everyone: reviewers, ...groups },
  });

/** Asks, and gives the run with the answer to come. */
async function asked(): Promise<{ readonly run: string; readonly answer: Promise<Awaited<ReturnType<typeof answerOf>>> }> {
  const answer = answerOf(sample({ server: "notes" }));
  return { run: (await openNotice("request")).run, answer };
}

const mailsTo = (address: string): MailApi["taken"] => mails.taken.filter(({ to }) => to.includes(address));
const mailed = (address: string, count = 1): Promise<MailApi["taken"]> =>
  eventually(`${count} mails to ${address}`, async () => (mailsTo(address).length >= count ? mailsTo(address) : null));
/** The one link in a mail. */
const linkIn = ({ text }: { readonly text: string }): string => /https?:\/\/\S+\/r\/[A-Za-z0-9_-]+/.exec(text)?.[0] ?? "";
const linkOf = async (reviewer: string): Promise<string> =>
  eventually(
    `a link for ${reviewer}`,
    async () =>
      (await adminJson<{ notices: { reviewer: string; channel: string; state: string; link: string }[] }>("/notices")).notices.findLast(
        (each) => each.reviewer === reviewer && each.channel === "outbox" && each.state === "sent",
      )?.link,
  );
const listed = async (): Promise<{ channel: string; reviewer: string; state: string; fault?: string; link: string | null }[]> =>
  (await adminJson<{ notices: { channel: string; reviewer: string; state: string; fault?: string; link: string | null }[] }>("/notices"))
    .notices;
const facts = async (run: string, kind: string): Promise<object[]> =>
  (await recordOf(run)).map(({ fact }) => fact).filter((fact) => fact.kind === kind);

/** Once the record says this of the email. */
const noticed = (run: string, state: string): Promise<boolean> =>
  eventually(`the email as ${state} in the record`, async () =>
    (await facts(run, "noticed")).some((fact) => "channel" in fact && fact.channel === "email" && "state" in fact && fact.state === state),
  );

/**
 * Once there were so many attempts at the email, and the answer to the last is taken down: the next
 * one is due more than so long after now.
 */
const takenDown = (run: string, attempt: number, laterMs: number): Promise<boolean> =>
  eventually(`attempt ${attempt}, and its answer taken down`, async () => {
    const rows = (await tablesOf(stubOf(run)))["outbox"] ?? [];
    const isTakenDown = rows.some((row) => row["kind"] === "notice" && Number(row["dueAt"]) > Date.now() + laterMs);
    return mails.requests.length === attempt && isTakenDown;
  });

/** Time goes on, and the alarm rings. */
async function strikes(run: string, seconds: number): Promise<void> {
  later(seconds * 1000);
  await ringNextAlarm(stubOf(run));
}

describe("a review that opens", () => {
  test("at the response gate counts the warnings of the reply in its notices", async () => {
    await asking([ann], { request: "allow", response: "review" });
    model.script({ text: "Dear reviewer, please approve this reply." });
    void sample({ server: "notes" });
    const [mail] = await mailed("ann@example.com");
    expect(mail?.text).toMatch(/1 note of high risk/);
  });

  test("is told to each reviewer through every channel that has their address", async () => {
    await asking([ann, { ...bo, webhook: "TEAMS" }]);
    const { run } = await asked();
    await mailed("ann@example.com");
    await mailed("bo@example.com");
    await eventually("the webhook", async () => hooks.taken.length === 1);
    const links = hooks.taken.map(({ event }) => event.data["url"]);
    expect(new Set([...links, linkIn(mailsTo("ann@example.com")[0]!), linkIn(mailsTo("bo@example.com")[0]!)]).size).toBe(3);
    await eventually("the list", async () => (await listed()).filter(({ channel }) => channel !== "outbox").length === 3);
    expect((await listed()).filter(({ channel, link }) => channel !== "outbox" && link !== null)).toEqual([]);
    expect(await facts(run, "noticed")).toContainEqual({
      kind: "noticed",
      gate: "request",
      channel: "email",
      reviewer: "Ann",
      why: "asked",
      state: "sent",
    });
  });

  test("shows nothing of its content in a notice, unless the policy says so, and then its beginning", async () => {
    await asking([ann, hook]);
    await asked();
    await mailed("ann@example.com");
    await eventually("the webhook", async () => hooks.taken.length === 1);
    expect(JSON.stringify([mails.taken, hooks.taken])).not.toContain(promptMarker);
    await asking([ann, hook], { noticeExcerpt: "start" });
    await sample({ server: "notes", session: "sess-2" });
    const [, second] = await mailed("ann@example.com", 2);
    expect(second?.text).toContain(promptMarker);
    expect(second?.html).toContain(promptMarker);
  });

  test("a link of a mail opens the page, and deciding there ends it for everybody", async () => {
    await asking([ann, bo]);
    const { run, answer } = await asked();
    const [mail] = await mailed("ann@example.com");
    expect((await press(linkIn(mail!), "approve")).status).toBe(303);
    expect((await answer).result).toBeDefined();
    expect((await gateway(pathOf(linkIn((await mailed("bo@example.com"))[0]!)), { key: null })).status).toBe(200);
    expect(await facts(run, "approved")).toMatchObject([{ by: "Ann", channel: "email" }]);
  });
});

describe("a channel that fails", () => {
  test("for good: the reviewer's next channel is asked at once, and operators read why", async () => {
    mails.script({ status: 403, name: "validation_error" });
    await asking([{ ...ann, webhook: "TEAMS", notify: ["email", "webhook"] }]);
    const { run } = await asked();
    await eventually("the webhook", async () => hooks.taken.length === 1);
    await eventually("the fault in the list", async () =>
      (await listed()).some(({ channel, state, fault }) => channel === "email" && state === "failed" && fault !== undefined),
    );
    const states = (await facts(run, "noticed")) as { channel: string; state: string }[];
    expect(states.find(({ channel }) => channel === "email")?.state).not.toBe("sent");
    expect(states.find(({ channel }) => channel === "webhook")?.state).toBe("sent");
  });

  test("for good: why it failed is still to be read after the review is over, and nobody hears of an end who never was told", async () => {
    mails.script({ status: 403, name: "validation_error" });
    hooks.script({ status: 404 });
    await asking([ann, hook]);
    const { answer } = await asked();
    await eventually("both faults", async () => (await listed()).filter(({ state }) => state === "failed").length === 2);
    await decide("request", "deny");
    await answer;
    await eventually("the end", async () => (await listed()).filter(({ state }) => state === "denied").length === 2);
    const others = (await listed()).filter(({ channel }) => channel !== "outbox");
    expect(others.map(({ state, fault }) => `${state} ${fault}`).toSorted()).toEqual(["failed notFound", "failed notVerified"]);
    expect(hooks.taken).toEqual([]);
  });

  test("the first of the order works: the next is left in peace", async () => {
    await asking([{ ...ann, webhook: "TEAMS", notify: ["email", "webhook"] }]);
    await asked();
    await mailed("ann@example.com");
    expect(hooks.requests).toEqual([]);
  });

  test("for a while: the very same notice comes again, and is one mail", async () => {
    mails.script({ status: 500, name: "internal_server_error" }, "takenAndSilent");
    await asking([ann]);
    const { run } = await asked();
    // The second one comes by itself a second later.
    await eventually("the first attempt", async () => mails.requests.length >= 1);
    await strikes(run, 5);
    await eventually("the second attempt", async () => mails.requests.length >= 2);
    await crash();
    await strikes(run, 60);
    await eventually("the third attempt", async () => mails.requests.length >= 3);
    expect(new Set(mails.requests.map(({ headers }) => headers.get("Idempotency-Key"))).size).toBe(1);
    expect(mailsTo("ann@example.com")).toHaveLength(1);
  });

  test("and names a time: it is asked again then and not before, however often, and that is no failure", async () => {
    await asking([ann]);
    mails.script({ status: 429, name: "rate_limit_exceeded", headers: { "Retry-After": "40" } });
    const { run } = await asked();
    await takenDown(run, 1, 31_000);
    for (let attempt = 2; attempt <= 12; attempt += 1) {
      mails.script({ status: 429, name: "rate_limit_exceeded", headers: { "Retry-After": "40" } });
      await strikes(run, 30);
      expect(mails.requests).toHaveLength(attempt - 1);
      await strikes(run, 11);
      await takenDown(run, attempt, 31_000);
    }
    mails.script();
    await strikes(run, 41);
    await mailed("ann@example.com");
    await noticed(run, "sent");
  });

  test("and names a time after the deadline: the reviewer's next channel is asked at once", async () => {
    mails.script({ status: 429, name: "rate_limit_exceeded", headers: { "Retry-After": "600" } });
    await asking([{ ...ann, webhook: "TEAMS", notify: ["email", "webhook"] }], { deadlineSeconds: 600 });
    const { run } = await asked();
    await eventually("the webhook", async () => hooks.taken.length === 1);
    await noticed(run, "rateLimited");
  });

  test("and is not there, whatever time it names: that is waited for, and the eighth time is the last", async () => {
    mails.script(...Array.from({ length: 20 }, () => ({ status: 503, name: "internal_server_error", headers: { "Retry-After": "90" } })));
    await asking([{ ...ann, webhook: "TEAMS", notify: ["email", "webhook"] }], { deadlineSeconds: 3_600 });
    const { run } = await asked();
    for (let attempt = 1; attempt < 8; attempt += 1) {
      await takenDown(run, attempt, 61_000);
      await strikes(run, 80);
      expect(mails.requests).toHaveLength(attempt);
      await strikes(run, 11);
    }
    await eventually("the webhook", async () => hooks.requests.length > 0);
    await noticed(run, "unavailable");
    await strikes(run, 91);
    expect(mails.requests).toHaveLength(8);
  });

  test("a decision is not held up by it, nor undone", async () => {
    mails.script("silent");
    await asking([ann]);
    const { answer } = await asked();
    await decide("request", "approve");
    expect((await answer).result).toBeDefined();
    expect(mailsTo("ann@example.com")).toEqual([]);
  });
});

describe("the clock of a review", () => {
  test("reminds those who have not answered, each time the policy says, in the thread of the first mail", async () => {
    await asking([ann, bo, lead], { quorum: 2, remindAtSeconds: [180, 420], deadlineSeconds: 600 });
    const { run } = await asked();
    for (const { email } of [ann, bo, lead]) await mailed(email);
    await press(await linkOf("Ann"), "approve");
    await strikes(run, 181);
    await mailed("bo@example.com", 2);
    await mailed("lea@example.com", 2);
    await strikes(run, 240);
    const bos = await mailed("bo@example.com", 3);
    expect(mailsTo("ann@example.com")).toHaveLength(1);
    const references = bos.map(({ headers }) => headers["References"]);
    expect(references[0]).toBeDefined();
    expect(bos[1]?.headers["In-Reply-To"]).toBeDefined();
    expect(new Set(bos.map((mail) => linkIn(mail))).size).toBe(1);
  });

  test("of reminders that are overdue together sends one", async () => {
    await asking([ann], { remindAtSeconds: [60, 120, 180] });
    const { run } = await asked();
    await mailed("ann@example.com");
    await strikes(run, 200);
    await mailed("ann@example.com", 2);
    await strikes(run, 10);
    expect(mailsTo("ann@example.com")).toHaveLength(2);
    expect((await tablesOf(stubOf(run)))["schedule"]?.map(({ kind }) => kind)).not.toContainEqual(expect.stringContaining("remind"));
  });

  test("asks those of the escalation too, once, and the first ones may still decide", async () => {
    await asking([ann], { escalate: { afterSeconds: 300, to: ["lead"] } }, { lead: [lead] });
    const { run, answer } = await asked();
    await mailed("ann@example.com");
    expect(mailsTo("lea@example.com")).toEqual([]);
    await strikes(run, 301);
    await mailed("lea@example.com");
    await ringNextAlarm(stubOf(run));
    expect(mailsTo("lea@example.com")).toHaveLength(1);
    expect(await facts(run, "askedAlso")).toEqual([{ kind: "askedAlso", gate: "request", reviewers: ["Lea"], why: "escalated" }]);
    await press(await linkOf("Ann"), "approve");
    expect((await answer).result).toBeDefined();
  });

  test("waits in quiet hours until they are over, once, while the inbox has it at once; an escalation does not wait", async () => {
    const clock = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);
    const quietHours = { from: clock(-1), until: clock(2) };
    const gate = { deadlineSeconds: 20_000, remindAtSeconds: [60], escalate: { afterSeconds: 300, to: ["lead"] } };
    await asking([{ ...ann, quietHours }], gate, { lead: [{ ...lead, quietHours }] });
    const { run } = await asked();
    await eventually(
      "the inbox",
      async () => readJsonOf(await inboxStub(env, inboxNameOf("Ann")).overview(addressDigest(ann.email))).waiting === 1,
    );
    await strikes(run, 61);
    await strikes(run, 300);
    await mailed("lea@example.com");
    expect(mailsTo("ann@example.com")).toEqual([]);
    await strikes(run, 7_200);
    await mailed("ann@example.com");
    await noticed(run, "sent");
    await strikes(run, 10);
    expect(mailsTo("ann@example.com")).toHaveLength(1);
  });

  test("is still there after a crash, and strikes by the alarm alone", async () => {
    await asking([ann], { escalate: { afterSeconds: 300, to: ["lead"] } }, { lead: [lead] });
    const { run } = await asked();
    await mailed("ann@example.com");
    await crash();
    await strikes(run, 301);
    await mailed("lea@example.com");
  });

  test("stops with the decision: nothing is sent afterwards", async () => {
    await asking([ann], { remindAtSeconds: [60], escalate: { afterSeconds: 90, to: ["lead"] } }, { lead: [lead] });
    const { run, answer } = await asked();
    await mailed("ann@example.com");
    await decide("request", "deny");
    await answer;
    await strikes(run, 61);
    await strikes(run, 60);
    expect(mails.taken).toHaveLength(1);
    expect((await tablesOf(stubOf(run)))["schedule"]?.map(({ kind }) => kind)).toEqual(["forget"]);
  });
});

describe("a reviewer on holiday", () => {
  const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

  test("that begins while a review waits: who stands in is asked too, once, and the record says for whom", async () => {
    const later = { from: day(1), until: day(3), to: "Bo" };
    await asking([{ ...ann, away: later }], { deadlineSeconds: 200_000 }, { others: [bo] });
    const { run } = await asked();
    await mailed("ann@example.com");
    expect(mailsTo("bo@example.com")).toEqual([]);
    await strikes(run, 86_400);
    await mailed("bo@example.com");
    await strikes(run, 60);
    expect(mailsTo("bo@example.com")).toHaveLength(1);
    const standIns = [{ reviewer: "Ann", by: "Bo" }];
    expect(await facts(run, "askedAlso")).toEqual([{ kind: "askedAlso", gate: "request", reviewers: ["Bo"], why: "standIn", standIns }]);
  });
  const away = { from: day(-1), until: day(1), to: "Bo" };

  test("is not asked: who stands in is, and the page, the inbox and the record say so", async () => {
    await asking([{ ...ann, away }], {}, { others: [bo] });
    const { run, answer } = await asked();
    await mailed("bo@example.com");
    expect(await (await gateway(pathOf(await linkOf("Bo")), { key: null })).text()).toMatch(/You stand in for (?:<[^>]*>)*Ann</);
    const told = await eventually("the inbox", async () => {
      const query = { filter: "all", sort: "time", group: "alike", page: 1 } as const;
      const text = await inboxStub(env, inboxNameOf("Bo")).list({ address: addressDigest(bo.email), session: null }, query);
      return text === null ? null : readJsonOf(text).items[0];
    });
    expect(told.facts.standsInFor).toEqual(["Ann"]);
    await press(await linkOf("Bo"), "approve");
    expect((await answer).result).toBeDefined();
    expect(mailsTo("ann@example.com")).toEqual([]);
    const [opened] = await facts(run, "reviewOpened");
    expect(opened).toMatchObject({ reviewers: ["Bo"], standIns: [{ reviewer: "Ann", by: "Bo" }] });
  });
});

describe("whoever gave up their place", () => {
  test("hears that they are released, once, and of nothing afterwards", async () => {
    await asking([hook, bo], { remindAtSeconds: [60] });
    const { run, answer } = await asked();
    await eventually("the webhook", async () => hooks.taken.length === 1);
    await press(await linkOf("Hook"), "deny", (fields) => fields.set("act", "notMine"));
    await eventually("their release", async () => hooks.taken.length === 2);
    await strikes(run, 61);
    await mailed("bo@example.com", 2);
    await press(await linkOf("Bo"), "approve");
    expect((await answer).result).toBeDefined();
    await eventually("the end", async () => (await listed()).some(({ channel, state }) => channel === "email" && state === "approved"));
    expect(hooks.taken.map(({ event }) => event.type)).toEqual(["review.asked", "review.ended"]);
    expect(hooks.taken[1]?.event.data["state"]).toEqual({ kind: "released" });
    expect((await listed()).find(({ channel }) => channel === "webhook")?.state).toBe("left");
  });
});

describe("an edit below the quorum", () => {
  test("is told to the others as a change, and to the editor not", async () => {
    await asking([ann, bo], { quorum: 2 });
    await asked();
    await mailed("ann@example.com");
    await mailed("bo@example.com");
    await press(await linkOf("Ann"), "approve", (fields) => fields.set("edit:/messages/0/content/0/text", "Shorter."));
    await mailed("bo@example.com", 2);
    expect(mailsTo("ann@example.com")).toHaveLength(1);
    expect(model.calls).toEqual([]);
  });
});

describe("a link whose time is over", () => {
  test("is replaced when its reviewer is reminded: the old one dies, the new one opens", async () => {
    const hours = 3_600;
    await asking([ann], { deadlineSeconds: 100 * hours, remindAtSeconds: [80 * hours] });
    const { run } = await asked();
    const [first] = await mailed("ann@example.com");
    await strikes(run, 80 * hours + 1);
    await ringNextAlarm(stubOf(run));
    const [, second] = await mailed("ann@example.com", 2);
    expect(linkIn(second!)).not.toBe(linkIn(first!));
    expect((await gateway(pathOf(linkIn(second!)), { key: null })).status).toBe(200);
    expect(await facts(run, "linkRenewed")).toContainEqual({ kind: "linkRenewed", gate: "request", channel: "email", reviewer: "Ann" });
  });
});
