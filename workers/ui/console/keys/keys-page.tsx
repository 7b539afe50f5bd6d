// API keys: which there are, what each may and spends, and the forms that create and revoke one. A
// key itself is in the page that answers its creation, and in nothing else.

import { defaultLimits } from "../../../../shared/policy/limits.ts";
import { peopleIn } from "../../../../shared/policy/draft.ts";
import type { KeyUse, ListedKey } from "../../../endpoints/admin/answers/keys.ts";
import type { Stopped } from "../../../endpoints/admin/answers/stops.ts";
import { paths } from "../../../platform/urls.ts";
import { Icon } from "../../icons.tsx";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill, fillText } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { copyScript } from "../copy-script.ts";
import { type Typed, fieldErrors, typedOf } from "../fields.tsx";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Done, Empty, List, Names, Note, Pager, Refused, Tag, pageOf } from "../pieces.tsx";
import { SpendMeter } from "../spend-meter.tsx";
import { StopHere, StopNote, StoppedTag, stopsOf } from "../stops/stop-here.tsx";
import { KeyForm, freshKeyForm, keyField, keyRequestIn } from "./key-form.tsx";
import { keysWords } from "./keys-words.ts";
import { type OpenOfKeys, RevokeKey, openOfKeys } from "./revoke-key.tsx";

const keysOnPage = 50;

const isLive = ({ revokedAt, expiresAt }: ListedKey, now: number): boolean =>
  revokedAt === null && (expiresAt === undefined || Date.parse(expiresAt) > now);

/** What one page of the list is made of. */
type KeysPageData = {
  readonly keys: readonly ListedKey[];
  readonly shown: readonly ListedKey[];
  readonly all: boolean;
  readonly newer: string | null;
  readonly older: string | null;
  readonly use: ReadonlyMap<string, KeyUse["keys"][number]>;
  readonly stops: readonly Stopped[];
  readonly open: OpenOfKeys;
};

async function listed(visit: Visit): Promise<KeysPageData> {
  const { api, query, now } = visit;
  const { keys } = await api.read(paths.admin.keys);
  const all = query.get("show") === "all";
  const found = keys.filter((key) => all || isLive(key, now)).toReversed();
  const { shown, newer, older } = pageOf(visit, found, keysOnPage, { show: all ? "all" : null });
  const [stops, used, open] = await Promise.all([
    stopsOf(visit),
    shown.length === 0 ? { keys: [] } : api.read(paths.admin.keyUse, { query: { ids: shown.map(({ id }) => id).join(",") } }),
    openOfKeys(visit),
  ]);
  return {
    keys: found,
    shown,
    all,
    newer,
    older,
    stops,
    use: new Map(used.keys.map((each) => [each.id, each])),
    open,
  };
}

const Access = ({ of: { scopes, servers, models, tools } }: { of: ListedKey }) => {
  const texts = useTexts(keysWords);
  const names = (list: readonly string[] | undefined, all: string) => (list === undefined ? all : <Names of={list} />);
  const ofTools = ([list, says]: readonly [list: readonly string[] | undefined, says: string]) =>
    list === undefined ? null : <div class="soft">{fill(says, { names: <Names of={list} /> })}</div>;
  return (
    <>
      <div>{scopes.map((scope) => texts.scopes[scope]).join(", ")}</div>
      <div class="soft">
        {names(servers, texts.allServers)}; {names(models, texts.allModels)}
      </div>
      {(
        [
          [tools?.allow, texts.onlyTools],
          [tools?.deny, texts.notTools],
        ] as const
      ).map(ofTools)}
    </>
  );
};

const KeyTag = ({ of: { revokedAt, expiresAt }, now }: { of: ListedKey; now: number }) => {
  const texts = useTexts(keysWords);
  if (revokedAt !== null)
    return (
      <Tag of="bad" icon="cross">
        <span>{fill(texts.revoked, { at: <Time at={Date.parse(revokedAt)} now={now} /> })}</span>
      </Tag>
    );
  if (expiresAt === undefined) return null;
  const at = Date.parse(expiresAt);
  return (
    <span class={`tag ${at <= now ? "bad" : ""}`}>
      <Icon of="clock" />
      <span>{fill(at <= now ? texts.expired : texts.tags.expires, { at: <Time at={at} now={now} /> })}</span>
    </span>
  );
};

