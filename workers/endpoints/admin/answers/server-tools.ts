// Answers of /admin/tools: the tools of the relay's servers, as their lists had them.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import type { RiskNote } from "../../../../shared/policy/risk.ts";
import { type AnswerOf, fact, named } from "../../answer-schema.ts";

const pin = () => z.enum(["off", "warn", "hold"]);

/** `waiting`: tools whose definition waits for an operator. */
export const waitingTools = named("WaitingTools", () =>
  z.object({ servers: list(z.object({ server: text(), pin: pin(), waiting: count() })) }),
);
export type WaitingTools = AnswerOf<typeof waitingTools>;

const tool = () =>
  z.object({
    name: text(),
    title: text().nullable(),
    state: z.enum(["accepted", "changed", "new", "hidden"]),
    /** Whether clients see it, as far as their key lets them. */
    isShown: z.boolean(),
    digest: text(),
    /** When this definition was first listed. */
    since: time(),
    /** Too long to be kept: nothing of it is known but the digest. */
    isTooLong: z.boolean(),
    warnings: list(fact<RiskNote>()),
    /** Since the definition that was accepted last; empty for an accepted one. */
    changes: list(z.object({ member: text(), before: text().nullable(), after: text().nullable() })),
    rules: list(
      z.object({
        rule: text(),
        isSure: z.boolean(),
        juror: text().nullable(),
        request: z.enum(["review", "confirm", "allow", "refuse"]),
        response: z.enum(["review", "allow"]),
        reviewers: list(text()),
      }),
    ).describe("The rules that a call of it may meet, in order; the last one decides what those before it do not"),
  });
export type ServerTool = AnswerOf<typeof tool>;

/** `denied`: of these. `isPartial`: there are older ones of the time, which were not counted. */
const calls = () =>
  z
    .object({ isPartial: z.boolean(), tools: list(z.object({ tool: text(), calls: count(), denied: count() })) })
    .describe("Where `days` is given");

export const serverTools = named("ServerTools", () =>
  z.object({ server: text(), pin: pin(), tools: list(tool()), calls: calls().exactOptional(), next: text().nullable() }),
);
export type ServerTools = AnswerOf<typeof serverTools>;
