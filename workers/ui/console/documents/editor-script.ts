// The editor's own script: the line of what is wrong is selected when its link is pressed, Tab
// indents, and leaving with unsaved text asks first. A constant. It submits nothing.

export const editorScript = `
(() => {
  "use strict";
  const text = document.getElementById("text");
  if (text === null || text.readOnly) return;
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-line]");
    if (link === null) return;
    event.preventDefault();
    const lines = text.value.split("\\n");
    const before = Number(link.dataset.line) - 1;
    const from = lines.slice(0, before).reduce((sum, line) => sum + line.length + 1, 0);
    text.focus();
    text.setSelectionRange(from, from + (lines[before] ?? "").length);
    text.scrollTop = Math.max(0, (before - 4) * parseFloat(getComputedStyle(text).lineHeight));
    text.scrollIntoView({ block: "nearest" });
  });
  const first = text.defaultValue;
  let isSending = false;
  text.form.addEventListener("submit", () => { isSending = true; });
  addEventListener("beforeunload", (event) => {
    if (!isSending && (text.value !== first || text.dataset.unsaved === "yes")) event.preventDefault();
  });
  addEventListener("pageshow", () => { isSending = false; });
})();
`;
