// An attack: what somebody tries, what must hold all the same, and a check that can fail.

import type { World } from "./world.ts";

export type Attack = {
  /** What is tried, as a sentence that names what must not come of it. Unique in its area. */
  readonly name: string;
  /** A fault of what the gateway depends on, which nobody need have caused; absent: an attack. */
  readonly isFault?: true;
  /** Resolves where it was refused or withstood. Throws a `Breach` where it got through, anything else where it could not be tried. */
  readonly run: (world: World) => Promise<void>;
};

export type Area = {
  readonly name: string;
  readonly about: string;
  /** Made once the world is there. */
  readonly attacks: readonly Attack[];
};

/** An attack got through. */
export class Breach extends Error {
  override readonly name = "Breach";
}

/** Throws a `Breach` where this does not hold. */
export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Breach(otherwise);
}

const shortened = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)} … (${text.length} characters)` : text);

/** Throws a `Breach` unless the two are equal as JSON. */
export function mustEqual(found: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  must(a === b, `${what}: ${shortened(String(a))} and not ${shortened(String(b))}`);
}

/** Throws a `Breach` where the text has this in it. */
export function mustNotHave(text: string, part: string, where: string): void {
  must(!text.includes(part), `${where} has ${JSON.stringify(part)}: ${shortened(text.slice(Math.max(0, text.indexOf(part) - 120)))}`);
}

/** One attack for each row of a table. */
export const eachOf = <T>(rows: readonly T[], make: (row: T) => Attack): Attack[] => rows.map(make);

/** Looks again and again until there is something; the end is far off, so that a busy machine does not reach it. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
): Promise<T> {
  const until = Date.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > until) throw new Error(`never seen: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}
