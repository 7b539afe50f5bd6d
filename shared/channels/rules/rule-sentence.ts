// A rule of the policy as sentences: when it applies, whom it asks, and what else it says.
// Exhaustive by type: a condition or a consequence without its words does not compile.

import { type ArgumentCondition, comparisonNames } from "../../policy/argument-conditions.ts";
import { type Conditions, conditionNames } from "../../policy/conditions.ts";
import { type Consequences, isForSignedIn, mayAsk } from "../../policy/rules.ts";
import type { SubjectKind } from "../../model/subject/subject.ts";
import { subjectsEn } from "../words/en/kinds-en.ts";
import { numbersEn } from "../words/en/page-numbers-en.ts";
import { subjectsZh } from "../words/zh/kinds-zh.ts";
import { numbersZh } from "../words/zh/page-numbers-zh.ts";
import { textParts } from "../../words/text.ts";
import { type RuleWords, ruleWords } from "./rule-words.ts";
import type { SubjectWords } from "../words/kind-words.ts";
import type { Language } from "../words/languages.ts";

/** Words of ours, a value to stress, or a name that somebody else gave. */
export type SentencePart = string | { readonly strong: string } | { readonly name: string };

type Speech = {
  readonly words: RuleWords;
  readonly subjects: Readonly<Record<SubjectKind, SubjectWords>>;
  readonly locale: string;
  readonly span: (milliseconds: number) => string;
};

const speeches: Readonly<Record<Language, Speech>> = {
  en: { words: ruleWords.en, subjects: subjectsEn, locale: "en-GB", span: numbersEn.span },
  "zh-CN": { words: ruleWords["zh-CN"], subjects: subjectsZh, locale: "zh-CN", span: numbersZh.span },
};

/**
 * What a rule says of itself. `when`: null for the default. `then`: with all its fields;
 * `reviewers`: those that it asks.
 */
type SpokenRule = {
  readonly when: Conditions | null;
  readonly then: Omit<Consequences, "shadow" | "juror"> &
    Partial<Pick<Consequences, "juror">> & { readonly reviewers: readonly string[]; readonly shadow?: boolean };
};

/** The sentences of a rule, as parts to be shown one after the other. */
export function ruleSentence({ when, then }: SpokenRule, language: Language): SentencePart[] {
  const speech = speeches[language];
  const conditions = when === null ? [] : conditionsOf(when, speech);
  const acts = actsOf(when, then, speech);
  const opened =
    conditions.length === 0
      ? [...opening(when, speech), ...acts]
      : filled(speech.words.if, { conditions: allOf(conditions, speech), act: acts });
  const more = consequenceNames.flatMap((name) => consequences[name](then, speech).map((sentence) => [speech.words.space, ...sentence]));
  return joined([...capitalized(opened), ...more.flat()]);
}

const opening = (when: Conditions | null, { words }: Speech): SentencePart[] => (when === null ? [] : [words.always]);

type Sentence = readonly SentencePart[];

const strong = (text: string): SentencePart => ({ strong: text });

/** Pointers and values are the document's own. */
function argumentSays({ pointer, ...compared }: ArgumentCondition, speech: Speech): Sentence {
  const says = speech.words.when.arguments;
  const name = comparisonNames.find((each) => compared[each] !== undefined) ?? "present"; // the schema wants one
  const sentence = name === "present" ? says.present[compared.present === false ? "no" : "yes"] : says[name];
  const values = name === "oneOf" ? (compared.oneOf ?? []) : [compared[name]];
  const written = values.map((value) => [{ name: typeof value === "string" ? value : JSON.stringify(value) }]);
  return filled(sentence, { pointer: [{ name: pointer }], value: listOf(written, speech) });
}

type Value = string | number | boolean;
type ValueOrMembers = Value | Readonly<Record<string, Value | undefined>>;
type Words = string | { readonly [of: string]: Words };

/** What the words of a condition say of its value; the members of an object in their order. */
function saysOf(value: ValueOrMembers, words: Words | undefined, speech: Speech): readonly Sentence[] {
  if (typeof words === "string") return [filled(words, placesOf(typeof value === "object" ? value : { value }, speech))];
  if (typeof value !== "object") return saysOf({}, words?.[typeof value === "boolean" ? (value ? "yes" : "no") : value], speech);
  return Object.entries(words ?? {}).flatMap(([name, ofMember]) => {
    const { [name]: member } = value;
    return member === undefined ? [] : saysOf(member, ofMember, speech);
  });
}

