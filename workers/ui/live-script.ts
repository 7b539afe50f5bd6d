// The script of an open review page. It listens, and says when the page is out of date; it never submits, reloads or
// changes a field. A constant: nothing is put into it, and what it hears is only ever compared, never shown.

/** `#live` has what the page was made with. Messages: `{ kind: "review", state, version, digest, votes, left }`. */
export const liveScript = `
(() => {
  "use strict";
  const banner = document.getElementById("live");
  if (banner === null) return;
  const made = JSON.parse(banner.dataset.page);
  const firstPauseMs = 1000, lastPauseMs = 30000, beatMs = 45000;
  let pauseMs = firstPauseMs;
  let shown = null;
  let isOver = false;

  const differenceOf = ({ state, version, digest, votes, left }) => {
    if (state !== "open" && state !== "voted") return ["over", "seeOutcome"];
    if (left === true) return ["left", "reload"];
    if (version !== made.version || digest !== made.digest) return ["changed", "seeNewVersion"];
    return votes > made.votes ? ["voted", "reload"] : null;
  };

  const show = ([what, where]) => {
    if (shown === what) return;
    shown = what;
    for (const place of document.querySelectorAll(".live")) {
      const sentence = document.createElement("p");
      sentence.textContent = made.words[what];
      const link = document.createElement("a");
      link.href = made.page;
      link.textContent = made.words[where];
      place.replaceChildren(sentence, link);
    }
  };

  const hear = (text) => {
    const told = JSON.parse(text);
    if (told.kind !== "review") return;
    pauseMs = firstPauseMs;
    const difference = differenceOf(told);
    if (difference === null) return;
    show(difference);
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
