// What a press in Slack does, from the message to the model: the real gateway and its objects, a
// scripted Slack.

import { beforeEach, describe, expect, test } from "vitest";
import type { RecordFact } from "../../../shared/record/record.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import { tellWords as tellIn } from "../../../shared/channels/slack/slack-tell.ts";
import { ScriptedSlack, type SlackMessageSeen, type SlackView, buttonsIn, signatureOf } from "../../support/slack/scripted-slack.ts";
import { crash, later, recordOf, ringAlarm, ringNextAlarm, stubOf, tablesOf } from "../objects/inside.ts";
import type { ApprovalAnswer } from "../../../shared/wire/approvals/approval-answer.ts";
import { approvalIn, askAbout, askApproval, deletion } from "../support/approvals.ts";
import {
  type RpcAnswer,
  adminJson,
  answerOf,
  configure,
  createKey,
  env,
  eventually,
  gateway,
  gatewayWith,
  noSuchService,
  model,
  openNotice,
  policy,
  runOf,
  sample,
} from "../support/gateway.ts";
import { neverLogged, promptMarker, reasonMarker, replyMarker } from "../support/logs.ts";
import { answerAt } from "../support/provider.ts";
import { pathOf, press as pressOnPage } from "../support/reviewer.ts";

const ada = "U0ADA";
const bob = "U0BOB";
const eve = "U0EVE";
const room = "C0ROOM";
const token = env.SLACK_BOT_TOKEN ?? "";
const tellWords = tellIn(catalogues.en);
const secret = env.SLACK_SIGNING_SECRET ?? "";
for (const each of [token, secret]) neverLogged(each);

let slack: ScriptedSlack;
/** How far Slack's clock is ahead of ours, in milliseconds. */
let ahead = 0;
beforeEach(() => {
  ahead = 0;
  slack = new ScriptedSlack({ token, secret, members: [ada, bob, eve], channels: [room], now: () => Date.now() + ahead });
  answerAt("https://slack.example.com", (request) => slack.handle(request));
});

const adaReviews = { name: "Ada", slack: ada };
const bobReviews = { name: "Bob", slack: bob };
const roomReviews = { name: "someone in #room", slack: room };

const asking = (reviewers: readonly object[], gate: object = {}, groups: object = {}): Promise<void> =>
  configure("policy", {
    ...policy,
    rules: [],
    default: { ...policy.default, response: "allow", noticeExcerpt: "start", ...gate },
    reviewers: { everyone: reviewers, ...groups },
  });

type Asked = { readonly run: string; readonly answer: Promise<RpcAnswer>; readonly message: SlackMessageSeen };

/** The newest message of a reviewer, once the gateway knows where all of this run's are. */
async function messageTo(channel: string, run?: string, gate: "request" | "response" = "request"): Promise<SlackMessageSeen> {
  type Listed = { readonly run: string; readonly channel: string; readonly state: string; readonly gate: string };
  await eventually(`the notices in Slack for the ${gate} gate`, async () => {
    const { notices } = await adminJson<{ notices: Listed[] }>("/notices");
    const listed = notices.filter((each) => each.channel === "slack" && each.gate === gate && (run === undefined || each.run === run));
    return listed.length > 0 && listed.every(({ state }) => state === "sent");
  });
  const message = slack.messages.findLast((each) => each.channel === channel && each.threadTs === null);
  if (message === undefined) throw new Error(`no message in ${channel}`);
  return message;
}

const askedBefore = new Set<string>();

async function ask(reviewers: readonly object[] = [adaReviews], gate: object = {}, params: object = {}, channel = "D0ADA"): Promise<Asked> {
  await asking(reviewers, gate);
  const answer = answerOf(sample({ server: "notes", params }));
  const { run } = await eventually("another review", async () => {
    const notice = await openNotice("request");
    return askedBefore.has(notice.run) ? null : notice;
  });
  askedBefore.add(run);
  return { run, answer, message: await messageTo(channel, run) };
}

async function deliver(payload: unknown, headers: Record<string, string | null> = {}): Promise<Response> {
  const signed = await slack.sign(payload, headers);
  return gateway("/slack/interactions", { method: "POST", key: null, ...signed });
}

/** Presses a button, and gives what Slack gets back. */
const press = (message: SlackMessageSeen, action: string, user = ada, change: Record<string, unknown> = {}): Promise<Response> =>
  deliver(slack.press(message, action, user, change));

const calm = async (response: Response | Promise<Response>): Promise<void> => {
  const answer = await response;
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
};

const factsOf = async (run: string, kind: RecordFact["kind"]): Promise<object[]> =>
  (await recordOf(run)).map(({ fact }) => fact).filter((fact) => fact.kind === kind);
