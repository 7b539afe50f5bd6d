// The console: who may come in, what a form must carry, and that a page can do no more than the
// operator's API.

import { describe, expect, test } from "vitest";
import { admin, adminJson, adminToken, createKey, eventually, gateway, travel } from "../../support/gateway.ts";
import { ConsoleBrowser, atConsole, otherToken } from "../../support/console.ts";
import { recordLines } from "../../support/record.ts";

const stopped = async (): Promise<unknown[]> => (await adminJson<{ stops: unknown[] }>("/stops")).stops;

describe("signing in", () => {
  test("the gateway's root leads to the console, which asks for the admin token", async () => {
    const root = await gateway("/", { key: null });
    expect([root.status, root.headers.get("Location")]).toEqual([302, "/console"]);
    const { status, text, headers } = await new ConsoleBrowser().get("requests");
    expect(status).toBe(401);
    expect(text).toContain('name="token"');
    expect(text).toContain('name="to" value="requests"');
    expect(headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(headers.get("Set-Cookie")).toBeNull();
  });

  test("with the token a session begins, in the record, and its cookie is for this host, for no script and no other site", async () => {
    const browser = new ConsoleBrowser();
    await browser.get("stops");
    const answer = await gateway("/console/sign-in", {
      method: "POST",
      key: null,
      headers: { "Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin" },
      body: new URLSearchParams({
        session: /name="session" value="([^"]+)"/.exec((await browser.get("stops")).text)?.[1] ?? "",
        token: adminToken,
        to: "stops",
      }),
    });
    const [home = ""] = /^\/console\/~[\w-]{22}/.exec(answer.headers.get("Location") ?? "") ?? [];
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, `${home}/stops`]);
    expect(answer.headers.get("Set-Cookie")?.replace(/=[\w-]+;/, "=…;")).toBe(
      `countersign-console=…; Max-Age=43200; Path=${home}; HttpOnly; SameSite=Strict`,
    );
    const [event] = await eventually("the event", async () => {
      const lines = (await recordLines()).filter(({ fact }) => fact.kind === "signedIn");
      return lines.length > 0 ? lines : null;
    });
    expect(event?.fact).toMatchObject({ by: { kind: "adminToken" } });
    expect(JSON.stringify(event)).not.toContain(adminToken);
  });

  test("over https the cookie is for this very host alone", async () => {
    const browser = new ConsoleBrowser({ PUBLIC_URL: "https://gate.example.com" });
    await browser.get("");
    await browser.post("sign-in", { token: adminToken }, { headers: { Origin: "https://gate.example.com" } });
    expect(browser.cookie).toMatch(/^__Host-countersign-console=/);
    expect(browser.home).toBe("/console");
    expect((await browser.get("stops")).status).toBe(200);
    expect((await browser.get(`~${"A".repeat(22)}/stops`)).status).toBe(404);
  });

  test("on a loopback host the cookie, which goes to every port, is nobody's at any address but its own", async () => {
    const [browser, other] = [await atConsole(), await atConsole()];
    const { home } = browser;
    for (const elsewhere of ["/console", "/console/~", `/console/~${"A".repeat(22)}`, home.slice(0, -1), other.home]) {
      browser.home = elsewhere;
      expect([elsewhere, (await browser.get("keys")).status]).toEqual([elsewhere, 401]);
      expect((await browser.post("stops", { kind: "everything" })).status).toBeGreaterThanOrEqual(400);
    }
    expect(await stopped()).toEqual([]);
    browser.home = home;
    expect((await browser.get("keys")).status).toBe(200);
  });

  test("a wrong token signs nobody in", async () => {
    const browser = new ConsoleBrowser();
    await browser.get("");
    const { status, text } = await browser.post("sign-in", { token: `${adminToken}x` });
    expect(status).toBe(403);
    expect(text).toContain("This is not the admin token");
    expect(browser.cookie).toBe("");
  });

  test.each([
    ["from another site", { headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" } }, 403],
    ["as text, which another site's form can send", { headers: { "Content-Type": "text/plain" } }, 415],
    ["with the token of another form", { formToken: "A".repeat(22) }, 403],
    ["without a token", { formToken: "" }, 403],
  ] as const)("%s signs nobody in, though the admin token is right", async (_name, more, status) => {
    const browser = new ConsoleBrowser();
    await browser.get("");
    const answer = await browser.post("sign-in", { token: adminToken }, more);
    expect([answer.status, answer.headers.get("Set-Cookie")]).toEqual([status, null]);
    expect((await browser.get("stops")).status).toBe(401);
  });

  test("out needs the session's own form, from its own page", async () => {
    const [browser, other] = [await atConsole(), await atConsole()];
    const foreign = /name="session" value="([^"]+)"/.exec((await other.get("stops")).text)?.[1] ?? "";
    await browser.get("stops");
    for (const more of [{ formToken: foreign }, { formToken: "" }, { headers: { "Sec-Fetch-Site": "cross-site" } }]) {
      const answer = await browser.post("sign-out", { everywhere: "yes" }, more);
      expect([more, answer.status, answer.headers.get("Set-Cookie")]).toEqual([more, 403, null]);
    }
    expect([(await browser.get("stops")).status, (await other.get("stops")).status]).toEqual([200, 200]);
  });

  test("a form leads to no other place than the console", async () => {
    for (const to of ["//evil.example", "https://evil.example", "../r/x", "sign-out", "a b"]) {
      const browser = new ConsoleBrowser();
      await browser.get("");
      expect((await browser.post("sign-in", { token: adminToken, to })).location).toBe("/console");
    }
  });

  test("a session ends after twelve hours, by signing out, by signing out everywhere, and with another admin token", async () => {
    const [late, out, elsewhere, other] = [await atConsole(), await atConsole(), await atConsole(), await atConsole()];
    const { cookie } = out;
    await out.get("stops");
    expect((await out.post("sign-out", {})).status).toBe(303);
    expect(out.cookie).toBe("");
    out.cookie = cookie;
    expect((await out.get("stops")).status).toBe(401);
    expect((await other.get("stops")).status).toBe(200);
    const changed = new ConsoleBrowser({ ADMIN_TOKEN: otherToken });
    changed.cookie = other.cookie;
    changed.home = other.home;
    expect((await changed.get("stops")).status).toBe(401);
    await elsewhere.get("stops");
    await elsewhere.post("sign-out", { everywhere: "yes" });
    expect((await other.get("stops")).status).toBe(401);
    const again = await atConsole();
    travel(12 * 3_600_000);
    expect((await again.get("stops")).status).toBe(401);
    expect((await late.get("stops")).status).toBe(401);
  });

  test("a made-up cookie is nobody's", async () => {
    const browser = await atConsole();
    browser.cookie = `countersign-console=${"A".repeat(66)}`;
    expect((await browser.get("stops")).status).toBe(401);
  });
});

