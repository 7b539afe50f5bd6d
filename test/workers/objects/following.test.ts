// From a request's approval to the review of its reply in one place: the browser that approved is
// led on, and nobody else; and its reviewer's own email is spared while that page is open. Real
// objects, a scripted mail API at the edge of the world.

import { beforeEach, describe, expect, test } from "vitest";
import { type MailApi, createMailApi } from "../../support/mail-api.ts";
import { type Step, answerAt } from "../support/provider.ts";
import { adminJson, answerOf, configure, eventually, gateway, model, openNotice, policy, publicUrl, sample } from "../support/gateway.ts";
import { filledForm, pathOf, postForm, press } from "../support/reviewer.ts";
import { later, recordOf, ringNextAlarm, stubOf } from "./inside.ts";

const ann = { name: "Ann", email: "ann@example.com" };
const bo = { name: "Bo", email: "bo@example.com" };

let mails: MailApi;
let run: string;
let answer: Promise<Awaited<ReturnType<typeof answerOf>>>;
/** Lets the model answer. */
let reply: () => void;

beforeEach(async () => {
  mails = createMailApi();
  answerAt("https://mail.example.com", mails.answer);
  await ask([ann]);
});

async function ask(reviewers: readonly object[], gate: object = {}): Promise<void> {
  await configure("policy", {
    ...policy,
    rules: [],
    default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 3_600, ...gate },
    reviewers: { everyone: reviewers },
  });
  const until = new Promise<void>((resolve) => {
    reply = resolve;
  });
  model.script({ until, step: { text: "Paris" } satisfies Step });
  answer = answerOf(sample({ server: "notes", originating: Math.floor(Math.random() * 1e9) }));
  ({ run } = await openNotice("request"));
}

type Listed = {
  readonly run: string;
  readonly reviewer: string;
  readonly channel: string;
  readonly gate: string;
  readonly link: string | null;
};
const linkOf = (reviewer: string, gate: string): Promise<string> =>
  eventually(`${reviewer}'s link for the ${gate} gate`, async () => {
    const { notices } = await adminJson<{ notices: Listed[] }>("/notices");
    return notices.find((each) => each.run === run && each.reviewer === reviewer && each.gate === gate && each.channel === "outbox")?.link;
  });

/** Approves, and gives the cookie as the browser would send it back. */
async function approve(reviewer: string): Promise<{ readonly link: string; readonly cookie: string; readonly attributes: string }> {
  const link = await linkOf(reviewer, "request");
  const answered = await press(link, "approve");
  expect(answered.status).toBe(303);
  const set = answered.headers.get("Set-Cookie") ?? "";
  const [cookie = "", ...attributes] = set.split("; ");
  return { link, cookie, attributes: attributes.join("; ") };
}

const pageOf = async (link: string, cookie?: string): Promise<string> =>
  (await gateway(pathOf(link), { key: null, headers: cookie === undefined ? {} : { Cookie: cookie } })).text();

/** The link that a page leads on with. */
const nextIn = (html: string): string | undefined => /id="next".*?<a class="btn yes approve" href="([^"]+)"/s.exec(html)?.[1];

async function listen(link: string, cookie?: string): Promise<{ readonly told: { next?: string | null }[]; readonly close: () => void }> {
  const headers = { Upgrade: "websocket", Origin: publicUrl, ...(cookie === undefined ? {} : { Cookie: cookie }) };
  const { webSocket } = await gateway(`${pathOf(link)}/live`, { key: null, headers });
  if (webSocket === null) throw new Error("no socket");
  const told: { next?: string | null }[] = [];
  webSocket.addEventListener("message", ({ data }) => void told.push(JSON.parse(String(data)) as { next?: string | null }));
  webSocket.accept();
  await eventually("the first word", async () => told.length > 0);
  return { told, close: () => webSocket.close() };
}

/** Whether the reply waits for its review. */
const replyWaits = (): Promise<string> => linkOf("Ann", "response");
const mailsAbout = (subject: RegExp, address = "ann@example.com"): MailApi["taken"] =>
  mails.taken.filter((mail) => mail.to.includes(address) && subject.test(mail.subject));

async function strikes(seconds: number): Promise<void> {
  later(seconds * 1_000);
  await ringNextAlarm(stubOf(run));
}