const isUndecided = async (run: string): Promise<void> => {
  const kinds = (await recordOf(run)).map(({ fact }) => fact.kind);
  for (const kind of ["approved", "denied", "voted", "edited"] as const) expect(kinds).not.toContain(kind);
  expect(await runOf(run)).not.toHaveProperty("error");
  expect(model.calls).toEqual([]);
};
const buttonsOf = ({ blocks }: SlackMessageSeen): string[] => buttonsIn(blocks).map(({ action_id: id }) => id);
const changed = (message: SlackMessageSeen): Promise<true> => eventually("a change of the message", async () => message.edits > 0 && true);
const told = (user: string, words: keyof typeof tellWords): Promise<{ readonly text: string; readonly urls: (string | undefined)[] }> =>
  eventually(`${user} being told ${words}`, async () => {
    const found = slack.ephemerals.find((each) => each.user === user && each.text === tellWords[words]);
    return found === undefined ? null : { text: found.text, urls: buttonsIn(found.blocks).map(({ url }) => url) };
  });
const opened = (count = 1): Promise<SlackView> => eventually("a dialog", async () => slack.views[count - 1]?.view);
const neverEnding = (): { readonly kept: Promise<void>; readonly release: () => void } => {
  let release = (): void => {};
  const kept = new Promise<void>((resolve) => (release = resolve));
  return { kept, release };
};

/** The id of a reviewer's link in Slack. */
async function linkOf(run: string, reviewer: string): Promise<string> {
  const { links } = await tablesOf(stubOf(run));
  const names = ["Ada", "Bob"];
  return String(links?.find((row) => row["channel"] === "slack" && row["reviewer"] === names.indexOf(reviewer))?.["id"]);
}

describe("Approve", () => {
  test("decides at once: the model gets what was asked, and the message says who approved and when", async () => {
    const { run, answer, message } = await ask();
    expect(JSON.stringify(message.blocks)).toContain(promptMarker);
    expect(buttonsOf(message)).toEqual(["approve", "edit", "deny", "open"]);
    await calm(press(message, "approve"));
    expect((await answer).result).toMatchObject({ role: "assistant" });
    expect(model.calls).toHaveLength(1);
    await changed(message);
    expect(buttonsOf(message)).toEqual([]);
    expect(message.text).toBe("Approved");
    expect(JSON.stringify(message.blocks)).toContain("Ada");
    expect(JSON.stringify(message.blocks)).not.toContain(promptMarker);
    expect(await factsOf(run, "approved")).toMatchObject([{ by: "Ada", channel: "slack" }]);
    expect(slack.ephemerals).toEqual([]);
  });

  test("delivers a reply at the response gate", async () => {
    await asking([adaReviews], { request: "allow", response: "review" });
    const answer = answerOf(sample({ server: "notes" }));
    await openNotice("response");
    const message = await messageTo("D0ADA", undefined, "response");
    expect(JSON.stringify(message.blocks)).toContain(replyMarker);
    await calm(press(message, "approve"));
    expect(JSON.stringify((await answer).result)).toContain(replyMarker);
    await changed(message);
    expect(JSON.stringify(message.blocks)).not.toContain(replyMarker);
  });

  test("is answered and carried out although Slack never answers anything", async () => {
    const { answer, message } = await ask();
    const { kept, release } = neverEnding();
    slack.script("chat.update", { until: kept });
    await calm(press(message, "approve"));
    expect((await answer).result).toMatchObject({ role: "assistant" });
    expect(message.edits).toBe(0);
    release();
    await changed(message);
    expect(message.text).toBe("Approved");
  });

  test("counts although Slack then says 429: the message changes after the time that Slack named, and not before", async () => {
    const { run, answer, message } = await ask();
    slack.script("chat.update", { status: 429, retryAfter: "30" });
    await calm(press(message, "approve"));
    expect((await answer).result).toMatchObject({ role: "assistant" });
    await eventually("the refused change, and its answer taken down", async () => {
      const isTakenDown = (await tablesOf(stubOf(run)))["outbox"]?.some((row) => Number(row["dueAt"]) > Date.now() + 21_000);
      return slack.callsOf("chat.update").length === 1 && isTakenDown;
    });
    later(20_000);
    await ringAlarm(stubOf(run));
    expect(slack.callsOf("chat.update")).toHaveLength(1);
    later(11_000);
    await eventually("the change", async () => {
      await ringAlarm(stubOf(run));
      return message.edits > 0;
    });
  });

  test("counts although the message was deleted meanwhile", async () => {
    const { answer, message } = await ask();
    const payload = slack.press(message, "approve", ada);
    message.deleted = true;
    await calm(deliver(payload));
    expect((await answer).result).toMatchObject({ role: "assistant" });
    await eventually("the change that finds nothing", async () => slack.callsOf("chat.update").length === 1);
    expect(slack.messages).toHaveLength(1);
  });

  test("works after every object was reset", async () => {
    const { answer, message } = await ask();
    await crash();
    await calm(press(message, "approve"));
    expect((await answer).result).toMatchObject({ role: "assistant" });
  });

  test("twice, as two presses, is one decision", async () => {
    const { run, answer, message } = await ask();
    await Promise.all([calm(press(message, "approve")), calm(press(message, "approve"))]);
    await answer;
    expect(await factsOf(run, "approved")).toHaveLength(1);
    expect(slack.ephemerals).toEqual([]);
  });
});

