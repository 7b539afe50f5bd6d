// What a review's page says of its reader, and of the prompt that a reply answers.

import { expect, test } from "vitest";
import { knownHows, type KnownBy } from "../../../shared/receipt/known.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import type { Language } from "../../../shared/channels/words/languages.ts";
import { decided, openRequest, openResponse, request } from "../../outside/pages/examples.ts";
import { renderedReview } from "../../rest/pages/rendered.ts";

const textOf = (html: string): string => html.replaceAll(/<[^>]+>/g, " ").replaceAll(/\s+/g, " ");
const known = (how: KnownBy["how"]): KnownBy => (how === "issuer" ? { how, issuer: "office" } : { how });
const languages = Object.keys(catalogues) as Language[]; // its own names

test.each(knownHows)("an open review says how its reader is known (%s), and a closed one does not", (how) => {
  for (const language of languages) {
    const said = catalogues[language].page.knownYou[how].replace("{issuer}", " office ").replaceAll(/\s+/g, " ").trim();
    expect(textOf(renderedReview(openRequest, { known: known(how) }, language)), language).toContain(said);
    expect(textOf(renderedReview(openRequest, {}, language)), language).not.toContain(said);
    expect(textOf(renderedReview(decided.expired, { known: known(how) }, language)), language).not.toContain(said);
  }
});

test("a prompt that a reviewer changed says below its reply that it was changed, and by no rule", () => {
  const text = textOf(renderedReview({ ...openResponse, requestAsAsked: request, request: { ...request, systemPrompt: "Be short." } }));
  expect(text).toContain("Changed before it was approved:");
  expect(text).not.toMatch(/Masked by a rule|Text that is delivered/);
});
