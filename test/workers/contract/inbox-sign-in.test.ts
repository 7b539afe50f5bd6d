// Signing in to the inbox: by a link to the address on file, once, in time, in the browser that
// asked; and how a session ends.

import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import { toBase64url } from "../../../shared/encoding.ts";
import { addressDigest, askedToken, browserSecretLength, inboxNameOf } from "../../../shared/review/inbox.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import { inboxStub } from "../../../workers/stubs/stubs.ts";
import { admin, configure, env, eventually, gateway, gatewayWith, notices, policy, publicUrl, travel } from "../support/gateway.ts";
import { InboxBrowser, addresses, configureInbox, mail, newestSignInLink, readFor, signInLinks, waits } from "../support/inbox.ts";
import { tablesOf } from "../objects/inside.ts";
import { pathOf } from "../support/reviewer.ts";

const minute = 60_000;
const ada = addresses.Ada;
let browser: InboxBrowser;

beforeEach(async () => {
  await configureInbox();
  browser = new InboxBrowser();
});

const isSignedIn = async (of = browser): Promise<boolean> => (await of.text("/inbox")).includes("No review waits for you");

/** The link of Ada's next email, asked for in this browser. */
async function askedLink(of = browser): Promise<string> {
  const before = signInLinks(ada).length;
  expect((await of.ask(ada)).status).toBe(200);
  return newestSignInLink(ada, before + 1);
}

