// A real gateway with its console in a real browser, signed in by the admin token; and what every
// page of the console is looked at for.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import type { Language } from "../../../../shared/channels/words/languages.ts";
import { type Gateway, freePort } from "../../../../scripts/local-gateway.ts";
import { operatorOf } from "../../../../scripts/operator.ts";
import { shoot } from "../../support/screenshots.ts";
import { isWhole } from "../../support/whole.ts";
import { startTestGateway } from "../../support/test-gateway.ts";
import { launch } from "../browser.ts";
import { violationsOn } from "../checks.ts";

export const adminToken = "admin-token-of-the-tests-0123456789";
export const apiKey = "dev-key-of-the-tests-0123456789abcdef";

const phone = { width: 390, height: 844 };
const languages = { en: "en-GB", "zh-CN": "zh-CN" } as const satisfies Record<Language, string>;

export class ConsoleGateway {
  readonly gateway: Gateway;
  readonly browser: Browser;
  readonly #folder: string;
  readonly #contexts: BrowserContext[] = [];
  readonly #homes = new WeakMap<BrowserContext, string>();
  #asked = 0;

  private constructor(gateway: Gateway, browser: Browser, folder: string) {
    this.gateway = gateway;
    this.browser = browser;
    this.#folder = folder;
  }

  /** With the default documents, the outbox as its only channel, and the demo model. */
  static async start(variables: Readonly<Record<string, string>> = {}): Promise<ConsoleGateway> {
    const folder = mkdtempSync(join(tmpdir(), "countersign-console-"));
    const own = { ADMIN_TOKEN: adminToken, LINK_KEY: "link-key-of-the-tests-0123456789abcdef", DEV_API_KEY: apiKey };
    const gateway = await startTestGateway({ port: await freePort(), persistTo: folder, variables: { ...own, ...variables } });
    await operatorOf(gateway.url, adminToken).seed();
    return new ConsoleGateway(gateway, await launch(), folder);
  }

  async stop(): Promise<void> {
    await this.browser.close();
    await this.gateway.stop("kill");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A tab of a browser that is signed in. */
  async signIn({
    language = "en",
    viewport = phone,
  }: { readonly language?: Language; readonly viewport?: typeof phone } = {}): Promise<Page> {
    const context = await this.browser.newContext({ viewport, locale: languages[language] });
    this.#contexts.push(context);
    const tab = await context.newPage();
    await tab.goto(`${this.gateway.url}/console`);
    await tab.fill("#token", adminToken);
    await Promise.all([tab.waitForURL(/\/console\/~[\w-]+$/), tab.press("#token", "Enter")]);
    this.#homes.set(context, tab.url());
    return tab;
  }

  /** The address of the console for whoever is signed in in this tab. */
  homeOf(tab: Page): string {
    const home = this.#homes.get(tab.context());
    if (home === undefined) throw new Error("nobody is signed in in this tab");
    return home;
  }

  /** The operator's API. Fails where it refuses. */
  async admin<T>(method: string, path: string, body?: unknown, ifMatch?: number): Promise<T> {
    const answer = await fetch(`${this.gateway.url}/admin${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${adminToken}`,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(ifMatch === undefined ? {} : { "If-Match": String(ifMatch) }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === "" ? null : JSON.parse(text)) as T; // the API's own answer
  }

  /** Replaces a document whatever its version is. */
  async configure(name: string, document: object): Promise<void> {
    const { version } = await this.admin<{ version: number }>("GET", `/${name}`);
    await this.admin("PUT", `/${name}`, document, version);
  }

  /**
   * A sampling request for one client request of its own. Not waited for longer than until it is
   * accepted, where people are to decide.
   */
  async sample({ server = "notes", tool = "summarize", text = "Summarize.", key = apiKey, more = {} }: Sampled = {}): Promise<Response> {
    this.#asked += 1;
    const originatingRequest = { id: this.#asked, method: "tools/call", name: tool, server };
    return fetch(`${this.gateway.url}/sampling`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", Prefer: "respond-async" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: this.#asked,
        method: "sampling/createMessage",
        params: {
          messages: [{ role: "user", content: { type: "text", text } }],
          maxTokens: 100,
          _meta: { "countersign/session": "s", "countersign/originatingRequest": originatingRequest },
          ...more,
        },
      }),
    });
  }
}

type Sampled = {
  readonly server?: string;
  readonly tool?: string;
  readonly text?: string;
  readonly key?: string;
  /** Further params. */
  readonly more?: object;
};

/**
 * No barriers and no sideways scroll, on a phone and on a desktop; and pictures where SHOTS_TO
 * names a folder. The page is loaded again after it.
 */
export async function expectGoodPage(tab: Page, name: string): Promise<void> {
  await shoot(tab, name);
  const before = tab.viewportSize() ?? phone;
  for (const size of [{ width: 320, height: 640 }, phone, { width: 1_280, height: 900 }]) {
    await tab.setViewportSize(size);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect([name, size.width, wide]).toEqual([name, size.width, 0]);
    // Between 320 and 390 px nothing is laid out otherwise; in another language only the words are
    // others.
    if (size === phone || (size.width > 390 && (isWhole || !name.includes("zh"))))
      expect([name, size.width, await violationsOn(tab)]).toEqual([name, size.width, []]);
  }
  await tab.setViewportSize(before);
  await tab.reload();
}
