// The console's page of MCP servers: adding, changing and removing one in a form, and asking
// whether it answers.

import { describe, expect, test } from "vitest";
import { adminJson, answerOf, configure, eventually, sample } from "../../support/gateway.ts";
import { type ConsoleBrowser, atConsole, contentOf } from "../../support/console.ts";
import { answerAt } from "../../support/provider.ts";

const host = "https://notes.example.com";
const notes = { url: `${host}/mcp` };
const whole = {
  url: `${host}/mcp`,
  secret: "NOTES_TOKEN",
  mode: "fallback",
  association: "strict",
  protocol: "2026",
  tools: false,
  context: true,
  allowPrivate: true,
  samplingTools: ["summarize", "ask the model"],
  functions: ["lookup"],
  origins: ["https://app.example.com"],
  headers: { "X-Team": "a: b" },
  v1Tokens: { maxUsd: 0.5, maxSeconds: 60, models: ["first"] },
};
const fields = {
  name: "files",
  url: "https://files.example.com/mcp",
  mode: "fulfil",
  association: "auto",
  protocol: "auto",
  "tools-sampling": "yes",
  tasks: "yes",
};

const servers = async (): Promise<Record<string, object>> => (await adminJson<{ servers: Record<string, object> }>("/servers")).servers;
async function opened(browser: ConsoleBrowser, edit = ""): Promise<{ version: string; form: string }> {
  const { text } = await browser.get(edit === "" ? "servers" : `servers?edit=${edit}`);
  const form = text.slice(text.indexOf('id="form"'));
  return { version: contentOf(form, "version"), form };
}

describe("a server", () => {
  test("is added, and removed, and the others stay", async () => {
    await configure("servers", { servers: { notes } });
    const browser = await atConsole();
    const { version } = await opened(browser);
    expect((await browser.post("servers", { ...fields, version })).location).toBe("/console/servers?done=saved");
    expect(await servers()).toEqual({ notes, files: { url: fields.url } });
    const again = await opened(browser);
    expect((await browser.post("servers", { was: "notes", do: "remove", version: again.version })).location).toBe(
      "/console/servers?done=removed",
    );
    expect(Object.keys(await servers())).toEqual(["files"]);
  });

  test.each([
    [{ "tools-sampling": "yes" }, {}],
    [{}, { tools: false }],
    [{ "tools-sampling": "yes", "tools-allow": "read_*\n write" }, { tools: { sampling: true, allow: ["read_*", "write"] } }],
    [{ "tools-deny": "*_secret" }, { tools: { sampling: false, deny: ["*_secret"] } }],
    [{ "tools-sampling": "yes", pin: "hold" }, { pin: "hold" }],
  ])("has the tools that the form says: %j", async (typed, entry) => {
    await configure("servers", { servers: { notes } });
    const browser = await atConsole();
    const { version } = await opened(browser);
    const { "tools-sampling": _box, ...others } = fields;
    expect((await browser.post("servers", { ...others, ...typed, version })).status).toBe(303);
    const { pin, tools } = (await servers())["files"] as { pin?: string; tools?: { sampling?: boolean } };
    const given = typeof tools === "object" ? { tools: { sampling: true, ...tools } } : tools === undefined ? {} : { tools };
    expect({ ...(pin === undefined ? {} : { pin }), ...given }).toEqual(entry);
  });

  test.each([
    ["in short", whole],
    ["with their names", { ...whole, tools: { allow: ["read_*"], deny: ["read_secret"], sampling: false }, pin: "warn" }],
  ])("whose form is sent as it is opened stays as it is, with every member, its tools %s", async (_, entry) => {
    await configure("servers", { servers: { notes: entry } });
    const browser = await atConsole();
    const { version, form } = await opened(browser, "notes");
    const areas = Object.fromEntries(
      [...form.matchAll(/<textarea[^>]*name="([^"]+)"[^>]*>([^<]*)/g)].map(([, name = "", text = ""]) => [name, text]),
    );
    const boxes = Object.fromEntries(
      [...form.matchAll(/<input type="checkbox"[^>]*name="([^"]+)"[^>]*checked/g)].map(([, name = ""]) => [name, "yes"]),
    );
    const chosen = Object.fromEntries(
      [...form.matchAll(/<select[^>]*name="([^"]+)".*?<option value="([^"]+)" selected/g)].map(([, name = "", value = ""]) => [
        name,
        value,
      ]),
    );
    const inputs = Object.fromEntries(
      ["url", "secret", "v1Tokens-maxUsd", "v1Tokens-maxSeconds"].map((name) => [name, contentOf(form, name)]),
    );
    const sent = { was: "notes", name: "notes", version, ...areas, ...boxes, ...chosen, ...inputs };
    expect((await browser.post("servers", sent)).status).toBe(303);
    expect(await servers()).toEqual({ notes: entry });
  });

  test("that two operators change: the second sees what differs", async () => {
    await configure("servers", { servers: { notes } });
    const [ann, bo] = [await atConsole(), await atConsole()];
    const [first, second] = [await opened(ann, "notes"), await opened(bo, "notes")];
    const change = { ...fields, name: "notes", was: "notes", url: notes.url };
    expect((await ann.post("servers", { ...change, mode: "forward", version: first.version })).status).toBe(303);
    const refused = await bo.post("servers", { ...change, mode: "fallback", version: second.version });
    expect(refused.status).toBe(422);
    expect(refused.text).toMatch(/<bdi class="plain">forward<\/bdi><\/td><td><bdi class="plain">fallback/);
    expect(await servers()).toEqual({ notes: { ...notes, mode: "forward" } });
  });

  test("says when it last sampled", async () => {
    await configure("servers", { servers: { open: notes } });
    await answerOf(sample({ server: "open" }));
    const browser = await atConsole();
    await eventually("the request", async () => (await browser.get("servers")).text.includes("1 request"));
  });

  test.each([
    ["answers", () => Response.json({ jsonrpc: "2.0", id: 1, result: {} }), "It answers and started a session.", "note ok"],
    ["refuses", () => new Response(null, { status: 401 }), "It refuses the credential", "note bad"],
  ] as const)("is asked by one press, and the page says that it %s", async (_name, answer, text, note) => {
    await configure("servers", { servers: { notes } });
    answerAt(host, answer);
    const browser = await atConsole();
    await browser.get("servers");
    const checked = await browser.post("servers", { check: "notes" });
    expect(checked.status).toBe(200);
    expect(checked.text).toContain(text);
    expect(checked.text).toContain(note);
    expect((await browser.post("servers", { check: "none" })).status).toBe(422);
  });
});

