// The email that asks a reviewer to decide: subject, text and HTML. It has one link and nothing
// that decides: no form, script, image or other resource. It never has more of the content than the
// policy's `noticeExcerpt` allows.

import type { Child } from "hono/jsx";
import { gateWords, titleWords } from "../../shared/channels/fact-words.ts";
import { type Excerpt, excerptCharacters, excerptOf, startOf } from "../../shared/channels/excerpt.ts";
import { type ReviewFacts, reviewFacts } from "../../shared/review/review-facts.ts";
import type { ReviewView } from "../../shared/review/view.ts";
import type { AskWhy } from "../../shared/run/lifecycle.ts";
import { handOverOf } from "../../shared/channels/hand-over.ts";
import { noticeFacts, noticeLine } from "../../shared/channels/notice-line.ts";
import { linesOf } from "./email-lines.ts";
import { framed, outsideName, outsideText } from "../../shared/channels/plain-text.ts";
import type { Language } from "../../shared/channels/words/languages.ts";
import { wordsOf } from "../../shared/channels/words/words.ts";
import { inLanguage, useWords } from "./language.ts";
import { fill, fillText } from "./sentence.tsx";

export type ReviewEmailInput = {
  readonly view: ReviewView;
  readonly language: Language;
  /** The reviewer's personal link. */
  readonly url: string;
  readonly why: AskWhy | "reminder" | "changed" | "newLink";
  readonly excerpt: "none" | "start";
  /** When the link stops working, Unix milliseconds. */
  readonly expiresAt: number;
};

export type EmailContent = {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The tag of its language. */
  readonly language: string;
};

/** Gmail cuts at about 102 KB, and other programs earlier: every email stays well below. */
export const mostHtmlBytes = 40_000;

/**
 * The whole email. Its excerpt is shortened until the email is small enough, and says how much is
 * left out.
 */
export const reviewEmail = (input: ReviewEmailInput): EmailContent => inLanguage(wordsOf(input.language), () => emailInWords(input));

function emailInWords(input: ReviewEmailInput): EmailContent {
  const subject = subjectOf(input.view);
  for (let characters = excerptCharacters; ; characters = Math.floor(characters / 2)) {
    const excerpt = shownExcerpt(input, characters);
    const html = htmlOf(input, subject, excerpt);
    // A text of invisible characters grows many times over, because they are written out.
    if (characters === 0 || new TextEncoder().encode(html).length < mostHtmlBytes)
      return { subject, text: textOf(input, excerpt), html, language: useWords().page.lang };
  }
}

/**
 * The same for every email about one gate of a run, until an edit changes the model or the
 * warnings, and for no other run: email programs group by it. It says the deadline and not the time
 * left, which would be wrong in a reminder.
 */
export function subjectOf(view: ReviewView): string {
  return `${noticeLine(noticeFacts(view), useWords(), { now: null })} (${view.run.slice(0, 14)})`;
}

/** The label of the deadline, and what happens then. */
function endWords(view: ReviewView): { readonly label: string; readonly silence: string } {
  const { email, numbers, review } = useWords();
  if (view.subject !== "form") return email.deadline;
  return { label: email.form.deadline, silence: fillText(review.kinds.form.silence, { at: numbers.time(view.deadlineAt) }) };
}

/** Undefined where the email has none; a reminder has none, because an earlier email had it. */
const shownExcerpt = ({ view, why, excerpt }: ReviewEmailInput, characters: number): Excerpt | undefined =>
  excerpt === "none" || why === "reminder" ? undefined : excerptOf(view, characters);

function noExcerpt({ excerpt }: ReviewEmailInput): string {
  const words = useWords().excerpt;
  return excerpt === "none" ? words.none : words.later;
}

function endOf(excerpt: Excerpt): string {
  const words = useWords().excerpt;
  if (excerpt.more > 0) return fillText(words.more, { n: excerpt.more });
  return excerpt.pieces.length === 0 ? words.nothing : words.all;
}

function deadlineOf({ deadline: { at, leftMs } }: ReviewFacts): Child[] {
  const { email: words, numbers } = useWords();
  const sentence = leftMs > 0 ? words.deadline.left : words.deadline.passed;
  return fill(sentence, { deadline: numbers.time(at), span: numbers.left(leftMs) });
}

