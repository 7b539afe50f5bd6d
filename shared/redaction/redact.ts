// Redaction: the parts of a request or a reply that rules name are replaced by markers, and what
// was replaced is kept apart, so that a reviewer whom the policy names may put it back.
//
// The order is fixed: a request is redacted before it is planned, so routing, risks, the policy's
// rules, the digest that reviewers approve and the model see the redacted one; a reply before its
// risks are found and before anybody sees it.

import { compileSearch, type SearchPattern } from "../json-schema/pattern.ts";
import type { Work } from "../json-schema/pattern-program.ts";
import type { Content, SubjectReply, SubjectRequest } from "../model/subject/subject.ts";
import { type Result, err, ok } from "../result.ts";
import { type SecretSet, type Span, findSecrets } from "./secrets.ts";
import { type Rewriting, rewriteJsonText, rewriteTexts } from "./texts.ts";

/** Where a rule masks. A notice is masked by every rule, whatever else it says. */
type RedactedPlace = "request" | "reply";

export type RedactionRule = {
  readonly name: string;
  readonly at: readonly (RedactedPlace | "notice")[];
} & ({ readonly secrets: SecretSet } | { readonly pattern: string; readonly label: string });

/** What the policy says of a request, when it came. */
export type RedactionTerms = {
  readonly rules: readonly RedactionRule[];
  /** Names of the reviewers who may see and lift what is masked. */
  readonly mayLift: readonly string[];
};

/** A masked part: UTF-16 offsets in the field's original text. */
export type Mark = {
  readonly id: number;
  readonly pointer: string;
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  readonly label: string;
};

/** How often a rule masked what. */
type RedactionCount = { readonly rule: string; readonly label: string; readonly count: number };

/** What was masked, with the original texts of its fields. */
export type Redaction = {
  readonly marks: readonly Mark[];
  readonly originals: readonly { readonly pointer: string; readonly text: string }[];
  readonly counts: readonly RedactionCount[];
};

export type Redacted<T> = { readonly value: T; readonly redaction: Redaction | null };

/**
 * `tooMuch`: the rules would take too long on this text. `inName`: in a tool's name, where no
 * marker can stand.
 */
type RedactionError = { readonly kind: "tooMuch" | "inName"; readonly rule: string };

/**
 * `size` is of a pattern of the operator's own; `steps` of all rules together, for all texts of a
 * request or a reply.
 */
export const searchLimits = { size: 500, steps: 50_000_000 } as const;

const markerOf = (label: string): string => `[redacted: ${label}]`;

const compiled = new Map<string, SearchPattern>();
const mostCompiled = 500;

/** Throws for a pattern that no policy may have. */
function searchOf(pattern: string): SearchPattern {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compileSearch(pattern, searchLimits.size);
  if (!made.ok) throw new Error("a pattern that was not compiled before");
  if (compiled.size >= mostCompiled) compiled.clear();
  compiled.set(pattern, made.value);
  return made.value;
}

type RuleSpan = Span & { readonly rule: string };

/** What is left for the rules; `over`: the rule for which it was too little. */
type Allowance = Work & { over: string | null };

const allowance = (): Allowance => ({ steps: searchLimits.steps, over: null });

function spansOf(text: string, rule: RedactionRule, work: Allowance): RuleSpan[] {
  if ("secrets" in rule) {
    const secrets = findSecrets(text, rule.secrets, work).map((span) => ({ ...span, rule: rule.name }));
    if (work.steps < 0) work.over ??= rule.name;
    return secrets;
  }
  const search = searchOf(rule.pattern);
  const spans: RuleSpan[] = [];
  let from = 0;
  for (;;) {
    const found = search.find(text, from, work);
    if (work.steps < 0) work.over ??= rule.name;
    if (found === null) return spans;
    // An empty match masks nothing.
    if (found.end > found.start) spans.push({ ...found, rule: rule.name, label: rule.label });
    from = found.end > found.start ? found.end : found.end + 1;
    if (from > text.length) return spans;
  }
}

/**
 * The parts that any rule names, in order and apart: of parts that overlap the first one's name
 * counts.
 */
function spansIn(text: string, rules: readonly RedactionRule[], work: Allowance): RuleSpan[] {
  const all = rules.flatMap((rule) => spansOf(text, rule, work));
  if (all.length < 2) return all;
  const merged: RuleSpan[] = [];
  for (const span of all.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { ...last, end: span.end };
  }
  return merged;
}

