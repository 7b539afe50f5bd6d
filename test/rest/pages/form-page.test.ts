// The page of a form in a real browser: its fields, what is wrong with them, what a press of a
// button sends, and what is shown afterwards.

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Form } from "../../../shared/model/subject/form.ts";
import { formAnswerOf } from "../../../shared/review/form-answer.ts";
import { parseDecisionForm } from "../../../shared/review/form.ts";
import type { FormView } from "../../../shared/review/view.ts";
import type { Language } from "../../../shared/channels/words/languages.ts";
import type { ReviewPageInput } from "../../../workers/ui/review-page.tsx";
import { pageHeaders } from "../../../workers/endpoints/page-headers.ts";
import { launch, servePage } from "../../outside/pages/browser.ts";
import { violationsOn } from "../../outside/pages/checks.ts";
import { openRequest } from "../../outside/pages/examples.ts";
import { shoot } from "../../outside/support/screenshots.ts";
import { cspNonce, renderedReview } from "./rendered.ts";

const {
  subject: _message,
  models: _models,
  worstCostUsd: _worst,
  answeredBy: _by,
  usage: _usage,
  cachedAt: _at,
  costUsd: _cost,
  ...common
} = openRequest;

const asked: Form = {
  kind: "form",
  server: "calendar",
  message: "Which room, and for how many people?",
  schema: {
    type: "object",
    properties: {
      room: {
        type: "string",
        title: "Room",
        oneOf: [
          { const: "ada", title: "Ada (6)" },
          { const: "grace", title: "Grace (12)" },
        ],
      },
      people: { type: "integer", title: "People", minimum: 1, maximum: 12 },
      email: { type: "string", title: "Email of the host", format: "email", default: "ann@example.com" },
      day: { type: "string", title: "Day", format: "date" },
      note: { type: "string", title: "Note for the others", description: "They read it in the invitation.", maxLength: 400 },
      needs: {
        type: "array",
        title: "What you need",
        items: {
          anyOf: [
            { const: "p", title: "Projector" },
            { const: "w", title: "Whiteboard" },
            { const: "c", title: "Coffee" },
          ],
        },
        maxItems: 2,
      },
      recurring: { type: "boolean", title: "Every week" },
    },
    required: ["room", "people"],
  },
};

const open: FormView = {
  ...common,
  subject: "form",
  requestor: { ...common.requestor, server: "calendar", name: "book_room" },
  risks: [],
  notes: [],
  request: asked,
  requestAsAsked: null,
  reply: null,
  replyAsGenerated: null,
};
const address: FormView = {
  ...open,
  requestor: { ...open.requestor, server: "linear", name: "list_issues" },
  request: {
    kind: "form",
    server: "linear",
    message: "Sign in to Linear to let this assistant read your issues.",
    schema: {},
    url: "https://linear.app/oauth/authorize?client_id=c&state=s",
  },
};
const secret: FormView = {
  ...open,
  request: { ...asked, schema: { type: "object", properties: { apiKey: { type: "string", title: "API key" } }, required: ["apiKey"] } },
  risks: [{ level: "high", pointer: "/schema/properties/apiKey", kind: "asksSecret" }],
};
const answered: FormView = {
  ...open,
  state: { kind: "approved", by: "Ada Lovelace", at: common.now - 1_000, edited: true, author: "Ada Lovelace" },
  votes: [{ by: "Ada Lovelace", at: common.now - 1_000 }],
  progress: "completed",
  written: { by: "Ada Lovelace", at: common.now - 1_000, reply: null },
  reply: {
    kind: "formAnswer",
    content: { room: "grace", people: 4, needs: ["p", "c"], recurring: false, note: "Bring the \u202eplan\u202c." },
  },
};
const closed = (state: FormView["state"], progress: FormView["progress"]): FormView => ({ ...open, state, progress });
const at = common.now - 1_000;

const filled = {
  nonce: "n",
  version: 1,
  digest: open.digest,
  act: "fill",
  edits: new Map([
    ["/content/room", ""],
    ["/content/people", "40"],
    ["/content/email", "ann"],
    ["/content/note", "Bring the plan."],
    ["/content/needs~.1", "on"],
  ]),
} as const;
const refused = formAnswerOf(asked, filled.edits);
const problem = { why: "invalidEdit", issues: refused.ok ? [] : refused.error } as const;

const pages: readonly [string, FormView, Partial<ReviewPageInput>][] = [
  ["form", open, {}],
  ["form-errors", open, { kept: filled, problem }],
  ["form-secret", secret, {}],
  ["form-address", address, { inbox: { path: "/inbox", count: 2 } }],
  ["form-answered", answered, {}],
  ["form-declined", closed({ kind: "denied", by: "Ada Lovelace", at, reason: null }, "rejected"), {}],
  ["form-dismissed", closed({ kind: "cancelled", at, cause: "dismissed" }, "cancelled"), {}],
  ["form-expired", closed({ kind: "expired", at }, "expired"), {}],
];

