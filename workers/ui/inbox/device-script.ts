// The script of the inbox's devices: one press asks the browser for notices and the gateway for its
// key, subscribes the browser to its push service and posts the form. Without it the list is there,
// and its buttons turn off. A constant.

import { keptScript } from "./push-worker.ts";

/** `#devices` has the facts that the page was made with. */
export const deviceScript = `
(() => {${keptScript}
  const section = document.getElementById("devices");
  const button = document.getElementById("device-on");
  if (section === null || button === null) return;
  const { home, inbox, words, isUsed } = JSON.parse(section.dataset.page);
  const problem = document.getElementById("device-problem");
  const say = (words) => {
    problem.textContent = words;
    problem.hidden = words === "";
  };
  const textOf = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window)) return say(words.unsupported);

  const rowOf = async ({ endpoint }) => {
    const text = new TextEncoder().encode("countersign/device/v1\\0" + JSON.stringify(endpoint));
    const id = textOf(new Uint8Array(await crypto.subtle.digest("SHA-256", text)));
    return section.querySelector('[data-device="' + id + '"]');
  };
  const scope = home + "/";
  const subscribed = async () => (await navigator.serviceWorker.getRegistration(scope))?.pushManager.getSubscription() ?? null;

  // This browser among the devices.
  const find = async () => {
    const subscription = await subscribed();
    const row = subscription === null ? null : await rowOf(subscription);
    button.hidden = row !== null && isUsed;
    if (row === null) return;
    row.querySelector(".here").hidden = false;
    row.querySelector("form").addEventListener("submit", async (event) => {
      event.preventDefault();
      await subscription.unsubscribe().catch(() => {});
      event.target.submit();
    });
  };
  find().catch(() => { button.hidden = false; });

  const registered = async () => {
    const registration = await navigator.serviceWorker.register(home + "/push.js", { scope });
    const worker = registration.installing ?? registration.waiting;
    if (registration.active === null && worker !== null)
      await new Promise((done) => worker.addEventListener("statechange", () => worker.state === "activated" && done()));
    return registration;
  };
  const keyAsked = async () => {
    const { nonce } = button.form.elements;
    const body = new URLSearchParams({ nonce: nonce.value, act: "key" });
    const answer = await fetch(button.form.getAttribute("action"), { method: "POST", body });
    if (!answer.ok) throw new Error("no key");
    return answer.text();
  };
  const turnOn = async () => {
    if ((await Notification.requestPermission()) !== "granted") return say(words.denied);
    const key = await keyAsked();
    const { pushManager } = await registered();
    // One for an earlier key of the gateway, or of somebody else who uses this browser.
    await (await pushManager.getSubscription())?.unsubscribe();
    const { endpoint, keys } = (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) })).toJSON();
    const secret = textOf(crypto.getRandomValues(new Uint8Array(32)));
    await kept("readwrite", (store) => store.put({ token: inbox + "." + secret, key }, "device"));
    for (const [name, value] of Object.entries({ endpoint, ...keys, secret })) button.form.elements[name].value = value;
    button.form.submit();
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    say("");
    try {
      await turnOn();
    } catch {
      say(words.failed);
    } finally {
      button.disabled = false;
    }
  });
})();
`;
