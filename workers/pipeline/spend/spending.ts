// Whether an attempt at a model may be sent: nothing is stopped by an operator, and every budget
// that it counts for has room for the most that it may cost. Asked right before each attempt, by
// the fast path and by runs.

import { spentOf, worstOf } from "../../../shared/budget/cost.ts";
import {
  type Allowance,
  type Budgets,
  type JurorBudget,
  type KeyBudget,
  type TokenBudget,
  allowancesFor,
  jurorAllowances,
  tokenAllowance,
} from "../../../shared/budget/budgets.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import type { SamplingRequest } from "../../../shared/model/sampling.ts";
import { type SubjectRequest, isMessage } from "../../../shared/model/subject/subject.ts";
import { once } from "../../../shared/once.ts";
import type { ProviderError } from "../../../shared/model/call.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { overBudgetError, stoppedError, unverifiedError } from "../../../shared/provider/provider-error.ts";
import type { Candidate } from "../../../shared/routing/choose.ts";
import type { MessageInput } from "../../../shared/run/run-input.ts";
import { sizeOf } from "../../../shared/routing/price.ts";
import type { Stoppable } from "../../../shared/policy/stops.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { Permit, Permitted } from "../../providers/send.ts";
import { bindingBudgetsOf, budgetsInMemory } from "../../stores/documents.ts";
import { budgetStub } from "../../stubs/stubs.ts";
import { type Part, type ReserveResult, type ReservedPart, budgetSharesOf } from "./budget-shares.ts";
import { stopKnown, stopOf } from "./stops.ts";
import { enqueue } from "../record/write-behind.ts";

/** For whom something is to be done, and at which server. */
type Spender = {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly key: {
    readonly id: string;
    readonly owner: string | null;
    readonly budget?: KeyBudget | undefined;
    readonly token?: TokenBudget | undefined;
  };
  readonly server: string;
  /** Of a call that its caller makes, or of a tool that the gateway does. */
  readonly call?: Stoppable["call"];
  /** The policy's juror is asked about the call: it spends from its own budget. */
  readonly juror?: JurorBudget;
};

type Spending = Spender & {
  readonly request: SamplingRequest;
  /**
   * Where a candidate may cost more than is left of a budget: whether the next one may be asked.
   */
  readonly cheaperWithinBudget: boolean;
};

/** What a request spends, as its input has it. */
export const spendingOf = (
  { env, ctx }: Pick<Spending, "env" | "ctx">,
  { key, requestor, request, gatePolicy }: Pick<MessageInput, "key" | "requestor" | "request" | "gatePolicy">,
): Spending => ({ env, ctx, key, server: requestor.server, request, cheaperWithinBudget: gatePolicy.cheaperWithinBudget });

/** An attempt is over by then: the model's timeout, and some time to settle it. */
const leaseSlackMs = 30_000;

/**
 * Asked before each attempt. It answers at once where this isolate knows what is stopped and holds
 * shares of every budget: no more than that may stand between a busy key's request and its model.
 * @param mayShare More requests of this isolate follow, so that shares of the budgets are worth
 *   having.
 */
export function permitFor(spending: Spending, { mayShare }: { readonly mayShare: boolean }): Permit {
  const size = once(() => sizeOf(spending.request));
  return (candidate) => permittedHeld(spending, candidate, size) ?? permitted(spending, candidate, { size, mayShare });
}

/** Null where another object has to be asked. */
function permittedHeld(spending: Spending, candidate: Candidate, size: () => Size): Permitted | null {
  const { env, key, server, request } = spending;
  const now = Date.now();
  const stopped = stopKnown(spending, { key: key.id, server }, now);
  if (stopped === undefined) return null;
  if (stopped !== null) return err(stoppedError(stopped));
  const budgets = budgetsInMemory(env, now);
  if (budgets === null) return null;
  const parts = partsOf(allowancesIn(budgets, spending), candidate, size, request);
  if (parts.length === 0) return free;
  const reserved = budgetSharesOf(env).reserveHeld(parts, now);
  return reserved === null ? null : settledLater(spending, candidate, reserved);
}

async function permitted(spending: Spending, candidate: Candidate, { size, mayShare }: Reserving): Promise<Permitted> {
  const stopped = await notStopped(spending);
  if (!stopped.ok) return stopped;
  const allowances = await allowancesOf(spending).catch(unverified);
  if (allowances === null) return err(unverifiedError("overBudget"));
  const parts = partsOf(allowances, candidate, size, spending.request);
  return parts.length === 0 ? free : reserveAll(spending, candidate, parts, mayShare);
}

const free: Permitted = ok({ settle: () => {} });

function unverified(error: unknown): null {
  logEvent("budget.unverified", { error: errorClass(error) });
  return null;
}

/** Whether no operator has stopped it: asked before a model or a tool is. */
export async function notStopped(spending: Spender): Promise<Result<null, ReturnType<typeof stoppedError>>> {
  try {
    const { key, server, call } = spending;
    const stopped = await stopOf(spending, { key: key.id, server, call }, Date.now());
    return stopped === null ? ok(null) : err(stoppedError(stopped));
  } catch (error) {
    unverified(error);
    return err(unverifiedError("stopped"));
  }
}

type Whose = Pick<Spending, "key" | "server" | "juror">;

