import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isMailAddress, type Mail, mailboxText, mailIssues, parseMailbox } from "../../../../shared/channels/email/email-rules.ts";

const good: Mail = {
  from: { email: "reviews@example.com", name: "Countersign" },
  to: ["ada@example.org"],
  subject: "Review the request",
  text: "Hello",
  html: "<p>Hello</p>",
  headers: {
    "Auto-Submitted": "auto-generated",
    "In-Reply-To": "<a@example.com>",
    References: "<a@example.com> <b@example.com>",
    "X-Auto-Response-Suppress": "All",
  },
};
const faults = (changes: Partial<Mail>): string[] => mailIssues({ ...good, ...changes }).map(({ kind }) => kind);
const withHeaders = (headers: Record<string, string>): string[] => faults({ headers });

describe("a mail that may be sent", () => {
  test.each<[string, Partial<Mail>]>([
    ["as the channel makes it", {}],
    ["from an address without a name", { from: { email: "a@b.example", name: null } }],
    ["to 50 people", { to: Array.from({ length: 50 }, (_, n) => `p${n}@example.org`) }],
    ["with a subject of one character", { subject: "?" }],
    ["with a subject of 998 characters", { subject: "s".repeat(998) }],
    ["with a subject in another script", { subject: "审核 שלום" }],
    ["with a text part alone", { html: "" }],
    ["with an HTML part alone", { text: "" }],
    ["without headers", { headers: {} }],
    ["with 20 headers of the list and as many of its own as it likes", { headers: { ...twenty(), ...custom(30) } }],
    ["with a header value of 2,048 bytes", { headers: { "X-Long": "v".repeat(2_048) } }],
    ["with a header name of 100 bytes", { headers: { [`X-${"n".repeat(98)}`]: "v" } }],
  ])("%s", (_name, changes) => {
    expect(faults(changes)).toEqual([]);
  });
});

const names = [
  "In-Reply-To References List-Unsubscribe List-Unsubscribe-Post List-Id List-Archive List-Help List-Owner List-Post List-Subscribe",
  "Content-Language Keywords Comments Organization Require-Recipient-Valid-Since Expires Reply-By Archived-At",
]
  .join(" ")
  .split(" ");
function twenty(): Record<string, string> {
  return { ...Object.fromEntries(names.map((name) => [name, "v"])), "Auto-Submitted": "auto-generated", Importance: "high" };
}
function custom(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`X-Own_${n}`, "v"]));
}

describe("a mail that may not be sent", () => {
  test.each<[string, Partial<Mail>, string[]]>([
    ["nobody to send it to", { to: [] }, ["noRecipient"]],
    ["51 people", { to: Array.from({ length: 51 }, (_, n) => `p${n}@example.org`) }, ["tooManyRecipients"]],
    ["somebody without an address among them", { to: ["ada@example.org", "grace"] }, ["badRecipient"]],
    ["two addresses in one", { to: ["ada@example.org, eve@example.net"] }, ["badRecipient"]],
    ["a line break in an address", { to: ["ada@example.org\r\nBcc: eve@example.net"] }, ["badRecipient"]],
    ["a sender without an address", { from: { email: "reviews", name: null } }, ["badSender"]],
    ["a line break in the sender's name", { from: { email: "a@b.example", name: "A\nB" } }, ["badSender"]],
    ["no subject", { subject: "" }, ["noSubject"]],
    ["a subject of white space", { subject: "   " }, ["noSubject"]],
    ["a subject of 999 characters", { subject: "s".repeat(999) }, ["subjectTooLong"]],
    ...["\n", "\r", "\r\n", "\u000b", "\u000c", "\u0085", "\u2028", "\u2029", "\u0000", "\t"].map(
      (character): [string, Partial<Mail>, string[]] => [
        `${JSON.stringify(character)} in the subject`,
        { subject: `Review${character}Bcc: eve@example.net` },
        ["lineBreakInSubject"],
      ],
    ),
    ["neither part", { text: " ", html: "" }, ["noBody"]],
    ["4 MB of text", { text: "t".repeat(4 * 1024 * 1024) }, ["tooLarge"]],
  ])("%s", (_name, changes, kinds) => {
    expect(faults(changes)).toEqual(kinds);
  });

  test.each(["From", "To", "Cc", "Bcc", "Subject", "Reply-To", "subject", "REPLY-TO"].map((name) => [name, "headerHasField"]))(
    "the header %s, which has a field of its own",
    (name, kind) => {
      expect(withHeaders({ [name]: "v" })).toEqual([kind]);
    },
  );

  test.each([
    "Date",
    "Message-ID",
    "message-id",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
    "DKIM-Signature",
    "Return-Path",
    "Received",
    "Feedback-ID",
    "ARC-Seal",
    "TLS-Required",
    "CFBL-Address",
    "Sender",
  ])("the header %s, which the platform writes or nobody knows", (name) => {
    expect(withHeaders({ [name]: "v" })).toEqual(["headerNotAllowed"]);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ["a name with a space", { "X-A B": "v" }, ["headerName"]],
    ["a name with a colon", { "X-A:": "v" }, ["headerName"]],
    ["a name with a line break", { "X-A\nBcc": "v" }, ["headerName"]],
    ["a name that is nothing but X-", { "X-": "v" }, ["headerName"]],
    ["a name of 101 bytes", { [`X-${"n".repeat(99)}`]: "v" }, ["headerName"]],
    ["an empty value", { "X-A": "" }, ["headerValue"]],
    ["a line break in a value", { References: "<a@b.example>\r\nBcc: eve@example.net" }, ["headerValue"]],
    ["a value that the header does not take", { "Auto-Submitted": "no" }, ["headerValue"]],
    ["a value of 2,049 bytes", { "X-A": "é".repeat(1_024) + "v" }, ["headerTooLong"]],
    ["21 headers of the list", { ...twenty(), Priority: "urgent" }, ["tooManyHeaders"]],
    [
      "more than 16 KB of headers",
      Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`X-${n}`, "v".repeat(2_000)])),
      ["headersTooLarge"],
    ],
  ])("%s", (_name, headers, kinds) => {
    expect(withHeaders(headers)).toEqual(kinds);
  });
});

