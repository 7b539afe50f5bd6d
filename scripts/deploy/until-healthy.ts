// Waits until a deployed gateway answers: a new address takes seconds to minutes until it leads
// there.

import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";

const healthSchema = z.object({ status: z.enum(["ok", "degraded", "down"]), problems: z.array(z.string()) });

export type Health =
  | { readonly kind: "serves"; readonly status: "ok" | "degraded" }
  | { readonly kind: "down"; readonly problems: readonly string[] }
  | { readonly kind: "silent" };

const betweenMs = 1_000;
const toldEveryMs = 20_000;
/** For so long a gateway that is down may be the version before. */
const downMs = 10_000;

/** Asks until the gateway serves or the time is over; what it answered last counts then. */
export async function untilHealthy(url: string, waitSeconds: number, tell: (text: string) => void): Promise<Health> {
  const started = Date.now();
  let toldAt = started;
  let downSince: number | null = null;
  for (;;) {
    const health = await ask(url);
    downSince = health.kind === "down" ? (downSince ?? Date.now()) : null;
    const isOver = Date.now() - started > waitSeconds * 1_000 || (downSince !== null && Date.now() - downSince > downMs);
    if (health.kind === "serves" || isOver) return health;
    if (Date.now() - toldAt > toldEveryMs) {
      tell(`Waiting for ${url}/healthz …`);
      toldAt = Date.now();
    }
    await pause(betweenMs);
  }
}

async function ask(url: string): Promise<Health> {
  try {
    const response = await fetch(`${url}/healthz`, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
    const { status, problems } = healthSchema.parse(await response.json());
    return status === "down" ? { kind: "down", problems } : { kind: "serves", status };
  } catch {
    return { kind: "silent" };
  }
}
