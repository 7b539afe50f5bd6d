// What the Approve button says: which vote it is, how many changes it sends, and how many warnings
// it overrides. The page's script says the same after each change, from the same phrases.

import type { Words } from "../../shared/channels/words/words.ts";

type ApproveFacts = {
  /** What pressing does: a tool's result is delivered, and all else approved. */
  readonly does: "approve" | "deliver";
  /** The votes there are, and how many are needed; null where one is enough. */
  readonly quorum: { readonly needed: number; readonly votes: number } | null;
  readonly changes: number;
  readonly warnings: number;
};

type Forms = { readonly one?: string; readonly other: string };

/** The form for this number, with the number in it. */
export const pluralOf = (lang: string, forms: Forms, n: number): string => {
  const isOne = new Intl.PluralRules(lang).select(n) === "one";
  return ((isOne ? forms.one : undefined) ?? forms.other).replace("{n}", n.toLocaleString(lang));
};

/** "Approve (1 of 2) with 1 change despite 3 warnings". */
export function approveWords({ lang, decide }: Words["page"], { does, quorum, changes, warnings }: ApproveFacts): string {
  const vote = quorum === null ? "" : decide.vote.replace("{vote}", String(quorum.votes + 1)).replace("{needed}", String(quorum.needed));
  return decide[does]
    .replace("{vote}", vote)
    .replace("{changes}", changes === 0 ? "" : pluralOf(lang, decide.withChanges, changes))
    .replace("{warnings}", warnings === 0 ? "" : pluralOf(lang, decide.despite, warnings));
}

/** The same for the script. */
export const approveForScript = ({ lang, decide, changes, edit }: Words["page"], facts: ApproveFacts): object => ({
  ...facts,
  lang,
  approve: decide[facts.does],
  vote: decide.vote,
  withChanges: decide.withChanges,
  despite: decide.despite,
  changed: changes.changed,
  removed: changes.removed,
  added: changes.added,
  undo: edit.undo,
});
