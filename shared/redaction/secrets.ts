// Finds secrets in a text: tokens that are known by how they begin, secrets that are known by the
// name before them, private keys, and passwords in addresses. The rules are gitleaks'
// (secret-rules.ts) and a few of ours.
//
// The platform's matcher runs only where a keyword stands, from there on, and over what a rule's
// own bounds let it read: no expression has a repetition without an end, or a repetition within a
// repetition. Each run is paid for with steps before it begins, by how many characters it can read,
// so that a text made of keywords uses up its steps and not the isolate's time
// (docs/decisions/redaction.md).

import type { Work } from "../json-schema/pattern-program.ts";
import { cardNumbers, passwordAfter, passwordWords } from "../secret-shapes.ts";
import { type SecretLine, namedLines, tokenLines } from "./secret-rules.ts";

/** UTF-16 offsets of a part of a text, and what it is. */
export type Span = { readonly start: number; readonly end: number; readonly label: string };

/**
 * `known`: what has the form of a service's secret. `assigned`: also any random-looking value of a
 * name such as `password`.
 */
export type SecretSet = "known" | "assigned";

type Found = { readonly start: number; readonly end: number };
/** The secret that this keyword at this place leads to. */
type Rule = { readonly label: string; readonly find: (search: Search, at: number) => Found | null };
type Keyword = { readonly word: string; readonly rule: Rule };

/** Tokens that gitleaks has in other forms, or by other keywords. */
const ownTokens: readonly SecretLine[] = [
  ["API key", "sk-", 3, String.raw`\bsk-(?=[\w-]{0,300}\d)[\w-]{20,300}`],
  ["Google OAuth token", "ya29.", 3, String.raw`\bya29\.[\w-]{20,400}`],
  ["Google OAuth client secret", "gocspx-", 3, String.raw`\bGOCSPX-[\w-]{28}`],
  ["Countersign key", "csk_ cst_", 3, String.raw`\bcs[kt]_(?=[\w-]{0,300}\d)[\w-]{20,300}`],
];

/**
 * From a name to its value: the rest of the name, quotes (also escaped ones), a sign of assignment.
 */
