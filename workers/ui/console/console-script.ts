// The console's own script: times in the reader's zone, the
// zone itself for the gateway, countdowns, and what lies over the page
// closes when something else is pressed. It submits nothing. A constant. Every page works without
// it.

import { zoneCookie } from "../../platform/zone-cookie.ts";

export const consoleScript = `
(() => {
  "use strict";
  document.documentElement.dataset.script = "on";
  const { lang } = document.documentElement;
  const locale = navigator.languages.find((each) => each.split("-")[0] === lang.split("-")[0]) ?? lang;
  const tellTimes = (inside) => {
    for (const element of inside.querySelectorAll("time[datetime]")) {
      const at = new Date(element.dateTime);
      const format = { hour: "numeric", minute: "2-digit" };
      if (/:\\d\\d:\\d\\d/.test(element.textContent)) format.second = "2-digit";
      if (at.toDateString() !== new Date().toDateString()) Object.assign(format, { day: "numeric", month: "short" });
      element.title = at.toISOString();
      element.textContent = new Intl.DateTimeFormat(locale, format).format(at);
    }
  };
  tellTimes(document);
  document.addEventListener("renewed", ({ target }) => tellTimes(target));

  // The zone by whose clock times are entered: the browser's, until another one is chosen. For the
  // console alone: other ports of this host get cookies too.
  const [home] = /^\\/console(?:\\/~[\\w-]+)?/.exec(location.pathname) ?? ["/console"];
  const rememberZone = (zone) => {
    document.cookie = "${zoneCookie}=" + zone + "; Path=" + home + "; Max-Age=31536000; SameSite=Lax" + (location.protocol === "https:" ? "; Secure" : "");
  };
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!document.cookie.includes("${zoneCookie}=")) rememberZone(zone);
  for (const field of document.querySelectorAll("select[name=zone]")) {
    if (field.closest("[data-zone]") !== null) field.value = zone;
    if (field.value === "") field.value = "UTC";
    field.form.addEventListener("submit", () => rememberZone(field.value));
  }

  const began = performance.now();
  const clocks = [...document.querySelectorAll("[data-left]")];
  const tick = () => {
    for (const clock of clocks) {
      const left = Math.max(0, Math.floor(clock.dataset.left - (performance.now() - began) / 1000));
      clock.textContent = left >= 3600 ? clock.dataset.hours.replace("{h}", Math.floor(left / 3600)).replace("{m}", Math.floor((left % 3600) / 60)) : Math.floor(left / 60) + ":" + String(left % 60).padStart(2, "0");
    }
  };
  if (clocks.length > 0) {
    tick();
    setInterval(tick, 1000);
  }

  const panels = [...document.querySelectorAll(".nav > details")];
  const isOver = () => !matchMedia("(min-width: 62rem)").matches;
  document.addEventListener("click", ({ target }) => {
    for (const panel of panels) if (isOver() && panel.open && !panel.contains(target)) panel.open = false;
  });
  document.addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    for (const panel of panels) if (isOver() && panel.open) {
      panel.open = false;
      panel.querySelector("summary").focus();
    }
  });
})();
`;
