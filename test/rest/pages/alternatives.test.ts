// A reviewer chooses another alternative of an argument and edits there, with scripts and without:
// the page has its fields, and what it showed is what is sent.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ToolCall, argumentsJsonOf, withArguments } from "../../../shared/model/subject/tool-call.ts";
import { changedRequest, isPromised } from "../../../shared/review/changes.ts";
import { type SubmittedForm, parseDecisionForm } from "../../../shared/review/form.ts";
import { pageHeaders } from "../../../workers/endpoints/page-headers.ts";
import type { Problem } from "../../../workers/ui/problem.tsx";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { shoot } from "../../outside/support/screenshots.ts";
import { launch } from "../../outside/pages/browser.ts";
import { violationsOn } from "../../outside/pages/checks.ts";
import { typedCall } from "../../outside/pages/examples.ts";
import { cspNonce, renderedReview } from "./rendered.ts";

const inputSchema = {
  type: "object",
  required: ["to"],
  properties: {
    subject: { type: "string" },
    to: {
      description: "Who is told.",
      oneOf: [
        {
          type: "object",
          title: "By email",
          required: ["kind", "address"],
          properties: { kind: { const: "email" }, address: { type: "string", format: "email" }, text: { type: "string" } },
          additionalProperties: false,
        },
        {
          type: "object",
          title: "By text message",
          description: "Costs money.",
          required: ["kind", "number"],
          properties: {
            kind: { const: "sms" },
            number: { type: "string", pattern: "^[+][0-9]+$" },
            text: { type: "string", maxLength: 160 },
            parts: { type: "integer", default: 1 },
            flash: { type: "boolean" },
          },
          additionalProperties: false,
        },
        {
          type: "object",
          required: ["kind", "room"],
          properties: {
            kind: { const: "chat" },
            room: { anyOf: [{ type: "string" }, { type: "object", required: ["id"], properties: { id: { type: "integer" } } }] },
          },
          additionalProperties: false,
        },
      ],
    },
    when: { type: ["string", "integer", "null"] },
    copies: { type: "array", items: { type: ["string", "integer"] } },
  },
};
const given =
  '{"subject":"Deploy","to":{"kind":"email","address":"ann@example.com","text":"It is out."},"when":1700000000,"copies":["bo"]}';
const call: ToolCall = { ...withArguments(typedCall.request, given), server: "pager", tool: "notify", definition: { inputSchema } };
const view = { ...typedCall, request: call };

/** What the gateway does with the form of a call. */
class Gate {
  sent: string | null = null;
  acts: string[] = [];

  answer(body: string | null): { status: number; html: string } {
    if (body === null) return { status: 200, html: this.page() };
    const form = parseDecisionForm(new URLSearchParams(body));
    if (!form.ok) return { status: 400, html: "unreadable" };
    const { edits, act, promised } = form.value;
    this.acts.push(act);
    const changed = changedRequest({ request: call, models: [] }, { edits });
    if (!changed.ok)
      return { status: act === "preview" ? 200 : 422, html: this.page(form.value, { why: "cannotBe", issues: changed.error }) };
    if (act !== "approve") return { status: 200, html: this.page(form.value) };
    if (promised === undefined || !isPromised(changed.value.changes, promised, edits))
      return { status: 409, html: this.page(form.value, { why: "unseenChanges" }) };
    const { request } = changed.value.value;
    this.sent = request.kind === "toolCall" ? argumentsJsonOf(request) : null;
    return { status: 200, html: "<!doctype html><title>sent</title><p>sent</p>" };
  }

  page(kept?: SubmittedForm, problem?: Problem): string {
    const changed = kept === undefined ? null : changedRequest({ request: call, models: [] }, { edits: kept.edits });
    return renderedReview(view, {
      preview: kept?.act === "preview",
      ...(kept === undefined ? {} : { kept }),
      ...(problem === undefined ? {} : { problem }),
      changes: changed?.ok === true ? changed.value.changes : [],
    });
  }
}

