// The service worker of the inbox: shows what is pushed, one notice of each review, and opens the
// review. It has no handler of requests and stores no page, so nothing that is shown is older than
// what the gateway says now. A constant.

/**
 * Where a browser keeps the secret by which it may give a new subscription: a page writes it, the
 * service worker reads it.
 */
export const keptScript = `
  const kept = (mode, work) => new Promise((done, failed) => {
    const opening = indexedDB.open("countersign-inbox", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("device");
    opening.onerror = () => failed(opening.error);
    opening.onsuccess = () => {
      const asked = work(opening.result.transaction("device", mode).objectStore("device"));
      asked.onsuccess = () => done(asked.result);
      asked.onerror = () => failed(asked.error);
    };
  });
  const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
`;

/**
 * Every message that is pushed is shown: browsers end the subscription of an app that shows none.
 */
export const pushWorkerScript = `"use strict";
(() => {${keptScript}
  const home = new URL(location.pathname.replace(/[/]push[.]js$/, ""), location.origin).href;
  /** A page of the gateway's own; the inbox in place of any other. */
  const ownUrl = (text) => {
    const url = typeof text === "string" ? URL.parse(text) : null;
    return url !== null && url.origin === location.origin ? url.href : home;
  };

  const show = async (event) => {
    let said = null;
    try {
      said = event.data.json();
    } catch {}
    const { title = "Countersign", body = "", lang = "", url = home, tag = "", quiet = false } = said ?? {};
    await registration.showNotification(title, {
      body, lang, tag,
      silent: quiet,
      renotify: !quiet && tag !== "",
      icon: home + "/icons/192.png",
      data: { url: ownUrl(url) },
    });
  };

  const open = async ({ notification }) => {
    notification.close();
    const url = ownUrl(notification.data?.url);
    const windows = await clients.matchAll({ type: "window", includeUncontrolled: true });
    const there = windows.find((each) => each.url === url);
    await (there === undefined ? clients.openWindow(url) : there.focus());
  };

  const renew = async ({ newSubscription }) => {
    const device = await kept("readonly", (store) => store.get("device"));
    if (device === undefined) return;
    const options = { userVisibleOnly: true, applicationServerKey: bytesOf(device.key) };
    const { endpoint, keys } = (newSubscription ?? (await registration.pushManager.subscribe(options))).toJSON();
    await fetch(home + "/devices/renew", { method: "POST", body: new URLSearchParams({ token: device.token, endpoint, ...keys }) });
  };

  addEventListener("install", () => skipWaiting());
  addEventListener("push", (event) => event.waitUntil(show(event)));
  addEventListener("notificationclick", (event) => event.waitUntil(open(event)));
  addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));
})();
`;
