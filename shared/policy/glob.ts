// Globs, as policy rules have them.

/**
 * Whether `value` fits `glob`. `*` stands for any run of characters, also none; everything else for
 * itself, case included. The pieces between the stars are searched from left to right, so no
 * pattern is slow.
 */
export function matchesGlob(glob: string, value: string): boolean {
  const pieces = glob.split("*");
  const first = pieces[0] ?? "";
  if (pieces.length === 1) return value === glob;
  const last = pieces.at(-1) ?? "";
  if (value.length < first.length + last.length || !value.startsWith(first) || !value.endsWith(last)) return false;
  let from = first.length;
  const end = value.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const at = value.indexOf(piece, from);
    if (at === -1 || at + piece.length > end) return false;
    from = at + piece.length;
  }
  return true;
}