describe.skipIf(chromiumPath === undefined)("another alternative on the page of a call", () => {
  let browser: Browser;
  let server: Server;
  let gate = new Gate();

  beforeAll(async () => {
    browser = await launch();
    server = createServer((asked, answer) => {
      const parts: Buffer[] = [];
      asked.on("data", (part: Buffer) => parts.push(part));
      asked.on("end", () => {
        const { status, html } = gate.answer(asked.method === "POST" ? Buffer.concat(parts).toString("utf8") : null);
        answer.writeHead(status, pageHeaders(cspNonce, true)).end(html);
      });
    });
    await new Promise<void>((done) => {
      server.listen(0, "127.0.0.1", done);
    });
  });
  afterAll(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  });

  async function open(javaScriptEnabled: boolean): Promise<Page> {
    gate = new Gate();
    const page = await (await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled })).newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/r/t`); // It listens on TCP.
    await page.locator("#arguments .edit > summary").click();
    return page;
  }
  const control = (page: Page, at: string) => page.locator(`[name="edit:/arguments${at}"]`);
  const label = (page: Page): Promise<string> => page.locator("#approve").innerText();

  test("with scripts: its fields take the place of the others, and one press sends what they show", async () => {
    const page = await open(true);
    await control(page, "/subject").fill("Deployed");
    await shoot(page, "alternatives");
    await control(page, "/to~.as").selectOption({ label: "By text message" });
    await control(page, "/to~.as1/number").waitFor();
    expect(await control(page, "/to~.as1/text").inputValue()).toBe("It is out.");
    expect(await control(page, "/to~.as1/parts").inputValue()).toBe("1");
    expect(await control(page, "/to/address").count()).toBe(0);
    expect(await control(page, "/subject").inputValue()).toBe("Deployed");
    expect(await page.evaluate(() => document.activeElement?.getAttribute("name"))).toBe("edit:/arguments/to~.as");
    expect(await label(page)).toBe("Approve with 2 changes");
    await shoot(page, "alternatives-chosen");
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
    await control(page, "/to~.as1/number").fill("+491");
    expect(await label(page)).toBe("Approve with 2 changes");
    await page.locator("#approve").click();
    await page.getByText("sent", { exact: true }).waitFor();
    expect(gate.acts).toEqual(["preview", "approve"]);
    expect(gate.sent).toBe(
      '{"subject":"Deployed","to":{"kind":"sms","text":"It is out.","parts":1,"number":"+491"},"when":1700000000,"copies":["bo"]}',
    );
    await page.context().close();
  });

  test("with scripts: nothing is sent whose fields did not come, and the button asks for them", async () => {
    const page = await open(true);
    await page.route("**/r/t", (route) => route.abort());
    await control(page, "/to~.as").selectOption({ label: "By text message" });
    await page.getByRole("button", { name: /Show its fields\s+to$/ }).waitFor();
    await page.locator("#approve").click();
    expect(gate.acts).toEqual([]);
    await page.unroute("**/r/t");
    await page.getByRole("button", { name: /Show its fields\s+to$/ }).click();
    await control(page, "/to~.as1/number").waitFor();
    expect(gate.acts).toEqual(["preview"]);
    await page.context().close();
  });

  test("without scripts: one inside another, each with a page in between", async () => {
    const page = await open(false);
    await control(page, "/to~.as").selectOption({ index: 2 });
    await page.locator("#approve").click();
    expect(gate.sent).toBe(null);
    await control(page, "/to~.as2/room~.as").selectOption({ label: "object with id" });
    await page.getByRole("button", { name: /Show its fields\s+room$/ }).click();
    await control(page, "/to~.as2/room~.as1/id").fill("7");
    await page.locator("#approve").click();
    await page.locator("#problem").waitFor();
    expect([gate.sent, await label(page)]).toEqual([null, "Approve with 1 change"]);
    await shoot(page, "alternatives-inside");
    await page.locator("#approve").click();
    await page.getByText("sent", { exact: true }).waitFor();
    expect(gate.sent).toBe('{"subject":"Deploy","to":{"kind":"chat","room":{"id":7}},"when":1700000000,"copies":["bo"]}');
    await page.context().close();
  });
});
