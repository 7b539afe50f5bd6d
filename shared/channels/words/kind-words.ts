// What is said of each subject, and of each kind of request, in words of its own: the one place
// that a new subject's words go to, in each language.

import type { Gate } from "../../model/gate.ts";
import { type SubjectKind, subjectKinds } from "../../model/subject/subject.ts";
import type { RunProgress } from "../../review/view.ts";

/** What rules, lists and the console's forms call a subject. */
export type SubjectWords = {
  /** One of them, and many. */
  readonly one: string;
  readonly many: string;
  /** What came of it. */
  readonly reply: string;
  /**
   * In a rule's sentence, where what stands between two `*` is stressed: the condition that it is
   * one, and what is allowed and asked, with {people}.
   */
  readonly condition: string;
  readonly acts: Readonly<Record<"allow" | "askBoth" | "askPrompt" | "askReply", string>>;
};

/** The names of all subjects, for a list or a form. */
export const subjectNames = (
  words: Readonly<Record<SubjectKind, SubjectWords>>,
  name: "one" | "many",
): Readonly<Record<SubjectKind, string>> =>
  Object.fromEntries(subjectKinds.map((kind) => [kind, words[kind][name]])) as Record<SubjectKind, string>; // one of each

/** While it is open, and afterwards. */
type Tenses = { readonly now: string; readonly then: string };

type GateWords = {
  /** The current state, the heading of what is reviewed, and the button that approves it. */
  readonly lead: string;
  readonly content: string;
  readonly approve: string;
  /** The link to the review, in an email or a chat. */
  readonly link: string;
  /** What approving it in a chat does: with several models, and with one. */
  readonly exactly: string;
  readonly exactlyOne: string;
  /** The titles of the dialogs in a chat, and what submitting {version} with edits does. */
  readonly denyTitle: string;
  readonly editTitle: string;
  readonly edit: string;
  /** What Approve does on the page, with {model}, {server} and {to}. */
  readonly effect: { readonly same: string; readonly changed: string };
  /** Who wrote the texts of an excerpt; empty of a message, whose parts say that. */
  readonly from: string;
  /** What a reviewer has to know before approving; empty where there is nothing. */
  readonly caution: string;
};

/** From the approval of the request to the review of what came of it. */
type NextWords = {
  readonly approved: string;
  readonly answersNow: string;
  readonly here: string;
  readonly answers: string;
  readonly answered: string;
  readonly mayWait: string;
  readonly waits: string;
  readonly waitsHere: string;
  readonly delivers: string;
  readonly review: string;
};

/** {server}, {client}, {method}, {name}, {model} and {caller}, which is the server and its tool. */
export type KindWords = {
  /** The line that says what a notice is about. */
  readonly notice: Readonly<Record<Gate, string>>;
  /** The page's heading. */
  readonly heading: Readonly<Record<Gate, Tenses>>;
  /** Headings, without a name in them. */
  readonly title: Readonly<Record<Gate, string>>;
  readonly closedTitle: Readonly<Record<Gate, string>>;
  /** Who asks for what; `asked` when it is over. */
  readonly asks: string;
  readonly asked: string;
  readonly gates: Readonly<Record<Gate, GateWords>>;
  /** Its places, by the beginning of their pointer; none of what content-words.ts names itself. */
  readonly places: Readonly<Record<string, string>>;
  /** What happens where nobody decides, with {at}. */
  readonly silence: string;
  /** The heading of the request beside what came of it. */
  readonly prompt: string;
  /** In the place of what was denied. */
  readonly hidden: string;
  readonly steps: { readonly asked: string; readonly served?: string; readonly answered: string };
  /** The state of the run, on the page of a decided review. */
  readonly progress: Readonly<Record<RunProgress, string>>;
  readonly next: NextWords;
};
