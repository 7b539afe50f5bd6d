// The policy's page by its forms, as a browser without scripts sends them.

import { beforeEach, describe, expect, test } from "vitest";
import { readForm } from "../../../../scripts/page-form.ts";
import { createKey, configure, adminJson, gateway, openNotice, sample, eventually } from "../../support/gateway.ts";
import { approvalIn, askAbout, askApproval, deletion } from "../../support/approvals.ts";
import { decide, pathOf } from "../../support/reviewer.ts";
import { type ConsoleBrowser, atConsole } from "../../support/console.ts";

const policy = {
  rules: [
    { name: "first", when: { risk: "high" }, then: { deadlineSeconds: 61 } },
    { name: "second", when: { server: "open*" }, then: { request: "allow", response: "allow" } },
    { name: "<b>third</b>", when: { tool: "<script>" } },
  ],
  default: { reviewers: ["everyone"] },
  reviewers: { everyone: [{ name: "Ada" }] },
};

type Rules = readonly { readonly name: string; readonly then?: Record<string, unknown> }[];
type Document = { readonly version: number; readonly rules: Rules };
const current = (): Promise<Document> => adminJson<Document>("/policy");

/** The fields of the page's form, as a browser has them before anything is typed. */
function fieldsIn(text: string): Record<string, string> {
  const form = /<form[^>]*id="policy"[\s\S]*?<\/form>/.exec(text)?.[0] ?? "";
  const { session: _session, ...fields } = Object.fromEntries(readForm(form, "http://localhost/")?.fields ?? []);
  return fields;
}

type Answer = { readonly status: number; readonly text: string; readonly location: string | null };

