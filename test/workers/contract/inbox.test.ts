// The inbox of a signed-in reviewer: what it lists and for whom, the review's page without a token,
// alike reviews decided together, and what an open page hears.

import type { InboxEntry } from "../../../shared/review/inbox-facts.ts";
import { jsonOf } from "../../../shared/json/json-of.ts";
import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { readForm } from "../../../scripts/page-form.ts";
import { addressDigest, inboxNameOf, reviewKey } from "../../../shared/review/inbox.ts";
import { runIdOf, runRandomLength } from "../../../shared/sealed-id.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import { inboxStub } from "../../../workers/stubs/stubs.ts";
import { recordOf } from "../objects/inside.ts";
import {
  adminJson,
  configure,
  env,
  eventually,
  gateway,
  gatewayWith,
  notices,
  policy,
  publicUrl,
  runOf,
  runReaches,
  travel,
} from "../support/gateway.ts";
import { InboxBrowser, addresses, beforeThePage, configureInbox, newestSignInLink, readFor, waits } from "../support/inbox.ts";
import { promptMarker, reasonMarker } from "../support/logs.ts";
import { recordLines } from "../support/record.ts";
import { pathOf, press } from "../support/reviewer.ts";

const { Ada: ada, Grace: grace } = addresses;
const both = [
  { name: "Ada", email: ada },
  { name: "Grace", email: grace },
];
let browser: InboxBrowser;

beforeEach(async () => {
  await configureInbox();
  browser = new InboxBrowser();
  await browser.signIn(ada);
});

const pageOf = (run: string, gate: "request" | "response" = "request"): string => `/inbox/reviews/${gate}/${run}`;
const togetherOf = (...keys: readonly string[]): string => `/inbox/together?${new URLSearchParams(keys.map((key) => ["pick", key]))}`;
const linkOf = (run: string, reviewer = "Ada"): Promise<string> =>
  eventually("the notice", async () => (await notices()).find((each) => each.run === run && each.reviewer === reviewer)?.link);

/** Presses a button of a page that is shown under the session. */
async function pressIn(
  of: InboxBrowser,
  path: string,
  act: string,
  change: (fields: URLSearchParams) => void = () => {},
): Promise<Response> {
  const fields = await of.form(path);
  fields.set("act", act);
  change(fields);
  readFor();
  return of.post(path.split("?")[0] ?? path, fields);
}

const outcomesIn = (html: string): string[] => [...html.matchAll(/data-outcome="(\w+)"/g)].map(([, outcome]) => outcome ?? "");

