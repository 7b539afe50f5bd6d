import { expect, test } from "vitest";
import { riskWords } from "../../../../../shared/channels/risk-words.ts";
import { noticeCatalogues } from "../../../../../shared/channels/words/notice-words.ts";
import type { RiskNote } from "../../../../../shared/policy/risk.ts";

const pointer = "/systemPrompt";

test.each([
  [{ level: "low", kind: "size", characters: 20_000, pointer }, "Over 20,000 characters long"],
  [{ level: "medium", kind: "blankLines", lines: 25, pointer }, "25 blank lines in a row"],
  [{ level: "high", kind: "blankLines", lines: 5_000, pointer }, "5,000 blank lines hide the rest"],
  [{ level: "medium", kind: "longSpace", spaces: 300, pointer }, "300 spaces hide the rest"],
  [{ level: "high", kind: "credential", of: "awsAccessKey", pointer }, "Looks like an AWS access key"],
  [{ level: "medium", kind: "blob", characters: 480, pointer }, "480 encoded characters"],
  [{ level: "medium", kind: "urlWithData", pointer }, "Address may carry data away"],
  [{ level: "high", kind: "addressesReviewer", pointer }, "Asks the reviewer to approve"],
  [{ level: "medium", kind: "addressesReviewer", pointer }, "Mentions review or approval"],
  [{ level: "medium", kind: "overridesInstructions", pointer }, "Overrides earlier instructions"],
  [{ level: "medium", kind: "lookAlikes", pointer }, "Letters that only look Latin"],
  [{ level: "medium", kind: "zeroWidth", characters: 1, pointer }, "1 zero-width character"],
  [{ level: "high", kind: "bidirectional", characters: 1, pointer }, "Invisible character reverses text"],
  [{ level: "high", kind: "bidirectional", characters: 2, pointer }, "2 characters reverse the text"],
  [{ level: "high", kind: "bidirectional", more: 1, pointer: "" }, "The same in 1 more place"],
  [{ level: "high", kind: "bidirectional", more: 990, pointer: "" }, "The same in 990 more places"],
] satisfies [RiskNote, string][])("a note of risk in English: %j", (note, sentence) => {
  expect(riskWords(note, noticeCatalogues.en)).toBe(sentence);
  // One line on a phone.
  expect(sentence.length).toBeLessThanOrEqual(34);
});
