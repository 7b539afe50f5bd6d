// How well redaction finds the secrets of the corpus (test/corpus/), and how often it takes
// ordinary text for one:
//
//   npm run redaction-corpus
//
// The table is in docs/security.md; test/shared/redaction/corpus.test.ts compares it.

import { fileURLToPath } from "node:url";
import { type SecretSet, findSecrets } from "../../shared/redaction/secrets.ts";
import { madeFrom } from "../../test/corpus/made-up.ts";
import { seeded } from "../../test/support/seeded.ts";
import { ordinaryTexts } from "../../test/corpus/ordinary.ts";
import { secretForms, settings } from "../../test/corpus/secrets.ts";

/** Each form of a secret is made so often in each setting, each ordinary text so often. */
const times = 5;
const seed = 20_261_123;

type Line = { readonly what: string; readonly of: number; readonly found: Record<SecretSet, number> };

const sets = ["known", "assigned"] as const;

/**
 * Caught: no made value of the secret, of six characters or more, is left outside what is masked.
 */
function isCaught(text: string, values: readonly string[], set: SecretSet): boolean {
  let left = text;
  for (const { start, end } of findSecrets(text, set, { steps: 1e9 }).toReversed()) left = `${left.slice(0, start)}\0${left.slice(end)}`;
  return values.every((value) => !left.includes(value));
}

/** The made values of a form, as they stand in the text. */
function madeWithValues(form: string, next: () => number): { readonly text: string; readonly values: string[] } {
  const values: string[] = [];
  const text = form.replaceAll(/\{([aAlnhdbw]):(\d+)\}/g, (part) => {
    const value = madeFrom(part, next);
    if (value.length >= 6) values.push(value);
    return value;
  });
  return { text, values };
}

export function corpusLines(): { readonly secrets: Line[]; readonly ordinary: Line[] } {
  const next = seeded(seed);
  const secrets = new Map<string, Line>();
  for (const { kind, group, form } of secretForms)
    for (const setting of settings)
      for (let time = 0; time < times; time += 1) {
        const { text, values } = madeWithValues(form, next);
        const what = `${kind} (${group})`;
        const line = secrets.get(what) ?? { what, of: 0, found: { known: 0, assigned: 0 } };
        const found = { ...line.found };
        for (const set of sets)
          if (
            isCaught(
              setting.replace("{secret}", () => text),
              values,
              set,
            )
          )
            found[set] += 1;
        secrets.set(what, { what, of: line.of + 1, found });
      }
  const ordinary = new Map<string, Line>();
  for (const { kind, text } of ordinaryTexts)
    for (let time = 0; time < times; time += 1) {
      const line = ordinary.get(kind) ?? { what: kind, of: 0, found: { known: 0, assigned: 0 } };
      const found = { ...line.found };
      const made = madeFrom(text, next);
      for (const set of sets) if (findSecrets(made, set, { steps: 1e9 }).length > 0) found[set] += 1;
      ordinary.set(kind, { what: kind, of: line.of + 1, found });
    }
  return { secrets: [...secrets.values()], ordinary: [...ordinary.values()] };
}

const sumOf = (lines: readonly Line[], what: string): Line => ({
  what,
  of: lines.reduce((sum, line) => sum + line.of, 0),
  found: {
    known: lines.reduce((sum, { found }) => sum + found.known, 0),
    assigned: lines.reduce((sum, { found }) => sum + found.assigned, 0),
  },
});

/** The table as docs/security.md has it. */
export function corpusTable(): string {
  const { secrets, ordinary } = corpusLines();
  const rows = (lines: readonly Line[]): string[] =>
    lines.map(({ what, of, found }) => `| ${what} | ${of} | ${found.known} | ${found.assigned} |`);
  const groups = Object.entries({
    known: "secrets with a known form",
    assigned: "secrets behind a name such as `token`",
    other: "other secrets",
  }).map(([group, name]) =>
    sumOf(
      secrets.filter(({ what }) => what.endsWith(`(${group})`)),
      name,
    ),
  );
  return [
    "| texts | in the corpus | masked by `known` | masked by `assigned` |",
    "|---|---|---|---|",
    ...rows(groups),
    ...rows([sumOf(ordinary, "ordinary texts (masked: a false alarm)")]),
  ].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(corpusTable());
