// The script of the inbox and of reviews that are shown together: keys move the focus and select,
// the buttons say how many are selected, and what is over is marked. It never submits, reloads or
// presses anything. A constant; messages are compared, and only numbers are shown.

/**
 * `#inbox-live` has the facts that the page was made with. Messages:
 * `{ kind: "inbox", count, what: "all" | "waits" | "over", key | keys }`.
 */
export const inboxScript = `
(() => {
  "use strict";
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  // As textParts of shared/words/text.ts.
  const phrase = (lang, text, n) =>
    text.replace(/\\{n(?:, ([^{}/]*)(?:[/]([^{}]*))?)?\\}/g, (_, one = "#", other = one) =>
      (new Intl.PluralRules(lang).select(n) === "one" ? one : other).replace("#", n.toLocaleString(lang)));

  // The selection.
  const batch = document.getElementById("batch");
  const boxes = () => all(".queue .pick input");
  const count = () => {
    const picked = all(".series input").filter((box) => box.checked && !box.disabled).length;
    for (const button of all("button[data-count]")) {
      const { lang, words } = JSON.parse(button.dataset.count);
      button.textContent = phrase(lang, words, picked);
      button.disabled = picked === 0;
    }
    if (batch === null) return;
    const words = JSON.parse(batch.dataset.words);
    const n = boxes().filter((box) => box.checked && !box.disabled).length;
    // Its buttons would do nothing. Where scripts do not run it is always there.
    batch.hidden = n === 0;
    batch.querySelector("p").textContent = phrase(words.lang, words.selected, n);
    for (const button of all("button", batch)) {
      button.textContent = phrase(words.lang, button.value === "deny" ? words.deny : words.review, n);
      button.disabled = n === 0;
    }
  };
  document.addEventListener("change", count);
  addEventListener("pageshow", count);
  count();

  // Keys.
  const move = (by) => {
    const links = all(".queue > [data-key] > a.open");
    const at = links.findIndex((link) => link.closest("li").contains(document.activeElement));
    const next = links[at === -1 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("textarea, select, input:not([type=checkbox])")) return;
    const acts = {
      j: () => move(1),
      k: () => move(-1),
      x: () => document.activeElement.closest(".queue > [data-key]")?.querySelector(".pick input:not(:disabled)")?.click(),
      a: () => document.getElementById("approve-all")?.focus(),
      "?": () => document.getElementById("help")?.togglePopover(),
    };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  });

  // The browser's own time zone, where none is saved.
  const zone = document.getElementById("zone");
  if (zone?.value === "") zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;

  // What others decide meanwhile.
  const banner = document.getElementById("inbox-live");
  if (banner === null) return;
  const made = JSON.parse(banner.dataset.page);
  const rows = new Map(all("[data-key]").map((row) => [row.dataset.key, row]));
  const firstPauseMs = 1000, lastPauseMs = 30000, beatMs = 45000;
  let pauseMs = firstPauseMs;

  const say = (words, link) => {
    if (banner.textContent !== "") return;
    const sentence = document.createElement("p");
    sentence.textContent = words;
    const again = document.createElement("a");
    again.href = location.href;
    again.textContent = link;
    banner.replaceChildren(sentence, again);
  };
  const changed = () => say(made.words.changed, made.words.load);
  const end = (row) => {
    if (row === undefined || row.classList.contains("over")) return;
    row.classList.add("over");
    for (const box of all(".pick input", row)) {
      box.checked = false;
      box.disabled = true;
    }
    const tag = document.createElement("span");
    tag.className = "tag";
    tag.textContent = made.words.over;
    row.querySelector(".meta")?.prepend(tag);
    count();
    changed();
  };
  const hear = (text) => {
    const told = JSON.parse(text);
    if (told.kind !== "inbox") return;
    pauseMs = firstPauseMs;
    const link = document.getElementById("inbox-link");
    if (link !== null) link.textContent = made.link.replace("{n}", told.count);
    const heading = document.getElementById("heading");
    if (heading !== null) heading.textContent = told.count === 0 ? made.none : phrase(made.lang, made.heading, told.count);
    if (told.what === "over") end(rows.get(told.key));
    if (told.what === "all" && told.count === told.keys.length) for (const [key, row] of rows) if (!told.keys.includes(key)) end(row);
    // Also one that is here already: its content, or its votes, changed.
    if (told.what === "waits" || (told.what === "all" && told.count !== made.count)) changed();
  };

  const listen = () => {
    const address = new URL(made.live, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    const beat = setInterval(() => socket.readyState === WebSocket.OPEN && socket.send("ping"), beatMs);
    socket.addEventListener("message", ({ data }) => {
      if (data !== "pong") hear(data);
    });
    socket.addEventListener("close", ({ code }) => {
      clearInterval(beat);
      if (code === 1008) return say(made.words.signedOut, made.words.load);
      setTimeout(listen, pauseMs);
      pauseMs = Math.min(pauseMs * 2, lastPauseMs);
    });
  };
  listen();
})();
`;