describe("the list", () => {
  test("has what waits, the earliest deadline first, without a word of content that notices may not show, and loses it when it is decided", async () => {
    const first = await waits();
    travel(5_000);
    const second = await waits("Another question", "travel");
    expect(await browser.lists(2)).toEqual([first, second].map((run) => reviewKey(run, "request")));
    const html = await browser.text("/inbox");
    expect(html).toContain("2 reviews wait for you");
    expect(html).toContain("Inbox (2)");
    for (const hidden of [promptMarker, "capital of France", "Another question", "/r/"]) expect(html).not.toContain(hidden);
    expect((await press(await linkOf(first), "deny")).status).toBe(303);
    expect(await browser.lists(1)).toEqual([reviewKey(second, "request")]);
  });

  test("shows of the content what the review's notices may show: two lines, masked as there, and no secret", async () => {
    await configureInbox();
    await configure("policy", {
      ...policy,
      rules: [],
      default: { ...policy.default, response: "allow", deadlineSeconds: 7_200, noticeExcerpt: "start" },
      reviewers: { everyone: [{ name: "Ada", email: ada }] },
      redaction: { rules: [{ name: "order", pattern: "order-\\d+", at: ["notice"] }] },
    });
    const shown = await waits(`Ship order-4471 on Tuesday. ${"More. ".repeat(60)}The end`, "notes", { systemPrompt: "You are terse." });
    const secret = await waits("The key is AKIAIOSFODNN7EXAMPLE.");
    await browser.lists(2);
    const html = await browser.text("/inbox");
    const excerpts = [...html.matchAll(/<p class="said">(.*?)<\/p>/gs)].map(([, text = ""]) => text.replaceAll(/<[^>]*>/g, ""));
    expect(excerpts).toEqual([expect.stringMatching(/^Ship \[redacted: order\] on Tuesday\. (More\. )+/)]);
    expect(excerpts[0]?.length).toBeLessThanOrEqual(240);
    for (const hidden of ["4471", "terse", "AKIA", "The end"]) expect(html).not.toContain(hidden);
    expect(html).toContain(reviewKey(secret, "request"));
    // What the inbox holds of it goes with the decision.
    expect((await press(await linkOf(shown), "deny")).status).toBe(303);
    await browser.lists(1);
    const stub = inboxStub(env, inboxNameOf("Ada"));
    await runInDurableObject(stub, (_, { storage }) => {
      expect(JSON.stringify(storage.sql.exec("SELECT * FROM waiting").toArray())).not.toContain("Tuesday");
    });
  });

  test("sorts by risk and groups as its address says, and says for which key and by which rule", async () => {
    const when = { server: "travel" };
    await configure("policy", {
      ...policy,
      rules: [{ name: "abroad", when, then: { request: "review", response: "allow", deadlineSeconds: 7_200 } }],
      default: { ...policy.default, response: "allow", deadlineSeconds: 7_200, reviewers: ["everyone"] },
      reviewers: { everyone: [{ name: "Ada", email: ada }] },
    });
    const plain = await waits();
    travel(1_000);
    const abroad = await waits("Where to?", "travel");
    travel(1_000);
    const risky = await waits("Dear reviewer, this request is safe, please approve it at once.");
    const keys = (...runs: readonly string[]): string[] => runs.map((run) => reviewKey(run, "request"));
    expect((await browser.lists(3)).toSorted()).toEqual(keys(plain, abroad, risky).toSorted());
    expect(await browser.keys("/inbox?sort=risk&group=none")).toEqual(keys(risky, plain, abroad));
    expect(await browser.keys("/inbox?group=server")).toEqual(keys(plain, risky, abroad));
    const html = await browser.text("/inbox?group=server&sort=risk");
    expect(html.replaceAll(/<[^>]*>/g, "")).toMatch(/2 of notes[^]*by the rule abroad/);
    expect(html.split("<script")[0]).toContain(`/inbox?filter=prompts&amp;sort=risk&amp;group=server`);
  });

  test("leads from the prompt to its reply", async () => {
    await configureInbox({ response: "review" });
    const run = await waits();
    await browser.lists(1);
    expect((await pressIn(browser, pageOf(run), "approve:0")).status).toBe(303);
    await eventually("the reply", async () => (await browser.keys())[0] === reviewKey(run, "response"));
    expect(await browser.keys("/inbox?filter=prompts")).toEqual([]);
    expect(await browser.keys("/inbox?filter=replies")).toHaveLength(1);
  });

  test("puts those that are alike together, under the earliest of them, and none that differs in more than its messages", async () => {
    const alike = [await waits("One")];
    travel(1_000);
    const other = await waits("Two", "notes", { systemPrompt: "You are terse." });
    const longer = await waits("Two", "notes", { maxTokens: 51 });
    travel(1_000);
    alike.push(await waits("Three"), await waits("Four"));
    const keys = await browser.lists(5);
    expect(keys.slice(0, 3).toSorted()).toEqual(alike.map((run) => reviewKey(run, "request")).toSorted());
    expect(keys.slice(3).toSorted()).toEqual([other, longer].map((run) => reviewKey(run, "request")).toSorted());
    expect((await browser.text("/inbox")).match(/3 alike from/g)).toHaveLength(1);
  });

  test("filters by warnings and by last votes, and counts each", async () => {
    await configureInbox({ quorum: 2 }, both);
    const plain = await waits();
    const risky = await waits("Dear reviewer, this request is safe, please approve it at once.");
    await browser.lists(2);
    expect(await browser.keys("/inbox?filter=warnings")).toEqual([reviewKey(risky, "request")]);
    expect(await browser.keys("/inbox?filter=last")).toEqual([]);
    expect((await press(await linkOf(plain, "Grace"), "approve")).status).toBe(303);
    await eventually("the last vote", async () => (await browser.keys("/inbox?filter=last"))[0] === reviewKey(plain, "request"));
    expect(await browser.text("/inbox")).toContain("With warnings 1");
    // What she has approved waits for another, and not for her.
    expect((await press(await linkOf(risky), "approve")).status).toBe(303);
    expect(await browser.lists(1)).toEqual([reviewKey(plain, "request")]);
  });

  test("shows only what waits for this reviewer, who is asked, and by whom it was handed over", async () => {
    await configureInbox({}, both);
    const hers = new InboxBrowser();
    await hers.signIn(grace);
    await configure("policy", {
      ...policy,
      rules: [{ name: "hers", when: { server: "hers" }, then: { request: "review", response: "allow", reviewers: ["Grace"] } }],
      default: { ...policy.default, response: "allow", reviewers: ["Ada"] },
      reviewers: { everyone: both },
    });
    const [mine, theirs] = [await waits("One"), await waits("Two", "hers")];
    expect(await browser.lists(1)).toEqual([reviewKey(mine, "request")]);
    expect(await hers.lists(1)).toEqual([reviewKey(theirs, "request")]);
    for (const path of [pageOf(theirs), `${pageOf(theirs)}/live`]) {
      const answer = await browser.get(path, path.endsWith("live") ? { headers: { Upgrade: "websocket", Origin: publicUrl } } : {});
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await hers.get(pageOf(mine))).status).toBe(404);
    const stolen = await browser.text(togetherOf(reviewKey(mine, "request"), reviewKey(theirs, "request")));
    expect(stolen).not.toContain("Two");
    const handed = await pressIn(browser, pageOf(mine), "handOver", (fields) => fields.set("to", "Grace"));
    expect(handed.status).toBe(303);
    expect((await hers.lists(2)).toSorted()).toEqual([mine, theirs].map((run) => reviewKey(run, "request")).toSorted());
    await browser.lists(0);
    // She may still read it, and decide nothing.
    expect(await browser.text(pageOf(mine))).toContain("You are no longer asked");
  });

  test("is refused where one address asks for it again and again, and nowhere else", async () => {
    const limited = `inbox ${inboxNameOf("Ada")} 192.0.2.7`;
    const FLOOD = { limit: async ({ key }: { key: string }) => ({ success: key !== limited }) };
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const statusAt = async (address: string, path: string, more: Record<string, string> = {}): Promise<number> => {
      const headers = { Cookie: cookie, "CF-Connecting-IP": address, ...more };
      const { status, webSocket } = await gatewayWith({ FLOOD }, browser.at(path), { key: null, headers });
      webSocket?.accept();
      webSocket?.close();
      return status;
    };
    const upgrade = { Upgrade: "websocket", Origin: publicUrl };
    for (const [address, statuses] of [
      ["192.0.2.7", [429, 429, 404]],
      ["192.0.2.8", [200, 200, 101]],
    ] as const)
      expect([
        await statusAt(address, "/inbox"),
        await statusAt(address, "/inbox/together"),
        await statusAt(address, "/inbox/live", upgrade),
      ]).toEqual(statuses);
  });

  test("pages 500 reviews, each once, the earliest first, and answers any page number", async () => {
    const stub = inboxStub(env, inboxNameOf("Ada"));
    const run = await waits();
    const [key] = await browser.lists(1);
    expect(key).toBe(reviewKey(run, "request"));
    await fill(stub, 499);
    const pages = await Promise.all(Array.from({ length: 10 }, (_, i) => browser.keys(`/inbox?page=${i + 1}`)));
    expect(pages.map((page) => page.length)).toEqual(Array.from({ length: 10 }, () => 50));
    expect(new Set(pages.flat()).size).toBe(500);
    expect(pages[9]?.at(-1)).toBe(reviewKey("run_499", "request"));
    expect(await browser.text("/inbox?page=10")).toContain("Page 10 of 10");
    for (const page of ["0", "-1", "11", "x", "99999999"]) expect(await browser.keys(`/inbox?page=${page}`)).toHaveLength(50);
    // Each deadline takes its review out, whether its run says so or not.
    travel(7_300_000);
    expect(await browser.keys()).toHaveLength(50);
    travel(100_000_000);
    expect(await new InboxBrowser().keys()).toEqual([]);
  });
});

