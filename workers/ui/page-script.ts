// The script of a review page: it tells times in the reader's own zone, counts down, counts the
// reviewer's changes on the Approve button, moves the focus by keys, and asks for the fields of
// another alternative as a preview does. It decides nothing and presses nothing. A constant; a text
// from outside is only compared, or set as text.

export const pageScript = `
(() => {
  "use strict";
  document.documentElement.dataset.script = "on";
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  // Times. The server writes UTC with "UTC" behind it.
  // In the page's language, and as the reader's own country writes it where one of their languages is the page's.
  const { lang } = document.documentElement;
  const locale = navigator.languages.find((each) => each.split("-")[0] === lang.split("-")[0]) ?? lang;
  const isSameDay = (a, b) => a.toDateString() === b.toDateString();
  const tellTimes = (inside) => {
    for (const element of all("time[datetime]", inside)) tellTime(element);
  };
  const tellTime = (element) => {
    const at = new Date(element.dateTime);
    const format = { hour: "numeric", minute: "2-digit" };
    if (/:\\d\\d:\\d\\d/.test(element.textContent)) format.second = "2-digit";
    if (!isSameDay(at, new Date())) Object.assign(format, { day: "numeric", month: "short" });
    element.title = at.toISOString();
    element.textContent = new Intl.DateTimeFormat(locale, format).format(at);
  };
  tellTimes(document);
  document.addEventListener("renewed", ({ target }) => tellTimes(target));

  // The countdown starts from the server's seconds, so that a wrong clock does no harm.
  const ends = new WeakMap();
  const two = (n) => String(n).padStart(2, "0");
  const approve = document.getElementById("approve");
  const words = approve === null ? null : JSON.parse(approve.dataset.words);
  const tick = () => {
    for (const clock of all("[data-left]")) {
      if (!ends.has(clock)) ends.set(clock, performance.now() + clock.dataset.left * 1000);
      const left = Math.max(0, Math.floor((ends.get(clock) - performance.now()) / 1000));
      const hours = Math.floor(left / 3600), minutes = Math.floor(left / 60);
      clock.textContent = left >= 3600 ? clock.dataset.hours.replace("{h}", hours).replace("{m}", Math.floor((left % 3600) / 60)) : minutes + ":" + two(left % 60);
      clock.classList.toggle("soon", left < 60);
    }
  };
  tick();
  setInterval(tick, 1000);
  document.addEventListener("renewed", tick);

  // Panels close when something else is pressed, and by Escape.
  const panels = all("details.up");
  document.addEventListener("click", ({ target }) => {
    for (const panel of panels) if (panel.open && !panel.contains(target)) panel.open = false;
  });

  // Keys move the focus; only Enter on a button decides.
  const openOf = (element) => {
    for (let at = element?.parentElement; at; at = at.parentElement) if (at.matches("details")) at.open = true;
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      for (const panel of panels) if (panel.open) {
        panel.open = false;
        panel.querySelector("summary").focus();
      }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
    const to = { a: approve, d: document.getElementById("reason"), e: document.querySelector(".part textarea, .arg input, .arg select") }[event.key];
    if (to === undefined || to === null) return;
    event.preventDefault();
    openOf(to);
    to.focus();
  });

  if (approve === null) return;
  const form = approve.form;
  const shown = form.elements.namedItem("shown");

  // The changes. A field's text is compared with what the server has; the button says how many differ, and its value promises as many.
  const plain = (text) => text.replace(/\\r\\n?/g, "\\n").replaceAll("\\0", "\\ufffd").toWellFormed();
  const textsNow = () => all(".part textarea, .tall textarea, .tall input:not([type=radio]), .arg input:not([type=hidden]), .arg select", form);
  let texts = textsNow();
  const choice = form.querySelector("select[name=model]");
  const valueOf = (field) => field.type === "checkbox" ? String(field.checked) : plain(field.value);
  /** As the page came. */
  const firstOf = (field) => {
    if (field.type === "checkbox") return String(field.defaultChecked);
    return plain(field.options === undefined ? field.defaultValue : (all("option[selected]", field)[0] ?? field.options[0]).value);
  };
  const before = (field) => plain(field.dataset.was ?? firstOf(field));
  const isChanged = (field) => valueOf(field) !== before(field);
  /** Stop sequences count as one, and so does a list or an object that is longer or shorter, with all inside it. */
  const unit = (field) => field.dataset.unit ?? (field.name.startsWith("edit:/stopSequences/") ? "edit:/stopSequences" : field.name);
  const count = () => {
    const units = [...new Set(texts.filter(isChanged).map(unit))];
    const single = units.filter((each) => !units.some((outer) => each.startsWith(outer + "/"))).length;
    return single + (choice !== null && choice.value !== choice.dataset.was ? 1 : 0);
  };

  const rules = new Intl.PluralRules(words.lang);
  const phrase = (forms, n) => n === 0 ? "" : (forms[rules.select(n)] ?? forms.other).replace("{n}", n.toLocaleString(words.lang));
  const label = (changes) => {
    const vote = words.quorum === null ? "" : words.vote.replace("{vote}", words.quorum.votes + 1).replace("{needed}", words.quorum.needed);
    return words.approve.replace("{vote}", vote).replace("{changes}", phrase(words.withChanges, changes)).replace("{warnings}", phrase(words.despite, words.warnings));
  };

  // The button that gives a grant says for how many.
  const uses = document.getElementById("grant-uses");
  uses?.addEventListener("input", () => {
    const allow = document.querySelector("button.allow");
    const said = JSON.parse(allow.dataset.words);
    const isNumber = /^[1-9][0-9]{0,3}$/.test(uses.value) && Number(uses.value) <= said.most;
    allow.textContent = isNumber ? phrase(said.more, Number(uses.value)) : said.any;
  });

  // What nobody would see in a difference is written out.
  const unseen = /[[\\p{Default_Ignorable_Code_Point}\\p{Cc}\\p{Cs}\\p{Co}\\p{Zl}\\p{Zp}\\u1680\\u2000-\\u200a\\u205f\\u2800]--[\\t\\n]]/gv;
  const visible = (text) => text.replace(unseen, (each) => "\\u27e8U+" + each.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "\\u27e9");

  /** The one stretch in which two texts differ, in whole words, with a little of what stands around it. */
  const difference = (old, next) => {
    let start = 0;
    while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
    let end = 0;
    while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
    const isWord = (unit) => unit !== undefined && /\\S/.test(unit);
    while (start > 0 && isWord(old[start - 1])) start -= 1;
    while (end > 0 && isWord(old.at(-end))) end -= 1;
    const around = 60;
    return [
      ["", (start > around ? "\\u2026" : "") + old.slice(Math.max(0, start - around), start)],
      ["del", old.slice(start, old.length - end)],
      ["ins", next.slice(start, next.length - end)],
      ["", old.slice(old.length - end, old.length - end + around) + (end > around ? "\\u2026" : "")],
    ];
  };
  const hidden = (text) => {
    const span = document.createElement("span");
    span.className = "sr";
    span.textContent = text;
    return span;
  };
  const differenceOf = (old, next) => {
    const box = document.createElement("div");
    box.className = "said diff now";
    box.dir = "auto";
    for (const [kind, text] of difference(old, next)) {
      if (text === "") continue;
      if (kind === "") {
        box.append(visible(text));
        continue;
      }
      const mark = document.createElement(kind);
      mark.append(hidden("[" + (kind === "del" ? words.removed : words.added) + ": "), visible(text), hidden("]"));
      box.append(mark);
    }
    return box;
  };

  const undo = (field) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "act undo";
    button.textContent = words.undo;
    button.addEventListener("click", () => {
      field.value = field.dataset.was ?? field.defaultValue;
      field.focus();
      refresh();
    });
    return button;
  };

  /** Marks a part as it stands now: outlined, open, with its difference; or as it came. */
  const mark = (field) => {
    const part = field.closest(".arg, .part, .tall");
    const changed = all("textarea, input, select", part).some((each) => texts.includes(each) && each.closest(".arg, .part, .tall") === part && (isChanged(each) || each.getAttribute("aria-invalid") === "true"));
    part.classList.toggle("changed", changed);
    const head = part.querySelector(":scope > header, :scope > summary, :scope > dt, :scope > .head, :scope > legend");
    for (const old of all(":scope > .badge, :scope > .undo", head)) old.remove();
    for (const old of all(":scope > .diff.now", part)) old.remove();
    // The server's own difference is of the text that it was sent last.
    const own = document.getElementById(field.name + ":diff");
    if (own !== null) own.hidden = valueOf(field) !== firstOf(field);
    if (!changed) return;
    openOf(field);
    const badge = document.createElement("span");
    badge.className = "badge";
    badge.textContent = words.changed;
    head.querySelector("h2, label")?.after(badge) ?? head.append(badge);
    if (!isChanged(field) || !part.matches(".part, .arg") || field.type === "checkbox" || field.matches(".as")) return;
    // In a fold's heading a button would open and close the fold.
    if (head.matches("header")) badge.after(undo(field));
    if (own === null || own.hidden) head.after(differenceOf(before(field), valueOf(field)));
  };

  // The reply that the reviewer writes has a button of its own, which says what it sends.
  const own = form.elements.namedItem("answer");
  const answer = document.getElementById("send-own");
  const shownReply = document.getElementById("own-shown");
  const isWritten = () => own !== null && own.value.trim() !== "";
  const refreshOwn = () => {
    if (own === null) return;
    answer.textContent = isWritten() ? answer.dataset.send : answer.dataset.check;
    answer.value = isWritten() ? "answer:1" : "answer:0";
    if (shownReply !== null) shownReply.hidden = plain(own.value) !== plain(own.defaultValue);
    for (const old of all(":scope > .diff.now", own.parentElement)) old.remove();
    // What nobody would see in the field is written out below it.
    if (isWritten() && visible(own.value) !== own.value) own.after(differenceOf("", plain(own.value)));
  };

  const refresh = () => {
    texts.forEach(mark);
    refreshOwn();
    const changes = count();
    approve.textContent = label(changes);
    approve.value = "approve:" + changes;
    // The page now shows each change as it stands in its field.
    shown.value = "live";
  };
  const isTouched = () => texts.concat(own ?? []).some((field) => valueOf(field) !== firstOf(field)) || choice?.selectedOptions[0]?.defaultSelected === false;

  // Another alternative: the gateway draws its fields, as without a script.
  const drawnOf = (select) => form.elements.namedItem(select.name.slice(0, -"as".length) + "drawn").value;
  const isDrawn = () => all("select.as", form).every((select) => select.value === drawnOf(select));
  const typedNow = () => new URLSearchParams(new FormData(form)).toString();
  let asked = 0;
  const redraw = async (select) => {
    const mine = (asked += 1);
    const sent = typedNow();
    const body = new URLSearchParams(sent);
    body.set("act", "preview");
    let fresh = null;
    try {
      const response = await fetch(form.action, { method: "POST", body });
      const page = document.createElement("template");
      page.innerHTML = response.ok ? await response.text() : "";
      fresh = page.content;
    } catch {
      // The button beside the choice asks for the whole page.
    }
    if (mine !== asked) return;
    if (fresh !== null && typedNow() !== sent) return redraw(select);
    const old = select.closest(".part");
    const part = fresh?.querySelector("[name=digest]")?.value === form.elements.namedItem("digest").value ? fresh.getElementById(old.id) : null;
    if (part === null || fresh.getElementById(select.id) === null) {
      select.parentElement.classList.add("failed");
      return;
    }
    // Folds that were open stay open.
    const open = all("details[open]", old).map((fold) => fold.querySelector("[id]:is(input, select, textarea)")?.id);
    old.replaceWith(part);
    for (const id of open) if (id !== undefined) openOf(document.getElementById(id));
    texts = textsNow();
    openOf(document.getElementById(select.id));
    document.getElementById(select.id).focus();
    refresh();
  };
  document.addEventListener("change", ({ target }) => {
    if (target.matches("select.as")) redraw(target);
  });

  document.addEventListener("input", ({ target }) => {
    if (texts.includes(target) || target === choice || target === own) refresh();
  });
  // A fold with a change in it stays open.
  document.addEventListener("toggle", ({ target }) => {
    if (target.matches("details") && !target.open && (texts.some((field) => target.contains(field) && isChanged(field)) || (isWritten() && target.contains(own)))) target.open = true;
  }, true);
  // A browser may bring back what was typed, after "Back" or a reload, also without telling.
  addEventListener("pageshow", () => isTouched() && refresh());
  form.addEventListener("submit", (event) => {
    const { submitter } = event;
    if (submitter === null || (submitter !== approve && submitter !== answer) || (!isTouched() && shown.value !== "live")) return;
    const said = submitter.textContent;
    refresh();
    // What the button did not say yet is not sent by this press, nor fields that are not here yet.
    if (submitter.textContent !== said || !isDrawn()) event.preventDefault();
  });
  // The votes of others, heard by the script that listens.
  document.addEventListener("votes", ({ detail }) => {
    if (words.quorum === null) return;
    words.quorum.votes = detail;
    approve.textContent = label(count());
  });
})();
`;
