// Globs as rules have them: `*` stands for any run of characters.

/**
 * Whether `value` fits `glob`, where `*` stands for any run of characters and everything else for itself, case included. It
 * looks for the pieces between the stars from left to right, so no pattern makes it slow.
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
