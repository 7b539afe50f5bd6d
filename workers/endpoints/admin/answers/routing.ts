// Answers of /admin/routing/explain and /admin/routing/ready.

import * as z from "zod";
import { count, list, text } from "../../../../shared/json/answer-fields.ts";
import { explanationSchema } from "../../../../shared/routing/explain.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";

export const explanation = named("Explanation", explanationSchema);
export type Explanation = AnswerOf<typeof explanation>;

/** `reason`: why it cannot be called. `missing`: the variable or secret that is not set. */
const readyProvider = () => z.object({ provider: text(), reason: text().nullable(), missing: text().nullable() });
export type ReadyProvider = AnswerOf<typeof readyProvider>;

export const readyProviders = named("ReadyProviders", () => z.object({ tableVersion: count(), providers: list(readyProvider()) }));
export type ReadyProviders = AnswerOf<typeof readyProviders>;
