// People and times by name, in sentences of ours.

import type { Child } from "hono/jsx";
import { useWords } from "./language.ts";
import { Name } from "./outside-text.tsx";

/** A reviewer's name; "You" for the reader. */
export const Person = ({ name, reader }: { name: string; reader: string }) => {
  const { page } = useWords();
  return <b class="person">{name === reader ? page.you : <Name value={name} />}</b>;
};

/** Who asks: the server, and what of it. */
export const Caller = ({ server, name }: { server: string; name: string }) => (
  <>
    <Name value={server} />
    {name === "" ? null : (
      <>
        {" · "}
        <Name value={name} />
      </>
    )}
  </>
);

type PeopleProps = { readonly names: readonly string[]; readonly reader: string; readonly joined: "and" | "or" };

const isLatin = (letter: string | undefined): boolean => letter !== undefined && /[\p{Script=Latin}\d]/u.test(letter);

/** Chinese has a space between its own letters and Latin ones. */
const spaced = (word: string, before: string, after: string): string =>
  /^\p{Script=Han}+$/u.test(word) ? `${isLatin(before.at(-1)) ? " " : ""}${word}${isLatin(after[0]) ? " " : ""}` : word;

/** All of them: "Bo Chen, Cy Young or Dee". */
export const People = ({ names, reader, joined }: PeopleProps) => {
  const { page } = useWords();
  const type = joined === "and" ? "conjunction" : "disjunction";
  const shown = names.map((name) => (name === reader ? page.you : name));
  const parts = new Intl.ListFormat(page.lang, { type }).formatToParts(names.map((_name, i) => String(i)));
  return (
    <>
      {parts.map(({ type: kind, value }, i): Child =>
        kind === "literal" ? (
          spaced(value, shown[Number(parts[i - 1]?.value)] ?? "", shown[Number(parts[i + 1]?.value)] ?? "")
        ) : (
          <Person name={names[Number(value)] ?? ""} reader={reader} />
        ),
      )}
    </>
  );
};

/**
 * A time, which the page's script puts into the reader's own zone. `now`: when the page was made.
 * Unix milliseconds.
 */
export const Time = ({ at, now, exact = false }: { at: number; now: number; exact?: boolean }) => {
  const { time } = useWords().page;
  return <time datetime={new Date(at).toISOString()}>{exact ? time.stamp(at, now) : time.clock(at, now)}</time>;
};
