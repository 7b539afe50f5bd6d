// A bundle of entries as its file has it (C2SP `tlog-tiles`): each entry behind its length, two
// bytes, the higher first.

import { concatBytes } from "../../encoding.ts";

/** What two bytes can say. */
export const longestEntry = 65_535;

export function bundleBytes(entries: readonly Uint8Array[]): Uint8Array {
  return concatBytes(
    ...entries.flatMap((entry) => {
      if (entry.length > longestEntry) throw new Error("bundleBytes: an entry is too long");
      return [Uint8Array.of(entry.length >> 8, entry.length & 0xff), entry];
    }),
  );
}

/** The entries of a bundle; undefined where the bytes end within one. */
export function readBundle(bytes: Uint8Array): Uint8Array[] | undefined {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const [high, low] = bytes.subarray(at, at + 2);
    if (high === undefined || low === undefined) return undefined;
    const end = at + 2 + high * 256 + low;
    if (end > bytes.length) return undefined;
    entries.push(bytes.slice(at + 2, end));
    at = end;
  }
  return entries;
}