describe("a link to the address on file", () => {
  test("signs in the browser that asked: its GET shows a button and sets no cookie, its POST signs in", async () => {
    expect(await isSignedIn()).toBe(false);
    const link = await askedLink();
    const page = await browser.get(pathOf(link));
    expect(page.status).toBe(200);
    expect(page.headers.getSetCookie()).toEqual([]);
    expect(await page.text()).toContain("Sign in</button>");
    expect(await isSignedIn()).toBe(false);
    const answer = await browser.enter(link);
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, publicUrl + browser.home]);
    const [session] = answer.headers.getSetCookie();
    for (const attribute of ["HttpOnly", "SameSite=Lax", `Path=${browser.home};`, "Max-Age=28800"]) expect(session).toContain(attribute);
    expect(await isSignedIn()).toBe(true);
  });

  test("sets cookies for this host and https alone, where the gateway is served there", async () => {
    const asHttps = { PUBLIC_URL: "https://gateway.example.com" };
    const fields = await browser.form("/inbox");
    fields.set("email", ada);
    readFor();
    const answer = await gatewayWith(asHttps, "/inbox/sign-in", {
      key: null,
      method: "POST",
      body: fields.toString(),
      headers: { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" },
    });
    const [cookie] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-countersign-browser=[\w-]{75};/);
    for (const attribute of ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"]) expect(cookie).toContain(attribute);
    expect(cookie).not.toMatch(/domain/i);
  });

  test("opened a hundred times by whoever, signs nobody in and is still good", async () => {
    const link = await askedLink();
    const scanner = new InboxBrowser();
    for (let i = 0; i < 100; i += 1)
      expect((await scanner.get(pathOf(link), { method: i % 2 === 0 ? "HEAD" : "GET" })).headers.getSetCookie()).toEqual([]);
    expect((await browser.enter(link)).status).toBe(303);
  });

  test.each(["https://evil.example/", "//evil.example", "../../console", "connect?a\r\nSet-Cookie: x=1"])(
    "leads nowhere else: %j as what was wanted leads to the inbox",
    async (to) => {
      const fields = await browser.form("/inbox");
      fields.set("email", ada);
      fields.set("to", to);
      const before = signInLinks(ada).length;
      await browser.post("/inbox/sign-in", fields);
      const answer = await browser.enter(await newestSignInLink(ada, before + 1));
      expect(answer.headers.get("Location")).toBe(publicUrl + browser.home);
    },
  );

  const refused: readonly [string, (link: string) => Promise<Response>, number][] = [
    [
      "used twice",
      async (link) => {
        await browser.enter(link);
        browser.cookies.delete("countersign-session");
        return browser.enter(link);
      },
      // The first use took the browser's cookie away, and used the link.
      410,
    ],
    [
      "ten minutes after it was asked for",
      async (link) => {
        const fields = await browser.form(pathOf(link));
        travel(10 * minute);
        return browser.post(pathOf(link), fields);
      },
      410,
    ],
    ["in another browser", (link) => new InboxBrowser().enter(link), 403],
    [
      "that a browser asked for which asked for this address too",
      async (link) => {
        const other = new InboxBrowser();
        await other.ask(ada);
        await newestSignInLink(ada, 2);
        return other.enter(link);
      },
      403,
    ],
    [
      "in a browser that asked for a link of its own",
      async (link) => {
        const other = new InboxBrowser();
        await other.ask("nobody@example.org");
        return other.enter(link);
      },
      403,
    ],
    [
      "after the reviewer's address has changed",
      async (link) => {
        await configureAgain([{ name: "Ada", email: "ada@elsewhere.example.org" }]);
        return browser.enter(link);
      },
      410,
    ],
    [
      "after the reviewer has left the policy",
      async (link) => {
        await configureAgain([{ name: "Grace", email: addresses.Grace }]);
        return browser.enter(link);
      },
      410,
    ],
    [
      "with the nonce of another link",
      async (link) => {
        const other = await browser.form(pathOf(await askedLink()));
        readFor();
        return browser.post(pathOf(link), other);
      },
      403,
    ],
    [
      "by a form of another site",
      async (link) => {
        const fields = await browser.form(pathOf(link));
        readFor();
        return browser.post(pathOf(link), fields, { "Sec-Fetch-Site": "cross-site" });
      },
      403,
    ],
    [
      "by a web view without an origin",
      async (link) => {
        const fields = await browser.form(pathOf(link));
        readFor();
        return browser.post(pathOf(link), fields, { Origin: "null" });
      },
      403,
    ],
    ["with a bit of its token changed", async (link) => browser.get(pathOf(link).replace(/.$/, (last) => (last === "A" ? "B" : "A"))), 404],
  ];

  test.each(refused)("%s signs nobody in", async (_, use, status) => {
    const answer = await use(await askedLink());
    expect(answer.status).toBe(status);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await isSignedIn()).toBe(false);
  });

  test("that another browser tried stays good for the one that asked", async () => {
    const link = await askedLink();
    expect((await new InboxBrowser().enter(link)).status).toBe(403);
    expect((await browser.enter(link)).status).toBe(303);
  });

  test("opens no review, and a review's link signs nobody in", async () => {
    const run = await waits();
    const review = await eventually("the notice", async () => (await notices()).find((each) => each.run === run)?.link);
    const link = await askedLink();
    expect((await gateway(`/r/${link.slice(link.lastIndexOf("/") + 1)}`, { key: null })).status).toBe(404);
    expect((await browser.get(`/inbox/sign-in/${review.slice(review.lastIndexOf("/") + 1)}`)).status).toBe(404);
  });
});

/** Another policy, with the mail API of this test. */
const configureAgain = (people: readonly object[]): Promise<void> =>
  configure("policy", { ...policy, rules: [], default: { ...policy.default, response: "allow" }, reviewers: { everyone: people } });

