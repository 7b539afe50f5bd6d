// The documents of the configuration: the list of them, and the pages of each.

import type { ConsolePage, PageAnswer, Visit } from "../page.ts";
import { nameIn, numberIn, readDocument, versionName } from "./document-api.ts";
import { documentNames } from "../../../stubs/config-calls.ts";
import { documentsWords } from "./documents-words.ts";
import { editorActs, renderEditor } from "./editor-page.tsx";
import { versionActs, renderVersion } from "./version-page.tsx";
import { renderVersions } from "./versions-page.tsx";

async function renderList(visit: Visit): Promise<PageAnswer> {
  const versions = await Promise.all(documentNames.map(async (name) => (await readDocument(visit, name)).version));
  const texts = documentsWords[visit.language];
  return {
    kind: "page",
    title: texts.title,
    body: () => (
      <>
        <h1>{texts.title}</h1>
        <p>{texts.lead}</p>
        <section class="card">
          <ul class="rank">
            {documentNames.map((name, i) => (
              <li class="line">
                <a href={visit.at(`documents/${name}`)}>{texts.names[name]}</a>
                <a href={visit.at(`documents/${name}/versions`)}>
                  {versionName(texts, versions[i] ?? 0)}
                  <span class="sr"> {texts.names[name]}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      </>
    ),
  };
}

export const documentsPage: ConsolePage = { path: "documents", get: renderList };

const notFound: PageAnswer = { kind: "notFound" };

/** `documents/{name}`, `documents/{name}/versions` and `documents/{name}/versions/{n}`. */
export const documentPages: ConsolePage = {
  path: "documents/*",
  get: async (visit) => {
    const [, given, versions, number, ...rest] = visit.page.split("/");
    const name = nameIn(given);
    if (name === null || rest.length > 0 || (versions !== undefined && versions !== "versions")) return notFound;
    if (versions === undefined) return renderEditor(visit, name);
    if (number === undefined) return renderVersions(visit, name);
    const version = numberIn(number);
    return version === null ? notFound : renderVersion(visit, name, version);
  },
  post: async (visit) => {
    const [, given, versions, number, ...rest] = visit.page.split("/");
    const name = nameIn(given);
    if (name === null || rest.length > 0) return notFound;
    if (versions === undefined) return editorActs(visit, name);
    const version = numberIn(number);
    return versions === "versions" && version !== null ? versionActs(visit, name, version) : notFound;
  },
};
