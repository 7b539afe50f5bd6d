// The script of an open review page. It listens, and says when the page is out of date. It never submits, reloads, changes a field or moves a
// button under a finger. A constant; messages are only compared, never shown.

/** `#live` has the facts that the page was made with. Messages: `{ kind: "review", state, version, digest, votes, left }`. */
export const liveScript = `
(() => {
  "use strict";
  const banner = document.getElementById("live");
  if (banner === null) return;
  const made = JSON.parse(banner.dataset.page);
  const firstPauseMs = 1000, lastPauseMs = 30000;
  // A page that leads on spares its reviewer a notice: it says often that it is there.
  const beatMs = made.next === null ? 45000 : 15000;
  let pauseMs = firstPauseMs;
  let shown = null;
  let isOver = false;

  const differenceOf = ({ state, version, digest, votes, left }) => {
    if (state !== "open" && state !== "voted") return ["over", "seeOutcome"];
    if (left === true) return ["left", "reload"];
    if (version !== made.version || digest !== made.digest) return ["changed", "seeNewVersion"];
    return votes > made.votes ? ["voted", "reload"] : null;
  };

  // A tap that was under way when the page moved may land on another button than the one it was meant for.
  const moveMs = 700;
  let movedAt = -Infinity;
  document.addEventListener("submit", (event) => {
    if (performance.now() - movedAt < moveMs) event.preventDefault();
  });

  const topOf = (element) => element.getBoundingClientRect().top;
  const isInView = (element) => topOf(element) < innerHeight && element.getBoundingClientRect().bottom > 0;

  const show = ([what, where]) => {
    if (shown === what) return;
    shown = what;
    const anchor = [...document.querySelectorAll("#decision button")].find(isInView);
    const before = anchor === undefined ? 0 : topOf(anchor);
    for (const place of document.querySelectorAll(".live")) {
      const sentence = document.createElement("p");
      sentence.textContent = made.words[what];
      const link = document.createElement("a");
      link.href = made.page;
      link.textContent = made.words[where];
      place.replaceChildren(sentence, link);
    }
    movedAt = performance.now();
    if (anchor !== undefined) scrollBy({ top: topOf(anchor) - before, behavior: "instant" });
  };

  // What comes next is shown as the server makes it. It moves nothing else, and goes nowhere by itself.
  const renewNext = async () => {
    // Parsed where nothing of it applies: its style has another nonce.
    const page = document.createElement("template");
    page.innerHTML = await (await fetch(location.href)).text();
    const fresh = page.content.getElementById("next");
    const place = document.getElementById("next");
    if (fresh === null) return location.reload();
    place.replaceChildren(...fresh.childNodes);
    place.dispatchEvent(new CustomEvent("renewed", { bubbles: true }));
  };

  const hear = (text) => {
    const told = JSON.parse(text);
    if (told.kind !== "review") return;
    pauseMs = firstPauseMs;
    if (made.next !== null) {
      if (told.next === made.next) return;
      made.next = told.next;
      renewNext().catch(() => {});
      return;
    }
    const difference = differenceOf(told);
    if (difference === null) return;
    show(difference);
    // The other script counts the vote on the button.
    document.dispatchEvent(new CustomEvent("votes", { detail: told.votes }));
    if (difference[0] !== "over") return;
    isOver = true;
    for (const button of document.querySelectorAll("button:not([value=preview])")) button.disabled = true;
  };

  const listen = () => {
    const address = new URL(made.live, location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    const beat = setInterval(() => socket.readyState === WebSocket.OPEN && socket.send("ping"), beatMs);
    socket.addEventListener("message", ({ data }) => {
      if (data === "pong") return;
      hear(data);
      if (isOver) socket.close();
    });
    socket.addEventListener("close", () => {
      clearInterval(beat);
      if (isOver) return;
      setTimeout(listen, pauseMs);
      pauseMs = Math.min(pauseMs * 2, lastPauseMs);
    });
  };
  listen();
})();
`;
