// Grants: what reviewers allowed for later requests, the form that ends one, and the one by which
// an operator lets calls bypass reviews.

import type { GrantList, ShownGrant } from "../../../endpoints/admin/answers/grants.ts";
import { paths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Confirm, Done, Empty, List, Names, Pager, Refused, Tag } from "../pieces.tsx";
import { Input, Select, type Typed, hasErrors, typedOf, untyped } from "../fields.tsx";
import { FormToken } from "../shell.tsx";
import { amountIn } from "../spend-meter.tsx";
import { type StopTargets, knownThings } from "../stops/stops-page.tsx";
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

const For = ({ of: { scope, gate, what, key, bypass, reason, pinned } }: { of: ShownGrant }) => {
  const texts = useTexts(grantsWords);
  const names = {
    tool: <Name value={"tool" in scope ? scope.tool.name : ""} />,
    server: <Name value={"server" in scope ? scope.server : ""} />,
  };
  return (
    <>
      {fill(texts.scopes[scope.kind], names)}
      <div class="soft">{bypass === true ? <b>{texts.bypass}</b> : texts.covers[gate][what]}</div>
      {reason === undefined ? null : <div class="soft">{fill(texts.because, { reason: <Name value={reason} /> })}</div>}
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

/** By the names of its fields: as the API has them, and its bounds. */
const hoursGiven = ["1", "2", "4", "8"] as const;
const fieldsGiven = ["key", "server", "tool", "hours", "reason"] as const;

type Given = { readonly typed: Typed; readonly targets: StopTargets };

const BypassForm = ({ visit, typed, targets: { keys, servers } }: { visit: Visit } & Given) => {
  const texts = useTexts(grantsWords).give;
  const options = [["", texts.everyKey] as const, ...keys.map(({ id, name }) => [id, `${name} (${id})`] as const)];
  return (
    <details class="card" {...(hasErrors(typed) || typed !== untyped ? { open: true } : {})}>
      <summary>{texts.title}</summary>
      <form class="form" method="post" action={visit.at("grants")}>
        <FormToken visit={visit} />
        <p>{texts.says}</p>
        <Select typed={typed} name="key" label={texts.key} options={options} />
        <Input typed={typed} name="server" label={texts.server} hint={texts.serverHint} offers={servers} maxlength={256} />
        <Input typed={typed} name="tool" label={texts.tool} hint={texts.toolHint} maxlength={256} />
        <Select
          typed={typed}
          name="hours"
          label={texts.hours}
          options={hoursGiven.map((n) => [n, fillText(texts.hoursOf, { n: Number(n) })] as const)}
        />
        <Input typed={typed} name="reason" label={texts.reason} hint={texts.reasonHint} required maxlength={500} />
        <button class="btn no" type="submit" name="give" value="bypass">
          {texts.button}
        </button>
      </form>
    </details>
  );
};

async function renderGrants(visit: Visit, failure: ApiError | null = null, typed: Typed = untyped): Promise<PageAnswer> {
  const [{ grants, next }, targets] = await Promise.all([read(visit), visit.may("decide") ? knownThings(visit) : null]);
  const texts = grantsWords[visit.language];
  const all = visit.query.get("show") === "all";
  const show = all ? "all" : null;
  return {
    kind: "page",
    title: texts.title,
    ...(failure === null && !hasErrors(typed) ? {} : { status: 422 }),
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
        {targets === null ? null : <BypassForm visit={visit} typed={typed} targets={targets} />}
      </>
    ),
  };
}

/** Gives a bypass. What is left empty is not part of it. */
async function give(visit: Visit): Promise<PageAnswer> {
  const { form } = visit;
  const given = Object.fromEntries(fieldsGiven.map((name) => [name, (form.get(name) ?? "").trim()]).filter(([, value]) => value !== ""));
  const { texts, whom } = { texts: grantsWords[visit.language].give, whom: given["key"] ?? given["server"] };
  const errors: Record<string, string> = {
    ...(given["reason"] === undefined ? { reason: texts.noReason } : {}),
    ...(whom === undefined
      ? { server: texts.noWhom }
      : given["tool"] !== undefined && given["server"] === undefined
        ? { server: texts.noServer }
        : {}),
  };
  if (Object.keys(errors).length > 0) return renderGrants(visit, null, typedOf(form, errors));
  const body = { ...given, hours: Number(given["hours"] ?? 1) };
  const done = await visit.api.send("POST", paths.admin.grants, { body });
  return done.ok ? { kind: "redirect", to: visit.at("grants", { done: "given" }) } : renderGrants(visit, done.error, typedOf(form));
}

async function act(visit: Visit): Promise<PageAnswer> {
  if (visit.form.has("give")) return give(visit);
  const done = await visit.api.send("DELETE", paths.admin.grant, { id: visit.form.get("revoke") ?? "-" });
  return done.ok ? { kind: "redirect", to: visit.at("grants", { done: "revoked" }) } : renderGrants(visit, done.error);
}

export const grantsPage: ConsolePage = { path: "grants", get: (visit) => renderGrants(visit), post: act };
