// The console's page of budgets: adding, changing and removing one in a form, also where two
// operators do so at once.

import { describe, expect, test } from "vitest";
import { adminJson, answerOf, configure, createKey, eventually, policy, sample } from "../../support/gateway.ts";
import { type ConsoleBrowser, atConsole, contentOf } from "../../support/console.ts";

const all = { of: "everything", usd: 500, per: "month", notify: ["ops@example.com"] };
const notes = { of: { server: "notes" }, usd: 20, tokens: 10_000, per: "day" };

const budgets = async (): Promise<Record<string, object>> => (await adminJson<{ budgets: Record<string, object> }>("/budgets")).budgets;
const fields = { name: "people", of: "eachOwner", "of-name": "", usd: "5", tokens: "", per: "day", notify: "" };

/** What the form of a page has: its version, and with `edit` the budget's fields. */
async function opened(browser: ConsoleBrowser, edit = ""): Promise<Record<string, string>> {
  const { text } = await browser.get(edit === "" ? "budgets" : `budgets?edit=${edit}`);
  return { version: contentOf(text.slice(text.indexOf('id="form"')), "version") };
}

describe("a budget", () => {
  test("is added, changed and removed, and the rest of the document stays", async () => {
    await configure("budgets", { budgets: { all, notes } });
    const browser = await atConsole();
    const added = await browser.post("budgets", { ...fields, ...(await opened(browser)) });
    expect([added.status, added.location]).toEqual([303, "/console/budgets?done=saved"]);
    expect(await budgets()).toEqual({ all, notes, people: { of: { owner: "*" }, usd: 5, per: "day" } });
    const { version = "" } = await opened(browser, "notes");
    const change = { was: "notes", name: "notes", of: "server", "of-name": "files", usd: "", tokens: "7", per: "month", version };
    expect((await browser.post("budgets", { ...change, notify: "a@example.com\nb@example.com" })).status).toBe(303);
    expect((await budgets())["notes"]).toEqual({
      of: { server: "files" },
      tokens: 7,
      per: "month",
      notify: ["a@example.com", "b@example.com"],
    });
    expect(Object.keys(await budgets())).toEqual(["all", "notes", "people"]);
    const last = await opened(browser);
    expect((await browser.post("budgets", { was: "notes", do: "remove", ...last })).location).toBe("/console/budgets?done=removed");
    expect(Object.keys(await budgets())).toEqual(["all", "people"]);
  });

  test("shows what is spent of it, and of whom where each has one", async () => {
    await configure("policy", { ...policy, default: { ...policy.default, request: "allow", response: "allow" } });
    await configure("budgets", { budgets: { all, notes, each: { of: { key: "*" }, usd: 0.000_1, per: "day" } } });
    const { id, key } = await createKey();
    await answerOf(sample({ server: "open" }, { key }));
    const browser = await atConsole();
    const text = await eventually("the spend", async () => {
      const page = (await browser.get("budgets")).text;
      return /\$0\.0\d+ of \$500\.00 a month/.test(page) ? page : null;
    });
    expect(text).toContain(`href="/console/keys/${id}"`);
    expect(text).toContain('href="/console/servers/notes"');
    expect(text).toContain("each key");
    expect(text).toContain("1 address is told");
  });
});

describe("two operators at once", () => {
  test("changed the same budget: the second sees the difference, and saves again", async () => {
    await configure("budgets", { budgets: { all } });
    const [ann, bo] = [await atConsole(), await atConsole()];
    const change = { was: "all", name: "all", of: "everything", "of-name": "", tokens: "", per: "month", notify: "ops@example.com" };
    const [first, second] = [await opened(ann, "all"), await opened(bo, "all")];
    expect((await ann.post("budgets", { ...change, ...first, usd: "600" })).status).toBe(303);
    const refused = await bo.post("budgets", { ...change, ...second, usd: "700" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("Somebody else changed this while you did.");
    expect(refused.text).toMatch(/<td>US dollars<\/td><td><bdi class="plain">600<\/bdi><\/td><td><bdi class="plain">700<\/bdi><\/td>/);
    expect(await budgets()).toEqual({ all: { ...all, usd: 600 } });
    const form = refused.text.slice(refused.text.indexOf('id="form"'));
    expect(contentOf(form, "usd")).toBe("700");
    expect((await bo.post("budgets", { ...change, usd: "700", version: contentOf(form, "version") })).status).toBe(303);
    expect(await budgets()).toEqual({ all: { ...all, usd: 700 } });
  });

  test("changed two budgets: both changes stand", async () => {
    await configure("budgets", { budgets: { all, notes } });
    const [ann, bo] = [await atConsole(), await atConsole()];
    const [first, second] = [await opened(ann), await opened(bo)];
    expect((await ann.post("budgets", { was: "notes", do: "remove", ...first })).status).toBe(303);
    expect((await bo.post("budgets", { ...fields, ...second })).status).toBe(303);
    expect(Object.keys(await budgets())).toEqual(["all", "people"]);
  });

  test("one removed what the other changes: nothing is removed, and nothing comes back unasked", async () => {
    await configure("budgets", { budgets: { all, notes } });
    const [ann, bo] = [await atConsole(), await atConsole()];
    const [first, second] = [await opened(ann), await opened(bo, "notes")];
    const change = { was: "notes", name: "notes", of: "server", "of-name": "notes", usd: "9", tokens: "", per: "day", notify: "" };
    await bo.post("budgets", { ...change, ...second });
    const kept = await ann.post("budgets", { was: "notes", do: "remove", ...first });
    expect([kept.status, kept.text.includes("Nothing was removed.")]).toEqual([422, true]);
    expect(await budgets()).toHaveProperty("notes");
    await ann.post("budgets", { was: "notes", do: "remove", ...(await opened(ann)) });
    const gone = await bo.post("budgets", { ...change, ...second });
    expect([gone.status, gone.text.includes("Somebody else removed this")]).toEqual([422, true]);
    expect(await budgets()).not.toHaveProperty("notes");
  });
});

describe("a form that is wrong", () => {
  test.each([
    [{ ...fields, name: "" }, "Enter a name."],
    [{ ...fields, name: "all" }, "There is one of this name already."],
    [{ ...fields, name: "key" }, "is the name of each key"],
    [{ ...fields, name: "a b" }, "is not a budget"],
    [{ ...fields, of: "server" }, "Enter whose budget it is."],
    [{ ...fields, usd: "" }, "Enter an amount of money or of tokens."],
    [{ ...fields, usd: "1,5" }, "Enter a number, such as 5 or 2.50."],
    [{ ...fields, tokens: "1.5" }, "Enter a whole number."],
    [{ ...fields, notify: "nobody" }, "Invalid email address"],
  ])("%#: saves nothing, says what is wrong, and keeps what was typed", async (typed, message) => {
    await configure("budgets", { budgets: { all } });
    const browser = await atConsole();
    const { status, text } = await browser.post("budgets", { ...typed, ...(await opened(browser)) });
    expect(status).toBe(422);
    expect(text).toContain(message);
    expect(text).toContain('aria-invalid="true"');
    expect(contentOf(text, "usd")).toBe(typed.usd);
    expect(await budgets()).toEqual({ all });
  });
});