let browser: Browser;
let site: Awaited<ReturnType<typeof servePage>>;
let page: Page;
beforeAll(async () => {
  browser = await launch();
  site = await servePage();
  site.headers = Object.fromEntries(Object.entries(pageHeaders(cspNonce, true)).map(([name, value]) => [name, String(value)]));
  page = await browser.newPage({ viewport: { width: 390, height: 844 } });
});
afterAll(async () => {
  await browser.close();
  await site.close();
});

async function show(view: FormView, more: Partial<ReviewPageInput> = {}, language: Language = "en"): Promise<void> {
  site.html = renderedReview(view, more, language);
  site.posted = undefined;
  await page.goto(site.url);
}

describe.each(pages)("the page %s", (name, view, more) => {
  test.each<Language>(["en", "zh-CN"])(
    "has nothing for an accessibility checker to find, and does not scroll sideways (%s)",
    async (language) => {
      await show(view, more, language);
      await shoot(page, `${name}-${language}`);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).toBe(true);
      expect(await violationsOn(page)).toEqual([]);
    },
  );
});

const sent = () => {
  const form = parseDecisionForm(new URLSearchParams(site.posted ?? ""));
  return form.ok ? form.value : null;
};

describe("what a press sends", () => {
  test("is the answer, field by field, as a person filled it in", async () => {
    await show(open);
    await page.getByLabel("Room").selectOption({ label: "Grace (12)" });
    await page.getByLabel("People").fill("4");
    await page.getByLabel("Note for the others").fill("One line\nand another");
    await page.getByLabel("Coffee").check();
    await page.getByLabel("Every week").check();
    await page.getByRole("button", { name: "Send answer" }).click();
    await page.getByText("taken").waitFor();
    const answer = formAnswerOf(asked, sent()?.edits ?? new Map());
    expect([sent()?.act, answer]).toEqual([
      "fill",
      {
        ok: true,
        value: {
          kind: "formAnswer",
          content: {
            room: "grace",
            people: 4,
            email: "ann@example.com",
            note: "One line\nand another",
            needs: ["c"],
            recurring: true,
          },
        },
      },
    ]);
  });

  test("is nothing but a preview for Enter in a field", async () => {
    await show(open);
    await page.getByLabel("People").fill("4");
    await page.getByLabel("People").press("Enter");
    await page.getByText("taken").waitFor();
    expect(sent()?.act).toBe("preview");
  });

  test.each([
    ["Decline", "deny"],
    ["Dismiss", "dismiss"],
  ])("is %s, and works where fields are empty", async (button, act) => {
    await show(open);
    if (act === "dismiss") await page.locator("details.more > summary").click();
    await page.locator("summary", { hasText: button }).click();
    await page.getByRole("button", { name: button, exact: true }).click();
    await page.getByText("taken").waitFor();
    expect(sent()?.act).toBe(act);
  });
});

test("what was typed stands in its fields again, with what is wrong beside it", async () => {
  await show(open, { kept: filled, problem });
  expect(await page.getByLabel("People").inputValue()).toBe("40");
  expect(await page.getByLabel("Note for the others").inputValue()).toBe("Bring the plan.");
  expect(await page.getByLabel("Whiteboard").isChecked()).toBe(true);
  expect(await page.getByLabel("People").getAttribute("aria-invalid")).toBe("true");
  expect(await page.locator("#problem li").allTextContents()).toEqual([
    "Room: This is required.",
    "People: This must be 12 or less.",
    "Email of the host: This must be an email address.",
  ]);
  await page.locator("#problem a", { hasText: "People" }).click();
  expect(await page.evaluate(() => decodeURIComponent(location.hash))).toBe("#edit:/content/people");
});

test("works without scripts", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = await context.newPage();
  site.html = renderedReview(open);
  site.posted = undefined;
  await plain.goto(site.url);
  await plain.getByLabel("Room").selectOption({ label: "Ada (6)" });
  await plain.getByLabel("People").fill("2");
  await plain.getByRole("button", { name: "Send answer" }).click();
  await plain.getByText("taken").waitFor();
  await context.close();
  expect(formAnswerOf(asked, sent()?.edits ?? new Map())).toMatchObject({ value: { content: { room: "ada", people: 2 } } });
});

describe("an address", () => {
  test("is a link of its own tab that says nothing of where it was opened, and has the host large", async () => {
    await show(address, { inbox: { path: "/inbox", count: 2 } });
    const link = page.getByRole("link", { name: "Open linear.app" });
    expect(await link.getAttribute("href")).toBe(address.request.url);
    expect([await link.getAttribute("target"), await link.getAttribute("rel")]).toEqual(["_blank", "noreferrer noopener"]);
    expect(await page.locator(".big-host").textContent()).toBe("linear.app");
    await page.getByRole("button", { name: "I opened it" }).click();
    await page.getByText("taken").waitFor();
    expect(sent()?.act).toBe("fill");
  });

  test("of a name in other letters is shown in its technical form, with a warning", async () => {
    await show({ ...address, request: { ...address.request, url: "https://xn--lnear-6va.app/" } });
    expect(await page.locator(".big-host").textContent()).toBe("xn--lnear-6va.app");
    expect(await page.getByText("can look like others").count()).toBe(1);
  });
});