async function allowancesOf({ env, ctx, ...whose }: Whose & Pick<Spending, "env" | "ctx">): Promise<readonly Allowance[]> {
  const budgets = await bindingBudgetsOf(env, Date.now(), (work) => ctx.waitUntil(work));
  return allowancesIn(budgets, whose);
}

/** Of each version of the document, by key and server: a key's record does not change. */
const found = new WeakMap<Budgets, Map<string, readonly Allowance[]>>();
const mostFound = 10_000;

function allowancesIn(budgets: Budgets, { key, server, juror }: Whose): readonly Allowance[] {
  if (juror !== undefined) return jurorAllowances(budgets, juror);
  let known = found.get(budgets);
  if (known === undefined) found.set(budgets, (known = new Map()));
  const label = `${key.id} ${server}`;
  let allowances = known.get(label);
  if (allowances === undefined) {
    if (known.size >= mostFound) known.clear();
    allowances = allowancesFor(budgets, { key: key.id, owner: key.owner, keyBudget: key.budget ?? null, server });
    known.set(label, allowances);
  }
  return key.token === undefined ? allowances : [...allowances, tokenAllowance(key.token)];
}

type Size = ReturnType<typeof sizeOf>;
type Reserving = { readonly size: () => Size; readonly mayShare: boolean };

/** What costs nothing is not reserved: a free model is asked whatever is left. */
const partsOf = (allowances: readonly Allowance[], candidate: Candidate, size: () => Size, request: SamplingRequest): Part[] =>
  allowances.flatMap((allowance) => {
    const amount = worstOf(allowance.unit, candidate, size(), request);
    return amount > 0 ? [{ allowance, amount }] : [];
  });

/** The attempt may be sent; what it cost is settled when it is over. */
const settledLater = ({ env, ctx }: Spending, candidate: Candidate, reserved: readonly ReservedPart[]): Permitted =>
  ok({
    settle: (answer) => {
      for (const { allowance, amount, settle } of reserved) settle(spentOf(allowance.unit, candidate, answer, amount));
      // The flush sends what is settled, and gives the shares back where no other request follows.
      enqueue(env, ctx, {});
    },
  });

/** Reserves in every budget, or in none. */
async function reserveAll(spending: Spending, candidate: Candidate, parts: readonly Part[], mayShare: boolean): Promise<Permitted> {
  const { env, ctx } = spending;
  const all = await Promise.all(parts.map((part) => reserveIn(env, part, mayShare)));
  const reserved = all.flatMap(({ part, answer }) => (answer?.kind === "reserved" ? [{ ...part, settle: answer.settle }] : []));
  if (reserved.length === all.length) return settledLater(spending, candidate, reserved);
  for (const { settle } of reserved) settle({ spent: 0, unaccounted: 0 });
  if (reserved.length > 0) enqueue(env, ctx, {});
  return err(whyNot(all, spending.cheaperWithinBudget));
}

type PartAnswer = { readonly part: Part; readonly answer: ReserveResult | null };

function whyNot(all: readonly PartAnswer[], mayGoOn: boolean): ProviderError {
  for (const { part, answer } of all)
    if (answer?.kind === "usedUp") return overBudgetError({ name: part.allowance.budget, resetsAt: answer.endsAt }, mayGoOn);
  return unverifiedError("overBudget");
}

/**
 * From the share that this isolate holds, else from the object. `answer`: null where the object
 * cannot be asked.
 */
async function reserveIn(env: Env, part: Part, mayShare: boolean): Promise<PartAnswer> {
  const shares = budgetSharesOf(env);
  const now = Date.now();
  const [held] = shares.reserveHeld([part], now) ?? [];
  if (held !== undefined) return { part, answer: { kind: "reserved", settle: held.settle } };
  const leaseMs = settingsOf(env).modelTimeoutMs + leaseSlackMs;
  return { part, answer: await shares.reserve(part, { leaseMs, mayShare }, now).catch(unverified) };
}

/**
 * Whether a request that people are to review may be sent as things are: refused where it is
 * stopped, or where no model of it fits into its budgets. Nothing is reserved. Rejects where that
 * cannot be found out.
 */
export async function affordable(
  spending: Omit<Spending, "request"> & { readonly request: SubjectRequest },
  candidates: readonly Candidate[],
): Promise<Refusal | null> {
  const { env, key, server, request, call } = spending;
  const scope = await stopOf(spending, { key: key.id, server, call }, Date.now());
  if (scope !== null) return { kind: "stopped", scope };
  if (!isMessage(request)) return null;
  const allowances = await allowancesOf(spending);
  if (allowances.length === 0) return null;
  const size = sizeOf(request);
  const rests = await Promise.all(
    allowances.map(async (allowance) => {
      const { spent, unaccounted, reserved, endsAt } = await budgetStub(env, allowance).usage(allowance);
      return { allowance, left: allowance.limit - spent - unaccounted - reserved, endsAt };
    }),
  );
  const tooSmall = (candidate: Candidate) =>
    rests.find(({ allowance, left }) => worstOf(allowance.unit, candidate, size, request) > Math.max(0, left));
  const considered = spending.cheaperWithinBudget ? candidates : candidates.slice(0, 1);
  const short = considered.map(tooSmall);
  const [first] = short;
  return first === undefined || short.includes(undefined)
    ? null
    : { kind: "budgetUsedUp", budget: first.allowance.budget, resetsAt: first.endsAt };
}
