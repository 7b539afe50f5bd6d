// Answers of /admin/decisions: who approved or denied what.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import { knownHows } from "../../../../shared/receipt/known.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

/**
 * `known`: by a link, by their account in Slack, or by how they signed in to the inbox; `inbox`:
 * how was not kept. `vote`: more approvals were needed. `edits`: how often it had been changed
 * before. `written`: they wrote it.
 */
const decision = () =>
  z.object({
    at: time(),
    request: text(),
    gate: z.enum(["request", "response"]),
    by: text(),
    member: text().nullable(),
    channel: text(),
    known: z.enum(knownHows),
    issuer: text().nullable(),
    passkey: z.boolean(),
    decision: z.enum(["approved", "denied", "dismissed"]),
    vote: z.boolean(),
    subject: text().nullable(),
    server: text().nullable(),
    tool: text().nullable(),
    key: text(),
    edits: count(),
    written: z.boolean(),
    reason: z.boolean(),
    waitedMs: count().nullable(),
  });
export type Decision = AnswerOf<typeof decision>;

export const decisionList = named("DecisionList", () => z.object({ decisions: list(decision()), next: text().nullable() }));
export type DecisionList = AnswerOf<typeof decisionList>;
