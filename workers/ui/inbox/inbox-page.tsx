// The inbox: all that waits for one reviewer. It has facts of each review, of its content no more
// than its notices may show, and decides nothing: its form opens reviews together. It needs no
// script.

import type { Child } from "hono/jsx";
import { formFields } from "../../../shared/review/form.ts";
import { reviewKey } from "../../../shared/review/inbox.ts";
import type { InboxFacts } from "../../../shared/review/inbox-facts.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import {
  type InboxItem,
  type InboxList,
  type InboxQuery,
  inboxFilters,
  inboxGroupings,
  inboxSorts,
} from "../../../shared/review/inbox-list.ts";
import { isQuestion } from "../../../shared/review/review-facts.ts";
import { Document } from "../document.tsx";
import { Icon } from "../icons.tsx";
import { useWords } from "../language.ts";
import { costOf } from "../lead.tsx";
import { Caller, People } from "../names.tsx";
import { Name, Plain } from "../outside-text.tsx";
import { pageScript } from "../page-script.ts";
import { fill, fillText } from "../sentence.tsx";
import { keepSessionScript } from "../session-script.ts";
import { Availability, type AvailabilityInput } from "./availability.tsx";
import { deviceScript } from "./device-script.ts";
import { Devices, type DevicesInput } from "./devices.tsx";
import { inboxScript } from "./inbox-script.ts";
import { Listening } from "./listening.tsx";

export type InboxPageInput = {
  /** The inbox's own path; all others are under it. */
  readonly path: string;
  readonly reader: string;
  readonly list: InboxList;
  readonly query: InboxQuery;
  /** Unix milliseconds. */
  readonly now: number;
  readonly availability: AvailabilityInput;
  /** Null where nobody could say which devices are on. */
  readonly devices: DevicesInput | null;
  /** The form that signs out; or where Cloudflare Access does. */
  readonly signOut: { readonly nonce: string } | { readonly path: string };
};

/** As many as one page shows together. */
const mostInBulk = 15;
const soonMs = 60_000;

/** The inbox with another filter, order or page; a change of the first two begins at page 1. */
function inboxPath(path: string, query: InboxQuery, change: Partial<InboxQuery> = {}): string {
  const { filter, sort, group, page } = { ...query, page: 1, ...change };
  const said = [
    filter === "all" ? [] : [["filter", filter]],
    sort === "time" ? [] : [["sort", sort]],
    group === "alike" ? [] : [["group", group]],
    page === 1 ? [] : [["page", String(page)]],
  ].flat();
  return said.length === 0 ? path : `${path}?${new URLSearchParams(said)}`;
}

/** "notes · summarize asks gpt-6.1-terra". */
const Title = ({ gate, facts }: { gate: Gate; facts: InboxFacts }) => {
  const { page, review } = useWords();
  const { server, client, name, model, requestKind } = facts;
  return (
    <>
      {fill(review.kinds[requestKind].heading[gate].now, {
        caller: <Caller server={facts.server} name={facts.name} />,
        server: <Name value={server} />,
        client: <Name value={client} />,
        name: <Name value={name} />,
        model: model === "" ? page.noModel : <Name value={model} />,
      })}
    </>
  );
};

/** On a phone without the model: the line below says which of its gates it is. */
const ShortTitle = ({ gate, facts }: { gate: Gate; facts: InboxFacts }) => (
  <>
    <span class="phone">
      <Caller server={facts.server} name={facts.name} />
    </span>
    <span class="desk">
      <Title gate={gate} facts={facts} />
    </span>
  </>
);

const Expiry = ({ at, now }: { at: number; now: number }) => {
  const { inbox, numbers, page } = useWords();
  const leftMs = Math.max(0, at - now);
  const isSoon = leftMs < soonMs;
  const left = (
    <b class="num" data-left={String(Math.floor(leftMs / 1_000))} data-hours={page.strip.hours}>
      {numbers.left(leftMs)}
    </b>
  );
  return <span {...(isSoon ? { class: "soon" } : {})}>{fill(isSoon ? inbox.list.soon : inbox.list.expires, { left })}</span>;
};