const connector = /[ \t\w.-]{0,20}[\s'"`\\]{0,4}(?::{1,3}=|=>|\?=|\|\||[=>:,])[\s'"`\\=]{0,6}/y;

const assignedWords = "access auth api credential creds key passwd password secret token";
const assignedValue = String.raw`[\w.=+\/~!@#$%^&*-]{10,150}`;

/** Shannon's, in bits for a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum -= (count / text.length) * Math.log2(count / text.length);
  return sum;
}

const isInToken = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit === 45 || unit === 95;

/** One search of a text: what is left for it, and where the word ends that was looked at last. */
class Search {
  readonly text: string;
  readonly #work: Work;
  #wordEnd = 0;

  constructor(text: string, work: Work) {
    this.text = text;
    this.#work = work;
  }

  /** Takes the steps for reading so many characters. */
  pay(characters: number): void {
    this.#work.steps -= characters;
  }

  get isOver(): boolean {
    return this.#work.steps < 0;
  }

  /**
   * How many characters there are from here to the next white space. All words together are read
   * once.
   */
  wordFrom(at: number): number {
    if (at >= this.#wordEnd) {
      this.#wordEnd = at;
      while (this.#wordEnd < this.text.length && this.text.charCodeAt(this.#wordEnd) > 32) this.#wordEnd += 1;
    }
    return this.#wordEnd - at;
  }
}

/** The most characters that a match can have: its counts, and the rest as it is written. */
const reachOf = (expression: string): number =>
  [...expression.matchAll(/\{(?:\d+,)?(\d+)\}/g)].reduce((sum, [, most]) => sum + Number(most), expression.length);

/** What a run costs that fails at once. */
const leastSteps = 128;

/**
 * Where the expression matches at exactly this place. It is made when it is first needed. It goes
 * back over what it has read.
 */
function matcherOf(expression: string): (search: Search, at: number) => RegExpExecArray | null {
  let made: RegExp | undefined;
  const reach = reachOf(expression);
  return (search, at) => {
    search.pay(leastSteps + 2 * Math.min(reach, search.wordFrom(at)));
    made ??= new RegExp(expression, "y");
    made.lastIndex = at;
    return made.exec(search.text);
  };
}

/**
 * A token: what follows it without a gap is masked with it, so that no part of a longer one stays.
 */
function tokenRule([label, , entropy, expression, back = 0]: SecretLine): Rule {
  const match = matcherOf(expression);
  return {
    label,
    find(search, at) {
      const { text } = search;
      const start = at - back;
      const found = start < 0 ? null : match(search, start);
      if (found === null || entropyOf(found[0]) < entropy) return null;
      let end = start + found[0].length;
      while (end < text.length && isInToken(text.charCodeAt(end))) end += 1;
      return { start, end };
    },
  };
}

/** The value of a name. Words have no digits. */
function namedRule(label: string, name: string, entropy: number, expression: string): Rule {
  const match = matcherOf(String.raw`(?:${expression})(?![\w-])`);
  return {
    label,
    find(search, at) {
      search.pay(leastSteps);
      connector.lastIndex = at + name.length;
      const joined = connector.exec(search.text);
      if (joined === null) return null;
      const start = connector.lastIndex;
      const [value] = match(search, start) ?? [];
      if (value === undefined || !/\d/.test(value) || entropyOf(value) < entropy) return null;
      return { start, end: start + value.length };
    },
  };
}

const passwordInAddress: Rule = (() => {
  const match = matcherOf(String.raw`:\/\/[^\s:\/@"'<>]{0,64}:([^\s\/@"'<>]{3,200})@`);
  return {
    label: "password in a URL",
    find(search, at) {
      const found = match(search, at);
      const end = at + (found?.[0].length ?? 0) - 1;
      return found === null ? null : { start: end - (found[1]?.length ?? 0), end };
    },
  };
})();

/** The value that is assigned to a password, however short and little random: a person chose it. */
const password = (name: string): Rule => ({
  label: "password",
  find(search, at) {
    search.pay(leastSteps);
    return passwordAfter(search.text, at + name.length);
  },
});

const longestKey = 20_000;

/** From its first line to its last; without a last line, as far as it looks like a key. */
const privateKey: Rule = (() => {
  const header = matcherOf(String.raw`-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----`);
  const line = matcherOf(String.raw`[\s\\nr]{0,6}[A-Za-z0-9+\/=]{16,200}`);
  const last = matcherOf(String.raw`-----END[ A-Z0-9_-]{0,100}-----`);
  return {
    label: "private key",
    find(search, at) {
      // Its first line has spaces.
      search.pay(leastSteps);
      const head = header(search, at)?.[0];
      if (head === undefined) return null;
      const from = at + head.length;
      const key = search.text.slice(from, from + longestKey);
      const endAt = key.indexOf("-----END");
      search.pay(endAt === -1 ? key.length : endAt);
      const end = endAt === -1 ? null : last(search, from + endAt);
      if (end !== null) return { start: at, end: from + endAt + end[0].length };
      let over = from;
      for (let next = line(search, over); next !== null && over - from < longestKey; next = line(search, over)) over += next[0].length;
      return { start: at, end: over };
    },
  };
})();

function keywordsOf(set: SecretSet): Keyword[] {
  const keywords: Keyword[] = [
    { word: "://", rule: passwordInAddress },
    { word: "-----begin", rule: privateKey },
  ];
  for (const line of [...tokenLines, ...ownTokens]) {
    const rule = tokenRule(line);
    for (const word of line[1].split(" ")) keywords.push({ word, rule });
  }
  for (const [names, entropy, expression] of namedLines)
    for (const name of names.split(" ")) keywords.push({ word: name, rule: namedRule(`${name} secret`, name, entropy, expression) });
  if (set === "assigned") for (const word of passwordWords) keywords.push({ word, rule: password(word) });
  if (set === "assigned")
    for (const word of assignedWords.split(" "))
      keywords.push({ word, rule: namedRule(word === "key" || word === "api" ? "API key" : word, word, 3.5, assignedValue) });
  return keywords;
}

/** Five bits of a character: a letter is the same in both cases, and others may fall together. */
const codeOf = (unit: number): number => unit & 31;

/** Keywords by their first three characters. */
class Index {
  readonly #isThere = new Uint8Array(1 << 15);
  readonly #keywords = new Map<number, Keyword[]>();

  constructor(keywords: readonly Keyword[]) {
    for (const keyword of keywords) {
      const [a = 0, b = 0, c] = [...keyword.word].map((each) => codeOf(each.charCodeAt(0)));
      // A word of two characters may have any third.
      for (const third of c === undefined ? Array.from({ length: 32 }, (_, i) => i) : [c]) {
        const code = (a << 10) | (b << 5) | third;
        this.#isThere[code] = 1;
        this.#keywords.set(code, [...(this.#keywords.get(code) ?? []), keyword]);
      }
    }
  }

  spans(text: string, work: Work): Span[] {
    const search = new Search(text, work);
    const spans: Span[] = [];
    let code = 0;
    let from = 0;
    for (let i = 0; i < text.length; i += 1) {
      code = ((code << 5) | codeOf(text.charCodeAt(i))) & 0x7fff;
      const at = i - 2;
      if (this.#isThere[code] !== 1 || at < from) continue;
      const span = this.#at(search, at, this.#keywords.get(code) ?? []);
      if (search.isOver) return spans;
      if (span === null || span.start < from) continue;
      spans.push(span);
      from = span.end;
    }
    return spans;
  }

  /** The longest of the secrets that keywords here lead to; of the same, the first rule's. */
  #at(search: Search, at: number, keywords: readonly Keyword[]): Span | null {
    let longest: Span | null = null;
    for (const { word, rule } of keywords) {
      if (search.text.slice(at, at + word.length).toLowerCase() !== word) continue;
      const found = rule.find(search, at);
      if (found !== null && (longest === null || found.end > longest.end)) longest = { ...found, label: rule.label };
    }
    return longest;
  }
}

const made = new Map<SecretSet, Index>();

/**
 * The secrets in a text, in order and apart. The text itself is read once; what is read again at
 * keywords is taken from `work.steps`, a step for each character. Where they do not reach, they are
 * below 0 after it, and what was found is not all.
 */
export function findSecrets(text: string, set: SecretSet, work: Work): readonly Span[] {
  let index = made.get(set);
  if (index === undefined) made.set(set, (index = new Index(keywordsOf(set))));
  return withCards(index.spans(text, work), cardNumbers(text));
}

/** Both in order and apart; a card's number that is in another secret is left out. */
function withCards(spans: readonly Span[], cards: readonly { readonly start: number; readonly end: number }[]): readonly Span[] {
  if (cards.length === 0) return spans;
  const all: Span[] = [];
  let next = 0;
  for (const { start, end } of cards) {
    for (let span = spans[next]; span !== undefined && span.end <= start; span = spans[++next]) all.push(span);
    if (spans[next] === undefined || end <= (spans[next]?.start ?? 0)) all.push({ start, end, label: "card number" });
  }
  return [...all, ...spans.slice(next)];
}
