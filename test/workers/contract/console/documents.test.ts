// The documents' pages: edited as JSON, checked without writing, saved on top of a version,
// compared and restored; two operators at once.

import { describe, expect, test } from "vitest";
import { ConsoleBrowser, atConsole } from "../../support/console.ts";
import { admin, adminJson, configure, createKey, policy, routing } from "../../support/gateway.ts";

type Stored = { readonly version: number } & Record<string, unknown>;

const names = ["routing", "policy", "servers", "budgets", "issuers"] as const;
const documentOf = (name: string): Promise<Stored> => adminJson<Stored>(`/${name}`);
const fieldsOf = (version: number, document: unknown, act = "save"): Record<string, string> => ({
  version: String(version),
  text: typeof document === "string" ? document : JSON.stringify(document, null, 2),
  do: act,
});
const unescaped = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");

describe.each(names)("%s", (name) => {
  test("is shown, saved as the next version, listed and compared", async () => {
    const browser = await atConsole();
    const { version: _version, ...before } = await documentOf(name);
    const { version } = await documentOf(name);
    const shown = await browser.get(`documents/${name}`);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain(`name="version" value="${version}"`);
    const saved = await browser.post(`documents/${name}`, fieldsOf(version, before));
    expect([saved.status, saved.location]).toEqual([303, `/console/documents/${name}?saved=${version + 1}`]);
    expect(await documentOf(name)).toEqual({ ...before, version: version + 1 });
    expect((await browser.get(`documents/${name}?saved=${version + 1}`)).text).toContain(`Version ${version + 1} is saved`);
    const versions = await browser.get(`documents/${name}/versions?from=${version}&to=${version + 1}`);
    expect(unescaped(versions.text)).toContain("The two versions are the same.");
    expect(unescaped(versions.text)).toContain("admin token ");
    expect((await browser.get(`documents/${name}/versions/${version + 1}`)).status).toBe(200);
  });
});

describe("an edited document", () => {
  test("that is not JSON, or not valid, is not written, and stays as it was typed, with the line of what is wrong", async () => {
    const browser = await atConsole();
    await browser.get("documents/routing");
    const { version } = await documentOf("routing");
    const broken = await browser.post("documents/routing", fieldsOf(version, '{\r\n  "models": [\r\n  ],\r\n}'));
    expect(broken.status).toBe(422);
    expect(unescaped(broken.text)).toContain("Line 3 Remove this comma");
    const wrong = { ...routing, models: [{ ...routing.models[0], scores: { intelligence: 7, speed: 0, cost: 0 } }] };
    const invalid = await browser.post("documents/routing", fieldsOf(version, wrong));
    expect(invalid.status).toBe(422);
    const text = JSON.stringify(wrong, null, 2);
    const line = text.slice(0, text.indexOf('"intelligence": 7')).split("\n").length;
    expect(unescaped(invalid.text)).toContain(`Line ${line} /models/0/scores/intelligence`);
    expect(unescaped(invalid.text)).toContain('"intelligence": 7,');
    const twice = await browser.post("documents/routing", fieldsOf(version, '{"providers": {},\n"models": [],\n"models": []}'));
    expect(unescaped(twice.text)).toContain("Line 3 /models is given more than once");
    expect((await documentOf("routing")).version).toBe(version);
  });

  test("is checked while it is typed: the answer is a part of the page, with what it changes", async () => {
    const browser = await atConsole();
    await browser.get("documents/routing");
    const { version, ...document } = await documentOf("routing");
    const part = await browser.post("documents/routing", {
      ...fieldsOf(version, { ...document, equivalents: [{ hint: "x", models: ["first"] }] }),
      part: "check",
    });
    expect(part.status).toBe(200);
    expect(part.text).not.toContain("<html");
    expect(part.text).toMatch(/^<div id="check"/);
    expect(unescaped(part.text)).toContain("added: ");
    expect((await documentOf("routing")).version).toBe(version);
  });

  test("of a policy that cuts API keys off is saved only where the operator says so", async () => {
    const browser = await atConsole();
    await browser.get("documents/policy");
    const lax = {
      ...policy,
      reviewers: { everyone: [{ name: "Ada", email: "ada@example.org" }] },
      default: { ...policy.default, reviewers: ["Ada"] },
    };
    await configure("policy", lax);
    await createKey({ name: "nobody's" });
    const { version } = await documentOf("policy");
    const strict = { ...lax, default: { ...lax.default, selfApproval: false } };
    const asked = await browser.post("documents/policy", fieldsOf(version, strict));
    expect(asked.status).toBe(422);
    expect(asked.text).toContain('name="cutOffKeys"');
    expect((await documentOf("policy")).version).toBe(version);
    const done = await browser.post("documents/policy", { ...fieldsOf(version, strict), cutOffKeys: "yes" });
    expect(done.status).toBe(303);
  });

  test("is only read by whoever may not change it", async () => {
    const reader = new ConsoleBrowser();
    expect((await reader.get("documents/routing")).status).toBe(401);
    const browser = await atConsole();
    expect((await browser.get("documents")).text).toContain("Token issuers");
    for (const page of ["documents/keys", "documents/routing/x", "documents/routing/versions/999", "documents/routing/versions/1/x"])
      expect([page, (await browser.get(page)).status]).toEqual([page, 404]);
  });
});

