// The first API key of a gateway.

import { z } from "zod";
import type { Target } from "../target.ts";
import { DeployError } from "./deploy-error.ts";

const listSchema = z.object({ keys: z.array(z.looseObject({ id: z.string(), revokedAt: z.unknown() })) });
const madeSchema = z.object({ id: z.string(), key: z.string() });

async function ask({ url, adminToken }: Target, init: RequestInit = {}): Promise<unknown> {
  const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };
  const response = await fetch(`${url}/admin/keys`, { ...init, headers, redirect: "manual", signal: AbortSignal.timeout(30_000) });
  if (!response.ok)
    throw new DeployError(
      `The gateway answered ${response.status} to ${init.method ?? "GET"} /admin/keys. It is deployed; make a key as docs/operations.md says.`,
    );
  return response.json();
}

/** How many keys the gateway has, those that were revoked too. */
export const keyCount = async (target: Target): Promise<number> => listSchema.parse(await ask(target)).keys.length;

/** Makes a key with the default limits. Nobody can read it again. */
export async function makeFirstKey(target: Target): Promise<z.infer<typeof madeSchema>> {
  return madeSchema.parse(await ask(target, { method: "POST", body: JSON.stringify({ name: "first" }) }));
}
