// The models that a caller of /v1 may use now.

import { cannotCarry } from "../../../shared/provider/carry.ts";
import type { SamplingRequest } from "../../../shared/model/sampling.ts";
import { chooseCandidates } from "../../../shared/routing/choose.ts";
import { V1_SERVER } from "../../../shared/wire/mcp-2025/meta.ts";
import { autoModel } from "../../../shared/wire/openai/openai-request.ts";
import { countCalls } from "../../pipeline/admit/calls.ts";
import { readyIn } from "../../pipeline/plan/plan-request.ts";
import { documentsOf } from "../../stores/documents.ts";
import type { AppContext } from "../app-context.ts";
import { callerOfV1, refuseV1 } from "./v1-caller.ts";

/** As OpenAI's API has it; `created` is not known here. */
type ListedModel = { readonly id: string; readonly object: "model"; readonly created: number; readonly owned_by: string };

/**
 * A small request of each kind that has an endpoint here: a model that can serve one of them is
 * listed.
 */
const samples: readonly SamplingRequest[] = [
  { kind: "chat", messages: [{ role: "user", content: [{ type: "text", text: "?" }] }], maxTokens: 1 },
  { kind: "embedding", messages: [{ role: "user", content: [{ type: "text", text: "?" }] }] },
];

/**
 * Answers with the models that can serve a request of the caller now, `auto` first. Refuses whom
 * `callerOfV1` refuses, and a key over its limit.
 */
export async function withModels(c: AppContext, answer: (list: readonly ListedModel[]) => Response): Promise<Response> {
  const caller = await callerOfV1(c);
  if (!caller.ok) return refuseV1(caller.error);
  const { record: key, claims } = caller.value;
  const uncounted = await countCalls(c.env, key);
  if (uncounted !== null) return refuseV1(uncounted);
  const { routing } = await documentsOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
  const found = new Map<string, ListedModel>([[autoModel, { id: autoModel, object: "model", created: 0, owned_by: "countersign" }]]);
  for (const request of samples) {
    const choice = chooseCandidates({
      table: routing,
      request,
      key,
      server: claims?.server ?? V1_SERVER,
      ready: readyIn(c.env),
      cannotCarry: (asked, of, provider) => cannotCarry(asked, of, provider.kind),
      ...(key.models === undefined ? {} : { onlyModels: key.models }),
    });
    for (const { model: each } of choice.ok ? choice.value.ranked : [])
      found.set(each.id, { id: each.id, object: "model", created: 0, owned_by: each.provider });
  }
  return answer([...found.values()]);
}