describe("addresses", () => {
  test.each([
    "ada@example.org",
    "ada.lovelace+reviews@mail.example.co.uk",
    "o'brien@example.org",
    "a@xn--bcher-kva.example",
    `${"l".repeat(64)}@example.org`,
  ])("%s is one", (text) => {
    expect(isMailAddress(text)).toBe(true);
  });

  test.each([
    "",
    "ada",
    "@example.org",
    "ada@",
    "ada@localhost",
    "ada@@example.org",
    "ada@example..org",
    ".ada@example.org",
    "ada.@example.org",
    "a..b@example.org",
    "ada@-example.org",
    "ada@example-.org",
    "ada@192.168.0.1",
    "ada@example.org ",
    "ada@example.org\n",
    "ada lovelace@example.org",
    "<ada@example.org>",
    "ada@example.org,eve@example.net",
    "ädä@example.org",
    "ada@exämple.org",
    `${"l".repeat(65)}@example.org`,
    `ada@${"d".repeat(64)}.org`,
    `ada@${"d.".repeat(140)}org`,
  ])("%j is none", (text) => {
    expect(isMailAddress(text)).toBe(false);
  });

  test.each([
    ["reviews@example.com", { email: "reviews@example.com", name: null }],
    ["  reviews@example.com ", { email: "reviews@example.com", name: null }],
    ["<reviews@example.com>", { email: "reviews@example.com", name: null }],
    ["Countersign <reviews@example.com>", { email: "reviews@example.com", name: "Countersign" }],
    ['"Reviews, please" <reviews@example.com>', { email: "reviews@example.com", name: "Reviews, please" }],
    ["Prüfung  <reviews@example.com>", { email: "reviews@example.com", name: "Prüfung" }],
  ])("%j is read as a mailbox", (text, value) => {
    expect(parseMailbox(text)).toEqual({ ok: true, value });
  });

  test.each([
    ["", "address"],
    ["Countersign", "address"],
    ["Countersign <reviews>", "address"],
    ["Countersign <a@example.com> <b@example.com>", "name"],
    ["a@example.com, b@example.com", "address"],
    ["A\r\nBcc: eve@example.net <a@example.com>", "name"],
    ['A " B <a@example.com>', "name"],
    [`${"n".repeat(101)} <a@example.com>`, "name"],
  ])("%j is no mailbox", (text, error) => {
    expect(parseMailbox(text)).toEqual({ ok: false, error });
  });

  test("a mailbox that was read is written so that it reads the same", () => {
    const name = fc.stringMatching(/^[A-Za-z0-9äß,;:@(). '-]{1,40}$/).map((text) => text.trim());
    fc.assert(
      fc.property(name, (name) => {
        const mailbox = { email: "a@example.com", name: name === "" ? null : name };
        expect(parseMailbox(mailboxText(mailbox))).toEqual({ ok: true, value: mailbox });
      }),
    );
  });
});

test("whatever a mail is made of, no fault repeats an address, a subject or a text", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 12 }), fc.string({ minLength: 12 }), (one, other) => {
      const secret = `secret-${one}`;
      const said = JSON.stringify(mailIssues({ ...good, to: [secret, other], subject: `${secret}\n`, text: "", html: "" }));
      expect(said).not.toContain("secret-");
    }),
  );
});
