// One API key: what it may do, in a form that changes it, with the ways to its requests, what it
// spent, its grants, its stop, and its end. Where somebody else changed it meanwhile nothing is
// written.

import { keyChangeSchema } from "../../../../shared/budget/key-request.ts";
import { changedBy, fieldAt, valuesOf } from "../../../../shared/json/form-fields.ts";
import type { JsonObject } from "../../../../shared/json-types.ts";
import { isObject } from "../../../../shared/json/values.ts";
import type { KeyUse, ListedKey } from "../../../endpoints/admin/answers/keys.ts";
import type { Stopped } from "../../../endpoints/admin/answers/stops.ts";
import { paths } from "../../../platform/urls.ts";
import { Time } from "../../names.tsx";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import type { ApiError } from "../api.ts";
import { numberIn } from "../documents/document-api.ts";
import { Fields, MoreFields, type Typed, fieldErrors, formOf, hasErrors, othersThan, schemaErrors, valuesIn } from "../fields.tsx";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Done, Note, Refused, sayingPage } from "../pieces.tsx";
import { FormToken } from "../shell.tsx";
import { SpendMeter } from "../spend-meter.tsx";
import { StopHere, StopNote, StoppedTag, stopsOf } from "../stops/stop-here.tsx";
import { keysWords } from "./keys-words.ts";
import { type OpenOfKeys, RevokeKey, openOfKeys } from "./revoke-key.tsx";

const changeForm = formOf(keyChangeSchema, keysWords);
const first = ["name", "budget-usd", "budget-tokens", "budget-per"];
const more = othersThan(changeForm, first);
const members = ["name", "servers", "models", "tools", "limits", "budget"] as const;

/** What can be changed of a key, as it is. */
const changeable = (key: ListedKey): JsonObject =>
  Object.fromEntries(members.flatMap((name) => (key[name] === undefined ? [] : [[name, structuredClone(key[name])]]))) as JsonObject; // as the API sent it

const typedFor = (key: ListedKey): Typed => ({
  values: valuesOf(changeForm.members, { budget: { per: "month" }, ...changeable(key) }),
  errors: {},
});

const ChangeForm = ({ visit, of, typed }: { visit: Visit; of: ListedKey; typed: Typed }) => {
  const { change } = useTexts(keysWords);
  const drawn = { form: changeForm, typed };
  return (
    <form class="card form" method="post" action={visit.at(visit.page)} aria-labelledby="change">
      <h2 id="change">{change.title}</h2>
      {hasErrors(typed) ? <Note of="bad">{change.wrong}</Note> : null}
      <FormToken visit={visit} />
      <input type="hidden" name="version" value={String(of.version)} />
      <div class="pairs-of-fields">
        <Fields {...drawn} of={first} />
      </div>
      <MoreFields {...drawn} of={more} title={change.more} />
      <p class="hint">{change.kept}</p>
      <button class="btn yes" type="submit">
        {change.button}
      </button>
    </form>
  );
};

type Shown = {
  readonly key: ListedKey;
  readonly use: KeyUse["keys"][number] | undefined;
  readonly stops: readonly Stopped[];
  readonly open: OpenOfKeys;
};

const Facts = ({ visit, shown: { key, use, stops, open } }: { visit: Visit; shown: Shown }) => {
  const texts = useTexts(keysWords);
  const { links, columns } = texts;
  return (
    <section class="card stack" aria-labelledby="facts">
      <h2 id="facts">{links.title}</h2>
      {use === undefined || use.budgets.length === 0 ? (
        <p class="soft">{texts.noBudget}</p>
      ) : (
        use.budgets.map((line) => <SpendMeter line={line} visit={visit} />)
      )}
      <dl class="pairs">
        <dt>{columns.owner}</dt>
        <dd>{key.owner === undefined ? texts.noOwner : <Name value={key.owner} />}</dd>
        <dt>{columns.access}</dt>
        <dd>{key.scopes.map((scope) => texts.scopes[scope]).join(", ")}</dd>
        <dt>{columns.used}</dt>
        <dd>{use?.lastUsedAt == null ? texts.never : <Time at={Date.parse(use.lastUsedAt)} now={visit.now} />}</dd>
      </dl>
      <ul>
        <li>
          <a href={visit.at("requests", { key: key.id })}>{links.requests}</a>
        </li>
        <li>
          <a href={visit.at("requests", { key: key.id, state: "open" })}>{links.open}</a>
        </li>
        <li>
          <a href={visit.at("usage", { by: "key" })}>{links.usage}</a>
        </li>
        <li>
          <a href={visit.at("grants")}>{links.grants}</a>
        </li>
      </ul>
      {key.revokedAt === null ? (
        <div class="row-acts">
          <StopHere visit={visit} stop={{ scope: "key", key: key.id }} stops={stops} called={key.name} from={visit.page} isNamed />
          <RevokeKey visit={visit} of={key} open={open} />
        </div>
      ) : null}
    </section>
  );
};

