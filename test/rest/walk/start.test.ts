import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { walk } from "../../../examples/walk.ts";
import { devVars } from "../../../scripts/dev-vars.ts";
import { freePort } from "../../../scripts/local-gateway.ts";
import { portError } from "../../../scripts/port-error.ts";
import { type Notice, operatorOf } from "../../../scripts/operator.ts";
import { decideByLink } from "../../../scripts/page-form.ts";
import { editField } from "../../../shared/review/form.ts";
import { launch } from "../../outside/pages/browser.ts";
import { type ProviderServer, startProviderServer } from "../../support/provider-server.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { familyOf, stillRunning } from "../../outside/support/processes.ts";
import { eventually, type Program, startProgram } from "../../outside/support/program.ts";
import { shoot } from "../../outside/support/screenshots.ts";

const vars = devVars();
const secrets = new URL("../../../.dev.vars", import.meta.url);
const phone = { viewport: { width: 390, height: 844 } };
const linkLine = /^ {2}(http:\/\/localhost:\d+\/r\/[\w-]+)$/m;
/** A form is good from one second after its page was made. */
const aPersonsSecond = 1_200;

type Started = { readonly program: Program; readonly url: string; readonly port: number };

async function npmStart(persistTo: string): Promise<Started> {
  const port = await freePort();
  const program = startProgram("scripts/start.ts", [], { PORT: String(port), PERSIST_TO: persistTo });
  await program.prints(/^Countersign is running at /m);
  return { program, port, url: `http://localhost:${port}` };
}

/** The notice of this gate that nobody has seen yet. */
async function newNotice(url: string, gate: Notice["gate"], seen: Set<string>): Promise<string> {
  const operator = operatorOf(url, vars.ADMIN_TOKEN);
  const notice = await eventually(`a review at the ${gate} gate`, async () =>
    (await operator.waiting()).find((each) => each.gate === gate && each.link !== null && !seen.has(each.link)),
  );
  seen.add(notice.link ?? "");
  return notice.link ?? "";
}

/** Processes that were killed may take a moment to be gone. */
const nothingIsLeft = (family: readonly number[], port: number): Promise<boolean> =>
  eventually("the end of all that it started", async () => stillRunning(family).length === 0 && (await portError(port)) === null);

