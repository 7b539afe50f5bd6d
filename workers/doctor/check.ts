// The result of one check of this gateway's configuration: one or two plain sentences on a line. A
// text never has a secret, a token, a key, an address of a person, a provider or a webhook, or a
// prompt; it names variables and JSON pointers into documents.

import type { Env } from "../platform/env.ts";
import { isLoopbackHost } from "../../shared/address.ts";
import { settingsOf } from "../platform/settings.ts";

/** `fix`: something does not work. `note`: it works, and an operator should know. */
export type Check = { readonly check: string; readonly state: "good" | "note" | "fix"; readonly text: string };

export const good = (check: string, text: string): Check => ({ check, state: "good", text });
export const note = (check: string, text: string): Check => ({ check, state: "note", text });
export const fix = (check: string, text: string): Check => ({ check, state: "fix", text });

/** Whether PUBLIC_URL is a loopback address: the gateway runs on the operator's own machine. */
export function isOnThisMachine(env: Env): boolean {
  const { publicUrl } = settingsOf(env);
  return publicUrl !== undefined && isLoopbackHost(new URL(publicUrl).hostname);
}

/**
 * How to set these variables, as a clause. `secret put` also serves for a variable that is no
 * secret.
 */
export const howToSet = (env: Env, names: readonly string[]): string =>
  isOnThisMachine(env)
    ? `add ${listed(names.map((name) => `${name}=…`))} to .dev.vars and restart the gateway`
    : `run ${listed(names.map((name) => `\`npx wrangler secret put ${name}\``))}`;

/** "a", "a and b", "a, b and c"; of more than `most`, the first ones and a count. */
export function listed(words: readonly string[], most = 20): string {
  const shown = words.length > most ? [...words.slice(0, most - 1), `${words.length - most + 1} more`] : [...words];
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

const groupTimeoutMs = 15_000;
/** For one call: longer than the call's own timeout, and shorter than the timeout of its group. */
const callTimeoutMs = 12_000;

/**
 * Runs the checks. One that throws or takes too long becomes one line, so that the other checks are
 * still reported.
 */
export async function guarded(
  check: string,
  work: () => Promise<readonly Check[]> | readonly Check[],
  limitMs = groupTimeoutMs,
): Promise<readonly Check[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly Check[]>((resolve) => {
    timer = setTimeout(() => resolve([fix(check, `This check did not finish within ${limitMs / 1000} seconds; try again.`)]), limitMs);
  });
  try {
    const working = (async () => work())();
    working.catch(() => {});
    return await Promise.race([working, late]);
  } catch {
    // The error's message is not shown: it may quote a secret or a person's address.
    return [fix(check, "This could not be checked, because of an error in the gateway or its storage; try again.")];
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The same for one outside call. The call has a timeout of its own; this one is for a call that
 * ignores it.
 */
export const guardedCall = (check: string, work: () => Promise<Check>): Promise<readonly Check[]> =>
  guarded(check, async () => [await work()], callTimeoutMs);
