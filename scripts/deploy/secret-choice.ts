// Which secrets a deployment sets, and where their values come from. Pure: random texts and the
// environment are passed in.

import { secretError, secretErrorWords } from "../../shared/secret-error.ts";
import { type Result, err, ok } from "../../shared/result.ts";

/**
 * Those that a new gateway gets: nobody has to know them to use it, so they are made where they are
 * not given.
 */
const own = ["LINK_KEY", "ADMIN_TOKEN", "CONTENT_KEY"] as const;
/**
 * Without these a gateway is down, or has no operator. CONTENT_KEY is left to whoever runs a
 * gateway without it.
 */
const needed: ReadonlySet<string> = new Set(["LINK_KEY", "ADMIN_TOKEN"]);

export type SecretChoice = {
  /** What is sent to Cloudflare, by name. */
  readonly set: Readonly<Record<string, string>>;
  /** Those of `set` that were made here. */
  readonly made: readonly string[];
};

type Given = {
  /** Those that the gateway has. */
  readonly there: ReadonlySet<string>;
  readonly isNew: boolean;
  /** Made by an earlier run that did not come to its end. */
  readonly kept: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Named with --secret, and answers of a person, by name. */
  readonly asked: Readonly<Record<string, string>>;
  /** Makes a random secret; null where none may be made, because nobody would see it again. */
  readonly random: (() => string) | null;
};

/** Refused, in a sentence without a full stop: a secret that is missing or is none. */
export function chooseSecrets({ there, isNew, kept, environment, asked, random }: Given): Result<SecretChoice, string> {
  const set: Record<string, string> = { ...asked };
  const made: string[] = [];
  for (const name of own) {
    if (set[name] !== undefined || there.has(name) || !(isNew || needed.has(name))) continue;
    const value = environment[name] || kept[name];
    if (value !== undefined) set[name] = value;
    else if (random !== null) {
      set[name] = random();
      made.push(name);
    } else if (needed.has(name))
      return err(
        `${name} is not set, and here none is made, because nobody could read it again: put a random text in the environment variable ${name} (\`openssl rand -base64 32\`), keep a copy, and run npm run deploy again`,
      );
  }
  for (const [name, value] of Object.entries(set)) {
    const error = secretError(value);
    // Others' credentials have lengths of their own.
    const isOwn = (own as readonly string[]).includes(name);
    if (error !== null && (isOwn || error === "empty"))
      return err(`${name} ${secretErrorWords[error]}: use a random text of 32 characters or more (\`openssl rand -base64 32\`)`);
  }
  const same = Object.entries(set).find(([name, value]) => Object.entries(set).some(([other, text]) => other !== name && text === value));
  if (same !== undefined) return err(`${same[0]} is the same as another secret: use one text for each`);
  return ok({ set, made });
}
