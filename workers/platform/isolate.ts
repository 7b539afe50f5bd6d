// What this isolate keeps between requests. Every part that keeps something names it here, so that
// all of it is known, and begins anew in one call. The platform ends isolates at any time: nothing
// that is promised may depend on what is kept.

import type { Env } from "./env.ts";

const resets: (() => void)[] = [];

/** Begins anew, as in a new isolate: for tests. */
export function resetIsolate(): void {
  for (const reset of resets) reset();
}

/**
 * State of this isolate, made when it is first asked for.
 * @param keyOf What it belongs to: the environment, which does not change while an isolate lives.
 */
export function isolateState<T>(make: (env: Env) => T, keyOf: (env: Env) => object = (env) => env): (env: Env) => T {
  let states = new WeakMap<object, { readonly value: T }>();
  resets.push(() => {
    states = new WeakMap();
  });
  return (env) => {
    let state = states.get(keyOf(env));
    if (state === undefined) states.set(keyOf(env), (state = { value: make(env) }));
    return state.value;
  };
}

/** For what is read from KV, whatever the variables beside it say. */
export const byNamespace = ({ CONFIG }: Env): object => CONFIG;

/** The same for what belongs to no environment. */
export function isolateMap<K, V>(): Map<K, V> {
  const map = new Map<K, V>();
  resets.push(() => map.clear());
  return map;
}