const KeyRow = ({ visit, of, list }: { visit: Visit; of: ListedKey; list: KeysPageData }) => {
  const texts = useTexts(keysWords);
  const { columns } = texts;
  const use = list.use.get(of.id);
  const limits = of.limits ?? defaultLimits;
  return (
    <tr>
      <td class="main-cell">
        <a href={visit.at(`keys/${of.id}`)}>
          <Name value={of.name} />
        </a>{" "}
        <KeyTag of={of} now={visit.now} /> <StoppedTag visit={visit} stop={{ scope: "key", key: of.id }} stops={list.stops} />
        {of.oauthClient === undefined ? null : (
          <div class="soft">
            {of.oauthClient.host === null ? texts.registered : fill(texts.connected, { host: <Name value={of.oauthClient.host} /> })}
          </div>
        )}
        <div class="digest soft">{of.id}</div>
      </td>
      <td data-k={columns.owner}>{of.owner === undefined ? <span class="soft">{texts.noOwner}</span> : <Name value={of.owner} />}</td>
      <td class="full">
        {use === undefined || use.budgets.length === 0 ? (
          <span class="soft">{texts.noBudget}</span>
        ) : (
          use.budgets.map((line) => <SpendMeter line={line} visit={visit} />)
        )}
      </td>
      <td class="full">
        <Access of={of} />
      </td>
      <td>{fill(texts.limits, { perMinute: limits.requestsPerMinute, atOnce: limits.concurrent })}</td>
      <td data-k={columns.used}>{use?.lastUsedAt == null ? texts.never : <Time at={Date.parse(use.lastUsedAt)} now={visit.now} />}</td>
      <td class="end">
        {of.revokedAt === null ? (
          <div class="row-acts">
            <StopHere visit={visit} stop={{ scope: "key", key: of.id }} stops={list.stops} called={of.name} from="keys" />
            <RevokeKey visit={visit} of={of} open={list.open} />
          </div>
        ) : null}
      </td>
    </tr>
  );
};

const Keys = ({ visit, list }: { visit: Visit; list: KeysPageData }) => {
  const texts = useTexts(keysWords);
  const { columns } = texts;
  if (list.shown.length === 0) return <Empty>{list.all ? texts.noneEver : texts.none}</Empty>;
  return (
    <List
      caption={fillText(texts.count, { n: list.keys.length })}
      columns={[columns.key, columns.owner, columns.spend, columns.access, columns.limits, columns.used]}
      action={columns.action}
    >
      {list.shown.map((key) => (
        <KeyRow visit={visit} of={key} list={list} />
      ))}
    </List>
  );
};

type Said = { readonly failure?: ApiError; readonly typed?: Typed; readonly twice?: string };

async function renderKeys(visit: Visit, { failure, typed, twice }: Said = {}): Promise<PageAnswer> {
  const mayChange = visit.may("change");
  const [list, policy] = await Promise.all([listed(visit), mayChange ? visit.api.read(paths.admin.policy) : {}]);
  const texts = keysWords[visit.language];
  const owners = peopleIn(policy).people;
  const isRefused = failure !== undefined || typed !== undefined || twice !== undefined;
  return {
    kind: "page",
    title: texts.title,
    ...(isRefused ? { status: 422 } : {}),
    body: () => (
      <>
        <div class="head">
          <h1>{texts.title}</h1>
          {mayChange ? (
            <a class="btn yes small" href="#new">
              {texts.create}
            </a>
          ) : null}
        </div>
        <p>{texts.lead}</p>
        <Done visit={visit} texts={texts.done} />
        <StopNote visit={visit} />
        {failure === undefined ? null : <Refused failure={failure} />}
        {twice === undefined ? null : <Note of="mind">{fill(texts.made.twice, { id: <span class="digest">{twice}</span> })}</Note>}
        <p>
          {list.all ? <a href={visit.at("keys")}>{texts.show.live}</a> : <a href={visit.at("keys", { show: "all" })}>{texts.show.all}</a>}
        </p>
        <section class="card" aria-label={texts.title}>
          <Keys visit={visit} list={list} />
        </section>
        <Pager newer={list.newer} older={list.older} />
        {mayChange ? <KeyForm visit={visit} typed={typed ?? freshKeyForm(crypto.randomUUID())} owners={owners} /> : null}
      </>
    ),
  };
}

/** Shows the key, this once. */
const madeShown = (visit: Visit, { name, key }: { readonly name: string; readonly key: string }): PageAnswer => {
  const { made, title } = keysWords[visit.language];
  return {
    kind: "page",
    title,
    script: copyScript,
    body: () => (
      <>
        <h1>{fill(made.ready, { name: <Name value={name} /> })}</h1>
        <Note of="ok">
          <p>{made.copy}</p>
          <p class="digest" id="key">
            {key}
          </p>
          <button class="btn small" type="button" data-copy={key} data-copied={made.copied} hidden>
            {made.button}
          </button>
        </Note>
        <p>
          <a href={visit.at("keys")}>{made.back}</a>
        </p>
      </>
    ),
  };
};

async function act(visit: Visit): Promise<PageAnswer> {
  const { form, api } = visit;
  const revoked = form.get("revoke");
  if (revoked !== null) {
    const done = await api.send("DELETE", paths.admin.key, { id: revoked });
    return done.ok ? { kind: "redirect", to: visit.at("keys", { done: "revoked" }) } : renderKeys(visit, { failure: done.error });
  }
  const request = keyRequestIn(visit);
  if (!request.ok) return renderKeys(visit, { typed: request.error });
  const made = await api.send("POST", paths.admin.keys, { body: request.value });
  if (made.ok) return madeShown(visit, made.value);
  const { id } = made.error.body;
  if (made.error.status === 409 && typeof id === "string") return renderKeys(visit, { twice: id });
  const errors = fieldErrors(made.error, keyField);
  const typed = typedOf(form, errors);
  return renderKeys(visit, Object.keys(errors).length > 0 ? { typed } : { typed, failure: made.error });
}

export const keysPage: ConsolePage = { path: "keys", get: (visit) => renderKeys(visit), post: act };