describe("two operators at once", () => {
  const withName = (document: Stored, change: Record<string, unknown>): Stored => ({ ...document, ...change });

  test("the second sees both changes and their own text, and saves both, theirs over it, or nothing", async () => {
    const [ann, bo] = [await atConsole(), await atConsole()];
    await ann.get("documents/routing");
    await bo.get("documents/routing");
    const base = await documentOf("routing");
    const anns = withName(base, { equivalents: [{ hint: "ann", models: ["first"] }] });
    const provider = { kind: "openai", baseUrl: "https://bo.example/v1" };
    const bos = withName(base, { providers: { ...(base["providers"] as object), bo: provider } });
    expect((await ann.post("documents/routing", fieldsOf(base.version, anns))).status).toBe(303);
    const late = await bo.post("documents/routing", fieldsOf(base.version, bos));
    expect(late.status).toBe(422);
    const text = unescaped(late.text);
    expect(text).toContain("Routing table: somebody else saved first");
    expect(text).toContain(`Version ${base.version + 1} was saved while you edited version ${base.version}, by admin token`);
    expect(text).toContain(JSON.stringify(bos, null, 2).slice(0, 40));
    expect(text).toContain("bo.example");
    expect(text).toContain('"ann"');
    expect((await documentOf("routing")).version).toBe(base.version + 1);
    const both = /name="text" value="([^"]*)"/.exec(late.text)?.[1] ?? "";
    const saved = await bo.post("documents/routing", fieldsOf(base.version + 1, unescaped(both)));
    expect(saved.status).toBe(303);
    expect(await documentOf("routing")).toEqual({
      ...anns,
      providers: { ...(base["providers"] as object), bo: provider },
      version: base.version + 2,
    });
  });

  test("who changed the same place is told which, and may save theirs over it", async () => {
    const browser = await atConsole();
    await browser.get("documents/routing");
    const base = await documentOf("routing");
    await configure("routing", withName(base, { equivalents: [{ hint: "one", models: ["first"] }] }));
    const mine = withName(base, {
      equivalents: [
        { hint: "two", models: ["first"] },
        { hint: "one", models: ["other"] },
      ],
    });
    const late = await browser.post("documents/routing", fieldsOf(base.version, mine));
    expect(unescaped(late.text)).toContain("/equivalents");
    expect(late.text).not.toContain('name="text" value=');
    expect(late.text).toContain(`name="version" value="${base.version + 1}"`);
    expect((await browser.post("documents/routing", fieldsOf(base.version + 1, mine))).status).toBe(303);
    expect((await documentOf("routing"))["equivalents"]).toEqual(mine["equivalents"]);
  });
});

describe("restoring", () => {
  test("shows what it would change, and restores where that is still so", async () => {
    const browser = await atConsole();
    const base = await documentOf("routing");
    await configure("routing", { ...base, equivalents: [{ hint: "new", models: ["first"] }] });
    const page = await browser.get(`documents/routing/versions/${base.version}`);
    expect(unescaped(page.text)).toContain(`Restore version ${base.version}`);
    expect(unescaped(page.text)).toContain("removed: ");
    const moved = await browser.post(`documents/routing/versions/${base.version}`, { current: String(base.version) });
    expect(moved.status).toBe(422);
    expect(unescaped(moved.text)).toContain("Nothing is restored");
    expect((await documentOf("routing")).version).toBe(base.version + 1);
    const done = await browser.post(`documents/routing/versions/${base.version}`, { current: String(base.version + 1) });
    expect(done.status).toBe(303);
    expect(await documentOf("routing")).toEqual({ ...base, version: base.version + 2 });
    expect(unescaped((await browser.get("documents/routing/versions")).text)).toContain(`Version ${base.version}, restored`);
  });

  test("the built-in document is among the versions", async () => {
    const browser = await atConsole();
    const { version } = await documentOf("routing");
    expect((await browser.get("documents/routing/versions/0")).text).toContain("built in");
    expect((await browser.post("documents/routing/versions/0", { current: String(version) })).status).toBe(303);
    expect((await documentOf("routing"))["equivalents"]).toEqual(
      ((await (await admin("/routing/versions/0")).json()) as Stored)["equivalents"],
    );
  });
});
