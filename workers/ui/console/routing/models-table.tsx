// The models of the routing table, and whether each can answer now.

import { isBuiltIn } from "../../../../shared/routing/provider-kinds.ts";
import { type Model, type RoutingTable, providerOf } from "../../../../shared/routing/table.ts";
import { useWords } from "../../language.ts";
import { Name } from "../../outside-text.tsx";
import { fill } from "../../sentence.tsx";
import { type Visit, useTexts } from "../page.ts";
import { Empty, LinkButton, Tag } from "../pieces.tsx";
import type { ReadyProvider } from "../../../endpoints/admin/answers/routing.ts";
import { routingWords } from "./routing-words.ts";

type TableProps = { readonly visit: Visit; readonly table: RoutingTable; readonly ready: ReadonlyMap<string, ReadyProvider> };

const State = ({ model, table, ready }: { model: Model } & Omit<TableProps, "visit">) => {
  const { models: texts } = useTexts(routingWords);
  if (!model.enabled) return <span class="tag">{texts.off}</span>;
  const provider = providerOf(table, model.provider);
  const known = ready.get(model.provider);
  if (provider !== undefined && isBuiltIn(provider.kind)) {
    const others = table.models.some(
      (each) => each.enabled && each.provider !== model.provider && ready.get(each.provider)?.reason === null,
    );
    return <span class="tag">{others ? texts.onlyNamed : texts.standsIn}</span>;
  }
  if (known?.reason === null)
    return (
      <Tag of="ok" icon="check">
        {texts.ready}
      </Tag>
    );
  return <NotReady known={known} />;
};

const isMissing = (known: ReadyProvider | undefined): boolean => (known?.missing ?? null) !== null;

/** What is missing can break at its underscores, so that it fits its column. */
const NotReady = ({ known }: { known: ReadyProvider | undefined }) => {
  const { models: texts } = useTexts(routingWords);
  const parts = known?.missing?.split(/(?<=_)/) ?? null;
  return (
    <>
      <Tag of="bad" icon="cross">
        {texts.notReady}
      </Tag>
      {parts === null ? null : (
        <span class="sub-line">
          {fill(texts.missing, {
            name: (
              <code>
                {parts.map((part) => (
                  <>
                    {part}
                    <wbr />
                  </>
                ))}
              </code>
            ),
          })}
        </span>
      )}
    </>
  );
};

const mostAliases = 2;

const Aliases = ({ names }: { names: readonly string[] }) => {
  const { models: texts } = useTexts(routingWords);
  if (names.length === 0) return null;
  const shown = names.slice(0, mostAliases).map((name, i) => (
    <>
      {i === 0 ? null : ", "}
      <bdi>{name}</bdi>
    </>
  ));
  return (
    <span class="soft sub-line">
      {fill(texts.aliases, { names: <>{shown}</> })}
      {names.length > mostAliases ? <>, {fill(texts.and, { n: names.length - mostAliases })}</> : null}
    </span>
  );
};

/** Two decimals, and more where there are more. */
const price = (usd: number, lang: string): string =>
  usd.toLocaleString(lang, { minimumFractionDigits: usd === 0 ? 0 : 2, maximumFractionDigits: 6 });
const score = (value: number): string => (value === 0 || value === 1 ? String(value) : value.toFixed(2).replace(/^0/, ""));

const Row = ({ visit, table, ready, model }: TableProps & { model: Model }) => {
  const { models: texts } = useTexts(routingWords);
  const { lang } = useWords().page;
  const { scores } = model;
  const takes = [
    ...model.accepts,
    ...(model.tools ? (["tools"] as const) : []),
    ...(model.tasks.includes("embedding") ? (["embedding"] as const) : []),
  ];
  return (
    <tr>
      <td class="main-cell">
        <a href={visit.at("routing/model", { id: model.id })}>
          <Name value={model.id} />
        </a>
        <Aliases names={model.aliases} />
      </td>
      <td>
        <a href={visit.at("routing/provider", { name: model.provider })}>
          <Name value={model.provider} />
        </a>
      </td>
      <td class="num" data-k={texts.priceShort}>
        {price(model.price.inputPerMTok, lang)} / {price(model.price.outputPerMTok, lang)}
      </td>
      <td class="num" data-k={texts.context}>
        {model.contextTokens.toLocaleString(lang)}
      </td>
      <td>{takes.map((each) => texts.kinds[each]).join(", ")}</td>
      <td class="num" data-k={texts.scores}>
        {score(scores.speed)} {score(scores.cost)} {score(scores.intelligence)}
      </td>
      <td class={isMissing(ready.get(model.provider)) && model.enabled ? "full state" : "end"}>
        <State model={model} table={table} ready={ready} />
      </td>
    </tr>
  );
};

