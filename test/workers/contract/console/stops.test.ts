// The console's kill switch: a key is chosen from those that there are, and what is stopped says so
// where it is listed.

import { beforeEach, describe, expect, test } from "vitest";
import {
  type KeyAnswer,
  admin,
  adminJson,
  adminToken,
  configure,
  createKey,
  eventually,
  gatewayWith,
  sample,
} from "../../support/gateway.ts";
import { ConsoleBrowser, atConsole } from "../../support/console.ts";
import { configureServers } from "../../support/mcp-server.ts";

let browser: ConsoleBrowser;
let key: KeyAnswer;
beforeEach(async () => {
  await configureServers({ notes: { url: "https://notes.example.com/mcp" } });
  key = await createKey({ name: "ci-release" });
  browser = await atConsole();
});

const stops = async (): Promise<unknown[]> => (await adminJson<{ stops: unknown[] }>("/stops")).stops;
/** What a page says, without its tags. */
const said = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");

describe("the page of stops", () => {
  test("offers the keys and servers that there are, without the revoked and the stopped ones", async () => {
    const gone = await createKey({ name: "gone" });
    await admin(`/keys/${gone.id}`, { method: "DELETE" });
    const { text } = await browser.get("stops");
    expect(text).toContain(`<option value="${key.id}">ci-release (${key.id})</option>`);
    expect(text).toContain('<option value="key_dev">');
    expect(text).toContain('<option value="notes"');
    expect(text).not.toContain(gone.id);
    await admin(`/stops/keys/${key.id}`, { method: "PUT" });
    expect((await browser.get("stops")).text).not.toContain(`<option value="${key.id}"`);
  });

  test("offers no key for development where it is not accepted, and takes none", async () => {
    const deployed = { PUBLIC_URL: "https://gateway.example.com" };
    expect((await (await atConsole(deployed)).get("stops")).text).not.toContain("key_dev");
    const answer = await gatewayWith(deployed, "/admin/stops/keys/key_dev", { method: "PUT", key: adminToken });
    expect([answer.status, await answer.text()]).toEqual([404, expect.not.stringContaining("key_dev")]);
    expect(await stops()).toEqual([]);
  });

  test("names a stopped key as people know it", async () => {
    await browser.get("stops");
    expect((await browser.post("stops", { kind: "keys", name: key.id })).location).toMatch(/done=stopped/);
    expect(said((await browser.get("stops")).text)).toMatch(/API key ci-release since/);
  });

  test("stops no key that there is not, and says so", async () => {
    await browser.get("stops");
    const { status, text } = await browser.post("stops", { kind: "keys", name: "nobody" });
    expect([status, await stops()]).toEqual([422, []]);
    expect(text).toContain("No API key has this id or name");
    expect(said(text)).not.toContain("Stopped. ");
  });

  test("says of a server that nobody knows that another may have been meant", async () => {
    await browser.get("stops");
    const unknown = await browser.post("stops", { kind: "servers", name: "nots" });
    expect((await browser.get(String(unknown.location).split("/console/")[1] ?? "")).text).toContain("No MCP server");
    const known = await browser.post("stops", { kind: "servers", name: "notes" });
    expect((await browser.get(String(known.location).split("/console/")[1] ?? "")).text).not.toContain("No MCP server");
    expect(await stops()).toHaveLength(2);
  });
});

describe("what is stopped", () => {
  test.each([
    ["keys", (): string => `keys/${key.id}`],
    ["servers", (): string => "servers/notes"],
  ])("says so on the page of %s, is stopped there, and resumed there", async (page, path) => {
    expect(said((await browser.get(page)).text)).not.toMatch(/stopped (?:just now|\d)/);
    const stopped = await browser.post("stops", { stop: path(), from: page });
    expect(stopped.location).toMatch(new RegExp(`/${page}\\?stop=stopped$`));
    const after = (await browser.get(`${page}?stop=stopped`)).text;
    expect(after).toContain(`name="resume" value="${path()}"`);
    expect(said(after)).toContain("Stopped.");
    expect((await browser.post("stops", { resume: path(), from: page })).location).toMatch(new RegExp(`/${page}\\?stop=resumed$`));
    expect(await stops()).toEqual([]);
    expect((await browser.get(page)).text).toContain(`name="stop" value="${path()}"`);
  });

  test("leads back to the page of the key or the server that it is on", async () => {
    await browser.get("stops");
    for (const page of [`keys/${key.id}`, "servers/notes"]) {
      expect((await browser.post("stops", { stop: page, from: page })).location).toMatch(new RegExp(`/${page}\\?stop=stopped$`));
      expect((await browser.post("stops", { resume: page, from: page })).location).toMatch(new RegExp(`/${page}\\?stop=resumed$`));
    }
  });

  test("says so on the page of a request of its", async () => {
    await configure("policy", { rules: [], default: { request: "allow", response: "allow" }, reviewers: {} });
    await sample({ server: "notes" }, { key: key.key });
    const run = await eventually("the run", async () => (await adminJson<{ runs: { id: string }[] }>(`/runs?key=${key.id}`)).runs[0]?.id);
    await browser.get(`requests/${run}`);
    const stopped = await browser.post("stops", { stop: "servers/notes", from: `requests/${run}` });
    expect(stopped.location).toMatch(new RegExp(`/requests/${run}\\?stop=stopped$`));
    const { text } = await browser.get(`requests/${run}`);
    expect(text).toContain('name="resume" value="servers/notes"');
    expect(text).toContain(`name="stop" value="keys/${key.id}"`);
  });

  test("leads back to no other address than a page of the console", async () => {
    await browser.get("stops");
    for (const from of ["https://evil.example", "//evil.example", "../admin/keys", "requests/../../x", "sign-in"])
      expect((await browser.post("stops", { stop: "servers/notes", from })).location).toMatch(
        /\/console(?:\/~[\w-]+)?\/stops\?done=stopped$/,
      );
  });
});
