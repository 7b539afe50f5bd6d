// Complete stories through the gateway as a process, with a scripted Slack, a scripted mail API and
// a scripted model behind real sockets: somebody's server asks, people are asked where they are,
// and one answer counts.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type MailApi } from "../../support/mail-api.ts";
import { startMailServer } from "../../support/mail-server.ts";
import type { Served } from "../../support/serve.ts";
import { type SlackServer, startSlackServer } from "../../support/slack-server.ts";
import { ScriptedSlack, type SlackMessageSeen, buttonsIn, directChannel } from "../../support/slack/scripted-slack.ts";
import {
  type Answer,
  type ExportedEvent,
  type Killable,
  decideByLink,
  killableGateway,
  pause,
} from "../../outside/support/killable-gateway.ts";

const token = "xoxb-token-of-the-stories-0123456789";
const secret = "signing-secret-of-the-stories-0123456789";
/**
 * Somebody new for each test: what is more than five messages to one person in a minute is held
 * back and gathered.
 */
type Person = { readonly name: string; readonly slack: string; readonly email: string };
let ann: Pick<Person, "name" | "slack">;
let bo: Pick<Person, "name" | "email">;
let cy: Person;
let lea: Pick<Person, "name" | "slack">;
let newcomers = 0;
const nowhere = { name: "Nora", slack: "U0NOBODY" };

let slack: ScriptedSlack;
let slackServer: SlackServer;
let mails: MailApi & Served;
let office: Killable;

beforeAll(async () => {
  slack = new ScriptedSlack({ token, secret, members: ["U0EVE"], channels: ["C0ROOM"] });
  slackServer = await startSlackServer(slack);
  mails = await startMailServer();
  office = await killableGateway({
    OUTBOX: "off",
    EMAIL_FROM: "Countersign <reviews@example.com>",
    RESEND_API_KEY: mails.keys.full,
    RESEND_BASE_URL: mails.url,
    SLACK_BOT_TOKEN: token,
    SLACK_SIGNING_SECRET: secret,
    SLACK_API_URL: slackServer.apiUrl,
  });
  await office.start();
  await office.configure();
});

afterAll(async () => {
  await office?.close();
  await mails?.close();
  await slackServer?.close();
});

beforeEach(() => {
  slack.messages.length = 0;
  slack.views.length = 0;
  slack.ephemerals.length = 0;
  mails.taken.length = 0;
  office.model.reset();
  const somebody = (name: string): Person => {
    newcomers += 1;
    const member = `U0${name.toUpperCase()}${newcomers}`;
    slack.join(member);
    return { name, slack: member, email: `${name.toLowerCase()}-${newcomers}@example.com` };
  };
  const inSlackAlone = ({ name, slack: member }: Person) => ({ name, slack: member });
  const byMailAlone = ({ name, email }: Person) => ({ name, email });
  ann = inSlackAlone(somebody("Ann"));
  bo = byMailAlone(somebody("Bo"));
  cy = somebody("Cy");
  lea = inSlackAlone(somebody("Lea"));
});

const rules = (reviewers: readonly object[], gate: object = {}, groups: object = {}): Promise<void> =>
  office.rule({
    default: {
      request: "review",
      response: "allow",
      reviewers: ["everyone"],
      noticeExcerpt: "start",
      tellReason: true,
      deadlineSeconds: 600,
      ...gate,
    },
    reviewers: { everyone: reviewers, ...groups },
  });

let asked = 0;
const asks = (prompt?: string): Promise<Answer | null> => {
  asked += 1;
  return office.ask(`story ${asked}`, "notes", prompt).answer;
};

async function seen<T>(what: string, look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (let tries = 0; tries < 4_800; tries += 1) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await pause(25);
  }
  throw new Error(`never seen: ${what}`);
}

/**
 * The message, once the gateway has written down where it is: before that a press is one of an
 * older message, and a gateway that is killed posts a second one. No person is as fast as this
 * file.
 */
async function messageTo(member: string): Promise<SlackMessageSeen> {
  const message = await seen(`a message to ${member}`, () =>
    slack.messages.findLast(({ channel, threadTs }) => channel === directChannel(member) && threadTs === null),
  );
  const name = [ann, cy, lea].find((each) => each.slack === member)?.name;
  await seen(`the notice to ${member} in the record`, async () =>
    (await eventsOfNewest()).some((fact) => fact.kind === "noticed" && fact.channel === "slack" && fact.reviewer === name),
  );
  return message;
}
const mailTo = (address: string): Promise<MailApi["taken"][number]> =>
  seen(`a mail to ${address}`, () => mails.taken.find(({ to }) => to.includes(address)));
