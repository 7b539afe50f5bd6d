// Tries attacks one after the other, and says of each whether it was refused.

import { type Area, type Attack, Breach, must, mustEqual } from "./attack.ts";
import { type World, isAlive } from "./world.ts";

/** `through`: it got through, or the gateway did not survive it; `untried`: the attempt itself failed, and shows nothing. */
export type Verdict = "refused" | "through" | "untried";

export type Tried = {
  readonly area: string;
  readonly name: string;
  readonly isFault: boolean;
  readonly verdict: Verdict;
  /** What was found where it was not refused. */
  readonly why?: string;
  readonly milliseconds: number;
};

const mostMs = 120_000;

/** Tries one attack. After it the gateway must be healthy, and nothing may have been reached inside. */
async function attempt(world: World, { name, isFault, run }: Attack, area: string): Promise<Tried> {
  const began = Date.now();
  const done = (verdict: Verdict, why?: string): Tried => ({
    area,
    name,
    isFault: isFault === true,
    verdict,
    ...(why === undefined ? {} : { why }),
    milliseconds: Date.now() - began,
  });
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Breach(`no end after ${mostMs / 1_000} s`)), mostMs);
  });
  try {
    await Promise.race([run(world), tooLong]);
    must(await isAlive(world), "the gateway does not answer any more, or is not healthy");
    mustEqual(world.trap.reached, [], "requests that reached a server inside");
    return done("refused");
  } catch (error) {
    world.trap.reached.length = 0;
    return error instanceof Breach
      ? done("through", error.message)
      : done("untried", error instanceof Error ? (error.stack ?? error.message) : String(error));
  } finally {
    clearTimeout(timer);
    world.model.reset();
  }
}

export type Chosen = {
  /** Only attacks with one of these in `area: name`; empty: all. */
  readonly only: readonly string[];
  /** Told of each attack when it is over. */
  readonly onTried?: (tried: Tried, index: number, count: number) => void;
};

export const isChosen = (only: readonly string[], area: string, name: string): boolean =>
  only.length === 0 || only.some((part) => `${area}: ${name}`.includes(part));

/** Tries every chosen attack of these areas, in their order. */
export async function runAttacks(world: World, areas: readonly Area[], { only, onTried }: Chosen): Promise<Tried[]> {
  const chosen = areas.flatMap(({ name: area, attacks }) =>
    attacks.filter(({ name }) => isChosen(only, area, name)).map((attack) => ({ area, attack })),
  );
  const tried: Tried[] = [];
  for (const { area, attack } of chosen) {
    const result = await attempt(world, attack, area);
    tried.push(result);
    onTried?.(result, tried.length, chosen.length);
  }
  return tried;
}

/** Throws where two attacks have one name: a table that counts one twice. */
export function mustBeDistinct(areas: readonly Area[]): void {
  const names = areas.flatMap(({ name: area, attacks }) => attacks.map(({ name }) => `${area}: ${name}`));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  must(twice.length === 0, `the same attack twice: ${twice.join("; ")}`);
}
