// The routing page: what models there are and whether they are ready, a model and a provider
// changed in a form, and the playground.

import { describe, expect, test } from "vitest";
import { ConsoleBrowser, atConsole } from "../../support/console.ts";
import { adminJson, configure, createKey, model, routing } from "../../support/gateway.ts";

type Table = {
  readonly version: number;
  readonly models: readonly Record<string, unknown>[];
  readonly providers: Readonly<Record<string, unknown>>;
  readonly equivalents?: readonly { readonly hint: string; readonly models: readonly string[] }[];
};

const tableNow = (): Promise<Table> => adminJson<Table>("/routing");
const unescaped = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ");

/** The fields of the form on a page, as a browser would send them. */
function fieldsOn(html: string, page: string): Record<string, string> {
  const form = new RegExp(`<form[^>]*action="/console/${page}"[^>]*data-part[^>]*>([\\s\\S]*?)</form>`).exec(html)?.[1] ?? "";
  const fields: Record<string, string> = {};
  const attribute = (tag: string, name: string): string | undefined => new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1];
  for (const [tag] of form.matchAll(/<input[^>]*>/g)) {
    const name = attribute(tag, "name");
    const isBox = attribute(tag, "type") === "checkbox";
    if (name !== undefined && name !== "session" && (!isBox || / checked/.test(tag)))
      fields[name] = unescaped(attribute(tag, "value") ?? "");
  }
  for (const [, tag = "", text = ""] of form.matchAll(/<textarea([^>]*)>([\s\S]*?)<\/textarea>/g))
    fields[attribute(tag, "name") ?? ""] = text.replace(/^\n/, "").replaceAll("&quot;", '"');
  for (const [, tag = "", options = ""] of form.matchAll(/<select([^>]*)>([\s\S]*?)<\/select>/g))
    fields[attribute(tag, "name") ?? ""] = /value="([^"]*)" selected/.exec(options)?.[1] ?? /value="([^"]*)"/.exec(options)?.[1] ?? "";
  return fields;
}

describe("the routing page", () => {
  test("lists the models, and says which variable is missing for those that are not ready", async () => {
    const table = await tableNow();
    const providers = {
      ...table.providers,
      away: { kind: "anthropic", secret: "NO_SUCH_SECRET" },
      where: { kind: "openai", baseUrlFrom: "NO_SUCH_ADDRESS", keyless: true },
    };
    const more = ["away", "where"].map((provider) => ({ ...routing.models[0], id: `m-${provider}`, provider }));
    await configure("routing", {
      ...table,
      providers,
      models: [...table.models, ...more, { ...routing.models[0], id: "off", enabled: false }],
    });
    const text = unescaped((await (await atConsole()).get("routing")).text);
    expect(text).toContain("5 models, version ");
    for (const said of ["Ready", "Set NO_SUCH_SECRET", "Set NO_SUCH_ADDRESS", "Disabled"]) expect(text).toContain(said);
    expect(await adminJson("/routing/ready")).toMatchObject({
      providers: [
        { provider: "scripted", reason: null, missing: null },
        { provider: "away", reason: "its provider has no credential", missing: "NO_SUCH_SECRET" },
        { provider: "where", missing: "NO_SUCH_ADDRESS" },
      ],
    });
  });
});

describe("the playground", () => {
  const asked = {
    hints: "second",
    cost: "0",
    speed: "0.5",
    intelligence: "0",
    maxTokens: "100",
    prompt: "10",
    key: "",
    server: "",
    task: "chat",
    named: "",
  };

  test("ranks with reasons and scores, without calling a model; its script gets the ranking alone", async () => {
    const browser = await atConsole();
    await browser.get("routing");
    const page = await browser.post("routing", { ...asked, do: "play" });
    expect(page.status).toBe(200);
    expect(unescaped(page.text)).toMatch(/1 second from scripted.*Matched "second"\. Score: speed 0\.5 x [\d.]+ = [\d.]+\..*2 first/);
    const part = await browser.post("routing", { ...asked, part: "play", needs: "audio" });
    expect(part.text).toMatch(/^<div id="ranking"/);
    expect(unescaped(part.text)).toContain("first, second: it does not accept audio");
    const wrong = await browser.post("routing", { ...asked, part: "play", maxTokens: "many" });
    expect(unescaped(wrong.text)).toContain("are whole numbers");
    expect(model.calls).toHaveLength(0);
  });

  test("goes by the models of a key", async () => {
    const { id } = await createKey({ name: "narrow", models: ["first"] });
    const browser = await atConsole();
    await browser.get("routing");
    const part = await browser.post("routing", { ...asked, part: "play", key: id });
    expect(unescaped(part.text)).toContain("second: it is not for this key");
  });

  test("tries a draft that is not saved, which leads back to its editor", async () => {
    const browser = await atConsole();
    await browser.get("documents/routing");
    const { version, ...table } = await tableNow();
    const draft = { ...table, models: [...table.models, { ...routing.models[0], id: "only-in-draft" }] };
    const tried = await browser.post("routing", { version: String(version), text: JSON.stringify(draft), do: "play" });
    expect(tried.status).toBe(200);
    expect(unescaped(tried.text)).toContain("your draft, which is not saved");
    expect(unescaped(tried.text)).toContain("only-in-draft");
    const invalid = await browser.post("routing", { version: String(version), text: '{"models": 1}', do: "play" });
    expect(unescaped(invalid.text)).toContain("The draft of the routing table is not valid");
    const broken = await browser.post("routing", { version: String(version), text: "{", do: "play" });
    expect(unescaped(broken.text)).toContain("This is not JSON");
    expect((await tableNow()).version).toBe(version);
  });

  test("says its reasons in Chinese", async () => {
    const browser = await new ConsoleBrowser({}, { "Accept-Language": "zh-CN" }).signIn();
    await browser.get("routing");
    const part = await browser.post("routing", { ...asked, part: "play", needs: "images" });
    expect(unescaped(part.text)).toContain("不接受图片");
  });
});

describe("a model in a form", () => {
  test("saved as it was, leaves the table as it was but for its version", async () => {
    const free = { inputPerMTok: 0, outputPerMTok: 0 };
    const whole = {
      ...routing,
      models: routing.models.map((each) => ({
        ...each,
        omits: ["topK"],
        price: { ...free, above: { inputTokens: 9, ...free } },
      })),
      equivalents: [{ hint: "x", models: ["second", "first"] }],
    };
    await configure("routing", whole);
    const { version, ...before } = await tableNow();
    const browser = await atConsole();
    const page = await browser.get("routing/model?id=second");
    const fields = fieldsOn(page.text, "routing/model");
    expect(fields).toMatchObject({ was: "second", id: "second", standsInFor: "x", place: "2" });
    const saved = await browser.post("routing/model", { ...fields, do: "save" });
    expect([saved.status, saved.location]).toEqual([303, `/console/routing?done=model&version=${version + 1}`]);
    expect(await tableNow()).toEqual({ ...before, version: version + 1 });
  });

  test("is changed, renamed, added and removed", async () => {
    const browser = await atConsole();
    const edit = fieldsOn((await browser.get("routing/model?id=first")).text, "routing/model");
    await browser.post("routing/model", {
      ...edit,
      id: "first-b",
      "scores-speed": "0.25",
      aliases: "one\r\n two \r\n",
      standsInFor: "old-name",
      do: "save",
    });
    const table = await tableNow();
    expect(table.models[0]).toMatchObject({ id: "first-b", aliases: ["one", "two"], scores: { speed: 0.25 } });
    expect(table.equivalents).toEqual([{ hint: "old-name", models: ["first-b"] }]);
    const add = fieldsOn((await browser.get("routing/model")).text, "routing/model");
    const added = {
      ...add,
      id: "third",
      name: "third",
      contextTokens: "1000",
      maxOutputTokens: "100",
      "price-inputPerMTok": "1",
      "price-outputPerMTok": "2",
      place: "1",
      do: "save",
    };
    expect((await browser.post("routing/model", added)).status).toBe(303);
    expect((await tableNow()).models.map(({ id }) => id)).toEqual(["third", "first-b", "second"]);
    const { version } = await tableNow();
    expect((await browser.post("routing/model", { version: String(version), was: "third", do: "remove" })).status).toBe(303);
    expect((await tableNow()).models.map(({ id }) => id)).toEqual(["first-b", "second"]);
    expect((await browser.get("routing/model?id=third")).status).toBe(404);
  });

  test("with what is wrong beside its field is not saved, and stays as it was typed", async () => {
    const browser = await atConsole();
    const fields = fieldsOn((await browser.get("routing/model?id=first")).text, "routing/model");
    const { version } = await tableNow();
    const wrong = { ...fields, id: "second", "scores-speed": "7", contextTokens: "lots", "lane-concurrency": "[", imageTokens: "1.5" };
    const refused = await browser.post("routing/model", { ...wrong, do: "save" });
    expect(refused.status).toBe(422);
    const text = unescaped(refused.text);
    expect(text).toContain("Speed: Too big");
    expect(text).toContain("Context, tokens: Enter a whole number.");
    expect(text).toContain("Calls at once: Enter a whole number.");
    expect(text).toContain("Most tokens of one image: Enter a whole number.");
    expect(refused.text).toContain('value="7"');
    const part = await browser.post("routing/model", { ...fields, id: "second", part: "check" });
    expect(part.text).toMatch(/^<div id="check"/);
    expect(unescaped(part.text)).toContain("is the id of another model too");
    expect((await tableNow()).version).toBe(version);
  });

  test("whose table somebody else changed meanwhile leads to both changes", async () => {
    const browser = await atConsole();
    const fields = fieldsOn((await browser.get("routing/model?id=first")).text, "routing/model");
    const { version, ...table } = await tableNow();
    await configure("routing", { ...table, equivalents: [{ hint: "theirs", models: ["second"] }] });
    const late = await browser.post("routing/model", { ...fields, "scores-speed": "0.125", do: "save" });
    expect(late.status).toBe(422);
    expect(unescaped(late.text)).toContain("somebody else saved first");
    expect(unescaped(late.text)).toContain("Save both changes");
    expect(late.text).toContain("0.125");
    expect((await tableNow()).version).toBe(version + 1);
  });

  test("is tried before it is saved", async () => {
    const browser = await atConsole();
    const fields = fieldsOn((await browser.get("routing/model?id=first")).text, "routing/model");
    const tried = await browser.post("routing/model", { ...fields, enabled: "", do: "try" });
    expect(tried.status).toBe(200);
    expect(unescaped(tried.text)).toContain("first: it is disabled");
  });
});

describe("a provider in a form", () => {
  test("is added, renamed with its models, refused where it could not be used, and removed once no model uses it", async () => {
    const browser = await atConsole();
    const add = fieldsOn((await browser.get("routing/provider")).text, "routing/provider");
    const refused = await browser.post("routing/provider", { ...add, name: "new", kind: "openai", do: "save" });
    expect(refused.status).toBe(422);
    expect(unescaped(refused.text)).toContain("Secret with the credential: is missing");
    const taken = await browser.post("routing/provider", { ...add, name: "scripted", kind: "demo", do: "save" });
    expect(unescaped(taken.text)).toContain("is the name of another provider");
    expect((await browser.post("routing/provider", { ...add, name: "new", kind: "openai", secret: "NEW_KEY", do: "save" })).status).toBe(
      303,
    );
    const fields = fieldsOn((await browser.get("routing/provider?name=scripted")).text, "routing/provider");
    expect((await browser.post("routing/provider", { ...fields, name: "renamed", do: "save" })).status).toBe(303);
    const { version, providers, models } = await tableNow();
    expect(Object.keys(providers)).toEqual(["renamed", "new"]);
    expect(models.map(({ provider }) => provider)).toEqual(["renamed", "renamed"]);
    expect((await browser.get("routing/provider?name=renamed")).text).toContain("2 models use this provider");
    expect((await browser.post("routing/provider", { version: String(version), was: "new", do: "remove" })).status).toBe(303);
    expect(Object.keys((await tableNow()).providers)).toEqual(["renamed"]);
  });
});