function whyOf({ why, view }: ReviewEmailInput): Child[] {
  const words = useWords();
  const { form, why: reasons } = words.email;
  const sentences = view.subject === "form" ? { ...reasons, ...form.why } : reasons;
  return fill(sentences[why], { reviewer: outsideName(view.reviewer, words), version: String(view.version) });
}

function rulesOf({ view, expiresAt }: ReviewEmailInput, name: (text: string) => Child): Child[][] {
  const { email, numbers } = useWords();
  return [
    [email.rules.personal],
    [email.rules.reply],
    fill(email.rules.expiry, { expiry: numbers.time(expiresAt) }),
    fill(email.rules.because, { rule: name(view.rule) }),
  ];
}

export const inText = (text: string): string => `“${outsideName(text, useWords())}”`;

/** The hand-over's note in the text part. */
function noteLines(view: ReviewView): string[] {
  const words = useWords();
  const { handedOver, secret } = words.review;
  const handOver = handOverOf(view);
  if (handOver === null) return [];
  const by = fill(handedOver.by, { by: outsideName(handOver.by, words) }).join("");
  if (handOver.leftOut !== undefined) return ["", by, `${handedOver.note}${words.review.marks.colon}${secret}`];
  return ["", by, ...(handOver.note === null ? [] : framed(handOver.note, { start: handedOver.note, end: words.excerpt.end }, words))];
}

function textOf(input: ReviewEmailInput, excerpt: Excerpt | undefined): string {
  const { view, url } = input;
  const all = useWords();
  const { excerpt: edges, review } = all;
  const end = endWords(view);
  const facts = reviewFacts(view);
  const gate = gateWords(facts, review);
  const content =
    excerpt === undefined
      ? [noExcerpt(input)]
      : [
          edges.rule,
          ...excerpt.pieces.flatMap(({ from, text, leftOut }) =>
            leftOut === undefined
              ? ["", ...framed(text, { start: startOf(view, from, all), end: edges.end }, all)]
              : ["", `${startOf(view, from, all)}${review.marks.colon}${review.secret}`],
          ),
          "",
          endOf(excerpt),
        ];
  const lines = [
    titleWords({ ...facts, isOpen: true }, review),
    "",
    whyOf(input).join(""),
    gate.lead,
    ...(facts.bar === null || facts.bar === "voted" ? [] : [review[facts.bar]]),
    ...noteLines(view),
    "",
    `${gate.link}${review.marks.colon.trim()}`,
    url,
    "",
    `${end.label}${review.marks.colon}${deadlineOf(facts).join("")}`,
    end.silence,
    "",
    ...linesOf(view, facts, inText).map(
      ({ label, sentences }) => `${label}${review.marks.colon}${sentences.map((parts) => parts.join("")).join(" ")}`,
    ),
    "",
    ...content,
    "",
    ...rulesOf(input, inText).map((parts) => parts.join("")),
  ];
  return `${lines.join("\n")}\n`;
}

// Inline, because email programs drop stylesheets. Only the button and the frame have colours of
// ours, readable on light and dark; the rest are the program's own.
export const emailStyles = {
  body: "margin:0;padding:0;",
  page: "max-width:600px;margin:0 auto;padding:16px;font-family:system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;font-size:16px;line-height:1.5;overflow-wrap:anywhere;word-break:break-word;",
  title: "margin:0 0 12px;font-size:22px;line-height:1.3;",
  line: "margin:0 0 12px;",
  cell: "border-radius:8px;background-color:#14603a;text-align:center;",
  button:
    "display:block;padding:14px 20px;min-height:24px;border:2px solid #14603a;border-radius:8px;background-color:#14603a;color:#ffffff;font-size:18px;line-height:24px;font-weight:bold;text-decoration:none;",
  heading: "margin:24px 0 8px;font-size:18px;line-height:1.3;",
  name: "font-family:ui-monospace,Menlo,Consolas,monospace;font-weight:bold;",
  frame: "margin:0 0 16px;padding:8px 12px;border:1px solid #b07d1c;border-left:6px solid #b07d1c;background-color:rgba(176,125,28,0.12);",
  edge: "margin:0;font-weight:bold;",
  said: "margin:8px 0;font-family:ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere;word-break:break-word;",
  rules: "margin:24px 0 0;padding:16px 0 0;border-top:1px solid #8b939c;",
} as const;

const Named = ({ value }: { value: string }) => <bdi style={emailStyles.name}>{outsideName(value, useWords())}</bdi>;
export const inHtml = (text: string): Child => <Named value={text} />;

