// The words of the page that is being rendered, for its components: another language is another catalogue, and no change in a renderer.

import { createContext, useContext } from "hono/jsx";
import { catalogues, type Words } from "../../shared/channels/words/words.ts";

/** Its provider is around each page. */
export const PageLanguage = createContext<Words>(catalogues.en);

/** The catalogue of the page. Called by components alone, while they render. */
export const useWords = (): Words => useContext(PageLanguage);