const linkIn = (text: string): string => /https?:\/\/\S+\/r\/[A-Za-z0-9_-]+/.exec(text)?.[0] ?? "";
const buttons = ({ blocks }: SlackMessageSeen): string[] => buttonsIn(blocks).map(({ action_id: id }) => id);
const words = ({ blocks }: Pick<SlackMessageSeen, "blocks">): string => JSON.stringify(blocks);
const updated = (message: SlackMessageSeen): Promise<SlackMessageSeen> => seen("the copy updated", () => message.edits > 0 && message);
const pageOf = async (link: string): Promise<string> => (await fetch(link)).text();

/** What Slack posts when somebody presses or submits; gives the gateway's answer. */
async function slackPosts(payload: unknown): Promise<Response> {
  const { body, headers } = await slack.sign(payload);
  return fetch(`${office.url}/slack/interactions`, { method: "POST", body, headers });
}
const presses = async (message: SlackMessageSeen, button: string, member: string): Promise<void> => {
  expect((await slackPosts(slack.press(message, button, member))).status).toBe(200);
};

const textOf = (answer: Answer | null): string | undefined => answer?.result?.content.text;
const sentTexts = (): string => JSON.stringify(office.model.requests.map(({ body }) => body));

async function eventsOf(run: string): Promise<ExportedEvent["fact"][]> {
  return (await office.record()).events.filter((event) => event.run === run).map(({ fact }) => fact);
}

/** Of the run that was asked for last. */
async function eventsOfNewest(): Promise<ExportedEvent["fact"][]> {
  const { events } = await office.record();
  const newest = events
    .filter(({ fact }) => fact.kind === "received")
    .toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))[0]?.run;
  return events.filter(({ run }) => run === newest).map(({ fact }) => fact);
}

describe("asked in Slack and by mail", () => {
  test("decided in Slack: the server gets its reply, every other copy and the mail's page say who decided", async () => {
    await rules([ann, bo, cy]);
    const answer = asks();
    const [toAnn, toCy, toBo] = [await messageTo(ann.slack), await messageTo(cy.slack), await mailTo(bo.email)];
    expect(buttons(toAnn)).toEqual(expect.arrayContaining(["approve", "edit", "deny", "open"]));
    await presses(toAnn, "approve", ann.slack);
    expect(textOf(await answer)).toBeDefined();
    for (const copy of [toAnn, toCy]) {
      const after = await updated(copy);
      expect(buttons(after).filter((id) => id !== "open")).toEqual([]);
      expect(words(after)).toContain("Ann");
    }
    const page = await pageOf(linkIn(toBo.text));
    expect(page).toContain("Ann");
    expect(page).not.toContain("<form");
    expect(mails.taken.filter(({ to }) => to.includes(bo.email))).toHaveLength(1);
  });

  test("decided by the mail's link: the copies in Slack change, and their old buttons decide nothing more", async () => {
    await rules([ann, bo]);
    const answer = asks();
    const toAnn = await messageTo(ann.slack);
    const stale = { ...toAnn, blocks: toAnn.blocks };
    expect((await decideByLink(linkIn((await mailTo(bo.email)).text), "approve")).status).toBe(303);
    const run = (await answer)?.result?._meta["countersign/run"].id ?? "";
    expect(words(await updated(toAnn))).toContain("Bo");
    await presses(stale, "deny", ann.slack);
    await presses(stale, "approve", ann.slack);
    expect((await eventsOf(run)).filter(({ kind }) => kind === "approved" || kind === "denied")).toMatchObject([
      { by: "Bo", channel: "email" },
    ]);
    await seen("a word to Ann alone", () => slack.ephemerals.find(({ user }) => user === ann.slack));
  });
});

