// The words of the page that is being rendered, for its components: another language is another
// catalogue, and no change in a renderer. Pages are rendered in one go, so at any moment there is
// one such page. (hono's context does the same, and brings 15 KiB.)

import type { Language } from "../../shared/channels/words/languages.ts";
import { catalogues, type Words } from "../../shared/channels/words/words.ts";

let words: Words = catalogues.en;

/** The catalogue of the page. Called by components alone, while they render. */
export const useWords = (): Words => words;

/** The language of the page. Called by components alone. */
export const useLanguage = (): Language => (words.page.lang === "zh-CN" ? "zh-CN" : "en");

/** Renders with this catalogue. `render` must not wait for anything. */
export function inLanguage<T extends string | { readonly html: string }>(catalogue: Words, render: () => T): T {
  const before = words;
  words = catalogue;
  try {
    return render();
  } finally {
    words = before;
  }
}