/** A name stands as it was given, and a number is stressed. */
const placesOf = (values: Readonly<Record<string, Value | undefined>>, { locale }: Speech): Record<string, Sentence> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      [typeof value === "number" ? strong(value.toLocaleString(locale)) : { name: String(value) }],
    ]),
  );

/** As it is written in the document: a limit is not rounded. */
const dollarsOf = (usd: number, locale: string): string =>
  usd.toLocaleString(locale, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 0,
    maximumFractionDigits: 12,
  });

const conditionsOf = (when: Conditions, speech: Speech): Sentence[] => conditionNames.flatMap((name) => conditionSays(name, when, speech));

function conditionSays(name: keyof Conditions, when: Conditions, speech: Speech): readonly Sentence[] {
  if (name === "subject") return when.subject === undefined ? [] : [stressed(speech.subjects[when.subject].condition)];
  const { [name]: value } = when;
  if (value === undefined) return [];
  if (Array.isArray(value)) return value.map((each) => argumentSays(each, speech));
  if (name === "costOverUsd" && typeof value === "number")
    return [filled(speech.words.when[name], { value: [strong(dollarsOf(value, speech.locale))] })];
  return saysOf(value, speech.words.when[name], speech);
}

/** Who is asked about what, and what is allowed. */
function actsOf(when: Conditions | null, { request, response, replyRisk, reviewers }: SpokenRule["then"], speech: Speech): Sentence {
  const { then: words } = speech.words;
  const { acts, reply: came } = speech.subjects[when?.subject ?? "message"];
  const people = request === "confirm" ? [strong(words.owner)] : peopleIn(reviewers, speech);
  if (request === "refuse") return stressed(words.refuse);
  const reply = [came];
  const warned = replyRisk === null ? [] : [speech.words.space, ...filled(words.askIfWarned[replyRisk], { people, reply })];
  if (request !== "allow")
    return response === "review" ? filled(acts.askBoth, { people }) : [...filled(acts.askPrompt, { people }), ...warned];
  return response === "review" ? filled(acts.askReply, { people }) : [...stressed(acts.allow), ...warned];
}

/** Where nobody is ever asked, who may approve and for how long says nothing. */
const isAsked = mayAsk;
const isOpen = ({ request }: Pick<Consequences, "request">): boolean => request !== "refuse";

type Consequence = (then: SpokenRule["then"], speech: Speech) => readonly Sentence[];

const none: Consequence = () => [];
const flag =
  (
    name: "tellReason" | "tellAuthor" | "grantsInferred" | "timeoutCoversReview",
    given: (then: SpokenRule["then"]) => boolean = isAsked,
  ): Consequence =>
  (then, { words }) =>
    then[name] && given(then) ? [[words.then[name]]] : [];