describe("a signature", () => {
  const now = (): number => Math.floor(Date.now() / 1_000);
  test.each([
    ["missing", async () => ({ "X-Slack-Signature": null })],
    ["without a timestamp", async () => ({ "X-Slack-Request-Timestamp": null })],
    ["of zeros", async () => ({ "X-Slack-Signature": `v0=${"0".repeat(64)}` })],
    [
      "of another secret",
      async (body: string) => ({ "X-Slack-Signature": await signatureOf("another-secret-0123456789", String(now()), body) }),
    ],
    ["of another body", async (body: string) => ({ "X-Slack-Signature": await signatureOf(secret, String(now()), `${body} `) })],
    ["301 seconds old", async () => ({ "X-Slack-Request-Timestamp": String(now() - 302) })],
    ["301 seconds ahead", async () => ({ "X-Slack-Request-Timestamp": String(now() + 303) })],
    ["of a timestamp that is no number", async () => ({ "X-Slack-Request-Timestamp": "now" })],
  ] as const)("%s: 401, and nothing is decided", async (_, change) => {
    const { run, message } = await ask();
    const payload = slack.press(message, "approve", ada);
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    expect((await deliver(body, await change(body))).status).toBe(401);
    await isUndecided(run);
  });

  test("is good once: the same request again decides nothing more, opens no second dialog, and gets the same calm answer", async () => {
    const { run, answer, message } = await ask([adaReviews, bobReviews], { quorum: 2 });
    const toBob = await messageTo("D0BOB");
    const replay = await slack.sign(slack.press(message, "deny", ada));
    const send = (signed: typeof replay): Promise<Response> => gateway("/slack/interactions", { method: "POST", key: null, ...signed });
    await calm(send(replay));
    await opened();
    await calm(send(replay));
    const approval = await slack.sign(slack.press(message, "approve", ada));
    await calm(send(approval));
    await calm(send(approval));
    // Bob changes it, which voids Ada's approval; her old request does not bring it back.
    await calm(press(toBob, "edit", bob));
    await calm(deliver(slack.submit(await opened(2), bob, { "/maxTokens": "40" })));
    await calm(send(approval));
    expect(await factsOf(run, "voted")).toMatchObject([{ by: "Ada" }, { by: "Bob" }]);
    expect(model.calls).toEqual([]);
    expect([slack.views.length, slack.ephemerals.length]).toEqual([2, 0]);
    await eventually("the new version for Ada", async () => JSON.stringify(message.blocks).includes("changed by"));
    await calm(press(message, "approve", ada));
    expect((await answer).result).toMatchObject({ role: "assistant" });
    expect(model.calls[0]?.body["max_tokens"] ?? model.calls[0]?.body["max_completion_tokens"]).toBe(40);
  });

  test("is good once for a dialog too: what counted is answered alike, also after somebody else has ended it", async () => {
    const { run, answer, message } = await ask([adaReviews, bobReviews], { quorum: 2 });
    const toBob = await messageTo("D0BOB", run);
    await calm(press(message, "edit"));
    const approval = await slack.sign(slack.submit(await opened(), ada));
    const send = (): Promise<Response> => gateway("/slack/interactions", { method: "POST", key: null, ...approval });
    await calm(send());
    await calm(send());
    await calm(press(toBob, "deny", bob));
    await calm(deliver(slack.submit(await opened(2), bob)));
    expect((await answer).error).toBeDefined();
    await calm(send());
    expect(await factsOf(run, "voted")).toMatchObject([{ by: "Ada" }]);
    expect(await factsOf(run, "denied")).toMatchObject([{ by: "Bob" }]);
  });

  test("is asked for before anything else: an ssl_check is answered where it has one", async () => {
    await calm(deliver("ssl_check=1&token=x"));
    expect((await deliver("ssl_check=1&token=x", { "X-Slack-Signature": null })).status).toBe(401);
    expect((await deliver("payload=not+json")).status).toBe(400);
    expect((await deliver("x".repeat(1_000_001))).status).toBe(413);
    expect((await gateway("/slack/interactions", { key: null })).status).toBe(405);
  });
});

