import { expect, test } from "vitest";
import { riskWords } from "../../../../../shared/channels/risk-words.ts";
import { noticeCatalogues } from "../../../../../shared/channels/words/notice-words.ts";
import type { RiskNote } from "../../../../../shared/policy/risk.ts";

const pointer = "/systemPrompt";

test.each([
  [{ level: "low", kind: "tools", pointer }, "The model is offered tools, and may ask the server to run them."],
  [{ level: "low", kind: "size", characters: 20_000, pointer }, "The text is over 20,000 characters long."],
  [{ level: "medium", kind: "size", characters: 200_000, pointer }, "The text is over 200,000 characters long, which few people read."],
  [{ level: "low", kind: "media", of: "image", pointer }, "There is an image here, which the text checks do not cover."],
  [{ level: "medium", kind: "blankLines", lines: 25, pointer }, "25 blank lines in a row."],
  [
    { level: "high", kind: "blankLines", lines: 5_000, pointer },
    "5,000 blank lines in a row, so that the text after them is easily missed.",
  ],
  [
    { level: "medium", kind: "longSpace", spaces: 300, pointer },
    "300 spaces or tabs in one line, so that the text after them is easily missed.",
  ],
  [{ level: "high", kind: "credential", of: "awsAccessKey", pointer }, "There is something here that looks like an AWS access key."],
  [{ level: "medium", kind: "blob", characters: 480, pointer }, "480 characters here look like encoded data, which a person cannot read."],
  [{ level: "low", kind: "urlWithData", pointer }, "A web address here has a query."],
  [{ level: "medium", kind: "urlWithData", pointer }, "The query of a web address here carries much data, or has placeholders for data."],
  [{ level: "high", kind: "addressesReviewer", pointer }, "The text addresses the reviewer, asks for approval, or imitates this page."],
  [{ level: "medium", kind: "addressesReviewer", pointer }, "The text mentions review or approval, possibly to influence it."],
  [
    { level: "medium", kind: "overridesInstructions", pointer },
    "The text tells the model to ignore its instructions, or to hide something from people.",
  ],
  [{ level: "medium", kind: "zeroWidth", characters: 1, pointer }, "There is 1 zero-width character here."],
  [{ level: "high", kind: "bidirectional", characters: 2, pointer }, "There are 2 bidirectional control characters here."],
  [{ level: "high", kind: "bidirectional", more: 1, pointer: "" }, "The same was found in 1 more place."],
  [{ level: "high", kind: "bidirectional", more: 990, pointer: "" }, "The same was found in 990 more places."],
] satisfies [RiskNote, string][])("a note of risk in English: %j", (note, sentence) => {
  expect(riskWords(note, noticeCatalogues.en)).toBe(sentence);
});
