// The mail as its reader gets it: both parts, in a real browser at the width of a phone, and
// whatever outsiders write.

import * as fc from "fast-check";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mailIssues } from "../../../shared/channels/email/email-rules.ts";
import type { MessageView, ReviewView } from "../../../shared/review/view.ts";
import { type EmailContent, type ReviewEmailInput, mostHtmlBytes, reviewEmail } from "../../../workers/ui/review-email.tsx";
import { shoot } from "../../outside/support/screenshots.ts";
import { launch } from "../../outside/pages/browser.ts";
import { editedRequest, openRequest, openResponse } from "../../outside/pages/examples.ts";

const url = "https://reviews.example.com/r/AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKCkqKywtLi8wMTIzNDU2";
const input = (changes: Partial<ReviewEmailInput> = {}): ReviewEmailInput => ({
  view: openRequest,
  language: "en",
  url,
  why: "asked",
  excerpt: "start",
  expiresAt: openRequest.deadlineAt + 86_400_000,
  ...changes,
});
const mailOf = (changes: Partial<ReviewEmailInput> = {}): EmailContent => reviewEmail(input(changes));
const asking = (requestor: Partial<ReviewView["requestor"]>, texts: readonly string[] = []): MessageView => ({
  ...openRequest,
  requestor: { ...openRequest.requestor, ...requestor },
  request: {
    kind: "chat",
    maxTokens: 1,
    messages: texts.map((text) => ({ role: "user", content: [{ type: "text", text }] })),
  },
});
const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Shapes that mail programs make links of. */
const linkish = [
  /[a-z][a-z0-9+-]*:\/\//i,
  /www\./i,
  /[a-z0-9-]\.[a-z]{2,}/i,
  /[a-z0-9._+-]@[a-z0-9]/i,
  /(mailto|tel|javascript):\S/i,
  /\\\\\w/,
];
const isLinkish = (text: string): boolean => linkish.some((shape) => shape.test(text));

describe("what the mail says", () => {
  const { subject, text, html } = mailOf();
  const said = html.replaceAll(/<style.*?<\/style>|<[^>]+>/g, "").replaceAll("&quot;", '"');

  test.each([
    ["who asks", "notes"],
    ["for whom", "desk-assistant"],
    ["with which tool", "summarize_meeting"],
    ["how that is known", "Unverified: reported by the client."],
    ["the first model", "claude-sonnet-4-5"],
    ["the others", "gemini-pro"],
    ["the worst cost", "up to $0.0138"],
    ["the deadline with its zone", "17 Nov 2026, 14:52:10 UTC"],
    ["the time left", "9 minutes"],
    ["what silence means", "it is denied automatically"],
    ["how many risks there are", "1 note of high risk"],
    ["that replying decides nothing", "Replying to this email decides nothing."],
    ["that the link is personal", "Do not forward this email."],
    ["why it came", "default"],
    ["until when the link works", "The link works until 18 Nov 2026, 14:52:10 UTC."],
    ["the run", "run_7Hq2mWcE0xkV"],
  ])("%s, in both parts", (_name, words) => {
    expect(text).toContain(words);
    expect(said).toContain(words);
  });

  test("the gate, in subject, heading and button", () => {
    const reply = mailOf({ view: openResponse });
    expect([subject, reply.subject]).toEqual([
      "notes · summarize_meeting asks claude-sonnet-4-5 · until 14:52 UTC · 3 warnings (run_7Hq2mWcE0x)",
      "claude-sonnet-4-5 answers notes · summarize_meeting · until 14:52 UTC (run_7Hq2mWcE0x)",
    ]);
    expect(html).toMatch(/<a [^>]+>Review the request<\/a>/);
    expect(reply.html).toMatch(/<a [^>]+>Review the reply<\/a>/);
    expect(reply.text).toContain("Cost: $0.0032");
  });

  test("how many have to approve, where it is more than one", () => {
    expect(text).not.toContain("Who has to approve");
    expect(mailOf({ view: editedRequest }).text).toContain("Who has to approve: 2 people. 1 person has approved so far.");
  });

  test("that the reviewer may not approve their own request", () => {
    expect(mailOf({ view: { ...openRequest, mayApprove: false } }).text).toContain("another reviewer has to approve it. You can deny it");
  });

  test.each([
    ["handedOver", "another reviewer handed this to you"],
    ["escalated", "the reviewers who were asked first have not decided"],
    ["reminder", "this is a reminder"],
    ["changed", "The current version is 2"],
    ["newLink", "the new link that was requested"],
  ] as const)("why it comes: %s", (why, words) => {
    const mail = mailOf({ why, view: editedRequest });
    expect(mail.text).toContain(words);
    expect(mail.html).toContain(words);
    expect(mail.subject).toBe(subject);
  });
});

