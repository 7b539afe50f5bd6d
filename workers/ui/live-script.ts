// The script of an open review page. It listens, and says when the page is out of date. It never
// submits, reloads, changes a field or moves a button under a finger. A constant; messages are only
// compared, never shown.

/**
 * `#live` has the facts that the page was made with. Messages:
 * `{ kind: "review", state, version, digest, votes, left, hasVoted }`.
 */
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
  let heard = "";
  let isOver = false;
  // After these nothing on this page counts.
  const closes = new Set(["over", "left", "approved"]);

  const differenceOf = ({ state, version, digest, votes, left, hasVoted }) => {
    if (state !== "open" && state !== "voted") return ["over", "seeOutcome"];
    if (left === true) return ["left", "reload"];
    if (hasVoted === true && !made.hasVoted) return ["approved", "reload"];
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

  // The page as it is now, parsed where nothing of it applies: its style has another nonce.
  const freshPage = async () => {
    const response = await fetch(location.href);
    if (!response.ok) throw new Error("no page");
    const page = document.createElement("template");
    page.innerHTML = await response.text();
    return page.content;
  };

  /** The server's own note says who decided. Of votes and a change its banner has the names. */
  const noteFrom = (fresh, what) => {
    const note = closes.has(what) ? fresh?.querySelector(".lead > .outcome, .lead > .own") : null;
    if (note != null) {
      // The banner that it stands in is read out.
      note.removeAttribute("role");
      return note;
    }
    const facts = fresh?.getElementById("live")?.dataset.page;
    const { words, voters } = facts === undefined ? made : JSON.parse(facts);
    const names = voters.slice(made.votes);
    const sentence = document.createElement("p");
    const by = new Intl.ListFormat(document.documentElement.lang).format(names);
    // A function, because "$&" in a name would be replaced, too.
    sentence.textContent = what === "voted" && names.length > 0 ? words.votedBy.replace("{by}", () => by) : words[what];
    return sentence;
  };

  /** What is no longer true of this page is replaced by what is, or removed. */
  const renewFacts = (fresh) => {
    for (const selector of [".strip", "#decision > .votes", "#decision > .effect", ".pair .reviewers"]) {
      const [old, now] = [document.querySelector(selector), fresh?.querySelector(selector)];
      if (old === null || (fresh === null && !isOver)) continue;
      if (now == null) old.remove();
      else {
        old.replaceChildren(...now.childNodes);
        old.dispatchEvent(new CustomEvent("renewed", { bubbles: true }));
      }
    }
  };

  /** Nothing on this page counts any longer. What was typed can still be read and copied. */
  const close = () => {
    isOver = true;
    for (const button of document.querySelectorAll("button:not([value=preview])")) button.disabled = true;
    for (const field of document.querySelectorAll("form textarea, form input")) field.readOnly = true;
    for (const choice of document.querySelectorAll("form select, form input[type=radio]")) choice.disabled = true;
    for (const opener of document.querySelectorAll("#decision summary")) opener.inert = true;
    // What offers a change and has none in it offers nothing now.
    const isChanged = (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked;
    for (const fold of document.querySelectorAll(".part .edit:not([open]), #own:not([open])"))
      if (![...fold.querySelectorAll("textarea, input")].some(isChanged)) fold.remove();
    for (const gone of document.querySelectorAll("#decision > .clock, #decision > .effect, .part label.act")) gone.remove();
  };

  const show = async ([what, where], text) => {
    if (closes.has(what)) close();
    const fresh = await freshPage().catch(() => null);
    // Something newer was heard meanwhile.
    if (heard !== text) return;
    const anchor = [...document.querySelectorAll("#decision button, #decision summary")].find(isInView);
    const before = anchor === undefined ? 0 : topOf(anchor);
    const note = noteFrom(fresh, what);
    for (const place of document.querySelectorAll(".live")) {
      const link = document.createElement("a");
      link.href = made.page;
      link.textContent = made.words[where];
      // What happened is said once, at the top. Beside the buttons is only the way on.
      place.replaceChildren(...(place === banner ? [note] : []), link);
    }
    banner.classList.toggle("noted", note.matches(".note"));
    banner.dispatchEvent(new CustomEvent("renewed", { bubbles: true }));
    if (what !== "changed") renewFacts(fresh);
    movedAt = performance.now();
    if (anchor !== undefined) scrollBy({ top: topOf(anchor) - before, behavior: "instant" });
  };

  // What comes next is shown as the server makes it. It goes nowhere by itself.
  const renewNext = async () => {
    const fresh = await freshPage();
    if (fresh.getElementById("next") === null) return location.reload();
    for (const selector of [".steps", "h1", ".strip", "#next", "#next-bar"]) {
      const [place, now] = [document.querySelector(selector), fresh.querySelector(selector)];
      if (place === null || now === null) continue;
      place.replaceChildren(...now.childNodes);
      place.dispatchEvent(new CustomEvent("renewed", { bubbles: true }));
    }
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
    if (difference === null || heard === text) return;
    heard = text;
    show(difference, text);
    // The other script counts the vote on the button.
    if (difference[0] === "voted") document.dispatchEvent(new CustomEvent("votes", { detail: told.votes }));
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
