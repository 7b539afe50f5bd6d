// The five filters of a PNG's rows (sections 9 and 12.7 of the standard): they store each byte as
// its difference from one that is predicted from the pixel on the left, the one above, and the one
// above that on the left.

const filters = [0, 1, 2, 3, 4] as const;

function predicted(filter: (typeof filters)[number], left: number, above: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4:
      return paeth(left, above, corner);
  }
}

/** The nearest of the three to left + above - corner. */
function paeth(left: number, above: number, corner: number): number {
  const byLeft = Math.abs(above - corner);
  const byAbove = Math.abs(left - corner);
  const byCorner = Math.abs(left + above - corner - corner);
  return byLeft <= byAbove && byLeft <= byCorner ? left : byAbove <= byCorner ? above : corner;
}

/**
 * Undoes a row's filter in place; false for a filter that does not exist.
 * @param row begins with the filter's number, as does `above`, the row before it: zeros for the
 *   first.
 * @param step bytes from a pixel to the next, at least 1.
 */
export function unfilter(row: Uint8Array, above: Uint8Array, step: number): boolean {
  const filter = filters.find((each) => each === row[0]);
  if (filter === undefined) return false;
  for (let at = 1; at < row.length; at += 1) {
    const isFirst = at <= step;
    const left = isFirst ? 0 : (row[at - step] ?? 0);
    const corner = isFirst ? 0 : (above[at - step] ?? 0);
    row[at] = (row[at] ?? 0) + predicted(filter, left, above[at] ?? 0, corner);
  }
  return true;
}

/**
 * Filters rows, each with the filter that leaves the smallest differences: the standard's own
 * heuristic.
 * @returns what takes a row and the one above, both without a filter's number, and gives the
 *   filtered row after its number. The next call overwrites it.
 */
export function rowFilter(rowBytes: number, step: number): (row: Uint8Array, above: Uint8Array) => Uint8Array {
  let best = new Uint8Array(rowBytes + 1);
  let tried = new Uint8Array(rowBytes + 1);
  return (row, above) => {
    let least = Infinity;
    for (const filter of filters) {
      tried[0] = filter;
      let sum = 0;
      for (let at = 0; at < rowBytes; at += 1) {
        const isFirst = at < step;
        const left = isFirst ? 0 : (row[at - step] ?? 0);
        const corner = isFirst ? 0 : (above[at - step] ?? 0);
        const difference = ((row[at] ?? 0) - predicted(filter, left, above[at] ?? 0, corner)) & 0xff;
        tried[at + 1] = difference;
        sum += difference < 128 ? difference : 256 - difference;
      }
      if (sum >= least) continue;
      least = sum;
      [best, tried] = [tried, best];
    }
    return best;
  };
}
