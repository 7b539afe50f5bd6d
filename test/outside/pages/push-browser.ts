// A browser's push service in place of its maker's, which no test reaches: the page's own script
// subscribes at a scripted one, and what that takes is delivered to the page's own service worker.
// A headless browser shows no notice: what the service worker has shown is kept in its place.

import type { CDPSession, Page, Worker } from "playwright-core";
import { type PushDevice, type PushedNotice, ScriptedPushService, base64url } from "../../support/push-service.ts";
import { eventually } from "../support/program.ts";

type Shown = { readonly title: string; readonly body: string; readonly tag: string; readonly silent: boolean; readonly url: string };

export class PushBrowser {
  readonly #page: Page;
  readonly #service: ScriptedPushService;
  readonly #registrations = new Map<string, string>();
  #cdp: CDPSession | null = null;
  /** What this browser is subscribed with now. */
  device: PushDevice | null = null;

  constructor(page: Page, service: ScriptedPushService) {
    this.#page = page;
    this.#service = service;
  }

  /** Before the page is loaded. */
  async install(origin: string): Promise<void> {
    const context = this.#page.context();
    await context.grantPermissions(["notifications"], { origin });
    await context.exposeFunction("pushTest", async (what: "get" | "subscribe" | "unsubscribe", key: number[] = []) => {
      if (what === "subscribe") this.device = await this.#service.subscribe("chromium", base64url(Uint8Array.from(key)));
      if (what === "unsubscribe") this.device = null;
      const { endpoint, p256dh, auth } = this.device ?? {};
      return endpoint === undefined ? null : { endpoint, keys: { p256dh, auth } };
    });
    await context.addInitScript(`(() => {
      const subscriptionOf = (said) => said && {
        endpoint: said.endpoint,
        toJSON: () => said,
        unsubscribe: async () => ((await pushTest("unsubscribe")), true),
      };
      PushManager.prototype.subscribe = async ({ applicationServerKey }) => subscriptionOf(await pushTest("subscribe", [...applicationServerKey]));
      PushManager.prototype.getSubscription = async () => subscriptionOf(await pushTest("get"));
    })()`);
    this.#cdp = await context.newCDPSession(this.#page);
    this.#cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      for (const { registrationId, scopeURL } of registrations) this.#registrations.set(new URL(scopeURL).pathname, registrationId);
    });
    await this.#cdp.send("ServiceWorker.enable");
  }

  /** Gives the service worker what the push service took. */
  async deliver(origin: string, notice: PushedNotice): Promise<void> {
    const registrationId = await eventually("the registration", async () => this.#registrations.get("/inbox/") ?? null);
    const worker = await this.#worker();
    await worker.evaluate(`
      self.shownHere ??= new Map();
      ServiceWorkerRegistration.prototype.showNotification = async (title, options) => void shownHere.set(options.tag, { title, ...options });
    `);
    await this.#cdp?.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data: JSON.stringify(notice) });
  }

  /** The notices that the browser would show: of each tag the newest. */
  async shown(): Promise<Shown[]> {
    const worker = await this.#worker();
    return worker.evaluate(`[...(self.shownHere ?? new Map()).values()].map(({ data, ...shown }) => ({ ...shown, url: data.url }))`);
  }

  #worker(): Promise<Worker> {
    return eventually("the service worker", async () => this.#page.context().serviceWorkers()[0] ?? null);
  }

  /** A press on the only notice: the address that the service worker opens. */
  async press(): Promise<string> {
    const worker = await this.#worker();
    return worker.evaluate(`new Promise((done) => {
      clients.openWindow = async (url) => done(url);
      const [{ data }] = shownHere.values();
      const event = new ExtendableEvent("notificationclick");
      dispatchEvent(Object.defineProperty(event, "notification", { value: { data, close: () => {} } }));
    })`);
  }
}
