// What a check of this gateway's configuration comes to: one line of plain words. A text never holds a secret, a token, a key, an
// address of a person, a prompt, or the address of a provider or a webhook; it names variables and places in documents.

import type { Env } from "../platform/env.ts";
import { isLoopbackHost } from "../../shared/address.ts";
import { settingsOf } from "../platform/settings.ts";

/** `mend`: something does not work as it is. `note`: it works, and somebody should know. */
export type Check = { readonly check: string; readonly state: "good" | "note" | "mend"; readonly text: string };

export const good = (check: string, text: string): Check => ({ check, state: "good", text });
export const note = (check: string, text: string): Check => ({ check, state: "note", text });
export const fix = (check: string, text: string): Check => ({ check, state: "mend", text });

/** Whether the gateway runs on one's own machine, as PUBLIC_URL says. */
export function isOnThisMachine(env: Env): boolean {
  const { publicUrl } = settingsOf(env);
  return publicUrl !== undefined && isLoopbackHost(new URL(publicUrl).hostname);
}

/** How these variables are set, as a clause. What is a secret and what is not is the same command: a secret serves for both. */
export const howToSet = (env: Env, names: readonly string[]): string =>
  isOnThisMachine(env)
    ? `add ${listed(names.map((name) => `${name}=…`))} to .dev.vars and start again`
    : `run ${listed(names.map((name) => `\`npx wrangler secret put ${name}\``))}`;

/** "a", "a and b", "a, b and c"; of more than `most`, the first ones and a count. */
export function listed(words: readonly string[], most = 20): string {
  const shown = words.length > most ? [...words.slice(0, most - 1), `${words.length - most + 1} more`] : [...words];
  const last = shown.pop() ?? "";
  return shown.length === 0 ? last : `${shown.join(", ")} and ${last}`;
}

const patienceMs = 15_000;
/** For one call: longer than each has by itself, and shorter than the patience for all of a kind. */
const patienceWithCallMs = 12_000;

/** The checks, or one line where finding out failed or took too long: a doctor who cannot see one thing still tells the others. */
export async function guarded(
  check: string,
  work: () => Promise<readonly Check[]> | readonly Check[],
  limitMs = patienceMs,
): Promise<readonly Check[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly Check[]>((resolve) => {
    timer = setTimeout(() => resolve([fix(check, `There was no end to this check within ${limitMs / 1000} seconds; try again.`)]), limitMs);
  });
  try {
    const working = (async () => work())();
    working.catch(() => {});
    return await Promise.race([working, late]);
  } catch {
    // Of the error nothing is told: its message may quote what it choked on.
    return [fix(check, "This could not be checked, for a fault of the gateway or of its storage; try again.")];
  } finally {
    clearTimeout(timer);
  }
}

/** The same for one outside call, which has a limit of its own: this is for what ignores it. */
export const guardedCall = (check: string, work: () => Promise<Check>): Promise<readonly Check[]> =>
  guarded(check, async () => [await work()], patienceWithCallMs);