const Sentences = ({ of }: { of: readonly Child[][] }) => <>{of.flatMap((sentence, i) => (i === 0 ? sentence : [" ", ...sentence]))}</>;

const Said = ({ text }: { text: string }) => (
  <div dir="auto" style={emailStyles.said}>
    {outsideText(text, useWords())
      .split("\n")
      // As elements, because some programs drop line ends in spite of `pre-wrap`.
      .flatMap((line, i) => (i === 0 ? [line] : [<br />, line]))}
  </div>
);

const Content = ({ excerpt, view }: { excerpt: Excerpt; view: ReviewView }) => {
  const all = useWords();
  const { excerpt: words, review } = all;
  return (
    <>
      <h2 style={emailStyles.heading}>{words.heading}</h2>
      {excerpt.pieces.length === 0 ? null : <p style={emailStyles.line}>{words.rule}</p>}
      {excerpt.pieces.map(({ from, text, leftOut }) =>
        leftOut !== undefined ? (
          <p style={emailStyles.line}>
            <b>
              {startOf(view, from, all)}
              {review.marks.colon}
            </b>
            {review.secret}
          </p>
        ) : (
          <div style={emailStyles.frame}>
            <p style={emailStyles.edge}>{startOf(view, from, all)}</p>
            <Said text={text} />
            <p style={emailStyles.edge}>{words.end}</p>
          </div>
        ),
      )}
      <p style={emailStyles.line}>{endOf(excerpt)}</p>
    </>
  );
};

const Note = ({ view }: { view: ReviewView }) => {
  const { handedOver, secret, marks } = useWords().review;
  const handOver = handOverOf(view);
  if (handOver === null) return null;
  const { by, note, leftOut } = handOver;
  return (
    <>
      <p style={emailStyles.line}>{fill(handedOver.by, { by: inHtml(by) })}</p>
      {leftOut === undefined ? null : (
        <p style={emailStyles.line}>
          <b>
            {handedOver.note}
            {marks.colon}
          </b>
          {secret}
        </p>
      )}
      {note === null ? null : (
        <div style={emailStyles.frame}>
          <p style={emailStyles.edge}>{handedOver.note}</p>
          <Said text={note} />
        </div>
      )}
    </>
  );
};

/** A whole HTML part around its content. */
export const emailPage = (subject: string, content: Child): string =>
  `<!doctype html>${String(
    <html lang={useWords().page.lang} style="color-scheme:light dark;">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no" />
        <meta name="x-apple-disable-message-reformatting" />
        <title>{subject}</title>
      </head>
      <body style={emailStyles.body}>
        <div style={emailStyles.page}>{content}</div>
      </body>
    </html>,
  )}`;

function htmlOf(input: ReviewEmailInput, subject: string, excerpt: Excerpt | undefined): string {
  const { view, url } = input;
  const all = useWords();
  const { review } = all;
  const end = endWords(view);
  const facts = reviewFacts(view);
  const gate = gateWords(facts, review);
  return emailPage(
    subject,
    <>
      <h1 style={emailStyles.title}>{titleWords({ ...facts, isOpen: true }, review)}</h1>
      <p style={emailStyles.line}>
        {whyOf(input)} {gate.lead}
      </p>
      {facts.bar === null || facts.bar === "voted" ? null : <p style={emailStyles.line}>{review[facts.bar]}</p>}
      <Note view={view} />
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:16px 0;border:0;">
        <tr>
          <td bgcolor="#14603a" style={emailStyles.cell}>
            <a href={url} style={emailStyles.button}>
              {gate.link}
            </a>
          </td>
        </tr>
      </table>
      <p style={emailStyles.line}>
        <b>
          {end.label}
          {review.marks.colon}
        </b>
        {deadlineOf(facts)} {end.silence}
      </p>
      {linesOf(view, facts, inHtml).map(({ label, sentences }) => (
        <p style={emailStyles.line}>
          <b>
            {label}
            {review.marks.colon}
          </b>
          <Sentences of={sentences} />
        </p>
      ))}
      {excerpt === undefined ? <p style={emailStyles.line}>{noExcerpt(input)}</p> : <Content excerpt={excerpt} view={view} />}
      <div style={emailStyles.rules}>
        {rulesOf(input, inHtml).map((rule) => (
          <p style={emailStyles.line}>{rule}</p>
        ))}
      </div>
    </>,
  );
}