/** The text with a marker for each part. */
function masked(text: string, spans: readonly Pick<Mark, "start" | "end" | "label">[]): string {
  let at = 0;
  let out = "";
  for (const { start, end, label } of spans) {
    out += text.slice(at, start) + markerOf(label);
    at = end;
  }
  return out + text.slice(at);
}

/** Gathers what is masked while the texts are rewritten. */
class Masking implements Rewriting {
  readonly #rules: readonly RedactionRule[];
  readonly #work = allowance();
  readonly #ids = new Map<string, string>();
  readonly #counts = new Map<string, RedactionCount>();
  readonly #marks: Mark[] = [];
  readonly #originals: { pointer: string; text: string }[] = [];
  readonly #mayRename: boolean;
  /** Texts of this kind have to stay JSON. */
  readonly #isJson: boolean;
  inName: string | null = null;

  constructor(rules: readonly RedactionRule[], { mayRename, isJson }: { readonly mayRename: boolean; readonly isJson: boolean }) {
    this.#rules = rules;
    this.#mayRename = mayRename;
    this.#isJson = isJson;
  }

  text(pointer: string, text: string): string {
    const spans = spansIn(text, this.#rules, this.#work);
    if (spans.length === 0) return text;
    const out = masked(text, spans);
    if (this.#isJson && !isJson(out)) {
      // A part that has more than a text in it: its texts are masked one by one, and cannot be
      // lifted.
      const each = rewriteJsonText(text, { ...this.#inside, text: (_, inner) => this.#plain(inner) });
      if (each !== null) return each;
    }
    this.#originals.push({ pointer, text });
    for (const { start, end, rule, label } of spans) {
      this.#marks.push({ id: this.#marks.length + 1, pointer, start, end, rule, label });
      this.#count(rule, label);
    }
    return out;
  }

  member(text: string): string {
    return this.#plain(text);
  }

  id(text: string): string {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const spans = spansIn(text, this.#rules, this.#work);
    for (const { rule, label } of spans) this.#count(rule, label);
    const id = spans.length === 0 ? text : `redacted_${this.#ids.size + 1}`;
    this.#ids.set(text, id);
    return id;
  }

  name(_pointer: string, text: string): string {
    const [span] = spansIn(text, this.#rules, this.#work);
    if (span === undefined) return text;
    this.inName ??= span.rule;
    this.#count(span.rule, span.label);
    return this.#mayRename ? "redacted" : text;
  }

  get #inside(): Rewriting {
    return { text: (_, text) => text, member: (text) => this.#plain(text), id: (text) => text, name: (_, text) => text };
  }

  /** Masked and counted, without a mark: it stays masked. */
  #plain(text: string): string {
    const spans = spansIn(text, this.#rules, this.#work);
    for (const { rule, label } of spans) this.#count(rule, label);
    return spans.length === 0 ? text : masked(text, spans);
  }

  #count(rule: string, label: string): void {
    const key = `${rule}\0${label}`;
    this.#counts.set(key, { rule, label, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  }

  /** The rule that was not looked for to the end; null where all were. */
  get over(): string | null {
    return this.#work.over;
  }

  redaction(): Redaction | null {
    if (this.#counts.size === 0) return null;
    return { marks: this.#marks, originals: this.#originals, counts: [...this.#counts.values()] };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function redacted<T extends Content>(value: T, masking: Masking): Result<Redacted<T>, RedactionError> {
  const next = rewriteTexts(value, masking);
  if (masking.over !== null) return err({ kind: "tooMuch", rule: masking.over });
  const redaction = masking.redaction();
  return ok({ value: redaction === null ? value : next, redaction });
}

export const rulesAt = ({ rules }: RedactionTerms, place: RedactedPlace | "notice"): readonly RedactionRule[] =>
  place === "notice" ? rules : rules.filter(({ at }) => at.includes(place));

/**
 * The request as the rules let it be sent. Refused where the name of a tool that a model is offered
 * would have to be masked: another name would be another tool. With `mayRename`, for what is only
 * shown, it is masked like any text. The server and tool of a tool's call are the operator's own
 * names, and not looked at.
 */
export function redactRequest<T extends SubjectRequest>(
  request: T,
  rules: readonly RedactionRule[],
  { mayRename = false }: { readonly mayRename?: boolean } = {},
): Result<Redacted<T>, RedactionError> {
  if (rules.length === 0) return ok({ value: request, redaction: null });
  const masking = new Masking(rules, { mayRename, isJson: false });
  const done = redacted(request, masking);
  return done.ok && !mayRename && masking.inName !== null ? err({ kind: "inName", rule: masking.inName }) : done;
}

/** A text with everything masked that the rules name; empty where that would take too long. */
export function redactText(text: string, rules: readonly RedactionRule[]): string {
  const work = allowance();
  const spans = spansIn(text, rules, work);
  return work.over === null ? masked(text, spans) : "";
}

/** The reply as the rules let it be delivered. `isJson`: its text has to be JSON, and stays it. */
export function redactReply<T extends SubjectReply>(
  reply: T,
  rules: readonly RedactionRule[],
  { isJson = false }: { readonly isJson?: boolean } = {},
): Result<Redacted<T>, RedactionError> {
  if (rules.length === 0) return ok({ value: reply, redaction: null });
  return redacted(reply, new Masking(rules, { mayRename: true, isJson }));
}

/** Which marks stand in a text: all but those that were lifted. */
const keptMarks = (redaction: Redaction, pointer: string, lifted: ReadonlySet<number>): Mark[] =>
  redaction.marks.filter((mark) => mark.pointer === pointer && !lifted.has(mark.id));

/** A field's text with the marks that stand. */
const textWith = (redaction: Redaction, pointer: string, text: string, lifted: ReadonlySet<number>): string =>
  masked(text, keptMarks(redaction, pointer, lifted));

/** What stands in for what is masked, for those who may not see it. */
const hidden = "••••••••";

/**
 * The content before it was redacted, for the difference that the page shows; `isSeen`: with what
 * is masked, else without.
 */
export function beforeRedaction<T extends Content>(value: T, redaction: Redaction, isSeen: boolean): T {
  const before = new Map(
    redaction.originals.map(({ pointer, text }) => [pointer, isSeen ? text : hiddenIn(text, keptMarks(redaction, pointer, new Set()))]),
  );
  return rewriteTexts(
    value,
    readingAs((pointer, text) => before.get(pointer) ?? text),
  );
}

function hiddenIn(text: string, marks: readonly Mark[]): string {
  let at = 0;
  let out = "";
  for (const { start, end } of marks) {
    out += text.slice(at, start) + hidden;
    at = end;
  }
  return out + text.slice(at);
}

const readingAs = (text: Rewriting["text"]): Rewriting => ({ text, member: (name) => name, id: (id) => id, name: (_, name) => name });

/** How a mark stands in the content now: a reviewer may have changed its field. */
export type MarkState = "masked" | "lifted" | "edited";

/** The state of each mark in this content, of which `lifted` were lifted. */
export function markStates(value: Content, redaction: Redaction, lifted: ReadonlySet<number>): ReadonlyMap<number, MarkState> {
  const original = new Map(redaction.originals.map(({ pointer, text }) => [pointer, text]));
  const untouched = new Set<string>();
  const look = (pointer: string, text: string): string => {
    const before = original.get(pointer);
    if (before !== undefined && textWith(redaction, pointer, before, lifted) === text) untouched.add(pointer);
    return text;
  };
  rewriteTexts(value, readingAs(look));
  return new Map(redaction.marks.map(({ id, pointer }) => [id, !untouched.has(pointer) ? "edited" : lifted.has(id) ? "lifted" : "masked"]));
}

/**
 * The content with one more mark lifted. Refused: an unknown mark, one that is lifted, and one
 * whose field a reviewer changed.
 */
export function liftMark<T extends Content>(
  value: T,
  redaction: Redaction,
  lifted: ReadonlySet<number>,
  id: number,
): Result<T, "unknown" | "edited"> {
  const mark = redaction.marks.find((each) => each.id === id);
  if (mark === undefined || lifted.has(id)) return err("unknown");
  if (markStates(value, redaction, lifted).get(id) !== "masked") return err("edited");
  const before = redaction.originals.find(({ pointer }) => pointer === mark.pointer)?.text ?? "";
  const next = textWith(redaction, mark.pointer, before, new Set([...lifted, id]));
  return ok(
    rewriteTexts(
      value,
      readingAs((pointer, text) => (pointer === mark.pointer ? next : text)),
    ),
  );
}