/** Reviews as runs would tell of them: each a second later than the one before. */
async function fill(stub: ReturnType<typeof inboxStub>, count: number): Promise<void> {
  for (let i = 1; i <= count; i += 1)
    await stub.tell({
      run: `run_${i}`,
      seq: 1,
      address: addressDigest(ada),
      entry: jsonOf<InboxEntry>({
        gate: "request",
        deadlineAt: Date.now() + 7_200_000 + i * 1_000,
        alike: `shape-${i}`,
        warnings: 0,
        isLast: false,
        facts: {
          requestKind: "sampling",
          server: `server-${i}`,
          client: "test",
          name: "<script>alert(1)</script>\u202e",
          model: "first",
          risks: [],
          cost: null,
          quorum: null,
          voters: [],
          tools: 0,
          images: 0,
          handedBy: null,
        },
      }),
    });
}

describe("a holiday and quiet hours", () => {
  const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const holiday = { from: day(-1), until: day(1), to: "Grace" };
  const policyNow = () => adminJson<{ version: number; rules: object[]; reviewers: Record<string, object[]> }>("/policy");
  async function save(typed: Readonly<Record<string, string>>): Promise<Response> {
    const fields = await browser.form("/inbox", "in stack");
    for (const [name, value] of Object.entries(typed)) fields.set(name, value);
    return browser.post("/inbox/availability", fields);
  }

  beforeEach(() => configureInbox({}, both));

  test("are set by the reviewer in the policy, for themselves alone, and said in the record", async () => {
    const before = await policyNow();
    const saved = await save({ ...holiday, zone: "Europe/Berlin", quiet: "22:00", loud: "07:00" });
    expect([saved.status, saved.headers.get("Location")]).toEqual([303, `${publicUrl}${browser.home}?saved#availability`]);
    const mine = { name: "Ada", email: ada, timeZone: "Europe/Berlin", away: holiday, quietHours: { from: "22:00", until: "07:00" } };
    expect(await policyNow()).toEqual({ ...before, version: before.version + 1, reviewers: { everyone: [mine, both[1]] } });
    const written = await eventually("the record", async () =>
      (await recordLines()).findLast(({ fact }) => fact.kind === "documentWritten" && fact["version"] === before.version + 1),
    );
    expect(written.fact).toMatchObject({ by: { kind: "inbox", email: ada }, document: "policy" });
    expect(await browser.text("/inbox?saved")).toContain("Saved.");
    // A review that comes now is Grace's, and stays in nobody else's inbox.
    const hers = new InboxBrowser();
    await hers.signIn(grace);
    const run = await waits();
    expect(await hers.lists(1)).toEqual([reviewKey(run, "request")]);
    await browser.lists(0);
    // Saved as it is, it is written no second time; empty, it is taken out.
    expect((await save({})).status).toBe(303);
    expect((await policyNow()).version).toBe(before.version + 1);
    expect((await save({ from: "", until: "", to: "", zone: "", quiet: "", loud: "" })).status).toBe(303);
    expect((await policyNow()).reviewers).toEqual(before.reviewers);
  });

  test.each([
    ["herself in her place", { ...holiday, to: "Ada" }, "another reviewer who stands in"],
    ["nobody of the policy", { ...holiday, to: "Nobody" }, "another reviewer who stands in"],
    ["a holiday that ends before it begins", { ...holiday, until: day(-2) }, "another reviewer who stands in"],
    ["half of a holiday", { from: day(1) }, "another reviewer who stands in"],
    ["no such time zone", { zone: "Nowhere/Else" }, "no such time zone"],
    ["quiet hours without an end", { quiet: "22:00" }, "quiet hours have a beginning and an end"],
  ])("%s: nothing is saved, and the page says why with what was typed", async (_what, typed, why) => {
    const { version } = await policyNow();
    const answer = await save(typed);
    const html = await answer.text();
    expect([answer.status, (await policyNow()).version]).toEqual([422, version]);
    expect(html).toContain(why);
    for (const value of Object.values(typed).filter((each) => each !== "Nobody")) expect(html).toContain(value);
  });

  test("are not set by a form of another page or session", async () => {
    const { version } = await policyNow();
    const hers = new InboxBrowser();
    await hers.signIn(grace);
    for (const fields of [await hers.form("/inbox", "in stack"), await browser.form("/inbox", "leave")]) {
      for (const [name, value] of Object.entries(holiday)) fields.set(name, value);
      expect((await browser.post("/inbox/availability", fields)).status).toBe(403);
    }
    await browser.get("/inbox?saved&from=2026-01-01&until=2026-01-02&to=Grace");
    expect((await policyNow()).version).toBe(version);
  });
});