describe("a form", () => {
  const everything = { kind: "everything" };

  test("is carried out, once it is of this session and this site", async () => {
    const browser = await atConsole();
    await browser.get("stops");
    const { status, location } = await browser.post("stops", everything);
    expect([status, location]).toEqual([303, "/console/stops?done=stopped"]);
    expect(await stopped()).toMatchObject([{ scope: "everything" }]);
    expect((await browser.get("stops?done=stopped")).text).toContain("All requests and calls");
    await browser.post("stops", { resume: "everything" });
    expect(await stopped()).toEqual([]);
  });

  test.each([
    ["from another site", { headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" } }, 403],
    ["from a page of another origin of this site", { headers: { "Sec-Fetch-Site": "same-site" } }, 403],
    ["with a token of another session", { formToken: "AAAAAAAAAAAAAAAAAAAAAA" }, 403],
    ["without a token", { formToken: "" }, 403],
    ["as JSON", { headers: { "Content-Type": "application/json" } }, 415],
  ] as const)("%s does nothing", async (_name, more, status) => {
    const browser = await atConsole();
    await browser.get("stops");
    expect((await browser.post("stops", everything, more)).status).toBe(status);
    expect(await stopped()).toEqual([]);
  });

  test("of a session that is over does nothing, and says so", async () => {
    const browser = await atConsole();
    await browser.get("stops");
    travel(12 * 3_600_000);
    const { status, text } = await browser.post("stops", everything);
    expect(status).toBe(401);
    expect(text).toContain("Your session has ended. Nothing was changed.");
    expect(await stopped()).toEqual([]);
  });

  test.each(["../keys/{id}", "x/../../keys/{id}", "%2e%2e/keys/{id}", "..\\keys\\{id}"])(
    "that names %s reaches no other endpoint",
    async (resume) => {
      const { id } = await createKey();
      const browser = await atConsole();
      await browser.get("stops");
      expect((await browser.post("stops", { resume: resume.replace("{id}", id) })).status).toBe(422);
      expect((await adminJson<{ keys: object[] }>("/keys")).keys).toMatchObject([{ id, revokedAt: null }]);
    },
  );

  test("that the API refuses says why", async () => {
    const browser = await atConsole();
    await browser.get("stops");
    const { status, text } = await browser.post("stops", { resume: "servers/unknown" });
    expect(status).toBe(422);
    expect(text).toContain("It was not stopped");
  });
});

describe("a page", () => {
  test("that there is none of is not found; other methods are refused", async () => {
    const browser = await atConsole();
    expect((await browser.get("nothing-here")).status).toBe(404);
    expect((await gateway("/console/stops", { method: "PUT", key: null })).status).toBe(405);
  });

  test("never has the admin token in it, and is in the reader's language", async () => {
    const browser = await atConsole();
    const { text } = await browser.get("stops");
    expect(text).not.toContain(adminToken);
    const chinese = new ConsoleBrowser({}, { "Accept-Language": "zh-CN" });
    await chinese.signIn();
    expect((await chinese.get("stops")).text).toContain("停止请求和调用");
  });

  test("a download is the record, as a file, for whoever is signed in", async () => {
    expect((await gateway("/console/download/record", { key: null })).status).toBe(401);
    const browser = await atConsole();
    await browser.get("record");
    const { status, text, headers } = await browser.post("download/record", {});
    expect(headers.get("Content-Security-Policy")).toBe("default-src 'none'; sandbox");
    expect(status).toBe(200);
    expect(headers.get("Content-Disposition")).toBe('attachment; filename="countersign-record.ndjson"');
    expect(text).toContain('"signedIn"');
    expect([(await browser.get("download/record")).status, (await browser.post("download/keys", {})).status]).toEqual([405, 404]);
  });

  test("the operator's API takes no cookie of the console", async () => {
    const { cookie } = await atConsole();
    expect((await gateway("/admin/stops", { key: null, headers: { Cookie: cookie } })).status).toBe(401);
    expect((await admin("/stops")).status).toBe(200);
  });
});