describe("a form that is wrong", () => {
  test.each([
    [{ ...fields, name: "" }, "Enter a name."],
    [{ ...fields, name: "notes" }, "There is one of this name already."],
    [{ ...fields, name: "a b" }, "is not a server"],
    [{ ...fields, url: "" }, "Enter the address of its MCP endpoint."],
    [{ ...fields, url: "http://10.0.0.1/mcp" }, "is a private or loopback address"],
    [{ ...fields, url: "https://u:p@files.example.com/mcp" }, "carries a user name"],
    [{ ...fields, secret: "xoxb secret" }, 'id="secret-error"'],
    [{ ...fields, headers: "no colon" }, "Write each line as Name: value."],
    [{ ...fields, headers: "Authorization: x" }, "is a header that the relay writes itself"],
    [{ ...fields, "v1Tokens-maxUsd": "much" }, "Enter a number"],
    [{ ...fields, "v1Tokens-maxUsd": "1" }, 'id="v1Tokens-maxSeconds-error"'],
    [{ ...fields, functions: "a\na" }, "is listed twice"],
  ])("%#: saves nothing, says what is wrong, and keeps what was typed", async (typed, message) => {
    await configure("servers", { servers: { notes } });
    const browser = await atConsole();
    const { version } = await opened(browser);
    const { status, text } = await browser.post("servers", { ...typed, version });
    expect(status).toBe(422);
    expect(text).toContain(message);
    expect(text).toContain('aria-invalid="true"');
    expect(contentOf(text, "url")).toBe(typed.url);
    expect(await servers()).toEqual({ notes });
  });
});
