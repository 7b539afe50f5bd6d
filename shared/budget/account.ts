// The arithmetic of one budget: what was spent, what is reserved, what is out in shares. Whole
// numbers; no clock, no storage.
//
// Everything is taken out of the budget before it may be spent, so what is spent never exceeds the
// budget, whatever becomes of a holder or of a message. What is never settled counts as spent,
// since a provider may have been paid: it is shown apart, as `unaccounted`.

/** An amount that was taken out of the budget and is not settled yet. */
export type Held = {
  /** Names it, once and for all. */
  readonly id: string;
  readonly amount: number;
  /** The beginning of the day or month that it counts for: Unix milliseconds. */
  readonly startsAt: number;
  /** By then it is settled, or its holder is gone: Unix milliseconds. */
  readonly until: number;
};

/** What was used in a day or month that began then. */
type Used = { readonly startsAt: number; readonly spent: number; readonly unaccounted: number };

/** `used`: newest last. */
export type Account = { readonly used: readonly Used[]; readonly held: readonly Held[] };

export const emptyAccount: Account = { used: [], held: [] };

/**
 * The end of an amount that was held: what of it was spent for sure, what may have been, and what a
 * share's holder still has under way.
 */
export type Settlement = {
  readonly id: string;
  readonly spent: number;
  readonly unaccounted: number;
  readonly underWay: readonly { readonly id: string; readonly amount: number }[];
};

/** Periods of which the use is kept. */
const mostPeriods = 62;
/**
 * A holder that comes back so late is not believed any more: what it had is unaccounted for good.
 */
const lateMs = 60 * 60_000;

const usedIn = ({ used }: Account, startsAt: number): Used =>
  used.find((each) => each.startsAt === startsAt) ?? { startsAt, spent: 0, unaccounted: 0 };

/**
 * A budget in one period: `reserved` is held by holders that may still settle it, `unaccounted`
 * counts as spent.
 */
export type Usage = { readonly spent: number; readonly unaccounted: number; readonly reserved: number };

export function usage(account: Account, startsAt: number, now: number): Usage {
  const { spent, unaccounted } = usedIn(account, startsAt);
  const sum = { spent, unaccounted, reserved: 0 };
  for (const held of account.held) {
    if (held.startsAt !== startsAt) continue;
    if (held.until > now) sum.reserved += held.amount;
    else sum.unaccounted += held.amount;
  }
  return sum;
}

/** What may still be taken out of a budget of `limit` in the period. */
export function left(account: Account, limit: number, startsAt: number): number {
  const { spent, unaccounted } = usedIn(account, startsAt);
  const held = account.held.reduce((sum, each) => (each.startsAt === startsAt ? sum + each.amount : sum), 0);
  return Math.max(0, limit - spent - unaccounted - held);
}

/**
 * Takes an amount out of the budget; null where it is more than is left. Twice with one id is the
 * same as once.
 */
export function reserve(account: Account, wanted: Held, limit: number): Account | null {
  const known = account.held.find(({ id }) => id === wanted.id);
  if (known !== undefined) return known.amount >= wanted.amount ? account : null;
  if (wanted.amount > left(account, limit, wanted.startsAt)) return null;
  return { ...account, held: [...account.held, wanted] };
}

/** A share is at most this part of what is left. */
const partOfRest = 4;

/** How much a share may have at most: a quarter of what is left, and no more than was wanted. */
export const shareOf = (account: Account, wanted: number, limit: number, startsAt: number): number =>
  Math.min(Math.floor(left(account, limit, startsAt) / partOfRest), wanted);

/**
 * Settles what was held. One that comes again, or names nothing that is held, changes nothing. More
 * may have been spent than was held, where a provider counts more tokens than the worst case has.
 */
export function settle(account: Account, { id, spent, unaccounted, underWay }: Settlement): Account {
  const given = account.held.find((each) => each.id === id);
  if (given === undefined) return account;
  const others = account.held.filter((each) => each !== given);
  const still = underWay.map((each) => ({ ...each, startsAt: given.startsAt, until: given.until }));
  return { used: add(account, given.startsAt, { spent, unaccounted }), held: [...others, ...still] };
}

function add(account: Account, startsAt: number, more: Pick<Used, "spent" | "unaccounted">): Used[] {
  const before = usedIn(account, startsAt);
  const now = { startsAt, spent: before.spent + more.spent, unaccounted: before.unaccounted + more.unaccounted };
  const others = account.used.filter((each) => each.startsAt !== startsAt);
  return [...others, now].toSorted((a, b) => a.startsAt - b.startsAt).slice(-mostPeriods);
}

/** Writes off what nobody settled for an hour after its time: it counts as spent from then on. */
export function writeOff(account: Account, now: number): Account {
  const late = account.held.filter(({ until }) => until + lateMs <= now);
  if (late.length === 0) return account;
  let { used } = account;
  for (const { startsAt, amount } of late) used = add({ used, held: [] }, startsAt, { spent: 0, unaccounted: amount });
  return { used, held: account.held.filter((each) => !late.includes(each)) };
}

/**
 * Whether a budget, with what is spent of it for good, refuses an amount. One that may cost more
 * than the whole budget says nothing of what is left.
 */
export function isTooLittle({ spent, unaccounted }: Pick<Usage, "spent" | "unaccounted">, limit: number, wanted: number): boolean {
  const rest = limit - spent - unaccounted;
  return rest <= 0 || (wanted <= limit && wanted > rest);
}

/** The parts of a budget that its operators hear of, in percent. */
const toldPercents = [80, 100] as const;

/** The highest of `toldPercents` that is used; 0 where none is. An empty budget is always used. */
export function percentReached({ spent, unaccounted }: Pick<Usage, "spent" | "unaccounted">, limit: number): number {
  const used = spent + unaccounted;
  return toldPercents.findLast((percent) => used * 100 >= limit * percent) ?? 0;
}
