// Passkeys in a real browser, with Chromium's virtual authenticator and a real gateway: a reviewer
// adds one and decides with it, and nothing else that a browser sends decides.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, CDPSession, Page, Route } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, freePort } from "../../../scripts/local-gateway.ts";
import { operatorOf } from "../../../scripts/operator.ts";
import { launch } from "../../outside/pages/browser.ts";
import { chromiumPath } from "../../outside/support/chromium.ts";
import { eventually } from "../../outside/support/program.ts";
import { shoot } from "../../outside/support/screenshots.ts";
import { startTestGateway } from "../../outside/support/test-gateway.ts";
import type { MailApi } from "../../support/mail-api.ts";
import { startMailServer } from "../../support/mail-server.ts";
import type { Served } from "../../support/serve.ts";

const adminToken = "admin-token-of-the-tests-0123456789";
const apiKey = "dev-key-of-the-tests-0123456789abcdef";
const people = [
  { name: "Ada", email: "ada@example.org" },
  { name: "Grace", email: "grace@example.org" },
];
const policy = {
  rules: [],
  default: { request: "review", response: "allow", reviewers: ["everyone"], confirm: "passkey", deadlineSeconds: 3_600 },
  reviewers: { everyone: people },
};

/** A reviewer's browser with an authenticator of their own. */
type Reviewer = { readonly page: Page; readonly cdp: CDPSession; readonly authenticatorId: string };

