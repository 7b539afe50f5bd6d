// Wakes the object that tells operators what is wrong, where the policy says who is to hear.

import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { alertStub } from "../stubs/stubs.ts";
import { policyOf } from "./documents.ts";

/** Whether anybody is to hear of anything. Throws as `documentsOf` does. */
export const hasAlerts = async (env: Env, now: number, background: (work: Promise<unknown>) => void): Promise<boolean> =>
  (await policyOf(env, now, background)).alerts !== undefined;

/** Never throws: the next failure and the cron trigger look again. */
export async function lookForAlerts(env: Env, now: number, background: (work: Promise<unknown>) => void): Promise<void> {
  try {
    if (await hasAlerts(env, now, background)) await alertStub(env).look();
  } catch (error) {
    logEvent("alert.lookFailed", { error: errorClass(error) });
  }
}