describe("a press", () => {
  test.each([
    ["another workspace", { team: { id: "T0OTHER" }, user: { id: ada, team_id: "T0OTHER" } }, null],
    ["another app", { api_app_id: "A0OTHER" }, null],
    ["a member of another workspace in a shared channel", { user: { id: ada, team_id: "T0OTHER" } }, "notYours"],
    ["nobody's workspace", { user: { id: ada } }, "notYours"],
    ["another member", { user: { id: eve, team_id: "T0TEAM" } }, "notYours"],
    ["another message", { container: { message_ts: "1700000000.000001", channel_id: "D0ADA" } }, "oldMessage"],
    ["another channel", { container: { message_ts: "1800000000.000001", channel_id: "D0BOB" } }, "oldMessage"],
    ["no message", { container: {} }, "oldMessage"],
  ] as const)("from %s decides nothing", async (_, change, words) => {
    const { run, message } = await ask();
    for (const action of ["approve", "deny", "edit"]) await calm(press(message, action, ada, change));
    await isUndecided(run);
    expect(slack.views).toEqual([]);
    if (words !== null) {
      const { urls } = await told("user" in change ? change.user.id : ada, words);
      expect(urls).toEqual([]);
    }
  });

  test("counts from the app and workspace that the operator named, and from no other; without a set-up there is no endpoint", async () => {
    const { run, answer, message } = await ask();
    const from = async (variables: Partial<typeof env>): Promise<Response> => {
      const signed = await slack.sign(slack.press(message, "approve", ada));
      return gatewayWith(variables, "/slack/interactions", { method: "POST", key: null, ...signed });
    };
    for (const variables of [{ SLACK_APP_ID: "A0OTHER" }, { SLACK_TEAM_ID: "T0OTHER" }]) await calm(from(variables));
    expect((await from({ SLACK_BOT_TOKEN: "", SLACK_SIGNING_SECRET: "", SLACK_WEBHOOK_URL: "https://hooks.example.com/x" })).status).toBe(
      404,
    );
    expect((await from({ SLACK_SIGNING_SECRET: "another-secret-0123456789" })).status).toBe(401);
    await isUndecided(run);
    await calm(from({ SLACK_APP_ID: "A0APP", SLACK_TEAM_ID: "T0TEAM" }));
    expect((await answer).result).toMatchObject({ role: "assistant" });
  });

  test("with a value that is not ours, or of a button that only opens a link, does nothing", async () => {
    const { run, message } = await ask();
    const [{ value } = { value: "" }] = buttonsIn(message.blocks);
    for (const changedValue of ["", "x", `${value}A`, value?.replace(/.$/, (last) => (last === "A" ? "B" : "A")), undefined])
      await calm(press(message, "approve", ada, { actions: [{ action_id: "approve", type: "button", value: changedValue }] }));
    await calm(press(message, "open"));
    await isUndecided(run);
    expect(slack.ephemerals).toEqual([]);
  });

  test("on a copy that was replaced is told so, and the new one works", async () => {
    const { run, answer, message } = await ask([adaReviews, bobReviews], { quorum: 2 });
    const toBob = await messageTo("D0BOB");
    message.deleted = true;
    await calm(press(toBob, "edit", bob));
    await calm(deliver(slack.submit(await opened(), bob, { "/maxTokens": "40" })));
    const anew = await eventually("another message", async () =>
      slack.messages.find(({ channel, ts }) => channel === "D0ADA" && ts !== message.ts),
    );
    await eventually("its receipt", async () =>
      (await stubOf(run).pressTarget("slack", "request", await linkOf(run, "Ada")))?.includes(anew.ts),
    );
    await calm(press(message, "approve"));
    await told(ada, "oldMessage");
    expect(model.calls).toEqual([]);
    await calm(press(anew, "approve"));
    expect((await answer).result).toMatchObject({ role: "assistant" });
  });

  test("after somebody else decided on the web: told so, and every copy has changed by then", async () => {
    const { run, answer, message } = await ask([adaReviews, bobReviews, { name: "Cleo" }]);
    const toBob = await messageTo("D0BOB");
    const before = slack.press(message, "approve", ada);
    const denial = slack.press(toBob, "deny", bob);
    type Listed = { readonly reviewer: string; readonly channel: string; readonly link: string };
    const { link } = (await adminJson<{ notices: Listed[] }>("/notices")).notices.find(
      (each) => each.reviewer === "Cleo" && each.channel === "outbox",
    ) ?? { link: "" };
    expect((await pressOnPage(link, "deny")).status).toBe(303);
    expect((await answer).error).toBeDefined();
    for (const copy of [message, toBob]) {
      await changed(copy);
      expect([copy.text, buttonsOf(copy)]).toEqual(["Denied", []]);
      expect(JSON.stringify(copy.blocks)).toContain("Cleo");
    }
    await calm(deliver(before));
    await told(ada, "alreadyDecided");
    await calm(deliver(denial));
    await told(bob, "alreadyDecided");
    expect(await factsOf(run, "approved")).toEqual([]);
  });

  test("after the deadline is late, and after the content changed stale", async () => {
    const { run, message } = await ask([adaReviews, bobReviews], { quorum: 2 });
    const toBob = await messageTo("D0BOB");
    const early = [slack.press(message, "approve", ada), slack.press(message, "deny", ada)];
    await calm(press(toBob, "edit", bob));
    await calm(deliver(slack.submit(await opened(), bob, { "/maxTokens": "40" })));
    for (const payload of early) await calm(deliver(payload));
    await told(ada, "stale");
    expect(slack.views).toHaveLength(1);
    await eventually("the new version", async () => JSON.stringify(message.blocks).includes("changed by"));
    later(601_000);
    await calm(press(message, "approve"));
    await told(ada, "late");
    expect(await factsOf(run, "voted")).toMatchObject([{ by: "Bob" }]);
  });
});

