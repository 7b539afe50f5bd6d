// The response about a call that its sender waits with, held until people have decided.

import { readJsonOf } from "../../../shared/json/json-of.ts";
import type { Outcome, Refusal } from "../../../shared/model/outcome.ts";
import { type Result, err } from "../../../shared/result.ts";
import type { RequestRef } from "../../../shared/run/run-input.ts";
import { readExactly } from "../../../shared/wire/approvals/approval-request.ts";
import { defaultCodec } from "../../../shared/wire/mcp-codecs.ts";
import type * as z from "zod";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import { readBody } from "../../http/body.ts";
import { jsonResponse } from "../../http/json-response.ts";
import { endingWith, keepAliveEvents, keepAliveJson, keptAlive } from "../../http/keep-alive.ts";
import { mayRead } from "../../pipeline/admit/calls.ts";
import type { Started } from "../../pipeline/pipeline-request.ts";
import { signedOutcome } from "../../pipeline/receipts.ts";
import { countOpening } from "../../pipeline/wait/key-watch.ts";
import { awaitRun } from "../../pipeline/wait/wait.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { Claim } from "../../stubs/run-calls.ts";
import { runStub } from "../../stubs/stubs.ts";
import type { AppContext } from "../app-context.ts";

/** The body of a known key's request. `exact`: as `readExactly` has it. */
export async function bodyOf<Schema extends z.ZodType>(
  c: AppContext,
  schema: Schema,
  exact?: { readonly digits: boolean },
): Promise<Result<z.infer<Schema>, Refusal>> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header("Content-Type") ?? "")) return err({ kind: "notJsonType" });
  const tooMany = mayRead(c.var.key, Date.now());
  if (tooMany !== null) return err(tooMany);
  const { bodyBytes } = c.var.key.limits ?? defaultLimits;
  const read = await readBody(c.req.raw, bodyBytes);
  if (read === "tooLarge") return err({ kind: "tooLarge", limitBytes: bodyBytes });
  return read === "notUtf8" ? err({ kind: "notJson" }) : readExactly(schema, read.text, exact);
}

type Answering = {
  /** `run`: its id; null where there is none. */
  readonly encode: (outcome: Outcome, run: string | null) => object;
  readonly refuse: (refusal: Refusal) => Response;
  /** As server-sent events: comments, and one event. */
  readonly asEvents?: boolean;
  /** How long the sender waits at most, and what it is told then; the review goes on. */
  readonly hold?: { readonly milliseconds: number; readonly answer: object };
  /** By which an approval is claimed whose result comes back. */
  readonly requestRef?: RequestRef;
};

/** The answer where it is there; else white space or comments until it is. */
export async function answerDecision(
  c: AppContext,
  started: Started,
  { encode, refuse, asEvents = false, hold, requestRef }: Answering,
): Promise<Response> {
  const signed = (outcome: Outcome): Promise<Outcome> => signedOutcome(c.env, outcome, defaultCodec.encode);
  if (started.kind === "answered" && !asEvents) return jsonResponse(encode(await signed(started.outcome), null));
  const opened = await countOpening(c.env, c.var.key, false);
  if (!opened.ok) return refuse(opened.error);
  const run = started.kind === "run" ? started.run : null;
  const response = keptAlive<object>(c.req.raw.signal, {
    work: async (_onProgress, left) => {
      if (started.kind !== "run") return encode(await signed(await started.outcome), null);
      const over = hold === undefined ? left : AbortSignal.any([left, AbortSignal.timeout(hold.milliseconds)]);
      try {
        const { outcome, returnsResult } = await decided(c, started.run, over, requestRef);
        return { ...encode(await signed(outcome), run), ...(returnsResult ? { returnsResult } : {}) };
      } catch (error) {
        if (hold !== undefined && over.aborted && !left.aborted) return hold.answer;
        throw error;
      }
    },
    broken: (quote) => encode({ kind: "broken", quote }, run),
    encode: (answer) => JSON.stringify(answer),
    heartbeatMs: settingsOf(c.env).heartbeatMs,
  });
  const counted = endingWith(response, opened.value);
  return asEvents ? keepAliveEvents(counted, undefined) : keepAliveJson(counted);
}

type Decided = { readonly outcome: Outcome; readonly returnsResult?: true };

/**
 * The run's outcome. An approval whose result comes back is claimed, and the run goes on without
 * its caller.
 */
async function decided(c: AppContext, run: string, over: AbortSignal, requestRef: RequestRef | undefined): Promise<Decided> {
  const released = Promise.withResolvers<"released">();
  const claimed = new AbortController();
  const watching = AbortSignal.any([over, claimed.signal]);
  const ended = awaitRun(c.env, run, (state) => state === "generating" && released.resolve("released"), watching);
  ended.catch(() => {});
  const first = await Promise.race([ended, released.promise]);
  // The same request again, once its result was brought: its approval is used up.
  const isUsedUp = requestRef !== undefined && first !== "released" && first.kind === "ran";
  if (isUsedUp) return { outcome: { kind: "refused", refusal: { kind: "noLongerKept" } } };
  if (first !== "released") return { outcome: first };
  if (requestRef === undefined || over.aborted) return { outcome: await ended };
  const claim: Claim = readJsonOf(await runStub(c.env, run).claim(requestRef, true));
  if (claim.kind !== "claimed") return { outcome: claim.kind === "ended" ? await ended : { kind: "cancelled" } };
  claimed.abort();
  return { outcome: { ...claim.approved, receiptFacts: claim.receipt }, returnsResult: true };
}
