// The response about a call that its sender waits with, held until people have decided.

import type { Outcome, Refusal } from "../../../shared/model/outcome.ts";
import { type Result, err } from "../../../shared/result.ts";
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
import type { AppContext } from "../app-context.ts";

/** The body of a known key's request. */
export async function bodyOf<Schema extends z.ZodType>(c: AppContext, schema: Schema): Promise<Result<z.infer<Schema>, Refusal>> {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header("Content-Type") ?? "")) return err({ kind: "notJsonType" });
  const tooMany = mayRead(c.var.key, Date.now());
  if (tooMany !== null) return err(tooMany);
  const { bodyBytes } = c.var.key.limits ?? defaultLimits;
  const read = await readBody(c.req.raw, bodyBytes);
  if (read === "tooLarge") return err({ kind: "tooLarge", limitBytes: bodyBytes });
  return read === "notUtf8" ? err({ kind: "notJson" }) : readExactly(schema, read.text);
}

type Answering = {
  /** `run`: its id; null where there is none. */
  readonly encode: (outcome: Outcome, run: string | null) => object;
  readonly refuse: (refusal: Refusal) => Response;
  /** As server-sent events: comments, and one event. */
  readonly asEvents?: boolean;
  /** How long the sender waits at most, and what it is told then; the review goes on. */
  readonly hold?: { readonly milliseconds: number; readonly answer: object };
};

/** The answer where it is there; else white space or comments until it is. */
export async function answerDecision(
  c: AppContext,
  started: Started,
  { encode, refuse, asEvents = false, hold }: Answering,
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
        return encode(await signed(await awaitRun(c.env, started.run, () => {}, over)), run);
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
