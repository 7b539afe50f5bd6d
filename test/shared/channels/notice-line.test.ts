// The line that says on a lock screen what a notice is about, whatever outsiders call themselves.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noticeFacts, noticeLine } from "../../../shared/channels/notice-line.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { openRequest } from "../../outside/pages/examples.ts";
import { plainReply, plainRequest as plain } from "../../support/slack/views.ts";

const { en: words } = catalogues;
const plainRequest = { ...plain, risks: openRequest.risks.slice(0, 2) };
const lineOf = (view: ReviewView, now: number | null, most?: number): string =>
  noticeLine(noticeFacts(view), words, { now, ...(most === undefined ? {} : { most }) });

describe("the line", () => {
  test("has server, tool, model, deadline and warnings", () => {
    expect(lineOf(plainRequest, plainRequest.now)).toBe("notes · summarize_meeting asks first-model · 9 min · 2 warnings");
    expect(lineOf(plainRequest, null)).toBe("notes · summarize_meeting asks first-model · until 14:52 UTC · 2 warnings");
    expect(lineOf({ ...plainReply, risks: [] }, null)).toBe("first-model answers notes · summarize_meeting · until 14:52 UTC");
    expect(lineOf({ ...plainRequest, models: [], risks: [] }, null)).toBe("notes · summarize_meeting asks a model · until 14:52 UTC");
  });

  test("has the date of a deadline on another day", () => {
    const view = { ...plainRequest, risks: [], deadlineAt: plainRequest.createdAt + 3 * 86_400_000 };
    expect(lineOf(view, null)).toMatch(/ · until 20 Nov, \d\d:\d\d UTC$/);
  });

  test.each([
    [0, "deadline passed"],
    [59_999, "59 s"],
    [60_000, "1 min"],
    [7_199_999, "119 min"],
    [7_200_000, "2 h"],
    [172_799_999, "47 h"],
    [172_800_000, "2 days"],
  ])("says the time left, rounded down: %i ms", (left, said) => {
    expect(lineOf({ ...plainRequest, risks: [] }, plainRequest.deadlineAt - left)).toBe(
      `notes · summarize_meeting asks first-model · ${said}`,
    );
  });

  test("is one line within its length, with its end, whatever the names are", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (name) => {
        const requestor = { ...plainRequest.requestor, server: name, client: name, name };
        const line = lineOf({ ...plainRequest, requestor }, null, 150);
        expect(line.length).toBeLessThanOrEqual(150);
        // oxlint-disable-next-line no-control-regex
        expect(line).not.toMatch(/[\u0000-\u001f\u007f\u200b-\u200f\u2028-\u202e\u{e0000}-\u{e007f}]/u);
        expect(line.endsWith(" · until 14:52 UTC · 2 warnings")).toBe(true);
      }),
    );
  });
});