describe("npm start", () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-start-"));
  const programs: Program[] = [];
  const start = async (): Promise<Started> => {
    const started = await npmStart(folder);
    programs.push(started.program);
    return started;
  };
  afterAll(async () => {
    for (const program of programs) program.signal("SIGTERM");
    await Promise.all(programs.map(({ exited }) => exited));
    rmSync(folder, { recursive: true, force: true });
  });

  test("keeps the secrets it finds and its data to itself, leaves nothing running after Ctrl-C, and finds what waits when it is started again", async () => {
    const before = readFileSync(secrets, "utf8");
    const first = await start();
    const [, link = ""] = await first.program.prints(linkLine);
    expect(readFileSync(secrets, "utf8")).toBe(before);
    const family = familyOf(first.program.pid);
    const rival = startProgram("scripts/start.ts", [], { PORT: String(await freePort()), PERSIST_TO: folder });
    expect(await rival.exited).toBe(1);
    expect(rival.printed()).toContain(
      `npm start: the gateway at ${first.url} is using the data in ${folder}: stop it, or choose another folder`,
    );
    // The script, the MCP server, Miniflare and workerd: that there is something to leave behind.
    expect(family.length).toBeGreaterThan(3);

    first.program.signal("SIGINT");
    expect(await first.program.exited).toBe(0);
    expect(first.program.printed()).toContain("Stopping. Pending reviews are kept");
    await nothingIsLeft(family, first.port);

    const second = await start();
    await second.program.prints(/1 earlier review is pending:\n {2}the request for summarize of the server notes: /);
    // The port is another one this time; the path is what finds the review.
    const path = new URL(link).pathname;
    expect(second.program.printed()).toContain(`  the request for summarize of the server notes: ${second.url}${path}\n`);
    const approved = await decideByLink(second.url + path, "approve");
    expect(approved.status).toBe(303);
    const reply = await second.program.prints(
      /review the model's reply for summarize of the server notes before it is delivered\. Open this link:\n\n {2}(\S+)\n/,
    );
    expect((await decideByLink(reply[1] ?? "", "approve")).status).toBe(303);
    expect(await (await fetch(reply[1] ?? "")).text()).toContain("Approved");
    second.program.signal("SIGTERM");
    expect(await second.program.exited).toBe(0);
  });

  test("says how to try a tool call, which waits for a person and runs as they changed it; and leaves alone what its operator removed", async () => {
    const first = await start();
    await first.program.prints(/run this in another terminal: npm run delete-note$/m);
    const client = startProgram("scripts/delete-note.ts", [], { PERSIST_TO: folder });
    programs.push(client);
    const [, link = ""] = await first.program.prints(/review the request for delete_note of the server notes\.[^\n]*\n\n {2}(\S+)\n/);
    const permanently = editField("/arguments/permanently");
    expect((await decideByLink(link, "approve", (fields) => fields.set(permanently, "false"))).status).toBe(303);
    await client.prints(/^Moved “Ideas for the spring party” to the trash\.\nA reviewer changed .*`permanently` from true to false/m);
    expect(await client.exited).toBe(0);

    const removed = await fetch(`${first.url}/admin/servers`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${vars.ADMIN_TOKEN}`, "If-Match": "1", "Content-Type": "application/json" },
      body: JSON.stringify({ servers: {} }),
    });
    expect(removed.status).toBe(200);
    first.program.signal("SIGTERM");
    await first.program.exited;
    const second = await start();
    await second.program.prints(/^An example MCP server sends/m);
    expect(second.program.printed()).not.toContain("delete-note");
    second.program.signal("SIGTERM");
    await second.program.exited;
  });

  test("leaves nothing running where it is stopped while the gateway still starts, or killed by its terminal", async () => {
    for (const name of ["SIGINT", "SIGHUP"] as const) {
      const port = await freePort();
      const program = startProgram("scripts/start.ts", [], { PORT: String(port), PERSIST_TO: folder });
      programs.push(program);
      await program.prints(/starting it …|Starting the gateway/);
      const family = await eventually("the gateway's own processes", () => {
        const found = familyOf(program.pid);
        return found.length > 1 ? found : null;
      });
      program.signal(name);
      await program.exited;
      await nothingIsLeft(family, port);
    }
  });

  test.each([
    ["abc", "PORT must be a whole number from 1 to 65535"],
    ["70000", "PORT must be a whole number from 1 to 65535"],
  ])("says what is wrong with PORT=%s", async (port, message) => {
    const program = startProgram("scripts/start.ts", [], { PORT: port, PERSIST_TO: folder });
    expect(await program.exited).toBe(1);
    expect(program.printed()).toBe(`npm start: ${message}\n`);
  });
});

describe.skipIf(chromiumPath === undefined)("npm start, with a person at a browser", () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-walk-"));
  const seen = new Set<string>();
  let started: Started;
  let browser: Browser;
  let provider: ProviderServer;

  beforeAll(async () => {
    [started, browser, provider] = await Promise.all([npmStart(folder), launch(), startProviderServer()]);
  });
  afterAll(async () => {
    await Promise.all([browser?.close(), provider?.close()]);
    started?.program.signal("SIGTERM");
    await started?.program.exited;
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(link: string): Promise<Page> {
    seen.add(link);
    const page = await (await browser.newContext(phone)).newPage();
    await page.goto(link);
    return page;
  }
  /** Presses Tab until this has the focus: what a keyboard cannot reach is an error. */
  async function tabTo(page: Page, selector: string): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`the Tab key does not reach ${selector}`);
  }
  async function tabBackTo(page: Page, selector: string): Promise<void> {
    for (let presses = 0; presses < 60; presses += 1) {
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector)) return;
      await page.keyboard.press("Shift+Tab");
    }
    throw new Error(`Shift and Tab do not reach ${selector}`);
  }
  async function press(page: Page, act: "approve" | "deny", until = "section.outcome, #next"): Promise<void> {
    await page.waitForTimeout(aPersonsSecond);
    if (act === "deny" && !(await page.locator("#reason").isVisible())) {
      await tabTo(page, ".deny > summary");
      await page.keyboard.press("Enter");
    }
    await tabTo(page, `button[value^=${act}]`);
    await page.keyboard.press("Enter");
    await page.waitForURL(page.url(), { waitUntil: "load" });
    await page.locator(until).waitFor();
  }
  /** Approves the changes, which the page shows and its button counts. */
  async function approveChanges(page: Page, shown: readonly string[]): Promise<void> {
    const marked = await page.locator("ins:visible").allInnerTexts();
    for (const text of shown) expect(marked.join("\n")).toContain(text);
    await press(page, "approve");
  }
  /** Puts the cursor at the end of the field of this text, with the keyboard. */
  async function edit(page: Page, path: string): Promise<void> {
    await tabTo(page, `textarea[name="${editField(path)}"]`);
    await page.keyboard.press("Control+End");
  }
  const ask = (text: string) => walk({ url: started.url, apiKey: vars.DEV_API_KEY, text });
  const resultText = (result: object): string =>
    ((result as { content: unknown }).content as { text: string }[]).map(({ text }) => text).join();

  test("they read who asks and the whole prompt, edit it, edit the reply, and the server gets that", async () => {
    const { program } = started;
    const [, link = ""] = await program.prints(linkLine);
    const request = await open(link);
    const texts = (): Promise<string[]> =>
      request.locator("textarea.said").evaluateAll((all) => all.map((each) => (each as HTMLTextAreaElement).value));
    await request.locator("#settings > summary").click();
    const shown = await request.locator("main").innerText();
    for (const text of ["summarize", "tools/call", "Inferred", "demo"]) expect(shown).toContain(text);
    await request.locator("#settings > summary").click();
    const [system, prompt] = await texts();
    expect(system).toBe("You write short, plain summaries.");
    expect(prompt).toContain(
      "Summarize in one sentence:\n\nSampling lets an MCP server ask its client for a model's reply. The server needs no account of its own; the client picks the model.",
    );
    // A newcomer's first page has nothing to be alarmed at.
    expect(shown).toContain("Warnings\nnone found");
    await shoot(request, "request-gate");
    await edit(request, "/systemPrompt");
    await request.keyboard.type(" Answer in French.");
    await edit(request, "/messages/0/content/0/text");
    await request.keyboard.press("Control+Home");
    await request.keyboard.type("Person's edit. ");
    expect(await request.locator("button[value^=approve]").innerText()).toBe("Approve with 2 changes");
    await shoot(request, "request-gate-edited");
    await approveChanges(request, ["Answer in French.", "Person's edit."]);
    expect(await request.locator("#next").innerText()).toContain("You approved it with changes");
    await shoot(request, "request-outcome");

    const [, reply = ""] = await program.prints(/review the model's reply[^\n]*\n\n {2}(\S+)\n/);
    const response = await open(reply);
    // The demo model says what it was given: the edit went out.
    expect(await response.locator("textarea.said").first().inputValue()).toContain("Person's edit. Summarize");
    await shoot(response, "response-gate");
    await edit(response, "/content/0/text");
    await response.keyboard.type(" Checked by a person.");
    await approveChanges(response, ["Checked by a person."]);
    await shoot(response, "response-outcome");

    await program.prints(/The MCP server received the reply\. Its tool returned:\n\n.*Person's edit\. Summarize.* Checked by a person\./s);

    const again = await open(link);
    expect(await again.locator("section.outcome").innerText()).toMatch(/You approved it with changes/);
    expect(await again.locator("form, button").count()).toBe(0);
  });

  test("a no with a reason ends the request; the server is told no, and not the reason", async () => {
    const asked = ask("Text of the request that is denied.");
    const link = await newNotice(started.url, "request", seen);
    const [page, other] = [await open(link), await open(link)];
    await tabTo(page, ".deny > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, "#reason");
    await page.keyboard.type("It would send a customer's name.");
    await press(page, "deny");
    const outcome = await page.locator("section.outcome").innerText();
    expect(outcome).toContain("You denied it");
    expect(outcome).toContain("It would send a customer's name.");
    await shoot(page, "denied");
    const result = await asked;
    expect(result["isError"]).toBe(true);
    expect(resultText(result)).toContain("User rejected sampling request");
    expect(resultText(result)).not.toContain("customer");

    // The tab that was open all along has heard of it: nothing can be pressed there, and it leads
    // to what happened.
    const ended = other.getByRole("link", { name: "See how it ended" }).first();
    await ended.waitFor();
    expect(await other.locator("button[value^=approve]").isDisabled()).toBe(true);
    await ended.focus();
    await other.keyboard.press("Enter");
    await other.locator("section.outcome").waitFor();
    expect(await other.locator("main").innerText()).toContain("You denied it");
    expect(await other.locator("button").count()).toBe(0);
    await shoot(other, "second-tab");
  });

  test("they send it to another model than the first, and that one answers", async () => {
    const authorization = `Bearer ${vars.ADMIN_TOKEN}`;
    const table = await (await fetch(`${started.url}/admin/routing`, { headers: { authorization } })).json();
    table.providers.scripted = { kind: "openai", baseUrl: provider.openaiUrl, keyless: true, allowPrivate: true };
    // Once a provider is ready the demo model steps back, so both are the provider's.
    const demo = table.models.find(({ id }: { id: string }) => id === "demo");
    for (const id of ["first", "other"])
      table.models.push({ ...demo, id, name: `${id}-1`, provider: "scripted", tasks: ["chat"], accepts: ["text"] });
    const put = await fetch(`${started.url}/admin/routing`, {
      method: "PUT",
      headers: { authorization, "If-Match": String(table.version), "Content-Type": "application/json" },
      body: JSON.stringify(table),
    });
    expect(put.status).toBe(200);

    const asked = ask("Text for the other model.");
    const page = await open(await newNotice(started.url, "request", seen));
    const models = page.locator("select[name=model] option");
    expect(await models.evaluateAll((all) => all.map((each) => (each as HTMLOptionElement).value))).toEqual(["first", "other"]);
    await tabTo(page, "#settings > summary");
    await page.keyboard.press("Enter");
    await tabTo(page, "select[name=model]");
    await page.keyboard.press("ArrowDown");
    await shoot(page, "other-model");
    expect(await page.locator("button[value^=approve]").innerText()).toBe("Approve with 1 change");
    expect(await page.locator(".effect").innerText()).toBe("Approve sends it to other.");
    await tabBackTo(page, "button[value^=approve]");
    await press(page, "approve");
    const reply = await open(await newNotice(started.url, "response", seen));
    expect(await reply.locator("textarea.said").first().inputValue()).toBe("Hello from the scripted provider.");
    await press(reply, "approve");
    expect(resultText(await asked)).toBe("Hello from the scripted provider.");
    expect(provider.requests).toHaveLength(1);
    expect(provider.requests[0]?.body).toMatchObject({
      model: "other-1",
      messages: [{ content: "You write short, plain summaries." }, { content: "Summarize in one sentence:\n\nText for the other model." }],
    });
  });
});
