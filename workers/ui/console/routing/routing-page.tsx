// The routing page: a playground, the models, and their providers.

import { readJsonText } from "../../../../shared/json/json-text.ts";
import { fill } from "../../sentence.tsx";
import { numberIn, textIn } from "../documents/document-api.ts";
import { DocumentTrail } from "../documents/document-trail.tsx";
import { editorActs } from "../documents/editor-page.tsx";
import { partScript } from "../part-script.ts";
import type { ConsolePage, PageAnswer, Visit } from "../page.ts";
import { Note } from "../pieces.tsx";
import { ModelsTable, ProvidersTable } from "./models-table.tsx";
import { PlayForm, PlayResult, type TableDraft, play, playScript } from "./playground.tsx";
import { readReady, readTable } from "./routing-api.ts";
import { routingWords } from "./routing-words.ts";

export async function renderRouting(visit: Visit, draft: TableDraft | null = null): Promise<PageAnswer> {
  const [{ table }, ready, played] = await Promise.all([readTable(visit), readReady(visit), play(visit, draft)]);
  const texts = routingWords[visit.language];
  return {
    kind: "page",
    title: texts.title,
    script: partScript + playScript,
    body: () => (
      <>
        <div class="head">
          <h1>{texts.title}</h1>
          <DocumentTrail visit={visit} name="routing" at="page" />
        </div>
        <Done visit={visit} />
        <div class="grid play">
          <PlayForm visit={visit} played={played} />
          <PlayResult played={played} />
        </div>
        {table === null ? null : (
          <>
            <ModelsTable visit={visit} table={table} ready={ready} />
            <ProvidersTable visit={visit} table={table} ready={ready} />
          </>
        )}
      </>
    ),
  };
}

const Done = ({ visit }: { visit: Visit }) => {
  const texts = routingWords[visit.language];
  const done = visit.query.get("done") ?? "";
  const version = numberIn(visit.query.get("version"));
  if (version === null || !Object.hasOwn(texts.done, done)) return null;
  return (
    <Note of="ok">
      <p>
        {fill(texts.done[done as keyof typeof texts.done], { n: version })}{" "}
        <a href={visit.at(`documents/routing/versions/${version}`)}>{texts.seeChange}</a>
      </p>
    </Note>
  );
};

/** Ranks, for the page or for its script. With `text`, a draft of the table that is not saved. */
async function routingActs(visit: Visit): Promise<PageAnswer> {
  const draft = draftIn(visit);
  // A draft that is no JSON goes back to the editor, which says where.
  if (draft === "notJson") return visit.form.has("part") ? { kind: "notFound" } : editorActs(visit, "routing");
  if (visit.form.get("part") !== "play") return renderRouting(visit, draft);
  const played = await play(visit, draft);
  return { kind: "part", body: () => <PlayResult played={played} /> };
}

function draftIn(visit: Visit): TableDraft | null | "notJson" {
  const version = numberIn(visit.form.get("version"));
  if (!visit.form.has("text") || version === null) return null;
  const text = textIn(visit);
  const read = readJsonText(text);
  return read.ok ? { text, value: read.value, version } : "notJson";
}

export const routingPage: ConsolePage = { path: "routing", get: (visit) => renderRouting(visit), post: routingActs };
