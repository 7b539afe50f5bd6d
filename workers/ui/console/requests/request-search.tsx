// The search above the list of requests: a form that a GET sends, so that a search has an address.

import { type Visit, useTexts } from "../page.ts";
import type { KeyList } from "../../../endpoints/admin/answers/keys.ts";
import { Input, Select, filledWith } from "../fields.tsx";
import { Chips } from "../pieces.tsx";
import { requestsWords } from "./requests-words.ts";

const texts = ["server", "tool", "model", "reviewer", "rule", "run"] as const;
const amounts = ["costOver", "costUnder"] as const;
const days = ["since", "until"] as const;
const behindMore = [...days, ...texts, "key", ...amounts] as const;
const names = ["q", "state", ...behindMore] as const;

/** What was asked for, as the page's address has it. */
export type Filters = Readonly<Record<string, string>>;

export const filtersIn = (query: URLSearchParams): Filters =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = (query.get(name) ?? "").trim();
      return value === "" ? [] : [[name, value]];
    }),
  );

const dayMs = 86_400_000;

/** The same for GET /admin/runs. The last day is whole: the API wants the end of it. */
export function queryOf({ until, ...filters }: Filters): [string, string][] {
  const end = until === undefined ? undefined : /^\d{4}-\d{2}-\d{2}$/.test(until) ? dayAfter(until) : until;
  return [...Object.entries(filters), ...(end === undefined ? [] : [["until", end] satisfies [string, string]])];
}

function dayAfter(day: string): string {
  const at = Date.parse(day);
  return Number.isNaN(at) ? day : new Date(at + dayMs).toISOString();
}

const chips = ["all", "open", "completed", "unanswered", "failed", "rejected", "expired", "refused"] as const;

type SearchProps = { readonly visit: Visit; readonly filters: Filters; readonly keys: KeyList["keys"] };

export const RequestSearch = ({ visit, filters, keys }: SearchProps) => {
  const words = useTexts(requestsWords);
  const { state = "all", ...others } = filters;
  const typed = filledWith(filters);
  const isMore = behindMore.some((name) => filters[name] !== undefined);
  return (
    <>
      <form class="card" method="get" action={visit.at("requests")} role="search">
        {state === "all" ? null : <input type="hidden" name="state" value={state} />}
        <div class="find">
          <div>
            <label for="q">{words.search}</label>
            <input id="q" name="q" type="search" value={filters["q"]} maxlength={200} placeholder={words.searchIn} />
          </div>
          <button class="btn" type="submit">
            {words.button}
          </button>
        </div>
        <details class="filters" open={isMore}>
          <summary class="act">{words.more}</summary>
          <div class="fields">
            {days.map((name) => (
              <Input
                typed={typed}
                name={name}
                label={
                  <>
                    {name === "since" ? words.from : words.to} <span class="soft">{words.utc}</span>
                  </>
                }
                type={isDay(filters[name]) ? "date" : "text"}
              />
            ))}
            {texts.map((name) => (
              <Input typed={typed} name={name} label={words.fields[name]} maxlength={name === "run" ? 128 : 512} />
            ))}
            <Select
              typed={typed}
              name="key"
              label={words.fields.key}
              options={[["", words.anyKey] as const, ...keys.map(({ id, name }) => [id, name] as const)]}
            />
            {amounts.map((name) => (
              <Input typed={typed} name={name} label={words.fields[name]} inputmode="decimal" maxlength={12} />
            ))}
          </div>
        </details>
      </form>
      <Chips
        label={words.chips.label}
        of={chips.map((each) => ({
          name: words.chips[each],
          href: visit.at("requests", { ...others, state: each === "all" ? null : each }),
          isCurrent: each === state,
        }))}
      >
        {Object.keys(filters).length === 0 ? null : (
          <a class="act" href={visit.at("requests")}>
            {words.clear}
          </a>
        )}
      </Chips>
    </>
  );
};

/** A field for days would drop any other time. */
const isDay = (value: string | undefined): boolean => value === undefined || /^\d{4}-\d{2}-\d{2}$/.test(value);
