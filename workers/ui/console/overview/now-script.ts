// Keeps what fails now up to date: asks for it anew every ten seconds while somebody looks. A
// constant. Without it the page is as of its loading.

/**
 * For an element with `data-live`: the address of what replaces the elements of the same ids. What
 * is the same stays, so nothing is read out twice; who stands on a link stays there.
 */
export const nowScript = `
(() => {
  "use strict";
  const everyMs = 10_000;
  const live = document.querySelector("[data-live]");
  if (live === null) return;
  const made = new Map();
  const renew = async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(live.dataset.live, { redirect: "error" });
      if (!answer.ok) return;
      const part = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const next of part.querySelectorAll("body > [id]")) {
        const shown = document.getElementById(next.id);
        // A press that is under way would land on another row.
        if (shown === null || made.get(next.id) === next.innerHTML || shown.querySelector(":active") !== null) continue;
        made.set(next.id, next.innerHTML);
        const at = shown.contains(document.activeElement) ? document.activeElement.dataset.of : undefined;
        shown.replaceChildren(...next.childNodes);
        shown.dispatchEvent(new Event("renewed", { bubbles: true }));
        if (at === undefined) continue;
        (shown.querySelector('[data-of="' + CSS.escape(at) + '"]') ?? shown).focus({ preventScroll: true });
      }
    } catch {} // The time that is shown says how old this is.
  };
  setInterval(renew, everyMs);
  document.addEventListener("visibilitychange", renew);
})();
`;
