// The plan of a request: which models, which gates. No object is asked and nothing is reserved.

import type { Refusal } from "../../../shared/model/outcome.ts";
import { type Result, err } from "../../../shared/result.ts";
import { mayMaskReply } from "../../../shared/run/masked-reply.ts";
import { type Plan, planRun } from "../../../shared/run/plan.ts";
import { mayReviewReply, stagesOf } from "../../../shared/run/stages.ts";
import type { ReasonPhrase } from "../../../shared/words/reasons.ts";
import { isolateState } from "../../platform/isolate.ts";
import { lookupIn } from "../../platform/lookup.ts";
import { providerReady } from "../../providers/ready.ts";
import { ConfigurationUnavailable, documentsOf } from "../../stores/documents.ts";
import { timed } from "../../telemetry/begin-trace.ts";
import type { PipelineRequest } from "../pipeline-request.ts";

type Planned = Pick<PipelineRequest, "env" | "ctx" | "key" | "endpoint" | "requestor" | "request" | "call" | "terms" | "trace">;

/**
 * The plan by the documents that serve now. Refused: by the policy, without a model, or where the
 * documents cannot be read.
 */
export const planFor = ({ env, ctx, key, endpoint, requestor, request, call, terms, trace }: Planned): Promise<Result<Plan, Refusal>> =>
  timed(trace, "plan", async () => {
    try {
      const documents = await documentsOf(env, Date.now(), (work) => ctx.waitUntil(work));
      return planRun({
        ...documents,
        request,
        endpoint,
        requestor,
        key,
        ready: readyIn(env),
        now: Date.now(),
        ...(call === undefined ? {} : { call }),
        ...(terms?.once === undefined ? {} : { once: terms.once }),
      });
    } catch (error) {
      if (error instanceof ConfigurationUnavailable) return err({ kind: "configurationUnavailable" });
      throw error;
    }
  });

/** Whether what comes of a call may be reviewed or masked, of a call that its caller makes. */
export const mayKeepResult = (plan: Plan): boolean =>
  mayReviewReply(stagesOf({ ...plan, act: "release" })) || mayMaskReply(plan.redaction === null ? {} : { redaction: plan.redaction });

/**
 * Why a provider cannot be used here; undefined where it can. An isolate's environment does not
 * change: each provider is checked once.
 */
export const readyIn = isolateState((env) => {
  const lookup = lookupIn(env);
  const judged = new WeakMap<object, ReasonPhrase | undefined>();
  return (provider: Parameters<typeof providerReady>[0]): ReasonPhrase | undefined => {
    if (!judged.has(provider)) {
      const verdict = providerReady(provider, lookup);
      judged.set(provider, verdict.ok ? undefined : verdict.error);
    }
    return judged.get(provider);
  };
});
