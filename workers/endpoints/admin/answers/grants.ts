// The answer of /admin/grants: what reviewers allowed for later requests.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

const tool = () => z.object({ method: text(), name: text() });
const risk = () => z.enum(["none", "low", "medium", "high"]);

/** A grant without the digests of what was requested. */
const grant = () =>
  z.object({
    id: text(),
    bypass: z.literal(true).exactOptional().describe("An operator's, for any call of its scope at both gates"),
    reason: text().exactOptional().describe("The operator's, of a bypass"),
    pinned: list(text()).exactOptional().describe("The arguments that must have the values of the approved call"),
    key: text(),
    gate: z.enum(["request", "response"]),
    scope: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("session"), session: text(), server: text(), tool: tool() }),
      z.object({ kind: z.literal("tool"), server: text(), tool: tool() }),
      z.object({ kind: z.literal("server"), server: text() }),
      z.object({ kind: z.literal("key") }),
    ]),
    what: z.enum(["exact", "shape"]),
    provenance: z.enum(["claimed", "inferred", "observed", "own"]),
    by: text(),
    run: text(),
    rule: text(),
    riskAtMost: risk(),
    replyRiskAtMost: risk().exactOptional(),
    charactersAtMost: count(),
    maxTokensAtMost: count(),
    state: z.enum(["live", "usedUp", "expired", "revoked"]),
    givenAt: time(),
    expiresAt: time(),
    usesGiven: count(),
    usesLeft: count(),
    spendLeftUsd: z.number(),
    lastUsedAt: time().nullable(),
    revokedAt: time().nullable(),
  });
export type ShownGrant = AnswerOf<typeof grant>;

export const bypassList = named("BypassList", () => z.object({ grants: list(grant()) }));
export type BypassList = AnswerOf<typeof bypassList>;

export const grantList = named("GrantList", () => z.object({ grants: list(grant()), next: text().nullable() }));
export type GrantList = AnswerOf<typeof grantList>;
