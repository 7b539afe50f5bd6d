// Another server on the same machine, visited by the same browser, tries to use the operator's
// session at the console and the reviewer's at the inbox with the cookies that it is sent: a
// browser sends a host's cookies to every port.

import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { MailApi } from "../../support/mail-api.ts";
import { startMailServer } from "../../support/mail-server.ts";
import type { Served } from "../../support/serve.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { eventually } from "../../outside/support/program.ts";
import { ConsoleGateway, adminToken } from "../../outside/pages/console/console-gateway.ts";

const address = "ada@example.org";

/**
 * Another developer's server on this machine. It keeps what browsers send: cookies, and where they
 * came from.
 */
class OtherServer {
  readonly cookies = new Set<string>();
  readonly referrers = new Set<string>();
  readonly #server: Server = createServer((request, response) => {
    for (const each of (request.headers.cookie ?? "").split("; ")) if (each !== "") this.cookies.add(each);
    if (request.headers.referer !== undefined) this.referrers.add(request.headers.referer);
    response.writeHead(200, { "Content-Type": "text/html" }).end("<p>Hello");
  });

  async listen(): Promise<number> {
    await new Promise<void>((done) => this.#server.listen(0, done));
    return (this.#server.address() as AddressInfo).port; // it listens on TCP
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

describe.skipIf(chromiumPath === undefined)("another server on the same machine", () => {
  let mail: MailApi & Served;
  let at: ConsoleGateway;
  let tab: Page;
  const other = new OtherServer();
  let elsewhere = "";

  beforeAll(async () => {
    mail = await startMailServer();
    at = await ConsoleGateway.start({
      EMAIL_FROM: "Countersign <reviews@example.com>",
      RESEND_API_KEY: mail.keys.sending,
      RESEND_BASE_URL: mail.url,
    });
    const url = new URL(at.gateway.url);
    url.port = String(await other.listen());
    elsewhere = url.origin;
    await at.configure("policy", {
      rules: [],
      default: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 3_600 },
      reviewers: { everyone: [{ name: "Ada", email: address }] },
    });
    tab = await at.signIn();
  });
  afterAll(async () => {
    other.close();
    await at?.stop();
    await mail?.close();
  });

  /** What the browser sends to the other server at these addresses, as a `Cookie`. */
  async function taken(...paths: readonly string[]): Promise<string> {
    for (const path of paths) await tab.goto(elsewhere + path);
    return [...other.cookies].join("; ");
  }

  const asThief = (path: string, cookie: string, fields?: Record<string, string>): Promise<Response> =>
    fetch(at.gateway.url + path, {
      redirect: "manual",
      headers: { Cookie: cookie, Origin: new URL(at.gateway.url).origin, "Sec-Fetch-Site": "same-origin" },
      ...(fields === undefined ? {} : { method: "POST", body: new URLSearchParams(fields) }),
    });

  test("makes no key with the cookies of the console", async () => {
    // All that the browser has for this host, should it send them.
    const all = (await tab.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    expect(all).toContain("countersign-console=");
    for (const cookie of [await taken("/", "/console", "/console/keys", "/inbox"), all]) {
      const page = await asThief("/console/keys", cookie);
      const session = /name="session" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
      expect(page.status).toBe(401);
      const made = await asThief("/console/keys", cookie, { session, name: "stolen", scopes: "sampling" });
      expect([made.status, (await made.text()).includes("csk_")]).toEqual([401, false]);
    }
    expect((await at.admin<{ keys: unknown[] }>("GET", "/keys")).keys).toEqual([]);
    expect([...other.cookies]).toEqual([]);
  });

  test("is not told the address that a browser comes from", async () => {
    await tab.goto(at.homeOf(tab));
    await tab.evaluate((to) => location.assign(to), `${elsewhere}/linked`);
    await tab.waitForURL(`${elsewhere}/linked`);
    expect([...other.referrers]).toEqual([]);
  });

  test("opens no inbox with the cookies of the inbox, nor a review", async () => {
    const run = ((await at.sample({ text: "A prompt for Ada alone" })).headers.get("Location") ?? "").slice("/runs/".length);
    await tab.goto(`${at.gateway.url}/inbox`);
    await tab.fill("#email", address);
    await tab.press("#email", "Enter");
    await tab.getByRole("heading", { name: "Look into your email" }).waitFor();
    const link = await eventually("the email", async () =>
      mail.taken.map(({ text }) => /http\S+\/inbox\/sign-in\/[\w-]+/.exec(text)?.[0]).find((each) => each !== undefined),
    );
    await tab.goto(link);
    await tab.getByRole("button", { name: "Sign in" }).click();
    await tab.getByText("notes").first().waitFor();
    const all = (await tab.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    expect(all).toContain("countersign-session=");
    for (const cookie of [await taken("/", "/inbox", `/inbox/reviews/request/${run}`), all])
      for (const path of ["/inbox", `/inbox/reviews/request/${run}`]) {
        const text = await (await asThief(path, cookie)).text();
        expect([path, text.includes("A prompt for Ada alone"), text.includes('name="email"')]).toEqual([path, false, true]);
      }
    expect([...other.cookies].filter((each) => each.startsWith("countersign-session="))).toEqual([]);
  });

  test("is no reason to sign in again: the browser finds its session from a bookmark of the plain address", async () => {
    // Going there is interrupted by the page that it finds.
    await tab.goto(`${at.gateway.url}/`).catch(() => {});
    await tab.waitForURL(/\/console\/~[\w-]+$/);
    await tab.goto(`${at.gateway.url}/console/keys`).catch(() => {});
    await tab.waitForURL(/\/console\/~[\w-]+\/keys$/);
    await tab.locator("#name").waitFor();
    await tab.goto(`${at.gateway.url}/inbox`).catch(() => {});
    await tab.waitForURL(/\/inbox\/~[\w-]+$/);
    await tab.getByRole("button", { name: "Sign out", exact: true }).click();
    await tab.locator("#email").waitFor();
    expect(new URL(tab.url()).pathname).toMatch(/^\/inbox/);
  });

  test("without scripts, the plain address is the page to sign in, which leads to the page that was wanted", async () => {
    const context = await at.browser.newContext({ javaScriptEnabled: false, storageState: await tab.context().storageState() });
    const plain = await context.newPage();
    await plain.goto(`${at.gateway.url}/console/keys`);
    await plain.fill("#token", adminToken);
    await plain.press("#token", "Enter");
    await plain.waitForURL(/\/console\/~[\w-]+\/keys$/);
    await context.close();
  });
});