describe("a link that has expired", () => {
  test("takes its buttons with it: nothing is decided, and whoever pressed gets the page that sends a new one", async () => {
    const { run, message } = await ask([adaReviews], { deadlineSeconds: 100 * 3_600 });
    later(73 * 3_600_000);
    for (const action of ["approve", "deny", "edit"]) await calm(press(message, action));
    await told(ada, "oldMessage");
    await isUndecided(run);
    expect(slack.views).toEqual([]);
  });

  test("takes its dialog with it: what was typed there decides nothing", async () => {
    const { run, message } = await ask([adaReviews], { deadlineSeconds: 100 * 3_600 });
    await calm(press(message, "deny"));
    const view = await opened();
    later(73 * 3_600_000);
    const body = await (await deliver(slack.submit(view, ada))).json<{ view: { blocks: { text: { text: string } }[] } }>();
    expect(body.view.blocks[0]?.text.text).toBe(tellWords.oldMessage);
    await isUndecided(run);
  });

  test("is renewed by a reminder in the message too: its buttons and its link work again", async () => {
    const hours = 3_600;
    const { run, answer, message } = await ask([adaReviews], { deadlineSeconds: 100 * hours, remindAtSeconds: [80 * hours] });
    const old = slack.press(message, "approve", ada);
    later((80 * hours + 1) * 1_000);
    await ringNextAlarm(stubOf(run));
    await eventually("the reminder below it", async () => slack.messages.some(({ threadTs }) => threadTs === message.ts));
    await calm(deliver(old));
    await isUndecided(run);
    const { url = "" } = buttonsIn(message.blocks).find(({ action_id: id }) => id === "open") ?? {};
    expect((await gateway(pathOf(url), { key: null })).status).toBe(200);
    await calm(press(message, "approve"));
    expect((await answer).result).toMatchObject({ role: "assistant" });
  });
});

describe("a place that was given up", () => {
  test("decides nothing any more; the message says to whom it went, who gets their own and decides", async () => {
    await asking([adaReviews], {}, { others: [bobReviews] });
    const answer = answerOf(sample({ server: "notes" }));
    const { run } = await openNotice("request");
    const message = await messageTo("D0ADA", run);
    const { url = "" } = buttonsIn(message.blocks).find(({ action_id: id }) => id === "open") ?? {};
    const early = slack.press(message, "approve", ada);
    const handOver = (fields: URLSearchParams): void => {
      fields.set("act", "handOver");
      fields.set("to", "Bob");
    };
    expect((await pressOnPage(url, "preview", handOver)).status).toBe(303);
    await changed(message);
    expect([message.text, buttonsOf(message)]).toEqual(["Handed over", []]);
    await calm(deliver(early));
    await told(ada, "left");
    await isUndecided(run);
    const toBob = await eventually("a message to Bob", async () => slack.messages.find(({ channel }) => channel === "D0BOB"));
    expect(JSON.stringify(toBob.blocks)).toContain("This was handed to you.");
    await eventually("its receipt", async () =>
      (await stubOf(run).pressTarget("slack", "request", await linkOf(run, "Bob")))?.includes(toBob.ts),
    );
    await calm(press(toBob, "approve", bob));
    expect((await answer).result).toMatchObject({ role: "assistant" });
  });
});