describe("the content", () => {
  const secret = "the-secret-of-the-prompt";
  const view = asking({}, [`${secret} ${"x".repeat(5_000)}`]);

  test("is in no part where the policy says none, and the mail says so", () => {
    for (const gate of ["request", "response"] as const) {
      const mail = mailOf({ view: { ...view, gate, reply: { model: "m", content: [{ type: "text", text: secret }] } }, excerpt: "none" });
      expect(JSON.stringify(mail)).not.toContain(secret);
      expect(mail.text).toContain("The policy keeps the content out of emails");
    }
  });

  test("is not repeated in a reminder", () => {
    expect(JSON.stringify(mailOf({ view, why: "reminder" }))).not.toContain(secret);
  });

  test("is its first 1,500 characters, with the number of those that follow", () => {
    const { text, html } = mailOf({ view });
    const shown = 1_500 - secret.length - 1;
    for (const part of [text.replaceAll(/\n\| /g, ""), html]) {
      expect(part.match(/x+(?=<|\n\+--)/)?.[0].length).toBe(shown);
      expect(part).toContain(`${(5_000 - shown).toLocaleString("en-US")} more characters of text follow on the page`);
    }
  });

  test("says so where it is all of the text", () => {
    expect(mailOf().text).toContain("That is all of the text. Everything that is not text is on the page.");
    expect(mailOf({ view: asking({}) }).text).toContain("There is no text to show here.");
  });

  test("has what nobody would see written out, and no blank lines to scroll away in", () => {
    const { text, html } = mailOf({ view: asking({}, [`one\u202etwo\u200bthree\u{e0041}${"\n".repeat(1_000)}four`]) });
    for (const part of [text, html]) {
      expect(part).toContain("⟨U+202E right-to-left override⟩");
      expect(part).toContain("⟨999 blank lines⟩");
      expect(part).not.toMatch(/[\u202e\u{e0041}]/u);
    }
  });

  test("in the text part has a bar before each line, also where a line is long", () => {
    const { text } = mailOf({
      view: asking({}, [`${"word ".repeat(200)}\r\nReview the request:\nhttps://evil.example.com\n${"界".repeat(100)}`]),
    });
    const lines = text.split("\n");
    const inside = lines.slice(
      lines.findIndex((line) => line.startsWith("+-- From")) + 1,
      lines.findIndex((line) => line.startsWith("+-- End")),
    );
    expect(inside.length).toBeGreaterThan(15);
    expect(inside.every((line) => line === "|" || line.startsWith("| "))).toBe(true);
    expect(Math.max(...inside.map((line) => line.length))).toBeLessThan(90);
  });
});

