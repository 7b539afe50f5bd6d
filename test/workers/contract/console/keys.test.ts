// The console's page of API keys: creating one that is shown once, what a wrong form keeps, and
// revoking.

import { describe, expect, test } from "vitest";
import { configStub } from "../../../../workers/stubs/stubs.ts";
import { publishedKeyName } from "../../../../workers/stubs/config-calls.ts";
import {
  admin,
  adminJson,
  answerOf,
  configure,
  createKey,
  env,
  eventually,
  openNotice,
  policy,
  sample,
  travel,
} from "../../support/gateway.ts";
import { ConsoleBrowser, atConsole, contentOf } from "../../support/console.ts";
import { neverLogged } from "../../support/logs.ts";
import { recordLines } from "../../support/record.ts";

type Key = { readonly id: string; readonly name: string; readonly revokedAt: string | null; readonly [member: string]: unknown };
const keys = async (): Promise<readonly Key[]> => (await adminJson<{ keys: readonly Key[] }>("/keys")).keys;

const scopes = { scopes: ["sampling", "v1"] };
const all = {
  name: "ci-release",
  owner: "Ada",
  ...scopes,
  "budget-usd": "2.50",
  "budget-tokens": "1000000",
  "budget-per": "day",
  expiresAt: "2099-01-31",
  servers: "notes\n files \n\n",
  models: "first",
  "tools-allow": "read_*\nnotes/*",
  "tools-deny": "*_secret",
  "limits-requestsPerMinute": "30",
  "limits-concurrent": "5",
  "limits-bodyBytes": "2048",
};

async function atKeys(): Promise<ConsoleBrowser> {
  const browser = await atConsole();
  await browser.get("keys");
  return browser;
}

describe("a key", () => {
  test("is created with every option, and is in the page that answers, and in no other", async () => {
    const browser = await atKeys();
    const made = await browser.post("keys", all);
    expect([made.status, made.location]).toEqual([200, null]);
    const key = /csk_[\w-]+/.exec(made.text)?.[0] ?? "";
    neverLogged(key);
    expect(key.length).toBeGreaterThan(30);
    const { owner, budget, expiresAt, servers, models, tools, limits, scopes: given } = ((await keys())[0] ?? {}) as Partial<Key>;
    expect({ owner, budget, expiresAt, servers, models, tools, given }).toEqual({
      owner: "Ada",
      budget: { usd: 2.5, tokens: 1_000_000, per: "day" },
      expiresAt: "2099-02-01T00:00:00.000Z",
      servers: ["notes", "files"],
      models: ["first"],
      tools: { allow: ["read_*", "notes/*"], deny: ["*_secret"] },
      given: ["sampling", "v1"],
    });
    expect(limits).toMatchObject({ requestsPerMinute: 30, concurrent: 5, bodyBytes: 2048, sessions: 10_000 });
    const list = (await browser.get("keys")).text;
    expect(list).toContain("ci-release");
    expect(list).toMatch(/not tools: <bdi class="name">\*_secret/);
    expect(list).not.toContain(key);
    expect((await answerOf(sample({ server: "open" }, { key }))).error?.message ?? "").not.toContain("unknown");
  });

  test("is made once where the browser sends the form again", async () => {
    const browser = await atConsole();
    const once = contentOf((await browser.get("keys")).text, "once");
    expect(once).toMatch(/^[\w-]{20,}$/);
    await browser.post("keys", { name: "twice", ...scopes, once });
    const [made] = await keys();
    const again = await browser.post("keys", { name: "twice", ...scopes, once });
    expect(again.status).toBe(422);
    expect(again.text).toContain("created the key");
    expect(again.text).toContain(made?.id);
    expect(again.text).not.toMatch(/csk_[\w-]{20}/);
    expect(await keys()).toHaveLength(1);
    await browser.post("keys", { name: "another", ...scopes, once: contentOf(again.text, "once") });
    expect(await keys()).toHaveLength(2);
    expect((await recordLines()).filter(({ fact }) => fact.kind === "keyMade")).toHaveLength(2);
  });

  test("is not shown where it was revoked, but on the page of all", async () => {
    const { id, name } = await createKey({ name: "old one" });
    const browser = await atKeys();
    const { status, location } = await browser.post("keys", { revoke: id });
    expect([status, location]).toEqual([303, "/console/keys?done=revoked"]);
    expect((await keys())[0]?.revokedAt).not.toBeNull();
    expect((await browser.get("keys?done=revoked")).text).toContain("The key was revoked.");
    expect((await browser.get("keys")).text).not.toContain(name);
    expect((await browser.get("keys?show=all")).text).toContain(name);
    expect((await browser.post("keys", { revoke: "key_none" })).status).toBe(422);
  });

  test("says before it is revoked how many open requests end", async () => {
    const { id, key } = await createKey({ name: "busy" });
    void sample({ server: "notes" }, { key });
    await openNotice("request");
    const browser = await atConsole();
    const counted = await eventually("the open request", async () => {
      const { text } = await browser.get("keys");
      return text.includes("Its 1 open request is cancelled.") ? text : null;
    });
    expect(counted).toContain(id);
    const own = (await browser.get(`keys/${id}`)).text;
    expect(own).toContain("Its 1 open request is cancelled.");
    expect(own).toContain(`name="revoke" value="${id}"`);
    await admin(`/keys/${id}`, { method: "DELETE" });
    expect((await browser.get(`keys/${id}`)).text).not.toContain('name="revoke"');
  });

  test("says what is spent of its budget, and when it was last used", async () => {
    await configure("policy", { ...policy, default: { ...policy.default, request: "allow", response: "allow" } });
    const { key } = await createKey({ name: "spender", budget: { usd: 1, per: "month" } });
    await answerOf(sample({ server: "open" }, { key }));
    await createKey({ name: "idle" });
    const browser = await atConsole();
    const text = await eventually("the spend", async () => {
      const page = (await browser.get("keys")).text;
      return /\$0\.0\d+ of \$1\.00/.test(page) ? page : null;
    });
    expect(text).toContain('<rect class="b1"');
    expect(text).toContain("never");
    expect(text).toMatch(/<td data-k="Last used"><time/);
  });
});