describe("Deny", () => {
  test("asks for a reason in a dialog, and the submission decides", async () => {
    const { run, answer, message } = await ask([adaReviews], { tellReason: true });
    await calm(press(message, "deny"));
    const view = await opened();
    await isUndecided(run);
    await calm(deliver(slack.submit(view, ada, { reason: `  ${reasonMarker}\r\nreally ` })));
    expect(JSON.stringify((await answer).error)).toContain(`${reasonMarker}\\nreally`);
    expect(await factsOf(run, "denied")).toMatchObject([{ by: "Ada", channel: "slack", reasonGiven: true }]);
    await changed(message);
    expect(message.text).toBe("Denied");
    expect(JSON.stringify(message)).not.toContain(reasonMarker);
  });

  test("needs no reason, takes one of 1,000 characters and refuses one of 1,001 beside its field", async () => {
    const { run, answer, message } = await ask();
    await calm(press(message, "deny"));
    const view = await opened();
    const refused = await deliver(slack.submit(view, ada, { reason: "r".repeat(1_001) }));
    expect(await refused.json()).toEqual({ response_action: "errors", errors: { reason: "At most 1,000 characters." } });
    await isUndecided(run);
    await calm(deliver(slack.submit(view, ada, { reason: "r".repeat(1_000) })));
    expect((await answer).error).toBeDefined();
    const second = await ask();
    await calm(press(second.message, "deny"));
    await calm(deliver(slack.submit(await opened(2), ada)));
    expect((await second.answer).error).toBeDefined();
  });

  test("is answered although Slack does not open the dialog, which is opened when it does", async () => {
    const { run, message } = await ask();
    const { kept, release } = neverEnding();
    slack.script("views.open", { until: kept });
    await calm(press(message, "deny"));
    expect(slack.views).toEqual([]);
    release();
    await opened();
    await isUndecided(run);
  });

  test.each([
    ["its trigger has expired", () => (ahead += 3_001)],
    ["Slack refuses it", () => slack.script("views.open", { error: "internal_error" })],
    ["Slack asks to wait", () => slack.script("views.open", { status: 429, retryAfter: "30" })],
  ])("whose dialog does not open because %s: they are told, with their own link", async (_, happens) => {
    const { run, message } = await ask();
    const payload = slack.press(message, "deny", ada);
    const signed = await slack.sign(payload);
    happens();
    await calm(gateway("/slack/interactions", { method: "POST", key: null, ...signed }));
    const { urls } = await told(ada, "dialogFailed");
    expect(urls).toEqual([buttonsIn(message.blocks).find(({ action_id: id }) => id === "open")?.url]);
    await isUndecided(run);
  });

  test("fails where the pages Worker does not answer: Slack says so, nothing is decided, and the next press opens the dialog", async () => {
    const { run, answer, message } = await ask();
    const without = async (payload: unknown): Promise<number> => {
      const signed = await slack.sign(payload);
      return (await gatewayWith({ PAGES: noSuchService }, "/slack/interactions", { method: "POST", key: null, ...signed })).status;
    };
    expect(await without(slack.press(message, "deny", ada))).toBe(500);
    expect(slack.views).toEqual([]);
    await calm(press(message, "deny"));
    const view = await opened();
    expect(await without(slack.submit(view, ada, { reason: "r".repeat(1_001) }))).toBe(500);
    expect(await without(slack.submit(view, eve))).toBe(500);
    await isUndecided(run);
    // A submission that counts needs no words.
    expect(await without(slack.submit(view, ada))).toBe(200);
    expect((await answer).error).toBeDefined();
  });

  test("that is closed again does nothing", async () => {
    const { run, message } = await ask();
    await calm(press(message, "deny"));
    const view = await opened();
    await calm(deliver({ ...slack.submit(view, ada), type: "view_closed", is_cleared: true }));
    await isUndecided(run);
  });

  test("whose dialog is submitted by somebody else, for another app or after a decision says so in its place", async () => {
    const { run, answer, message } = await ask();
    await calm(press(message, "deny"));
    const view = await opened();
    const instead = async (payload: unknown): Promise<unknown> => {
      const body = await (await deliver(payload)).json<{ response_action: string; view: { blocks: { text: { text: string } }[] } }>();
      return [body.response_action, body.view.blocks[0]?.text.text];
    };
    const said = (words: keyof typeof tellWords): unknown => ["update", tellWords[words]];
    expect(await instead(slack.submit(view, eve))).toEqual(said("notYours"));
    expect(await instead(slack.submit(view, ada, {}, { api_app_id: "A0OTHER" }))).toEqual(said("notYours"));
    expect(await instead(slack.submit(view, ada, {}, { team: { id: "T0OTHER" } }))).toEqual(said("notYours"));
    expect(await instead(slack.submit({ ...view, private_metadata: "x" }, ada))).toEqual(said("oldMessage"));
    const [approve] = buttonsIn(message.blocks);
    expect(await instead(slack.submit({ ...view, private_metadata: approve?.value ?? "" }, ada))).toEqual(said("oldMessage"));
    await isUndecided(run);
    await calm(press(message, "approve"));
    await answer;
    expect(await instead(slack.submit(view, ada))).toEqual(said("alreadyDecided"));
    expect(await factsOf(run, "denied")).toEqual([]);
  });
});

