// Copies what a button has in `data-copy`, and says so. A constant. Without it there is no button:
// the text can be selected.

export const copyScript = `
(() => {
  "use strict";
  for (const button of document.querySelectorAll("[data-copy]")) {
    if (!navigator.clipboard) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = button.dataset.copied;
    });
  }
})();
`;