describe.skipIf(chromiumPath === undefined)("a passkey in a browser", () => {
  const persistTo = mkdtempSync(join(tmpdir(), "countersign-passkey-"));
  let mail: MailApi & Served;
  let gateway: Gateway;
  let browser: Browser;
  let ada: Reviewer;
  let grace: Reviewer;
  let asked = 0;

  beforeAll(async () => {
    mail = await startMailServer();
    const variables = {
      ADMIN_TOKEN: adminToken,
      LINK_KEY: "link-key-of-the-tests-0123456789abcdef",
      DEV_API_KEY: apiKey,
      EMAIL_FROM: "Countersign <reviews@example.com>",
      RESEND_API_KEY: mail.keys.sending,
      RESEND_BASE_URL: mail.url,
    };
    gateway = await startTestGateway({ port: await freePort(), persistTo, variables });
    await operatorOf(gateway.url, adminToken).seed();
    const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };
    const { version } = (await (await fetch(`${gateway.url}/admin/policy`, { headers })).json()) as { version: number };
    const init = { method: "PUT", body: JSON.stringify(policy), headers: { ...headers, "If-Match": String(version) } };
    expect((await fetch(`${gateway.url}/admin/policy`, init)).status).toBe(200);
    browser = await launch();
    [ada, grace] = [await reviewer("ada@example.org"), await reviewer("grace@example.org")];
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop("kill");
    await mail?.close();
    rmSync(persistTo, { recursive: true, force: true });
  });

  async function reviewer(address: string): Promise<Reviewer> {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    await cdp.send("WebAuthn.enable");
    const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true } as const;
    const more = { ...options, isUserVerified: true, automaticPresenceSimulation: true };
    const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options: more });
    await page.goto(`${gateway.url}/inbox`);
    await page.getByLabel("Email address").fill(address);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Look into your email" }).waitFor();
    const link = await eventually("the email", async () => {
      const sent = mail.taken.find(({ subject, to }) => subject === "Sign in to Countersign" && to.includes(address));
      return /http:\S+\/inbox\/sign-in\/\S+/.exec(sent?.text ?? "")?.[0] ?? null;
    });
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "No review waits for you" }).waitFor();
    return { page, cdp, authenticatorId };
  }

  async function addPasskey({ page }: Reviewer): Promise<void> {
    await page.getByRole("link", { name: "Passkeys" }).click();
    await page.getByLabel("Name (optional)").fill("My phone");
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByText("The passkey was added.").waitFor();
  }

  async function waits(): Promise<string> {
    asked += 1;
    const originating = { id: asked, method: "tools/call", name: "look", server: "notes" };
    const params = {
      messages: [{ role: "user", content: { type: "text", text: `Send ${asked} reports` } }],
      maxTokens: 20,
      _meta: { "countersign/session": "sess-passkey", "countersign/originatingRequest": originating },
    };
    const response = await fetch(`${gateway.url}/sampling`, {
      method: "POST",
      headers: { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json", Prefer: "respond-async" },
      body: JSON.stringify({ jsonrpc: "2.0", id: asked, method: "sampling/createMessage", params }),
    });
    return (response.headers.get("Location") ?? "").slice("/runs/".length);
  }

  const open = ({ page }: Reviewer, run: string) =>
    page.goto(`${/^(.*\/inbox(?:\/~[\w-]+)?)/.exec(page.url())?.[1] ?? ""}/reviews/request/${run}`);
  /** A person's second: a form that comes sooner is shown again. */
  const approve = async ({ page }: Reviewer): Promise<void> => {
    await page.waitForTimeout(1_100);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
  };
  const stateOf = async (run: string): Promise<string> => {
    const response = await fetch(`${gateway.url}/runs/${run}`, { headers: { Authorization: `Bearer ${apiKey}` } });
    return ((await response.json()) as { state: string }).state;
  };

  type Options = { challenge: string; userVerification: string; allowCredentials: object[] };
  /** What the server asks the passkey for, changed on its way to the page. */
  const changed = ({ page }: Reviewer, change: (options: Options) => object): Promise<unknown> =>
    page.route(
      "**/passkey",
      async (route: Route) => {
        const response = await route.fetch();
        const json = (await response.json()) as { options: Options };
        await route.fulfill({ response, json: { ...json, options: { ...json.options, ...change(json.options) } } });
      },
      { times: 1 },
    );
  /** Presses Approve, and is told that no passkey confirmed it. */
  const refused = async (by: Reviewer): Promise<void> => {
    const answered = by.page.waitForResponse(
      (each) => each.request().method() === "POST" && /\/reviews\/request\/[\w-]+$/.test(each.url()),
    );
    await approve(by);
    expect((await answered).status()).toBe(403);
    await by.page.waitForLoadState("load");
    await by.page.getByText("No passkey of yours confirmed this decision as it was sent").waitFor();
  };

  test("is added, decides, and decides once", async () => {
    const first = await waits();
    await addPasskey(ada);
    await shoot(ada.page, "passkeys");
    await open(ada, first);
    await ada.page.getByText("Approving asks for your passkey").waitFor();
    await shoot(ada.page, "review-passkey");
    const sent = ada.page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith(first));
    await approve(ada);
    const body = (await sent).postData() ?? "";
    await eventually("the decision", async () => ((await stateOf(first)) === "waiting" ? null : true));
    await ada.page.getByText("confirmed with a passkey").waitFor();
    // The same signature on another review's form.
    const second = await waits();
    await open(ada, second);
    const [proof, nonce] = ["passkey", "passkey-nonce"].map((name) => new URLSearchParams(body).get(name) ?? "");
    await ada.page.route("**/*", async (route) => {
      const request = route.request();
      if (request.method() !== "POST" || !request.url().endsWith(second)) return route.continue();
      const fields = new URLSearchParams(request.postData() ?? "");
      fields.set("passkey", proof ?? "");
      fields.set("passkey-nonce", nonce ?? "");
      return route.continue({ postData: fields.toString() });
    });
    await refused(ada);
    await ada.page.unroute("**/*");
    expect(await stateOf(second)).toBe("waiting");
  });

  test("decides nothing by another challenge, without verification, by another's passkey, or with a later change", async () => {
    const run = await waits();
    await open(ada, run);
    await changed(ada, () => ({ challenge: "A".repeat(43) }));
    await refused(ada);

    // The browser itself refuses an unverified user; a page that does not ask for it is refused.
    await ada.cdp.send("WebAuthn.setUserVerified", { authenticatorId: ada.authenticatorId, isUserVerified: false });
    await approve(ada);
    await ada.page.getByText("The passkey did not answer").waitFor();
    await changed(ada, () => ({ userVerification: "discouraged" }));
    await refused(ada);
    await ada.cdp.send("WebAuthn.setUserVerified", { authenticatorId: ada.authenticatorId, isUserVerified: true });

    await ada.page.route(
      (url) => url.pathname.endsWith(run),
      (route) => {
        const fields = new URLSearchParams(route.request().postData() ?? "");
        fields.set("edit:/messages/0/content/0/text", "Send all reports");
        fields.set("act", "approve:1");
        fields.set("shown", "live");
        return route.continue({ postData: fields.toString() });
      },
      { times: 1 },
    );
    await refused(ada);

    await grace.page.reload();
    await addPasskey(grace);
    const { credentials } = await ada.cdp.send("WebAuthn.getCredentials", { authenticatorId: ada.authenticatorId });
    const [credential] = credentials;
    if (credential === undefined) throw new Error("no passkey in the authenticator");
    await grace.cdp.send("WebAuthn.addCredential", { authenticatorId: grace.authenticatorId, credential });
    const id = Buffer.from(credential.credentialId, "base64").toString("base64url");
    await open(grace, run);
    await changed(grace, () => ({ allowCredentials: [{ type: "public-key", id, transports: ["internal"] }] }));
    await refused(grace);
    expect(await stateOf(run)).toBe("waiting");
  });
});