describe("asking for a link", () => {
  test("is answered alike for an address that is nobody's, and sends nothing there", async () => {
    const [known, unknown] = [await new InboxBrowser().ask(ada), await new InboxBrowser().ask("nobody@example.org")];
    const plain = async (answer: Response): Promise<string> => (await answer.text()).replaceAll(/nonce="[\w-]+"/g, "");
    expect([known.status, await plain(known)]).toEqual([unknown.status, await plain(unknown)]);
    const shape = ({ headers }: Response): object =>
      Object.fromEntries([...headers].map(([name, value]) => [name, value.replaceAll(/nonce-[\w-]+/g, "").replace(/=[\w-]{75};/, "")]));
    expect(shape(known)).toEqual(shape(unknown));
    await newestSignInLink(ada);
    expect(mail.taken.flatMap(({ to }) => to)).toEqual([ada]);
  });

  test("sends no fourth email while three of the last hour are unused, with the same answer", async () => {
    for (let i = 1; i <= 3; i += 1) {
      await browser.ask(ada);
      await newestSignInLink(ada, i);
    }
    const fourth = await browser.ask(ada);
    expect([fourth.status, (await fourth.text()).includes("is on its way")]).toEqual([200, true]);
    const inbox = inboxStub(env, inboxNameOf("Ada"));
    // The gateway asks after its answer, so here the object is asked itself.
    const sentAfterAsking = async (): Promise<number> => {
      await inbox.ask({ inbox: inboxNameOf("Ada"), email: ada, language: null, browser: "none", to: null });
      return (await tablesOf(inbox as DurableObjectStub))["sign_in"]?.length ?? 0;
    };
    for (let i = 0; i < 3; i += 1) expect(await sentAfterAsking()).toBe(3);
    // One that signed somebody in makes room for one.
    await browser.enter(await newestSignInLink(ada, 3));
    for (let i = 0; i < 3; i += 1) expect(await sentAfterAsking()).toBe(4);
    travel(60 * minute);
    expect(await sentAfterAsking()).toBe(5);
  });

  describe("by strangers, three times", () => {
    /** The links of the emails that three browsers asked for. */
    async function strangers(): Promise<string[]> {
      for (let i = 1; i <= 3; i += 1) {
        await new InboxBrowser().ask(ada);
        await newestSignInLink(ada, i);
      }
      return signInLinks(ada);
    }

    test.each([0, 1, 2])("keeps nobody out: whoever asks next is signed in by email %s of those, once", async (index) => {
      const link = (await strangers())[index] ?? "";
      await browser.ask(ada);
      expect((await browser.enter(link)).status).toBe(303);
      expect(await isSignedIn()).toBe(true);
      expect((await browser.enter(link)).status).toBe(410);
    });

    test("keeps nobody out at the end of the hour either, for ten minutes after asking", async () => {
      const [link = ""] = await strangers();
      travel(59 * minute);
      await browser.ask(ada);
      travel(9 * minute);
      expect((await browser.enter(link)).status).toBe(303);
    });

    const refused: readonly [string, (links: string[]) => Promise<Response>, number?][] = [
      ["a browser that asked for nothing", ([link = ""]) => browser.enter(link)],
      [
        "a browser that asked for another address",
        async ([link = ""]) => {
          await browser.ask("nobody@example.org");
          return browser.enter(link);
        },
      ],
      [
        "a browser that asked before any of them",
        async () => {
          travel(61 * minute);
          await browser.ask(ada);
          await newestSignInLink(ada, 4);
          await new InboxBrowser().ask(ada);
          await newestSignInLink(ada, 5);
          await new InboxBrowser().ask(ada);
          return browser.enter(await newestSignInLink(ada, 6));
        },
      ],
      [
        "a browser that asked before a later one",
        async () => {
          travel(55 * minute);
          // What the answer to asking now would set: an email must not follow it here.
          const asked = { secret: toBase64url(new Uint8Array(browserSecretLength)), askedAt: Date.now() };
          browser.cookies.set("countersign-browser", askedToken(settingsOf(env).keys, asked, addressDigest(ada)));
          travel(6 * minute);
          await new InboxBrowser().ask(ada);
          return browser.enter(await newestSignInLink(ada, 4));
        },
      ],
      [
        "a browser that asked ten minutes ago",
        async ([link = ""]) => {
          await browser.ask(ada);
          const { cookies } = browser;
          travel(10 * minute);
          expect(cookies.size).toBe(1);
          return browser.enter(link);
        },
        410,
      ],
      [
        "a browser that changed what it was given",
        async ([link = ""]) => {
          await browser.ask(ada);
          const cookie = browser.cookies.get("countersign-browser") ?? "";
          browser.cookies.set(
            "countersign-browser",
            cookie.replace(/.$/, (last) => (last === "A" ? "Q" : "A")),
          );
          return browser.enter(link);
        },
      ],
    ];
    test.each(refused)("signs in by none of their emails %s", async (_, use, status = 403) => {
      const answer = await use(await strangers());
      expect([answer.status, await isSignedIn()]).toEqual([status, false]);
    });
  });

  test("takes the address in any case, and sends to the one on file", async () => {
    await browser.ask("ADA@Example.ORG");
    await newestSignInLink(ada);
    expect(mail.taken.at(-1)?.to).toEqual([ada]);
  });

  test("takes the form as soon as a password manager sends it, and so does the link's page", async () => {
    const fields = await browser.form("/inbox");
    fields.set("email", ada);
    expect((await browser.post("/inbox/sign-in", fields)).status).toBe(200);
    const link = await newestSignInLink(ada);
    expect((await browser.post(pathOf(link), await browser.form(pathOf(link)))).status).toBe(303);
    expect(await isSignedIn()).toBe(true);
  });

  test.each([
    ["of a page that was open for long", ada, 31 * minute, 409],
    ["without an address", '"ada', 0, 422],
  ])("by a form %s shows the form again, with what was typed", async (_, email, waited, status) => {
    const fields = await browser.form("/inbox");
    fields.set("email", email);
    travel(waited);
    const answer = await browser.post("/inbox/sign-in", fields);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(`value="${email.replace('"', "&quot;")}"`);
    expect(mail.taken).toEqual([]);
  });

  test("from another site sends nothing and sets no cookie", async () => {
    const fields = await browser.form("/inbox");
    fields.set("email", ada);
    expect((await browser.post("/inbox/sign-in", fields, { "Sec-Fetch-Site": "cross-site" })).status).toBe(403);
    expect((await browser.post("/inbox/sign-in", fields, {})).status).toBe(403);
    expect((await browser.post("/inbox/sign-in", "{}", { Origin: publicUrl, "Content-Type": "application/json" })).status).toBe(415);
    expect([browser.cookies.size, mail.taken.length]).toEqual([0, 0]);
  });

  test("is tried again where the mail service fails, and the email is the same link", async () => {
    mail.script({ status: 500, name: "application_error" });
    await browser.ask(ada);
    await eventually("the first attempt", async () => mail.requests.length > 0);
    travel(10_000);
    await eventually("the email", async () => {
      await runInDurableObject(inboxStub(env, inboxNameOf("Ada")), (object) => (object as unknown as { alarm(): Promise<void> }).alarm());
      return signInLinks(ada).length === 1;
    });
    expect((await browser.enter(await newestSignInLink(ada))).status).toBe(303);
  });

  test("stores no token and no secret, and no address once the email is sent", async () => {
    const link = await askedLink();
    const answer = await browser.enter(link);
    expect(answer.status).toBe(303);
    const session = browser.cookies.get("countersign-session") ?? "";
    const stored = await runInDurableObject(inboxStub(env, inboxNameOf("Ada")), (_object, { storage }) =>
      JSON.stringify([storage.sql.exec("SELECT * FROM sign_in").toArray(), storage.sql.exec("SELECT * FROM session").toArray()]),
    );
    for (const secret of [ada, session, session.slice(60), link.slice(-30), "Ada"]) expect(stored).not.toContain(secret);
  });
});

