// Which sentence of the catalogue says what was found in a text.

import type { RiskNote } from "../policy/risk.ts";
import { unreachable } from "../result.ts";
import { textOf } from "../words/text.ts";
import type { ReviewWords } from "./words/notice-words.ts";

/** One sentence for one note. */
export function riskWords(note: RiskNote, { lang, review: { risk } }: ReviewWords): string {
  if ("more" in note) return textOf(risk.more, { n: note.more }, lang);
  const { level } = note;
  switch (note.kind) {
    case "urlWithData":
    case "overridesInstructions":
    case "asksSecret":
    case "lookAlikes":
      return risk[note.kind];
    case "size":
      return textOf(risk.size, { n: note.characters }, lang);
    case "blankLines":
      return textOf(risk.blankLines[level === "high" ? "high" : "less"], { n: note.lines }, lang);
    case "longSpace":
      return textOf(risk.longSpace, { n: note.spaces }, lang);
    case "credential":
      return textOf(risk.credential, { what: risk.credentialOf[note.of] }, lang);
    case "blob":
      return textOf(risk.blob, { n: note.characters }, lang);
    case "addressesReviewer":
      return risk.addressesReviewer[level === "high" ? "high" : "less"];
    case "bidirectional":
    case "bidirectionalMark":
    case "tagCharacters":
    case "zeroWidth":
    case "control":
    case "unseen":
      return textOf(risk.invisible[note.kind], { n: note.characters }, lang);
    default:
      return unreachable(note);
  }
}
