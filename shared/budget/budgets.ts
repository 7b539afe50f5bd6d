// The budgets document: how much money or how many tokens may be spent in a day or a month, by
// everything, a server, a key or an owner.

import * as z from "zod";
import type { JsonObject } from "../encoding.ts";
import { jsonSchemaOf } from "../json/json-schema-of.ts";
import { pointerTo, issueAt, issuesOf, type Issue } from "../routing/issues.ts";
import { err, ok, type Result } from "../result.ts";

/**
 * Money is counted in whole billionths of a US dollar: a token of the cheapest models costs some
 * fifty of them.
 */
export const nanosInUsd = 1_000_000_000;
const mostUsd = 1_000_000;
const mostTokens = 1_000_000_000_000;

const word = z.string().min(1).max(128);

/** Money, tokens or both, for a day or a month of UTC. */
const amounts = {
  usd: z.number().nonnegative().max(mostUsd).optional(),
  tokens: z.int().nonnegative().max(mostTokens).optional(),
  per: z.enum(["day", "month"]),
};

const hasAmount = ({ usd, tokens }: { readonly usd?: number | undefined; readonly tokens?: number | undefined }): boolean =>
  usd !== undefined || tokens !== undefined;
const amountIssue = "noAmount";

/** The budget of one key, in the body of POST /admin/keys. */
export const keyBudgetSchema = z.strictObject(amounts).refine(hasAmount, amountIssue);
export type KeyBudget = z.infer<typeof keyBudgetSchema>;

/**
 * What may be spent with a scoped token for as long as it lives. `id`: of the client request, whose
 * tokens spend from one account.
 */
export type TokenBudget = { readonly id: string; readonly maxUsd: number; /** Unix milliseconds. */ readonly expiresAt: number };

/** What a budget is of. `*`: each key, or each owner, has this much for itself. */
const of = z.union([
  z.literal("everything"),
  z.strictObject({ server: word }),
  z.strictObject({ key: word }),
  z.strictObject({ owner: word }),
]);

/** One budget, as the document names it. */
export const budgetSchema = z
  .strictObject({
    of,
    ...amounts,
    /** Addresses that get an email when 80 and 100 % are used. */
    notify: z.array(z.email().max(254)).max(20).default([]),
  })
  .refine(hasAmount, amountIssue);

export type Budget = z.infer<typeof budgetSchema>;
export type Per = Budget["per"];

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "budgetName");

const budgetsSchema = z.strictObject({
  version: z.int().nonnegative().default(0),
  budgets: z
    .record(name, budgetSchema)
    .default({})
    .refine((budgets) => Object.keys(budgets).length <= 100, "manyBudgets"),
});

export type Budgets = z.infer<typeof budgetsSchema>;

/** What an operator may write, for editors and the description of the API. */
export const budgetsJsonSchema = (): JsonObject => jsonSchemaOf(budgetsSchema);

/** The name under which a key's own budget is shown; a budget of the document cannot have it. */
export const ownBudgetName = "key";
/** The same of a scoped token's. */
const tokenBudgetName = "token";
/** The same of jurors': each rule's own, for a day. */
export const jurorBudgetName = "juror";
/** Budgets that no document has. */
export const ownNames: readonly string[] = [ownBudgetName, tokenBudgetName, jurorBudgetName];

/**
 * Reads a budgets document from parsed JSON. Refused, each with a pointer: what the schema refuses,
 * and the name of keys' own budgets.
 */
export function parseBudgets(value: unknown): Result<Budgets, Issue[]> {
  const parsed = budgetsSchema.safeParse(value);
  if (!parsed.success) return err(issuesOf(parsed.error.issues));
  const taken = ownNames.filter((name) => Object.hasOwn(parsed.data.budgets, name));
  if (taken.length === 0) return ok(parsed.data);
  return err(taken.map((name) => issueAt(pointerTo(["budgets", name]), { key: "ownBudgetsName", values: { whose: name } })));
}

/** Who spends: the API key and its owner, and the MCP server that the request serves. */
export type Spender = {
  readonly key: string;
  readonly owner: string | null;
  readonly keyBudget: KeyBudget | null;
  readonly server: string;
};

export type Unit = "usd" | "tokens";

/** What a budget allows: an amount, and of what. */
export type BudgetLimit = {
  /** The budget's name, as errors and notices have it. */
  readonly budget: string;
  /** The key's id or the owner whose part of a `*` budget this is; else null. */
  readonly part: string | null;
  readonly unit: Unit;
  /** Whole billionths of a US dollar, or tokens. */
  readonly limit: number;
  readonly per: Per;
};

/** One amount that is counted by itself, by one object. */
export type Allowance = BudgetLimit & {
  readonly notify: readonly string[];
  /**
   * The amount is for once, until then (Unix milliseconds), in place of a day or month. Nobody
   * hears how much of it is used.
   */
  readonly endsAt?: number;
};

/** Every amount that a request of this spender counts for. */
export function allowancesFor({ budgets }: Pick<Budgets, "budgets">, spender: Spender): Allowance[] {
  const found = Object.entries(budgets).flatMap(([budget, each]) =>
    counts(each, spender) ? allowances(budget, partOf(each, spender), each) : [],
  );
  const { keyBudget, key } = spender;
  return keyBudget === null ? found : [...found, ...allowances(ownBudgetName, key, { ...keyBudget, notify: [] })];
}

function counts({ of: whose }: Budget, { key, owner, server }: Spender): boolean {
  if (whose === "everything") return true;
  if ("server" in whose) return whose.server === server;
  if ("key" in whose) return whose.key === "*" || whose.key === key;
  return owner !== null && (whose.owner === "*" || whose.owner === owner);
}

function partOf({ of: whose }: Budget, { key, owner }: Spender): string | null {
  if (whose === "everything") return null;
  if ("key" in whose && whose.key === "*") return key;
  return "owner" in whose && whose.owner === "*" ? owner : null;
}

/** What the juror of a rule may spend, whoever's call it is asked about. */
export type JurorBudget = { readonly rule: string; readonly usdPerDay: number };

export const jurorAllowance = ({ rule, usdPerDay }: JurorBudget): Allowance[] =>
  allowances(jurorBudgetName, rule, { usd: usdPerDay, per: "day", notify: [] });

/** Every amount that a juror's call counts for: none of the key's, its owner's or the server's. */
export const jurorAllowances = ({ budgets }: Pick<Budgets, "budgets">, juror: JurorBudget): Allowance[] => [
  ...Object.entries(budgets).flatMap(([budget, each]) => (each.of === "everything" ? allowances(budget, null, each) : [])),
  ...jurorAllowance(juror),
];

/** The limit of a scoped token. */
export const tokenAllowance = ({ id, maxUsd, expiresAt }: TokenBudget): Allowance => ({
  budget: tokenBudgetName,
  part: id,
  unit: "usd",
  limit: Math.round(maxUsd * nanosInUsd),
  per: "day",
  notify: [],
  endsAt: expiresAt,
});

/** The amounts of one budget: of the whole, or of one key or owner of a `*` budget. */
export function allowances(
  budget: string,
  part: string | null,
  { usd, tokens, per, notify }: Pick<Budget, "usd" | "tokens" | "per" | "notify">,
): Allowance[] {
  const at = { budget, part, per, notify };
  return [
    ...(usd === undefined ? [] : [{ ...at, unit: "usd" as const, limit: Math.round(usd * nanosInUsd) }]),
    ...(tokens === undefined ? [] : [{ ...at, unit: "tokens" as const, limit: tokens }]),
  ];
}
