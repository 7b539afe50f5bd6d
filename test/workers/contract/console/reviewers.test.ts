// The console's page of reviewers: their channels, a test by one press, and signing one out.

import { beforeEach, describe, expect, test } from "vitest";
import { type MailApi, createMailApi } from "../../../support/mail-api.ts";
import { adminJson, configure, policy } from "../../support/gateway.ts";
import { ConsoleBrowser, atConsole, contentOf } from "../../support/console.ts";
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

describe("a reviewer", () => {
  type People = Readonly<Record<string, readonly { readonly name: string; readonly email?: string }[]>>;
  const people = async (): Promise<People> => (await adminJson<{ reviewers: People }>("/policy")).reviewers;

  test("is added to groups, changed in each of them, and removed, by forms; rules keep their people", async () => {
    await configure("policy", { ...policy, reviewers: { everyone: [{ name: "Ada" }, { name: "Bo" }] } });
    const browser = await atConsole();
    const { text } = await browser.get("reviewers");
    const version = contentOf(text, "version");
    const eve = { do: "save", version, name: "Eve", groups: "everyone\nleads", email: "eve@example.org", notify: "email" };
    expect((await browser.post("reviewers", eve)).location).toBe("/console/reviewers?done=saved");
    const made = { name: "Eve", email: "eve@example.org", notify: ["email"] };
    expect(await people()).toEqual({ everyone: [{ name: "Ada" }, { name: "Bo" }, made], leads: [made] });
    const twice = await browser.post("reviewers", { ...eve, version: String(Number(version) + 1) });
    expect([twice.status, twice.text.includes("There is a reviewer of this name already")]).toEqual([422, true]);
    const edited = (await browser.get("reviewers?edit=Eve")).text;
    expect(contentOf(edited, "email")).toBe("eve@example.org");
    // Somebody else writes the policy meanwhile, and not this reviewer.
    await configure("policy", { ...policy, reviewers: { ...(await people()), others: [{ name: "Cy" }] } });
    const now = contentOf(edited, "version");
    const change = { ...eve, version: now, was: "Eve", groups: "leads", email: "eve@example.com" };
    expect((await browser.post("reviewers", change)).status).toBe(303);
    expect(await people()).toEqual({
      everyone: [{ name: "Ada" }, { name: "Bo" }],
      leads: [{ ...made, email: "eve@example.com" }],
      others: [{ name: "Cy" }],
    });
    const current = contentOf((await browser.get("reviewers?edit=Eve")).text, "version");
    expect((await browser.post("reviewers", { do: "remove", was: "Eve", version: current })).location).toBe(
      "/console/reviewers?done=removed",
    );
    expect(Object.keys(await people())).toEqual(["everyone", "others"]);
    const wrong = await browser.post("reviewers", { ...eve, version: current, email: "nowhere" });
    expect([wrong.status, contentOf(wrong.text, "email")]).toEqual([422, "nowhere"]);
  });
});