describe("Edit", () => {
  const text = "/messages/0/content/0/text";

  test("opens the fields, and the model gets what came back, other fields as they were", async () => {
    const prompt = `${promptMarker} <b>&\n`;
    const { run, answer, message } = await ask(
      [adaReviews],
      {},
      { systemPrompt: `${promptMarker} system `, messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 50 },
    );
    await calm(press(message, "edit"));
    const view = await opened();
    await calm(deliver(slack.submit(view, ada, { [text]: `${promptMarker} changed`, "/systemPrompt": `${promptMarker} system` })));
    expect((await answer).result).toMatchObject({ role: "assistant" });
    expect(model.calls[0]?.body["messages"]).toEqual([
      { role: "system", content: `${promptMarker} system ` },
      { role: "user", content: `${promptMarker} changed` },
    ]);
    expect(await factsOf(run, "edited")).toMatchObject([{ by: "Ada" }]);
    await changed(message);
    expect(message.text).toBe("Approved with changes");
  });

  test("submitted untouched approves what was asked, to the byte", async () => {
    const prompt = `${promptMarker} a & b < c > d "quoted" \\ 😀  `;
    const { run, answer, message } = await ask([adaReviews], {}, { messages: [{ role: "user", content: { type: "text", text: prompt } }] });
    await calm(press(message, "edit"));
    await calm(deliver(slack.submit(await opened(), ada)));
    await answer;
    expect(model.calls[0]?.body["messages"]).toEqual([{ role: "user", content: prompt }]);
    expect(await factsOf(run, "edited")).toEqual([]);
  });

  test("with something that cannot be used says so beside its field, and decides nothing", async () => {
    const { run, message } = await ask();
    await calm(press(message, "edit"));
    const refused = await deliver(slack.submit(await opened(), ada, { "/maxTokens": "51", [text]: "" }));
    const { response_action: action, errors } = await refused.json<{ response_action: string; errors: Record<string, string> }>();
    expect([action, Object.keys(errors).toSorted()]).toEqual(["errors", ["/maxTokens", text]]);
    await isUndecided(run);
  });

  test("of a version that somebody changed meanwhile is stale", async () => {
    const { run, message } = await ask([adaReviews, bobReviews], { quorum: 2 });
    const toBob = await messageTo("D0BOB");
    await calm(press(message, "edit", ada));
    await calm(press(toBob, "edit", bob));
    await eventually("both dialogs", async () => slack.views.length === 2);
    const viewOf = (user: string): SlackView => slack.views.find((each) => each.user === user)?.view ?? { blocks: [] };
    await calm(deliver(slack.submit(viewOf(bob), bob, { "/maxTokens": "40" })));
    for (const fields of [{}, { "/maxTokens": "45" }, { [text]: "other" }]) {
      const body = await (await deliver(slack.submit(viewOf(ada), ada, fields))).json();
      expect(body).toMatchObject({ response_action: "update", view: { blocks: [{ text: { text: tellWords.stale } }] } });
    }
    expect(await factsOf(run, "voted")).toMatchObject([{ by: "Bob" }]);
  });

  test("of a text that Slack would not give back as it was leads to the page, by their own link", async () => {
    const { run, message } = await ask(
      [adaReviews],
      {},
      { messages: [{ role: "user", content: { type: "text", text: `${promptMarker} a\u200bb` } }] },
    );
    await calm(press(message, "edit"));
    const { urls } = await told(ada, "tooLongToEdit");
    expect(urls[0]).toMatch(/\/r\/[A-Za-z0-9_-]{72}$/);
    expect(slack.views).toEqual([]);
    await isUndecided(run);
  });
});

