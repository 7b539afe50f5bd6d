// What several pages of the console show: notes, confirmations, refusals of the API, and what there
// is where there is nothing.

import type { Child } from "hono/jsx";
import type { PointedError } from "../../../shared/model/outcome.ts";
import { Icon } from "../icons.tsx";
import { Name, Plain } from "../outside-text.tsx";
import { type ApiError, detailsOf } from "./api.ts";
import { consoleWords } from "./console-words.ts";
import { type PageAnswer, type Visit, useTexts } from "./page.ts";
import { FormToken } from "./shell.tsx";

/** `ok`: done. `bad`: refused or wrong. `mind`: to know before one goes on. */
export const Note = ({ of, children }: { of: "ok" | "bad" | "mind"; children: Child }) => (
  <div class={`note ${of}`} role={of === "bad" ? "alert" : "status"}>
    <Icon of={of === "ok" ? "check" : of === "bad" ? "cross" : "warning"} />
    <div>{children}</div>
  </div>
);

export const Details = ({ of }: { of: readonly PointedError[] }) =>
  of.length === 0 ? null : (
    <ul>
      {of.slice(0, 20).map(({ pointer, message }) => (
        <li>
          <code>{pointer === "" ? "/" : pointer}</code> <Plain value={message} />
        </li>
      ))}
    </ul>
  );

/** What the API refused, in its own words, with the places in a document that are wrong. */
export const Refused = ({ failure: { status, error, body } }: { failure: ApiError }) => {
  const texts = useTexts(consoleWords);
  return (
    <Note of="bad">
      <p>
        <b>{texts.wasRefused}</b> {status === 403 ? texts.notAllowed : error}
      </p>
      <Details of={detailsOf(body)} />
    </Note>
  );
};

type ListProps = {
  readonly caption?: string;
  readonly columns: readonly string[];
  /** The name of the last column, which has what can be done, for those who do not see it. */
  readonly action: string;
  readonly children: Child;
};

/** Headings of columns, of one class where they have one. */
export const Heads = ({ of, class: classes }: { of: readonly string[]; class?: string }) => (
  <>
    {of.map((name) => (
      <th scope="col" {...(classes === undefined ? {} : { class: classes })}>
        {name}
      </th>
    ))}
  </>
);

/** A list whose rows become cards on a phone. */
export const List = ({ caption, columns, action, children }: ListProps) => (
  <table class="cards">
    {caption === undefined ? null : <caption>{caption}</caption>}
    <thead>
      <tr>
        {columns.map((name) => (
          <th>{name}</th>
        ))}
        <th>
          <span class="sr">{action}</span>
        </th>
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
);

type TagProps = { readonly of?: "ok" | "bad" | "mind"; readonly icon: Parameters<typeof Icon>[0]["of"]; readonly children: Child };

/** A state in a word or two. */
export const Tag = ({ of, icon, children }: TagProps) => (
  <span class={of === undefined ? "tag" : `tag ${of}`}>
    <Icon of={icon} />
    {children}
  </span>
);

export const LinkButton = ({ to, children }: { to: string; children: Child }) => (
  <a class="btn small" href={to}>
    {children}
  </a>
);

export const Names = ({ of }: { of: readonly string[] }) => <>{of.map((value, i) => [i === 0 ? "" : ", ", <Name value={value} />])}</>;

/** What was done by the form before, as the address says it in `done`. */
export const Done = ({ visit, texts }: { visit: Visit; texts: Readonly<Record<string, string>> }) => {
  const done = visit.query.get("done") ?? "";
  return Object.hasOwn(texts, done) ? <Note of="ok">{texts[done]}</Note> : null;
};

type ChipsProps = {
  readonly label: string;
  readonly of: readonly { readonly name: string; readonly href: string; readonly isCurrent: boolean }[];
  readonly children?: Child;
};

export const Chips = ({ label, of, children }: ChipsProps) => (
  <nav class="chips" aria-label={label}>
    {of.map(({ name, href, isCurrent }) => (
      <a class="chip" href={href} {...(isCurrent ? { "aria-current": "true" as const } : {})}>
        {name}
      </a>
    ))}
    {children}
  </nav>
);