describe("a form that is wrong", () => {
  test.each([
    [{ ...all, name: " " }, "Enter a name."],
    [{ name: "x", owner: "Ada" }, "Choose at least one."],
    [{ ...all, "budget-usd": "five" }, "Enter a number, such as 5 or 2.50."],
    [{ ...all, "limits-concurrent": "1.5" }, "Enter a whole number."],
    [{ ...all, expiresAt: "soon" }, "Enter a day, such as 2027-01-31."],
    [{ ...all, "limits-requestsPerMinute": "9999999" }, "expected number to be &lt;=100000"],
    [{ ...all, servers: "x".repeat(200) }, "expected string to have &lt;=128 characters"],
  ])("%#: creates nothing, says what is wrong, and keeps what was typed", async (fields, message) => {
    const browser = await atKeys();
    const { status, text } = await browser.post("keys", fields);
    expect(status).toBe(422);
    expect(text).toContain(message);
    expect(text).toContain('aria-invalid="true"');
    expect(contentOf(text, "owner")).toBe("Ada");
    expect(await keys()).toEqual([]);
  });

  test("of an owner whom the policy does not know, where own requests are barred", async () => {
    await configure("policy", { ...policy, default: { ...policy.default, selfApproval: false } });
    const browser = await atKeys();
    const { status, text } = await browser.post("keys", { name: "of nobody", ...scopes });
    expect(status).toBe(422);
    expect(text).toContain("a key needs an owner");
    expect(contentOf(text, "name")).toBe("of nobody");
    expect(await keys()).toEqual([]);
  });
});

test("fifty keys are on a page, the newest first", async () => {
  await Promise.all(Array.from({ length: 51 }, (_, i) => createKey({ name: `key number ${i}` })));
  const browser = await atConsole();
  const [first, second] = [(await browser.get("keys")).text, (await browser.get("keys?page=2")).text];
  const rows = (text: string): number => text.match(/<td class="main-cell">/g)?.length ?? 0;
  expect([rows(first), rows(second)]).toEqual([50, 1]);
  expect(first).toContain("51 keys");
  expect(first).toContain("page=2");
  expect(second).not.toContain("page=3");
});

describe("a key that was made", () => {
  const published = async (id: string): Promise<string> =>
    eventually("a copy in KV", async () => {
      const { hash = "" } = (await configStub(env).keyOfId(id)) ?? {};
      return env.CONFIG.get(publishedKeyName(hash));
    });

  test("is changed by its form, and then may that and no more", async () => {
    const { id, key } = await createKey({ name: "ci", owner: "Ada", limits: { requestsPerMinute: 30 } });
    expect(await answerOf(sample({ server: "open" }, { key }))).toHaveProperty("result");
    const browser = await atConsole();
    const { text } = await browser.get(`keys/${id}`);
    expect(contentOf(text, "limits-requestsPerMinute")).toBe("30");
    for (const link of [`requests?key=${id}`, "usage?by=key", "Stop ci"]) expect(text).toContain(link);
    const fields = {
      version: "1",
      name: "ci-release",
      servers: "notes",
      "budget-usd": "2",
      "budget-per": "day",
      "limits-requestsPerMinute": "40",
    };
    const done = await browser.post(`keys/${id}`, fields);
    expect([done.status, done.location]).toEqual([303, `/console/keys/${id}?done=changed`]);
    const [changed] = await keys();
    expect(changed).toMatchObject({ name: "ci-release", owner: "Ada", servers: ["notes"], budget: { usd: 2, per: "day" }, version: 2 });
    expect(changed?.["limits"]).toMatchObject({ requestsPerMinute: 40 });
    expect((await answerOf(sample({ server: "open" }, { key }))).error?.message).toContain("refused by policy");
    const [fact] = (await recordLines()).filter(({ fact }) => fact.kind === "keyChanged").map(({ fact }) => fact);
    expect(fact).toMatchObject({ key: id, version: 2, by: { kind: "adminToken" } });
    // The form was made from the version before: it is shown again, on top of the current one.
    const late = await browser.post(`keys/${id}`, fields);
    expect([late.status, contentOf(late.text, "version")]).toEqual([422, "2"]);
    expect(late.text).toContain("Somebody else changed this key");
    const wrong = await browser.post(`keys/${id}`, { ...fields, version: "2", "limits-requestsPerMinute": "many" });
    expect([wrong.status, contentOf(wrong.text, "limits-requestsPerMinute")]).toEqual([422, "many"]);
  });

  test("may no more than its last change says, also where KV has an older copy of it, which is genuine", async () => {
    const { id, key } = await createKey({ name: "ci" });
    const older = await published(id);
    expect(await answerOf(sample({ server: "open" }, { key }))).toHaveProperty("result");
    const change = { method: "PUT", body: JSON.stringify({ name: "ci", servers: ["notes"] }) };
    const changed = await admin(`/keys/${id}`, { ...change, headers: { "Content-Type": "application/json", "If-Match": "1" } });
    expect(changed.status).toBe(200);
    const { hash = "" } = (await configStub(env).keyOfId(id)) ?? {};
    await env.CONFIG.put(publishedKeyName(hash), older);
    travel(61_000);
    expect((await answerOf(sample({ server: "open" }, { key }))).error?.message).toContain("refused by policy");
    expect(await published(id)).not.toBe(older);
  });
});
