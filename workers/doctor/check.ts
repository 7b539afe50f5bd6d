// The result of one check of this gateway's configuration: one or two plain sentences on a line. A
// text never has a secret, a token, a key, an address of a person, a provider or a webhook, or a
// prompt; it names variables and JSON pointers into documents.

import type { Env } from "../platform/env.ts";
import type { Check } from "../stubs/config-calls.ts";
import { type DoctorPhrase, doctorText } from "../../shared/words/doctor.ts";
import type { PhraseValue } from "../../shared/words/text.ts";
import { isLoopbackHost } from "../../shared/this-machine.ts";
import { settingsOf } from "../platform/settings.ts";

export type { Check } from "../stubs/config-calls.ts";

/** What is said without a value. */
type PlainKey = Extract<DoctorPhrase, { readonly values?: never }>["key"];

/** A variable's or a channel's name, or a phrase. */
export type Title = DoctorPhrase | { readonly name: string };

function checkOf(state: Check["state"], title: Title, said: PlainKey | DoctorPhrase): Check {
  const says = typeof said === "string" ? { key: said } : said;
  const check = "name" in title ? title.name : doctorText(title);
  return { check, state, text: doctorText(says), ...("name" in title ? {} : { title }), says };
}

export const good = (title: Title, said: PlainKey | DoctorPhrase): Check => checkOf("good", title, said);
export const note = (title: Title, said: PlainKey | DoctorPhrase): Check => checkOf("note", title, said);
export const fix = (title: Title, said: PlainKey | DoctorPhrase): Check => checkOf("fix", title, said);

/** Whether PUBLIC_URL is a loopback address: the gateway runs on the operator's own machine. */
export function isOnThisMachine(env: Env): boolean {
  const { publicUrl } = settingsOf(env);
  return publicUrl !== undefined && isLoopbackHost(new URL(publicUrl).hostname);
}

/**
 * How to set these variables, as a clause. `secret put` also serves for a variable that is no
 * secret.
 */
export const howToSet = (env: Env, names: readonly string[]): DoctorPhrase =>
  isOnThisMachine(env)
    ? { key: "putLocally", values: { variables: listed(names.map((name) => `${name}=…`)) } }
    : { key: "putSecrets", values: { commands: listed(names.map((name) => `\`npx wrangler secret put ${name}\``)) } };

/** Of more than `most`, the first ones and a count. */
export const listed = (items: readonly PhraseValue[], most = 20): readonly PhraseValue[] =>
  items.length > most ? [...items.slice(0, most - 1), { key: "more", values: { n: items.length - most + 1 } }] : items;

const groupTimeoutMs = 15_000;
/** For one call: longer than the call's own timeout, and shorter than the timeout of its group. */
const callTimeoutMs = 12_000;

/**
 * Runs the checks. One that throws or takes too long becomes one line, so that the other checks are
 * still reported.
 */
export async function guarded(
  title: Title,
  work: () => Promise<readonly Check[]> | readonly Check[],
  limitMs = groupTimeoutMs,
): Promise<readonly Check[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<readonly Check[]>((resolve) => {
    timer = setTimeout(() => resolve([fix(title, { key: "late", values: { seconds: limitMs / 1000 } })]), limitMs);
  });
  try {
    const working = (async () => work())();
    working.catch(() => {});
    return await Promise.race([working, late]);
  } catch {
    // The error's message is not shown: it may quote a secret or a person's address.
    return [fix(title, "broken")];
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The same for one outside call. The call has a timeout of its own; this one is for a call that
 * ignores it.
 */
export const guardedCall = (title: Title, work: () => Promise<Check>): Promise<readonly Check[]> =>
  guarded(title, async () => [await work()], callTimeoutMs);
