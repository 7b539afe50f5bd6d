// The policy page's script: a rule is dragged to its place, and a replay reads on until it is done.
// A constant. Without it there are buttons.

export const policyScript = `
(() => {
  "use strict";
  const form = document.getElementById("policy");
  if (form === null) return;

  const readOn = async () => {
    const section = document.getElementById("replay");
    if (section === null || section.dataset.goesOn === undefined) return;
    const button = section.querySelector("button[value=go-on]");
    if (button !== null) button.hidden = true;
    const body = new URLSearchParams(new FormData(form));
    body.set("do", "go-on");
    body.set("part", "replay");
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const part = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("replay");
      if (part === null || !section.isConnected) throw new Error("no part");
      section.replaceWith(part);
      part.dispatchEvent(new Event("renewed", { bubbles: true }));
      void readOn();
    } catch {
      if (button !== null) button.hidden = false;
    }
  };
  void readOn();

  const rows = [...document.querySelectorAll(".rules > li[data-at]")];
  let dragged = null;
  const unmark = () => rows.forEach((row) => row.classList.remove("drop"));
  for (const row of rows) {
    const handle = row.querySelector(".at");
    handle.draggable = true;
    handle.classList.add("handle");
    handle.addEventListener("dragstart", (event) => {
      dragged = row;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", row.dataset.at);
      event.dataTransfer.setDragImage(row, 8, 8);
    });
    handle.addEventListener("dragend", () => {
      dragged = null;
      unmark();
    });
    row.addEventListener("dragover", (event) => {
      if (dragged === null) return;
      event.preventDefault();
      unmark();
      if (row !== dragged) row.classList.add("drop");
    });
    row.addEventListener("drop", (event) => {
      if (dragged === null || dragged === row) return;
      event.preventDefault();
      const press = document.createElement("button");
      press.name = "do";
      press.value = "move:" + dragged.dataset.at + ":" + row.dataset.at;
      press.hidden = true;
      form.append(press);
      form.requestSubmit(press);
    });
  }
})();
`;