describe("after the approval of a request", () => {
  test("the browser that approved is led on: it waits, then has the link to the reply's review, which decides by its own form", async () => {
    const { link, cookie } = await approve("Ann");
    const waiting = await pageOf(link, cookie);
    expect(waiting).toContain("is answering");
    expect(nextIn(waiting)).toBeUndefined();
    reply();
    const next = await eventually("the way on", async () => nextIn(await pageOf(link, cookie)));
    expect(next).not.toBe(pathOf(link));
    expect(await pageOf(`${publicUrl}${next}`)).toContain("Paris");
    expect((await press(`${publicUrl}${next}`, "approve")).status).toBe(303);
    expect((await answer).result).toMatchObject({ content: { text: "Paris" } });
    expect(nextIn(await pageOf(link, cookie))).toBeUndefined();
  });

  test("the cookie is the page's alone, and no script has it", async () => {
    const { link, attributes, cookie } = await approve("Ann");
    expect(cookie).toMatch(/^follow=[\w-]{39}$/);
    expect(attributes).toContain(`Path=${pathOf(link)}`);
    expect(attributes).toMatch(/HttpOnly/);
    expect(attributes).toMatch(/SameSite=Lax/);
    expect(attributes).not.toMatch(/Domain/i);
    reply();
    await press(await replyWaits(), "approve");
    await answer;
  });

  test("no other browser is led on: without the cookie, with one changed, of another link, or at the live window", async () => {
    const { link, cookie } = await approve("Ann");
    reply();
    const replyLink = await replyWaits();
    const next = nextIn(await pageOf(link, cookie)) ?? "";
    expect(next).toMatch(/^\/r\/[\w-]+$/);
    const flipped = `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`;
    const [firstRun, firstLink, firstAnswer] = [run, link, answer];
    await ask([ann]);
    const other = await approve("Ann");
    for (const wrong of [undefined, "follow=", "follow=yes", flipped, other.cookie, `x=${cookie.slice(7)}`]) {
      const html = await pageOf(firstLink, wrong);
      expect(html).not.toContain(next);
      expect(html).not.toContain('id="next"');
      const { told, close } = await listen(firstLink, wrong);
      expect(told[0]).not.toHaveProperty("next");
      close();
    }
    reply();
    await press(await linkOf("Ann", "response"), "approve");
    await answer;
    run = firstRun;
    await press(replyLink, "approve");
    await firstAnswer;
  });

  test("nothing but an approval of the request gives the cookie", async () => {
    const link = await linkOf("Ann", "request");
    expect((await gateway(pathOf(link), { key: null })).headers.get("Set-Cookie")).toBeNull();
    expect((await press(link, "preview")).headers.get("Set-Cookie")).toBeNull();
    const stale = await filledForm(link, "approve", (fields) => fields.set("digest", "x"));
    expect((await postForm(link, stale)).headers.get("Set-Cookie")).toBeNull();
    await approve("Ann");
    reply();
    expect((await press(await replyWaits(), "approve")).headers.get("Set-Cookie")).toBeNull();
    await answer;
    await ask([ann]);
    expect((await press(await linkOf("Ann", "request"), "deny")).headers.get("Set-Cookie")).toBeNull();
    await answer;
  });
});

describe("the email about the reply", () => {
  test("is spared while the page that leads on is open, which hears of the reply; the operators' list has the link at once", async () => {
    const { link, cookie } = await approve("Ann");
    const page = await listen(link, cookie);
    expect(page.told[0]).toMatchObject({ next: "waits" });
    reply();
    const replyLink = await replyWaits();
    await eventually("the page's news", async () => page.told.at(-1)?.next === "review");
    await strikes(25);
    expect(mailsAbout(/ answers /)).toEqual([]);
    // The reply's page is opened: no email after that, whatever becomes of the first page.
    await pageOf(replyLink);
    page.close();
    await strikes(60);
    await strikes(60);
    expect(mailsAbout(/ answers /)).toEqual([]);
    expect((await recordOf(run)).some(({ fact }) => fact.kind === "noticed" && fact.gate === "response" && fact.channel === "email")).toBe(
      false,
    );
    await press(replyLink, "approve");
    await answer;
  });

  test("is sent when that page is closed, or silent, before the reply's page was opened", async () => {
    for (const leave of [(page: { close: () => void }) => page.close(), () => later(45_000)]) {
      const { link, cookie } = await approve("Ann");
      const page = await listen(link, cookie);
      reply();
      const replyLink = await replyWaits();
      await eventually("the page's news", async () => page.told.at(-1)?.next === "review");
      const before = mailsAbout(/ answers /).length;
      leave(page);
      await eventually("the email", async () => {
        await strikes(25);
        return mailsAbout(/ answers /).length > before;
      });
      await press(replyLink, "approve");
      await answer;
      await ask([ann]);
    }
    await approve("Ann");
    reply();
    await press(await replyWaits(), "approve");
    await answer;
  });

  test("is sent at once where the open page has no cookie, and to everybody who has no such page", async () => {
    const first = await approve("Ann");
    const page = await listen(first.link);
    reply();
    await eventually("Ann's email", async () => mailsAbout(/ answers /).length === 1);
    page.close();
    await press(await replyWaits(), "approve");
    await answer;
    await ask([ann, bo]);
    const { link, cookie } = await approve("Ann");
    const hers = await listen(link, cookie);
    reply();
    await eventually("Bo's email", async () => mailsAbout(/ answers /, "bo@example.com").length === 1);
    expect(mailsAbout(/ answers /)).toHaveLength(1);
    hers.close();
    await press(await replyWaits(), "approve");
    await answer;
  });
});