describe("content that does not fit", () => {
  const withText = (length: number): object => ({
    messages: [{ role: "user", content: { type: "text", text: promptMarker.padEnd(length, "a") } }],
  });

  test.each([
    [2_999, true],
    [3_000, true],
    [3_001, false],
  ])("a prompt of %i characters: can be approved in Slack: %s", async (length, fits) => {
    const { message } = await ask([adaReviews], {}, withText(length));
    expect(buttonsOf(message)).toEqual(fits ? ["approve", "edit", "deny", "open"] : ["deny", "open"]);
  });

  test("can still be denied in Slack, and approved behind Open", async () => {
    const { answer, message } = await ask([adaReviews], {}, withText(3_001));
    expect(JSON.stringify(message.blocks)).toContain("1 character of text");
    const link = buttonsIn(message.blocks).find(({ action_id: id }) => id === "open")?.url ?? "";
    expect((await pressOnPage(link, "approve")).status).toBe(303);
    expect((await answer).result).toMatchObject({ role: "assistant" });
    await changed(message);
    expect(message.text).toBe("Approved");
  });

  test("and content that the policy keeps out of notices are in no message at all", async () => {
    const { message } = await ask([adaReviews], { noticeExcerpt: "none" });
    expect(JSON.stringify(message)).not.toContain(promptMarker);
    expect(buttonsOf(message)).toEqual(["deny", "open"]);
  });
});

describe("in a channel", () => {
  test("anybody of it decides as the channel, and the record names them beside it", async () => {
    const { run, answer, message } = await ask([roomReviews], {}, {}, room);
    await calm(press(message, "approve", eve));
    expect((await answer).result).toMatchObject({ role: "assistant" });
    expect(await factsOf(run, "approved")).toMatchObject([{ by: "someone in #room", channel: "slack", member: eve }]);
    await changed(message);
    expect(JSON.stringify(message.blocks)).toContain("someone in #room");
  });

  test("a reviewer decides as themself, and nobody's personal link is in it", async () => {
    const { run, answer, message } = await ask([roomReviews, adaReviews], {}, {}, room);
    const direct = await messageTo("D0ADA");
    const own = buttonsIn(direct.blocks).find(({ action_id: id }) => id === "open")?.url;
    const shared = buttonsIn(message.blocks).find(({ action_id: id }) => id === "open")?.url;
    expect(own).not.toBe(shared);
    expect(JSON.stringify(message)).not.toContain(own ?? "?");
    await calm(press(message, "approve", ada));
    await answer;
    const [fact] = await factsOf(run, "approved");
    expect(fact).toMatchObject({ by: "Ada", channel: "slack" });
    expect(fact).not.toHaveProperty("member");
    // The copy in the direct message changes too.
    await changed(direct);
  });

  test("somebody of another company does not, and is told privately, without a link", async () => {
    const { run, message } = await ask([roomReviews], {}, {}, room);
    await calm(press(message, "approve", eve, { user: { id: eve, team_id: "T0PARTNER" } }));
    expect((await told(eve, "notYours")).urls).toEqual([]);
    expect(slack.ephemerals.map(({ channel }) => channel)).toEqual([room]);
    await isUndecided(run);
  });

  test("whoever cannot edit there gets no personal link, because it is nobody's", async () => {
    const { message } = await ask(
      [roomReviews],
      {},
      { messages: [{ role: "user", content: { type: "text", text: `${promptMarker} a\u200bb` } }] },
      room,
    );
    await calm(press(message, "edit", eve));
    expect((await told(eve, "tooLongToEdit")).urls).toEqual([]);
  });
});

describe("one's own request", () => {
  test("has no Approve where the policy bars it, and can be denied", async () => {
    const { key } = await createKey({ owner: "Ada" });
    await asking([adaReviews, bobReviews], { selfApproval: false });
    const answer = answerOf(sample({ server: "notes" }, { key }));
    await openNotice("request");
    const message = await messageTo("D0ADA");
    expect(buttonsOf(message)).toEqual(["deny", "open"]);
    expect(buttonsOf(await messageTo("D0BOB"))).toContain("approve");
    await calm(press(message, "deny"));
    await calm(deliver(slack.submit(await opened(), ada)));
    expect((await answer).error).toBeDefined();
  });
});

describe("a denial of a tool's call", () => {
  const askedCall = async (key: string): Promise<{ readonly answer: Promise<ApprovalAnswer>; readonly message: SlackMessageSeen }> => {
    await asking([adaReviews]);
    await askAbout({ reviewers: ["everyone"] }, { reviewers: { everyone: [adaReviews] } });
    const answer = approvalIn(askApproval(deletion, { key }));
    const { run } = await openNotice("request");
    return { answer, message: await messageTo("D0ADA", run) };
  };

  test.each([
    ["stops its tool where the box is checked", { stop: "stop" }, 403],
    ["stops nothing where it is not", {}, 202],
  ])("%s", async (_, fields, status) => {
    // A key of its own: this isolate may still know of the stop of the test before.
    const { key } = await createKey();
    const { answer, message } = await askedCall(key);
    await calm(press(message, "deny"));
    await calm(deliver(slack.submit(await opened(), ada, fields)));
    expect((await answer).decision).toBe("denied");
    expect((await askApproval(deletion, { key, headers: { Prefer: "respond-async" } })).status).toBe(status);
  });
});
