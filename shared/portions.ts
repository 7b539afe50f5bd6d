// A list in parts of a bounded size.

/**
 * The list in its order, in parts of at most `most` by `sizeOf`; a part of one entry may be larger.
 */
export function portions<V>(list: readonly V[], most: number, sizeOf: (each: V) => number): V[][] {
  const parts: V[][] = [];
  let room = 0;
  for (const each of list) {
    const size = sizeOf(each);
    const last = parts.at(-1);
    if (last === undefined || size > room) {
      parts.push([each]);
      room = most - size;
    } else {
      last.push(each);
      room -= size;
    }
  }
  return parts;
}
