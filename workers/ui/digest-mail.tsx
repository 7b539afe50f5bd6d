// The email about several reviews at once: a line and a link for each. It has nothing of the content.

import type { Child } from "hono/jsx";
import type { DigestEntry } from "../../shared/channels/digest-content.ts";
import { type MailContent, inHtml, inText, mailPage, mailStyles } from "./mail.tsx";
import { outsideName } from "./mail-text.ts";
import { emailWords, reviewWords } from "../../shared/channels/words/words.ts";
import { fill } from "./sentence.tsx";

const { digest: words, gates, run: runWords, rules } = emailWords;

export function digestMail(entries: readonly DigestEntry[]): MailContent {
  const subject = reviewWords.digest(entries.length);
  const reviewer = outsideName(entries[0]?.reviewer.name ?? "");
  const why = fill(words.why, { reviewer }).join("");
  const lines = [
    subject,
    "",
    why,
    ...entries.flatMap((entry) => ["", `${buttonOf(entry)}: ${whatOf(entry, inText).join("")}`, deadlineOf(entry), entry.url]),
    "",
    rules.personal,
    rules.reply,
  ];
  const html = mailPage(
    subject,
    <>
      <h1 style={mailStyles.title}>{subject}</h1>
      <p style={mailStyles.line}>{why}</p>
      {entries.map((entry) => (
        <p style={mailStyles.line}>
          <a href={entry.url}>
            <b>{buttonOf(entry)}</b>
          </a>
          : {whatOf(entry, inHtml)}
          <br />
          {deadlineOf(entry)}
        </p>
      ))}
      <div style={mailStyles.rules}>
        <p style={mailStyles.line}>{rules.personal}</p>
        <p style={mailStyles.line}>{rules.reply}</p>
      </div>
    </>,
  );
  return { subject, text: `${lines.join("\n")}\n`, html };
}

const buttonOf = ({ asking, gate }: DigestEntry): string => (asking === "function" ? runWords : gates)[gate].button;

const whatOf = ({ asking, requestor: { server, client, name } }: DigestEntry, show: (text: string) => Child): Child[] =>
  fill(reviewWords.asking[asking].subject, { server: show(server), client: show(client), name: show(name) });

const deadlineOf = ({ deadlineAt }: DigestEntry): string => fill(words.deadline, { deadline: reviewWords.time(deadlineAt) }).join("");