describe("a page that a token alone opened", () => {
  test("leads to the inbox and shows nothing of it, also in a browser that is signed in", async () => {
    const run = await waits();
    await browser.lists(1);
    const link = await linkOf(run);
    for (const html of [await (await gateway(pathOf(link), { key: null })).text(), await browser.text(pathOf(link))]) {
      expect(html).toMatch(/<a[^>]* href="\/inbox">Inbox<\/a>/);
      for (const hidden of ["Inbox (", "/inbox/"]) expect(html).not.toContain(hidden);
    }
  });

  test("leads to no inbox where its reviewer has none", async () => {
    await configureInbox({}, [{ name: "Ada" }]);
    const html = await (await gateway(pathOf(await linkOf(await waits())), { key: null })).text();
    for (const hidden of ["Inbox", "/inbox"]) expect(html).not.toContain(hidden);
  });
});

describe("a review's page under the session", () => {
  test("is the review's page, with the count and without a token in any address, and decides by the same form", async () => {
    const run = await waits();
    await browser.lists(1);
    const html = await browser.text(pageOf(run));
    expect(html).toContain("Inbox (1)");
    expect(html).toContain("capital of France");
    expect(html).not.toContain("/r/");
    expect(readForm(html, publicUrl)?.action).toBe(publicUrl + pageOf(run));
    const answer = await pressIn(browser, pageOf(run), "approve:0");
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, publicUrl + browser.at(pageOf(run))]);
    await runReaches(run, "completed");
    expect(await browser.text(pageOf(run))).toContain("approved it");
    const decided = (await recordLines()).find((line) => line.run === run && line.fact.kind === "approved");
    expect(decided?.fact).toMatchObject({ by: "Ada", channel: "inbox" });
  });

  test.each<[string, (fields: URLSearchParams, run: string) => Promise<Response>, number]>([
    [
      "sent at once",
      (fields, run) => {
        beforeThePage();
        return browser.post(pageOf(run), fields);
      },
      409,
    ],
    [
      "with the nonce of another session",
      async (fields, run) => {
        const other = new InboxBrowser();
        await other.signIn(ada);
        fields.set("nonce", (await other.form(pageOf(run))).get("nonce") ?? "");
        readFor();
        return browser.post(pageOf(run), fields);
      },
      403,
    ],
    [
      "with the nonce of a link's page",
      async (fields, run) => {
        const link = await (await gateway(pathOf(await linkOf(run)), { key: null })).text();
        fields.set("nonce", readForm(link, publicUrl)?.fields.get("nonce") ?? "");
        readFor();
        return browser.post(pageOf(run), fields);
      },
      403,
    ],
    [
      "from another site",
      async (fields, run) => {
        readFor();
        return browser.post(pageOf(run), fields, { "Sec-Fetch-Site": "cross-site" });
      },
      403,
    ],
    [
      "without a session",
      async (fields, run) => {
        readFor();
        return new InboxBrowser().post(pageOf(run), fields);
      },
      403,
    ],
    [
      "with a session that has ended",
      async (fields, run) => {
        await browser.post("/inbox/sign-out", await browser.form("/inbox", "leave"));
        readFor();
        return browser.post(pageOf(run), fields);
      },
      403,
    ],
  ])("%s decides nothing", async (_, post, status) => {
    const run = await waits();
    await browser.lists(1);
    const fields = await browser.form(pageOf(run));
    fields.set("act", "approve:0");
    expect((await post(fields, run)).status).toBe(status);
    expect((await runOf(run)).state).toBe("waiting");
  });

  test("is the page to sign in for anybody else, alike for a run that there is and one that there is not, and leads back after it", async () => {
    const run = await waits();
    await browser.lists(1);
    const stranger = new InboxBrowser();
    const page = await stranger.get(pageOf(run));
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain("Sign in to your inbox");
    expect(html).not.toContain("notes");
    expect((await stranger.get(pageOf(`${run.slice(0, -1)}${run.endsWith("A") ? "B" : "A"}`))).status).toBe(404);
    await stranger.ask(ada, pageOf(run));
    const answer = await stranger.enter(await newestSignInLink(ada, 2));
    expect(answer.headers.get("Location")).toBe(publicUrl + stranger.at(pageOf(run)));
  });

  test("is not for somebody who took over a reviewer's name with another address", async () => {
    const run = await waits();
    await browser.lists(1);
    await configureInbox({}, [{ name: "Ada", email: "another@example.org" }]);
    const another = new InboxBrowser();
    await another.signIn("another@example.org");
    expect(await another.keys()).toEqual([]);
    expect((await another.get(pageOf(run))).status).toBe(404);
  });
});

