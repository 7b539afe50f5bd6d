// What a notice is about, in one line, as a lock screen shows it: who asks which model, until when,
// and how many warnings there are. For a subject, a header, a fallback text or a title. Nothing of
// the content is in it.

import type { Gate } from "../model/gate.ts";
import { toolName } from "../model/subject/tool-call.ts";
import { type RequestKind, requestKindOf } from "../review/review-facts.ts";
import type { ReviewView } from "../review/view.ts";
import { textOf } from "../words/text.ts";
import { outsideName } from "./plain-text.ts";
import { roughSpan } from "./words/by-intl.ts";
import type { NoticeWords } from "./words/notice-words.ts";

export type NoticeFacts = {
  readonly gate: Gate;
  readonly requestKind: RequestKind;
  readonly requestor: Pick<ReviewView["requestor"], "server" | "client" | "name">;
  /**
   * The first model that may answer, or who answered: a model, or the reviewer who wrote the reply;
   * null where there is none.
   */
  readonly model: string | null;
  /** When the request came, and the deadline: Unix milliseconds. */
  readonly createdAt: number;
  readonly deadlineAt: number;
  readonly warnings: number;
};

export function noticeFacts(view: ReviewView): NoticeFacts {
  const { gate, requestor, createdAt, deadlineAt, risks } = view;
  const { server, client, name } = requestor;
  return {
    gate,
    requestKind: requestKindOf(view),
    requestor: { server, client, name },
    model: modelOf(view),
    createdAt,
    deadlineAt,
    warnings: risks.length,
  };
}

function modelOf(view: ReviewView): string | null {
  if (view.subject === "toolCall") return toolName(view.request);
  if (view.subject !== "message") return null;
  const { gate, models, answeredBy, reply, written = null } = view;
  // No model is asked where a reviewer has written the reply.
  return written?.by ?? (gate === "request" ? models[0]?.id : (answeredBy?.id ?? reply?.model)) ?? null;
}

type LineOptions = {
  /**
   * Says the time left from then on, Unix milliseconds. Null says the deadline itself, which stays
   * true: for what is read later.
   */
  readonly now: number | null;
  /** The most characters of the whole line, as `lengthOf` counts them. */
  readonly most?: number;
  readonly lengthOf?: (line: string) => number;
};

/** The most characters of a name, from the first that fits. */
const nameLengths = [40, 24, 12, 6];

/**
 * One line without line breaks, control characters or invisible characters. It is no markup of any
 * kind, and nobody escaped it.
 */
export function noticeLine(
  facts: NoticeFacts,
  words: NoticeWords,
  { now, most = 300, lengthOf = (line) => line.length }: LineOptions,
): string {
  const rest = `${timeOf(facts, words, now)}${warningsOf(facts, words)}`;
  const lines = nameLengths.map((characters) => `${whatOf(facts, words, characters)} · ${rest}`);
  return lines.find((line) => lengthOf(line) <= most) ?? rest;
}

/** A deadline on another day than the request's has its date. */
function timeOf({ createdAt, deadlineAt }: NoticeFacts, { lang, numbers, review: { notice } }: NoticeWords, now: number | null): string {
  if (now === null) return textOf(notice.until, { time: numbers.clockTime(deadlineAt, createdAt) }, lang);
  if (deadlineAt <= now) return notice.passed;
  const { unit, n } = roughSpan(deadlineAt - now);
  return textOf(notice.left[unit], { n: String(n) }, lang);
}

/** Who asks whom for what: "notes · summarize asks gpt-6.1". */
export function whatOf({ gate, requestKind, requestor, model }: NoticeFacts, words: NoticeWords, characters = 40): string {
  const { notice, kinds } = words.review;
  const { server, client, name } = requestor;
  const short = (text: string): string => outsideName(text, words, { characters, plain: true });
  const places = {
    server: short(server),
    client: short(client),
    name: short(name),
    model: model === null ? notice.noModel : short(model),
  };
  return textOf(kinds[requestKind].notice[gate], places, words.lang);
}

/** " · 1 warning"; empty where there is none. */
export const warningsOf = ({ warnings }: Pick<NoticeFacts, "warnings">, { lang, review: { notice } }: NoticeWords): string =>
  warnings > 0 ? ` · ${textOf(notice.warnings, { n: warnings }, lang)}` : "";
