// What the policy's page knows of a draft: it is in the page's one form, and nowhere on the server.

import * as z from "zod";
import { type Draft, draftText, nameOf, readDraft, rulesIn } from "../../../../shared/policy/draft.ts";
import { type ReplayTally, noReplay, tallySchema } from "../../../../shared/record/replay-tally.ts";
import type { Visit } from "../page.ts";

/** A rule by its position from 0, or the default. */
export type EditedRule = number | "default" | null;

export const replayDays = [1, 7, 30] as const;
export type ReplayDays = (typeof replayDays)[number];

/** What has been read so far. `next`: where to go on; null at the end. */
export type Replay = {
  readonly days: ReplayDays;
  readonly sum: ReplayTally;
  readonly read: number;
  readonly total: number;
  readonly next: string | null;
};

export type PolicyState = {
  readonly draft: Draft;
  /** The version that the draft began with. */
  readonly base: number;
  readonly editing: EditedRule;
  readonly days: ReplayDays;
  readonly replay: Replay | null;
  /** What was pasted to be imported. */
  readonly pasted: string;
};

/** As GET /admin/policy has it. */
export type CurrentPolicy = { readonly document: Draft; readonly version: number };

export const stateOf = ({ document, version }: CurrentPolicy, editing: EditedRule = null): PolicyState => ({
  draft: document,
  base: version,
  editing,
  days: 7,
  replay: null,
  pasted: "",
});

export const editedIn = (text: string | null, draft: Draft): EditedRule => {
  if (text === "default") return "default";
  const at = /^\d{1,3}$/.test(text ?? "") ? Number(text) : -1;
  return at >= 0 && at < rulesIn(draft).length ? at : null;
};

/** The rule of this name; "default", as the record calls it, is the default unless a rule is. */
export function editedByName(name: string | null, draft: Draft): EditedRule {
  const at = rulesIn(draft).findIndex((rule) => nameOf(rule) === name);
  return at >= 0 ? at : name === "default" ? "default" : null;
}

const daysIn = (text: string | null): ReplayDays => replayDays.find((days) => String(days) === text) ?? 7;

const replaySchema = z.strictObject({
  days: z.literal(replayDays),
  sum: tallySchema,
  read: z.int().nonnegative(),
  total: z.int().nonnegative(),
  next: z.string().max(256).nullable(),
});

/** The state that the form has; null where its draft cannot be read. */
export function stateIn({ form }: Visit): PolicyState | null {
  const draft = readDraft(form.get("draft") ?? "");
  const base = Number(form.get("base"));
  if (draft === null || !Number.isSafeInteger(base)) return null;
  return {
    draft,
    base,
    editing: editedIn(form.get("editing"), draft),
    days: daysIn(form.get("days")),
    replay: replayIn(form.get("replay")),
    pasted: form.get("pasted") ?? "",
  };
}

function replayIn(text: string | null): Replay | null {
  if (text === null || text === "") return null;
  try {
    const read = replaySchema.safeParse(JSON.parse(text));
    return read.success ? read.data : null;
  } catch {
    return null;
  }
}

export const noneRead = (days: ReplayDays): Replay => ({ days, sum: noReplay, read: 0, total: 0, next: null });

/** The hidden fields of the form, without those of the replay. */
export const hiddenFields = ({ draft, base, editing }: PolicyState): Readonly<Record<string, string>> => ({
  draft: draftText(draft),
  base: String(base),
  editing: editing === null ? "" : String(editing),
});
