// A review that waits, for the operator: whom it waits for, the notices of a reviewer once more,
// and another person who is asked as well. Each is in the request's record with the operator.

import { Hono } from "hono";
import * as z from "zod";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import { parseRunId } from "../../../shared/sealed-id.ts";
import { iso } from "../../http/iso-time.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths } from "../../platform/urls.ts";
import type { AskAnswer, AskInput } from "../../stubs/run-calls.ts";
import { runStub } from "../../stubs/stubs.ts";
import type { App, AppContext } from "../app-context.ts";
import { asJson, inPath } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { validJson } from "../validated.ts";
import { type RunReview, runReview } from "./answers/run-review.ts";

export const runReviewRoutes = new Hono<App>();

const ofRun = inPath("id", "Its id in GET /admin/runs");
const noReview = { error: "No review of this request waits: it has ended, or is not kept; GET /admin/runs lists the open ones" };

const getRunReview = describe("getRunReview", {
  summary: "Whom an open request waits for: by which channels each was told, and who else could be asked",
  parameters: [ofRun],
  200: asJson(runReview, "The review"),
  404: "No review of this request waits",
});

runReviewRoutes.get(paths.admin.runReview, getRunReview, async (c) => {
  const run = c.req.param("id");
  const found = isRun(c, run) ? await runStub(c.env, run).waiting() : null;
  if (found === null) return c.json(noReview, 404);
  const { gate, quorum, deadlineAt, reviewers, askable } = readJsonOf(found);
  const answer: RunReview = {
    gate,
    quorum,
    deadlineAt: iso(deadlineAt),
    reviewers: reviewers.map(({ name, hasApproved, channels }) => ({
      name,
      approved: hasApproved,
      channels: channels.map(({ channel, notice, isOpened }) => ({ channel, notice, opened: isOpened })),
    })),
    askable: [...askable],
  };
  return c.json(answer, 200, { "Cache-Control": "no-store" });
});

const askRequest = z.strictObject({
  /** The reviewer's name, as the review has it. */
  reviewer: z.string().min(1).max(128),
  /** A word of your own: the same request again with it does nothing more. */
  once: z
    .string()
    .regex(/^[\w-]{8,64}$/)
    .optional(),
});

const askBody = validJson("ReviewerOfRun", askRequest);

const sendAgain = describe("sendNoticesAgain", {
  summary: "Sends a reviewer the notices of a waiting review again, by each of their channels; a valid link stays the same",
  parameters: [ofRun],
  204: "They are queued",
  404: "No review of this request waits",
  409: "The reviewer is not asked, or has approved; or `once` was used for something else",
  429: "Five times for this reviewer within an hour",
});

runReviewRoutes.post(paths.admin.runNotices, sendAgain, askBody, (c) =>
  ask(c, { run: c.req.param("id"), act: "again", ...c.req.valid("json") }),
);

const askMore = describe("askReviewer", {
  summary: "Asks one more reviewer to decide about a waiting review: somebody whom its rule names",
  parameters: [ofRun],
  204: "They are asked, or were already",
  404: "No review of this request waits",
  409: "The reviewer cannot be asked; or `once` was used for something else",
});

runReviewRoutes.post(paths.admin.runReviewers, askMore, askBody, (c) =>
  ask(c, { run: c.req.param("id"), act: "also", ...c.req.valid("json") }),
);

// A forged id wakes no object.
const isRun = (c: AppContext, run: string): boolean => parseRunId(settingsOf(c.env).keys, run) !== undefined;

type Asked = z.infer<typeof askRequest> & Pick<AskInput, "act"> & { readonly run: string };

async function ask(c: AppContext, { run, act, reviewer, once }: Asked): Promise<Response> {
  if (!isRun(c, run)) return c.json(noReview, 404);
  const answer = await runStub(c.env, run).ask({ act, reviewer, once: once ?? null, by: jsonOf(c.var.operator) });
  if (answer === "done") return c.body(null, 204);
  if (answer === "over") return c.json(noReview, 404);
  const error = refusals[answer];
  return answer === "tooOften" ? c.json({ error }, 429) : c.json({ error, details: { issue: answer } }, 409);
}

const refusals: Readonly<Record<Exclude<AskAnswer, "done" | "over">, string>> = {
  onceUsed: "This `once` was used for something else. Nothing was done; send another",
  notAsked: "This reviewer is not asked about the request, so nothing was sent; GET its review for those who are",
  hasApproved: "This reviewer has approved, so nothing was sent",
  tooOften: "This reviewer’s notices were sent again five times within an hour, so nothing was sent; ask somebody else, or wait",
  notAskable:
    "This reviewer cannot be asked, so nobody was: the rule does not name them, no channel reaches them, they may not approve this request, or they left it to others; GET its review for those who can",
};
