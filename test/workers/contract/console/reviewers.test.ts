// The console's page of reviewers: their channels, a test by one press, and signing one out.

import { beforeEach, describe, expect, test } from "vitest";
import { type MailApi, createMailApi } from "../../../support/mail-api.ts";
import { configure, policy } from "../../support/gateway.ts";
import { ConsoleBrowser, atConsole } from "../../support/console.ts";
import { InboxBrowser, addresses, configureInbox, waits } from "../../support/inbox.ts";
import { answerAt } from "../../support/provider.ts";

const reviewers = {
  everyone: [
    { name: "Ada", email: "ada@example.org", slack: "U0ADA", notify: ["email"] },
    { name: "Bo", language: "zh-CN" },
  ],
  room: [{ name: "someone in Reviews", teams: "REVIEWS" }],
};

describe("the list", () => {
  test("says how each is reached, and in which language", async () => {
    await configure("policy", { ...policy, reviewers });
    const { text } = await (await atConsole()).get("reviewers");
    for (const said of ["ada@example.org", "U0ADA", "not in the reviewer’s order", "Chinese (China)", "no review waits", "no inbox"])
      expect(text).toContain(said);
    expect(text).toContain("room: everybody in it decides as one");
  });

  test("says how many reviews wait, and signs a reviewer out", async () => {
    await configureInbox();
    const inbox = new InboxBrowser();
    await inbox.signIn(addresses.Ada);
    await waits();
    await inbox.lists(1);
    const browser = await atConsole();
    expect((await browser.get("reviewers")).text).toContain("1 review waits");
    const { status, location } = await browser.post("reviewers", { "sign-out": "Ada" });
    expect([status, location]).toEqual([303, "/console/reviewers?ended=1"]);
    expect((await browser.get("reviewers?ended=1")).text).toContain("Signed out: 1 session ended.");
  });

  test("has forty reviewers on a page", async () => {
    const many = Array.from({ length: 45 }, (_, i) => ({ name: `Reviewer ${i}` }));
    await configure("policy", { ...policy, reviewers: { everyone: many } });
    const browser = await atConsole();
    expect((await browser.get("reviewers")).text).toContain("after=Reviewer+39");
    expect((await browser.get("reviewers?after=Reviewer+39")).text).toContain("Reviewer 44");
  });
});

describe("a test by one press", () => {
  let mail: MailApi;
  let browser: ConsoleBrowser;
  const press = (reviewer: string, channel: string) => browser.post("reviewers", { reviewer, test: channel });

  beforeEach(async () => {
    mail = createMailApi();
    answerAt("https://mail.example.com", mail.answer);
    await configure("policy", { ...policy, reviewers });
    browser = await atConsole();
    await browser.get("reviewers");
  });

  test("sends a message and says so", async () => {
    const { status, text } = await press("Ada", "email");
    expect(status).toBe(200);
    expect(text).toContain("The mail service accepted the test email.");
    expect(mail.taken.map(({ to }) => to)).toEqual([["ada@example.org"]]);
  });

  test("that fails says what to do, in the operator's language", async () => {
    mail.script({ status: 401, name: "missing_api_key" });
    const failed = await press("Ada", "email");
    expect([failed.status, failed.text.includes("Set RESEND_API_KEY again.")]).toEqual([422, true]);
    const chinese = await new ConsoleBrowser({}, { "Accept-Language": "zh-CN" }).signIn();
    await chinese.get("reviewers");
    mail.script({ status: 401, name: "missing_api_key" });
    expect((await chinese.post("reviewers", { reviewer: "Ada", test: "email" })).text).toContain("请重新设置 RESEND_API_KEY");
  });

  test.each([
    ["Bo", "email", "has no address of this reviewer"],
    ["Nobody", "email", "The policy has no reviewer of this name"],
    ["Ada", "pigeon", "Nothing was changed."],
  ])("of %s by %s sends nothing", async (reviewer, channel, said) => {
    const { status, text } = await press(reviewer, channel);
    expect(status).toBe(422);
    expect(text).toContain(said);
    expect(mail.taken).toEqual([]);
  });

  test("is stopped after five within a minute", async () => {
    for (let i = 0; i < 5; i += 1) expect((await press("Ada", "email")).status).toBe(200);
    const { status, text } = await press("Ada", "email");
    expect([status, text.includes("Wait a minute.")]).toEqual([422, true]);
    expect(mail.taken).toHaveLength(5);
  });
});