/** Presses a button of a page, with what was typed. */
const press = (browser: ConsoleBrowser, page: string, act: string, typed: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  browser.post("policy", { ...fieldsIn(page), ...typed, do: act });

const draftIn = (text: string): Document => JSON.parse(fieldsIn(text)["draft"] ?? "null") as Document;
const namesIn = (text: string): string[] => draftIn(text).rules.map(({ name }) => name);

let browser: ConsoleBrowser;
let page: string;

beforeEach(async () => {
  await configure("policy", policy);
  browser = await atConsole();
  ({ text: page } = await browser.get("policy"));
});

describe("a draft", () => {
  test("is in the form alone: moving, adding, removing and editing write nothing", async () => {
    const moved = await press(browser, page, "down:0");
    expect(namesIn(moved.text)).toEqual(["second", "first", "<b>third</b>"]);
    expect(moved.text).toContain('value="down:1" autofocus');
    const added = await press(browser, moved.text, "add");
    const named = await press(browser, added.text, "keep", { name: "fourth", position: "1", server: "notes" });
    expect(namesIn(named.text)).toEqual(["fourth", "second", "first", "<b>third</b>"]);
    const removed = await press(browser, named.text, "remove:1");
    expect(namesIn(removed.text)).toEqual(["fourth", "first", "<b>third</b>"]);
    expect(removed.text).toContain("Removed: ");
    expect((await current()).rules).toEqual(policy.rules);
    expect((await browser.get("policy")).text).toContain("first");
  });

  test("is saved as the next version, and what no field touched is as it was", async () => {
    const { version } = await current();
    const opened = await press(browser, page, "edit:1");
    const { status, location } = await press(browser, opened.text, "save", { server: "mail" });
    expect([status, location]).toEqual([303, `/console/policy?done=saved&version=${version + 1}`]);
    expect((await current()).rules).toEqual([
      policy.rules[0],
      { name: "second", when: { server: "mail" }, then: { request: "allow", response: "allow" } },
      policy.rules[2],
    ]);
  });

  test("that is not valid is not saved, says where, and keeps what was typed", async () => {
    const opened = await press(browser, page, "edit:0");
    const { status, text } = await press(browser, opened.text, "save", { quorum: "two", name: "mine" });
    expect(status).toBe(422);
    expect(text).toContain("Nothing was saved.");
    expect(text).toContain("<code>/then/quorum</code>");
    expect(fieldsIn(text)).toMatchObject({ quorum: "two", name: "mine", editing: "0" });
    expect((await current()).rules).toEqual(policy.rules);
  });

  test("of an older version is not saved; what both changed is said, and the draft is kept", async () => {
    const opened = await press(browser, page, "edit:0");
    await configure("policy", { ...policy, rules: policy.rules.slice(1) });
    const { version } = await current();
    const conflict = await press(browser, opened.text, "save", { name: "mine" });
    expect(conflict.status).toBe(422);
    expect(conflict.text).toContain(`name="version" value="${version}"`);
    const kept = JSON.parse(
      /<textarea[^>]*name="text"[^>]*>([\s\S]*?)<\/textarea>/
        .exec(conflict.text)?.[1]
        ?.replaceAll("&quot;", '"')
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">") ?? "{}",
    ) as { rules: Rules };
    expect(kept.rules.map(({ name }) => name)).toEqual(["mine", "second", "<b>third</b>"]);
    expect((await current()).version).toBe(version);
  });

  test("that cuts API keys off is saved after a question that names them", async () => {
    const key = await createKey({ name: "unowned" });
    const opened = await press(browser, page, "edit:default");
    const fields = { ...fieldsIn(opened.text), selfApproval: "no" };
    const asked = await browser.post("policy", { ...fields, do: "save" });
    expect(asked.status).toBe(422);
    expect(asked.text).toContain(key.name);
    expect((await press(browser, asked.text, "save-cutting")).status).toBe(303);
    expect((await adminJson<{ default: object }>("/policy")).default).toMatchObject({ selfApproval: false });
  });

  test("that cannot be read is refused, and the policy in use is shown", async () => {
    for (const draft of ["", "[]", "{", "null"]) {
      const { status, text } = await press(browser, page, "save", { draft });
      expect(status).toBe(422);
      expect(namesIn(text)).toEqual(policy.rules.map(({ name }) => name));
    }
  });

  test("with names from outside never becomes elements", async () => {
    const hostile = { ...policy, reviewers: { "<i>group</i>": [{ name: 'An"n' }], everyone: [{ name: "Ada" }] } };
    const { text } = await press(browser, page, "edit:2", {
      draft: JSON.stringify({ ...hostile, rules: [...policy.rules, { name: 7, when: [], then: "x" }] }),
    });
    expect(text).not.toMatch(/<b>third|<i>group|<script>[^(]*<\/bdi/);
    expect(text).toContain("This rule is not valid.");
  });
});

test("a replay says what would change, and goes on where it stopped", async () => {
  await sample({ server: "open", id: 1 });
  void sample({ server: "notes", id: 2 });
  await openNotice("request");
  await eventually("the lines", async () => (await adminJson<{ runs: unknown[] }>("/runs")).runs.length >= 2);
  const opened = await press(browser, page, "edit:default");
  const replayed = await press(browser, opened.text, "replay", { request: "allow", response: "allow" });
  expect(replayed.status).toBe(200);
  expect(replayed.text).toContain("2 of 2 requests read");
  expect(replayed.text).toContain("1 would have passed unseen.");
  expect(replayed.text).toMatch(/href="\/console\/requests\/run_/);
  const part = await press(browser, replayed.text, "go-on", { part: "replay" });
  expect(part.text).toMatch(/^<section/);
  // Another draft is another replay.
  expect((await press(browser, replayed.text, "up:1")).text).not.toContain("requests read");
  const invalid = await press(browser, opened.text, "replay", { quorum: "x" });
  expect(invalid.status).toBe(422);
});

test("a rule that asks less is drafted from a call, shown with the calls that it would let pass, and saved as an edit", async () => {
  await askAbout();
  const answers = [deletion, { ...deletion, arguments: { path: "/tmp/b" } }].map((call) => askApproval(call));
  const runs = await eventually("two reviews", async () => {
    const asked = await adminJson<{ runs: { id: string; rule: string | null }[] }>("/runs?state=waiting");
    return asked.runs.length === 2 ? asked.runs.map(({ id }) => id) : null;
  });
  const [run = ""] = runs;
  const { link } = await openNotice("request", run);
  await decide("request", "approve", run);
  expect(await (await gateway(pathOf(link), { key: null })).text()).toContain(`href="/console/requests/${run}">Ask me less like this</a>`);
  expect((await browser.get(`requests/${run}`)).text).toContain(`/console/policy?less=${run}`);
  const before = await current();
  const { status, text } = await browser.get(`policy?less=${run}`);
  expect(status).toBe(200);
  const drafted = { name: "delete_file passes", when: { subject: "toolCall", server: "files", tool: "delete_file", key: "dev" } };
  expect(draftIn(text).rules[0]).toEqual({ ...drafted, then: { request: "allow", selfApproval: true, tellReason: true } });
  expect(text).toContain("2 of 2 requests read");
  expect(text).toContain("delete_file");
  expect(await current()).toEqual(before);
  expect((await press(browser, text, "save")).status).toBe(303);
  expect(namesIn((await browser.get("policy")).text)[0]).toBe("delete_file passes");
  const none = await browser.get("policy?less=run_none");
  expect(none.text).toContain("No rule was drafted");
  for (const each of runs.slice(1)) await decide("request", "deny", each);
  await Promise.all(answers);
  // Once saved, the rule covers what it says, and nothing beside.
  const covered = await approvalIn(askApproval({ ...deletion, arguments: { path: "/tmp/c", force: true } }));
  expect(covered).toMatchObject({ decision: "approved", mode: "policy" });
  const { key } = await createKey();
  const others = [
    askApproval({ ...deletion, tool: "delete_files" }),
    askApproval({ ...deletion, server: "disks" }),
    askApproval(deletion, { key }),
  ];
  const asked = await eventually("a review of each", async () => {
    const waiting = (await adminJson<{ runs: { id: string }[] }>("/runs?state=waiting")).runs.filter(({ id }) => !runs.includes(id));
    return waiting.length === others.length ? waiting : null;
  });
  for (const { id } of asked) await decide("request", "deny", id);
  for (const other of others) expect(await approvalIn(other)).toMatchObject({ decision: "denied", mode: "human" });
});

test("VS Code's setting is shown as rules, then put before all others", async () => {
  const pasted = '{ "chat.mcp.serverSampling": { "Global in Code: notes": { "allowedDuringChat": true, "allowedOutsideChat": false } } }';
  const previewed = await press(browser, page, "import", { pasted });
  expect(previewed.text).toContain("Add 2 rules on top");
  expect(namesIn(previewed.text)).toHaveLength(3);
  const added = await press(browser, previewed.text, "import-add", { pasted });
  expect(namesIn(added.text)).toEqual(["VS Code: notes, tool calls", "VS Code: notes, other", "first", "second", "<b>third</b>"]);
  const wrong = await press(browser, page, "import", { pasted: "no" });
  expect(wrong.status).toBe(422);
  expect(wrong.text).toContain("This is not JSON.");
  expect(wrong.text).toContain(">no</textarea>");
});