/** A line of facts below the title. */
const Meta = ({ item: { gate, deadlineAt, facts, warnings }, now, reader }: { item: InboxItem; now: number; reader: string }) => {
  const { inbox, page, review } = useWords();
  const { list } = inbox;
  const { cost, quorum, voters, tools, images, pdfs = 0, handedBy, standsInFor, isRaised, risks, client, rule } = facts;
  const isHigh = risks.some(({ level }) => level === "high");
  const parts: Child[] = [
    <Expiry at={deadlineAt} now={now} />,
    warnings === 0 ? null : (
      <span class={isHigh ? "tag bad" : "tag mind"}>
        <Icon of="warning" />
        {fill(page.warnings.heading, { n: warnings })}
      </span>
    ),
    <b>{isQuestion(facts) ? review.kinds[facts.requestKind].steps.asked : list.gates[gate]}</b>,
    tools + images + pdfs === 0 ? null : (
      <span>
        {[
          tools === 0 ? "" : fillText(list.tools, { n: tools }),
          images === 0 ? "" : fillText(list.images, { n: images }),
          pdfs === 0 ? "" : fillText(list.pdfs, { n: pdfs }),
        ]
          .filter(Boolean)
          .join(review.marks.comma)}
      </span>
    ),
    cost === null ? null : <span>{costOf({ cost }, useWords())}</span>,
    quorum === null ? null : quorum.votes === 0 ? (
      <span>{fill(list.needs, { n: quorum.needed })}</span>
    ) : (
      <span>
        {fill(list.votes, {
          votes: String(quorum.votes),
          needed: String(quorum.needed),
          by: <People names={voters} reader={reader} joined="and" />,
        })}
      </span>
    ),
    <span>
      {rule === undefined || rule === "default"
        ? fill(list.key, { key: <Name value={client} /> })
        : fill(list.why, { key: <Name value={client} />, rule: <Name value={rule} /> })}
    </span>,
    isRaised === true ? <span>{review.raised}</span> : null,
    standsInFor === undefined ? null : (
      <span>{fill(page.standsInFor, { people: <People names={standsInFor} reader={reader} joined="and" /> })}</span>
    ),
    handedBy === null ? null : <span>{fill(list.handedBy, { by: <People names={[handedBy]} reader={reader} joined="and" /> })}</span>,
  ];
  return <p class="meta">{parts}</p>;
};

type RowProps = { readonly item: InboxItem; readonly path: string; readonly now: number; readonly reader: string };

const Row = ({ item, path, now, reader }: RowProps) => {
  const { list } = useWords().inbox;
  const { run, gate, facts } = item;
  const key = reviewKey(run, gate);
  return (
    <li data-key={key}>
      {isQuestion(facts) ? (
        <span class="pick"></span>
      ) : (
        <label class="pick">
          <span class="sr">
            {list.select} <Title gate={gate} facts={facts} />
          </span>
          <input type="checkbox" name="pick" value={key} autocomplete="off" />
        </label>
      )}
      <a class="open" href={`${path}/reviews/${gate}/${run}`}>
        <h2>{facts.requestKind === "sampling" ? <ShortTitle gate={gate} facts={facts} /> : <Title gate={gate} facts={facts} />}</h2>
        {facts.excerpt === undefined ? null : (
          <p class="said">
            <Plain value={facts.excerpt} />
          </p>
        )}
        <Meta item={item} now={now} reader={reader} />
      </a>
    </li>
  );
};

/**
 * The heading of a group. Reviews that differ in their messages alone, and calls of one session,
 * have a link that opens them on one page.
 */
const Group = ({ items, of, path, query: { group } }: { items: readonly InboxItem[]; of: number; path: string; query: InboxQuery }) => {
  const words = useWords();
  const { list } = words.inbox;
  const [first] = items;
  if (first === undefined) return null;
  const { client, server, requestKind } = first.facts;
  if (group !== "alike")
    return (
      <li class="group">
        <h2>{fill(list.of, { n: String(of), name: <Name value={group === "server" ? server : client} /> })}</h2>
      </li>
    );
  const isCall = requestKind === "toolCall" && first.gate === "request";
  const some = items.slice(0, mostInBulk);
  const query = new URLSearchParams(some.map(({ run, gate }) => ["pick", reviewKey(run, gate)]));
  return (
    <li class="group">
      <div class="open">
        <h2>
          {isCall
            ? fill(list.series, { n: String(of), client: <Name value={client} />, server: <Name value={server} /> })
            : fill(list.alike, { n: String(of), caller: <Caller server={first.facts.server} name={first.facts.name} /> })}
        </h2>
        <p class="meta">
          {isCall ? null : <span>{list.alikeWhy}</span>}
          <a href={`${path}/together?${query}`}>{fill(list.group, { n: some.length })}</a>
        </p>
      </div>
    </li>
  );
};

/** Of the items from `at` on, those of its group on this page. */
function groupFrom(items: readonly InboxItem[], at: number): readonly InboxItem[] {
  const end = items.findIndex((item, i) => i > at && (!item.isGrouped || item.groupSize !== null));
  return items.slice(at, end === -1 ? undefined : end);
}

const Chip = ({ to, isOn, children }: { to: string; isOn: boolean; children: Child }) => (
  <a class="chip" href={to} {...(isOn ? { "aria-current": "true" } : {})}>
    {children}
  </a>
);

type ListProps = Pick<InboxPageInput, "path" | "list" | "query">;

const Filters = ({ path, list, query }: ListProps) => {
  const words = useWords().inbox.list;
  return (
    <nav class="chips" aria-label={words.filter}>
      {inboxFilters.map((filter) => (
        <Chip to={inboxPath(path, query, { filter })} isOn={filter === query.filter}>
          {fill(words.filters[filter], { n: String(list.counts[filter]) })}
        </Chip>
      ))}
    </nav>
  );
};