const consequences: { readonly [Name in keyof Consequences]-?: Consequence } = {
  // In `actsOf`.
  request: none,
  response: none,
  replyRisk: none,
  reviewers: none,
  quorum: (then, { words, locale }) =>
    isAsked(then) && then.request !== "confirm"
      ? [then.quorum === 1 ? [words.then.one] : filled(words.then.quorum, { count: [strong(then.quorum.toLocaleString(locale))] })]
      : [],
  remindAtSeconds: (then, speech) =>
    isAsked(then) && then.remindAtSeconds.length > 0
      ? [
          filled(speech.words.then.remind, {
            times: listOf(
              then.remindAtSeconds.map((seconds) => [spanOf(seconds, speech)]),
              speech,
            ),
          }),
        ]
      : [],
  escalate: (then, speech) =>
    isAsked(then) && then.escalate !== null
      ? [
          filled(speech.words.then.escalate, {
            time: [spanOf(then.escalate.afterSeconds, speech)],
            people: peopleIn(then.escalate.to, speech),
          }),
        ]
      : [],
  deadlineSeconds: (then, speech) =>
    isAsked(then) ? [filled(speech.words.then.expires, { time: [strong(spanOf(then.deadlineSeconds, speech))] })] : [],
  selfApproval: (then, { words }) => (isAsked(then) && then.request !== "confirm" && !then.selfApproval ? [[words.then.notOwn]] : []),
  grants: (then, { words }) => (isAsked(then) && then.grants ? [[words.then.grants[then.boundTo]]] : []),
  grantsInferred: flag("grantsInferred", (then) => isAsked(then) && then.grants),
  // With grants it is in their sentence.
  boundTo: (then, { words }) => (isOpen(then) && !then.grants && then.boundTo !== "tool" ? [[words.then.keptReplies]] : []),
  handOverTo: (then, speech) => {
    if (!isAsked(then) || then.handOverTo === undefined) return [];
    if (then.handOverTo.length === 0) return [[speech.words.then.noHandOver]];
    return [filled(speech.words.then.handOver, { people: peopleIn(then.handOverTo, speech) })];
  },
  noticeExcerpt: (then, { words }) => (isAsked(then) && then.noticeExcerpt === "start" ? [[words.then.excerpt]] : []),
  identity: (then, { words }) => (isAsked(then) && isForSignedIn(then) ? [[words.then.signedIn]] : []),
  confirm: ({ confirm, ...then }, { words }) => (isAsked(then) && confirm === "passkey" ? [[words.then.passkey]] : []),
  tellReason: flag("tellReason"),
  tellAuthor: flag("tellAuthor"),
  context: (then, { words }) => (isOpen(then) && then.context === "thisServer" ? [[words.then.context]] : []),
  timeoutCoversReview: flag("timeoutCoversReview"),
  shadow: (then, { words }) => (then.shadow ? [stressed(words.then.shadow)] : []),
  juror: ({ juror = null }, { words, locale }) => {
    if (juror === null) return [];
    const { mayPass } = juror;
    const values = { model: [{ name: juror.model }], count: [strong((mayPass?.perHour ?? 0).toLocaleString(locale))] };
    return [filled(words.then.juror[mayPass === undefined ? "raises" : "passes"], values)];
  },
  receipt: (then, { words }) => (isOpen(then) && then.receipt ? [[words.then.receipt]] : []),
  cheaperWithinBudget: (then, { words }) => (isOpen(then) && then.cheaperWithinBudget ? [[words.then.cheaper]] : []),
};

const consequenceNames = Object.keys(consequences) as (keyof Consequences)[]; // its own names

const spanOf = (seconds: number, { span }: Speech): string => span(seconds * 1_000);

/** A policy that is valid asks nobody only where it allows all. */
const peopleIn = (names: readonly string[], speech: Speech): Sentence =>
  names.length === 0
    ? [strong(speech.words.nobody)]
    : listOf(
        names.map((name) => [{ name }]),
        speech,
      );

function allOf(conditions: readonly Sentence[], speech: Speech): Sentence {
  const { and } = speech.words;
  return and === ""
    ? listOf(conditions, speech)
    : conditions.flatMap((condition, index) => (index === 0 ? condition : [and, ...condition]));
}

/** With commas and the word for "and" of the language. */
function listOf(items: readonly Sentence[], { locale }: Speech): Sentence {
  const format = new Intl.ListFormat(locale, { type: "conjunction" });
  return format
    .formatToParts(items.map((_, index) => String(index)))
    .flatMap(({ type, value }): Sentence => (type === "element" ? (items[Number(value)] ?? []) : [value]));
}

/** `{value}` is replaced by its parts; what stands between `*` is stressed. */
const filled = (sentence: string, values: Readonly<Record<string, Sentence>>): Sentence =>
  textParts(sentence, values, "en").flatMap((part) => (typeof part === "string" ? stressed(part) : part)); // no numbers

const stressed = (sentence: string): Sentence =>
  sentence.split("*").flatMap((part, index): Sentence => (part === "" ? [] : [index % 2 === 1 ? strong(part) : part]));

const capitalized = ([first, ...rest]: Sentence): Sentence =>
  first === undefined ? [] : [typeof first === "string" ? upper(first) : "strong" in first ? strong(upper(first.strong)) : first, ...rest];
const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Neighbouring words of ours in one part. */
function joined(parts: Sentence): SentencePart[] {
  const all: SentencePart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === "string" && typeof last === "string") all[all.length - 1] = last + part;
    else if (part !== "") all.push(part);
  }
  return all;
}
