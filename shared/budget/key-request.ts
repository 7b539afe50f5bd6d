// What an operator asks of a new API key: the body of POST /admin/keys, and the console's form.

import * as z from "zod";
import { keyScopes } from "../model/gate.ts";
import { limitsSchema } from "../policy/limits.ts";
import { toolNamesSchema } from "../policy/tool-names-schema.ts";
import { keyBudgetSchema } from "./budgets.ts";

const word = z.string().min(1).max(128);

/** The body of POST /admin/keys. */
export const keyRequestSchema = z.strictObject({
  name: word,
  /**
   * The person whose client uses the key, and who may not approve their own requests where the
   * policy says so.
   */
  owner: word.optional(),
  /**
   * Which endpoints it opens: `sampling` is POST /sampling and the relay, `control` is POST
   * /control, `v1` is the API under /v1.
   */
  scopes: z
    .array(z.enum(keyScopes))
    .min(1)
    .default([...keyScopes]),
  /** Exact names of MCP servers and model ids, without globs; absent means all. */
  servers: z.array(word).optional(),
  models: z.array(word).optional(),
  /** Globs of the tools that it may see and call: of their names, or of `server/tool`. */
  tools: toolNamesSchema.optional(),
  limits: limitsSchema.optional(),
  budget: keyBudgetSchema.optional(),
  /**
   * A word of the caller's own choosing, of which only one key is ever made: a request that is sent
   * twice makes no second one.
   */
  once: z
    .string()
    .regex(/^[\w-]{8,64}$/, "is not 8 to 64 letters, digits, _ or -")
    .optional(),
  /** Unix milliseconds, or ISO 8601 with its offset; kept as the former. */
  expiresAt: z.union([z.int().positive(), z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))]).optional(),
});

export type KeyRequest = z.infer<typeof keyRequestSchema>;

/**
 * The body of PUT /admin/keys/{id}: what can be changed of a key, whole. What is absent is then not
 * limited. Its owner, its endpoints and its end stay as they were made: those are another key.
 */
export const keyChangeSchema = keyRequestSchema.pick({ name: true, servers: true, models: true, tools: true, limits: true, budget: true });

export type KeyChange = z.infer<typeof keyChangeSchema>;