/** Nothing for a list of one. */
const Order = ({ path, list, query }: ListProps) => {
  const words = useWords().inbox.list;
  if (list.items.length < 2) return null;
  return (
    <nav class="chips" aria-label={words.order}>
      {inboxSorts.map((sort) => (
        <Chip to={inboxPath(path, query, { sort })} isOn={sort === query.sort}>
          {words.sorts[sort]}
        </Chip>
      ))}
      <span></span>
      {inboxGroupings.map((group) => (
        <Chip to={inboxPath(path, query, { group })} isOn={group === query.group}>
          {words.groupings[group]}
        </Chip>
      ))}
    </nav>
  );
};

const Pages = ({ path, list: { page, pages }, query }: ListProps) => {
  const words = useWords().inbox.list;
  if (pages === 1) return null;
  const to = (n: number): string => inboxPath(path, query, { page: n });
  return (
    <nav class="pages" aria-label={words.pages}>
      {page === 1 ? null : (
        <a class="btn small" rel="prev" href={to(page - 1)}>
          {words.earlier}
        </a>
      )}
      <span>{fill(words.page, { page: String(page), pages: String(pages) })}</span>
      {page === pages ? null : (
        <a class="btn small" rel="next" href={to(page + 1)}>
          {words.later}
        </a>
      )}
    </nav>
  );
};

/** What is done with the selected reviews: opening them together. The script says how many. */
const Batch = () => {
  const words = useWords();
  const { list } = words.inbox;
  const said = { lang: words.page.lang, selected: list.selected, review: list.reviewSome, deny: list.denySome };
  return (
    <div class="batch" id="batch" data-words={JSON.stringify(said)}>
      <p role="status"></p>
      <button class="btn no" name="do" value="deny">
        {list.deny}
      </button>
      <button class="btn yes" name="do" value="review">
        {list.review}
      </button>
    </div>
  );
};

/** `to`: the page to which the next sign-in leads. */
export const SignOut = ({ path, signOut, to }: Pick<InboxPageInput, "path" | "signOut"> & { readonly to?: string }) => {
  const { list } = useWords().inbox;
  if ("path" in signOut)
    return (
      <p class="leave">
        <a href={signOut.path}>{list.signOut}</a>
      </p>
    );
  return (
    <form class="leave" method="post" action={`${path}/sign-out`} accept-charset="utf-8">
      <input type="hidden" name={formFields.nonce} value={signOut.nonce} />
      {to === undefined ? null : <input type="hidden" name={formFields.to} value={to} />}
      <button type="submit" class="act">
        {list.signOut}
      </button>
      <button type="submit" class="act" name={formFields.act} value="everywhere">
        {list.everywhere}
      </button>
    </form>
  );
};

const Queue = ({ path, list: { items }, query, now, reader }: Pick<InboxPageInput, "path" | "list" | "query" | "now" | "reader">) => {
  const words = useWords().inbox.list;
  return (
    <ol class="queue" aria-label={words.label[query.sort]}>
      {items.map((item, i) => (
        <>
          {item.groupSize === null ? null : <Group items={groupFrom(items, i)} of={item.groupSize} path={path} query={query} />}
          <Row item={item} path={path} now={now} reader={reader} />
        </>
      ))}
    </ol>
  );
};

export const InboxPage = (input: InboxPageInput & { readonly cspNonce: string }) => {
  const { cspNonce, path, reader, list, query, signOut, devices } = input;
  const words = useWords();
  const { all } = list.counts;
  const said = words.inbox.list;
  return (
    <Document
      title={`${fillText(words.inbox.link, { n: String(all) })} · ${words.page.product}`}
      cspNonce={cspNonce}
      reader={reader}
      inbox={{ path, count: all }}
      keys={{ keys: said.keys, note: said.keysNote }}
      script={keepSessionScript + pageScript + (devices === null ? "" : deviceScript) + inboxScript}
      app={devices?.app.home}
    >
      <div class="wrap inbox">
        <h1 class="said-by-us" id="heading">
          {all === 0 ? said.none : fill(said.heading, { n: all })}
        </h1>
        <Listening live={`${path}/live`} page={inboxPath(path, query)} count={all} />
        {all === 0 ? null : <Filters path={path} list={list} query={query} />}
        <Order path={path} list={list} query={query} />
        {list.items.length === 0 ? (
          all === 0 ? null : (
            <p class="soft">{said.nothing}</p>
          )
        ) : (
          <form method="get" action={`${path}/together`}>
            <Queue {...input} />
            <Pages path={path} list={list} query={query} />
            <Batch />
          </form>
        )}
        {devices === null ? null : <Devices {...devices} />}
        <Availability {...input.availability} />
        <p class="leave">
          <a href={`${path}/connections`}>{words.inbox.connections.title}</a>
        </p>
        <p class="leave">
          <a href={`${path}/passkeys`}>{words.inbox.passkeys.title}</a>
        </p>
        <SignOut path={path} signOut={signOut} />
      </div>
    </Document>
  );
};
