// What several pages of the console show: notes, confirmations, refusals of the API, and what there
// is where there is nothing.

import type { Child } from "hono/jsx";
import type { PointedError } from "../../../shared/model/outcome.ts";
import { Icon } from "../icons.tsx";
import type { ApiError } from "./api.ts";
import { consoleWords } from "./console-words.ts";
import { type Visit, useTexts } from "./page.ts";
import { FormToken } from "./shell.tsx";

/** `ok`: done. `bad`: refused or wrong. `mind`: to know before one goes on. */
export const Note = ({ of, children }: { of: "ok" | "bad" | "mind"; children: Child }) => (
  <div class={`note ${of}`} role={of === "bad" ? "alert" : "status"}>
    <Icon of={of === "ok" ? "check" : of === "bad" ? "cross" : "warning"} />
    <div>{children}</div>
  </div>
);

/** What is wrong in a document, each with its place. */
export const Details = ({ of }: { of: readonly Partial<PointedError>[] }) =>
  of.length === 0 ? null : (
    <ul>
      {of.slice(0, 20).map(({ pointer, message }) => (
        <li>
          {pointer === undefined ? null : <code>{pointer === "" ? "/" : pointer}</code>} {message}
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
      <Details of={Array.isArray(body["details"]) ? (body["details"] as readonly Partial<PointedError>[]) : []} />
    </Note>
  );
};

/**
 * The head of a list whose last column has what can be done; that column's name is for those who do
 * not see it.
 */
export const Columns = ({ of, action }: { of: readonly string[]; action: string }) => (
  <thead>
    <tr>
      {of.map((name) => (
        <th>{name}</th>
      ))}
      <th>
        <span class="sr">{action}</span>
      </th>
    </tr>
  </thead>
);

export const Empty = ({ children }: { children: Child }) => <p class="empty">{children}</p>;

type DownloadProps = {
  readonly visit: Visit;
  readonly file: "record" | "usage";
  /** What its query has in the operator's API. */
  readonly query?: Readonly<Record<string, string>>;
  readonly children: Child;
};

/** A button that saves a file: a form, since an export is recorded. */
export const Download = ({ visit, file, query = {}, children }: DownloadProps) => (
  <form method="post" action={visit.at(`download/${file}`)}>
    <FormToken visit={visit} />
    <Hidden fields={query} />
    <button class="btn small" type="submit">
      {children}
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
