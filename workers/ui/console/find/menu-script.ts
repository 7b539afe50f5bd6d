// The keys of the console: they move the focus and open the menu of pages and things. They submit
// nothing and press nothing. A constant.

export const menuScript = `
(() => {
  "use strict";
  const menu = document.getElementById("menu");
  const input = menu.querySelector("input"), list = document.getElementById("found"), status = menu.querySelector("[role=status]");
  const requests = document.getElementById("found-requests");
  const shown = () => [...list.children].filter(({ hidden }) => !hidden);
  const choose = (option) => {
    for (const each of list.children) each.setAttribute("aria-selected", String(each === option));
    if (option === undefined) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", option.id);
    option?.scrollIntoView({ block: "nearest" });
  };
  const filter = () => {
    const typed = input.value.trim(), words = typed.toLowerCase().split(/\\s+/);
    for (const option of list.children) option.hidden = option === requests ? typed === "" : !words.every((word) => option.textContent.toLowerCase().includes(word));
    const found = shown();
    status.textContent = found.some((option) => option !== requests) ? "" : status.dataset.none;
    choose(found[0]);
  };
  const go = (option) => {
    if (option === undefined) return;
    location.href = option === requests ? option.dataset.to + "?" + new URLSearchParams({ q: input.value.trim() }) : option.dataset.to;
  };
  const open = async () => {
    if (menu.open) return;
    input.value = "";
    menu.showModal();
    filter();
    if (list.childElementCount > 1) return;
    try {
      const answer = await fetch(menu.dataset.options, { redirect: "error" });
      if (!answer.ok) return;
      const part = new DOMParser().parseFromString(await answer.text(), "text/html");
      list.prepend(...part.querySelectorAll("[role=option]"));
    } catch {} // The page behind the link finds the same.
    filter();
  };
  input.addEventListener("input", filter);
  input.addEventListener("keydown", (event) => {
    const found = shown(), at = found.findIndex((option) => option.getAttribute("aria-selected") === "true");
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by !== undefined) choose(found[(at + by + found.length) % found.length]);
    else if (event.key === "Enter") go(found[at]);
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", ({ target }) => go(target.closest("[role=option]") ?? undefined));
  menu.addEventListener("click", ({ target }) => target === menu && menu.close());
  document.getElementById("find-link").addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void open();
  });

  const move = (by) => {
    const row = ":is(tbody tr, .rules > li, .done-list > li)";
    const links = [...document.querySelectorAll("main " + row)].flatMap((each) => each.querySelector("a[href]") ?? []);
    const at = links.findIndex((link) => link.closest(row).contains(document.activeElement));
    const next = links[at === -1 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && key.toLowerCase() === "k") {
      event.preventDefault();
      void open();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || menu.open || target.matches("textarea, select, input:not([type=checkbox])")) return;
    const acts = {
      j: () => move(1),
      k: () => move(-1),
      "/": () => document.querySelector("[role=search] input:not([type=hidden])")?.focus(),
      "?": () => document.getElementById("help").togglePopover(),
    };
    if (!Object.hasOwn(acts, key)) return;
    event.preventDefault();
    acts[key]();
  });
})();
`;
