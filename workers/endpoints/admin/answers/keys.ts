// Answers of /admin/keys, and of /admin/key-use.

import * as z from "zod";
import { count, list, text, time } from "../../../../shared/json/answer-fields.ts";
import { keyBudgetSchema } from "../../../../shared/budget/budgets.ts";
import { keyScopes } from "../../../../shared/model/gate.ts";
import { limitsSchema } from "../../../../shared/policy/limits.ts";
import { toolNamesSchema } from "../../../../shared/policy/tool-names-schema.ts";
import { type AnswerOf, named } from "../../answer-schema.ts";
import { budgetLine } from "./spend.ts";

const key = () =>
  z.object({
    id: text(),
    name: text(),
    owner: text().optional(),
    scopes: list(z.enum(keyScopes)),
    servers: list(text()).optional(),
    models: list(text()).optional(),
    tools: toolNamesSchema.optional(),
    limits: limitsSchema.optional(),
    budget: keyBudgetSchema.optional(),
    /** For a client that the owner let in by OAuth. `host`: null where nobody checked its name. */
    oauthClient: z.object({ host: text().nullable() }).optional(),
    createdAt: time(),
    expiresAt: time().optional(),
    /** 1 as it was made; what PUT wants in If-Match. */
    version: count(),
  });
export type ShownKey = AnswerOf<typeof key>;

/** `key`: the key itself, this once. */
export const newKey = named("NewKey", () => key().extend({ key: text() }));
export type NewKey = AnswerOf<typeof newKey>;

export const changedKey = named("ChangedKey", key);

export const keyConflict = named("KeyConflict", () => z.object({ error: text(), current: key() }));
export type KeyConflict = AnswerOf<typeof keyConflict>;

export const keyList = named("KeyList", () => z.object({ keys: list(key().extend({ revokedAt: time().nullable() })) }));
export type KeyList = AnswerOf<typeof keyList>;
export type ListedKey = KeyList["keys"][number];

export const keyUse = named("KeyUse", () =>
  z.object({ keys: list(z.object({ id: text(), lastUsedAt: time().nullable(), budgets: list(budgetLine()) })) }),
);
export type KeyUse = AnswerOf<typeof keyUse>;