export const Empty = ({ children }: { children: Child }) => <p class="empty">{children}</p>;

type DownloadProps = {
  readonly visit: Visit;
  readonly file: "record" | "usage" | "requests-csv" | "requests-ndjson" | "decisions-csv" | "decisions-ndjson" | "receipt";
  /** What its query has in the operator's API. */
  readonly query?: Readonly<Record<string, string>>;
  /** For those who do not see where the button stands. */
  readonly about?: Child;
  readonly children: Child;
};

/** A button that saves a file: a form, since an export is recorded. */
export const Download = ({ visit, file, query = {}, about, children }: DownloadProps) => (
  <Press visit={visit} to={visit.at(`download/${file}`)} fields={query} {...(about === undefined ? {} : { about })}>
    {children}
  </Press>
);

type PressProps = {
  readonly visit: Visit;
  readonly to: string;
  readonly fields: Readonly<Record<string, string>>;
  /** For those who do not see where the button stands. */
  readonly about?: Child;
  readonly children: Child;
};

/** A button that posts. */
export const Press = ({ visit, to, fields, about, children }: PressProps) => (
  <form method="post" action={to}>
    <FormToken visit={visit} />
    <Hidden fields={fields} />
    <button class="btn small" type="submit">
      {children}
      {about === undefined ? null : <span class="sr"> {about}</span>}
    </button>
  </form>
);

const Hidden = ({ fields }: { fields: Readonly<Record<string, string>> }) => (
  <>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

type ConfirmProps = {
  readonly visit: Visit;
  /** The page that the form posts to. */
  readonly to: string;
  readonly fields: Readonly<Record<string, string>>;
  /** What opens the question. `about`: for those who do not see where it stands. */
  readonly ask: string;
  readonly about: string;
  /** What will happen, and whether it can be undone. */
  readonly says: Child;
  readonly button: string;
};

/** What cannot be undone takes two presses: the first one opens the question. */
export const Confirm = ({ visit, to, fields, ask, about, says, button }: ConfirmProps) => (
  <details class="confirm">
    <summary class="btn small no">
      {ask}
      <span class="sr"> {about}</span>
    </summary>
    <form method="post" action={visit.at(to)}>
      <FormToken visit={visit} />
      <Hidden fields={fields} />
      <p>{says}</p>
      <button class="btn small no solid" type="submit">
        {button}
      </button>
    </form>
  </details>
);

type Saying = {
  readonly status: number;
  readonly title: string;
  readonly says: () => Child;
  readonly back?: readonly [href: string, name: string];
};

/** A page that says one thing. */
export const sayingPage = ({ status, title, says, back }: Saying): Extract<PageAnswer, { kind: "page" }> => ({
  kind: "page",
  status,
  title,
  body: () => (
    <>
      <h1>{title}</h1>
      {says()}
      {back === undefined ? null : (
        <p>
          <a href={back[0]}>{back[1]}</a>
        </p>
      )}
    </>
  ),
});

/** `newer`, `older`: where they lead; null where there is nothing there. */
export const Pager = ({ newer, older }: { newer: string | null; older: string | null }) => {
  const { earlier, later } = useTexts(consoleWords);
  if (newer === null && older === null) return null;
  return (
    <p class="keyline">
      {newer === null ? null : <LinkButton to={newer}>{later}</LinkButton>}
      {older === null ? null : <LinkButton to={older}>{earlier}</LinkButton>}
    </p>
  );
};

type PageOf<T> = { readonly shown: readonly T[]; readonly newer: string | null; readonly older: string | null };

/** The part of a list that the address names in `page`, from 1. `query`: what else it has. */
export function pageOf<T>(visit: Visit, all: readonly T[], size: number, query: Readonly<Record<string, string | null>> = {}): PageOf<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(pages, Math.max(1, Math.floor(Number(visit.query.get("page"))) || 1));
  const at = (number: number): string => visit.at(visit.page, { ...query, page: number });
  return {
    shown: all.slice((page - 1) * size, page * size),
    newer: page > 1 ? at(page - 1) : null,
    older: page < pages ? at(page + 1) : null,
  };
}