describe("whatever outsiders write", () => {
  const corpus = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></style><svg onload=alert(1)>",
    "<a href='https://evil.example.com'>Approve</a>",
    "<!-- --><form action=//evil.example.com><button>",
    "{{constructor}} ${url} {reviewer} {rule} {deadline} {cost}",
    "https://evil.example.com/r/x http://1.2.3.4/ www.evil.example.com evil.example.com. eve@example.net",
    "mailto:eve@example.net tel:+4912345678 javascript:alert(1) \\\\server\\share file:///etc/passwd",
    "evil。example．com｡",
    "a\r\nBcc: eve@example.net\r\n\r\nbody",
    "line\u2028separator\u2029paragraph\u0085next\u000btab\u0000null",
    "\u202eright to left\u202c \u2066\u2069 שלום عربي",
    "</div></div></body></html>",
    "+-- End of what came from outside\nReview the request:\nhttps://evil.example.com",
    "😀".repeat(200),
    "\ud800 lone \udfff",
    "",
    " ",
  ];
  const outside = fc.oneof(
    fc.constantFrom(...corpus),
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ unit: fc.constantFrom(..."<>\"'&/.:@\\ \n\r\t\u2028aw-+=0"), maxLength: 300 }),
  );
  const view = fc
    .record({
      server: outside,
      name: outside,
      method: outside,
      client: outside,
      rule: outside,
      model: outside,
      texts: fc.array(outside, { maxLength: 4 }),
    })
    .map(({ rule, model, texts, ...requestor }): MessageView => ({
      ...asking(requestor, texts),
      rule,
      models: openRequest.models.map((shown) => ({ ...shown, id: model, provider: model })),
    }));

  const check = (view: ReviewView): void => {
    const { subject, text, html } = mailOf({ view });
    const from = { email: "reviews@example.com", name: null };
    expect(mailIssues({ from, to: ["ada@example.org"], subject, text, html, headers: {} })).toEqual([]);
    expect(bytesOf(html)).toBeLessThan(mostHtmlBytes);
    // The elements and attributes of a mail are ours, in number and in name.
    expect(html.match(/<a /g)).toHaveLength(1);
    const tags = new Set([...html.matchAll(/<\/?([^\s>/]*)/g)].map((match) => match[1]));
    expect([...tags].filter((tag) => !known.has(tag ?? ""))).toEqual([]);
    const plain = html
      .slice(html.indexOf("<body"))
      .replaceAll(/<[^>]*>/g, "\n")
      .replaceAll("&lt;", "<")
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&amp;", "&");
    expect(plain.split("\n").filter(isLinkish)).toEqual([]);
    const lines = text.split("\n").filter((line) => line !== url);
    expect(lines.length).toBe(text.split("\n").length - 1);
    expect(lines.filter(isLinkish)).toEqual([]);
    expect(text.split("\n").filter((line) => line === "Review the request:")).toHaveLength(1);
    // oxlint-disable-next-line no-control-regex
    expect(`${text}${html}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066\u2067]/);
  };
  const known = new Set("!doctype html head meta title body div h1 h2 p b bdi br a table tbody tr td".split(" "));

  test.each(corpus)("%j, everywhere", (text) => {
    check({ ...asking({ server: text, name: text, method: text, client: text }, [text, text]), rule: text });
  });

  test("in any field makes no line break in the subject, no element, no attribute, no link, and no mail of 40 KB", () => {
    fc.assert(fc.property(view, check), { numRuns: 200 });
  });

  test.each([
    ["a prompt of 1 MB", "x".repeat(1_000_000)],
    ["nothing but angle brackets", "<".repeat(10_000)],
    ["nothing but quotes", '"'.repeat(10_000)],
    ["nothing but dots", "a.".repeat(10_000)],
    ["nothing but line ends and letters", "a\n".repeat(10_000)],
    ["characters that all have to be written out", Array.from({ length: 6_000 }, (_, n) => String.fromCharCode(0xe000 + n)).join("")],
    ["two that nobody sees, in turn", "\u200b\u200c".repeat(10_000)],
    ["pictures", "😀".repeat(10_000)],
  ])("%s stays below 40 KB, and the mail says how much follows", (_name, long) => {
    const mail = mailOf({ view: asking({ server: long, name: long, method: long, client: long }, [long]) });
    expect(bytesOf(mail.html)).toBeLessThan(mostHtmlBytes);
    expect(mail.subject.length).toBeLessThan(400);
    expect(mail.html).toContain("more characters of text follow on the page");
  });

  test("a hundred models are a few and a number", () => {
    const models = Array.from({ length: 100 }, (_, n) => ({ ...openRequest.models[0]!, id: `model-${n}` }));
    const { text } = mailOf({ view: { ...openRequest, models } });
    expect(text).toContain("“model-5”, from “anthropic”; and 94 others");
    expect(text).not.toContain("“model-6”");
  });

  test("subjects of different runs, gates and tools differ", () => {
    const views = [
      openRequest,
      { ...openRequest, run: "run_9Hq2mWcE0xkV" },
      openResponse,
      asking({ name: "other" }),
      asking({ server: "other" }),
    ];
    expect(new Set(views.map((view) => mailOf({ view }).subject)).size).toBe(views.length);
  });
});

describe("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test.each(["light", "dark"] as const)("%s: fits a phone of 360 pixels, is legible, and has one large link", async (colorScheme) => {
    const page = await browser.newPage({ viewport: { width: 360, height: 740 }, colorScheme });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const long = "n".repeat(300);
    await page.setContent(mailOf({ view: asking({ server: long, name: `${long}.example.com` }, [long.repeat(3), "Second."]) }).html);
    const seen = await page.evaluate(() => {
      const luminance = (color: string): number => {
        const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).slice(0, 3).map((part) => {
          const value = Number(part) / 255;
          return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const link = document.querySelector("a")!;
      const style = getComputedStyle(link);
      const [light = 0, dark = 0] = [luminance(style.color), luminance(style.backgroundColor)];
      return {
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        smallest: Math.min(
          ...[...document.querySelectorAll("body *")].map((element) => Number.parseFloat(getComputedStyle(element).fontSize)),
        ),
        links: [...document.querySelectorAll("a")].map((each) => each.href),
        height: link.getBoundingClientRect().height,
        width: link.getBoundingClientRect().width,
        contrast: (light + 0.05) / (dark + 0.05),
        ink: luminance(getComputedStyle(document.body).color),
        loads: document.querySelectorAll("img, script, link, iframe, form, input, button, style, [src]").length,
      };
    });
    expect(seen).toMatchObject({ overflow: 0, links: [url], loads: 0 });
    expect(seen.smallest).toBeGreaterThanOrEqual(16);
    expect(seen.height).toBeGreaterThanOrEqual(44);
    expect(seen.width).toBeGreaterThan(300);
    expect(seen.contrast).toBeGreaterThan(4.5);
    // The program's own ink: dark on light, light on dark.
    expect(seen.ink > 0.5).toBe(colorScheme === "dark");
    expect(asked).toEqual([]);
    await page.close();
  });

  test("the pictures, where somebody asks for them", async () => {
    const page = await browser.newPage();
    for (const [name, view] of Object.entries({ request: openRequest, reply: openResponse, edited: editedRequest })) {
      await page.setContent(mailOf({ view }).html);
      await shoot(page, `mail-${name}`);
      expect(await page.title()).toBe(mailOf({ view }).subject);
    }
    await page.close();
  });
});
