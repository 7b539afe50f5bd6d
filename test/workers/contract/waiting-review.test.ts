// What an operator does about a request that waits for people: its notices once more, and another
// person who is asked as well.

import { beforeEach, describe, expect, test } from "vitest";
import { type MailApi, createMailApi } from "../../support/mail-api.ts";
import { atConsole } from "../support/console.ts";
import {
  admin,
  adminJson,
  answerOf,
  configure,
  createKey,
  eventually,
  gateway,
  jsonBody,
  openNotice,
  policy,
  sample,
  travel,
} from "../support/gateway.ts";
import { answerAt } from "../support/provider.ts";
import { recordLines } from "../support/record.ts";
import { pathOf, press } from "../support/reviewer.ts";

const ann = { name: "Ann", email: "ann@example.com" };
const bo = { name: "Bo", email: "bo@example.com" };
const eve = { name: "Eve", email: "eve@example.com" };

let mails: MailApi;

beforeEach(async () => {
  mails = createMailApi();
  answerAt("https://mail.example.com", mails.answer);
  await configure("policy", {
    ...policy,
    rules: [],
    default: {
      request: "review",
      response: "allow",
      reviewers: ["first"],
      handOverTo: ["second"],
      selfApproval: false,
      deadlineSeconds: 604_800,
    },
    reviewers: { first: [ann], second: [bo, eve], nobody: [{ name: "Cy", email: "cy@example.com" }] },
  });
});

const linksTo = (address: string): string[] =>
  mails.taken.filter(({ to }) => to.includes(address)).map(({ text }) => /https?:\/\/\S+\/r\/[\w-]+/.exec(text)?.[0] ?? "");
const linksOf = (address: string, count: number): Promise<string[]> =>
  eventually(`${count} mails to ${address}`, async () => (linksTo(address).length >= count ? linksTo(address) : null));

/** A request of Eve's key that waits for Ann. */
async function waiting(): Promise<{ readonly run: string; readonly answer: ReturnType<typeof answerOf> }> {
  const { key } = await createKey({ owner: "Eve" });
  const answer = answerOf(sample({ server: "notes" }, { key }));
  return { run: (await openNotice("request")).run, answer };
}

const ask = (run: string, what: "notices" | "reviewers", body: object): Promise<Response> =>
  admin(`/runs/${run}/${what}`, jsonBody("POST", body));
/** The record has them after the notices that they are about. */
const facts = (run: string, kind: string) =>
  eventually(`${kind} in the record`, async () => {
    const found = (await recordLines()).filter(({ run: of, fact }) => of === run && fact.kind === kind).map(({ fact }) => fact);
    return found.length > 0 && found;
  });

describe("a review that waits", () => {
  test("is shown with whom it waits for, and a reviewer gets the same link again, once for each form", async () => {
    const { run } = await waiting();
    const [first = ""] = await linksOf(ann.email, 1);
    const browser = await atConsole();
    const { text } = await browser.get(`requests/${run}`);
    expect(text).toMatch(/Waiting for people: the request[\s\S]*Ann[\s\S]*Send again[\s\S]*Ask somebody else[\s\S]*Bo/);
    expect(text).not.toContain("/r/");
    const once = /name="once" value="([\w-]+)"/.exec(text)?.[1] ?? "";
    const form = { do: "again", reviewer: "Ann", once };
    expect((await browser.post(`requests/${run}`, form)).location).toBe(`/console/requests/${run}?done=again`);
    expect((await browser.post(`requests/${run}`, form)).status).toBe(303);
    expect(await linksOf(ann.email, 2)).toEqual([first, first]);
    expect(await facts(run, "sentAgain")).toEqual([
      { kind: "sentAgain", gate: "request", reviewer: "Ann", by: expect.objectContaining({ kind: "adminToken" }) },
    ]);
    expect((await ask(run, "reviewers", { reviewer: "Bo", once })).status).toBe(409);
    expect((await browser.get(`requests/${run}`)).text).toContain("An operator had the notices to");
  });

  test("sends a new link in place of one that has expired, which no longer decides", async () => {
    const { run } = await waiting();
    const [first = ""] = await linksOf(ann.email, 1);
    travel(72 * 3_600_000 + 1_000);
    expect((await gateway(pathOf(first), { key: null })).status).toBe(410);
    expect((await ask(run, "notices", { reviewer: "Ann" })).status).toBe(204);
    const links = await linksOf(ann.email, 2);
    expect(links[1]).not.toBe(first);
    expect((await gateway(pathOf(links[1] ?? ""), { key: null })).status).toBe(200);
  });

  test("can be decided by another person whom the rule names, and by nobody else", async () => {
    const { run, answer } = await waiting();
    expect((await adminJson<{ askable: string[] }>(`/runs/${run}/review`)).askable).toEqual(["Bo"]);
    // Eve's own request, a person of another group, and nobody.
    for (const reviewer of ["Eve", "Cy", "Zoe"]) expect((await ask(run, "reviewers", { reviewer })).status).toBe(409);
    for (let times = 0; times < 2; times += 1) expect((await ask(run, "reviewers", { reviewer: "Bo" })).status).toBe(204);
    const [link = ""] = await linksOf(bo.email, 1);
    expect(await facts(run, "askedAlso")).toMatchObject([{ reviewers: ["Bo"], why: "operator", by: { kind: "adminToken" } }]);
    for (const to of [eve.email, "cy@example.com"]) expect(linksTo(to)).toEqual([]);
    expect((await press(link, "approve")).status).toBe(303);
    expect(await answer).toHaveProperty("result");
    expect((await ask(run, "notices", { reviewer: "Ann" })).status).toBe(404);
  });

  test("lets a failed channel be tried again, five times an hour at most", async () => {
    mails.script({ status: 422, name: "validation_error" });
    const { run } = await waiting();
    const email = async (): Promise<string | undefined> => {
      const { reviewers } = await adminJson<{ reviewers: { channels: { channel: string; notice: string }[] }[] }>(`/runs/${run}/review`);
      return reviewers[0]?.channels.find(({ channel }) => channel === "email")?.notice;
    };
    await eventually("a failed email", async () => (await email()) === "failed");
    expect((await (await atConsole()).get(`requests/${run}`)).text).toContain("Try again");
    expect((await ask(run, "notices", { reviewer: "Ann" })).status).toBe(204);
    await linksOf(ann.email, 1);
    await eventually("a sent email", async () => (await email()) === "sent");
    for (let times = 1; times < 5; times += 1) expect((await ask(run, "notices", { reviewer: "Ann" })).status).toBe(204);
    expect((await ask(run, "notices", { reviewer: "Ann" })).status).toBe(429);
  });
});
