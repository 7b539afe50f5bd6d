// What a doctor found, as lines for a terminal. The client's doctor and the operator's print the
// same.

/**
 * `good`: it works. `note`: it works, and there is something to know. `fix`: it does not, and the
 * text says what to do.
 */
export type Check = { readonly check: string; readonly state: "good" | "note" | "fix"; readonly text: string };

/**
 * The lines of a report: good checks first, fixes last. `columns`: the width to wrap lines at,
 * between words; undefined: no wrapping.
 */
export function report(checks: readonly Check[], columns?: number): { readonly text: string; readonly exitCode: 0 | 1 } {
  const of = (state: Check["state"]): readonly Check[] => checks.filter((check) => check.state === state);
  const fixes = of("fix");
  const width = Math.max(0, ...checks.map(({ check }) => check.length));
  const lines = [...of("good"), ...of("note"), ...fixes].map(({ check, state, text }) => {
    const start = `${(state === "fix" ? "FIX" : state).padEnd(4)}  ${check.padEnd(width)}  `;
    return start + wrapped(text, start.length, columns);
  });
  const count =
    fixes.length === 0
      ? "Nothing needs attention."
      : fixes.length === 1
        ? "1 item needs attention."
        : `${fixes.length} items need attention.`;
  return { text: [...lines, "", count].join("\n"), exitCode: fixes.length === 0 ? 0 : 1 };
}

/** On a narrower terminal lines are not wrapped. */
const leastText = 30;

function wrapped(text: string, indent: number, columns: number | undefined): string {
  if (columns === undefined || columns - indent < leastText) return text;
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = word;
    else if (indent + line.length + 1 + word.length <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}