export const ModelsTable = ({ visit, table, ready }: TableProps) => {
  const { models: texts } = useTexts(routingWords);
  return (
    <section class="card">
      {table.models.length === 0 ? <Empty>{texts.none}</Empty> : null}
      <div class="scrolls">
        <table class="cards">
          <caption>{fill(texts.caption, { n: table.models.length, version: table.version })}</caption>
          <thead>
            <tr>
              <th>{texts.model}</th>
              <th>{texts.provider}</th>
              <th class="num">{texts.price}</th>
              <th class="num">{texts.context}</th>
              <th>{texts.accepts}</th>
              <th class="num">{texts.scores}</th>
              <th>{texts.state}</th>
            </tr>
          </thead>
          <tbody>
            {table.models.map((model) => (
              <Row visit={visit} table={table} ready={ready} model={model} />
            ))}
          </tbody>
        </table>
      </div>
      {visit.may("change") ? (
        <p>
          <LinkButton to={visit.at("routing/model")}>{texts.add}</LinkButton>
        </p>
      ) : null}
    </section>
  );
};

const Address = ({ provider }: { provider: RoutingTable["providers"][string] }) => {
  const { providers: texts } = useTexts(routingWords);
  if (isBuiltIn(provider.kind)) return null;
  if (provider.baseUrlFrom !== undefined) return <>{fill(texts.from, { name: <Name value={provider.baseUrlFrom} /> })}</>;
  return provider.baseUrl === undefined ? <span class="soft">{texts.own}</span> : <bdi class="long">{provider.baseUrl}</bdi>;
};

export const ProvidersTable = ({ visit, table, ready }: TableProps) => {
  const { providers: texts, models } = useTexts(routingWords);
  const entries = Object.entries(table.providers);
  return (
    <section class="card stack">
      {entries.length === 0 ? <Empty>{texts.none}</Empty> : null}
      <div class="scrolls">
        <table class="cards">
          <caption>{texts.caption}</caption>
          <thead>
            <tr>
              <th>{texts.name}</th>
              <th>{texts.kind}</th>
              <th>{texts.address}</th>
              <th>{texts.credential}</th>
              <th class="num">{texts.models}</th>
              <th>{models.state}</th>
            </tr>
          </thead>
          <tbody>
            {entries.map(([name, provider]) => {
              const known = ready.get(name);
              return (
                <tr>
                  <td class="main-cell">
                    <a href={visit.at("routing/provider", { name })}>
                      <Name value={name} />
                    </a>
                  </td>
                  <td>{texts.kinds[provider.kind]}</td>
                  <td>
                    <Address provider={provider} />
                  </td>
                  <td>{provider.secret === undefined ? <span class="soft">{texts.keyless}</span> : <Name value={provider.secret} />}</td>
                  <td class="num" data-k={texts.models}>
                    {table.models.filter((model) => model.provider === name).length}
                  </td>
                  <td class={isMissing(known) ? "full state" : "end"}>
                    {known?.reason === null ? (
                      <Tag of="ok" icon="check">
                        {models.ready}
                      </Tag>
                    ) : (
                      <NotReady known={known} />
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {[...ready.values()].some(({ missing }) => missing !== null) ? <p class="soft">{texts.howTo}</p> : null}
      {visit.may("change") ? (
        <p>
          <LinkButton to={visit.at("routing/provider")}>{texts.add}</LinkButton>
        </p>
      ) : null}
    </section>
  );
};
