// A form that answers while somebody types: posts itself after a short pause, and puts what comes
// back in the place of what stands there. A constant. Without it the form has a button that does
// the same.

/**
 * For a form with `data-part`: the value of the field `part` that is sent. What comes back replaces
 * the elements of the same ids.
 */
export const partScript = `
(() => {
  "use strict";
  const pauseMs = 300;
  for (const form of document.querySelectorAll("form[data-part]")) {
    let timer, asked = new AbortController();
    const renew = async () => {
      asked.abort();
      asked = new AbortController();
      const fields = new URLSearchParams();
      for (const [name, value] of new FormData(form)) fields.append(name, value);
      fields.set("part", form.dataset.part);
      try {
        const answer = await fetch(form.getAttribute("action"), { method: "POST", body: fields, signal: asked.signal, redirect: "error" });
        if (!answer.ok) return;
        const part = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const next of part.querySelectorAll("body > [id]")) {
          const shown = document.getElementById(next.id);
          if (shown === null) continue;
          shown.replaceChildren(...next.childNodes);
          shown.dispatchEvent(new Event("renewed", { bubbles: true }));
        }
      } catch {} // The next change asks again; the button does too.
    };
    form.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(renew, pauseMs);
    });
  }
})();
`;