const idOf = ({ page }: Visit): string => page.slice("keys/".length);

type Said = { readonly failure?: ApiError; readonly typed?: Typed };

async function renderKey(visit: Visit, { failure, typed }: Said = {}): Promise<PageAnswer> {
  const id = idOf(visit);
  const { keys } = await visit.api.read(paths.admin.keys);
  const key = keys.find((each) => each.id === id);
  const texts = keysWords[visit.language];
  if (key === undefined)
    return sayingPage({ status: 404, title: texts.missing, says: () => <p>{texts.lead}</p>, back: [visit.at("keys"), texts.made.back] });
  const [used, stops, open] = await Promise.all([
    visit.api.read(paths.admin.keyUse, { query: { ids: id } }),
    stopsOf(visit),
    openOfKeys(visit, id),
  ]);
  const shown: Shown = { key, use: used.keys[0], stops, open };
  const isConflict = failure?.status === 412;
  return {
    kind: "page",
    title: key.name,
    ...(failure === undefined && typed === undefined ? {} : { status: 422 }),
    body: () => (
      <>
        <div class="stack">
          <p>
            <a href={visit.at("keys")}>{texts.title}</a> › <span class="digest">{id}</span>
          </p>
          <div class="head">
            <h1>
              <Name value={key.name} />
            </h1>
            <StoppedTag visit={visit} stop={{ scope: "key", key: id }} stops={stops} />
          </div>
        </div>
        <Done visit={visit} texts={{ changed: texts.change.done }} />
        <StopNote visit={visit} />
        {failure === undefined ? null : isConflict ? <Note of="mind">{texts.change.conflict}</Note> : <Refused failure={failure} />}
        <div class="grid side">
          {key.revokedAt === null && visit.may("change") ? (
            <ChangeForm visit={visit} of={key} typed={typed ?? typedFor(key)} />
          ) : (
            <p class="soft">
              {key.revokedAt === null
                ? texts.change.mayNot
                : fill(texts.revoked, { at: <Time at={Date.parse(key.revokedAt)} now={visit.now} /> })}
            </p>
          )}
          <Facts visit={visit} shown={shown} />
        </div>
      </>
    ),
  };
}

async function change(visit: Visit): Promise<PageAnswer> {
  const id = idOf(visit);
  const { keys } = await visit.api.read(paths.admin.keys);
  const key = keys.find((each) => each.id === id);
  const version = numberIn(visit.form.get("version"));
  if (key === undefined || version === null) return renderKey(visit);
  const values = valuesIn(visit.form);
  const { budget, ...rest } = changedBy(changeForm.members, changeable(key), values);
  const hasBudget = isObject(budget) && (budget["usd"] !== undefined || budget["tokens"] !== undefined);
  const request: JsonObject = { ...rest, ...(hasBudget ? { budget } : {}) };
  const wrong = schemaErrors(changeForm, request, visit.language);
  if (Object.keys(wrong).length > 0) return renderKey(visit, { typed: { values, errors: wrong } });
  const done = await visit.api.send("PUT", paths.admin.key, { id, body: request, ifMatch: version });
  if (done.ok) return { kind: "redirect", to: visit.at(`keys/${id}`, { done: "changed" }) };
  const errors = fieldErrors(done.error, (pointer) => fieldAt(changeForm.members, pointer.split("/").slice(1))?.name);
  const typed = { values, errors };
  return renderKey(visit, hasErrors(typed) ? { typed } : { typed, failure: done.error });
}

export const keyPage: ConsolePage = { path: "keys/*", get: (visit) => renderKey(visit), post: change };
