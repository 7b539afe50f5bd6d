// A value that is made when it is first asked for.

/** Makes the value at the first call and returns it at every one: what few requests need is not made when an isolate starts. */
export function lazy<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
