// How much work a regular expression from outside may cause. An engine that goes back over its text may need time without end for a
// pattern of ten characters, and nothing can stop it in the middle: so that is judged before it is run.

/** Ways to match, at the most, for a text of `n` characters: `factor * n ** power`. */
export type PatternCost = { readonly factor: number; readonly power: number };

/** A million steps or so are done in a moment. */
export const mostPatternWork = 10_000_000;
const longestPattern = 1_000;

/**
 * What a pattern of JSON Schema (ECMA-262, flag `u`) costs at the most; null where that has no such bound that can be told from its outside: a
 * repeated group in which anything is repeated or a choice, a reference back, a look around. Undefined: it is no pattern.
 */
export function patternCost(source: string): PatternCost | null | undefined {
  if (!isPattern(source)) return undefined;
  if (source.length > longestPattern || /\\[1-9k]|\(\?<?[=!]/.test(source)) return null;
  let [factor, power] = [1, source.startsWith("^") ? 0 : 1];
  /** For each group that is open: whether anything in it may match in several ways. */
  const groups: boolean[] = [];
  let wasVaried = false;
  const token = /\\(?:[pPu]\{[^}]*\}|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<[^>]*>|[a-z-]*:))?|\)|\||[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/gsu;
  const vary = (): void => void (groups.length > 0 && (groups[groups.length - 1] = true));
  for (const [part] of source.matchAll(token)) {
    const repeats = /^([*+?])|^\{(\d+)(?:(,)(\d*))?\}/.exec(part);
    if (part.startsWith("(")) groups.push(false);
    else if (part === ")") {
      wasVaried = groups.pop() ?? false;
      // What is varied inside is so for whatever is around it.
      if (wasVaried) vary();
      continue;
    } else if (part === "|") {
      factor *= 2;
      vary();
    } else if (repeats !== null) {
      const [, sign, least = "0", comma, most = ""] = repeats;
      const isOnce = sign === "?" || most === "1";
      if (wasVaried && !isOnce) return null;
      if (sign === "?") factor *= 2;
      else if (sign !== undefined || (comma !== undefined && most === "")) power += 1;
      else factor *= comma === undefined ? 1 : Number(most) - Number(least) + 1;
      vary();
    }
    wasVaried = false;
  }
  return factor > mostPatternWork ? null : { factor, power };
}

/** Whether a text may be held against a pattern of this cost. */
export const isWithinWork = ({ factor, power }: PatternCost, length: number): boolean => factor * length ** power <= mostPatternWork;

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