describe("in Slack alone", () => {
  test("denied with a reason, which the server is told", async () => {
    await rules([ann]);
    const answer = asks();
    await presses(await messageTo(ann.slack), "deny", ann.slack);
    const { view } = await seen("the dialog", () => slack.views.at(-1));
    const input = view.blocks.find(({ type }) => type === "input");
    const submitted = await slackPosts(slack.submit(view, ann.slack, { [String(input?.["block_id"])]: "This names a customer." }));
    expect(submitted.status).toBe(200);
    expect(await answer).toMatchObject({
      error: { code: -1, message: "User rejected sampling request", data: { outcome: "rejected", reason: "This names a customer." } },
    });
    expect(office.model.requests).toEqual([]);
  });

  test("edited in its dialog: the model gets the new words and none of the old, and the server is told that it was edited", async () => {
    await rules([ann]);
    const answer = asks("Say the secret word xyzzy.");
    await presses(await messageTo(ann.slack), "edit", ann.slack);
    const { view } = await seen("the dialog", () => slack.views.at(-1));
    const field = view.blocks.find((block) => JSON.stringify(block).includes("xyzzy"));
    const submitted = await slackPosts(slack.submit(view, ann.slack, { [String(field?.["block_id"])]: "Say hello & <goodbye>." }));
    expect(submitted.status).toBe(200);
    expect((await answer)?.result?._meta["countersign/run"]).toMatchObject({ edited: { request: true, response: false } });
    expect(sentTexts()).toContain("Say hello & <goodbye>.");
    expect(sentTexts()).not.toContain("xyzzy");
  });

  test("a prompt too long for a message has no Approve there, says what is not shown, and is edited and approved on the page", async () => {
    await rules([ann]);
    const answer = asks(`Begin. ${"A long story. ".repeat(400)}The end.`);
    const message = await messageTo(ann.slack);
    expect(buttons(message)).toEqual(["deny", "open"]);
    expect(words(message)).toMatch(/\d,\d{3} characters/);
    const link = buttonsIn(message.blocks).find(({ action_id: id }) => id === "open")?.url ?? "";
    const decided = await decideByLink(link, "approve", (fields) => fields.set("edit:/messages/0/content/0/text", "A short story."));
    expect(decided.status).toBe(303);
    expect(textOf(await answer)).toBeDefined();
    expect(sentTexts()).toContain("A short story.");
    expect(sentTexts()).not.toContain("The end.");
    expect(words(await updated(message))).toContain("Ann");
  });

  test("somebody else who presses is told so alone, and decides nothing", async () => {
    await rules([ann]);
    const answer = asks();
    const message = await messageTo(ann.slack);
    await presses(message, "approve", "U0EVE");
    await seen("a word to Eve alone", () => slack.ephemerals.find(({ user }) => user === "U0EVE"));
    expect(office.model.requests).toEqual([]);
    await presses(message, "deny", ann.slack);
    const { view } = await seen("the dialog", () => slack.views.at(-1));
    await slackPosts(slack.submit(view, ann.slack));
    expect((await answer)?.error?.data?.outcome).toBe("rejected");
  });
});

