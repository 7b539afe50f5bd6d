// A server that asks for a token for the gateway's /v1 in the place of a reply, and what a host
// allows of that.

import { isObject, type Members } from "../shared/json/values.ts";
import type { Gateway } from "./gateway.ts";
import { objectIn } from "./rpc-messages.ts";

const FIELD = "countersign/v1Token";

/** What a server may have: never more, whatever it asks for. */
export type V1TokenAllowance = {
  /** US dollars that may be spent with one token, which is for one client request. */
  readonly maxUsd: number;
  /** How long it may be used; by default 300. */
  readonly seconds?: number;
  /** Ids of models; by default every model of the key. */
  readonly models?: readonly string[];
};

/**
 * The result for a server that asks for a token: undefined where it asks for none, the host allows
 * none, or the gateway gives none, so that the request is one for a reply.
 * @param origin Session and originating request, as the gateway has them.
 */
export async function v1TokenResult(
  gateway: Gateway,
  params: Members,
  allowed: V1TokenAllowance | undefined,
  origin: Members,
): Promise<Members | undefined> {
  const asked = objectIn(params, "_meta")[FIELD] ?? objectIn(params, "metadata")[FIELD];
  if (allowed === undefined || !isObject(asked)) return undefined;
  const token = await gateway.token({
    ...origin,
    maxUsd: least(asked["maxUsd"], allowed.maxUsd),
    seconds: least(asked["seconds"], allowed.seconds ?? 300),
    models: Array.isArray(asked["models"]) ? asked["models"].filter((model) => allowed.models?.includes(model) !== false) : allowed.models,
  });
  if (token === undefined) return undefined;
  const content = { type: "text", text: "A token for /v1 is in _meta." };
  return { role: "assistant", content, model: "countersign-token", stopReason: "endTurn", _meta: { [FIELD]: token } };
}

const least = (asked: unknown, allowed: number): number => (typeof asked === "number" ? Math.min(asked, allowed) : allowed);
