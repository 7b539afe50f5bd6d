// Finding a page or a thing of the console by its name: as a page of its own, and as the options of
// the menu that Ctrl K opens, which is over any page.

import { objectOf } from "../../../../shared/json/values.ts";
import { nameOf, rulesIn } from "../../../../shared/policy/draft.ts";
import { paths } from "../../../platform/urls.ts";
import { Name } from "../../outside-text.tsx";
import { consoleWords } from "../console-words.ts";
import { readDocument } from "../documents/document-api.ts";
import { entriesIn } from "../entries-page.tsx";
import { type ConsolePage, type PageAnswer, type Visit, useTexts } from "../page.ts";
import { Empty } from "../pieces.tsx";
import { places } from "../places.ts";
import { findWords } from "./find-words.ts";

type Kind = keyof (typeof findWords)["en"]["kinds"];
type Found = { readonly kind: Kind; readonly name: string; readonly to: string };

const most = 500;

async function everything(visit: Visit): Promise<Found[]> {
  const { api, at, language } = visit;
  const [{ keys }, servers, routing, policy, { reviewers }] = await Promise.all([
    api.read(paths.admin.keys),
    readDocument(visit, "servers"),
    readDocument(visit, "routing"),
    readDocument(visit, "policy"),
    api.read(paths.admin.reviewers),
  ]);
  const models: readonly unknown[] = Array.isArray(routing["models"]) ? routing["models"] : [];
  const ids = models.flatMap((model) => {
    const { id } = objectOf(model) ?? {};
    return typeof id === "string" ? [id] : [];
  });
  return [
    ...places.map(({ page, name }): Found => ({ kind: "page", name: consoleWords[language].nav[name], to: at(page) })),
    ...keys.map(({ id, name }): Found => ({ kind: "key", name, to: at(`keys/${id}`) })),
    ...Object.keys(entriesIn(servers, "servers")).map((name): Found => ({ kind: "server", name, to: at(`servers/${name}`) })),
    ...ids.map((name): Found => ({ kind: "model", name, to: at("requests", { model: name }) })),
    ...Object.keys(objectOf(routing["providers"]) ?? {}).map((name): Found => ({
      kind: "provider",
      name,
      to: at("routing/provider", { name }),
    })),
    ...rulesIn(policy).map((rule): Found => ({ kind: "rule", name: nameOf(rule), to: `${at("policy", { rule: nameOf(rule) })}#edit` })),
    ...[...new Set(reviewers.map(({ name }) => name))].map((name): Found => ({
      kind: "reviewer",
      name,
      to: at("decisions", { by: name }),
    })),
  ].slice(0, most);
}

const Options = ({ of }: { of: readonly Found[] }) => {
  const { kinds } = useTexts(findWords);
  return (
    <ul>
      {of.map(({ kind, name, to }, i) => (
        <li role="option" id={`found-${i}`} data-to={to} aria-selected="false">
          <Name value={name} /> <span class="soft">{kinds[kind]}</span>
        </li>
      ))}
    </ul>
  );
};

const Links = ({ of }: { of: readonly Found[] }) => {
  const { kinds } = useTexts(findWords);
  return (
    <ul class="rank">
      {of.map(({ kind, name, to }) => (
        <li>
          <a href={to}>
            <Name value={name} />
          </a>{" "}
          <span class="soft">{kinds[kind]}</span>
        </li>
      ))}
    </ul>
  );
};

async function get(visit: Visit): Promise<PageAnswer> {
  const all = await everything(visit);
  if (visit.query.get("part") === "options") return { kind: "part", body: () => <Options of={all} /> };
  const q = (visit.query.get("q") ?? "").trim();
  const found = all.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()));
  const texts = findWords[visit.language];
  return {
    kind: "page",
    title: texts.title,
    body: () => (
      <>
        <h1>{texts.title}</h1>
        <form class="card" method="get" action={visit.at("find")} role="search">
          <div class="find">
            <div>
              <label for="q">{texts.label}</label>
              <input id="q" name="q" type="search" value={q} maxlength={200} />
            </div>
            <button class="btn" type="submit">
              {texts.button}
            </button>
          </div>
        </form>
        {q === "" ? null : (
          <p>
            <a href={visit.at("requests", { q })}>{texts.requests}</a>
          </p>
        )}
        <section class="card" aria-label={texts.results}>
          {found.length === 0 ? <Empty>{texts.none}</Empty> : <Links of={found} />}
        </section>
      </>
    ),
  };
}

export const findPage: ConsolePage = { path: "find", get };