describe("several people", () => {
  test("a quorum of two: one in Slack and one by mail, and one person on two channels is one", async () => {
    await rules([cy, bo], { quorum: 2 });
    const answer = asks();
    const toCy = await messageTo(cy.slack);
    const toBo = await mailTo(bo.email);
    await presses(toCy, "approve", cy.slack);
    await updated(toCy);
    expect(buttons(toCy)).not.toContain("approve");
    expect(words(toCy)).toContain("2 people have to approve; 1 did so far.");
    const own = await pageOf(linkIn((await mailTo(cy.email)).text));
    expect(own).not.toMatch(/value="approve:/);
    expect(office.model.requests).toEqual([]);
    expect((await decideByLink(linkIn(toBo.text), "approve")).status).toBe(303);
    const run = (await answer)?.result?._meta["countersign/run"].id ?? "";
    expect((await eventsOf(run)).filter(({ kind }) => kind === "voted" || kind === "approved")).toMatchObject([
      { kind: "voted", by: "Cy", channel: "slack" },
      { kind: "approved", by: "Bo", channel: "email" },
    ]);
  });

  test("nobody answers: those of the escalation are asked in Slack, and one of them decides", async () => {
    await rules([bo], { escalate: { afterSeconds: 1, to: ["lead"] } }, { lead: [lea] });
    const answer = asks();
    const toLea = await messageTo(lea.slack);
    await presses(toLea, "approve", lea.slack);
    const run = (await answer)?.result?._meta["countersign/run"].id ?? "";
    const kinds = (await eventsOf(run)).map(({ kind }) => kind);
    expect(kinds.indexOf("askedAlso")).toBeGreaterThan(kinds.indexOf("reviewOpened"));
    expect(await pageOf(linkIn((await mailTo(bo.email)).text))).toContain("Lea");
  });

  test("handed over on the page: the heir is asked in Slack and decides; the first one's message says so and has no buttons", async () => {
    await rules([ann], {}, { others: [lea] });
    const answer = asks();
    const toAnn = await messageTo(ann.slack);
    const link = buttonsIn(toAnn.blocks).find(({ action_id: id }) => id === "open")?.url ?? "";
    expect((await decideByLink(link, "handOver", (fields) => fields.set("to", "Lea"))).status).toBe(303);
    const toLea = await messageTo(lea.slack);
    await updated(toAnn);
    expect(buttons(toAnn)).not.toContain("approve");
    await presses(toLea, "approve", lea.slack);
    expect(textOf(await answer)).toBeDefined();
  });

  test("nobody can be reached: the server is told at once, and not at the deadline", async () => {
    mails.script({ status: 422, name: "invalid_parameter" });
    await rules([nowhere, bo], { deadlineSeconds: 604_800 });
    expect(await asks()).toMatchObject({ error: { code: -1, data: { outcome: "undeliverable" } } });
    expect(office.model.requests).toEqual([]);
  });

  test("nobody of the first can be reached: those of the escalation are asked at once", async () => {
    await rules([nowhere], { deadlineSeconds: 604_800, escalate: { afterSeconds: 604_000, to: ["lead"] } }, { lead: [lea] });
    const answer = asks();
    await presses(await messageTo(lea.slack), "approve", lea.slack);
    expect(textOf(await answer)).toBeDefined();
  });
});

describe("when Slack or this gateway fails", () => {
  test("Slack's API hangs: a press is answered and counts all the same, and the copies change when it is back", async () => {
    await rules([ann, cy]);
    const answer = asks();
    const [toAnn, toCy] = [await messageTo(ann.slack), await messageTo(cy.slack)];
    let release = (): void => {};
    const back = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Whatever is called from now on, Slack does not answer until this test says so.
    for (const method of ["chat.update", "chat.postMessage", "chat.postEphemeral", "views.open", "auth.test"])
      slack.script(method, ...Array.from({ length: 10 }, () => ({ until: back })));
    await presses(toAnn, "approve", ann.slack);
    expect(textOf(await answer)).toBeDefined();
    expect([toAnn.edits, toCy.edits]).toEqual([0, 0]);
    release();
    await updated(toAnn);
    await updated(toCy);
  });

  test("Slack says to wait: the copy changes after that", async () => {
    await rules([ann]);
    const answer = asks();
    const toAnn = await messageTo(ann.slack);
    slack.script("chat.update", { status: 429, retryAfter: "1" });
    await presses(toAnn, "approve", ann.slack);
    expect(textOf(await answer)).toBeDefined();
    await updated(toAnn);
  });

  test("a message that was deleted: the decision stands", async () => {
    await rules([ann, bo]);
    const answer = asks();
    const toAnn = await messageTo(ann.slack);
    toAnn.deleted = true;
    expect((await decideByLink(linkIn((await mailTo(bo.email)).text), "approve")).status).toBe(303);
    expect(textOf(await answer)).toBeDefined();
    await seen("the attempt to update it", () => slack.callsOf("chat.update").some(({ params }) => params["ts"] === toAnn.ts));
    expect(slack.messages.filter(({ channel }) => channel === toAnn.channel)).toHaveLength(1);
  });

  test("the gateway is killed while people think: the old button decides, and every copy is updated", async () => {
    await rules([ann, bo]);
    const lost = asks("The question that outlives the gateway.");
    const toAnn = await messageTo(ann.slack);
    await mailTo(bo.email);
    await seen("both notices in the record", async () => (await eventsOfNewest()).filter(({ kind }) => kind === "noticed").length === 2);
    await office.kill();
    expect(await lost).toBeNull();
    await office.start();
    await presses(toAnn, "approve", ann.slack);
    expect(words(await updated(toAnn))).toContain("Ann");
    expect(await pageOf(linkIn((await mailTo(bo.email)).text))).toContain("Ann");
    expect(sentTexts().split("outlives the gateway")).toHaveLength(2);
    expect(slack.messages.filter(({ channel }) => channel === toAnn.channel)).toHaveLength(1);
  });
});
