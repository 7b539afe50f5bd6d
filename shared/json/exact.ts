// What a JSON text loses when it is parsed: a member that is given again, and digits of a number.
// Two readers of such a text may see two values, and a person who approves one has not seen the
// other.

import { type IssueCollector, boundedPointerTo } from "./issue-collector.ts";
import { type Span, elementsOf, membersOf, textAt } from "./spans.ts";

/**
 * Reports what is lost. For a text that JSON.parse and `checkJson` have accepted. `digits`: also
 * those of numbers, which a text that goes on as it is written keeps.
 */
export function checkExact(json: string, issues: IssueCollector, { digits = true } = {}): void {
  const bytes = new TextEncoder().encode(json);
  const path: (string | number)[] = [];

  function visit(value: Span): void {
    const names = new Set<string>();
    for (const member of membersOf(bytes, value)) {
      path.push(member.name);
      if (names.has(member.name)) issues.add(boundedPointerTo(path), "is given more than once");
      names.add(member.name);
      visit(member);
      path.pop();
    }
    for (const [index, element] of elementsOf(bytes, value).entries()) {
      path.push(index);
      visit(element);
      path.pop();
    }
    if (digits && isNumber(bytes[value.from]) && !isExactNumber(textAt(bytes, value)))
      issues.add(boundedPointerTo(path), "is a number that parsers of JSON round; send it as a string");
  }

  visit({ from: 0, to: bytes.length });
}

/** A minus sign or a digit. */
const isNumber = (byte = 0): boolean => byte === 0x2d || (byte >= 0x30 && byte <= 0x39);

/** No number that is written in so many characters is worth the work of comparing it. */
const longestNumber = 400;

/** Whether a number of JSON is the same number once JavaScript has read it and written it again. */
const isExactNumber = (literal: string): boolean =>
  literal.length <= longestNumber && decimalOf(literal) === decimalOf(String(Number(literal)));

/** Without what does not change the number: `1.50e1` and `15` are equal. */
function decimalOf(literal: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  const kept = digits.replace(/0+$/, "");
  return kept === "" ? "0" : `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}
