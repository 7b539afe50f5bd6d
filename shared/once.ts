/**
 * Computes the value at the first call, and returns it at every one: for what few requests need.
 */
export function once<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | null = null;
  return () => (computed ??= { value: compute() }).value;
}
