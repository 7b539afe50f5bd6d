// Grants: what reviewers allowed for later requests, and the form that ends one.

import type { GrantList, ShownGrant } from "../../../endpoints/admin/answers/grants.ts";
import { paths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Confirm, Done, Empty, List, Names, Pager, Refused, Tag } from "../pieces.tsx";
import { amountIn } from "../spend-meter.tsx";
import { grantsWords } from "./grants-words.ts";

/** An answer has the grants of 40 keys: pages without any are passed over, so many at a time. */
const mostAnswers = 5;

async function read({ api, query }: Visit): Promise<GrantList> {
  const state = query.get("show") === "all" ? "all" : "live";
  let after = query.get("after");
  for (let left = mostAnswers; ; left -= 1) {
    const page = await api.read(paths.admin.grants, { query: { state, ...(after === null ? {} : { after }) } });
    if (page.grants.length > 0 || page.next === null || left === 1) return page;
    after = page.next;
  }
}

const For = ({ of: { scope, gate, what, key, bypass, pinned } }: { of: ShownGrant }) => {
  const texts = useTexts(grantsWords);
  const names = {
    tool: <Name value={"tool" in scope ? scope.tool.name : ""} />,
    server: <Name value={"server" in scope ? scope.server : ""} />,
  };
  return (
    <>
      {fill(texts.scopes[scope.kind], names)}
      <div class="soft">{bypass === true ? <b>{texts.bypass}</b> : texts.covers[gate][what]}</div>
      {pinned === undefined || pinned.length === 0 ? null : <div class="soft">{fill(texts.pinned, { names: <Names of={pinned} /> })}</div>}
      <div class="soft">{fill(texts.key, { key: <span class="digest">{key}</span> })}</div>
    </>
  );
};

const GrantRow = ({ visit, of }: { visit: Visit; of: ShownGrant }) => {
  const texts = useTexts(grantsWords);
  const { columns } = texts;
  const at = (time: string) => <Time at={Date.parse(time)} now={visit.now} />;
  return (
    <tr>
      <td class="main-cell">
        <For of={of} />
      </td>
      <td data-k={columns.by}>
        <Name value={of.by} /> {at(of.givenAt)}
        {of.bypass === true ? null : (
          <div>
            <a href={visit.at(`requests/${encodeURIComponent(of.run)}`)}>{texts.request}</a>
          </div>
        )}
      </td>
      <td data-k={columns.uses}>
        {of.bypass === true
          ? fill(texts.usedTimes, { n: String(of.usesGiven - of.usesLeft) })
          : fill(texts.of, { left: String(of.usesLeft), given: String(of.usesGiven) })}
        {of.bypass === true ? null : (
          <div class="soft">{texts.money.replace("{amount}", amountIn("usd", of.spendLeftUsd, visit.language))}</div>
        )}
      </td>
      <td data-k={columns.ends}>
        {of.state === "live" ? (
          at(of.expiresAt)
        ) : (
          <Tag icon="cross">
            <span>{fill(texts.states[of.state], { at: at(of.revokedAt ?? of.expiresAt) })}</span>
          </Tag>
        )}
      </td>
      <td class="end">
        {of.state === "live" && visit.may("decide") ? (
          <Confirm
            visit={visit}
            to="grants"
            fields={{ revoke: of.id }}
            ask={texts.revoke}
            about={texts.about.replace("{by}", () => of.by)}
            says={texts.revokeSays}
            button={texts.revokeButton}
          />
        ) : null}
      </td>
    </tr>
  );
};

const Grants = ({ visit, grants, all }: { visit: Visit; grants: readonly ShownGrant[]; all: boolean }) => {
  const texts = useTexts(grantsWords);
  const { columns } = texts;
  if (grants.length === 0) return <Empty>{all ? texts.noneEver : texts.none}</Empty>;
  return (
    <List
      caption={fillText(texts.count, { n: grants.length })}
      columns={[columns.for, columns.by, columns.uses, columns.ends]}
      action={columns.action}
    >
      {grants.map((grant) => (
        <GrantRow visit={visit} of={grant} />
      ))}
    </List>
  );
};

async function grantsShown(visit: Visit, failure: ApiError | null = null): Promise<PageAnswer> {
  const { grants, next } = await read(visit);
  const texts = grantsWords[visit.language];
  const all = visit.query.get("show") === "all";
  const show = all ? "all" : null;
  return {
    kind: "page",
    title: texts.title,
    ...(failure === null ? {} : { status: 422 }),
    body: () => (
      <>
        <h1>{texts.title}</h1>
        <p>{texts.lead}</p>
        <Done visit={visit} texts={texts.done} />
        {failure === null ? null : <Refused failure={failure} />}
        <p>
          {all ? <a href={visit.at("grants")}>{texts.show.live}</a> : <a href={visit.at("grants", { show: "all" })}>{texts.show.all}</a>}
        </p>
        <section class="card" aria-label={texts.title}>
          <Grants visit={visit} grants={grants} all={all} />
        </section>
        <Pager
          newer={visit.query.has("after") ? visit.at("grants", { show }) : null}
          older={next === null ? null : visit.at("grants", { show, after: next })}
        />
      </>
    ),
  };
}

async function act(visit: Visit): Promise<PageAnswer> {
  const done = await visit.api.send("DELETE", paths.admin.grant, { id: visit.form.get("revoke") ?? "-" });
  return done.ok ? { kind: "redirect", to: visit.at("grants", { done: "revoked" }) } : grantsShown(visit, done.error);
}

export const grantsPage: ConsolePage = { path: "grants", get: (visit) => grantsShown(visit), post: act };