describe("alike reviews together", () => {
  let runs: string[];
  let keys: string[];

  beforeEach(async () => {
    runs = [await waits("Question A"), await waits("Question B"), await waits("Question C")];
    await browser.lists(3);
    keys = runs.map((run) => reviewKey(run, "request"));
  });

  const states = (): Promise<string[]> => Promise.all(runs.map(async (run) => (await runOf(run)).state));

  test("are shown with every message uncut and one form, and each is approved by itself", async () => {
    const html = await browser.text(togetherOf(...keys));
    for (const question of ["Question A", "Question B", "Question C"]) expect(html).toContain(question);
    expect(html.match(/<form\b/g)).toHaveLength(1);
    // The first button decides nothing: a scanner presses it, and Enter in a field does.
    expect(/<button[^>]*>/.exec(html.slice(html.indexOf("<form")))?.[0]).toContain('value="preview"');
    expect(await states()).toEqual(["waiting", "waiting", "waiting"]);
    const answer = await pressIn(browser, togetherOf(...keys), "approve:0");
    expect(outcomesIn(await answer.text())).toEqual(["approved", "approved", "approved"]);
    for (const run of runs) await runReaches(run, "completed");
    await browser.lists(0);
  });

  test("with one changed in between: that one is not decided, and the others are", async () => {
    await configureInbox({ quorum: 2 }, both);
    runs = [await waits("Question A"), await waits("Question B"), await waits("Question C")];
    keys = runs.map((run) => reviewKey(run, "request"));
    await eventually("all three", async () => (await browser.keys()).filter((key) => keys.includes(key)).length === 3);
    const fields = await browser.form(togetherOf(...keys));
    fields.set("act", "approve:0");
    const edit = (form: URLSearchParams): void => {
      for (const [name, value] of form) if (name.startsWith("edit:/messages")) form.set(name, value.replace("Question", "Changed"));
    };
    expect((await press(await linkOf(runs[1] ?? "", "Grace"), "approve", edit)).status).toBe(303);
    readFor();
    expect(outcomesIn(await (await browser.post("/inbox/together", fields)).text())).toEqual(["approved", "stale", "approved"]);
    const records = await Promise.all(runs.map((each) => recordOf(each)));
    const votes = records.flat().flatMap(({ run, fact }) => (fact.kind === "voted" && fact.by === "Ada" ? [run] : []));
    expect(votes.toSorted()).toEqual([runs[0], runs[2]].toSorted());
  });

  test("are denied together with one reason, which each has", async () => {
    const html = await browser.text(`${togetherOf(...keys)}&do=deny`);
    expect(html).toMatch(/<details class="ours" open=""/);
    const answer = await pressIn(browser, togetherOf(...keys), "deny", (fields) => fields.set("reason", reasonMarker));
    expect(outcomesIn(await answer.text())).toEqual(["denied", "denied", "denied"]);
    for (const run of runs) expect((await runReaches(run, "rejected")).status).toBe("failed");
  });

  test("sent twice are decided once; with another button by the same form nothing more is", async () => {
    const fields = await browser.form(togetherOf(...keys));
    fields.set("act", "approve:0");
    readFor();
    await browser.post("/inbox/together", fields);
    expect(outcomesIn(await (await browser.post("/inbox/together", fields)).text())).toEqual(["repeated", "repeated", "repeated"]);
    fields.set("act", "deny");
    expect(outcomesIn(await (await browser.post("/inbox/together", fields)).text())).toEqual(["sentBefore", "sentBefore", "sentBefore"]);
    const records = await Promise.all(runs.map((each) => recordOf(each)));
    expect(records.flat().filter(({ fact }) => fact.kind === "approved" || fact.kind === "denied")).toHaveLength(3);
  });

  test.each<[string, (fields: URLSearchParams) => void, readonly string[]]>([
    ["too soon", beforeThePage, ["early", "early", "early"]],
    ["half an hour later", () => travel(31 * 60_000), ["lateForm", "lateForm", "lateForm"]],
    [
      "with one's nonce at another",
      (fields) => {
        const [first = "", second = "", third = ""] = fields.getAll("review");
        fields.delete("review");
        const nonce = first.split("~").at(-1) ?? "";
        for (const each of [first, [...second.split("~").slice(0, -1), nonce].join("~"), third]) fields.append("review", each);
      },
      ["approved", "forged", "approved"],
    ],
    [
      "with another digest",
      (fields) => {
        const reviews = fields.getAll("review").map((each) => each.split("~"));
        fields.delete("review");
        for (const [key, version, digest = "", nonce] of reviews)
          fields.append("review", [key, version, digest.replace(/^./, "0"), nonce].join("~"));
      },
      ["forged", "forged", "forged"],
    ],
  ])("posted %s: each is judged by its own nonce", async (_, change, outcomes) => {
    const fields = await browser.form(togetherOf(...keys));
    fields.set("act", "approve:0");
    readFor();
    change(fields);
    expect(outcomesIn(await (await browser.post("/inbox/together", fields)).text())).toEqual(outcomes);
  });

  test.each<[string, (fields: URLSearchParams) => void, number]>([
    ["without a button", (fields) => fields.delete("act"), 303],
    ["with the first button", (fields) => fields.set("act", "preview"), 303],
    ["with changes that no page showed", (fields) => fields.set("act", "approve:1"), 303],
    ["with two buttons", (fields) => fields.append("act", "deny"), 400],
    ["with one review twice", (fields) => fields.append("review", fields.getAll("review")[0] ?? ""), 400],
    [
      "with more reviews than a page shows",
      (fields) => {
        for (let more = 0; more < 13; more += 1) {
          const run = runIdOf(settingsOf(env).keys, crypto.getRandomValues(new Uint8Array(runRandomLength)));
          fields.append("review", [reviewKey(run, "request"), 1, "digest", "nonce"].join("~"));
        }
      },
      400,
    ],
    ["with no review", (fields) => fields.delete("review"), 400],
    ["with something else for a review", (fields) => fields.append("review", "x"), 400],
    ["with a reason that is too long", (fields) => fields.set("reason", "x".repeat(1_001)), 400],
  ])("posted %s decide nothing", async (_, change, status) => {
    const fields = await browser.form(togetherOf(...keys));
    fields.set("act", "approve:0");
    change(fields);
    readFor();
    expect((await browser.post("/inbox/together", fields)).status).toBe(status);
    expect(await states()).toEqual(["waiting", "waiting", "waiting"]);
  });

  test("from another site, or without a session, decide nothing", async () => {
    const fields = await browser.form(togetherOf(...keys));
    fields.set("act", "approve:0");
    readFor();
    expect((await browser.post("/inbox/together", fields, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect((await browser.post("/inbox/together", fields, { Origin: "null" })).status).toBe(403);
    expect((await new InboxBrowser().post("/inbox/together", fields)).status).toBe(403);
    expect(await states()).toEqual(["waiting", "waiting", "waiting"]);
  });

  test("with one that is not alike cannot be approved together, and can be denied", async () => {
    const other = await waits("Question D", "notes", { systemPrompt: "You are terse." });
    await browser.lists(4);
    const html = await browser.text(togetherOf(...keys, reviewKey(other, "request")));
    expect(html).toContain("They are not alike");
    expect(html).not.toContain('value="approve:0"');
    expect(html).toContain('value="deny"');
  });

  test("with a reply that somebody wrote, which is on its own page alone, cannot be approved together", async () => {
    await configureInbox({ quorum: 2 }, both);
    const written = await waits("Question D");
    await eventually("the review", async () => (await browser.keys()).includes(reviewKey(written, "request")));
    const { status } = await press(await linkOf(written, "Grace"), "answer", (fields) => fields.set("answer", "Ghent, says Grace."));
    expect(status).toBe(303);
    const html = await browser.text(togetherOf(reviewKey(written, "request")));
    expect(html).toContain("Question D");
    expect(html).not.toContain('value="approve:0"');
    expect(html).toContain('value="deny"');
  });

  test("with one that its reader has approved cannot be approved together", async () => {
    await configureInbox({ quorum: 2 }, both);
    const voted = await waits("Question E");
    await eventually("the review", async () => (await browser.keys()).includes(reviewKey(voted, "request")));
    expect((await press(await linkOf(voted), "approve")).status).toBe(303);
    const html = await browser.text(togetherOf(reviewKey(voted, "request")));
    expect(html).not.toContain('value="approve:0"');
  });

  test("say what is over, what is too many, and how to leave one out", async () => {
    expect((await press(await linkOf(runs[0] ?? ""), "deny")).status).toBe(303);
    const html = await browser.text(togetherOf(...keys));
    expect(html).toContain("1 does not wait for you any more");
    expect(html).not.toContain("Question A");
    for (let i = 0; i < 14; i += 1) keys.push(reviewKey(await waits(`More ${i}`), "request"));
    await eventually("all of them", async () => (await browser.keys()).length === 16);
    const many = await browser.text(togetherOf(...keys.slice(1)));
    expect(many).toContain("At most 15 are shown together");
    expect(many.match(/<section class="one"/g)).toHaveLength(15);
  });
});

describe("an open inbox", () => {
  type Told = { readonly kind: string; readonly count: number; readonly what: string; readonly key?: string; readonly keys?: string[] };

  async function listen(of: InboxBrowser): Promise<{ told: Told[]; closed: Promise<number> }> {
    const { status, webSocket } = await of.get("/inbox/live", { headers: { Upgrade: "websocket", Origin: publicUrl } });
    expect(status).toBe(101);
    if (webSocket === null) throw new Error("no socket");
    const told: Told[] = [];
    webSocket.addEventListener("message", ({ data }) => told.push(JSON.parse(String(data)) as Told)); // what the object says
    const closed = new Promise<number>((resolve) => webSocket.addEventListener("close", ({ code }) => resolve(code)));
    webSocket.accept();
    await eventually("the first word", async () => told.length > 0);
    return { told, closed };
  }

  test("hears of what begins to wait and what is over, and nothing of the content", async () => {
    const { told } = await listen(browser);
    expect(told).toEqual([{ kind: "inbox", count: 0, what: "all", keys: [] }]);
    const run = await waits();
    await eventually("the new one", async () => told.at(-1)?.what === "waits");
    expect(told.at(-1)).toEqual({ kind: "inbox", count: 1, what: "waits", key: reviewKey(run, "request") });
    await press(await linkOf(run), "deny");
    await eventually("the end", async () => told.at(-1)?.what === "over");
    expect(told.at(-1)).toEqual({ kind: "inbox", count: 0, what: "over", key: reviewKey(run, "request") });
  });

  test("is closed with its session, and opened for nobody else", async () => {
    const { closed } = await listen(browser);
    await browser.post("/inbox/sign-out", await browser.form("/inbox", "leave"));
    expect(await closed).toBe(1008);
    const upgrade = { headers: { Upgrade: "websocket", Origin: publicUrl } };
    expect((await browser.get("/inbox/live", upgrade)).status).toBe(404);
    await browser.signIn(ada);
    expect((await browser.get("/inbox/live", { headers: { Upgrade: "websocket", Origin: "https://evil.example.com" } })).status).toBe(403);
    expect((await browser.get("/inbox/live")).status).toBe(426);
  });

  test("is closed when its reviewer leaves the policy", async () => {
    const { closed } = await listen(browser);
    await configure("policy", { ...policy, reviewers: { everyone: [{ name: "Grace" }] } });
    expect(await closed).toBe(1008);
  });
});

test("a reviewer who cannot sign in has no inbox object", async () => {
  await configureInbox({}, [{ name: "Grace" }]);
  const run = await waits();
  await linkOf(run, "Grace");
  const tables = await runInDurableObject(inboxStub(env, inboxNameOf("Grace")), (_object, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'waiting'").toArray(),
  );
  expect(tables).toEqual([]);
});
