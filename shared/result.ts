// An expected failure is a value. `throw` is left for what cannot happen.

export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });
export const err = <E>(error: E): { readonly ok: false; readonly error: E } => ({ ok: false, error });

/** Marks a switch as exhaustive: a new member of a union becomes a type error here. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${typeof value}`);
}
