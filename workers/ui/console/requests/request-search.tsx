// The search above the list of requests: a form that a GET sends, so that a search has an address.

import { type Visit, useTexts } from "../page.ts";
import { type LineFilterName, isOfNumber, lineComparisons } from "../../../../shared/record/line-query.ts";
import type { KeyList } from "../../../endpoints/admin/answers/keys.ts";
import { Input, Select, filledWith } from "../fields.tsx";
import { Chips } from "../pieces.tsx";
import { RangeChips, RangeFields, rangeIn, rangeNames, rangeOf } from "../time-range.tsx";
import { requestsWords } from "./requests-words.ts";

const lineNames = Object.keys(lineComparisons) as LineFilterName[]; // its own names
const amounts = lineNames.filter(isOfNumber);
const texts = lineNames.filter((name) => name !== "key" && !isOfNumber(name));
const behindMore = ["since", "until", ...lineNames] as const;
const names = ["q", "state", ...lineNames] as const;

/** What was asked for, as the page's address has it. */
export type Filters = Readonly<Record<string, string>>;

export const filtersIn = (query: URLSearchParams): Filters => ({
  ...Object.fromEntries(
    names.flatMap((name) => {
      const value = (query.get(name) ?? "").trim();
      return value === "" ? [] : [[name, value] as const];
    }),
  ),
  ...rangeIn(query),
});

/** The same for GET /admin/runs. */
export function queryOf({ range, since, until, zone, ...filters }: Filters, visit: Visit): Readonly<Record<string, string>> {
  const said = { range, since, until, zone };
  return { ...filters, ...rangeOf(given(said), visit) };
}

/** Without the members that are undefined. */
const given = (values: Readonly<Record<string, string | undefined>>): Filters =>
  Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));

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
        {filters["range"] === undefined ? null : <input type="hidden" name="range" value={filters["range"]} />}
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
            <RangeFields visit={visit} said={filters} />
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
      <RangeChips visit={visit} said={filters} at={(said) => visit.at("requests", { ...withoutRange(filters), ...said })} />
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

const withoutRange = (filters: Filters): Filters =>
  Object.fromEntries(Object.entries(filters).filter(([name]) => !rangeNames.some((each) => each === name)));