describe("a session", () => {
  beforeEach(async () => {
    await browser.signIn(ada);
    expect(await isSignedIn()).toBe(true);
  });

  test("lasts eight hours, and not a moment longer", async () => {
    const answer = await browser.get("/inbox");
    expect(answer.status).toBe(200);
    travel(8 * 60 * minute - 60_000);
    expect(await isSignedIn()).toBe(true);
    travel(60_000);
    expect(await isSignedIn()).toBe(false);
  });

  test("ends when the reviewer leaves the policy, also for the case that they come back", async () => {
    const everyone = [{ name: "Ada", email: ada }];
    await configureAgain([{ name: "Grace", email: addresses.Grace }]);
    expect(await isSignedIn()).toBe(false);
    await configureAgain(everyone);
    expect(await isSignedIn()).toBe(false);
  });

  test("ends when the reviewer's address changes, also where nobody looked in between", async () => {
    await configureAgain([{ name: "Ada", email: "ada@elsewhere.example.org" }]);
    await configureAgain([{ name: "Ada", email: ada }]);
    expect(await isSignedIn()).toBe(false);
  });

  test("outlives a change of the policy that is not about its reviewer", async () => {
    await configureAgain([{ name: "Ada", email: ada, language: "en" }, { name: "Grace" }]);
    expect(await isSignedIn()).toBe(true);
  });

  test("is ended by its own browser, which needs its own page's form", async () => {
    const other = new InboxBrowser();
    await other.signIn(ada);
    const foreign = await other.form("/inbox", "leave");
    expect((await browser.post("/inbox/sign-out", foreign)).status).toBe(403);
    expect((await browser.post("/inbox/sign-out", await browser.form("/inbox", "leave"), { "Sec-Fetch-Site": "same-site" })).status).toBe(
      403,
    );
    expect(await isSignedIn()).toBe(true);
    const value = browser.cookies.get("countersign-session") ?? "";
    expect((await browser.post("/inbox/sign-out", await browser.form("/inbox", "leave"))).status).toBe(303);
    browser.cookies.set("countersign-session", value);
    expect([await isSignedIn(), await isSignedIn(other)]).toEqual([false, true]);
  });

  test("is ended everywhere, by its reviewer or by the operator, whose record has it", async () => {
    const other = new InboxBrowser();
    await other.signIn(ada);
    const fields = await browser.form("/inbox", "leave");
    fields.set("act", "everywhere");
    expect((await browser.post("/inbox/sign-out", fields)).status).toBe(303);
    expect(await isSignedIn(other)).toBe(false);
    await other.signIn(ada);
    const ended = await admin("/inboxes/Ada/sessions", { method: "DELETE" });
    expect([ended.status, await ended.json()]).toEqual([200, { ended: 1 }]);
    expect(await isSignedIn(other)).toBe(false);
    expect(await (await admin("/record")).text()).toContain('"kind":"inboxSessionsEnded"');
    expect((await gateway("/admin/inboxes/Ada/sessions", { method: "DELETE" })).status).toBe(401);
  });

  test("that a link which waited would have begun is ended too, where its reviewer signs out everywhere", async () => {
    const other = new InboxBrowser();
    const link = await askedLink(other);
    const fields = await browser.form("/inbox", "leave");
    fields.set("act", "everywhere");
    expect((await browser.post("/inbox/sign-out", fields)).status).toBe(303);
    expect((await other.enter(link)).status).toBe(410);
    expect(await isSignedIn(other)).toBe(false);
  });

  test("is nobody's at another address than its own, as long as the host is a loopback one: cookies go to every port", async () => {
    const run = await waits();
    const other = new InboxBrowser();
    await other.signIn(ada);
    const { home } = browser;
    const opens = async (): Promise<boolean[]> =>
      Promise.all(["/inbox", `/inbox/reviews/request/${run}`].map(async (path) => (await browser.text(path)).includes('name="email"')));
    expect(await opens()).toEqual([false, false]);
    for (const elsewhere of ["/inbox", `/inbox/~${"A".repeat(22)}`, home.slice(0, -1), other.home]) {
      browser.home = elsewhere;
      expect([elsewhere, ...(await opens())]).toEqual([elsewhere, true, true]);
    }
  });

  test("is nobody else's: a made-up, changed or foreign cookie is no session, and wakes no object", async () => {
    const good = browser.cookies.get("countersign-session") ?? "";
    for (const bad of ["", "A", good.slice(1), good.replace(/.$/, (last) => (last === "A" ? "B" : "A")), `${good}A`]) {
      browser.cookies.set("countersign-session", bad);
      expect(await isSignedIn()).toBe(false);
    }
  });
});
