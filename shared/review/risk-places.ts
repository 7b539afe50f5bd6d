// Where in a text its warnings are, so that a page can mark the places. It finds again what the
// checks found: a note of risk is stored without its place, and a reviewer may have changed the
// text since.

import { findInvisible } from "../invisible-characters.ts";
import { disguisedWordsAt } from "../look-alikes.ts";
import { addressesReviewerAt, collectorsAt, overridesInstructionsAt, urlsWithDataAt } from "../policy/phrases.ts";
import { type RiskNote, invisibleRiskOf } from "../policy/risk.ts";
import { blobsAt, credentialsAt } from "../policy/scan-text.ts";
import type { Part } from "../secret-shapes.ts";
import { type MarkedPart, gapsIn } from "./text-view.ts";

/** A note with its number in the list of warnings, from 1. */
export type NumberedRisk = { readonly number: number; readonly note: RiskNote };

/** More places of one warning are not marked: nobody reads them. */
const mostPlaces = 20;
/** The word behind a character that turns it round. */
const longestWord = 40;

/** The places of warnings in the text that each of them is about. */
export const markedParts = (text: string, risks: readonly NumberedRisk[]): MarkedPart[] =>
  risks.flatMap(({ number, note }) => [...firstOf(placesOf(text, note))].map((part) => ({ ...part, number, level: note.level })));

/** The search ends with them: a text may have any number. */
function* firstOf(places: Iterable<Part>): Generator<Part> {
  let count = 0;
  for (const place of places) {
    yield place;
    count += 1;
    if (count === mostPlaces) return;
  }
}

function* placesOf(text: string, note: RiskNote): Generator<Part> {
  if ("more" in note) return;
  switch (note.kind) {
    case "addressesReviewer":
      return yield* wholeWords(text, addressesReviewerAt(lowered(text), note.level === "high" ? "high" : "medium"));
    case "overridesInstructions":
      return yield* wholeWords(text, overridesInstructionsAt(lowered(text)));
    case "urlWithData":
      yield* urlsWithDataAt(text);
      return yield* collectorsAt(lowered(text));
    case "credential":
      return yield* credentialsAt(text, note.of);
    case "blob":
      return yield* blobsAt(text, note.characters);
    case "blankLines":
      return yield* gapsOf(text, "lines");
    case "longSpace":
      return yield* gapsOf(text, "spaces");
    case "lookAlikes":
      return yield* disguisedWordsAt(text);
    case "size":
    case "asksSecret":
      return;
    default:
      return yield* invisiblePlaces(text, note.kind);
  }
}

/** A phrase is known by the beginning of its last word. */
function* wholeWords(text: string, parts: Iterable<Part>): Generator<Part> {
  for (const { start, end } of parts) yield { start, end: end + (/^[a-z]{0,20}/i.exec(text.slice(end, end + 20))?.[0].length ?? 0) };
}

/** Of the runs that a page counts, those that are as long as a warning has them. */
function* gapsOf(text: string, kind: "lines" | "spaces"): Generator<Part> {
  for (const { at, end, kind: of, count } of gapsIn(text))
    if (of === kind && count >= (kind === "lines" ? 20 : 200)) yield { start: at, end };
}

function* invisiblePlaces(text: string, kind: RiskNote["kind"]): Generator<Part> {
  let from = 0;
  for (const character of findInvisible(text)) {
    if (invisibleRiskOf(character) !== kind || character.at < from) continue;
    let end = character.at + character.length;
    // What it turns round is read the other way.
    if (kind === "bidirectional") end += /^\S*/.exec(text.slice(end, end + longestWord))?.[0].length ?? 0;
    from = end;
    yield { start: character.at, end };
  }
}

/**
 * In lower case, as the phrases are, with every character at its place: the few whose lower case is
 * longer stay.
 */
function lowered(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from(text, (character) => (character.toLowerCase().length === character.length ? character.toLowerCase() : character)).join(
    "",
  );
}
