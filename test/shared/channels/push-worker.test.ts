// The inbox's service worker, by its events: what it shows, what it opens, and whom it tells of a
// new subscription.

import { createContext, runInContext } from "node:vm";
import { expect, test } from "vitest";
import { pushWorkerScript } from "../../../workers/ui/inbox/push-worker.ts";

const origin = "https://reviews.example.com";
const home = `${origin}/gate/inbox`;
const url = `${origin}/gate/r/token`;

type Handler = (event: object) => void;
type Shown = { readonly title: string; readonly data: { readonly url: string }; readonly renotify: boolean; readonly silent: boolean };

function start({ windows = [], device }: { readonly windows?: readonly string[]; readonly device?: object } = {}) {
  const handlers = new Map<string, Handler>();
  const shown: Shown[] = [];
  const acts: unknown[] = [];
  const asked = (result: unknown): object => {
    const request = { result };
    queueMicrotask(() => (request as { onsuccess?: () => void }).onsuccess?.());
    return request;
  };
  const context = createContext({
    URL,
    URLSearchParams,
    Uint8Array,
    atob,
    location: new URL(`${home}/push.js`),
    addEventListener: (name: string, handler: Handler) => void handlers.set(name, handler),
    skipWaiting: () => {},
    registration: {
      showNotification: async (title: string, options: object) => void shown.push({ title, ...options } as Shown), // as the script gives it
      pushManager: {
        subscribe: async ({ applicationServerKey }: { applicationServerKey: Uint8Array }) => ({
          toJSON: () => ({ endpoint: `new for ${applicationServerKey.length} bytes`, keys: { p256dh: "p", auth: "a" } }),
        }),
      },
    },
    clients: {
      matchAll: async () => windows.map((each) => ({ url: each, focus: async () => void acts.push(`focus ${each}`) })),
      openWindow: async (each: string) => void acts.push(`open ${each}`),
    },
    indexedDB: { open: () => asked({ transaction: () => ({ objectStore: () => ({ get: () => asked(device) }) }) }) },
    fetch: async (to: string, { body }: { body: URLSearchParams }) => void acts.push([to, Object.fromEntries(body)]),
  });
  runInContext(pushWorkerScript, context);
  const emit = async (name: string, event: object): Promise<void> => {
    let work: unknown;
    handlers.get(name)?.({ ...event, waitUntil: (promise: unknown) => void (work = promise) });
    await work;
  };
  return { handlers, shown, acts, emit };
}

const message = (said: object) => ({ data: { json: () => said } });
const press = (of: string) => ({ notification: { close: () => {}, data: { url: of } } });

test("shows each message, also one that it cannot read, and one that replaces another without a sound", async () => {
  const { shown, emit } = start();
  await emit("push", message({ title: "notes", body: "until 14:00", tag: "t", url, quiet: false }));
  await emit("push", message({ title: "Approved", tag: "t", url, quiet: true }));
  await emit("push", { data: { json: () => JSON.parse("{") } });
  await emit("push", { data: null });
  expect(shown.map(({ title, silent, renotify, data }) => [title, silent, renotify, data.url])).toEqual([
    ["notes", false, true, url],
    ["Approved", true, false, url],
    ["Countersign", false, false, home],
    ["Countersign", false, false, home],
  ]);
});

test("opens the gateway's own pages alone, or goes to a window that is open there", async () => {
  const elsewhere = ["https://evil.example/r/x", "//evil.example", "javascript:alert(1)", "data:text/html,x", ""];
  const { shown, acts, emit } = start();
  for (const each of elsewhere) await emit("push", message({ title: "x", url: each }));
  expect(shown.map(({ data }) => data.url)).toEqual(elsewhere.map(() => home));
  for (const each of [url, ...elsewhere]) await emit("notificationclick", press(each));
  expect(acts).toEqual([`open ${url}`, ...elsewhere.map(() => `open ${home}`)]);
  const there = start({ windows: [home, url] });
  await there.emit("notificationclick", press(url));
  expect(there.acts).toEqual([`focus ${url}`]);
});

test("gives the gateway a new subscription with the secret of its device, and nothing where no device is on", async () => {
  const nobody = start();
  await nobody.emit("pushsubscriptionchange", {});
  expect(nobody.acts).toEqual([]);
  const { acts, emit } = start({ device: { token: "inbox.secret", key: "BAECAw" } });
  await emit("pushsubscriptionchange", {});
  const newSubscription = { toJSON: () => ({ endpoint: "given", keys: { p256dh: "q", auth: "b" } }) };
  await emit("pushsubscriptionchange", { newSubscription });
  const to = `${home}/devices/renew`;
  expect(acts).toEqual([
    [to, { token: "inbox.secret", endpoint: "new for 4 bytes", p256dh: "p", auth: "a" }],
    [to, { token: "inbox.secret", endpoint: "given", p256dh: "q", auth: "b" }],
  ]);
});

test("answers no request of a page", () => {
  expect([...start().handlers.keys()].toSorted()).toEqual(["install", "notificationclick", "push", "pushsubscriptionchange"]);
});
