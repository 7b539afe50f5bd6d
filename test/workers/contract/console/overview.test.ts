// The overview, its health and the usage page, through the Worker.

import { describe, expect, test } from "vitest";
import { admin, adminJson, answerOf, configure, eventually, openNotice, sample } from "../../support/gateway.ts";
import { type ConsoleBrowser, ConsoleBrowser as Browser, atConsole } from "../../support/console.ts";
import { promptMarker } from "../../support/logs.ts";
import { recordLines } from "../../support/record.ts";
import { decide } from "../../support/reviewer.ts";

const asking = { messages: [{ role: "user", content: { type: "text", text: promptMarker } }] };
const tileIn = (html: string, name: string): string | undefined => new RegExp(`<span>${name}</span><b>([^<]*)</b>`).exec(html)?.[1];
/** The overview, once a tile says this. */
const withTile = (browser: ConsoleBrowser, name: string, value: string): Promise<string> =>
  eventually(`${name}: ${value}`, async () => {
    const { text } = await browser.get("");
    return tileIn(text, name) === value ? text : null;
  });

describe("the overview", () => {
  test("of a gateway without a request shows the first steps, and no chart", async () => {
    const browser = await atConsole();
    const { status, text } = await browser.get("");
    expect(status).toBe(200);
    expect(text).toContain("First steps");
    expect(text).not.toContain("<figure");
    expect(text).toContain('aria-current="page"');
  });

  test("has what waits, what people decided, and what it cost, without a style attribute or content", async () => {
    const browser = await atConsole();
    const waiting = sample({ server: "request-gate", params: asking });
    await openNotice("request");
    const before = await withTile(browser, "Waiting for people", "1");
    expect(before).toContain("/console/requests?state=open");
    await decide("request", "deny");
    await answerOf(waiting);
    const approved = sample({ id: 2, server: "request-gate", params: asking });
    await decide("request", "approve");
    await answerOf(approved);
    const text = await withTile(browser, "Requests", "2");
    expect(tileIn(text, "Denied or expired")).toBe("1");
    expect(tileIn(text, "Waiting for people")).toBe("0");
    expect(text).toContain("1 answered, 1 without a reply");
    for (const page of ["", "?period=week", "?period=month"]) {
      const { text: html } = await browser.get(page);
      expect(html).not.toContain(promptMarker);
      expect(html).not.toMatch(/\sstyle=/);
    }
  });

  test("draws the month's spend against the budget of everything", async () => {
    await configure("budgets", { budgets: { all: { of: "everything", usd: 25, per: "month" } } });
    await answerOf(sample());
    const browser = await atConsole();
    const text = await withTile(browser, "Requests", "1");
    expect(text).toContain("dashed: budget $25.00");
    expect(text).toContain("of $25.00");
  });
});

describe("health", () => {
  test("is what was found last: looking asks nobody, the button does and is recorded", async () => {
    const asked = async (): Promise<number> => (await recordLines()).filter(({ fact }) => fact.kind === "doctorAsked").length;
    const browser = await atConsole();
    const before = await asked();
    expect((await browser.get("")).text).toContain("providers, channels and servers not checked yet");
    expect(await adminJson("/doctor")).toEqual({ at: null, checks: [] });
    await browser.get("health");
    expect(await asked()).toBe(before);
    const { status, location } = await browser.post("health", {});
    expect([status, location]).toEqual([303, "/console/health?done=checked"]);
    const { at, checks } = await adminJson<{ at: string; checks: readonly { text: string }[] }>("/doctor");
    expect(Date.now() - Date.parse(at)).toBeLessThan(60_000);
    expect(checks.length).toBeGreaterThan(5);
    expect((await browser.get("health?done=checked")).text).toContain("Checks that pass");
    expect((await browser.get("")).text).toContain("All checks");
    await eventually("the event", async () => ((await asked()) === before + 1 ? true : null));
  });
});

describe("the usage page", () => {
  test("has servers, models, keys and days, in both languages, and what it shows as CSV", async () => {
    const browser = await atConsole();
    expect((await browser.get("usage")).text).toContain("No request ended in this time.");
    for (const id of [1, 2]) await answerOf(sample({ id, server: "open" }));
    await eventually("both requests", async () =>
      (await (await admin("/usage?by=server&format=csv")).text()).includes("open,2,") ? true : null,
    );
    expect((await browser.get("usage")).text).toContain('href="/console/requests?server=open"');
    expect((await browser.get("usage?by=model")).text).toContain("first");
    expect((await browser.get("usage")).text).toMatch(/<th[^>]*>Denied<\/th><th[^>]*>Failed<\/th>/);
    expect((await browser.get("usage?by=day&days=7")).text).toMatch(/2 requests from .* to .*, in UTC days/);
    expect((await browser.get("usage?by=nothing&days=none")).status).toBe(200);
    const { text, headers } = await browser.post("download/usage", { by: "server" });
    expect(headers.get("Content-Disposition")).toBe('attachment; filename="countersign-usage.csv"');
    expect(text).toContain("\r\nopen,2,2,");
    const chinese = new Browser({}, { "Accept-Language": "zh-CN" });
    await chinese.signIn();
    expect((await chinese.get("usage?by=key")).text).toContain("各密钥的请求");
  });
});
